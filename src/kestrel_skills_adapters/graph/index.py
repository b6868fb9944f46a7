"""The graph index in the host's graph store: as little of that store as it takes, known by its methods alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol

from kestrel_skills_core.domain.index_entry import NODE_TYPE, IndexEntry, Node, from_node, node_id, to_node
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.ports.graph import EntryBarred, IndexUnavailable

__all__ = ["HostGraph", "HostStore"]

_WHY: Final = {"PrivacyViolationError": "the agent's privacy mode lets nothing be written"}
"""What an exception of the host means, by its class; of any other, the class is all that is told."""

_NO_GRAPH: Final = "the host has no graph"


class HostStore(Protocol):
    """What is asked of the store, `agent.storage` of Kestrel Sovereign 0.53 to 0.55: it is bound to one agent.

    Nodes have `node_id`, `node_type`, `label` and `properties`. Nodes of other agents are as if they were not there.
    """

    async def get_node(self, node_id: str) -> Any:
        """One node, or nothing."""
        ...

    async def get_nodes_by_type(self, node_type: str) -> Iterable[Any]:
        """All nodes of a type."""
        ...

    async def compare_and_swap_node(
        self, node_id: str, expected: Any, new_node: object, *, expected_node_type: str, expected_label: str
    ) -> str:
        """Make a node where none is expected, or give new properties to one that has exactly the expected ones.

        `swapped`; or `predicate_failed`, where it is otherwise; or `not_found`, where it is not there, and, as a node
        is to be made, where one is that belongs to another agent.
        """
        ...

    async def compare_and_delete_node(self, node_id: str, *, expected_node_type: str, expected_label: str) -> str:
        """Remove a node that still has that type and label; its properties are not compared."""
        ...


class HostGraph:
    """A `GraphIndex` in a host's store, for the agent of that DID.

    `store` and `node_type`, the host's own class of nodes, are asked for at each call: a host may get them later, or
    others. Where it has none, the index is unavailable.
    """

    def __init__(
        self,
        store: Callable[[], HostStore | None],
        agent: str,
        *,
        node_type: Callable[[], Callable[..., object] | None],
    ) -> None:
        self._found_store = store
        self._agent = agent
        self._node_type = node_type

    async def entries(self, name: SkillName | None = None) -> Mapping[SkillName, IndexEntry | None]:
        """All entries, or that of one name; see the port."""
        with _told():
            if name is None:
                nodes = await self._store.get_nodes_by_type(NODE_TYPE)
            else:
                nodes = [await self._store.get_node(node_id(self._agent, name))]
            return dict(said for node in nodes if (said := self._said(node)) is not None)

    async def put(self, entry: IndexEntry, *, seen: IndexEntry | None) -> bool:
        """Write one entry, if what is there still reads as it was seen; see the port. Two calls, at most three."""
        with _told():
            if seen is None:
                made = await self._swap(entry, None)
                if made == "not_found":
                    raise EntryBarred("a node of another agent has the id that one of its nodes is to have")
                if made == "swapped":
                    return True
            found = await self._store.get_node(node_id(self._agent, entry.name))
            if found is None:
                return False
            said = self._said(found)
            if said is None:
                raise EntryBarred("a node of another kind has the id that one of its nodes is to have")
            return said[1] == seen and await self._swap(entry, found.properties) == "swapped"

    async def drop(self, name: SkillName, *, seen: IndexEntry | None) -> None:
        """Remove one entry, if it read as it was seen just before; see the port."""
        with _told():
            found = await self._store.get_node(node_id(self._agent, name))
            if self._said(found) == (name, seen):
                await self._store.compare_and_delete_node(
                    node_id(self._agent, name), expected_node_type=NODE_TYPE, expected_label=name
                )

    @property
    def _store(self) -> HostStore:
        store = self._found_store()
        if store is None:
            raise IndexUnavailable(_NO_GRAPH)
        return store

    async def _swap(self, entry: IndexEntry, expected: object) -> str:
        """Write a node over the one that has these very properties, be they any, or where there is none."""
        node, node_type = to_node(self._agent, entry), self._node_type()
        if node_type is None:
            raise IndexUnavailable(_NO_GRAPH)
        return await self._store.compare_and_swap_node(
            node_id(self._agent, entry.name),
            expected,
            node_type(**node._asdict()),
            expected_node_type=NODE_TYPE,
            expected_label=entry.name,
        )

    def _said(self, found: Any) -> tuple[SkillName, IndexEntry | None] | None:
        if found is None:
            return None
        return from_node(self._agent, Node(found.node_id, found.node_type, found.label, found.properties))


@contextmanager
def _told() -> Iterator[None]:
    """Whatever goes wrong in the host becomes one phrase, without any text of it."""
    try:
        yield
    except IndexUnavailable:
        raise
    except Exception as error:
        kind = type(error).__name__
        raise IndexUnavailable(_WHY.get(kind, f"the host's graph did not answer: {kind}")) from error
