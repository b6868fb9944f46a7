"""`adapt`: bring a skill that was written for other readers into the two-field form, or undo that."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.commands import Adapt, Unadapt
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.names import Revision, parse_address
from kestrel_skills_core.domain.record import Rejection, SkillRecord

from ...records import adaptation_members
from ..changes import IF_MATCH, refusal, short, shown
from ..completion import addresses
from ..failures import DONE
from ..invocation import BUDGET, OUTPUT, WHERE, Invocation, accepts, of
from ..screen import Coloured, Screen
from ..session import Session

__all__ = ["command"]


@click.command("adapt", short_help="Bring a skill with more fields into the form.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.argument("name", metavar="NAME[@SOURCE]", shell_complete=addresses)
@click.option("--undo", is_flag=True, help="Put back the SKILL.md that was there before, to the byte.")
@IF_MATCH
@click.pass_context
def command(context: click.Context, name: str, undo: bool, seen: Revision | None) -> int:  # noqa: FBT001  # click's signature
    """Bring the SKILL.md of a folder into the form: two fields, and the procedure as it is.

    What further fields said is kept in the folder's record, so that --undo can put it back. Everything that is changed
    is told; what restricted the skill, and what is cut, is marked with `!`. The skill is off until it is enabled.
    """
    invocation = of(context)
    session = invocation.session()
    address = parse_address(name)
    if undo:
        found = session.unadapt(Unadapt(address=address, expected_revision=seen))
        return _undone(invocation, session, found)
    try:
        adapting = session.adapt(Adapt(address=address, expected_revision=seen))
    except SkillError as error:
        return refusal(invocation, error)
    screen, adaptation = invocation.screen(), adapting.adaptation
    if invocation.json:
        screen.members(shown(session, adapting.found) | {"adaptation": adaptation_members(adaptation)})
        return DONE
    if adaptation.adapted is None:
        screen.line(f"{address.name} needs no adapting; revision {short(adapting.found.revision)}")
        return DONE
    screen.line(f"{address.name} is adapted, {_state(adapting.found)}; revision {short(adapting.found.revision)}")
    for change in adaptation.changes:
        screen.line("  ", Coloured("!", "yellow") if change.loses else "-", f" {change}")
    _explain(screen, adapting.found)
    return DONE


def _undone(invocation: Invocation, session: Session, found: SkillRecord | Rejection) -> int:
    screen = invocation.screen()
    if invocation.json:
        screen.members(shown(session, found))
        return DONE
    name = found.name or found.source
    screen.line(f"{name} is as it was before it was adapted, {_state(found)}; revision {short(found.revision)}")
    return DONE


def _state(found: SkillRecord | Rejection) -> str:
    if isinstance(found, Rejection):
        return "rejected"
    return "on" if found.enabled else "off"


def _explain(screen: Screen, found: SkillRecord | Rejection) -> None:
    """Say what is still wrong with a folder whose SKILL.md is well."""
    if isinstance(found, Rejection):
        for fault in found.faults:
            screen.note(f"{fault}; fix: {fault.fix}")
