"""What every privacy mode keeps, real or not.

A host's adapter joins with a `Kind` of its own: how its agent's mode is changed, and who is known to hold it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Self

import pytest
from attrs import frozen

from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.sovereign.host import HostPrivacy
from kestrel_skills_core.domain.errors import Busy, Hidden
from kestrel_skills_core.ports.privacy import Privacy
from tests.sovereign.agent import PrivacyConfig, TransitionLock

SHORT, LONG = 0.02, 30.0
"""Seconds that are over soon, and that no test waits for."""


@frozen
class Kind:
    """A privacy mode that waits so long for whoever holds it.

    `hide` changes to a mode that hides what is kept, or back, as the holder of the mode does; `is_held_here` is whether
    the running task holds it.
    """

    privacy: Privacy
    hide: Callable[[bool], None]
    is_held_here: Callable[[], bool]


def memory(patience: float) -> Kind:
    """The fake."""
    privacy = MemoryPrivacy(patience=patience)

    def hide(is_to_be: bool) -> None:
        privacy.mode = "ephemeral" if is_to_be else None

    return Kind(privacy, hide, lambda: privacy.is_held_here)


def host(patience: float) -> Kind:
    """The mode of a host's agent, and its lock."""
    agent = SimpleNamespace(privacy_config=PrivacyConfig("normal"), lock=TransitionLock())
    agent._get_privacy_transition_lock = lambda: agent.lock

    def hide(is_to_be: bool) -> None:
        agent.privacy_config = PrivacyConfig("ephemeral" if is_to_be else "normal")

    return Kind(HostPrivacy(agent, patience), hide, lambda: agent.lock.owner is asyncio.current_task())


KINDS: dict[str, Callable[[float], Kind]] = {"memory": memory, "host": host}


@pytest.fixture(params=KINDS)
def kind_of(request: pytest.FixtureRequest) -> Callable[[float], Kind]:
    """Each kind of privacy mode, by how long it waits."""
    return KINDS[request.param]


class Other:
    """Another task that holds the mode, from entering until it is told to leave."""

    def __init__(self, kind: Kind) -> None:
        """It holds nothing yet."""
        self._kind = kind
        self._entered, self._leaves = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def _hold(self) -> None:
        async with self._kind.privacy.held():
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


async def entered(kind: Kind) -> bool:
    """Enter and leave in the running task; whether the mode was held by it in between."""
    async with kind.privacy.held():
        return kind.is_held_here()


async def is_free(kind: Kind) -> bool:
    """Whether another task gets it."""
    return await asyncio.create_task(entered(kind))


def run(kind: Kind, test: Callable[[Kind], Awaitable[None]]) -> None:
    """Run a test in a loop of its own."""

    async def main() -> None:
        await test(kind)

    asyncio.run(main())


def test_where_there_is_no_mode_nothing_is_hidden() -> None:
    """The port itself hides nothing, is entered at once by anybody, and waits for nobody."""

    async def test() -> None:
        privacy = Privacy()
        assert privacy.hidden() is None
        async with privacy.held():
            await asyncio.create_task(entered(Kind(privacy, lambda _: None, lambda: True)))

    asyncio.run(test())


def test_a_mode_says_whether_it_hides(kind_of: Callable[[float], Kind]) -> None:
    """It is asked without waiting, and follows each change."""
    kind = kind_of(SHORT)
    assert kind.privacy.hidden() is None
    kind.hide(True)
    assert isinstance(kind.privacy.hidden(), Hidden)
    kind.hide(False)
    assert kind.privacy.hidden() is None


def test_it_is_held_by_the_task_that_entered(kind_of: Callable[[float], Kind]) -> None:
    """And by no other, be it one that was made to wait for it; after leaving, by none."""

    async def test(kind: Kind) -> None:
        assert not kind.is_held_here()
        assert await entered(kind)
        assert not kind.is_held_here()
        assert await is_free(kind)

    run(kind_of(LONG), test)


def test_its_holder_enters_again(kind_of: Callable[[float], Kind]) -> None:
    """At once, and it is held until the first one is left."""

    async def test(kind: Kind) -> None:
        async with kind.privacy.held():
            assert await entered(kind)
            assert kind.is_held_here()
            with pytest.raises(Busy):
                await is_free(kind)
        assert await is_free(kind)

    run(kind_of(SHORT), test)


def test_another_is_told_that_it_is_busy(kind_of: Callable[[float], Kind]) -> None:
    """After a time that has an end; it then holds nothing, and the holder still does."""

    async def test(kind: Kind) -> None:
        async with Other(kind):
            with pytest.raises(Busy):
                await entered(kind)
            assert not kind.is_held_here()
            with pytest.raises(Busy):
                await entered(kind)
        assert await entered(kind)

    run(kind_of(SHORT), test)


def test_another_waits_until_it_is_let_go(kind_of: Callable[[float], Kind]) -> None:
    """Within that time it is entered as soon as the holder leaves."""

    async def test(kind: Kind) -> None:
        async with Other(kind):
            waiting = asyncio.create_task(entered(kind))
            await asyncio.sleep(0)
            assert not waiting.done()
        assert await waiting

    run(kind_of(LONG), test)


def test_in_a_mode_that_hides_it_is_not_entered(kind_of: Callable[[float], Kind]) -> None:
    """Whoever would write is refused, and holds nothing; so is whoever holds it already."""

    async def test(kind: Kind) -> None:
        kind.hide(True)
        with pytest.raises(Hidden):
            await entered(kind)
        assert not kind.is_held_here()
        kind.hide(False)
        assert await is_free(kind)
        async with kind.privacy.held():
            kind.hide(True)
            with pytest.raises(Hidden):
                await entered(kind)
            assert kind.is_held_here()
            kind.hide(False)
        assert await is_free(kind)

    run(kind_of(SHORT), test)


@pytest.mark.parametrize("hides", [True, False])
def test_the_mode_that_counts_is_the_one_that_is_held(kind_of: Callable[[float], Kind], hides: bool) -> None:
    """What it was when waiting began does not matter: its holder may have changed it."""

    async def test(kind: Kind) -> None:
        async with Other(kind):
            kind.hide(not hides)
            waiting = asyncio.create_task(entered(kind))
            await asyncio.sleep(0)
            kind.hide(hides)
        if hides:
            with pytest.raises(Hidden):
                await waiting
            kind.hide(False)
        else:
            assert await waiting
        assert await is_free(kind)

    run(kind_of(LONG), test)


def test_it_is_let_go_after_an_error(kind_of: Callable[[float], Kind]) -> None:
    """The very error comes out."""
    error = LookupError("lost")

    async def test(kind: Kind) -> None:
        with pytest.raises(LookupError) as caught:
            async with kind.privacy.held():
                raise error
        assert caught.value is error
        assert not kind.is_held_here()
        assert await is_free(kind)

    run(kind_of(SHORT), test)


def test_it_is_let_go_by_whoever_is_cancelled(kind_of: Callable[[float], Kind]) -> None:
    """Be it while it is held, or while it is waited for: then it is never held."""

    async def test(kind: Kind) -> None:
        async with Other(kind):
            waiting = asyncio.create_task(entered(kind))
            await asyncio.sleep(0)
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
            assert waiting.cancelled()
        assert await is_free(kind)
        forever = asyncio.Event()

        async def hold() -> None:
            async with kind.privacy.held():
                await forever.wait()

        holding = asyncio.create_task(hold())
        await asyncio.sleep(0)
        holding.cancel()
        with suppress(asyncio.CancelledError):
            await holding
        assert holding.cancelled()
        assert await is_free(kind)

    run(kind_of(LONG), test)


def test_of_many_one_at_a_time_holds_it(kind_of: Callable[[float], Kind]) -> None:
    """All of them get it, one after another."""

    async def test(kind: Kind) -> None:
        inside = 0

        async def hold() -> int:
            nonlocal inside
            async with kind.privacy.held():
                inside += 1
                most = inside
                await asyncio.sleep(0)
                inside -= 1
            return most

        assert await asyncio.gather(*(hold() for _ in range(10))) == [1] * 10

    run(kind_of(LONG), test)
