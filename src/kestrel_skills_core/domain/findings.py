"""What is wrong, or could be better, with a skill: where it is, why, and what to do about it.

A *fault* is a finding of severity `error`: it keeps the skill out of the catalog. Everything else is advice.
The rules themselves stand in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from attrs import evolve, frozen

__all__ = ["Finding", "Rule", "Severity", "faults_of"]

Severity = Literal["error", "warning", "info"]


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
    def place(self) -> tuple[str, int, int, str]:
        """The order in which findings are read: by file, line, column, then code."""
        return (self.file, self.line, self.column, self.rule.code)

    def moved_to(self, file: str) -> Finding:
        """The same finding, told of another spelling of the file."""
        return evolve(self, file=file)

    def __str__(self) -> str:
        at = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{at}: {self.code} {self.message}"


def faults_of(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that keep a skill out of a catalog, in reading order."""
    return tuple(sorted((f for f in findings if f.severity == "error"), key=lambda f: f.place))
