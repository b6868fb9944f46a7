"""`clause`: the exact bytes that enter the system prompt."""

from __future__ import annotations

import click

from ...records import context_members
from ..catalog import note_problems, receipt, worst
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..owned import owned

__all__ = ["command"]


@click.command("clause", short_help="Print what enters the prompt.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.pass_context
def command(context: click.Context) -> int:
    """Print what enters the prompt, byte for byte, and on stderr what it costs."""
    invocation = of(context)
    screen = invocation.screen()
    session = invocation.session()
    observed = session.observe()
    whose = owned(invocation, session)
    clause = observed.clause(session.library.budget)
    if invocation.json:
        screen.members(context_members(clause) | whose.members)
    elif clause.text:
        screen.text(clause.text.encode())
    if not invocation.json:
        screen.note(f"{len(clause.included):,} in; {receipt(clause)}")
        if observed.catalog.records and not observed.catalog.enabled and whose.elsewhere is None:
            screen.note(f"nothing is on; to put a skill in: `{invocation.command('enable', 'NAME')}`")
    note_problems(screen, session, observed)
    whose.note(screen)
    return worst(observed)
