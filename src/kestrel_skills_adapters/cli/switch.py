"""Switching a skill on or off, and saying what was written, and what that did to the clause."""

from __future__ import annotations

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState
from kestrel_skills_core.service.decide import key_of
from kestrel_skills_core.service.observed import Observed

from ..records import Members, Shown
from .catalog import receipt
from .changes import problem
from .failures import DONE
from .invocation import Invocation
from .owned import owned
from .screen import Screen

__all__ = ["switch"]

Written = SkillRecord | Rejection | None


def switch(invocation: Invocation, command: SetState) -> int:
    """Set the state, then look again. A change that was made is told as made, with why it is not in effect, if so."""
    screen = invocation.screen()
    session = invocation.session()
    whose = owned(invocation, session)
    whose.refuse_guess()
    # Switching off needs no table.
    before = session.states() if command.enabled else {}
    written = session.set_state(command)
    observed = session.observe()
    clause = observed.clause(session.library.budget)
    is_on = isinstance(written, SkillRecord) and written.state.enabled
    hindrance = observed.hindrance(written) if isinstance(written, SkillRecord) and is_on else ""
    if invocation.json:
        shown = Shown(session.library.agent, clause.included)
        screen.members(_members(shown, command, observed, written, hindrance) | whose.members)
    else:
        state = f"on, priority {written.priority}" if isinstance(written, SkillRecord) and is_on else "off"
        screen.line(f"{command.address} is {state}; {receipt(clause)}")
    if hindrance:
        screen.note(f"note: that has no effect now: {hindrance}")
    if isinstance(written, SkillRecord) and is_on and command.pin is None:
        pin = before.get(key_of(written, command.address.name), SkillState()).pin
        if pin is not None:
            again = invocation.command("enable", str(command.address), pin=pin)
            screen.note(f"note: it was pinned and is not any more; as before: `{again}`")
    whose.note(screen)
    return DONE if command.enabled else _off(screen, command, observed)


def _off(screen: Screen, command: SetState, observed: Observed) -> int:
    """Say what keeps a skill off where its row does not; a root that is away is no matter of this."""
    if observed.unavailable is not None and observed.unavailable in observed.problems:
        return problem(screen, observed.unavailable)
    if command.address.name in (observed.fences or {}):
        screen.note("note: a mark keeps it off, whatever the table of states says")
    return DONE


def _members(shown: Shown, command: SetState, observed: Observed, written: Written, hindrance: str) -> Members:
    """The skill as a listing shows it; where what was written is not in effect, as it was written, with the reason."""
    if written is None:
        return {"name": command.address.name, "enabled": False}
    if not hindrance:
        return shown.found(observed.catalog.find(command.address))
    assert isinstance(written, SkillRecord)
    return shown.record(written, resolves=False) | {"hindrance": hindrance}
