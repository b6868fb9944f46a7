"""The graph index follows the catalog: what differs is written, and nothing else.

Rule 1: an index can fail nothing. What cannot be written is told to the watcher, once each time, and is tried again
        with the next catalog.
Rule 2: while a root cannot be read, nothing may be seen, or nobody knows, no skill is taken for gone.
Rule 3: an entry keeps the time at which it was first written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from attrs import field, frozen

from ..domain.errors import StateUnavailable
from ..domain.index_entry import IndexEntry, entry_of
from ..domain.names import SkillName
from ..domain.record import Rejection, SkillRecord
from ..domain.resolver import Catalog
from ..ports.graph import EntryBarred, GraphIndex, IndexUnavailable
from ..ports.world import Clock, Watcher
from .observed import Latest

__all__ = ["Entries", "Indexed", "Repairs", "repairs"]

Entries = Mapping[SkillName, IndexEntry | None]


class Repairs(NamedTuple):
    """What an index lacks: entries to write, over what was seen of their names, and names to drop."""

    puts: tuple[IndexEntry, ...]
    drops: tuple[SkillName, ...]


def repairs(records: Iterable[SkillRecord], entries: Entries, now: datetime) -> Repairs:
    """What makes an index say what the records do; in the order in which they came, and were read. Pure."""
    puts, names = [], set()
    for record in records:
        names.add(record.name)
        seen = entries.get(record.name)
        entry = entry_of(record, now if seen is None else seen.created_at)
        if entry != seen:
            puts.append(entry)
    return Repairs(tuple(puts), tuple(name for name in entries if name not in names))


@frozen(kw_only=True)
class Indexed:
    """A `Mirror` that keeps a graph index. Raises nothing."""

    index: GraphIndex
    clock: Clock
    watcher: Watcher = field(factory=Watcher)
    _in_line: Latest[bool] = field(factory=Latest, init=False)
    """With which catalog the whole index was found to be, if nothing was told since."""

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Bring the whole index in line: one read, and a write for each entry that differs.

        While what is kept is hidden, nothing is read or written: the entries stay. Nor is anything where it was found
        in line with that catalog, and has been told of nothing since.
        """
        if self._in_line.of(catalog) and not hidden:
            return
        self._in_line.keep(None, answer=False)
        done = None if hidden else await self._follow(None, catalog.records, has_all=not catalog.problems)
        if done is not None:
            self._in_line.keep(catalog, answer=not any(done))
            self.watcher.index_in_line()

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Bring the entry of one name in line; no other is read or written. A rejected folder has none."""
        self._in_line.keep(None, answer=False)
        await self._follow(name, [found] if isinstance(found, SkillRecord) else [], has_all=True)

    async def lost(self, name: SkillName) -> None:  # noqa: ARG002 - see the port
        """Leave the entry as it is: it would lose the time at which it was first written."""
        self._in_line.keep(None, answer=False)

    async def lost_all(self, why: StateUnavailable) -> None:
        """Leave all entries as they are: of none it is known that it is otherwise."""

    async def _follow(self, name: SkillName | None, records: Iterable[SkillRecord], *, has_all: bool) -> Repairs | None:
        """What there was to do, if all of it could be done."""
        failure: IndexUnavailable | None = None
        puts, drops = Repairs((), ())
        try:
            entries = await self.index.entries(name)
            puts, drops = repairs(records, entries, self.clock.now())
            for entry in puts:
                failure = await _barred(self.index.put(entry, seen=entries.get(entry.name))) or failure
            drops = drops if has_all else ()
            for gone in drops:
                await self.index.drop(gone, seen=entries[gone])
        except IndexUnavailable as error:
            failure = error
        if failure is not None:
            self.watcher.index_failed(failure.why)
        return Repairs(puts, drops) if failure is None else None


async def _barred(writing: Awaitable[bool]) -> EntryBarred | None:
    """Why one entry alone could not be written, so that the others still are."""
    try:
        await writing
    except EntryBarred as error:
        return error
    return None
