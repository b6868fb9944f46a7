"""What is a person's and met one of our moves: kept where nothing is purged, until a person says what to do."""

from __future__ import annotations

from contextlib import suppress

from kestrel_skills_core.domain.errors import KeptAbsent, SkillExists
from kestrel_skills_core.domain.leftover import FolderName, KeptName
from kestrel_skills_core.domain.names import INTERNAL, SkillName
from kestrel_skills_core.ports.store import Kept

from .failures import doubted
from .removing import remove
from .rooms import KEPT, STAGING, Rooms, listed
from .syscalls import Syscalls

__all__ = ["discard", "keep", "kept", "kept_as", "put_back", "restore"]


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
        return tuple(
            Kept(token=name.token, name=name.name, kind="folder" if kind == "folder" else "file")
            for name, kind in named
            if name is not None
        )
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


def discard(rooms: Rooms, entry: Kept) -> None:
    """Move what is kept to where everything is removed, and remove it, or leave that to the next sweep.

    Raises:
        KeptAbsent: It was taken meanwhile.
    """
    discarded = rooms.token()
    try:
        rooms.calls.move(str(KeptName(entry.token, entry.name)), rooms[KEPT], discarded, rooms[STAGING])
    except FileNotFoundError:
        raise KeptAbsent(entry.token) from None
    with doubted(entry.name):
        rooms.sync(rooms[KEPT], rooms[STAGING])
    with suppress(OSError):
        remove(rooms.calls, discarded, rooms[STAGING])
