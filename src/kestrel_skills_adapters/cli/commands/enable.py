"""`enable`: switch a skill on, for what it is now."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import Revision
from kestrel_skills_core.domain.record import PRIORITIES

from ..changes import revision_given
from ..completion import addresses
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..switch import switch

__all__ = ["command"]


@click.command("enable", short_help="Switch a skill on, for what it is now.")
@click.argument("name", metavar="NAME", shell_complete=addresses)
@click.option(
    "--priority",
    type=click.IntRange(PRIORITIES[0], PRIORITIES[-1]),
    metavar="N",
    help="Its place in the clause, lower first; by default as it was, at first 100.",
)
@click.option(
    "--pin", metavar="REVISION", callback=revision_given, help="On for exactly these bytes: any change turns it off."
)
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.pass_context
def command(context: click.Context, name: str, priority: int | None, pin: Revision | None) -> int:
    """Switch a skill on: its name and description enter the prompt, as far as the budget goes."""
    invocation = of(context)
    address = invocation.session().address(name)
    return switch(invocation, SetState(address=address, enabled=True, priority=priority, pin=pin))
