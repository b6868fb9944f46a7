"""What is enabled, kept in the order of the clause, so that one change costs the same however many there are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from attrs import define, field

from .budget import Budget
from .clause import Clause, line_of, place_of, render_ordered
from .names import SkillName
from .record import Rejection, SkillRecord

__all__ = ["Enabled"]


@define(eq=False)
class Enabled:
    """The enabled skills of one agent, at most one of a name."""

    _records: dict[SkillName, SkillRecord] = field(factory=dict, init=False)
    _order: list[SkillRecord] = field(factory=list, init=False)
    """The same, in order."""
    _names: tuple[SkillName, ...] = field(default=(), init=False)
    """Of each record, in the same order, as a clause has them: they are asked for more often than they change."""
    _lines: dict[SkillName, str] = field(factory=dict, init=False)
    """Of those that a clause asked for: a change alters one, or none."""
    _filled: object = field(default=None, init=False)
    """Of what it was filled, as long as it still is that."""

    def get(self, name: SkillName) -> SkillRecord | None:
        """The enabled skill of that name, if there is one."""
        return self._records.get(name)

    def fill(self, records: Sequence[SkillRecord]) -> None:
        """Hold the enabled ones of these, and no others. The very same ones again cost nothing."""
        if records is self._filled:
            return
        self._filled = records
        self._lines = {}
        self._records = {record.name: record for record in records if record.enabled}
        self._order = sorted(self._records.values(), key=place_of)
        self._names = tuple(record.name for record in self._order)

    def put(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Hold what a name means now, if that is enabled."""
        self._filled = None
        self._lines.pop(name, None)
        before = self._records.pop(name, None)
        if before is not None:
            at = bisect_left(self._order, place_of(before), key=place_of)
            del self._order[at]
            self._names = self._names[:at] + self._names[at + 1 :]
        if isinstance(found, SkillRecord) and found.enabled:
            self._records[name] = found
            at = bisect_left(self._order, place_of(found), key=place_of)
            self._order.insert(at, found)
            self._names = (*self._names[:at], name, *self._names[at:])

    def clause(self, budget: Budget) -> Clause:
        """The clause of them."""
        return render_ordered(self._order, self._names, budget, self._line_of)

    def _line_of(self, record: SkillRecord) -> str:
        line = self._lines.get(record.name)
        if line is None:
            line = self._lines[record.name] = line_of(record)
        return line
