"""A table of states in memory."""

from __future__ import annotations

from collections.abc import Mapping

from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey, from_row, to_row

__all__ = ["MemoryStates"]


class MemoryStates:
    """A `StateTable` that remembers; set `unavailable` and every call raises it.

    It keeps rows, not states, so that what a row cannot hold is lost here as it is on a disk.
    """

    def __init__(self, states: Mapping[StateKey, SkillState] | None = None) -> None:
        self._rows = {key: to_row(key, state) for key, state in (states or {}).items()}
        self.unavailable: StateUnavailable | None = None

    async def rows(self, name: SkillName | None = None) -> Mapping[StateKey, SkillState]:
        """All states, or those of one name."""
        self._answer()
        rows = [row for key, row in self._rows.items() if name in (None, key.name)]
        return dict(said for row in rows if (said := from_row(row)) is not None)

    async def put(self, key: StateKey, state: SkillState) -> None:
        """Write one state."""
        self._answer()
        self._rows[key] = to_row(key, state)

    async def replace(self, key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        """Write one state, if it reads as `seen`."""
        if (await self.rows()).get(key) != seen:
            return False
        await self.put(key, state)
        return True

    async def drop(self, key: StateKey, *, seen: SkillState) -> None:
        """Remove one state, if it reads as `seen`."""
        if (await self.rows()).get(key) == seen:
            del self._rows[key]

    def _answer(self) -> None:
        if self.unavailable is not None:
            raise self.unavailable
