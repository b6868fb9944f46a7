"""What every clock, source of chance, offload and watcher keeps, real or not."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta

import pytest

from kestrel_skills_adapters.memory.world import CountedChance, MemoryClock, MemoryOffload, RecordingWatcher
from kestrel_skills_adapters.world import SystemChance, SystemClock, inline, threads
from kestrel_skills_core.ports.world import Cancelled, Chance, Clock, Offload, Watcher


@pytest.fixture(params=[MemoryClock, SystemClock])
def clock(request: pytest.FixtureRequest) -> Clock:
    """Each clock."""
    return request.param()


@pytest.fixture(params=[CountedChance, SystemChance])
def chance(request: pytest.FixtureRequest) -> Chance:
    """Each source of chance."""
    return request.param()


@pytest.fixture(params=[MemoryOffload(), inline, threads], ids=["memory", "inline", "threads"])
def offload(request: pytest.FixtureRequest) -> Offload:
    """Each way to run blocking work."""
    return request.param


@pytest.fixture(params=[Watcher, RecordingWatcher])
def watcher(request: pytest.FixtureRequest) -> Watcher:
    """Each watcher."""
    return request.param()


async def _run(offload: Offload, work):
    return await offload(work)


def test_the_time_is_utc(clock: Clock) -> None:
    """A time comes with its zone, and the zone is UTC."""
    assert clock.now().utcoffset() == timedelta(0)


def test_a_token_is_256_bits(chance: Chance) -> None:
    """A token is 64 lower-case hex digits."""
    assert re.fullmatch(r"[0-9a-f]{64}", chance.token())


def test_no_token_comes_twice(chance: Chance) -> None:
    """A thousand tokens are a thousand."""
    assert len({chance.token() for _ in range(1000)}) == 1000


def test_the_work_gives_its_result(offload: Offload) -> None:
    """What the work returns is what the caller gets."""
    assert asyncio.run(_run(offload, lambda _: 6 * 7)) == 42


def test_the_work_gives_its_exception(offload: Offload) -> None:
    """What the work raises is what the caller gets, the very object."""
    error = LookupError("lost")

    def work(_: Cancelled) -> None:
        raise error

    with pytest.raises(LookupError) as caught:
        asyncio.run(_run(offload, work))
    assert caught.value is error


def test_the_caller_is_there(offload: Offload) -> None:
    """As long as the caller waits, the work is told that nobody has gone away."""
    assert asyncio.run(_run(offload, lambda cancelled: cancelled())) is False


def test_nothing_runs_unasked(offload: Offload) -> None:
    """The work is run once each time it is asked for."""
    ran = []
    asyncio.run(_run(offload, lambda _: ran.append("once")))
    asyncio.run(_run(offload, lambda _: ran.append("twice")))
    assert ran == ["once", "twice"]


def test_a_watcher_is_told_without_a_word(watcher: Watcher) -> None:
    """Telling a watcher gives nothing and raises nothing."""
    assert watcher.surveying("git", 1, 2) is None
    assert watcher.surveyed("git", 2, 1) is None
    assert watcher.index_failed("it is away") is None
    assert watcher.index_in_line() is None
