"""`doctor`: whether everything that this library stands on is well, and what to do where it is not."""

from __future__ import annotations

from typing import Final

import click
from attrs import asdict

from ..failures import DONE, FOUND
from ..health import examined
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..owned import owned
from ..screen import Coloured

__all__ = ["command"]

_COLOURS: Final = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command("doctor", short_help="Find out what is not well, and what to do.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.pass_context
def command(context: click.Context) -> int:
    """Look at the machine, the folders and the table of states, and say what to do about each.

    Exit code 1 if anything fails.
    """
    invocation = of(context)
    screen = invocation.screen()
    session = invocation.session()
    found = [*examined(session, invocation.command, owned(invocation, session))]
    failed = any(each.status == "fail" for each in found)
    if invocation.json:
        screen.members({"ok": not failed, "checks": [asdict(each) for each in found]})
    else:
        for each in found:
            fix = f"; fix: {each.fix}" if each.fix else ""
            status = Coloured(f"{each.status:4}", _COLOURS[each.status])
            screen.line(status, f"  {each.about}: {each.message}{fix}")
    return FOUND if failed else DONE
