"""Fail-closed marks in this library's own folder: see `domain.fence` for their names and what is in them.

A mark is looked at and replaced, or looked at and taken away, under the lock of the marks of its name, which is held
for no longer. It is not the lock of the name: marks go on beside whoever is stopped while changing the skill.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from kestrel_skills_core.domain.errors import Busy
from kestrel_skills_core.domain.fence import (
    FENCE_BYTES,
    Fence,
    fence_file,
    fenced_name,
    parse_fence,
    render_fence,
    unread_fence,
)
from kestrel_skills_core.domain.names import INTERNAL, SkillName
from kestrel_skills_core.ports.world import Cancelled

from .failures import doubted
from .rooms import LOCKS, MOST, STAGING, Rooms, own_folder
from .syscalls import Syscalls
from .writing import write

__all__ = ["fence", "fences", "unfence"]


def fence(
    rooms: Rooms, name: SkillName, mark: Fence, *, patience: float, cancelled: Cancelled
) -> tuple[Fence, Fence | None]:
    """Write a mark, whole and on the disk, over the one that is there; gives both."""
    calls, internal = rooms.calls, rooms.internal
    with rooms.staged() as staged:
        content = render_fence(name, mark, staged.token)
        write(calls, staged.token, rooms[STAGING], content)
        with _alone(calls, name, rooms[LOCKS], patience, cancelled):
            over = _found(calls, name, internal)
            calls.rename(staged.token, rooms[STAGING], fence_file(name), internal)
    with doubted(name):
        rooms.sync(internal, rooms[STAGING])
    return parse_fence(content), over


def unfence(calls: Syscalls, root: int, name: SkillName, seen: Fence, *, patience: float, cancelled: Cancelled) -> None:
    """Take a mark away. That it is gone is waited for even if it was not there: who took it may not have waited."""
    with ExitStack() as held:
        try:
            internal = held.enter_context(calls.folder(INTERNAL, root))
        except FileNotFoundError:
            return
        locks = held.enter_context(own_folder(calls, LOCKS, internal))
        with _alone(calls, name, locks, patience, cancelled):
            if _stands(calls, name, internal, seen):
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
        names = filter(None, (fenced_name(entry) for entry, _ in calls.listed(internal, MOST)))
        found = {name: _found(calls, name, internal) for name in sorted(names)}
        return {name: mark for name, mark in found.items() if mark is not None}
    finally:
        calls.close(internal)


@contextmanager
def _alone(calls: Syscalls, name: SkillName, locks: int, patience: float, cancelled: Cancelled) -> Iterator[None]:
    """Hold the marks of one name, which whoever fences or unfences it does."""
    with ExitStack() as held:
        try:
            held.enter_context(calls.locked(f"mark-{name}.lock", locks, patience, cancelled=cancelled))
        except BlockingIOError:
            raise Busy(f"the mark of `{name}`") from None
        yield


def _found(calls: Syscalls, name: SkillName, at: int) -> Fence | None:
    """The mark of a name; nothing where there is none. One that cannot be read is one all the same."""
    try:
        return _read(calls, name, at)
    except FileNotFoundError:
        return None
    except OSError:
        return _unread(calls, name, at)


def _stands(calls: Syscalls, name: SkillName, at: int, seen: Fence) -> bool:
    """Whether the mark of a name is the one that was seen.

    Raises:
        OSError: It could be read then, and cannot be now.
    """
    if seen.is_same(_unread(calls, name, at)):
        return True
    try:
        return seen.is_same(_read(calls, name, at))
    except FileNotFoundError:
        return False


def _read(calls: Syscalls, name: SkillName, at: int) -> Fence:
    content, _ = calls.read(fence_file(name), at, FENCE_BYTES)
    return parse_fence(content) if content is not None else _unread(calls, name, at)


def _unread(calls: Syscalls, name: SkillName, at: int) -> Fence:
    """A mark as one knows it without reading it, which no other file is like."""
    try:
        found = calls.stat(fence_file(name), at)
    except OSError:
        return unread_fence("")
    return unread_fence(f"{found.st_ino} {found.st_ctime_ns}")
