"""A graph index in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kestrel_skills_core.domain.index_entry import IndexEntry, Node, from_node, node_id, to_node
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.ports.graph import EntryBarred, IndexUnavailable

__all__ = ["MemoryGraph"]


class MemoryGraph:
    """A `GraphIndex` that remembers, and the graph that it is in; set `unavailable` and every call raises it.

    It keeps `nodes`, not entries, so that what a node cannot hold is lost here as it is in a host. A test may put any
    others among them. `calls` are what was asked, in order: the method, and the name that it was asked about.
    """

    def __init__(self, agent: str = "did:example:kite", entries: Iterable[IndexEntry] = ()) -> None:
        self.agent = agent
        self.nodes: dict[object, Node] = {}
        self.unavailable: IndexUnavailable | None = None
        self.calls: list[tuple[str, SkillName | None]] = []
        for entry in entries:
            self.plant(to_node(agent, entry))

    def plant(self, node: Node) -> None:
        """Put a node into the graph, over the one of its id."""
        self.nodes[node.node_id] = node

    async def entries(self, name: SkillName | None = None) -> Mapping[SkillName, IndexEntry | None]:
        """All entries, or that of one name."""
        self._answer("entries", name)
        found = dict(said for node in self.nodes.values() if (said := from_node(self.agent, node)) is not None)
        return found if name is None else {each: entry for each, entry in found.items() if each == name}

    async def put(self, entry: IndexEntry, *, seen: IndexEntry | None) -> bool:
        """Write one entry, if what is there reads as `seen`."""
        self._answer("put", entry.name)
        node = to_node(self.agent, entry)
        there = self.nodes.get(node.node_id)
        said = (entry.name, None) if there is None else from_node(self.agent, there)
        if said is None:
            raise EntryBarred("a node of another kind has the id that one of its nodes is to have")
        if said != (entry.name, seen):
            return False
        self.plant(node)
        return True

    async def drop(self, name: SkillName, *, seen: IndexEntry | None) -> None:
        """Remove one entry, if it reads as `seen`."""
        self._answer("drop", name)
        there = self.nodes.get(node_id(self.agent, name))
        if there is not None and from_node(self.agent, there) == (name, seen):
            del self.nodes[there.node_id]

    def _answer(self, method: str, name: SkillName | None) -> None:
        self.calls.append((method, name))
        if self.unavailable is not None:
            raise self.unavailable
