"""`list`: every skill and every rejected folder, with the receipt of the clause."""

from __future__ import annotations

from typing import Final

import click

from kestrel_skills_core.domain.clause import Clause, token_cost
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.domain.text import counted
from kestrel_skills_core.service.observed import Observed

from ...records import Shown
from ..catalog import note_problems, receipt, worst
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..owned import owned
from ..screen import Coloured, Screen

__all__ = ["command"]

_HEADINGS: Final = ("name", "state", "source", "priority", "tokens", "description")
_ON, _OFF, _REJECTED, _HELD = "on", "off", "rejected", "held-back"
_GLYPHS: Final = {_ON: "● on", _OFF: "○ off", _HELD: "◌ held back"}
_STYLES: Final = {_ON: "green", _OFF: "", _HELD: "yellow"}

Row = tuple[str, ...]


@click.command("list", short_help="List all skills, and the broken ones.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.pass_context
def command(context: click.Context) -> int:
    """List all skills, and what is wrong with those that are none."""
    invocation = of(context)
    screen = invocation.screen()
    session = invocation.session()
    observed = session.observe()
    whose = owned(invocation, session)
    clause = observed.clause(session.library.budget)
    if invocation.json:
        screen.members(Shown(session.library.agent, clause.included).catalog(observed, clause) | whose.members)
    else:
        _print(screen, observed, clause)
    note_problems(screen, session, observed)
    whose.note(screen)
    return worst(observed)


def _print(screen: Screen, observed: Observed, clause: Clause) -> None:
    catalog = observed.catalog
    rows = [_row(record, _ON if record.enabled else _OFF) for record in catalog.records]
    held = [_row(each.holds_back, _HELD) for each in catalog.rejected if each.holds_back is not None]
    if screen.is_terminal:
        shown = [*rows, *held]
        told = [(row[0], _GLYPHS[row[1]], *row[2:]) for row in shown]
        screen.rows(_HEADINGS, told, [_STYLES[row[1]] for row in shown], spare=_spare(catalog))
        for rejection in catalog.rejected:
            _tell(screen, rejection)
    else:
        shown = [*rows, *map(_rejected, catalog.rejected), *held]
        screen.rows(_HEADINGS, shown, [""] * len(shown))
    screen.note(f"{_counts(observed)}; {receipt(clause)}")


def _spare(catalog: Catalog) -> list[str]:
    """The columns that a narrow terminal can do without: what can be asked for, and what is the same everywhere."""
    moved = any(
        found.priority != SkillState().priority for found in catalog.everything if isinstance(found, SkillRecord)
    )
    return ["tokens"] if moved else ["tokens", "priority"]


def _row(record: SkillRecord, state: str) -> Row:
    return (record.name, state, record.source, str(record.priority), str(token_cost(record)), record.description)


def _rejected(rejection: Rejection) -> Row:
    """A rejected folder as one line of the listing; the label may hold spaces, which would break the columns."""
    label = rejection.label.replace(" ", r"\x20")
    return (label, _REJECTED, rejection.source, "-", "-", f"{_first(rejection)}; fix: {rejection.faults[0].fix}")


def _tell(screen: Screen, rejection: Rejection) -> None:
    """A rejected folder where there is room: the fix is what a person needs, and must not be cut."""
    label = Coloured(f"✗ {rejection.label}", "red")
    screen.line(label, f" is rejected ({rejection.source}): {_first(rejection)}")
    screen.line(f"    fix: {rejection.faults[0].fix}")


def _first(rejection: Rejection) -> str:
    more = len(rejection.faults) - 1
    return f"{rejection.faults[0]}" + (f" (and {more} more)" if more else "")


def _counts(observed: Observed) -> str:
    catalog = observed.catalog
    skills = counted(len(catalog.records), "skill")
    shadowed = sum(len(record.shadowed) for record in catalog.records)
    counts = [f"{len(catalog.enabled):,} on"]
    counts += [f"{len(catalog.rejected):,} rejected"] if catalog.rejected else []
    counts += [f"{shadowed:,} shadowed"] if shadowed else []
    return f"{skills}, {', '.join(counts)}"
