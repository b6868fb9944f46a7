"""Port: the table of what is enabled, for one agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..domain.names import SkillName
from ..domain.record import SkillState
from ..domain.state_row import StateKey

__all__ = ["StateTable"]


class StateTable(Protocol):
    """The rows of one agent. Other agents' rows, and rows that are not of a skill's state, are never seen or touched.

    Every method may raise `StateUnavailable`, and nothing else: the table cannot be read or written, and is as it was;
    or the connection was lost in the middle of a commit, or a change was not answered, and the error says that nobody
    knows. Every method ends: how long it waits for an answer is for the table to limit.
    """

    async def rows(self, name: SkillName | None = None) -> Mapping[StateKey, SkillState]:
        """All states, inert ones included, or those of one name. A table that is not there has none, and is not made.

        One query; for one name, it costs the same however many others there are.
        """
        ...

    async def put(self, key: StateKey, state: SkillState) -> None:
        """Write one state, durably, over whatever was there. Makes the table if it is not there."""
        ...

    async def replace(self, key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        """Write one state as `put` does, if it still reads as `seen`, or is still absent; whether it was written."""
        ...

    async def drop(self, key: StateKey, *, seen: SkillState) -> None:
        """Remove one state if it still reads as `seen`; else leave it alone. Absent is well."""
        ...
