"""Port: an index of one agent's skills in a graph that others read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..domain.index_entry import IndexEntry
from ..domain.names import SkillName

__all__ = ["EntryBarred", "GraphIndex", "IndexUnavailable"]


class IndexUnavailable(Exception):
    """The index cannot be read or written now, and is as it was. Told to a `Watcher`, and to nobody else.

    `why` is one phrase, without text of the host.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class EntryBarred(IndexUnavailable):
    """The entry of this name alone cannot be written: what is in its place is not of this index."""


class GraphIndex(Protocol):
    """What others find of one agent's skills. Never authoritative: whatever it says can be made again of a catalog.

    Other agents' entries, and whatever else is in the graph, are never seen or touched. Every method may raise
    `IndexUnavailable`, and nothing else.
    """

    async def entries(self, name: SkillName | None = None) -> Mapping[SkillName, IndexEntry | None]:
        """All entries, or that of one name; nothing for a name whose entry is there, and says nothing.

        One query; for one name, it costs the same however many others there are.
        """
        ...

    async def put(self, entry: IndexEntry, *, seen: IndexEntry | None) -> bool:
        """Write one entry, if what is there still reads as `seen`; whether it was written.

        Nothing was seen where none is, or where one is that says nothing. Compared and written in one step, so that an
        entry that another wrote meanwhile stays, and is for the next look at the catalog to judge.

        Raises:
            EntryBarred: Something that is not of this index is in its place.
        """
        ...

    async def drop(self, name: SkillName, *, seen: IndexEntry | None) -> None:
        """Remove one entry, if it still reads as `seen`; else leave it alone. Absent is well.

        A graph that cannot compare and remove in one step may compare just before: what another writes in between is
        lost until the next look at the catalog.
        """
        ...
