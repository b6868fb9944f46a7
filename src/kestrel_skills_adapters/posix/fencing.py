"""Fail-closed marks in this library's own folder: see `domain.fence` for their names and what is in them."""

from __future__ import annotations

from contextlib import suppress

from kestrel_skills_core.domain.fence import FENCE_BYTES, Fence, fence_file, fenced_name, parse_fence, render_fence
from kestrel_skills_core.domain.names import INTERNAL, SkillName

from .failures import doubted
from .rooms import MOST, STAGING, Rooms
from .syscalls import Syscalls
from .writing import write

__all__ = ["fence", "fences", "unfence"]


def fence(rooms: Rooms, name: SkillName, mark: Fence) -> None:
    """Write a mark, whole and on the disk, over the one that is there."""
    with rooms.staged() as staged:
        write(rooms.calls, staged.token, rooms[STAGING], render_fence(name, mark))
        rooms.calls.rename(staged.token, rooms[STAGING], fence_file(name), rooms.internal)
    with doubted(name):
        rooms.sync(rooms.internal, rooms[STAGING])


def unfence(calls: Syscalls, root: int, name: SkillName) -> None:
    """Take a mark away. That it is gone is waited for even if it was not there: who took it may not have waited."""
    with suppress(FileNotFoundError), calls.folder(INTERNAL, root) as internal:
        with suppress(FileNotFoundError):
            calls.unlink(fence_file(name), internal)
        with doubted(name):
            calls.sync(internal)


def fences(calls: Syscalls, root: int) -> dict[SkillName, Fence]:
    """Every mark, in order of the names.

    Raises:
        OSError: They cannot be listed.
    """
    try:
        internal = calls.open(INTERNAL, root)
    except FileNotFoundError:
        return {}
    try:
        entries = sorted(entry for entry, _ in calls.listed(internal, MOST))
        return {name: _read(calls, entry, internal) for entry in entries if (name := fenced_name(entry)) is not None}
    finally:
        calls.close(internal)


def _read(calls: Syscalls, entry: str, at: int) -> Fence:
    content = None
    with suppress(OSError):  # that it is there is enough
        content, _ = calls.read(entry, at, FENCE_BYTES)
    return parse_fence(content)
