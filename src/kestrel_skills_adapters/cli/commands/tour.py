"""`tour`: the main job on real skills, in a home that is left to play with."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import click
from attrs import frozen

from ..failures import DONE, FOUND
from ..invocation import OUTPUT, PROGRAM, accepts, of
from ..screen import Coloured, Screen
from ..tour import FOLDERS, Home, furnish

__all__ = ["command"]

_STEPS: Final = (
    ("Three skills of the agent's own, two that its host shares, and a broken one:", "list", DONE),
    ("Everything that is wrong with the broken one, and the way to mend it:", "check skills --fixes", FOUND),
    ("One skill in full. It shadows one of the same name that the host shares:", "show review-a-diff", DONE),
    ("All are off at first. Switch some on; lower priorities come first:", "enable review-a-diff --priority 10", DONE),
    ("", "enable write-a-postmortem --priority 20", DONE),
    ("", "enable cut-a-release --priority 30", DONE),
    ("Their names and descriptions, and nothing else, enter the agent's prompt:", "clause", DONE),
    ("On a small budget the last are left out, and the clause says how many:", "clause --budget 450", DONE),
    ("What is not in the prompt is found by its words:", "search release version", DONE),
    (
        "A procedure is read when it is needed. This is the one that is shadowed:",
        "read review-a-diff@host-shared",
        DONE,
    ),
    ("Switch one off again. It keeps its place:", "disable cut-a-release", DONE),
)
"""What is said, the command that is then run, and how it ends."""


def _empty(_: click.Context, __: click.Parameter, value: str | None) -> Path | None:
    if value is None:
        return None
    path = Path(value).absolute()
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise click.BadParameter("something is there; name a folder that is empty, or not there yet")
    return path


@click.command("tour", short_help="Try it on a few good skills, in a home to keep.")
@click.option("--home", metavar="DIR", callback=_empty, help="Where to make the home; by default a temporary folder.")
@accepts(*OUTPUT)
@click.pass_context
def command(context: click.Context, home: Path | None) -> int:
    """Make a home with a few good skills, walk through the main job in it, and leave it to play with."""
    invocation = of(context)
    made = furnish(home or Path(mkdtemp(prefix="kestrel-skills-tour-")))
    # The home is all that the walk depends on.
    environ = {name: value for name, value in invocation.environ.items() if not name.startswith("KESTREL_")}
    tour = Tour(invocation.screen(), made, environ | made.variables)
    return tour.recorded() if invocation.json else tour.walked()


def _typed(line: str) -> Coloured:
    """A command as a person would type it."""
    return Coloured(line, "cyan")


@frozen
class Tour:
    """One walk through one home."""

    screen: Screen
    home: Home
    environ: Mapping[str, str]

    def walked(self) -> int:
        """Say and run every step, as a person would see it; the exit code is 0 where all ended as they should."""
        say = self.screen.line
        say("A home to play with:")
        say()
        for line in self._entry():
            say("$ ", _typed(line))
        worst = DONE
        for text, line, expected in _STEPS:
            if text:
                self.screen.lines(f"\n{text}\n")
            say("$ ", _typed(f"{PROGRAM} {line}"))
            code = self._shown(line)
            worst = worst if code == expected else code
        self.screen.lines("\nThe home stays. Mend the broken skill, or write one of your own beside it:\n")
        broken = "skills/deploy-to-staging/SKILL.md"
        for line in (*self._entry(), f"${{EDITOR:-vi}} {broken}", f"{PROGRAM} list"):
            say("$ ", _typed(line))
        return worst

    def _shown(self, line: str) -> int:
        """Run one command as it would run here."""
        if self.screen.is_terminal:
            with redirect_stderr(self.screen.out):
                return self._run(line)
        code, output = self._captured(line)
        self.screen.lines(output.removesuffix("\n"))
        return code

    def _captured(self, line: str) -> tuple[int, str]:
        """Run one command as if to a pipe; gives what it prints, then, on lines of their own, what it says of that."""
        streams = [TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2)]
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            code = self._run(line)
        for stream in streams:
            stream.seek(0)
        printed, said = (stream.read() for stream in streams)
        return code, f"{printed}\n{said}" if printed and not printed.endswith("\n") else f"{printed}{said}"

    def recorded(self) -> int:
        """Run every step, and print what it printed as one object."""
        steps = []
        for _, line, _ in _STEPS:
            code, output = self._captured(line)
            steps.append({"command": f"{PROGRAM} {line}", "exit_code": code, "output": output})
        self.screen.members({"home": str(self.home.path), "environment": self.home.variables, "steps": steps})
        return DONE

    def _entry(self) -> tuple[str, str]:
        """What a shell must be told to be in this home."""
        return (
            f"cd {shlex.quote(str(self.home.path))}",
            "export " + " ".join(f'{name}="$PWD/{folder}"' for name, folder in FOLDERS.items()),
        )

    def _run(self, line: str) -> int:
        from ..main import main

        with chdir(self.home.path):
            return main(shlex.split(line), self.environ)
