"""This library's own folder in a root, and the rooms in it.

Each is opened without following a link, each time anew, and made where it is not there. `staging` holds what is on its
way into sight, and single files on their way out of it; `retired` holds folders on their way out; under names that say
what they should be (see `domain.leftover`). `kept` holds what was a person's after all. Lock files are never removed.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from attrs import define, field, frozen

from kestrel_skills_core.domain.errors import Busy, StoreFailed
from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.domain.leftover import FolderName, PartName
from kestrel_skills_core.domain.names import INTERNAL, SkillName
from kestrel_skills_core.ports.world import Cancelled, Chance

from .removing import remove
from .syscalls import Syscalls

__all__ = ["KEPT", "LOCKS", "MOST", "RETIRED", "STAGING", "Rooms", "Staged", "listed", "own_folder"]

LOCKS: Final = "locks"
STAGING: Final = "staging"
RETIRED: Final = "retired"
KEPT: Final = "kept"

_STORE_LOCK: Final = "store.lock"
_TOKEN: Final = 32
_NO_FILE: Final = frozenset({errno.ELOOP, errno.EISDIR, errno.ENOTDIR, errno.ENXIO})
MOST: Final = 1_000_000
"""Entries of one room. Only this library puts any there, a few for each mutation that was cut short."""


@contextmanager
def own_folder(calls: Syscalls, name: str, at: int) -> Iterator[int]:
    """Hold one of this library's own folders open. Where it is not there, it is made, and is on the disk."""
    try:
        fd = calls.open(name, at)
    except FileNotFoundError:
        _make(calls, name, at)
        fd = calls.open(name, at)
    try:
        yield fd
    finally:
        calls.close(fd)


def _make(calls: Syscalls, name: str, at: int) -> None:
    with suppress(FileExistsError):
        calls.make_folder(name, at)
    try:
        calls.sync(at)
    except OSError:
        with suppress(OSError):  # so that nobody relies on it; unless another does already
            calls.remove_folder(name, at)
        raise


def listed(calls: Syscalls, name: str, at: int) -> list[tuple[str, Kind]]:
    """What is in one of this library's own folders, in order; nothing where it is not there."""
    try:
        with calls.folder(name, at) as fd:
            return sorted(calls.listed(fd, MOST))
    except FileNotFoundError:
        return []


@frozen(eq=False)
class Rooms:
    """The rooms of one open root, for as long as `held` holds them."""

    calls: Syscalls
    root: int
    chance: Chance
    held: ExitStack
    internal: int = field(init=False)
    _open: dict[str, int] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "internal", self.held.enter_context(own_folder(self.calls, INTERNAL, self.root)))

    def __getitem__(self, room: str) -> int:
        """One room, open from when it is first asked for."""
        if room not in self._open:
            self._open[room] = self.held.enter_context(own_folder(self.calls, room, self.internal))
        return self._open[room]

    def listed(self, room: str) -> list[tuple[str, Kind]]:
        """What is in one room; nothing where the room is not there."""
        return listed(self.calls, room, self.internal)

    def token(self) -> str:
        """A name that nobody else has."""
        return self.chance.token()[-_TOKEN:]

    def share(self, patience: float, cancelled: Cancelled) -> None:
        """Hold the store, as every mutation does, so that none is swept away."""
        self._lock(_STORE_LOCK, "the skills folder", patience, cancelled, shared=True)

    def seize(self) -> None:
        """Hold the store alone, at once or not at all."""
        self._lock(_STORE_LOCK, "the skills folder", 0, lambda: False)

    def claim(self, name: SkillName, patience: float, cancelled: Cancelled) -> None:
        """Hold one name alone."""
        self._lock(f"name-{name}.lock", f"the skill `{name}`", patience, cancelled)

    @contextmanager
    def staged(self) -> Iterator[Staged]:
        """Something new in `staging`; if it does not come into sight, it is removed, or left to the next sweep."""
        staged = Staged(self, self.token())
        try:
            yield staged
        except BaseException:
            with suppress(OSError):
                staged.drop()
            raise

    def sync(self, *folders: int) -> None:
        """Wait until the names in each of these folders are on the disk."""
        for folder in folders:
            self.calls.sync(folder)

    def _lock(self, file: str, what: str, patience: float, cancelled: Cancelled, *, shared: bool = False) -> None:
        lock = self.calls.locked(file, self[LOCKS], patience, shared=shared, cancelled=cancelled)
        try:
            self.held.enter_context(lock)
        except BlockingIOError:
            raise Busy(what) from None
        except OSError as error:
            raise _unlocked(file, error) from None


def _unlocked(file: str, error: OSError) -> StoreFailed | OSError:
    """Why a lock file cannot be opened; what has nothing to do with that file is left to be told as ever."""
    place = f"{INTERNAL}/{LOCKS}/{file}"
    if error.errno in _NO_FILE:
        why = f"a link, a folder or something else stands where the file `{place}` should"
        return StoreFailed("lock", why, "look at it, and move it away by hand")
    if isinstance(error, PermissionError):
        return StoreFailed("lock", "permission is denied", f"give the agent's user permission to write to `{place}`")
    return error


@define
class Staged:
    """Something new in `staging`: unfinished first, and then finished.

    Whatever comes into sight may be changed there by a person, and a power cut may yet take it back to where it was.
    So the name under which it leaves `staging` says what was in it, and is on the disk before that.
    """

    rooms: Rooms
    token: str
    _finished: str | None = field(default=None, init=False)

    def finish(self, name: PartName | FolderName) -> str:
        """All that it is to be is in it, and on the disk; gives its name from now on."""
        self._rename(self.token, str(name))
        self._finished = str(name)
        self.rooms.sync(self.rooms[STAGING])
        return self._finished

    def drop(self) -> None:
        """Remove it, unless it has moved into sight; as long as that takes, it is unfinished again."""
        if self._finished is not None:
            self._rename(self._finished, self.token)
            self.rooms.sync(self.rooms[STAGING])
        remove(self.rooms.calls, self.token, self.rooms[STAGING])

    def _rename(self, name: str, new: str) -> None:
        staging = self.rooms[STAGING]
        self.rooms.calls.rename(name, staging, new, staging)
