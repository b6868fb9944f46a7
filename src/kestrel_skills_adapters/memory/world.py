"""A world that does as it is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from attrs import define, field

from kestrel_skills_core.ports.world import Cancelled, Watcher

__all__ = ["CountedChance", "MemoryClock", "MemoryOffload", "RecordingWatcher"]

T = TypeVar("T")

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)


@define
class MemoryClock:
    """A clock that stands still, or moves on by `step` each time it is read."""

    time: datetime = _START
    step: timedelta = timedelta(0)

    def now(self) -> datetime:
        """The time; then it moves on."""
        now, self.time = self.time, self.time + self.step
        return now


@define
class CountedChance:
    """Tokens that count: 1, 2, 3, as 64 hex digits."""

    drawn: int = 0

    def token(self) -> str:
        """The next one."""
        self.drawn += 1
        return f"{self.drawn:064x}"


@define
class MemoryOffload:
    """Runs work at once, and says that its caller is gone as soon as `gone` is set; counts what it ran."""

    gone: bool = False
    ran: int = 0

    async def __call__(self, work: Callable[[Cancelled], T], /) -> T:
        """Run the work."""
        self.ran += 1
        return work(lambda: self.gone)


@define
class RecordingWatcher(Watcher):
    """Keeps what it is told, in order, each as the name of the event and its values."""

    told: list[tuple[str, *tuple[object, ...]]] = field(factory=list)

    def surveying(self, source: str, done: int, total: int) -> None:
        """Keep it."""
        self.told.append(("surveying", source, done, total))

    def surveyed(self, source: str, skills: int, opened: int) -> None:
        """Keep it."""
        self.told.append(("surveyed", source, skills, opened))

    def index_failed(self, why: str) -> None:
        """Keep it."""
        self.told.append(("index_failed", why))

    def index_in_line(self) -> None:
        """Keep it."""
        self.told.append(("index_in_line",))
