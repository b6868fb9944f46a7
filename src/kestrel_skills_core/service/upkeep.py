"""What keeps an agent's skills in order apart from their use: the start of an agent, and what was kept of people's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import groupby
from typing import TypeVar

from attrs import evolve, field, frozen

from ..domain.errors import Hidden, KeptAbsent, NotEditable, SkillError
from ..domain.kept import KeptListing
from ..domain.names import SkillName, SourceId
from ..domain.owner import Owner
from ..domain.record import SkillState
from ..domain.resolver import Resolver, Survey
from ..domain.state_row import StateKey
from ..ports.files import SkillFiles
from ..ports.mirror import Mirror
from ..ports.privacy import Privacy
from ..ports.states import StateTable
from ..ports.store import Kept, SkillStore, Swept
from ..ports.world import Cancelled, Offload
from .adoption import adopted, awaits_adoption
from .observed import Latest, Look, Observed, look_at
from .switches import Standing, Switches
from .telling import LOST, Meaning, Telling

__all__ = ["Started", "Upkeep"]

T = TypeVar("T")


@frozen(kw_only=True)
class Started:
    """What the start of an agent came to: of each of its steps, what was done, or why it could not be.

    Nothing else depends on any of them; what was not done is left to the next start. `claimed` is whose root it was
    said to be until now, where that was another agent's.
    """

    swept: Swept | SkillError
    adopted: Mapping[StateKey, SkillState] | SkillError
    claimed: Owner | SkillError | None = None

    @property
    def problems(self) -> tuple[SkillError, ...]:
        """Why not all was done, each cause once."""
        steps = (self.swept, self.adopted, self.claimed)
        return tuple({(type(step), str(step)): step for step in steps if isinstance(step, SkillError)}.values())

    @property
    def ousted(self) -> Owner | None:
        """The agent whose root it was said to be until now: two agents may be working on one root."""
        return self.claimed if isinstance(self.claimed, Owner) else None


@frozen(kw_only=True, eq=False)
class Upkeep:
    """The roots of one agent and its table of states, kept in order.

    `sources` has one entry for each root; `store` is the one of them that may be changed, if any. Everything that
    blocks goes through `offload`. Nothing is kept but the last whole survey of each root.

    Nothing is looked at but in `seeing`, and nothing is written but while the privacy mode is held. The mirror is told
    of whatever may have changed what a name means, and of whatever else is seen to have.
    """

    sources: Sequence[SkillFiles]
    states: StateTable
    offload: Offload
    store: SkillStore | None = None
    privacy: Privacy = field(factory=Privacy)
    mirror: Mirror | None = None
    _known: dict[SourceId, Survey] = field(factory=dict, init=False, repr=False)
    _observed_last: Latest[Observed] = field(factory=Latest, init=False, repr=False)
    _telling: Telling = field(init=False, repr=False)

    @_telling.default
    def _of_the_mirror(self) -> Telling:
        return Telling(self.mirror)

    async def start(self, owner: Owner | None = None) -> Started:
        """Do what the start of an agent takes: `sweep`, so that what it brings back is there to be adopted; `adopt`.

        A host says whose the root is, which is then left in it for whoever comes by hand: `claim`.

        To be called before the first change, by every process that changes skills; any number may call it at once, at
        any time. Costs one sync of the disk and what was left; a survey only where there are rows to adopt. Raises
        nothing: what the disk, the table or the privacy mode refuse is told in what is given.
        """
        return Started(
            swept=await _told(self.sweep()), adopted=await _told(self.adopt()), claimed=await _told(self.claim(owner))
        )

    async def adopt(self) -> Mapping[StateKey, SkillState]:
        """Adopt the rows of the 0.1.0 release that were never looked at; gives the rows that were written.

        Where not every root, row and mark can be read, nothing is done, and where a folder cannot, nothing with its
        name; the next start tries again. A row that somebody writes meanwhile stays as they wrote it.

        Raises:
            StateUnavailable: The table could not be written; the rows that are left wait for the next start.
            Hidden, Busy: See `Privacy`; so do those.
        """
        with self.seeing():
            standing = await self._switches.standing()
            waits = any(awaits_adoption(key, state) for key, state in standing.rows.items())
            if self.store is None or standing.unavailable is not None or not waits:
                return {}
            surveys = await self.offload(self._survey)
        unread = {name for survey in surveys for name, found in survey.sightings.items() if found.unread is not None}
        rows = {key: state for key, state in standing.rows.items() if key.name not in unread}
        catalog = Resolver().resolve(surveys, standing.states)
        wanted = {} if catalog.problems else adopted(rows, catalog)
        written: dict[StateKey, SkillState] = {}
        for name, keys in groupby(wanted, key=lambda key: key.name):
            async with self.changing(name):
                for key in keys:
                    if await self.states.replace(key, wanted[key], seen=rows.get(key)):
                        written[key] = wanted[key]
        return written

    async def sweep(self) -> Swept:
        """Settle, finish and purge what interrupted mutations left, unless another is at work.

        What is there is looked at and ended in one step, under the store's own lock, which is taken while the mode is
        held and never the other way round. So the mode is held for that too, but for so many of them only as the store
        ends at once: in between it is let go.

        Raises:
            StoreFailed, InDoubt, Busy, SourceUnavailable: See the port; what was not done is left to the next start.
            Hidden: See `Privacy`; so is what is left.
        """
        store, swept = self.store, Swept()
        while store is not None:
            async with self.privacy.held():
                step = await self.offload(lambda _: store.sweep())
                for name in step.restored:
                    await self._tell(name)
            swept = evolve(
                step,
                purged=swept.purged + step.purged,
                restored=swept.restored + step.restored,
                kept=swept.kept + step.kept,
            )
            if not step.unfinished:
                break
        return swept

    async def claim(self, owner: Owner | None) -> Owner | None:
        """Say in the root whose it is, if anybody says so; gives whose it was till then, if another agent's.

        Raises:
            StoreFailed, Busy, SourceUnavailable: See the port; it is said at the next start.
            Hidden: See `Privacy`; so is it then.
        """
        store = self.store
        if store is None or owner is None:
            return None
        async with self.privacy.held():
            return await self.offload(lambda cancelled: store.claim(owner, cancelled=cancelled))

    async def owner(self) -> Owner | None:
        """Whose the root is said to be; nothing where nobody says so, or that cannot be read.

        Raises:
            Hidden: See `Privacy`.
        """
        store = self.store
        with self.seeing():
            return None if store is None else await self.offload(lambda _: store.owner())

    async def kept(self) -> Sequence[Kept]:
        """What is kept of a person's that met one of our moves.

        Raises:
            StoreFailed, SourceUnavailable: It cannot be listed.
        """
        store = self.store
        with self.seeing():
            return () if store is None else await self.offload(lambda _: store.kept())

    async def kept_listing(self, token: str) -> KeptListing:
        """All of what is kept under one token, as it is on the disk; what could not be looked at says so.

        Raises:
            KeptAbsent: Nothing is kept under that token.
            NotEditable: There is no root that may be changed.
            StoreFailed, SourceUnavailable: It cannot be listed.
        """
        with self.seeing():
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
        with self.seeing():
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
        with self.seeing():
            store = self._changeable()
            names = {kept.token: kept.name for kept in await self.offload(lambda _: store.kept())}
        if token not in names:
            raise KeptAbsent(token)
        async with self.changing(names[token]):
            return await self.offload(lambda cancelled: store.restore(token, cancelled=cancelled))

    async def discard(self, token: str, *, seen: KeptListing) -> None:
        """Remove what is kept under that token, for ever, if it is still what was seen.

        Raises:
            KeptAbsent: Nothing is.
            NotEditable: It holds a `.git`, or more than is listed, or there is no root that may be changed.
            StaleRevision: It is not what was seen.
            StoreFailed, InDoubt, Busy, SourceUnavailable: As `create`.
        """
        async with self.privacy.held():
            store = self._changeable()
            await self.offload(lambda cancelled: store.discard(token, seen=seen, cancelled=cancelled))

    @contextmanager
    def seeing(self) -> Iterator[None]:
        """Look at what is kept, unless it is hidden, or is by the end; then nothing that was seen may be told.

        Raises:
            Hidden: It is, whatever else was refused meanwhile.
        """
        self._expect_shown()
        try:
            yield
        except SkillError:
            self._expect_shown()
            raise
        self._expect_shown()

    @asynccontextmanager
    async def changing(self, name: SkillName) -> AsyncIterator[None]:
        """Hold the privacy mode while a change of one name is written; then tell the mirror what became of the name.

        It is told of a new look, whatever became of the change: what failed half way may have switched it off. The mode
        is still held then, so that nothing is told of what has been hidden since.

        Raises:
            Hidden, Busy: See `Privacy`; nothing was changed.
        """
        async with self.privacy.held():
            try:
                yield
            finally:
                await self._tell(name)

    async def _tell(self, name: SkillName) -> None:
        """Look at one name again, and tell the mirror, if there is one, what it means now.

        Where the look itself is cut short, or all is hidden by then, though the mode was held, it is told that nobody
        knows, lest it go on saying what was true before.
        """
        if self.mirror is None:
            return
        begun = self._telling.begin()
        found: Meaning = LOST
        try:
            with suppress(Hidden):
                found = _meaning(*await self._gathered(begun, name))
        finally:
            await self._telling.looked(begun, name, found, has_changed=True)

    async def gather(self, name: SkillName) -> tuple[Look, Standing]:
        """One name as it is now in every root, and what is on of it: what every change of it is decided on.

        The mirror is told what it means now, if that is news. That is how what others changed, another host or a
        person, reaches it as soon as anybody meets it. Where it had lost all, the whole is news, and looked at: that
        costs a survey, once after the table did not answer.

        Raises:
            Hidden: See `Privacy`.
        """
        begun = self._telling.begin()
        with self.seeing():
            look, standing = await self._gathered(begun, name)
            if self.mirror is not None:
                await self._telling.looked(begun, name, _meaning(look, standing))
        return look, standing

    async def _gathered(self, begun: int, name: SkillName) -> tuple[Look, Standing]:
        """Look at one name. Where nobody knows what is on, the mirror is told at once, and so when that has ended.

        Either is newer than this look, of which it is then told nothing more.
        """
        with self.seeing():
            look = await self.offload(lambda _: look_at(name, self.sources))
            standing = await self._switches.standing(name)
            if standing.unavailable is not None:
                await self._telling.lost_all(begun, standing.unavailable)
            elif self._telling.has_lost_all:
                await self._observed()
            return look, standing

    async def _observed(self) -> Observed:
        """Everything as it is now, of which the mirror is told. Opens only what changed since the last time.

        Raises:
            Hidden: See `Privacy`.
        """
        begun = self._telling.begin()
        with self.seeing():
            observed = await self._seen()
            if observed.unavailable is not None:
                await self._telling.lost_all(begun, observed.unavailable)
            else:
                await self._telling.shown(begun, observed.catalog)
        return observed

    async def _seen(self) -> Observed:
        with self.seeing():
            surveys = await self.offload(self._survey)
            standing = await self._switches.standing()
        last = self._observed_last.of((surveys, standing))
        if last is not None:
            return last
        observed = await self.offload(lambda _: _resolved(surveys, standing))
        return self._observed_last.keep((surveys, standing), observed)

    @property
    def _switches(self) -> Switches:
        return Switches(table=self.states, store=self.store, offload=self.offload)

    def _changeable(self) -> SkillStore:
        if self.store is None:
            raise NotEditable(SourceId.AGENT_LOCAL, "no root of the agent's own was given", "name a root")
        return self.store

    def _expect_shown(self) -> None:
        hidden = self.privacy.hidden()
        if hidden is not None:
            raise hidden from None

    def _survey(self, _: Cancelled) -> Sequence[Survey]:
        surveys = [files.survey(self._known.get(files.source)) for files in self.sources]
        self._known.update((survey.source, survey) for survey in surveys if survey.problem is None)
        return surveys


def _resolved(surveys: Sequence[Survey], standing: Standing) -> Observed:
    """What surveys and states amount to."""
    catalog = Resolver().resolve(surveys, standing.states)
    unavailable, roots = standing.unavailable, dict(catalog.problems)
    # Marks lie in the agent's own root: where that cannot be read, neither can they, and that is told once.
    told = standing.silent is None and SourceId.AGENT_LOCAL in roots
    problems = (*roots.values(), *([] if unavailable is None or told else [unavailable]))
    return Observed(catalog, unavailable, standing.fences, problems)


def _meaning(look: Look, standing: Standing) -> Meaning:
    """What a name means, by a look at it."""
    return LOST if look.is_unread else look.resolved(standing.states)


async def _told(step: Awaitable[T]) -> T | SkillError:
    """What a step came to, or why it could not be done."""
    try:
        return await step
    except SkillError as problem:
        return problem
