"""What is on, from the table of states and the fail-closed marks: read together, and written in the one safe order.

Rule 1: a marked name is off, whatever the table says; where the marks cannot be read, everything is.
Rule 2: off is the mark, then the row, then the mark away; on is the row, then the mark away. Each step is durable
        before the next begins, so that whatever is cut short leaves off what was not on before.
Rule 3: a mark is taken away only when every row that it kept off says off by itself, but for the one that was just
        written; and never where nobody knows what it kept off.
Rule 4: where the mark cannot be written, the row alone is; where neither can, nothing was done.
Rule 5: a mark is taken away only by who wrote that very one, or saw it before reading the rows. So whoever was told
        that a name is off by its mark alone can rely on it, whatever others do who began before.
Rule 6: whoever turns a name on looks for marks when the row is written. Where one is left, the row is written off
        again: the one whose mark it is may take it away without another look at the row.
Rule 7: a change of what somebody saw is compared and written in one step, before any mark, which a refusal would have
        to take back; only where the table does not answer then is off the mark.

Whoever turns off has the table read before the mark is written, and is told nothing till then: how long a table may be
silent it limits itself, and once it is known to be silent nothing here waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import evolve, frozen

from ..domain.errors import Failed, StaleRevision, StateUnavailable, SwitchedOff
from ..domain.names import SkillName
from ..domain.record import SkillState
from ..domain.state_row import StateKey
from ..ports.states import StateTable
from ..ports.store import Fence, SkillStore
from ..ports.world import Offload
from .observed import States

__all__ = ["Standing", "Switches"]

_WHY: Final = "it is being turned off"
_UNREADABLE: Final = ("the fail-closed marks in `.kestrel-internal` cannot be read", "let yourself read that folder")


@frozen(kw_only=True)
class Standing:
    """The rows and the marks at one moment: no rows where the table is `silent`, no `fences` where none can be read.

    The rows may be those of one name alone.
    """

    rows: States
    fences: Mapping[SkillName, Fence] | None
    silent: StateUnavailable | None = None

    @property
    def unavailable(self) -> StateUnavailable | None:
        """Why nothing can be on, or be turned on."""
        return StateUnavailable(*_UNREADABLE) if self.silent is None and self.fences is None else self.silent

    @property
    def states(self) -> States:
        """What the rows amount to under the marks."""
        return {
            key: evolve(state, enabled=False) if state.enabled and self.marks(key.name) else state
            for key, state in self.rows.items()
        }

    def marks(self, name: SkillName) -> bool:
        """Whether a mark keeps the name off."""
        return self.fences is None or name in self.fences

    def mark(self, name: SkillName) -> Fence | None:
        """The mark that was seen on a name, if any."""
        return None if self.fences is None else self.fences.get(name)


@frozen(kw_only=True)
class Switches:
    """The table of states, and the marks in the root that may be changed, if there is one."""

    table: StateTable
    store: SkillStore | None
    offload: Offload

    async def standing(self, name: SkillName | None = None) -> Standing:
        """Read both, of one name or of all; the marks first, since a row is written before its mark goes."""
        fences = await self._fences()
        try:
            rows = await self.table.rows(name)
        except StateUnavailable as error:
            return Standing(rows={}, fences=fences, silent=error)
        return Standing(rows=rows, fences=fences)

    async def on(self, key: StateKey, state: SkillState, standing: Standing, *, expected: str | None = None) -> None:
        """Turn one row on; where an etag is `expected`, which the standing was held against, only if it is as it was.

        Raises:
            StaleRevision: It is not; nothing was changed.
            StateUnavailable: The table or the marks could not be read, or the table not written.
            StoreFailed, InDoubt, Busy, SourceUnavailable: The mark could not be taken away, and the row is off again.
            SwitchedOff: A mark was written that had not been seen, and the row is off again.
        """
        if standing.unavailable is not None:
            raise standing.unavailable
        await self._write(key, state, standing, expected)
        try:
            if standing.marks(key.name):
                await self.lift(key.name, (key,), standing)
            await self._expect_unmarked(key.name)
        except (Failed, SwitchedOff):
            await self.table.replace(key, evolve(state, enabled=False), seen=state)
            raise

    async def off(
        self, rows: Mapping[StateKey, SkillState], standing: Standing, *, expected: str | None = None
    ) -> None:
        """Turn off rows of one name; each is given as it shall be. For `expected` see `on`.

        Raises:
            StaleRevision: A row is not as it was; nothing was changed.
            StateUnavailable: Neither a mark nor a row could be written.
        """
        (name,) = {key.name for key in rows}
        priority = min(state.priority for state in rows.values())
        mark, over = (None, None) if expected is not None else await self._fence(name, priority)
        try:
            if standing.silent is not None:
                raise standing.silent
            for key, state in rows.items():
                await self._write(key, state, standing, expected)
        except StateUnavailable:
            if expected is not None:
                mark, _ = await self._fence(name, priority)
            if mark is not None:
                return
            raise
        try:
            await self._clear(name, rows, standing, mark, over)
        except Failed:
            return  # the rows say off: the name is off twice, and the next change of it takes the mark away

    async def move(self, key: StateKey, state: SkillState, standing: Standing) -> None:
        """Write what turns nothing on or off, if the row is as it was; what a mark keeps off, it still does.

        Raises:
            StaleRevision: It is not; nothing was changed.
            StateUnavailable: The table could not be written.
        """
        seen = standing.rows.get(key)
        if state != (seen or SkillState()) and not await self.table.replace(key, state, seen=seen):
            raise StaleRevision(key.name, None)

    async def _clear(
        self, name: SkillName, written: Iterable[StateKey], standing: Standing, mark: Fence | None, over: Fence | None
    ) -> None:
        """Take away the own mark, and what is left of any that it was written over; or, without one, what is there."""
        seen = standing.mark(name)
        if mark is None or (over is not None and not over.is_same(seen)):
            # A mark that was not seen may keep off what is on by rows that were not read: look again.
            standing = await self.standing(name)
            mark = seen = standing.mark(name)
        if standing.unavailable is not None:
            return
        if seen is not None:
            await self._put_off(name, written, standing)
        await self._unfence(name, mark)

    async def lift(self, name: SkillName, written: Iterable[StateKey], standing: Standing) -> None:
        """Take away the mark that was seen on a name, after these rows were written or dropped; others stay.

        What only the mark kept off is written off first.

        Raises:
            StateUnavailable, StoreFailed, InDoubt, Busy, SourceUnavailable: It is still there, or may be.
        """
        await self._put_off(name, written, standing)
        await self._unfence(name, standing.mark(name))

    async def _write(self, key: StateKey, state: SkillState, standing: Standing, expected: str | None) -> None:
        if expected is None:
            await self.table.put(key, state)
        elif not await self.table.replace(key, state, seen=standing.rows.get(key)):
            raise StaleRevision(key.name, expected)

    async def _expect_unmarked(self, name: SkillName) -> None:
        fences = await self._fences()
        if fences is None:
            raise StateUnavailable(*_UNREADABLE)
        if name in fences:
            raise SwitchedOff(name)

    async def _put_off(self, name: SkillName, written: Iterable[StateKey], standing: Standing) -> None:
        """Write off what only the mark kept off."""
        for key, state in standing.rows.items():
            if key.name == name and state.enabled and key not in written:
                await self.table.put(key, evolve(state, enabled=False))

    async def _fences(self) -> Mapping[SkillName, Fence] | None:
        store = self.store
        return {} if store is None else await self.offload(lambda _: store.fenced())

    async def _fence(self, name: SkillName, priority: int) -> tuple[Fence, Fence | None] | tuple[None, None]:
        """Write a mark; gives it, and the one that it was written over. No mark where none may be there."""
        store = self.store
        if store is None:
            return None, None
        mark = Fence(priority=priority, reason=_WHY)
        try:
            return await self.offload(lambda cancelled: store.fence(name, mark, cancelled=cancelled))
        except Failed:
            return None, None

    async def _unfence(self, name: SkillName, seen: Fence | None) -> None:
        store = self.store
        if store is not None and seen is not None:
            await self.offload(lambda cancelled: store.unfence(name, seen=seen, cancelled=cancelled))
