"""`disable`: switch a skill off."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.commands import SetState

from ..completion import addresses
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..switch import switch

__all__ = ["command"]


@click.command("disable", short_help="Switch a skill off.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.argument("name", metavar="NAME", shell_complete=addresses)
@click.pass_context
def command(context: click.Context, name: str) -> int:
    """Switch a skill off; it stays where it is, and keeps its priority."""
    invocation = of(context)
    return switch(invocation, SetState(address=invocation.session().address(name), enabled=False))
