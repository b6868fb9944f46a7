"""Ports: time, chance, blocking work, and the core's only voice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol, TypeVar

__all__ = ["Cancelled", "Chance", "Clock", "Offload", "Watcher"]

T = TypeVar("T")


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """The time, in UTC, with its zone."""
        ...


class Chance(Protocol):
    """What nobody can guess."""

    def token(self) -> str:
        """256 random bits as 64 lower-case hex digits; never the same twice."""
        ...


class Cancelled(Protocol):
    """Whether whoever asked for a piece of work has gone away."""

    def __call__(self) -> bool:
        """Cheap, and safe to ask from any thread."""
        ...


class Offload(Protocol):
    """Runs blocking work beside the event loop, to its end even if the caller is cancelled."""

    def __call__(self, work: Callable[[Cancelled], T], /) -> Awaitable[T]:
        """Run the work and give its result or its exception. A cancelled caller is told to the work, which may stop."""
        ...


class Watcher:
    """Told of what happens; does nothing by default. The core never logs."""

    def surveying(self, source: str, done: int, total: int) -> None:
        """A survey has looked at so many of so many entries. Called often; must be cheap."""

    def surveyed(self, source: str, skills: int, opened: int) -> None:
        """A survey ended: so many folders are there, and so many of them had to be opened."""

    def index_failed(self, why: str) -> None:
        """The graph index could not be brought in line; what it lacks is tried again with the next catalog."""

    def index_in_line(self) -> None:
        """The graph index says all that the catalog does, whatever failed before."""
