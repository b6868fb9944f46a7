"""What every clock, source of chance, offload and watcher keeps, real or not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import pytest

from kestrel_skills_core.ports.world import Cancelled, Chance, Clock, Offload, Watcher

__all__ = ["ChanceContract", "ClockContract", "OffloadContract", "WatcherContract"]

T = TypeVar("T")


class ClockContract:
    """Every clock. The fixture `clock` is one."""

    def test_the_time_is_utc(self, clock: Clock) -> None:
        """A time comes with its zone, and the zone is UTC."""
        assert clock.now().utcoffset() == timedelta(0)


class ChanceContract:
    """Every source of chance. The fixture `chance` is one."""

    def test_a_token_is_256_bits(self, chance: Chance) -> None:
        """A token is 64 lower-case hex digits."""
        assert re.fullmatch(r"[0-9a-f]{64}", chance.token())

    def test_no_token_comes_twice(self, chance: Chance) -> None:
        """A thousand tokens are a thousand."""
        assert len({chance.token() for _ in range(1000)}) == 1000


class OffloadContract:
    """Every way to run blocking work. The fixture `offload` is one."""

    def test_the_work_gives_its_result(self, offload: Offload) -> None:
        """What the work returns is what the caller gets."""
        assert run(offload, lambda _: 6 * 7) == 42

    def test_the_work_gives_its_exception(self, offload: Offload) -> None:
        """What the work raises is what the caller gets, the very object."""
        error = LookupError("lost")

        def work(_: Cancelled) -> None:
            raise error

        with pytest.raises(LookupError) as caught:
            run(offload, work)
        assert caught.value is error

    def test_the_caller_is_there(self, offload: Offload) -> None:
        """As long as the caller waits, the work is told that nobody has gone away."""
        assert run(offload, lambda cancelled: cancelled()) is False

    def test_nothing_runs_unasked(self, offload: Offload) -> None:
        """The work is run once each time it is asked for."""
        ran: list[str] = []
        run(offload, lambda _: ran.append("once"))
        run(offload, lambda _: ran.append("twice"))
        assert ran == ["once", "twice"]


class WatcherContract:
    """Every watcher. The fixture `watcher` is one."""

    def test_it_is_told_without_a_word(self, watcher: Watcher) -> None:
        """Telling a watcher gives nothing and raises nothing."""
        tell: tuple[Callable[[], object], ...] = (
            lambda: watcher.surveying("git", 1, 2),
            lambda: watcher.surveyed("git", 2, 1),
            lambda: watcher.index_failed("it is away"),
            watcher.index_in_line,
        )
        assert [told() for told in tell] == [None] * 4


def run(offload: Offload, work: Callable[[Cancelled], T]) -> T:
    """Let it run the work, in a loop of its own."""

    async def main() -> T:
        return await offload(work)

    return asyncio.run(main())
