"""`delete`: delete a folder, after showing what goes with it."""

from __future__ import annotations

from typing import Final

import click

from kestrel_skills_core.domain.commands import Delete
from kestrel_skills_core.domain.record import Rejection
from kestrel_skills_core.domain.text import counted
from kestrel_skills_core.service.library import Deletion

from ..changes import asked, begin, problem, resolves, shown
from ..completion import addresses
from ..failures import FOUND
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..screen import Screen

__all__ = ["command"]


@click.command("delete", short_help="Delete a folder, with everything in it.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.argument("name", metavar="NAME[@SOURCE]", shell_complete=addresses)
@click.option("--revision", metavar="TOKEN", help="What was shown as `delete_revision`: delete exactly that, unasked.")
@click.pass_context
def command(context: click.Context, name: str, revision: str | None) -> int:
    """Delete a skill or rejected folder of the agent's own, with all its files.

    Shows what will go and what the name will mean then, and asks; or takes the token of what was looked at.
    """
    invocation = of(context)
    screen = invocation.screen()
    session = invocation.session()
    address = session.address(name)
    begin(session, invocation)
    deletion = session.deletion(address)
    token = deletion.delete_revision if revision is None else revision
    if revision is None:
        _show(screen, address.name, deletion)
        if not asked(f"delete {address.name} for ever?"):
            screen.note(f"nothing was deleted; unasked: `{invocation.command('delete', str(address), revision=token)}`")
            return FOUND
    outcome = session.delete(Delete(address=address, delete_revision=token))
    if invocation.json:
        then = None if outcome.found is None else shown(session, outcome.found)
        screen.members({"name": address.name, "deleted": True, "resolves": then})
    else:
        screen.line(f"{address.name} is deleted; now {resolves(address.name, outcome.found)}")
    return problem(screen, outcome.problem)


_KINDS: Final = {"file": "a file", "folder": "a folder", "link": "a link", "other": "a special file"}


def _show(screen: Screen, name: str, deletion: Deletion) -> None:
    """Say on stderr what goes, and what comes."""
    found = deletion.found
    state = "rejected" if isinstance(found, Rejection) else "on" if found.enabled else "off"
    screen.note(f"{name}, of {found.source}, {state}:")
    for item in found.inventory:
        screen.note(f"  {item.path} ({counted(item.size, 'byte')})")
    for entry in found.unlisted or ():
        size = f"{counted(entry.size, 'byte')}; " if entry.kind == "file" else ""
        screen.note(f"  {entry.path} ({size}{_KINDS[entry.kind]} that is no part of the skill)")
    screen.note(f"then {resolves(name, deletion.then)}")
