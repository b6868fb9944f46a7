"""`check`: judges skills anywhere, exactly as a source would, and says everything that is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

import click
from attrs import define, field

from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.text import escaped

from ...wiring import judged
from ..failures import DONE, FAILED, FOUND, Misuse, one_line
from ..invocation import OUTPUT, Invocation, accepts, of
from ..progress import Progress
from ..reports import Checked, Summary, annotation, as_json, as_sarif, as_text
from ..screen import Screen
from ..seek import NoSkill, seek
from ..version import installed_version

__all__ = ["command"]

_WANTED: Final = "name a folder with skills in it, or a SKILL.md"
_FORMATS: Final = ("text", "json", "sarif", "github")
_STYLES: Final = {"error": "red", "warning": "yellow", "info": "blue"}


@click.command("check", short_help="Judge skills anywhere, and say how to mend them.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--format", "form", type=click.Choice(_FORMATS), help="How to report; by default as text.")
@click.option("--strict", is_flag=True, help="Let warnings count like errors.")
@click.option("--fixes/--no-fixes", default=None, help="Say how to mend each finding; by default on a terminal only.")
@accepts(*OUTPUT)
@click.pass_context
def command(
    context: click.Context, paths: tuple[str, ...], form: str | None, *, strict: bool, fixes: bool | None
) -> int:
    """Judge every skill in these folders, at any depth, or these SKILL.md files.

    Exit code 0 if a catalog would take them all, 1 if not, 2 if there are none, 4 if something could not be read.
    """
    invocation = of(context)
    screen = invocation.screen()
    check = Check(screen, _format(invocation, form), screen.is_terminal if fixes is None else fixes)
    check.run(paths)
    counts = check.summary.severities
    if check.unreadable:
        return FAILED
    return FOUND if counts["error"] or (strict and counts["warning"]) else DONE


def _format(invocation: Invocation, form: str | None) -> str:
    if invocation.json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} exclude each other")
    return form or ("json" if invocation.json else "text")


@define
class Check:
    """One run over many folders. What is reported line by line is told at once; only findings are ever kept."""

    screen: Screen
    form: str
    fixes: bool
    summary: Summary = field(factory=Summary)
    kept: list[Checked] = field(factory=list)
    unreadable: int = 0

    def run(self, paths: Sequence[str]) -> None:
        """Judge everything, and report it."""
        folders = self._folders(paths)
        progress = Progress(self.screen.err, "skills")
        for done, folder in enumerate(folders):
            progress.at(done, len(folders))
            for checked in self._judged(folder):
                self.summary.add(checked)
                if self.form in ("json", "sarif"):
                    self.kept.append(checked)
                elif checked.findings:
                    progress.clear()
                    self._tell(checked)
        progress.clear()
        self._conclude()

    def _folders(self, paths: Sequence[str]) -> list[str]:
        """Every folder once, in the order in which the paths were given.

        Raises:
            Misuse: A path is of another file, or there is nothing at all to check, which is a mistake in the paths.
        """
        folders: dict[str, str] = {}
        barren: list[str] = []
        for path in paths:
            try:
                below = list(seek(path, self._pass_over))
            except NoSkill:
                raise Misuse(f"{escaped(path)} is neither a folder nor a SKILL.md", _WANTED) from None
            if not below:
                barren.append(escaped(path))
            for folder in below:
                folders.setdefault(os.path.abspath(folder), folder)
        if barren:
            nothing = f"there is no SKILL.md at or below {', '.join(barren)}"
            if not folders and not self.unreadable:
                raise Misuse(nothing, _WANTED)
            self.screen.note(f"note: {nothing}")
        return list(folders.values())

    def _judged(self, folder: str) -> Iterator[Checked]:
        try:
            findings = judged(folder)
        except SkillError as error:
            self._miss(folder, str(error), error.fix)
        else:
            yield Checked(folder, escaped(os.path.basename(os.path.abspath(folder))), findings)

    def _pass_over(self, folder: str, error: OSError) -> None:
        self._miss(folder, os.strerror(error.errno or 0).lower(), "see that it can be read")

    def _miss(self, folder: str, why: str, fix: str) -> None:
        self.unreadable += 1
        self.screen.note(one_line(f"{escaped(folder)}: {why}", fix))

    def _tell(self, checked: Checked) -> None:
        for finding in checked.findings:
            if self.form == "github":
                self.screen.line(annotation(checked, finding))
                continue
            line = self.screen.styled(as_text(checked, finding), _STYLES[finding.severity])
            between = "\n    fix: " if self.screen.is_terminal else "; fix: "
            self.screen.line(f"{line}{between}{finding.fix}" if self.fixes else line)

    def _conclude(self) -> None:
        if self.form == "json":
            self.screen.members(as_json(self.kept, self.summary))
        elif self.form == "sarif":
            self.screen.members(as_sarif(self.kept, installed_version()))
        if self.form != "json":
            self.screen.note(str(self.summary))
