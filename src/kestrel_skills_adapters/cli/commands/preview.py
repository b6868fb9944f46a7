"""`preview`: see a skill as it would land, or which skills a repository has; nothing lands."""

from __future__ import annotations

from typing import Final

import click

from kestrel_skills_core.domain.commands import Preview
from kestrel_skills_core.domain.offer import Repository
from kestrel_skills_core.domain.text import counted
from kestrel_skills_core.domain.whereabouts import spelt
from kestrel_skills_core.service.installer import Stock

from ...records import Shown, installation_members, stock_members
from ..failures import DONE, FOUND, MOVED
from ..invocation import BUDGET, OUTPUT, WHERE, Invocation, accepts, of
from ..offers import ADAPT, CALLED, NAME, REF, SOURCE, install_command, show, source_of

__all__ = ["command"]

_FORMS: Final = {"nothing": "ready", "adapting": "--adapt", "a name": "--adapt --as", "mending": "refused"}
"""What it takes to install a skill, in words."""


@click.command("preview", short_help="See a skill before it is installed.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@SOURCE
@NAME
@REF
@CALLED
@ADAPT
@click.pass_context
def command(  # click's signature
    context: click.Context,
    source: str,
    name: str,
    ref: str | None,
    called: str,
    adapt: bool,  # noqa: FBT001  # click's signature
) -> int:
    """See a skill of a git repository, a folder or an archive as it would land here; nothing is installed.

    Of a repository, NAME is a skill's name, or the path of its folder; without it, the skills are listed. Of a folder
    or archive, which is one skill, NAME is what it shall be called, as --as says of any. The last line is the command
    that installs exactly what was shown. The exit code is what that of an install would be: 1 where the skill is
    refused as it is, 3 where its name is taken.
    """
    invocation = of(context)
    place = source_of(source, ref)
    session = invocation.session()
    screen = invocation.screen()
    if isinstance(place, Repository) and not name:
        return _list(invocation, session.skills(place), source)
    asked = Preview(source=place, name=name, called=called, adapt=adapt)
    installation = session.preview(asked)
    offer = installation.offer
    line = None
    if offer.tree is not None and installation.taken is None:
        line = install_command(invocation, offer, source, asked)
    if invocation.json:
        shown = Shown(session.library.agent, ())
        screen.members({**installation_members(installation, shown), "install": line})
    else:
        show(screen, installation, line)
    for problem in installation.problems:
        screen.note(f"note: {problem}")
    if offer.tree is None:
        return FOUND
    return DONE if installation.taken is None else MOVED


def _list(invocation: Invocation, stock: Stock, source: str) -> int:
    screen = invocation.screen()
    if invocation.json:
        screen.members(stock_members(stock))
        return DONE
    rows = [(spelt(each.folder), _FORMS[each.needs], each.description or each.name) for each in stock.skills]
    screen.rows(("folder", "form", "description"), rows, [""] * len(rows))
    found = f"{counted(len(rows), 'skill')} at commit {stock.commit}"
    screen.note(f"{found}; `{invocation.command('preview', source, 'NAME')}` shows one" if rows else found)
    return DONE
