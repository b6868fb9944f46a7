"""Whose a root is, in this library's own folder: see `domain.owner` for what is in the file."""

from __future__ import annotations

from kestrel_skills_core.domain.names import INTERNAL
from kestrel_skills_core.domain.owner import OWNER, OWNER_BYTES, Owner, parse_owner, render_owner

from .rooms import STAGING, Rooms
from .syscalls import Syscalls
from .writing import write

__all__ = ["claim", "owner"]


def claim(rooms: Rooms, owner: Owner) -> None:
    """Write whose it is, whole and on the disk, over what is said there; of two who do, the later one's stands."""
    with rooms.staged() as staged:
        write(rooms.calls, staged.token, rooms[STAGING], render_owner(owner))
        rooms.calls.rename(staged.token, rooms[STAGING], OWNER, rooms.internal)
    rooms.sync(rooms.internal, rooms[STAGING])


def owner(calls: Syscalls, root: int) -> Owner | None:
    """Whose it is said to be.

    Raises:
        OSError: Nothing is said, or it cannot be read.
    """
    with calls.folder(INTERNAL, root) as internal:
        content, _ = calls.read(OWNER, internal, OWNER_BYTES)
    return None if content is None else parse_owner(content)
