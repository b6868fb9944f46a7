"""What somebody has in mind and has not done: texts that are not written yet, and states that are not set. Pure.

The rules are those of what is written: each text is put where it would stand, and judged there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import Attribute, evolve, field, frozen
from attrs.validators import optional

from .document import examine, render
from .errors import SkillAbsent
from .findings import Finding, capped, faults_of
from .lint import lint_text
from .names import DOCUMENT, SkillName
from .record import PRIORITIES, SkillRecord
from .rules import NAME_DIFFERS

__all__ = ["Judged", "Proposal", "judged", "proposed"]

_NAME: Final = SkillName("a")
_REST: Final = "Use it."
"""What a name or a description is judged beside: nothing is wrong with it."""


@frozen(kw_only=True)
class Judged:
    """The findings on each text that was given; line and column of those on `text` alone mean anything."""

    name: tuple[Finding, ...] = ()
    description: tuple[Finding, ...] = ()
    text: tuple[Finding, ...] = ()

    @property
    def has_faults(self) -> bool:
        """Whether a skill of these texts would be refused."""
        return bool(faults_of((*self.name, *self.description, *self.text)))


def judged(name: str | None = None, description: str | None = None, text: str | None = None) -> Judged:
    """What is wrong with a name, a description and a whole `SKILL.md`, each if it is given.

    The text is judged in a folder of the name; without one, in a folder that is called as the text says.
    """
    return Judged(
        name=() if name is None else _bare(render(SkillName(name), _REST, _REST), name),
        description=() if description is None else _bare(render(_NAME, description, _REST), _NAME),
        text=() if text is None else _text(text.encode("utf-8", "surrogatepass"), name),
    )


def _bare(document: bytes, folder: str) -> tuple[Finding, ...]:
    _, findings = examine(document, folder)
    return tuple(evolve(finding, line=0, column=0) for finding in findings)


def _text(content: bytes, name: str | None) -> tuple[Finding, ...]:
    _, findings = examine(content, name or "")
    told = [finding for finding in findings if name is not None or finding.rule is not NAME_DIFFERS]
    return capped((*told, *lint_text(DOCUMENT, content)))


def _in_range(_: object, attribute: Attribute[Any], value: int) -> None:
    if value not in PRIORITIES:
        raise ValueError(f"{attribute.name} must be from {PRIORITIES[0]:,} to {PRIORITIES[-1]:,}")


@frozen(kw_only=True)
class Proposal:
    """A state that a skill might be given; nothing of it is what it is now.

    Raises:
        ValueError: The priority is out of range.
    """

    enabled: bool | None = None
    priority: int | None = field(default=None, validator=optional(_in_range))


def proposed(records: Iterable[SkillRecord], proposals: Mapping[SkillName, Proposal]) -> tuple[SkillRecord, ...]:
    """The records as they would be in these states. What cannot be switched on stays off.

    Raises:
        SkillAbsent: No record has a name that a state is proposed for.
    """
    found = {record.name: record for record in records}
    for name in proposals:
        if name not in found:
            raise SkillAbsent(name)
    return tuple(_in_state(record, proposals.get(name)) for name, record in found.items())


def _in_state(record: SkillRecord, proposal: Proposal | None) -> SkillRecord:
    if proposal is None:
        return record
    state = record.state
    if proposal.priority is not None:
        state = evolve(state, priority=proposal.priority)
    if proposal.enabled is not None:
        state = evolve(state, enabled=proposal.enabled, subject=record.subject, pin=None)
    return record.in_state(state)
