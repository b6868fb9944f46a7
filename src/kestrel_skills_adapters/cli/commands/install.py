"""`install`: bring a skill in, off."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.commands import Install
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.names import Revision
from kestrel_skills_core.domain.offer import Repository

from ..changes import begin, digest_given, refusal, resolves, short, shown
from ..failures import DONE, Misuse
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..offers import ADAPT, CALLED, NAME, REF, SOURCE, changes, source_of

__all__ = ["command"]


@click.command("install", short_help="Bring a skill in, off.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@SOURCE
@NAME
@REF
@CALLED
@click.option("--digest", metavar="DIGEST", callback=digest_given, help="Only if exactly this, as shown, would land.")
@ADAPT
@click.pass_context
def command(  # noqa: PLR0913, PLR0917  # click's signature
    context: click.Context,
    source: str,
    name: str,
    ref: str | None,
    called: str,
    digest: Revision | None,
    adapt: bool,  # noqa: FBT001  # click's signature
) -> int:
    """Bring a skill of a git repository, a folder or an archive in, with a record of where it came from. It is off.

    A name that is taken is refused, and nothing is written over. With --ref COMMIT and --digest, as `preview` prints
    them, exactly what was shown lands, or nothing.
    """
    invocation = of(context)
    place = source_of(source, ref)
    if isinstance(place, Repository) and not name:
        raise Misuse("no skill is named", f"`{invocation.command('preview', source)}` lists those that are there")
    screen, session = invocation.screen(), invocation.session(found=True)
    begin(session, invocation)
    try:
        installed = session.install(Install(source=place, name=name, called=called, adapt=adapt, digest=digest))
    except SkillError as error:
        return refusal(invocation, error)
    found, adaptation = installed.found, installed.offer.adaptation
    if invocation.json:
        screen.members(shown(session, found))
        return DONE
    commit = installed.offer.origin.commit
    of_commit = "" if commit is None else f" of commit {commit}"
    screen.line(f"{found.name} is installed, off; revision {short(found.revision)}{of_commit}")
    for line in () if adaptation is None else changes(adaptation):
        screen.line("  ", *line)
    if installed.then is not None and installed.then.source is not found.source:
        screen.note(f"note: {resolves(found.name, installed.then)}, and comes first")
    return DONE
