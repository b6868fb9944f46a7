"""`serve`: the same skills in a browser, for one person on this machine."""

from __future__ import annotations

import logging
import os
import threading
import webbrowser
from contextlib import ExitStack

import click

from ...wiring import BadSetting, serve, served_desk
from ..changes import begin
from ..failures import DONE, Misuse
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..leading import leading_to

__all__ = ["command"]


@click.command("serve", short_help="Look after them in a browser.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.option(
    "--port", metavar="PORT", type=click.IntRange(0, 65535), default=0, help="Where to listen; by default any is taken."
)
@click.option("--no-browser", is_flag=True, help="Only say the address.")
@click.pass_context
def command(context: click.Context, port: int, no_browser: bool) -> int:  # noqa: FBT001  # click's signature
    """Serve the skills, and a page to look after them, to a browser of this machine. Ctrl-C ends it.

    The address holds a token behind the `#`, a new one each time; whoever has it may do what you may. Nobody else is
    answered, and no other machine.
    """
    invocation = of(context)
    screen, session = invocation.screen(), invocation.session(found=True)
    begin(session, invocation)
    ending = ExitStack()

    def listening(address: str) -> None:
        if invocation.json:
            screen.members({"url": address})
        else:
            screen.line(f"the skills are at {address}")
            screen.note("Ctrl-C ends it")
        screen.out.flush()
        if no_browser:
            return
        try:
            page = ending.enter_context(leading_to(address))
        except OSError:
            screen.note("no browser is opened, as no file can be written for it; open the address yourself")
            return
        # A browser may take its time, or be one that runs in this very terminal.
        threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()

    if invocation.debug:
        _log_everything()
    try:
        with ending:
            has_ended = serve(served_desk(session.settings, connect=invocation.connect), port, listening)
    except BadSetting as error:
        raise Misuse(str(error), error.fix) from None
    if not has_ended:
        os._exit(DONE)  # the interpreter would wait for a thread that works; whatever it does may be cut anywhere
    return DONE


def _log_everything() -> None:
    """What answers a browser has nobody else to tell a traceback."""
    log = logging.getLogger(__package__.partition(".")[0])
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.DEBUG)
