"""What may be changed, in the order in which a person does: create, edit, adapt, delete, switch on and off.

A mutation is decided on what was observed, then committed by one atomic verb of the store, and then followed by what
it makes true elsewhere. What follows is never undone and never needed: whatever is cut short after the commit leaves a
skill that is there and off, or that is gone and whose row speaks of nothing. A mutation touches one name. What it gives
is put together while the privacy mode is still held.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from attrs import evolve, field, frozen

from ..domain.budget import Budget
from ..domain.commands import Adapt, Create, Delete, Edit, RemoveFile, SetState, Unadapt
from ..domain.errors import Moved, SkillError, StaleRevision
from ..domain.names import Address, SkillName, SourceId
from ..domain.record import Rejection, SkillRecord, SkillState, Subject
from ..domain.state_row import StateKey
from ..ports.store import SkillStore
from ..ports.world import Cancelled
from .adapting import Adapting, Steps, adapting, unadapting
from .commits import Remove, Write
from .decide import (
    Decision,
    Folder,
    Turn,
    created,
    deletable,
    deleted,
    edited,
    key_of,
    refuse_moved,
    removed,
    turned,
    turned_off,
)
from .observed import Look, States
from .queries import Queries
from .switches import Standing

__all__ = ["Deletion", "Outcome", "SkillLibrary"]

T = TypeVar("T")


@frozen(kw_only=True)
class Outcome:
    """What a mutation came to that was committed.

    `found` is the skill that was made; after a deletion, what resolves under its name now, if anything. `problem` is
    why its row or mark could not be written, or cleared: the skill is then off.
    """

    found: SkillRecord | Rejection | None
    problem: SkillError | None = None


@frozen(kw_only=True)
class Deletion:
    """What a deletion would take, the token that approves it, and what would resolve under the name then, if any."""

    found: SkillRecord | Rejection
    delete_revision: str
    then: SkillRecord | Rejection | None


@frozen(kw_only=True, eq=False)
class SkillLibrary(Queries):
    """The skills of one agent: its roots, its table of states, and what may be done with them.

    Whoever builds one calls `start` before the first change. While what is kept is hidden, every change is refused with
    `Hidden`; `Busy` may also mean that the privacy mode could not be held in time. Nothing was changed then. What a
    change is decided on is looked at before the mode is held: what a person does in between is `StaleRevision`.
    """

    agent: str
    budget: Budget = field(factory=Budget)

    async def create(self, command: Create) -> Outcome:
        """Make a skill: bring it into sight, off; then turn it on, if that is asked for, or give it its place.

        Raises:
            TooLarge, BadDocument: See `created`.
            SkillExists: The agent's own root holds an entry of that name. A shared skill of it will be shadowed.
            NotEditable: There is no root that may be changed.
            StoreFailed, Busy, SourceUnavailable: Nothing was made.
            InDoubt: Only looking again tells.
        """
        decision = created(command)
        look, standing = await self.gather(command.name)
        key, states, problem = StateKey(command.name), standing.states, None
        async with self.changing(command.name):
            generation = await self._commit(decision.commit)
            subject = Subject(generation=generation)
            state = SkillState(enabled=command.enabled, priority=command.priority, subject=subject)
            if command.enabled or command.priority != states.get(key, SkillState()).priority:
                written = self._switches.on(key, state, standing) if command.enabled else self.states.put(key, state)
                problem = await _problem_of(written)
                states = {**states, key: state} if problem is None else states
            sighting = evolve(decision.sighting, generation=generation)
            found = look.after(sighting).find(Address(command.name, SourceId.AGENT_LOCAL), states)
            return Outcome(found=found, problem=problem)

    async def edit(self, command: Edit) -> SkillRecord | Rejection:
        """Change one file of a skill, or add one; gives the skill as it then is. Other files are not touched.

        Raises:
            SkillAbsent, TooLarge, SourceUnavailable: As `read`; or see `edited`.
            BadDocument, NotEditable, StaleRevision, Unconditional, Unmatched: See `edited`; nothing was changed.
            StoreFailed, Busy: Nothing was changed.
            InDoubt: Only looking again tells.
        """
        return await self._revise(command.address, lambda folder: edited(command, folder))

    async def remove_file(self, command: RemoveFile) -> SkillRecord | Rejection:
        """Take one file out of a skill; gives the skill as it then is.

        Raises:
            SkillAbsent, NotEditable, StaleRevision, Unconditional: See `removed`; nothing was changed.
            TooLarge, SourceUnavailable, StoreFailed, Busy, InDoubt: As `edit`.
        """
        return await self._revise(command.address, lambda folder: removed(command, folder))

    async def adapt(self, command: Adapt) -> Adapting:
        """Bring the `SKILL.md` of a folder into the two-field form; gives what was changed, and what it then is.

        The row of a rejected folder is written off first: what it becomes, nobody has approved. The row still speaks of
        the same birth. Whatever is cut short is off, and asking again goes on.

        Raises:
            SkillAbsent, TooLarge, SourceUnavailable: As `read`.
            BadDocument, NotEditable, StaleRevision: See `adapting`; nothing was changed.
            StateUnavailable: Whether it was on cannot be read, or not be written; nothing was changed.
            StoreFailed, Busy: Its `SKILL.md` is as it was.
            InDoubt: Only looking again tells.
        """
        look, standing, folder = await self._folder(command.address)
        with _AsRead(folder):
            adaptation, steps = adapting(command, folder)
            if not steps.commits:
                return Adapting(found=folder.found, adaptation=adaptation)
            async with self.changing(folder.name):
                states = await self._held_off(folder, standing)
                await self._take(steps)
                return Adapting(found=_become(folder, look.after(steps.sighting), states), adaptation=adaptation)

    async def unadapt(self, command: Unadapt) -> SkillRecord | Rejection:
        """Put back the `SKILL.md` that a folder had before it was adapted, to the byte; gives what it then is.

        Raises:
            SkillAbsent, TooLarge, SourceUnavailable: As `read`; or see `unadapting`.
            NotEditable, StaleRevision: See `unadapting`; nothing was changed.
            StoreFailed, Busy: Its `SKILL.md` is as it was, or as it was before; asking again goes on.
            InDoubt: Only looking again tells.
        """
        look, standing, folder = await self._folder(command.address)
        with _AsRead(folder):
            steps = unadapting(command, folder)
            async with self.changing(folder.name):
                await self._take(steps)
                return _become(folder, look.after(steps.sighting), standing.states)

    async def deletion(self, address: Address) -> Deletion:
        """What deleting an address would do; nothing is done.

        Raises:
            SkillAbsent, NotEditable, TooLarge, SourceUnavailable: As `delete`.
        """
        look, standing = await self.gather(address.name)
        await self._root(look, address)
        own = look.own(address, standing.states)
        token = deletable(own, self.agent).token
        return Deletion(found=own, delete_revision=token, then=look.after(None).resolved(standing.states))

    async def delete(self, command: Delete) -> Outcome:
        """Delete a folder: take it out of sight; then drop its row, if it still reads as it did, and its mark.

        Raises:
            SkillAbsent, NotEditable, StaleRevision: See `deleted`; nothing was deleted.
            TooLarge, SourceUnavailable, StoreFailed, Busy: Nothing was deleted.
            InDoubt: Only looking again tells.
        """
        name = command.address.name
        look, standing = await self.gather(name)
        await self._root(look, command.address)
        own = look.own(command.address, standing.states)
        commit, key = deleted(command, own, self.agent), key_of(own, name)
        row = standing.rows.get(key)
        problem: SkillError | None = standing.unavailable
        dropped: tuple[StateKey, ...] = ()
        async with self.changing(name):
            await self._commit(commit)
            if row is not None and row.subject in (None, Subject(generation=own.generation)):
                problem = await _problem_of(self.states.drop(key, seen=row)) or problem
                dropped = (key,)
            if problem is None and standing.marks(name):
                problem = await _problem_of(self._switches.lift(name, dropped, standing))
            return Outcome(found=look.after(None).resolved(standing.states), problem=problem)

    async def set_state(self, command: SetState) -> SkillRecord | Rejection | None:
        """Turn a skill on or off, move it, or pin it; gives the skill in its new state. Touches one name.

        What stays as it is must be known: where the table does not answer, a skill can be turned off, and nothing else.

        Turning off needs no folder, and no table: where the table does not answer, a mark in the agent's own root keeps
        the name off. Where an address leads to no folder, or to one that cannot be read, every row that it may mean is
        turned off, and nothing is given.

        Raises:
            StateUnavailable: What is on cannot be read or written; nothing was changed.
            SkillAbsent: Nothing of that name is there, nor, to turn off, a row or mark.
            TooLarge, SourceUnavailable: As `read`; nothing was changed.
            BadDocument, NotEditable, StaleRevision: See `turned` and `refuse_moved`; nothing was changed. So it is
                where another process changes meanwhile what stays, or what the etag is of.
            StoreFailed, Busy, InDoubt: A mark that kept it off could not be taken away; it is still off.
            SwitchedOff: Another switched it off meanwhile, or a skill is to be pinned that is off; it is still off.
        """
        address = command.address
        look, standing = await self.gather(address.name)
        if await self._turned_off_unseen(command, look, standing):
            return None
        await self._root(look, address)
        found = look.find(address, standing.states)
        if command.enabled is not False and standing.unavailable is not None:
            raise standing.unavailable
        refuse_moved(command, found)
        key = key_of(found, address.name)
        turn, state = turned(command, found, standing.rows.get(key, SkillState()))
        async with self.changing(address.name):
            if turn is Turn.ON:
                await self._switches.on(key, state, standing, expected=command.expected_etag)
            elif turn is Turn.OFF:
                await self._switches.off({key: state}, standing, expected=command.expected_etag)
            else:
                await self._switches.move(key, state, standing)
            if isinstance(found, Rejection):
                return found
            return found.in_state(evolve(found.state, priority=state.priority) if turn is Turn.NEITHER else state)

    async def _turned_off_unseen(self, command: SetState, look: Look, standing: Standing) -> bool:
        """Turn off what an address may mean that leads to no folder which could be seen; gives whether that was asked.

        Where it has neither a row nor a mark, it was not.
        """
        if command.enabled is not False or command.expected_etag is not None:
            return False
        name = command.address.name
        keys = [key for key in look.unseen(command.address) if key in standing.rows]
        is_marked = standing.fences is not None and standing.marks(name)
        if not keys and not (is_marked and look.unseen(command.address)):
            return False
        async with self.changing(name):
            if keys:
                await self._switches.off({key: turned_off(command, standing.rows[key]) for key in keys}, standing)
            elif standing.silent is None:
                await self._switches.lift(name, (), standing)
        return True

    async def commit(self, name: SkillName, commit: Callable[[SkillStore, Cancelled], T]) -> T:
        """Make one change of one name, by one verb of the store, decided by the caller.

        Raises:
            NotEditable: There is no root that may be changed.
            Moved, StoreFailed, Busy, InDoubt, SourceUnavailable: See the verb.
            Hidden: See `Privacy`; nothing was changed.
        """
        async with self.changing(name):
            return await self._commit(commit)

    async def _commit(self, commit: Callable[[SkillStore, Cancelled], T]) -> T:
        store = self._changeable()
        return await self.offload(lambda cancelled: commit(store, cancelled))

    async def _revise(
        self,
        address: Address,
        decide: Callable[[Folder], Decision[Write | None]] | Callable[[Folder], Decision[Remove]],
    ) -> SkillRecord | Rejection:
        look, standing, folder = await self._folder(address)
        with _AsRead(folder):
            decision = decide(folder)
            if decision.commit is None:
                return folder.found
            async with self.changing(folder.name):
                await self._commit(decision.commit)
                return _become(folder, look.after(decision.sighting), standing.states)

    async def _take(self, steps: Steps) -> None:
        """Take the steps, each durable before the next begins."""
        for commit in steps.commits:
            await self._commit(commit)

    async def _held_off(self, folder: Folder, standing: Standing) -> States:
        """Write off a folder that is rejected, and whose row says on; gives the states then.

        It is off already, so that no mark is needed: should this fail, nothing has changed.
        """
        if standing.silent is not None:
            raise standing.silent
        key = key_of(folder.found, folder.name)
        state = standing.rows.get(key, SkillState())
        if not state.enabled:
            return standing.states
        off = evolve(state, enabled=False)
        await self.states.put(key, off)
        return {**standing.states, key: off}


@frozen
class _AsRead:
    """A folder that could not be read whole is told as that, where it else would seem to have changed."""

    folder: Folder

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Moved) and not (isinstance(error, StaleRevision) and error.kept):
            self.folder.sighting.refuse_unread()


def _become(folder: Folder, look: Look, states: States) -> SkillRecord | Rejection:
    """What a folder is now, by its own address."""
    return look.find(Address(folder.name, folder.found.source), states)


async def _problem_of(step: Awaitable[None]) -> SkillError | None:
    """Why a step that follows a commit could not be done; the commit stands."""
    try:
        await step
    except SkillError as problem:
        return problem
    return None
