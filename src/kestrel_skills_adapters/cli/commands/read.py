"""`read`: a procedure, or a file of a skill, byte for byte."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.names import resource_path

from ..completion import addresses
from ..invocation import OUTPUT, WHERE, accepts, of

__all__ = ["command"]


@click.command("read", short_help="Print a procedure, or a file of a skill.")
@accepts(*WHERE, *OUTPUT)
@click.argument("name", metavar="NAME[@SOURCE]", shell_complete=addresses)
@click.argument("path", required=False)
@click.pass_context
def command(context: click.Context, name: str, path: str | None) -> None:
    """Print the procedure of a skill, or one of its files.

    Without PATH the procedure; SKILL.md is the raw file. A pipe gets the exact bytes; on a terminal, what could
    drive it is spelt out.
    """
    invocation = of(context)
    wanted = None if path is None else resource_path(path)
    session = invocation.session()
    address = session.address(name)
    if wanted is None:
        reading = session.read(address)
        data, has_left_pin = reading.document.body.encode(), reading.has_left_pin
    else:
        file = session.read_file(address, wanted)
        data, has_left_pin = file.content, file.has_left_pin
    screen = invocation.screen()
    if invocation.json:
        screen.members({"content": data.decode("utf-8", "backslashreplace")})
    else:
        screen.text(data)
    if has_left_pin:
        screen.note(
            f"warning: these are not the bytes that {address} was pinned to; look at them, then enable it again"
        )
