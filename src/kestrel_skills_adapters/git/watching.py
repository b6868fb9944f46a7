"""A transfer runs in a thread of its own, and who asked for it watches the clock and may leave at any moment.

So what talks to a server is plain code that waits: whatever it waits for, the watch ends it by shutting the connection.
Only a name that is being looked up cannot be cut short: its thread is left behind, holds no connection, and finds that
nobody waits for it when the system answers.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Generic, TypeVar

from attrs import define, field

from kestrel_skills_core.domain.errors import Abandoned, GitFailed, SkillError, TooLarge
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.ports.world import Cancelled

__all__ = ["Ended", "Progress", "Spent", "Watch", "untold", "watched"]

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Told now and then how many bytes came in during the transfer, and how many files and folders its step has met."""

_TICK: Final = 0.02
"""Seconds between two looks at the clock, and at whether whoever asked is still there."""
_LATER: Final = "try again later"
_SMALLER: Final = "use a smaller folder or repository, or a server that sends parts"


class Ended(Exception):
    """The transfer was ended from outside: what its own thread meets, and nobody hears of."""


@define(eq=False)
class Spent:
    """What one transfer has taken of what it may have, over all of its steps: since when it goes on, and its bytes."""

    began: float = field(factory=time.monotonic)
    received: int = 0


@define(eq=False)
class Watch:
    """One step of a transfer: its own thread tells it here what happens, and who watches ends it here.

    `spent` is what the whole transfer has had; `stage` is what the step is at, as in `GitFailed`; `entries` is how many
    files and folders it has met.
    """

    limits: Limits = LIMITS
    spent: Spent = field(factory=Spent)
    stage: str = "address"
    entries: int = 0
    _moved: float = field(factory=time.monotonic)
    _held: socket.socket | None = None
    _has_ended: bool = False
    _lock: threading.Lock = field(factory=threading.Lock)

    def at(self, stage: str) -> None:
        """The transfer goes on to another stage.

        Raises:
            Ended: Nobody waits for it any more.
        """
        if self._has_ended:
            raise Ended
        self.stage = stage

    def took(self, count: int) -> None:
        """So many bytes came in.

        Raises:
            Ended: Nobody waits for them any more.
            TooLarge: They are more than a transfer may have.
        """
        if self._has_ended:
            raise Ended
        self._moved = time.monotonic()
        self.spent.received += count
        if self.spent.received > self.limits.git_received_bytes:
            raise TooLarge("bytes from a git server", self.limits.git_received_bytes, fix=_SMALLER)

    def hold(self, connection: socket.socket) -> None:
        """From now on this connection is what the transfer waits for; `let_go` closes it.

        Raises:
            Ended: Nobody waits for it any more.
        """
        with self._lock:
            self._held = connection
            if self._has_ended:
                raise Ended

    def let_go(self, connection: socket.socket) -> None:
        """Close the connection: under a lock, so that an end never shuts another one that got its number since."""
        with self._lock:
            self._held = None
            connection.close()

    def end(self) -> None:
        """Whatever the transfer waits for, let it wait no longer."""
        with self._lock:
            self._has_ended = True
            if self._held is not None:
                with suppress(OSError):
                    self._held.shutdown(socket.SHUT_RDWR)

    def overdue(self) -> GitFailed | None:
        """Why the transfer has taken too long, if it has."""
        now = time.monotonic()
        if now - self.spent.began >= self.limits.git_seconds:
            return GitFailed(self.stage, f"it was not done after {self.limits.git_seconds:g} seconds", _LATER)
        if now - self._moved >= self.limits.git_idle_seconds:
            return self.stalled()
        return None

    def stalled(self) -> GitFailed:
        """Nothing came for too long."""
        return GitFailed(self.stage, f"nothing came for {self.limits.git_idle_seconds:g} seconds", _LATER)


@define(eq=False)
class _Outcome(Generic[T]):
    """What came of the work once it is done: its result, or what it raised."""

    done: threading.Event = field(factory=threading.Event)
    result: list[T] = field(factory=list)
    error: BaseException | None = None

    def of(self, work: Callable[[Watch], T], watch: Watch) -> None:
        try:
            self.result.append(work(watch))
        except BaseException as error:  # noqa: BLE001 - it is raised again where the work was asked for
            self.error = error
        finally:
            self.done.set()


def untold(received: int, entries: int) -> None:
    """Tell nobody."""


def watched(
    work: Callable[[Watch], T],
    *,
    cancelled: Cancelled,
    limits: Limits = LIMITS,
    spent: Spent | None = None,
    progress: Progress = untold,
) -> T:
    """Do the work in a thread of its own; its result, or what it raised. Progress is told in the thread of the caller.

    `spent` is what the transfer had already; a transfer of its own, if nothing is given. The last figures are told too.

    Raises:
        GitFailed: It took too long.
        Abandoned: Whoever asked has gone away.
    """
    watch, outcome = Watch(limits, spent or Spent()), _Outcome[T]()
    if (gone := _reason_to_leave(watch, cancelled)) is not None:
        raise gone
    threading.Thread(target=outcome.of, args=(work, watch), name="git transfer", daemon=True).start()
    try:
        while not outcome.done.wait(_TICK):
            if (why := _reason_to_leave(watch, cancelled)) is not None:
                raise why
            progress(watch.spent.received, watch.entries)
    finally:
        watch.end()
    progress(watch.spent.received, watch.entries)
    if outcome.error is not None:
        raise outcome.error
    return outcome.result[0]


def _reason_to_leave(watch: Watch, cancelled: Cancelled) -> SkillError | None:
    return Abandoned("reading the repository") if cancelled() else watch.overdue()
