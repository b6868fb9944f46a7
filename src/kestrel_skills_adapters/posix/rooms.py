"""This library's own folder in a root, and the rooms in it.

Each is opened without following a link, each time anew, and made where it is not there. What is in `staging` is this
library's own and nothing else; `exchange` and `retired` hold what a move brought out of sight, under names that say
what it should be (see `domain.leftover`); `kept` holds what was a person's after all. Lock files are never removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from attrs import field, frozen

from kestrel_skills_core.domain.errors import Busy
from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.domain.names import INTERNAL, SkillName
from kestrel_skills_core.ports.world import Cancelled, Chance

from .removing import remove
from .syscalls import Syscalls

__all__ = ["EXCHANGE", "KEPT", "LOCKS", "MOST", "RETIRED", "STAGING", "Rooms", "listed", "own_folder"]

LOCKS: Final = "locks"
STAGING: Final = "staging"
EXCHANGE: Final = "exchange"
RETIRED: Final = "retired"
KEPT: Final = "kept"

_STORE_LOCK: Final = "store.lock"
_TOKEN: Final = 32
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
    def staged(self) -> Iterator[str]:
        """A name in `staging`; what has it when all did not go well is removed, or left to the next sweep."""
        token = self.token()
        try:
            yield token
        except BaseException:
            with suppress(OSError):
                remove(self.calls, token, self[STAGING])
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
