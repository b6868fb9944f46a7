"""What a command asks and what was observed give what to commit, or a refusal. Pure."""

from __future__ import annotations

from attrs import evolve

from ..domain.commands import SetState
from ..domain.errors import BadDocument, NotEditable, StaleRevision
from ..domain.names import SourceId
from ..domain.record import Rejection, SkillRecord, SkillState
from ..domain.state_row import StateKey

__all__ = ["key_of", "turned_off", "turned_on"]


def key_of(found: SkillRecord | Rejection, command: SetState) -> StateKey:
    """Whose row a command writes."""
    return StateKey(command.address.name, found.source is SourceId.HOST_SHARED)


def turned_off(command: SetState, now: SkillState) -> SkillState:
    """The state to write to turn a skill off; `now` is what the table says. Always works, whatever the folder is."""
    return evolve(now, enabled=False, priority=_priority(command, now))


def turned_on(command: SetState, found: SkillRecord | Rejection, now: SkillState) -> SkillState:
    """The state to write to turn on what an address means: it says what that is, and the revision if asked to pin it.

    Raises:
        BadDocument: A skill with faults cannot be turned on.
        NotEditable: The folder has no generation marker, so that nothing could be bound to it.
        StaleRevision: The pin is not the revision that is there.
    """
    if isinstance(found, Rejection):
        raise BadDocument(command.address.name, found.faults)
    if found.subject is None:
        raise NotEditable(
            found.source,
            f"{found.name!r} has no generation marker",
            "make the skills folder writable, then list the skills",
        )
    if command.pin not in (None, found.revision):
        raise StaleRevision(found.name, command.pin, found.revision)
    return SkillState(enabled=True, priority=_priority(command, now), subject=found.subject, pin=command.pin)


def _priority(command: SetState, now: SkillState) -> int:
    return now.priority if command.priority is None else command.priority
