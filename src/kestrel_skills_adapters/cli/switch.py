"""Switching a skill on or off, and saying what that did to the clause."""

from __future__ import annotations

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import SkillAbsent
from kestrel_skills_core.domain.record import SkillRecord

from ..records import Shown
from .catalog import note_problems, receipt, worst
from .invocation import Invocation

__all__ = ["switch"]


def switch(invocation: Invocation, command: SetState) -> int:
    """Set the state, then look again: what is told is what a listing would show."""
    screen = invocation.screen()
    session = invocation.session()
    session.set_state(command)
    observed = session.observe()
    clause = observed.clause(session.library.budget)
    try:
        found = observed.catalog.find(command.address)
    except SkillAbsent:
        # Turning off needs no folder: its row may be all that is left of it.
        found = None
    if invocation.json:
        shown = Shown(session.library.agent, clause.included)
        screen.members({"name": command.address.name, "enabled": False} if found is None else shown.found(found))
    else:
        state = f"on, priority {found.priority}" if isinstance(found, SkillRecord) and found.enabled else "off"
        screen.line(f"{command.address} is {state}; {receipt(clause)}")
    note_problems(screen, session, observed)
    return worst(session, observed)
