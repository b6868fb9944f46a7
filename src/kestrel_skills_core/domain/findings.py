"""What is wrong, or could be better, with a skill: where it is, why, and what to do about it.

A *fault* is a finding of severity `error`: it keeps the skill out of the catalog. Everything else is advice.
The rules themselves stand in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from attrs import evolve, frozen

from .limits import LIMITS

__all__ = ["Finding", "Rule", "Severity", "capped", "faults_of"]

Severity = Literal["error", "warning", "info"]

_WEIGHTS: Final[Mapping[Severity, int]] = {"error": 0, "warning": 1, "info": 2}
_MORE: Final = "; more was found than is shown"


@frozen
class Rule:
    """One rule of the format: a stable code, how much it matters, and the general way to obey it."""

    code: str
    severity: Severity
    title: str
    fix: str


@frozen(order=False)
class Finding:
    """One place where a rule is broken.

    `file` is relative to the skill's folder, POSIX, and safe to print. `line` and `column` count from 1, the
    column in characters; both are 0 where the whole file or folder is meant.
    """

    rule: Rule
    file: str
    message: str
    line: int = 0
    column: int = 0
    advice: str = ""
    on_disk: str = ""
    """The path as it is on the disk, where `file` spells it otherwise; not safe to print."""

    @property
    def code(self) -> str:
        """The stable `KS…` code."""
        return self.rule.code

    @property
    def severity(self) -> Severity:
        """How much it matters: only `error` keeps a skill out of a catalog."""
        return self.rule.severity

    @property
    def fix(self) -> str:
        """What the author should do: the particular advice where there is one, else the rule's own."""
        return self.advice or self.rule.fix

    @property
    def path(self) -> str:
        """The path that leads to the file; not safe to print."""
        return self.on_disk or self.file

    @property
    def place(self) -> tuple[str, int, int, str]:
        """The order in which findings are read: by file, line, column, then code."""
        return (self.file, self.line, self.column, self.rule.code)

    def __str__(self) -> str:
        at = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{at}: {self.code} {self.message}"


def faults_of(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings that keep a skill out of a catalog, in reading order."""
    if not findings:
        return ()
    return tuple(sorted([found for found in findings if found.severity == "error"], key=_place))


def capped(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings in reading order, at most `Limits.findings` of them.

    Where not all fit, errors are kept before warnings and those before the rest, and the last one says that there are
    more. Capping what was capped before changes nothing.
    """
    if not findings:
        return ()
    found = sorted(findings, key=_place)
    if len(found) <= LIMITS.findings:
        return tuple(found)
    found.sort(key=lambda each: _WEIGHTS[each.severity])
    kept = [evolve(each, message=each.message.removesuffix(_MORE)) for each in found[: LIMITS.findings]]
    kept.sort(key=_place)
    kept[-1] = evolve(kept[-1], message=kept[-1].message + _MORE)
    return tuple(kept)


def _place(finding: Finding) -> tuple[str, int, int, str, str]:
    return (*finding.place, finding.message)
