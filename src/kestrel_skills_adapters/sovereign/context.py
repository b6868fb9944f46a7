"""The context clause as the host takes it: bytes that are kept, and that change when the skills do.

The host keeps the bytes too, and asks for them at transitions only: when the feature becomes active, when a privacy
mode begins or ends, and when it is told to. So whoever changes what is on tells it, by these rules.

Rule 1: what the prompt has is asked of the host, and not remembered: a change that it did not take, or took back, is
        seen at the next catalog or change, and published then.
Rule 2: nothing is published in the middle of a change of the privacy mode, where the host takes its clauses for
        tampered with, and empties those of every feature. So the mode is held, which whoever holds it already does at
        once. While another holds it, which a turn does from end to end, nobody waits: a task publishes afterwards.
Rule 3: that task is nobody's child. A task of a turn inherits its context, with the right to hold what the turn holds,
        in which it would publish beside the turn; so it has a context of its own, and waits for its turn as a stranger
        does. Nobody waits for it, so that it may wait as long as it takes; it ends when the clause is stopped.
Rule 4: while what is kept is hidden, the bytes are none, whatever was on before.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context
from typing import Final

from attrs import define, field

from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.clause import Clause, render_clause
from kestrel_skills_core.domain.enabled import Enabled
from kestrel_skills_core.domain.errors import Busy, StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog

from .host import Host, Unpublished

__all__ = ["ContextClause"]

_log = logging.getLogger(__name__)
_BEHIND: Final = "the agent's prompt still has the context clause from before the last change"
_WAITS: Final = f"{_BEHIND}; it follows when the turn that is under way has ended"
_REFUSED: Final = f"{_BEHIND}, as the host did not take the new one; the next change or list tries again"


@define(eq=False)
class ContextClause:
    """A `Mirror` that keeps the clause of what is on, and has the host take it when its bytes change.

    Changing one skill costs what is in the clause, however many there are. A clause is of one life of the feature: once
    stopped it publishes nothing, whoever still tells it what the skills were before.
    """

    host: Host
    feature: object
    """Whose clause it is to the host."""
    budget: Budget = field(factory=Budget)
    clause: Clause = field(factory=lambda: render_clause(()), init=False)
    """What is in the prompt, or will be."""
    _on: Enabled = field(factory=Enabled, init=False)
    _asked_for: int = field(default=0, init=False)
    _later: asyncio.Task[None] | None = field(default=None, init=False)
    _has_stopped: bool = field(default=False, init=False)

    def render(self) -> str:
        """The bytes, for the host. Never raises."""
        return "" if self.host.privacy.hidden() is not None else self.clause.text

    @property
    def problem(self) -> str:
        """Why the prompt does not have the newest clause; empty where it has, or there is no prompt yet."""
        if not self._is_due:
            return ""
        return _REFUSED if self._later is None or self._later.done() else _WAITS

    def shows(self, record: SkillRecord) -> bool:
        """Whether the clause has this very skill, and not another of its name."""
        shown = self._on.get(record.name)
        return shown is not None and shown.source is record.source and record.name in self.clause.included

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:  # noqa: ARG002 - a hidden catalog is empty
        """Take over what a whole catalog has on; see `Mirror`."""
        self._on.fill(catalog.records)
        await self._follow()

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Take over what has become of one name; see `Mirror`."""
        self._on.put(name, found)
        await self._follow()

    async def lost(self, name: SkillName) -> None:
        """Show one name no more: nobody knows whether it is on; see `Mirror`."""
        self._on.put(name, None)
        await self._follow()

    async def lost_all(self, why: StateUnavailable) -> None:  # noqa: ARG002 - who runs the agent is told by the notes
        """Show nothing; see `Mirror`."""
        await self.clear()

    async def clear(self) -> None:
        """Show nothing: nobody knows any more what is on."""
        self._on.fill(())
        await self._follow()

    @contextmanager
    def unpublished(self) -> Iterator[None]:
        """Let the clause follow without having the host take it, where the host is about to ask for it by itself.

        Then it holds the mode in this very task, so that holding it keeps nobody from publishing here (rule 2).
        """
        self._asked_for += 1
        try:
            yield
        finally:
            self._asked_for -= 1

    async def settled(self) -> None:
        """Wait until nothing is published later any more."""
        while self._later is not None and not self._later.done():
            await asyncio.wait([self._later])

    async def stop(self) -> None:
        """Publish nothing any more."""
        self._has_stopped = True
        if self._later is not None:
            self._later.cancel()
            await self.settled()

    @property
    def _is_due(self) -> bool:
        is_heard = not (self._has_stopped or self._asked_for)
        return is_heard and self.host.published(self.feature) not in {None, self.render()}

    async def _follow(self) -> None:
        """Have the clause say what is on, and the host take it: now, or as soon as the mode can be held."""
        self.clause = self._on.clause(self.budget)
        if self._is_due:
            try:
                await self._publish(wait=0)
            except Busy:
                self._publish_later()

    def _publish_later(self) -> None:
        if self._has_stopped or not (self._later is None or self._later.done()):
            return
        self._later = asyncio.get_running_loop().create_task(self._publish_in_turn(), context=Context())

    async def _publish_in_turn(self) -> None:
        try:
            await self._publish(wait=None)
        except Busy as error:
            _log.warning("the context clause of the skills waits for their next change: %s", error)

    async def _publish(self, wait: float | None) -> None:
        async with self.host.privacy.unchanged(wait):
            self._publish_now()

    def _publish_now(self) -> None:
        """Have the host take the clause, if it has another; the mode is held."""
        if not self._is_due:
            return
        try:
            self.host.publish(self.feature)
        except Unpublished as error:
            _log.warning("the host did not take the new context clause of the skills (%s)", error)
