"""What every clock, source of chance, offload and watcher keeps, real or not."""

from __future__ import annotations

import pytest

from kestrel_skills_adapters.contracts.world import ChanceContract, ClockContract, OffloadContract, WatcherContract
from kestrel_skills_adapters.memory.world import CountedChance, MemoryClock, MemoryOffload, RecordingWatcher
from kestrel_skills_adapters.world import SystemChance, SystemClock, inline, threads
from kestrel_skills_core.ports.world import Chance, Clock, Offload, Watcher


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


class TestClock(ClockContract):
    """Each of them holds it."""


class TestChance(ChanceContract):
    """Each of them holds it."""


class TestOffload(OffloadContract):
    """Each of them holds it."""


class TestWatcher(WatcherContract):
    """Each of them holds it."""
