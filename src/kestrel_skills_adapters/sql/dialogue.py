"""What is said to a database about one agent's states, and what follows from its answers; pure, whoever carries it.

Rule 1: every change is one statement, which says itself what must still be there. Nothing is locked between two.
Rule 2: where a change of which something must be true finds that it is not, it is looked at again, from the beginning.
Rule 3: the table is made where a change finds none, together with that change, or not at all.
Rule 4: where nobody knows whether a change was made, it is looked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, TypeVar

from attrs import frozen

from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import Row, StateKey, from_row, row_name, to_row

from . import statements
from .failures import Crowded, InDoubt, Unfit

__all__ = [
    "Ask",
    "CarriedStates",
    "Dialogue",
    "LastRead",
    "Read",
    "Step",
    "Steps",
    "Tell",
    "Together",
    "states_of",
]

T = TypeVar("T")


@frozen
class Ask:
    """A question: its answer is a list of rows."""

    text: str
    parameters: tuple[object, ...] = ()


@frozen
class Tell:
    """A change: its answer is how many rows it changed."""

    text: str
    parameters: tuple[object, ...] = ()


@frozen
class Together:
    """Several, all or none, in one transaction; the answer is that of the last."""

    steps: tuple[Ask | Tell, ...]


Step = Ask | Tell | Together
Steps = Generator[Step, Any, T]
Read = list[Sequence[Any]]
"""Rows as a dialect has them read: two that are equal read the same."""

_TRIES: Final = 8
"""Each that fails means that another writer's succeeded."""


@frozen
class Dialogue:
    """The verbs of a `StateTable`, step by step. Whoever carries them sends the answer to each, or throws its failure.

    Of what is thrown, `Unfit` and `InDoubt` mean something here.
    """

    owner: str
    dialect: statements.Dialect

    def rows(self, name: SkillName | None) -> Steps[Read]:
        """All rows, or those of one name, as they are read."""
        if name is None:
            question = Ask(self.dialect.select, (self.owner,))
        else:
            question = Ask(self.dialect.select_name, (self.owner, *statements.names_of(name)))
        return (yield from self._read(question))

    def put(self, key: StateKey, state: SkillState) -> Steps[None]:
        """Write one state."""
        yield from self._change(key, Tell(statements.UPSERT, self._values(key, state)), state)

    def replace(self, key: StateKey, state: SkillState, seen: SkillState | None) -> Steps[bool]:
        """Write one state, if it still reads as it was seen; whether it was written."""
        for _ in range(_TRIES):
            row = yield from self._row(key)
            if _said(row) != seen:
                return False
            if row is None:
                change = Tell(statements.INSERT, self._values(key, state))
            else:
                new = (*to_row(key, state)[1:], LIMITS.file_bytes)
                change = Tell(self.dialect.replace, (*new, *self._still(key, row)))
            if (yield from self._change(key, change, state)):
                return True
        raise Crowded

    def drop(self, key: StateKey, seen: SkillState) -> Steps[None]:
        """Remove one state, if it still reads as it was seen."""
        for _ in range(_TRIES):
            row = yield from self._row(key)
            if row is None or _said(row) != seen:
                return
            if (yield from self._change(key, Tell(self.dialect.delete, self._still(key, row)), None)):
                return
        raise Crowded

    def _row(self, key: StateKey) -> Steps[Row | None]:
        """The row of a key, whatever it says; nothing where there is none."""
        question = Ask(f"{self.dialect.select} AND file_name = ?", (self.owner, row_name(key)))
        found = yield from self._read(question)
        return _row(found[0]) if found else None

    def _read(self, question: Ask) -> Steps[Read]:
        try:
            found = yield question
        except Unfit:
            if not (yield Ask(self.dialect.has_table)):
                return []
            found = yield question  # somebody else may have made it since
        return list(found)

    def _change(self, key: StateKey, change: Tell, wanted: SkillState | None) -> Steps[int]:
        """Make a change, and the table that it needs; how many rows it changed."""
        try:
            return (yield from self._made(change))
        except InDoubt as doubt:
            try:
                found = yield from self._row(key)
            except Exception:  # noqa: BLE001 - what keeps it from being looked for is not what matters
                raise doubt from doubt.__cause__
            if _said(found) != wanted:
                raise
            return 1

    def _made(self, change: Tell) -> Steps[int]:
        try:
            return int((yield change))
        except Unfit:
            pass
        alone = () if self.dialect.alone is None else (Ask(self.dialect.alone),)
        try:
            return int((yield Together((*alone, *map(Tell, statements.CREATE), change))))
        except Unfit:  # somebody else may have made it at the same moment
            return int((yield change))

    def _still(self, key: StateKey, row: Row) -> tuple[object, ...]:
        """What the last parameters of a change are that is made only where a row still reads so."""
        path = row.file_path
        if self.dialect is statements.SQLITE and isinstance(path, str):
            path = path.encode()
        return (self.owner, row_name(key), path, row.enabled, row.priority)

    def _values(self, key: StateKey, state: SkillState) -> tuple[object, ...]:
        return statements.upsert_values(self.owner, key, state)


def _said(row: Row | None) -> SkillState | None:
    """What a row says; nothing where there is none, or it is no row of a state."""
    said = None if row is None else from_row(row)
    return None if said is None else said[1]


def states_of(read: Read) -> dict[StateKey, SkillState]:
    """What rows say, as far as they are rows of states."""
    columns = ((_text(name), _text(path), enabled, priority) for name, path, enabled, priority in read)
    return dict(said for row in columns if (said := from_row(row)) is not None)


class LastRead:
    """What all rows say, worked out once, and that very mapping while they read the same. Safe in any thread.

    The rows themselves take more room than all that is kept of them: a digest tells whether they read the same.
    """

    _last: tuple[bytes, Mapping[StateKey, SkillState]] = (b"", {})

    def states(self, read: Read) -> Mapping[StateKey, SkillState]:
        """What these say."""
        digest = sha256(repr(read).encode()).digest()
        last = self._last
        if digest != last[0]:
            self._last = last = digest, MappingProxyType(states_of(read))
        return last[1]


def _row(read: Sequence[Any]) -> Row:
    name, path, *rest = read
    return Row(_text(name), _text(path), *rest)


def _text(value: object) -> object:
    """A text that was read as its bytes; its bytes still where they are no UTF-8."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


class CarriedStates(ABC):
    """A `StateTable` whose dialogues somebody carries to a database."""

    def __init__(self) -> None:
        self._last = LastRead()

    async def rows(self, name: SkillName | None = None) -> Mapping[StateKey, SkillState]:
        """All states, or those of one name; see the port."""
        read = await self._carried(lambda dialogue: dialogue.rows(name))
        return self._last.states(read) if name is None else states_of(read)

    async def put(self, key: StateKey, state: SkillState) -> None:
        """Write one state; see the port."""
        await self._carried(lambda dialogue: dialogue.put(key, state))

    async def replace(self, key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        """Write one state, if it still reads as it was seen; see the port."""
        return await self._carried(lambda dialogue: dialogue.replace(key, state, seen))

    async def drop(self, key: StateKey, *, seen: SkillState) -> None:
        """Remove one state; see the port."""
        await self._carried(lambda dialogue: dialogue.drop(key, seen))

    @abstractmethod
    async def _carried(self, of: Callable[[Dialogue], Steps[T]]) -> T:
        """Say the steps of a dialogue, and give what it comes to.

        Raises:
            StateUnavailable: They cannot be said, or not be answered.
        """
