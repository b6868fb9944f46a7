"""What is a person's and met one of our moves: kept where nothing is purged, until a person says what to do."""

from __future__ import annotations

import errno
from contextlib import ExitStack, closing, suppress
from typing import Final

from attrs import evolve

from kestrel_skills_core.domain.errors import KeptAbsent, SkillAbsent, SkillExists, StaleRevision
from kestrel_skills_core.domain.kept import KeptListing, listing_of
from kestrel_skills_core.domain.leftover import FolderName, KeptName
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import INTERNAL, SkillName
from kestrel_skills_core.ports.store import Kept

from .failures import doubted
from .listing import walked
from .removing import remove
from .rooms import KEPT, STAGING, Rooms, listed
from .syscalls import Syscalls

__all__ = ["discard", "keep", "kept", "kept_as", "look", "piece", "put_back", "restore"]

_ABSENT: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def keep(rooms: Rooms, entry: str, at: int, name: SkillName) -> str:
    """Move what is a person's out of harm's way; the token that it is kept under."""
    place = KeptName(rooms.token(), name)
    rooms.calls.move(entry, at, str(place), rooms[KEPT])
    return place.token


def put_back(rooms: Rooms, room: str, entry: FolderName) -> str | None:
    """Bring a folder into sight that is not as it was seen; the token it is kept under if its name is taken."""
    kept = None
    try:
        rooms.calls.move(str(entry), rooms[room], entry.name, rooms.root)
    except FileExistsError:
        kept = keep(rooms, str(entry), rooms[room], entry.name)
        rooms.sync(rooms[KEPT])
    rooms.sync(rooms.root, rooms[room])
    return kept


def kept(calls: Syscalls, root: int) -> tuple[Kept, ...]:
    """All that is kept below an open root.

    Raises:
        OSError: It cannot be listed.
    """
    with suppress(FileNotFoundError), calls.folder(INTERNAL, root) as internal:
        named = [(KeptName.parse(entry), kind) for entry, kind in listed(calls, KEPT, internal)]
        return tuple(Kept(token=name.token, name=name.name, kind=kind) for name, kind in named if name is not None)
    return ()


def kept_as(calls: Syscalls, root: int, token: str) -> Kept:
    """What is kept under a token.

    Raises:
        KeptAbsent: Nothing is.
    """
    for each in kept(calls, root):
        if each.token == token:
            return each
    raise KeptAbsent(token)


def look(calls: Syscalls, entry: Kept, at: int) -> KeptListing:
    """All of what is kept, in the open folder in which it is kept."""
    with closing(walked(calls, str(KeptName(entry.token, entry.name)), at, entry.kind)) as found:
        return listing_of(entry.token, entry.name, found)


def piece(calls: Syscalls, entry: Kept, at: int, path: str, start: int) -> bytes:
    """So many bytes of a file of what is kept, in the open folder in which it is kept.

    Raises:
        SkillAbsent: There is no regular file of that path.
        OSError: It cannot be read.
    """
    parts = [] if path == "." else path.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        raise SkillAbsent(entry.name, path)
    *folders, file = [str(KeptName(entry.token, entry.name)), *parts]
    try:
        with ExitStack() as held:
            for folder in folders:
                at = held.enter_context(calls.folder(folder, at))
            content = calls.piece(file, at, start, LIMITS.piece_bytes)
    except OSError as error:
        if error.errno not in _ABSENT:
            raise
        content = None
    if content is None:
        raise SkillAbsent(entry.name, path)
    return content


def restore(rooms: Rooms, entry: Kept) -> None:
    """Bring a kept folder back into sight.

    Raises:
        KeptAbsent: It was taken meanwhile.
        SkillExists: Its name is taken.
    """
    try:
        rooms.calls.move(str(KeptName(entry.token, entry.name)), rooms[KEPT], entry.name, rooms.root)
    except FileExistsError:
        raise SkillExists(entry.name) from None
    except FileNotFoundError:
        raise KeptAbsent(entry.token) from None
    with doubted(entry.name):
        rooms.sync(rooms.root, rooms[KEPT])


def discard(rooms: Rooms, entry: Kept, seen: KeptListing) -> None:
    """Move what is kept to where everything is removed, and remove it, or leave that to the next sweep.

    It is looked at under a name that nobody has seen, so that nobody can put anything into it by the name that they
    know; and it is kept there, whatever happens, until it was seen to be what a person let go of.

    Raises:
        KeptAbsent: It was taken meanwhile.
        NotEditable, StoreFailed: It holds something that may not go, or could not be looked at, and is kept.
        StaleRevision: It is not what was seen.
    """
    kept, aside = rooms[KEPT], evolve(entry, token=rooms.token())
    place, hidden = str(KeptName(entry.token, entry.name)), str(KeptName(aside.token, aside.name))
    try:
        rooms.calls.move(place, kept, hidden, kept)
    except FileNotFoundError:
        raise KeptAbsent(entry.token) from None
    with doubted(entry.name):
        found = evolve(look(rooms.calls, aside, kept), token=entry.token)
        if found != seen:
            rooms.calls.move(hidden, kept, place, kept)
            rooms.sync(kept)
            found.refuse_unseen()
            raise StaleRevision(entry.name, None, None, entry.token)
        rooms.calls.move(hidden, kept, aside.token, rooms[STAGING])
        rooms.sync(rooms[KEPT], rooms[STAGING])
    with suppress(OSError):
        remove(rooms.calls, aside.token, rooms[STAGING])
