"""`verify`: whether what was installed or adapted is still what it was then, file by file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.names import Address, SourceId, parse_address
from kestrel_skills_core.domain.verify import Verification
from kestrel_skills_core.service.observed import Observed

from ...records import Members, verification_members
from ..catalog import note_problems, worst
from ..changes import problem
from ..completion import addresses
from ..failures import DONE, FOUND
from ..invocation import OUTPUT, WHERE, Invocation, accepts, of
from ..screen import Screen
from ..session import Session

__all__ = ["command"]


@click.command("verify", short_help="Tell what was edited since it was installed.")
@accepts(*WHERE, *OUTPUT)
@click.argument("name", metavar="[NAME[@SOURCE]]", required=False, shell_complete=addresses)
@click.pass_context
def command(context: click.Context, name: str | None) -> int:
    """Compare a skill with the record that was made when it was installed or adapted; without NAME, each that has one.

    Not a proof, since the record lies in the folder that it speaks of. The exit code is 1 where anything was edited, a
    record cannot be read, or nothing was recorded of the skill that was named.
    """
    invocation = of(context)
    session = invocation.session()
    if name is None:
        return _all(invocation, session)
    address = parse_address(name)
    verification = session.verify(address)
    if invocation.json:
        invocation.screen().members({"name": address.name, **verification_members(verification)})
    else:
        _show(invocation.screen(), address.name, verification)
    return DONE if verification.intact else FOUND


def _all(invocation: Invocation, session: Session) -> int:
    screen, observed = invocation.screen(), session.observe()
    found: dict[Address, Verification] = {}
    unread: list[SkillError] = []
    for address in _own(observed):
        try:
            verification = session.verify(address)
        except SkillError as error:
            unread.append(error)
            continue
        if verification.provenance is not None or verification.unread is not None:
            found[address] = verification
    if invocation.json:
        screen.members({"skills": [_members(address, each) for address, each in found.items()]})
    else:
        rows = [(str(address), each.verdict) for address, each in found.items()]
        screen.rows(("name", "verdict"), rows, [""] * len(rows))
        if not found:
            screen.note("no skill here has a record of where it came from")
    for address, each in found.items():
        if each.unread is not None:
            screen.note(f"{address}/{each.unread}; fix: {each.unread.fix}")
    note_problems(screen, session, observed)
    failed = max((problem(screen, error) for error in unread), default=worst(observed))
    is_well = all(each.intact is not False and each.unread is None for each in found.values())
    return failed or (DONE if is_well else FOUND)


def _own(observed: Observed) -> Iterator[Address]:
    """Every folder of the agent's own root that can be named, in the order of a listing."""
    for found in observed.catalog.everything:
        if found.name is not None and found.source is not SourceId.HOST_SHARED:
            yield Address(found.name, found.source)


def _members(address: Address, verification: Verification) -> Members:
    return {"name": address.name, "source": address.source, **verification_members(verification)}


def _show(screen: Screen, name: str, verification: Verification) -> None:
    screen.line(f"{name}: {verification.verdict}")
    for line in _lines(verification):
        screen.line(f"  {line}")
    if verification.unread is not None:
        screen.note(f"{verification.unread}; fix: {verification.unread.fix}")
    if verification.intact is False and verification.differences is None:
        screen.note("which files differ was not recorded")


def _lines(verification: Verification) -> Iterator[str]:
    for difference in verification.differences or ():
        yield f"{_WORDS[difference.what]} {difference.path}"
    record = verification.record
    if record is None:
        return
    if verification.adaptation is not None:
        yield _STATES[verification.adaptation]
        yield from (f"  {line}" for line in record.changes)
        yield "its head was:"
        yield from (f"  {line}" for line in record.frontmatter.splitlines())
    yield from record.omitted


_WORDS: Final = {"added": "added", "changed": "changed", "removed": "removed", "mode": "executable or not:"}
_STATES: Final = {
    "made": "adapted, which `adapt --undo` undoes:",
    "undone": "not adapted, which `adapt` does:",
    "edited": "adapted, and SKILL.md edited since:",
}
