"""What follows the catalog without keeping anybody waiting: a slow mirror, in a task of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextvars import Context
from functools import partial
from typing import Final

from attrs import define, field

from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.ports.mirror import Mirror

__all__ = ["PATIENCE", "Behind"]

PATIENCE: Final = 30
"""How many seconds one telling may take before that is told."""

_log = logging.getLogger(__name__)


@define(eq=False)
class Behind:
    """A `Mirror` that tells another one, in order, beside the work of whoever tells it.

    What is told of all makes what waits superfluous, and what is told of one name, what waits of that one: no more
    waits than there are names, though the other may never end. One that takes long is not broken off, which might leave
    the host's connection unusable: `waits` is told so, and when it has ended.

    The task takes no lock of the host's, which a turn may hold for as long as it lasts; and it has a context of its
    own, as it works on for others when the turn that it began in, with its transactions and its rights, is over. Until
    it is told to `begin` it keeps what it is told: an agent that starts has other things to do.
    """

    mirror: Mirror
    waits: Callable[[bool], None] = field(default=lambda _: None, kw_only=True)
    patience: float = field(default=PATIENCE, kw_only=True)
    """In seconds."""
    _waiting: dict[SkillName | None, Callable[[], Awaitable[None]]] = field(factory=dict, init=False)
    """What is to be told of each name, or of all, in the order in which that was told last."""
    _task: asyncio.Task[None] | None = field(default=None, init=False)
    _has_begun: bool = field(default=False, init=False)
    _has_stopped: bool = field(default=False, init=False)

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Tell of a whole catalog when there is time."""
        self._waiting.clear()
        self._follow(None, partial(self.mirror.shown, catalog, hidden=hidden))

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Tell of one name when there is time."""
        self._follow(name, partial(self.mirror.changed, name, found))

    async def lost(self, name: SkillName) -> None:
        """Tell that nobody knows one name when there is time."""
        self._follow(name, partial(self.mirror.lost, name))

    async def lost_all(self, why: StateUnavailable) -> None:
        """Tell that nobody knows what is on when there is time."""
        self._waiting.clear()
        self._follow(None, partial(self.mirror.lost_all, why))

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

    def _follow(self, name: SkillName | None, told: Callable[[], Awaitable[None]]) -> None:
        if self._has_stopped:
            return
        self._waiting.pop(name, None)
        self._waiting[name] = told
        self._go_on()

    def _go_on(self) -> None:
        if self._has_begun and self._waiting and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._tell(), context=Context())

    async def _tell(self) -> None:
        while self._waiting:
            told = self._waiting.pop(next(iter(self._waiting)))
            late = asyncio.get_running_loop().call_later(self.patience, self.waits, True)  # noqa: FBT003 - its one word
            try:
                await told()
            except Exception:  # noqa: BLE001 - a mirror raises nothing; one that does is told of, and goes on
                _log.exception("what follows the catalog failed")
            finally:
                late.cancel()
                self.waits(False)  # noqa: FBT003 - the same
