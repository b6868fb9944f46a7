"""What follows the catalog without keeping anybody waiting: a slow mirror, in a task of its own."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from functools import partial

from attrs import define, field

from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.ports.mirror import Mirror

__all__ = ["Behind"]

_log = logging.getLogger(__name__)


@define(eq=False)
class Behind:
    """A `Mirror` that tells another one, in order, beside the work of whoever tells it.

    A whole catalog makes what waits before it superfluous. The task takes no lock of the host's, which a turn may hold
    for as long as it lasts; and it has a context of its own, as it works on for others when the turn that it began in,
    with its transactions and its rights, is over. Until it is told to `begin` it keeps what it is told: an agent that
    starts has other things to do.
    """

    mirror: Mirror
    _waiting: deque[Callable[[], Awaitable[None]]] = field(factory=deque, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)
    _has_begun: bool = field(default=False, init=False)
    _has_stopped: bool = field(default=False, init=False)

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Tell of a whole catalog when there is time."""
        self._waiting.clear()
        self._follow(partial(self.mirror.shown, catalog, hidden=hidden))

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Tell of one name when there is time."""
        self._follow(partial(self.mirror.changed, name, found))

    async def lost(self, name: SkillName) -> None:
        """Tell that nobody knows one name when there is time."""
        self._follow(partial(self.mirror.lost, name))

    def begin(self) -> None:
        """Tell what waits, and from now on whatever comes."""
        self._has_begun = True
        self._go_on()

    async def settled(self) -> None:
        """Wait until all is told, once that has begun."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def stop(self) -> None:
        """Tell nothing any more, whoever still works; what is being told is broken off."""
        self._has_stopped = True
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
            await self.settled()

    def _follow(self, told: Callable[[], Awaitable[None]]) -> None:
        if self._has_stopped:
            return
        self._waiting.append(told)
        self._go_on()

    def _go_on(self) -> None:
        if self._has_begun and self._waiting and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._tell(), context=Context())

    async def _tell(self) -> None:
        while self._waiting:
            try:
                await self._waiting.popleft()()
            except Exception:  # noqa: BLE001 - a mirror raises nothing; one that does is told of, and goes on
                _log.exception("what follows the catalog failed")
