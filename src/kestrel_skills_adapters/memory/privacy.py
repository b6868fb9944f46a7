"""A privacy mode in memory.

>>> from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
>>> from kestrel_skills_adapters.world import finish
>>> privacy = MemoryPrivacy()
>>> privacy.mode = "ephemeral"
>>> str(privacy.hidden())
"the agent's skills are hidden: the agent's privacy mode is 'ephemeral'"
>>> finish(privacy.held().__aenter__())
Traceback (most recent call last):
kestrel_skills_core.domain.errors.Hidden: the agent's skills are hidden: the agent's privacy mode is 'ephemeral'
>>> privacy.is_held
False
"""

from __future__ import annotations

import asyncio
from types import TracebackType

from attrs import define, field

from kestrel_skills_core.domain.errors import Busy, Hidden
from kestrel_skills_core.ports.privacy import Held, Privacy

__all__ = ["MemoryPrivacy"]


@define(eq=False)
class MemoryPrivacy(Privacy):
    """The port over two variables. Change `mode` and `busy` at will between two calls, but not what is held.

    `mode` is the one that hides what is kept, if it does; an empty one is a mode that nobody can say. `busy` is what
    holds it instead of any task here. A task that finds it held by another waits `patience` seconds at most.
    """

    mode: str | None = None
    busy: str | None = None
    patience: float = 0.0
    entered: int = field(default=0, init=False)
    """How often it was entered."""
    _holder: asyncio.Task[object] | None = field(default=None, init=False)
    _depth: int = field(default=0, init=False)
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    def hidden(self) -> Hidden | None:
        """Why nothing that is kept may be seen; see the port."""
        return None if self.mode is None else Hidden(self.mode)

    def held(self) -> Held:
        """Hold the mode; see the port."""
        return _Held(self)

    @property
    def is_held(self) -> bool:
        """Whether the mode is held now."""
        return self._depth > 0

    @property
    def is_held_here(self) -> bool:
        """Whether it is held by the task that asks; outside of any loop all are one."""
        return self.is_held and self._holder is _task()

    async def _acquire(self) -> None:
        if self.busy is not None:
            raise Busy(self.busy)
        if not self.is_held_here:
            await self._take_turn()
            self._holder = _task()
        self._depth += 1

    async def _take_turn(self) -> None:
        if not self._lock.locked():
            await self._lock.acquire()
            return
        try:
            async with asyncio.timeout(self.patience):
                await self._lock.acquire()
        except TimeoutError:
            raise Busy("the privacy mode") from None

    def _release(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._holder = None
            self._lock.release()


@define(eq=False)
class _Held(Held):
    privacy: MemoryPrivacy

    async def __aenter__(self) -> None:
        await self.privacy._acquire()  # noqa: SLF001 - one of two halves
        hidden = self.privacy.hidden()
        if hidden is not None:
            self.privacy._release()  # noqa: SLF001
            raise hidden
        self.privacy.entered += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        assert self.privacy.is_held_here, "whoever entered leaves, and nobody else"
        self.privacy._release()  # noqa: SLF001


def _task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
