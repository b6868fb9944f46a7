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
from ..screen import Screen
from ..tour import FOLDERS, Home, furnish

__all__ = ["command"]

_STEPS: Final = (
    (
        "The agent has three skills of its own, and its host shares two. One folder is no skill; the list says why:",
        "list",
        DONE,
    ),
    ("Everything that is wrong with it, with line, column, and the way to mend it:", "check skills --fixes", FOUND),
    (
        "One skill in full. The host shares one of that name too; the agent's own comes first:",
        "show review-a-diff",
        DONE,
    ),
    ("Switch some on. Lower priorities come first:", "enable review-a-diff --priority 10", DONE),
    ("", "enable write-a-postmortem --priority 20", DONE),
    ("", "enable cut-a-release --priority 30", DONE),
    ("This much, and nothing else, enters the agent's prompt:", "clause", DONE),
    ("On a small budget the later ones are left out, and the clause says how many:", "clause --budget 450", DONE),
    ("What is not in the prompt is found by its words:", "search release version", DONE),
    ("The procedure is read when it is needed:", "read review-a-diff", DONE),
    ("So are its files, one by one:", "read bisect-a-regression scripts/try-revision.sh", DONE),
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


@click.command("tour")
@accepts(*OUTPUT)
@click.option("--home", metavar="DIR", callback=_empty, help="Where to make the home; by default a temporary folder.")
@click.pass_context
def command(context: click.Context, home: Path | None) -> int:
    """Make a home with a few good skills, walk through the main job in it, and leave it to play with."""
    invocation = of(context)
    made = furnish(home or Path(mkdtemp(prefix="kestrel-skills-tour-")))
    # The home is all that the walk depends on.
    environ = {name: value for name, value in invocation.environ.items() if not name.startswith("KESTREL_")}
    tour = Tour(invocation.screen(), made, environ | made.variables)
    return tour.recorded() if invocation.json else tour.walked()


@frozen
class Tour:
    """One walk through one home."""

    screen: Screen
    home: Home
    environ: Mapping[str, str]

    def walked(self) -> int:
        """Say and run every step, as a person would see it; the exit code is 0 where all ended as they should."""
        say = self.screen.line
        say("A home to play with:\n")
        for line in self._entry():
            say(f"$ {line}")
        worst = DONE
        for text, line, expected in _STEPS:
            say(f"\n{text}\n" if text else "")
            say(f"$ {PROGRAM} {line}")
            code = self._shown(line)
            worst = worst if code == expected else code
        say("\nThe home stays. Mend the broken skill, or write one of your own beside it:\n")
        broken = "skills/deploy-to-staging/SKILL.md"
        for line in (*self._entry(), f"${{EDITOR:-vi}} {broken}", f"{PROGRAM} list"):
            say(f"$ {line}")
        return worst

    def _shown(self, line: str) -> int:
        """Run one command as it would run here; to a pipe, what it prints is made to end with a line end."""
        if self.screen.is_terminal:
            with redirect_stderr(self.screen.out):
                return self._run(line)
        code, output = self._captured(line)
        self.screen.line(output.removesuffix("\n"))
        return code

    def _captured(self, line: str) -> tuple[int, str]:
        output = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
        with redirect_stdout(output), redirect_stderr(output):
            code = self._run(line)
        output.seek(0)
        return code, output.read()

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
