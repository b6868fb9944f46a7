"""Other processes at work on the same disk: each a new interpreter, started from nothing."""

from __future__ import annotations

import multiprocessing
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.synchronize import Barrier
from typing import Any, Final, TypeVar

__all__ = ["Over", "Sibling", "together"]

T = TypeVar("T")
W = TypeVar("W")

Over = Callable[[], bool]
"""Whether everybody who has work has ended it; for those who watch until then."""

_SPAWN: Final = multiprocessing.get_context("spawn")
_STARTING: Final = 60.0
"""Seconds in which every process must have come to the start."""


class Sibling:
    """One process. It runs a generator, and whatever that yields is told at once, through a pipe."""

    def __init__(self, work: Callable[..., Iterable[object]], *arguments: object) -> None:
        """Start it. The work and its arguments are pickled."""
        self._pipe, theirs = _SPAWN.Pipe(duplex=False)
        self._process = _SPAWN.Process(target=_tell, args=(theirs, work, arguments), daemon=True)
        self._process.start()
        theirs.close()  # so that the pipe ends with the process

    def told(self) -> Iterator[Any]:
        """All that it has told and will tell, until it ends.

        Raises:
            AssertionError: It failed; its own traceback is in this one.
        """
        with self._pipe, suppress(EOFError):
            while True:
                failure, told = self._pipe.recv()
                assert failure is None, failure
                yield told
        self._process.join()

    def killed(self, after: int, delay: float) -> list[Any]:
        """Kill it, so many seconds after it told so many things; gives all that it told."""
        telling = self.told()
        heard = [next(telling) for _ in range(after)]
        time.sleep(delay)
        self._process.kill()
        return heard + list(telling)


def together(works: Sequence[Callable[[], T]], watches: Sequence[Callable[[Over], W]] = ()) -> tuple[list[T], list[W]]:
    """Run each in a process of its own, all from one moment on; gives what each gave.

    Those that watch are asked to end when all work has ended, or any has failed.
    """
    start, over = _SPAWN.Barrier(len(works) + len(watches)), _SPAWN.Event()
    working = [Sibling(_from_the_start, start, work) for work in works]
    watching = [Sibling(_from_the_start, start, watch, over.is_set) for watch in watches]
    try:
        worked = [result for each in working for result in each.told()]
    finally:
        over.set()
    return worked, [result for each in watching for result in each.told()]


def _from_the_start(start: Barrier, work: Callable[..., T], *arguments: object) -> Iterator[T]:
    start.wait(_STARTING)
    yield work(*arguments)


def _tell(pipe: Any, work: Callable[..., Iterable[object]], arguments: Sequence[object]) -> None:
    try:
        for told in work(*arguments):
            pipe.send((None, told))
    except Exception:  # noqa: BLE001 - whatever it is, whoever listens is to know of it
        pipe.send((traceback.format_exc(), None))
