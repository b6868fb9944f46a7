"""What keeps an agent's skills in order apart from their use: the start of an agent, and what was kept of people's."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TypeVar

from attrs import field, frozen

from ..domain.errors import NotEditable, SkillError
from ..domain.kept import KeptListing
from ..domain.names import SkillName, SourceId
from ..domain.record import SkillState
from ..domain.resolver import Resolver, Survey
from ..domain.state_row import StateKey
from ..ports.files import SkillFiles
from ..ports.states import StateTable
from ..ports.store import Kept, SkillStore, Swept
from ..ports.world import Cancelled, Offload
from .adoption import adopted, awaits_adoption
from .switches import Switches

__all__ = ["Started", "Upkeep"]

T = TypeVar("T")


@frozen(kw_only=True)
class Started:
    """What the start of an agent came to: of each of its two steps, what was done, or why it could not be.

    Nothing else depends on either; what was not done is left to the next start.
    """

    swept: Swept | SkillError
    adopted: Mapping[StateKey, SkillState] | SkillError

    @property
    def problems(self) -> tuple[SkillError, ...]:
        """Why not all was done."""
        return tuple(step for step in (self.swept, self.adopted) if isinstance(step, SkillError))


@frozen(kw_only=True, eq=False)
class Upkeep:
    """The roots of one agent and its table of states, kept in order.

    `sources` has one entry for each root; `store` is the one of them that may be changed, if any. Everything that
    blocks goes through `offload`. Nothing is kept but the last whole survey of each root.
    """

    sources: Sequence[SkillFiles]
    states: StateTable
    offload: Offload
    store: SkillStore | None = None
    _known: dict[SourceId, Survey] = field(factory=dict, init=False, repr=False)

    async def start(self) -> Started:
        """Do what the start of an agent takes: `sweep`, so that what it brings back is there to be adopted; `adopt`.

        To be called before the first change, by every process that changes skills; any number may call it at once, at
        any time. Costs one sync of the disk and what was left; a survey only where there are rows to adopt. Raises
        nothing: what the disk or the table refuse is told in what is given.
        """
        return Started(swept=await _told(self.sweep()), adopted=await _told(self.adopt()))

    async def adopt(self) -> Mapping[StateKey, SkillState]:
        """Adopt the rows of the 0.1.0 release that were never looked at; gives the rows that were written.

        Where not every root, row and mark can be read, nothing is done, and where a folder cannot, nothing with its
        name; the next start tries again. A row that somebody writes meanwhile stays as they wrote it.

        Raises:
            StateUnavailable: The table could not be written; the rows that are left wait for the next start.
        """
        standing = await self._switches.standing()
        waits = any(awaits_adoption(key, state) for key, state in standing.rows.items())
        if self.store is None or standing.unavailable is not None or not waits:
            return {}
        surveys = await self.offload(self._survey)
        unread = {name for survey in surveys for name, found in survey.sightings.items() if found.unread is not None}
        rows = {key: state for key, state in standing.rows.items() if key.name not in unread}
        catalog = Resolver().resolve(surveys, standing.states)
        wanted = {} if catalog.problems else adopted(rows, catalog)
        return {
            key: state for key, state in wanted.items() if await self.states.replace(key, state, seen=rows.get(key))
        }

    async def sweep(self) -> Swept:
        """Settle, finish and purge what interrupted mutations left, unless another is at work.

        Raises:
            StoreFailed, InDoubt, Busy, SourceUnavailable: See the port; what was not done is left to the next start.
        """
        store = self.store
        return Swept() if store is None else await self.offload(lambda _: store.sweep())

    async def kept(self) -> Sequence[Kept]:
        """What is kept of a person's that met one of our moves.

        Raises:
            StoreFailed, SourceUnavailable: It cannot be listed.
        """
        store = self.store
        return () if store is None else await self.offload(lambda _: store.kept())

    async def kept_listing(self, token: str) -> KeptListing:
        """All of what is kept under one token, as it is on the disk; what could not be looked at says so.

        Raises:
            KeptAbsent: Nothing is kept under that token.
            NotEditable: There is no root that may be changed.
            StoreFailed, SourceUnavailable: It cannot be listed.
        """
        store = self._changeable()
        return await self.offload(lambda _: store.kept_listing(token))

    async def kept_bytes(self, token: str, path: str, start: int = 0) -> bytes:
        """The bytes of one file of it from there on, `LIMITS.piece_bytes` at most; none at the end of the file.

        Raises:
            KeptAbsent: Nothing is kept under that token.
            SkillAbsent: There is no regular file of that path in it.
            NotEditable: There is no root that may be changed.
            StoreFailed, SourceUnavailable: It cannot be read.
        """
        store = self._changeable()
        return await self.offload(lambda _: store.kept_bytes(token, path, start))

    async def restore(self, token: str) -> SkillName:
        """Bring a kept folder back into sight under its own name; it is off, unless it was on before.

        Raises:
            KeptAbsent: Nothing is kept under that token.
            SkillExists: The name is taken.
            NotEditable: What is kept is no folder, or there is no root that may be changed.
            StoreFailed, InDoubt, Busy, SourceUnavailable: As `create`.
        """
        store = self._changeable()
        return await self.offload(lambda cancelled: store.restore(token, cancelled=cancelled))

    async def discard(self, token: str, *, seen: KeptListing) -> None:
        """Remove what is kept under that token, for ever, if it is still what was seen.

        Raises:
            KeptAbsent: Nothing is.
            NotEditable: It holds a `.git`, or more than is listed, or there is no root that may be changed.
            StaleRevision: It is not what was seen.
            StoreFailed, InDoubt, Busy, SourceUnavailable: As `create`.
        """
        store = self._changeable()
        await self.offload(lambda cancelled: store.discard(token, seen=seen, cancelled=cancelled))

    @property
    def _switches(self) -> Switches:
        return Switches(table=self.states, store=self.store, offload=self.offload)

    def _changeable(self) -> SkillStore:
        if self.store is None:
            raise NotEditable(SourceId.AGENT_LOCAL, "no root of the agent's own was given", "name a root")
        return self.store

    def _survey(self, _: Cancelled) -> Sequence[Survey]:
        surveys = [files.survey(self._known.get(files.source)) for files in self.sources]
        self._known.update((survey.source, survey) for survey in surveys if survey.problem is None)
        return surveys


async def _told(step: Awaitable[T]) -> T | SkillError:
    """What a step came to, or why it could not be done."""
    try:
        return await step
    except SkillError as problem:
        return problem
