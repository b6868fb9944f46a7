"""`check`: judges skills anywhere, exactly as a source would, and says everything that is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

import click
from attrs import define, field

from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.text import counted, escaped

from ...records import Members
from ...wiring import judged
from ..failures import DONE, FAILED, FOUND, Misuse, one_line
from ..invocation import OUTPUT, Invocation, accepts, of
from ..progress import Progress
from ..reports import Checked, Summary, annotation, as_json, as_sarif, as_text
from ..screen import Coloured, Screen
from ..seek import NoSkill, holder, seek
from ..version import installed_version

__all__ = ["command"]

_WANTED: Final = "name a folder with skills in it, or a SKILL.md"
_FORMATS: Final = ("text", "json", "sarif", "github")
_SHOWN: Final = 200
"""Characters of a path beside which nothing else is told."""
_COLOURS: Final = {"error": "red", "warning": "yellow", "info": "blue"}


@click.command("check", short_help="Judge skills anywhere, and say how to mend them.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(_FORMATS), help="How to report; by default as text.")
@click.option("--changed", is_flag=True, help="The paths are of changed files: judge the skills that they lie in.")
@click.option("--strict", is_flag=True, help="Let warnings count like errors.")
@click.option("--fixes/--no-fixes", default=None, help="Say how to mend each finding; by default on a terminal only.")
@accepts(*OUTPUT)
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[str, ...],
    form: str | None,
    *,
    changed: bool,
    strict: bool,
    fixes: bool | None,
) -> int:
    """Judge every skill in these folders, at any depth, or these SKILL.md files.

    With `--changed`, judge the skill that each path lies in, by the nearest folder above it that holds a SKILL.md;
    what lies in none is passed by.

    Exit code 0 if a catalog would take them all, 1 if not, 2 if there are none, 4 if something could not be read.
    """
    invocation = of(context)
    screen = invocation.screen()
    check = Check(screen, _format(invocation, form), screen.is_terminal if fixes is None else fixes)
    check.run(check.around(paths) if changed else check.below(paths))
    counts = check.summary.severities
    if check.problems:
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
    problems: list[Members] = field(factory=list)
    deep: list[str] = field(factory=list)

    def run(self, folders: Sequence[str]) -> None:
        """Judge these folders, and report everything."""
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

    def around(self, paths: Sequence[str]) -> list[str]:
        """The folders of the skills that these paths lie in, each once, in the order of the paths."""
        found = (folder for path in paths if (folder := holder(path)) is not None)
        return list({os.path.abspath(folder): folder for folder in found}.values())

    def below(self, paths: Sequence[str]) -> list[str]:
        """The folders of all skills at or below these paths, each once, in the order of the paths.

        Raises:
            Misuse: A path is of another file, or there is nothing at all to check, which is a mistake in the paths.
        """
        folders: dict[str, str] = {}
        barren: list[str] = []
        for path in paths:
            try:
                before = len(self.problems)
                below = list(seek(path, self))
            except NoSkill as error:
                raise Misuse(f"{path} {error}", _WANTED) from None
            if not below and before == len(self.problems):
                barren.append(path)
            for folder in below:
                folders.setdefault(os.path.abspath(folder), folder)
        self._note_deep()
        if barren:
            nothing = f"there is no SKILL.md at or below {', '.join(barren)}"
            if not folders and not self.problems:
                raise Misuse(nothing, _WANTED)
            self.screen.note(f"note: {nothing}")
        return list(folders.values())

    def _note_deep(self) -> None:
        if self.deep:
            count = counted(len(self.deep), "folder")
            where = f"{LIMITS.seek_depth} levels below a path, as in {_cut(self.deep[0])}"
            self.screen.note(f"note: {count} not looked into, deeper than {where}")

    def _judged(self, folder: str) -> Iterator[Checked]:
        try:
            findings = judged(folder)
        except SkillError as error:
            self._miss(folder, error.code, str(error), error.fix)
        else:
            yield Checked(folder, escaped(os.path.basename(os.path.abspath(folder))), findings)

    def unreadable(self, path: str, why: str) -> None:
        """A folder cannot be looked into."""
        self._miss(path, "unreadable", why, "see that it can be read")

    def too_deep(self, path: str) -> None:
        """A folder is beyond the depth that is looked into."""
        self.deep.append(path)

    def _miss(self, folder: str, code: str, why: str, fix: str) -> None:
        self.problems.append({"path": folder, "code": code, "message": why, "fix": fix})
        self.screen.note(one_line(f"{_cut(folder)}: {why}", fix))

    def _tell(self, checked: Checked) -> None:
        for finding in checked.findings:
            if self.form == "github":
                self.screen.line(annotation(checked, finding))
                continue
            line = Coloured(as_text(checked, finding), _COLOURS[finding.severity])
            apart = self.screen.is_terminal
            self.screen.line(line, f"; fix: {finding.fix}" if self.fixes and not apart else "")
            if self.fixes and apart:
                self.screen.line(f"    fix: {finding.fix}")

    def _conclude(self) -> None:
        if self.form == "json":
            self.screen.members(as_json(self.kept, self.summary, self.problems))
        elif self.form == "sarif":
            self.screen.members(as_sarif(self.kept, installed_version()))
        if self.form != "json":
            self.screen.note(str(self.summary))


def _cut(path: str) -> str:
    return path if len(path) <= _SHOWN else path[:_SHOWN] + "…"
