"""Many looks at a disk, one after the other; several at a time where it is slow to answer.

A disk that nobody has read lately makes each look wait, and waits for several in the time that it takes for one. Where
all is in memory there is nothing to wait for, and threads, which hold each other up in Python, make it slower; so what
decides is how long the last few took.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Final, TypeVar

__all__ = ["ABREAST", "ROUND", "SLOW_NS", "abreast"]

T = TypeVar("T")

ROUND: Final = 32
"""After so many it is asked how long they took."""
SLOW_NS: Final = 500_000
"""A look that takes longer waits for the disk: what is in memory takes a fifth of that."""
ABREAST: Final = 8
"""So many at a time; twice as many gain nothing more (measured)."""


def abreast(look: Callable[[str], T], names: Sequence[str], now_ns: Callable[[], int]) -> Generator[T]:
    """What each look comes to, in order. Whatever one raises is raised in its turn, and the rest is not begun.

    Whoever stops early closes it; then no look goes on.
    """
    at = 0
    while at < len(names):
        begun = now_ns()
        portion = names[at : at + ROUND]
        yield from map(look, portion)
        at += ROUND
        if now_ns() - begun > len(portion) * SLOW_NS:
            break
    if at < len(names):
        yield from _at_once(look, names[at:])


def _at_once(look: Callable[[str], T], names: Sequence[str]) -> Iterator[T]:
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only a slow disk pays for it

    pool = ThreadPoolExecutor(ABREAST, thread_name_prefix="kestrel-skills-look")
    try:
        found = pool.map(look, names)
    except RuntimeError:  # no thread can be had any more
        found = map(look, names)
    try:
        yield from found
    finally:
        pool.shutdown(cancel_futures=True)
