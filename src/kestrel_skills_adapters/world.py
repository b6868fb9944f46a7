"""The real world: time, chance, and where blocking work runs."""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from kestrel_skills_core.ports.world import Cancelled

__all__ = ["SystemChance", "SystemClock", "finish", "inline", "never", "threads"]

T = TypeVar("T")


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.now(UTC)


class SystemChance:
    """The operating system's source of randomness."""

    def token(self) -> str:
        """256 random bits, in hex; `secrets` would draw the same, and take longer to import."""
        return os.urandom(32).hex()


def never() -> bool:
    """Nobody goes away: the `Cancelled` of whoever waits for the work anyway."""
    return False


async def inline(work: Callable[[Cancelled], T], /) -> T:
    """An `Offload` that runs the work where it is called, at once; for callers that have no event loop to keep free."""
    return work(never)


def finish(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine in which everything is done at once. It needs no event loop, and no `asyncio`.

    Raises:
        RuntimeError: It waits for something that only an event loop could bring.
    """
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return] # the value of StopIteration has no type of its own
    work.close()
    raise RuntimeError("this work needs an event loop")


async def threads(work: Callable[[Cancelled], T], /) -> T:
    """An `Offload` that runs the work in a thread of the running asyncio loop's own pool.

    A cancelled caller learns of it only when the work has ended: the work is told, and waited for, however often the
    caller is cancelled meanwhile; its result or exception is then dropped.
    """
    import asyncio  # noqa: PLC0415 - the command line works without, and starts in half the time

    gone = threading.Event()
    inside = partial(contextvars.copy_context().run, work, gone.is_set)
    running = asyncio.get_running_loop().run_in_executor(None, inside)
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            gone.set()
            cancelled = error
    if cancelled is None:
        return running.result()
    if not running.cancelled():
        running.exception()  # seen, so that the loop does not report it as lost
    raise cancelled
