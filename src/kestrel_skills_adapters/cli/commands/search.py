"""`search`: the skills in whose name or description every word occurs."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.search import search

from ...records import Shown
from ..catalog import note_problems, worst
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..owned import owned

__all__ = ["command"]


@click.command("search", short_help="Find skills by words.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.argument("query", nargs=-1, required=True)
@click.pass_context
def command(context: click.Context, query: tuple[str, ...]) -> int:
    """Find the skills in whose names and descriptions every word occurs, best first."""
    invocation = of(context)
    screen = invocation.screen()
    session = invocation.session()
    observed = session.observe()
    whose = owned(invocation, session)
    found = search(observed.catalog.records, " ".join(query))
    if invocation.json:
        shown = Shown(session.library.agent, observed.clause(session.library.budget).included)
        screen.members({"skills": [shown.record(record) for record in found], "total": len(found), **whose.members})
    else:
        rows = [(record.name, "on" if record.enabled else "off", record.description) for record in found]
        screen.rows(("name", "state", "description"), rows, ["green" if record.enabled else "" for record in found])
    if not found and not observed.catalog.is_empty:
        screen.note("no skill has all of these words in its name and description")
    note_problems(screen, session, observed)
    whose.note(screen)
    return worst(observed)
