"""`enable`: switch a skill on, for what it is now."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import Revision, digest, parse_address
from kestrel_skills_core.domain.record import PRIORITIES

from ..completion import addresses
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..switch import switch

__all__ = ["command"]


def _revision(_: click.Context, __: click.Parameter, value: str | None) -> Revision | None:
    if value is None:
        return None
    if digest(value) is None:
        raise click.BadParameter("a revision is 64 hex digits; `kestrel-skills show` prints it")
    return Revision(value)


@click.command("enable", short_help="Switch a skill on, for what it is now.")
@click.argument("name", metavar="NAME", shell_complete=addresses)
@click.option(
    "--priority",
    type=click.IntRange(PRIORITIES[0], PRIORITIES[-1]),
    metavar="N",
    help="Its place in the clause, lower first; by default as it was, at first 100.",
)
@click.option(
    "--pin", metavar="REVISION", callback=_revision, help="On for exactly these bytes: any change turns it off."
)
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.pass_context
def command(context: click.Context, name: str, priority: int | None, pin: Revision | None) -> int:
    """Switch a skill on: its name and description enter the prompt, as far as the budget goes."""
    return switch(of(context), SetState(address=parse_address(name), enabled=True, priority=priority, pin=pin))
