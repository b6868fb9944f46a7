"""What `check` found, in the forms that people and machines read. Translations; nothing is judged here.

- text: `path:line:col: code message`, one finding a line.
- JSON: the shape of `docs/cli.md`.
- SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
- GitHub annotations: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import path
from typing import Any, Final
from urllib.parse import quote

from attrs import frozen

from kestrel_skills_core.domain.findings import Finding, Rule, faults_of
from kestrel_skills_core.domain.rules import RULES
from kestrel_skills_core.domain.text import counted, escaped

from ..records import Members, finding_members

__all__ = ["Checked", "Summary", "annotation", "as_json", "as_sarif", "as_text"]

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE: Final = "CHECKED_FROM"
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}


@frozen
class Checked:
    """One folder that was judged: its path as the caller gave it, its own name, and all findings in reading order."""

    path: str
    name: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing would keep it out of a catalog."""
        return not faults_of(self.findings)

    def file(self, finding: Finding) -> str:
        """The path of the file that a finding speaks of, or of the folder, as it is on the disk."""
        return self.path if finding.path == "." else path.join(self.path, finding.path)

    def shown(self, finding: Finding) -> str:
        """The same, safe to print."""
        return escaped(self.path if finding.file == "." else path.join(self.path, finding.file))


class Summary:
    """Counts over everything that was judged."""

    def __init__(self) -> None:
        self.skills = self.ok = 0
        self.codes: Counter[str] = Counter()
        self.severities: Counter[str] = Counter()

    def add(self, checked: Checked) -> None:
        """Count one folder."""
        self.skills += 1
        self.ok += checked.ok
        self.codes.update(finding.code for finding in checked.findings)
        self.severities.update(finding.severity for finding in checked.findings)

    def members(self) -> dict[str, Any]:
        """As JSON."""
        codes = dict(sorted(self.codes.items()))
        return {"skills": self.skills, "ok": self.ok, "refused": self.skills - self.ok, "codes": codes}

    def __str__(self) -> str:
        skills = counted(self.skills, "skill")
        found = ", ".join(f"{code} {count:,}" for code, count in sorted(self.codes.items()))
        counts = f"{skills}: {self.ok:,} ok, {self.skills - self.ok:,} refused"
        return f"{counts}; {found}" if found else counts


def as_text(checked: Checked, finding: Finding) -> str:
    """`path:line:col: code message`; without line and column where the whole file or folder is meant."""
    at = f":{finding.line}:{finding.column}" if finding.line else ""
    return f"{checked.shown(finding)}{at}: {finding.code} {finding.message}"


def as_json(checked: Iterable[Checked], summary: Summary, problems: Sequence[Members]) -> Members:
    """The whole report as one object; paths of findings are relative to their skill's folder.

    `problems` are of what could not be looked at; they are left out where there are none.
    """
    skills = [
        {"path": each.path, "name": each.name, "ok": each.ok, "findings": [*map(finding_members, each.findings)]}
        for each in checked
    ]
    report = {"skills": skills, "summary": summary.members()}
    return report | {"problems": [*problems]} if problems else report


def annotation(checked: Checked, finding: Finding) -> str:
    """A workflow command that GitHub shows beside the line."""
    place = {"line": str(finding.line), "col": str(finding.column)} if finding.line else {}
    properties = {"file": checked.shown(finding), **place, "title": finding.code}
    values = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {values}::{_message(f'{finding.message}; fix: {finding.fix}')}"


def _message(text: str) -> str:
    """A text that stays on its line. What cannot be seen is spelt out: GitHub would show what `%0A` and `%0D` mean."""
    return escaped(text).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(checked: Iterable[Checked], version: str) -> Mapping[str, Any]:
    """One run of this tool, with every rule, and each finding as a result."""
    indexes = {code: index for index, code in enumerate(RULES)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "kestrel-skills",
                        "version": version,
                        "rules": [_rule(rule) for rule in RULES.values()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_BASE: {"description": {"text": "the folder in which the check was run"}}},
                "results": [
                    _result(each, finding, indexes[finding.code]) for each in checked for finding in each.findings
                ],
            }
        ],
    }


def _rule(rule: Rule) -> Mapping[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(checked: Checked, finding: Finding, index: int) -> Mapping[str, Any]:
    where: dict[str, Any] = {"artifactLocation": _location(checked.file(finding))}
    if finding.line:
        where["region"] = {"startLine": finding.line, "startColumn": finding.column}
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}; fix: {finding.fix}"},
        "locations": [{"physicalLocation": where}],
    }


def _location(file: str) -> Mapping[str, str]:
    """A reference relative to where the check was run; an absolute one for what does not lie below."""
    within = path.normpath(file)
    spelt = quote(within, errors="surrogateescape")
    if path.isabs(within):
        return {"uri": f"file://{spelt}"}
    if within.split("/")[0] == "..":
        return {"uri": f"file://{quote(path.abspath(within), errors='surrogateescape')}"}
    return {"uri": spelt, "uriBaseId": _BASE}
