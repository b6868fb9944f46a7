"""The privacy mode of the host's agent, as the port `Privacy`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from types import TracebackType
from typing import Any, Final

from attrs import field, frozen

from kestrel_skills_core.domain.errors import Busy, Hidden
from kestrel_skills_core.ports.privacy import Held, Privacy

from .asked import asked

__all__ = ["HostPrivacy"]

_LOCK: Final = "_get_privacy_transition_lock"
_VOLATILE: Final = ("is_ephemeral", "uses_temp_storage", "requires_deidentification")
"""What a privacy configuration is asked: any of them hides what is kept."""


async def _nothing() -> None:
    pass


@frozen(eq=False)
class HostPrivacy(Privacy):
    """The privacy mode of an agent, and the lock that a change of it holds; see `tests/contracts/test_privacy.py`.

    A turn holds the lock from its first to its last step, and what runs in it enters again at once. Whatever else asks
    waits `wait` seconds at most. Where nobody can say the mode, all is hidden.

    `first` is what whoever holds it, and finds nothing hidden, does before all else; it may hold the mode again.
    """

    agent: object
    wait: float = 5.0
    first: Callable[[], Awaitable[None]] = _nothing

    def hidden(self) -> Hidden | None:
        """Why nothing kept may be seen; see the port."""
        try:
            config = _config(self.agent)
            if config is None:
                return Hidden()
            told = [getattr(config, name, None) for name in _VOLATILE]
            if any(callable(ask) and ask() for ask in told):
                return Hidden(_mode(self.agent))
            return None if any(callable(ask) for ask in told) else Hidden()
        except Exception:  # noqa: BLE001 - whatever it is, nobody could say the mode
            return Hidden()

    def held(self) -> Held:
        """Hold the mode; see the port. Entered in the caller's own task, as the lock knows its holder by it."""
        return _HeldMode(self)

    @asynccontextmanager
    async def unchanged(self, wait: float | None) -> AsyncIterator[None]:
        """Hold whatever mode there is, be it one that hides; no number of seconds waits for ever.

        Raises:
            Busy: It could not be held in time; or not at all, as the host's lock cannot be had.
        """
        lock = self._lock()
        if lock is None:
            yield
            return
        try:
            async with asyncio.timeout(wait):
                await lock.__aenter__()
        except TimeoutError:
            raise Busy("the agent", by="a turn of its own") from None
        try:
            yield
        finally:
            await lock.__aexit__(None, None, None)

    @property
    def has_lock(self) -> bool:
        """Whether the host lets its mode be held."""
        try:
            return self._lock() is not None
        except Busy:
            return False

    def _lock(self) -> Any | None:
        getter = asked(self.agent, _LOCK)
        try:
            return getter() if callable(getter) else None
        except Exception as error:
            raise Busy("the agent", by="a privacy mode that cannot be held") from error


@frozen(eq=False)
class _HeldMode(Held):
    privacy: HostPrivacy
    _holding: AsyncExitStack = field(factory=AsyncExitStack, init=False)

    async def __aenter__(self) -> None:
        async with AsyncExitStack() as holding:
            await holding.enter_async_context(self.privacy.unchanged(self.privacy.wait))
            hidden = self.privacy.hidden()
            if hidden is not None:
                raise hidden
            await self.privacy.first()
            self._holding.push_async_exit(holding.pop_all())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        await self._holding.__aexit__(kind, error, trace)


def _config(agent: object) -> Any | None:
    """The privacy configuration, where any of the agent and its storages knows it."""
    for holder in (agent, asked(agent, "storage"), asked(agent, "_raw_storage")):
        config = asked(holder, "privacy_config")
        if config is not None:
            return config
    return None


def _mode(agent: object) -> str:
    mode = asked(agent, "privacy_mode")
    value = asked(mode, "value") or mode
    return value if isinstance(value, str) and value else "one that hides"
