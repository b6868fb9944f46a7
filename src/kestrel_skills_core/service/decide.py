"""Command × observed → what to commit, or a refusal. Pure."""

from __future__ import annotations

from ..domain.commands import SetState
from ..domain.errors import BadDocument, NotEditable, StaleRevision
from ..domain.names import SourceId
from ..domain.record import Rejection, SkillRecord, SkillState
from ..domain.state_row import StateKey

__all__ = ["decide_state"]


def decide_state(command: SetState, found: SkillRecord | Rejection, now: SkillState) -> tuple[StateKey, SkillState]:
    """The state to write for what an address means; `now` is what the table says at present.

    Turning off always works. Turning on writes down what was turned on, and the revision if asked to pin it.

    Raises:
        BadDocument: A skill with faults cannot be turned on.
        NotEditable: The folder has no generation marker, so that nothing could be bound to it.
        StaleRevision: The pin is not the revision that is there.
    """
    name = command.address.name
    key = StateKey(name, found.source is SourceId.HOST_SHARED)
    priority = now.priority if command.priority is None else command.priority
    subject = found.subject if isinstance(found, SkillRecord) else None
    if not command.enabled:
        return key, SkillState(
            priority=priority, subject=subject or now.subject, pin=now.pin if subject is None else None
        )
    if isinstance(found, Rejection):
        raise BadDocument(name, found.faults)
    if subject is None:
        raise NotEditable(
            found.source, f"{name!r} has no generation marker", "make the skills folder writable, then list it"
        )
    if command.pin not in (None, found.revision):
        raise StaleRevision(name, command.pin, found.revision)
    return key, SkillState(enabled=True, priority=priority, subject=subject, pin=command.pin)
