"""What `agent.storage` of Kestrel Sovereign 0.53 to 0.55 is for a graph index, in memory: a stand-in for tests.

It stands for `PrivacyEnforcingStorage` over `AsyncGraphStore` on SQLite, for agents that share one database:

- Ids are global. A node is seen, swapped and deleted by its owner alone; to others it is as if it were not there, but
  that they cannot make one of its id.
- Properties are kept as JSON. What was expected is compared with what is kept as SQLite's `json()` has both: white
  space does not matter, the order of the keys does.
- A swap writes the properties alone; type and label, where they are given, are compared besides.
- `add_node` writes over whatever its owner has.
- In a volatile privacy mode nodes of content are not written; they are read and deleted all the same.
- A database that fails raises the host's own kind of error, with text that nobody outside is to see.

The suites that run on it run on the real store too (`nox -s host`), which keeps it honest.
"""

from __future__ import annotations

import json
from enum import StrEnum

from attrs import define, field, frozen

__all__ = ["DatabaseError", "Deleted", "GraphNode", "HostDatabase", "PrivacyViolationError", "StandIn", "Swapped"]


class PrivacyViolationError(Exception):
    """As the host's, which is known by its name."""


class DatabaseError(Exception):
    """As the host's."""


class Swapped(StrEnum):
    """As the host's `NodeSwapResult`, as far as it is met."""

    SWAPPED = "swapped"
    PREDICATE_FAILED = "predicate_failed"
    NOT_FOUND = "not_found"


class Deleted(StrEnum):
    """As the host's `NodeDeleteResult`."""

    DELETED = "deleted"
    PREDICATE_FAILED = "predicate_failed"
    NOT_FOUND = "not_found"


@define
class GraphNode:
    """As the host's."""

    node_id: str
    node_type: str
    label: str
    properties: dict[str, object]


@define
class _Kept:
    owner: str
    node_type: str
    label: str
    properties: str


@define
class HostDatabase:
    """The tables of nodes and owners in one."""

    rows: dict[str, _Kept] = field(factory=dict)
    fails: bool = False


@frozen
class StandIn:
    """The storage of one agent."""

    database: HostDatabase
    agent: str
    volatile: bool = False

    async def get_node(self, node_id: str) -> GraphNode | None:
        """One node of this agent's."""
        kept = self._own(node_id)
        return None if kept is None else self._node(node_id, kept)

    async def get_nodes_by_type(self, node_type: str) -> list[GraphNode]:
        """All nodes of a type of this agent's."""
        rows = self._rows().items()
        return [self._node(at, kept) for at, kept in rows if (kept.owner, kept.node_type) == (self.agent, node_type)]

    async def add_node(self, node: GraphNode) -> None:
        """Write a node, whatever this agent has there."""
        self._write()
        kept = self._rows().get(node.node_id)
        if kept is not None and kept.owner != self.agent:
            raise ValueError("Cannot overwrite a graph node owned by another agent")
        self._rows()[node.node_id] = self._kept(node)

    async def compare_and_swap_node(
        self,
        node_id: str,
        expected: object,
        new_node: GraphNode,
        *,
        expected_node_type: str | None = None,
        expected_label: str | None = None,
    ) -> Swapped:
        """Make a node, or write other properties over those that are expected."""
        self._write()
        if expected_node_type is not None and (new_node.node_type, new_node.label) != (
            expected_node_type,
            expected_label,
        ):
            raise ValueError("new_node identity must match expected_node_type and expected_label")
        if new_node.properties.get("agent_id", self.agent) != self.agent:
            raise ValueError("Graph node owner does not match the bound agent")
        kept = self._own(node_id)
        if expected is None and node_id not in self._rows():
            self._rows()[node_id] = self._kept(new_node)
            return Swapped.SWAPPED
        if kept is None:
            return Swapped.NOT_FOUND
        if expected is None or not _is_same(kept, expected):
            return Swapped.PREDICATE_FAILED
        if expected_node_type is not None and (kept.node_type, kept.label) != (expected_node_type, expected_label):
            return Swapped.PREDICATE_FAILED
        kept.properties = json.dumps(new_node.properties)
        return Swapped.SWAPPED

    async def compare_and_delete_node(self, node_id: str, *, expected_node_type: str, expected_label: str) -> Deleted:
        """Delete a node of that type and label."""
        kept = self._own(node_id)
        if kept is None:
            return Deleted.NOT_FOUND
        if (kept.node_type, kept.label) != (expected_node_type, expected_label):
            return Deleted.PREDICATE_FAILED
        del self._rows()[node_id]
        return Deleted.DELETED

    def _rows(self) -> dict[str, _Kept]:
        if self.database.fails:
            raise DatabaseError("no such table: graph_nodes in /srv/kite/secret.db")
        return self.database.rows

    def _own(self, node_id: str) -> _Kept | None:
        kept = self._rows().get(node_id)
        return kept if kept is not None and kept.owner == self.agent else None

    def _write(self) -> None:
        if self.volatile:
            raise PrivacyViolationError("Graph write blocked: node_type='procedural_skill' is not structural")

    def _kept(self, node: GraphNode) -> _Kept:
        return _Kept(self.agent, node.node_type, node.label, json.dumps(node.properties))

    def _node(self, node_id: str, kept: _Kept) -> GraphNode:
        return GraphNode(node_id, kept.node_type, kept.label, json.loads(kept.properties) if kept.properties else {})


def _is_same(kept: _Kept, expected: object) -> bool:
    """Whether two texts of JSON are one to SQLite's `json()`, in which the order of the keys stays."""
    return json.dumps(json.loads(kept.properties or "{}")) == json.dumps(expected)
