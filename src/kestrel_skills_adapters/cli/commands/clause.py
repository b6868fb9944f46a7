"""`clause`: the exact bytes that enter the system prompt."""

from __future__ import annotations

import click

from ...records import context_members
from ..catalog import note_problems, receipt, worst
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of

__all__ = ["command"]


@click.command("clause")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.pass_context
def command(context: click.Context) -> int:
    """Print the context clause, byte for byte, and on stderr what it costs."""
    invocation = of(context)
    screen = invocation.screen()
    session = invocation.session()
    observed = session.observe()
    clause = observed.clause(session.library.budget)
    if invocation.json:
        screen.members(context_members(clause))
    elif clause.text:
        screen.text(clause.text.encode())
    if not invocation.json:
        screen.note(f"{len(clause.included):,} in; {receipt(clause)}")
    note_problems(screen, session, observed)
    return worst(session, observed)
