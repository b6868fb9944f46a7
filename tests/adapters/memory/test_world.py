"""A world that does as it is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kestrel_skills_adapters.memory.world import CountedChance, MemoryClock, MemoryOffload, RecordingWatcher
from kestrel_skills_adapters.world import finish


def test_the_clock_stands_still() -> None:
    """A clock without a step always tells its time."""
    clock = MemoryClock(datetime(2026, 3, 1, tzinfo=UTC))
    assert (clock.now(), clock.now()) == (datetime(2026, 3, 1, tzinfo=UTC),) * 2


def test_the_clock_moves_on_by_its_step() -> None:
    """A clock with a step is later each time it is read."""
    clock = MemoryClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(days=1))
    assert [clock.now().day for _ in range(3)] == [1, 2, 3]


def test_chance_counts() -> None:
    """Tokens are the numbers from one."""
    chance = CountedChance()
    assert [int(chance.token(), 16) for _ in range(3)] == [1, 2, 3]


def test_the_offload_says_that_its_caller_is_gone() -> None:
    """Work can be shown what it sees after its caller was cancelled."""
    offload = MemoryOffload()
    assert finish(offload(lambda cancelled: cancelled())) is False
    offload.gone = True
    assert finish(offload(lambda cancelled: cancelled())) is True
    assert offload.ran == 2


def test_the_watcher_keeps_what_it_is_told() -> None:
    """Events are kept in order."""
    watcher = RecordingWatcher()
    watcher.surveying("host-shared", 1, 2)
    watcher.surveyed("host-shared", 2, 1)
    watcher.index_failed("it is away")
    watcher.index_in_line()
    assert watcher.told == [
        ("surveying", "host-shared", 1, 2),
        ("surveyed", "host-shared", 2, 1),
        ("index_failed", "it is away"),
        ("index_in_line",),
    ]
