"""A mirror behind another task: in order, without keeping anybody waiting, until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

import pytest
from attrs import define, field

from kestrel_skills_adapters.sovereign.behind import Behind
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog
from tests.sovereign.agent import TransitionLock

A, B, C = map(SkillName, "abc")
NOTHING = Catalog(())
AWAY = StateUnavailable("it is away")


@define(eq=False)
class Slow:
    """A mirror that tells what it is told, one each time it is let."""

    told: list[str] = field(factory=list)
    lets: asyncio.Semaphore = field(factory=lambda: asyncio.Semaphore(0))
    begun: asyncio.Event = field(factory=asyncio.Event)
    fails_at: str = ""

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """A whole catalog."""
        await self._tell(f"all hidden={hidden}")

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """One name."""
        await self._tell(name)

    async def lost(self, name: SkillName) -> None:
        """One name, of which nobody knows."""
        await self._tell(f"lost {name}")

    async def lost_all(self, why: StateUnavailable) -> None:
        """All, of which nobody knows."""
        await self._tell("lost all")

    async def _tell(self, what: str) -> None:
        self.begun.set()
        await self.lets.acquire()
        self.told.append(what)
        if what == self.fails_at:
            raise LookupError(what)


def run(test: Callable[[Slow, Behind], Awaitable[None]]) -> None:
    """Run a test in a loop of its own, and stop what is left."""

    async def main() -> None:
        slow = Slow()
        behind = Behind(slow)
        behind.begin()
        await test(slow, behind)
        await behind.stop()

    asyncio.run(main())


def let(slow: Slow, times: int = 9) -> None:
    """Let it go on so often."""
    for _ in range(times):
        slow.lets.release()


async def tell(behind: Behind, *names: SkillName) -> None:
    """Tell of these names."""
    for name in names:
        await behind.changed(name, None)


def test_until_it_begins_it_keeps_what_it_is_told() -> None:
    """Nothing is told before, and then all that is not superfluous; where it is stopped before, nothing ever is."""

    async def main() -> None:
        slow = Slow()
        let(slow)
        behind, stopped = Behind(slow), Behind(slow)
        for each in (behind, stopped):
            await each.shown(NOTHING, hidden=True)
            await each.shown(NOTHING, hidden=False)
            await tell(each, A)
            await each.settled()
        assert slow.told == []
        await stopped.stop()
        for each in (behind, stopped):
            each.begin()
            await each.settled()
        assert slow.told == ["all hidden=False", A]

    asyncio.run(main())


def test_whoever_tells_does_not_wait() -> None:
    """What was told comes in order, when there is time; then it has settled."""

    async def test(slow: Slow, behind: Behind) -> None:
        await tell(behind, A, B)
        await behind.shown(NOTHING, hidden=True)
        await tell(behind, C)
        await behind.lost(A)
        assert slow.told == []
        let(slow)
        await behind.settled()
        assert slow.told == ["all hidden=True", "c", "lost a"]

    run(test)


def test_a_catalog_makes_what_waits_superfluous() -> None:
    """But not what is being told: that is ended first."""

    async def test(slow: Slow, behind: Behind) -> None:
        await tell(behind, A, B)
        await slow.begun.wait()
        await behind.shown(NOTHING, hidden=False)
        await behind.shown(NOTHING, hidden=True)
        let(slow)
        await behind.settled()
        assert slow.told == ["a", "all hidden=True"]

    run(test)


def test_of_each_name_no_more_waits_than_what_was_told_last() -> None:
    """However often it is told of while another is being told; in the order of the last tellings."""

    async def test(slow: Slow, behind: Behind) -> None:
        await tell(behind, C)
        await slow.begun.wait()
        for _ in range(50):
            await tell(behind, A, B)
        await behind.lost(A)
        await tell(behind, C)
        let(slow)
        await behind.settled()
        assert slow.told == ["c", "b", "lost a", "c"]

    run(test)


def test_that_nobody_knows_makes_what_waits_superfluous() -> None:
    """As a catalog does, which is told after it, and makes it superfluous too."""

    async def test(slow: Slow, behind: Behind) -> None:
        await tell(behind, A, B)
        await behind.lost_all(AWAY)
        await tell(behind, C)
        let(slow)
        await behind.settled()
        await behind.lost_all(AWAY)
        await behind.shown(NOTHING, hidden=False)
        await behind.settled()
        assert slow.told == ["lost all", "c", "all hidden=False"]

    run(test)


def test_what_takes_long_is_said_until_it_has_ended() -> None:
    """It is not broken off; what does not take long is never said."""

    async def main() -> None:
        slow, said, is_said = Slow(), [], asyncio.Event()

        def waits(it: bool) -> None:
            said.append(it)
            if it:
                is_said.set()

        behind = Behind(slow, waits=waits, patience=0.0)
        behind.begin()
        await tell(behind, A)
        await is_said.wait()
        assert said == [True]
        let(slow, 1)
        await behind.settled()
        assert (slow.told, said) == (["a"], [True, False])
        is_said.clear()
        await tell(behind, B)
        await is_said.wait()
        await behind.stop()
        assert said == [True, False, True, False]
        patient = Behind(slow, waits=said.append)
        patient.begin()
        let(slow)
        await tell(patient, A, B)
        await patient.settled()
        assert said[4:] == [False, False]

    asyncio.run(main())


def test_it_goes_on_after_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    """Which is in the log: a mirror should fail nothing."""

    async def test(slow: Slow, behind: Behind) -> None:
        slow.fails_at = "a"
        await tell(behind, A, B)
        let(slow)
        await behind.settled()
        assert slow.told == ["a", "b"]

    run(test)
    assert "LookupError" in caplog.text


def test_it_begins_again_after_it_settled() -> None:
    """There is no end but to stop it."""

    async def test(slow: Slow, behind: Behind) -> None:
        let(slow)
        await behind.settled()
        await tell(behind, A)
        await behind.settled()
        await tell(behind, B)
        await behind.settled()
        assert slow.told == ["a", "b"]

    run(test)


def test_stopped_it_tells_nothing_any_more() -> None:
    """What is being told is broken off, what waits is dropped, and whoever still tells is not heard."""

    async def test(slow: Slow, behind: Behind) -> None:
        await tell(behind, A, B)
        await asyncio.sleep(0)
        await behind.stop()
        let(slow)
        await tell(behind, C)
        await behind.lost(C)
        await behind.shown(NOTHING, hidden=False)
        await behind.settled()
        assert slow.told == []
        await behind.stop()

    run(test)


def test_the_cancelled_teller_takes_nothing_back() -> None:
    """What it told is told, though the task that told it is gone."""

    async def test(slow: Slow, behind: Behind) -> None:
        async def turn() -> None:
            await tell(behind, A)
            await asyncio.Event().wait()

        turning = asyncio.create_task(turn())
        await asyncio.sleep(0)
        turning.cancel()
        await asyncio.wait([turning])
        let(slow)
        await behind.settled()
        assert slow.told == ["a"]

    run(test)


def test_it_has_no_right_of_the_turn_that_it_began_in() -> None:
    """It works on when that is over, and for others."""
    right: ContextVar[str] = ContextVar("right", default="none")
    seen: list[str] = []

    class Looks(Slow):
        async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
            seen.append(right.get())

    async def main() -> None:
        behind = Behind(Looks())
        behind.begin()
        right.set("of the turn")
        await tell(behind, A)
        await behind.settled()

    asyncio.run(main())
    assert seen == ["none"]


def test_it_takes_no_lock() -> None:
    """It goes on while a turn holds the privacy mode, be that the one that told it."""

    async def test(slow: Slow, behind: Behind) -> None:
        lock = TransitionLock()
        async with lock:
            await tell(behind, A)
            let(slow)
            await behind.settled()
            assert (slow.told, lock.entered) == (["a"], 1)

    run(test)
