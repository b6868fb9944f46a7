"""`kept`: what people wrote that met one of our changes; look at it, take it back, or let go of it."""

from __future__ import annotations

import os

import click

from kestrel_skills_core.domain.kept import KeptEntry, KeptListing
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.text import counted, escaped

from ..changes import asked
from ..copying import copied
from ..failures import DONE, FAILED, FOUND, Misuse
from ..invocation import OUTPUT, WHERE, Invocation, accepts, of
from ..screen import Screen
from ..session import Session

__all__ = ["command"]


@click.command("kept", short_help="Take care of what people wrote that met a change.")
@accepts(*WHERE, *OUTPUT)
@click.argument("token", required=False)
@click.option("--into", metavar="DIR", help="Copy what is kept into a new folder.")
@click.option("--restore", is_flag=True, help="Bring a kept folder back under its own name, if that is free.")
@click.option("--discard", is_flag=True, help="Remove it for ever, after showing what goes.")
@click.option("--yes", is_flag=True, help="Discard it unasked.")
@click.pass_context
def command(
    context: click.Context,
    token: str | None,
    into: str | None,
    restore: bool,  # noqa: FBT001  # click's signature
    discard: bool,  # noqa: FBT001
    yes: bool,  # noqa: FBT001
) -> int:
    """List, or take care of, what is kept of a person's.

    Where somebody wrote a file at the very moment in which it was changed here, their bytes are kept and never removed
    by themselves. Without TOKEN they are listed; with it they are shown: a file to the byte, of a folder all that is
    in it.
    """
    invocation = of(context)
    wishes = sum((into is not None, restore, discard))
    if wishes > 1 or (wishes and token is None):
        raise Misuse("--into, --restore and --discard exclude each other, and need a TOKEN", "give one of each")
    if yes and not discard:
        raise Misuse("--yes says that --discard need not ask", "give both, or neither")
    session = invocation.session()
    if token is None:
        return _list(invocation, session)
    if restore:
        name = session.restore(token)
        return _tell(invocation, {"token": token, "restored": name}, f"{name} is back")
    listing = session.kept_listing(token)
    if into is not None:
        return _copy(invocation, session, listing, into)
    if discard:
        return _discard(invocation, session, listing, unasked=yes)
    return _show(invocation, session, listing)


def _list(invocation: Invocation, session: Session) -> int:
    screen, kept = invocation.screen(), session.kept()
    if invocation.json:
        screen.members({"kept": [{"token": each.token, "name": each.name, "kind": each.kind} for each in kept]})
        return DONE
    screen.rows(("token", "kind", "name"), [(each.token, each.kind, each.name) for each in kept], [""] * len(kept))
    if not kept:
        screen.note("nothing is kept")
    return DONE


def _show(invocation: Invocation, session: Session, listing: KeptListing) -> int:
    """The bytes of one file, which on a terminal must be a few; of anything else, what is there."""
    screen, first = invocation.screen(), listing.entries[0]
    is_long = screen.is_terminal and first.size > LIMITS.piece_bytes
    if invocation.json:
        screen.members({"entries": [*map(_members, listing.entries)], "whole": not listing.unseen})
    elif listing.kind == "file" and not first.unseen and not is_long:
        for piece in session.kept_pieces(listing.token, first.path):
            screen.text(piece)
    else:
        for entry in listing.entries:
            if listing.kind != "folder" or entry.path != ".":
                screen.line(_line(entry))
    return _unseen(screen, listing)


def _unseen(screen: Screen, listing: KeptListing) -> int:
    """Say what could not be looked at; gives the exit code."""
    for entry in listing.unseen:
        screen.note(f"not seen whole: {entry.path}: {entry.unseen}")
    return FAILED if listing.unseen else DONE


def _line(entry: KeptEntry) -> str:
    if entry.kind == "file":
        return f"{entry.path} ({counted(entry.size, 'byte')})"
    what = {"folder": "a folder", "link": "a link, not followed"}.get(entry.kind, "neither a file nor a folder")
    return f"{entry.path} ({what})"


def _members(entry: KeptEntry) -> dict[str, object]:
    members: dict[str, object] = {"path": escaped(entry.path), "kind": entry.kind, "size": entry.size}
    return members | ({"unseen": entry.unseen} if entry.unseen else {})


def _copy(invocation: Invocation, session: Session, listing: KeptListing, into: str) -> int:
    """Copy all that can be copied, and say what is not."""
    screen, files, left = invocation.screen(), 0, []
    try:
        os.mkdir(into)
    except OSError as error:
        why = os.strerror(error.errno or 0).lower()
        raise Misuse(
            f"{click.format_filename(into)} cannot be written: {why}", "name a new folder, in one that you can write"
        ) from None
    for entry, why in copied(session, listing, into):
        if why:
            left.append({"path": escaped(entry.path), "why": why})
            screen.note(f"not copied whole: {entry.path}: {why}")
        elif entry.kind == "file":
            files += 1
    told = counted(files, "file is", "files are")
    _tell(invocation, {"into": into, "files": files, "left": left}, f"{told} in {into}")
    return FAILED if left else DONE


def _discard(invocation: Invocation, session: Session, listing: KeptListing, *, unasked: bool) -> int:
    """Show what goes, and ask; what could not be seen whole is refused before that."""
    listing.refuse_unseen()
    if not unasked:
        screen = invocation.screen()
        screen.note(f"{listing.token}, a {listing.kind} of {listing.name}:")
        for entry in listing.entries:
            screen.note(f"  {_line(entry)}")
        if not asked(f"discard {listing.token} for ever?"):
            again = invocation.command("kept", listing.token, discard=True, yes=True)
            screen.note(f"nothing was discarded; unasked: `{again}`")
            return FOUND
    session.discard(listing.token, listing)
    return _tell(invocation, {"token": listing.token, "discarded": True}, f"{listing.token} is gone for ever")


def _tell(invocation: Invocation, members: dict[str, object], line: str) -> int:
    if invocation.json:
        invocation.screen().members(members)
    else:
        invocation.screen().line(line)
    return DONE
