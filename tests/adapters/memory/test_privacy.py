"""What the fake of a privacy mode can be told to be, beyond what the contract asks."""

from __future__ import annotations

import asyncio
import doctest

import pytest

from kestrel_skills_adapters.memory import privacy as module
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.errors import Busy, Hidden


async def entered(privacy: MemoryPrivacy) -> bool:
    """Enter and leave; whether it was held in between by whoever entered."""
    async with privacy.held():
        return privacy.is_held and privacy.is_held_here


def test_the_example_in_its_documentation_runs() -> None:
    """A newcomer can copy it."""
    assert doctest.testmod(module).attempted == 7
    assert doctest.testmod(module).failed == 0


def test_it_is_held_without_any_loop() -> None:
    """As `finish` runs a coroutine; how often it was entered is counted, also from within."""
    privacy = MemoryPrivacy()
    assert finish(entered(privacy))
    assert (privacy.is_held, privacy.entered) == (False, 1)

    async def twice() -> bool:
        async with privacy.held():
            return await entered(privacy)

    assert finish(twice())
    assert (privacy.is_held, privacy.entered) == (False, 3)


def test_it_may_be_busy_without_a_task_that_holds_it() -> None:
    """It says what holds it, before it says that anything is hidden."""
    privacy = MemoryPrivacy(mode="ephemeral", busy="the agent, which is in a turn,")
    with pytest.raises(Busy) as refusal:
        finish(entered(privacy))
    assert refusal.value.held == "the agent, which is in a turn,"
    privacy.busy = None
    with pytest.raises(Hidden):
        finish(entered(privacy))
    assert (privacy.is_held, privacy.entered) == (False, 0)


def test_without_patience_another_task_is_refused_at_once() -> None:
    """Nothing waits, so that a test of it takes no time."""

    async def main() -> None:
        privacy = MemoryPrivacy()
        async with privacy.held():
            with pytest.raises(Busy):
                await asyncio.create_task(entered(privacy))
            assert privacy.is_held_here

    asyncio.run(main())
