"""What every privacy mode keeps, real or not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Self

import pytest
from attrs import frozen

from kestrel_skills_core.domain.errors import Busy, Hidden
from kestrel_skills_core.ports.privacy import Privacy

__all__ = ["Bed", "PrivacyContract", "entered"]

SHORT, LONG = 0.02, 30.0
"""Seconds that are over soon, and that no test waits for."""


@frozen
class Bed:
    """A privacy mode that waits so long for whoever holds it.

    `hide` changes to a mode that hides what is kept, and `show` back, as the holder of the mode does; `is_held_here` is
    whether the running task holds it.
    """

    privacy: Privacy
    hide: Callable[[], None]
    show: Callable[[], None]
    is_held_here: Callable[[], bool]


class Other:
    """Another task that holds the mode, from entering until it is told to leave."""

    def __init__(self, bed: Bed) -> None:
        """It holds nothing yet."""
        self._bed = bed
        self._entered, self._leaves = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def _hold(self) -> None:
        async with self._bed.privacy.held():
            self._entered.set()
            await self._leaves.wait()

    async def __aenter__(self) -> Self:
        """Let it enter."""
        self._task = asyncio.create_task(self._hold())
        await self._entered.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let it leave."""
        self._leaves.set()
        assert self._task is not None
        await self._task


async def entered(bed: Bed) -> bool:
    """Enter and leave in the running task; whether the mode was held by it in between."""
    async with bed.privacy.held():
        return bed.is_held_here()


async def is_free(bed: Bed) -> bool:
    """Whether another task gets it."""
    return await asyncio.create_task(entered(bed))


def run(bed: Bed, test: Callable[[Bed], Awaitable[None]]) -> None:
    """Run a test in a loop of its own."""

    async def main() -> None:
        await test(bed)

    asyncio.run(main())


class PrivacyContract:
    """Every privacy mode. The fixture `bed_of` makes one that waits so many seconds for whoever holds it."""

    def test_a_mode_says_whether_it_hides(self, bed_of: Callable[[float], Bed]) -> None:
        """It is asked without waiting, and follows each change."""
        bed = bed_of(SHORT)
        assert bed.privacy.hidden() is None
        bed.hide()
        assert isinstance(bed.privacy.hidden(), Hidden)
        bed.show()
        assert bed.privacy.hidden() is None

    def test_it_is_held_by_the_task_that_entered(self, bed_of: Callable[[float], Bed]) -> None:
        """And by no other, be it one that was made to wait for it; after leaving, by none."""

        async def test(bed: Bed) -> None:
            assert not bed.is_held_here()
            assert await entered(bed)
            assert not bed.is_held_here()
            assert await is_free(bed)

        run(bed_of(LONG), test)

    def test_its_holder_enters_again(self, bed_of: Callable[[float], Bed]) -> None:
        """At once, and it is held until the first one is left."""

        async def test(bed: Bed) -> None:
            async with bed.privacy.held():
                assert await entered(bed)
                assert bed.is_held_here()
                with pytest.raises(Busy):
                    await is_free(bed)
            assert await is_free(bed)

        run(bed_of(SHORT), test)

    def test_another_is_told_that_it_is_busy(self, bed_of: Callable[[float], Bed]) -> None:
        """After a time that has an end; it then holds nothing, and the holder still does."""

        async def test(bed: Bed) -> None:
            async with Other(bed):
                with pytest.raises(Busy):
                    await entered(bed)
                assert not bed.is_held_here()
                with pytest.raises(Busy):
                    await entered(bed)
            assert await entered(bed)

        run(bed_of(SHORT), test)

    def test_another_waits_until_it_is_let_go(self, bed_of: Callable[[float], Bed]) -> None:
        """Within that time it is entered as soon as the holder leaves."""

        async def test(bed: Bed) -> None:
            async with Other(bed):
                waiting = asyncio.create_task(entered(bed))
                await asyncio.sleep(0)
                assert not waiting.done()
            assert await waiting

        run(bed_of(LONG), test)

    def test_in_a_mode_that_hides_it_is_not_entered(self, bed_of: Callable[[float], Bed]) -> None:
        """Whoever would write is refused, and holds nothing; so is whoever holds it already."""

        async def test(bed: Bed) -> None:
            bed.hide()
            with pytest.raises(Hidden):
                await entered(bed)
            assert not bed.is_held_here()
            bed.show()
            assert await is_free(bed)
            async with bed.privacy.held():
                bed.hide()
                with pytest.raises(Hidden):
                    await entered(bed)
                assert bed.is_held_here()
                bed.show()
            assert await is_free(bed)

        run(bed_of(SHORT), test)

    @pytest.mark.parametrize("hides", [True, False])
    def test_the_mode_that_counts_is_the_one_that_is_held(self, bed_of: Callable[[float], Bed], *, hides: bool) -> None:
        """What it was when waiting began does not matter: its holder may have changed it."""

        async def test(bed: Bed) -> None:
            async with Other(bed):
                (bed.show if hides else bed.hide)()
                waiting = asyncio.create_task(entered(bed))
                await asyncio.sleep(0)
                (bed.hide if hides else bed.show)()
            if hides:
                with pytest.raises(Hidden):
                    await waiting
                bed.show()
            else:
                assert await waiting
            assert await is_free(bed)

        run(bed_of(LONG), test)

    def test_it_is_let_go_after_an_error(self, bed_of: Callable[[float], Bed]) -> None:
        """The very error comes out."""
        error = LookupError("lost")

        async def test(bed: Bed) -> None:
            with pytest.raises(LookupError) as caught:
                async with bed.privacy.held():
                    raise error
            assert caught.value is error
            assert not bed.is_held_here()
            assert await is_free(bed)

        run(bed_of(SHORT), test)

    def test_it_is_let_go_by_whoever_is_cancelled(self, bed_of: Callable[[float], Bed]) -> None:
        """Be it while it is held, or while it is waited for: then it is never held."""

        async def test(bed: Bed) -> None:
            async with Other(bed):
                waiting = asyncio.create_task(entered(bed))
                await asyncio.sleep(0)
                waiting.cancel()
                with suppress(asyncio.CancelledError):
                    await waiting
                assert waiting.cancelled()
            assert await is_free(bed)
            forever = asyncio.Event()

            async def hold() -> None:
                async with bed.privacy.held():
                    await forever.wait()

            holding = asyncio.create_task(hold())
            await asyncio.sleep(0)
            holding.cancel()
            with suppress(asyncio.CancelledError):
                await holding
            assert holding.cancelled()
            assert await is_free(bed)

        run(bed_of(LONG), test)

    def test_of_many_one_at_a_time_holds_it(self, bed_of: Callable[[float], Bed]) -> None:
        """All of them get it, one after another."""

        async def test(bed: Bed) -> None:
            inside = 0

            async def hold() -> int:
                nonlocal inside
                async with bed.privacy.held():
                    inside += 1
                    most = inside
                    await asyncio.sleep(0)
                    inside -= 1
                return most

            assert await asyncio.gather(*(hold() for _ in range(10))) == [1] * 10

        run(bed_of(LONG), test)
