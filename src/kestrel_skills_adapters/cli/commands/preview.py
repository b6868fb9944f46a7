"""`preview`: see a skill as it would land, or which skills a repository has; nothing lands."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.commands import Preview
from kestrel_skills_core.domain.offer import Repository
from kestrel_skills_core.domain.text import counted
from kestrel_skills_core.service.installer import Stock

from ...records import Shown, installation_members, stock_members
from ..failures import DONE, FOUND
from ..invocation import BUDGET, OUTPUT, WHERE, Invocation, accepts, of
from ..offers import ADAPT, NAME, REF, SOURCE, install_command, show, source_of

__all__ = ["command"]


@click.command("preview", short_help="See a skill before it is installed.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@SOURCE
@NAME
@REF
@ADAPT
@click.pass_context
def command(context: click.Context, source: str, name: str, ref: str | None, adapt: bool) -> int:  # noqa: FBT001  # click's signature
    """See a skill of a git repository, a folder or an archive as it would land here; nothing is installed.

    Of a repository, NAME is a skill's name, or the path of its folder; without it, the skills are listed. Of a folder
    or archive, which is one skill, NAME is what it shall be called. The last line is the command that installs exactly
    what was shown. The exit code is 1 where the skill would be refused as it is.
    """
    invocation = of(context)
    place = source_of(source, ref)
    session = invocation.session()
    screen = invocation.screen()
    if isinstance(place, Repository) and not name:
        return _list(invocation, session.skills(place), source)
    installation = session.preview(Preview(source=place, name=name, adapt=adapt))
    offer = installation.offer
    line = None
    if offer.tree is not None and installation.taken is None:
        line = install_command(invocation, offer, source, name, adapt=adapt)
    if invocation.json:
        shown = Shown(session.library.agent, ())
        screen.members({**installation_members(installation, shown), "install": line})
    else:
        show(screen, installation, line)
    for problem in installation.problems:
        screen.note(f"note: {problem}")
    return FOUND if offer.tree is None else DONE


def _list(invocation: Invocation, stock: Stock, source: str) -> int:
    screen = invocation.screen()
    if invocation.json:
        screen.members(stock_members(stock))
        return DONE
    rows = [
        (each.folder or ".", "ready" if each.is_ready else "--adapt", each.description or each.name)
        for each in stock.skills
    ]
    screen.rows(("folder", "form", "description"), rows, [""] * len(rows))
    found = f"{counted(len(rows), 'skill')} at commit {stock.commit}"
    screen.note(f"{found}; `{invocation.command('preview', source, 'NAME')}` shows one" if rows else found)
    return DONE
