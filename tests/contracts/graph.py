"""Graph indexes to try: the fake, the host's store as it is known, and that store itself where a host is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from kestrel_skills_adapters.contracts.graph import AGENT, Bed
from kestrel_skills_adapters.graph.index import HostGraph
from kestrel_skills_adapters.memory.graph import MemoryGraph
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.index_entry import NODE_TYPE, Node
from kestrel_skills_core.ports.graph import GraphIndex, IndexUnavailable
from tests.contracts.host_store import GraphNode, HostDatabase, StandIn

__all__ = ["BEDS", "HOST_BEDS", "OTHER", "HostBed"]

OTHER = "did:web:localhost:heron"


@frozen(kw_only=True)
class HostBed(Bed):
    """An index in a host's store, which knows other agents, and privacy modes."""

    plant_of_another: Callable[[Node], None]
    """Put a node of another agent's into it."""
    volatile: GraphIndex
    """The same index, while the agent is in a privacy mode in which nothing is kept."""


@contextmanager
def in_memory() -> Iterator[Bed]:
    """The fake."""
    graph = MemoryGraph(AGENT)

    @contextmanager
    def away() -> Iterator[None]:
        graph.unavailable = IndexUnavailable("it is away")
        yield
        graph.unavailable = None

    yield Bed(
        graph=graph,
        run=finish,
        plant=graph.plant,
        nodes=lambda: [node for node in graph.nodes.values() if node.node_type == NODE_TYPE],
        away=away,
        clear=graph.nodes.clear,
    )


@contextmanager
def standing_in() -> Iterator[HostBed]:
    """The host's store as `host_store` knows it."""
    database = HostDatabase()
    own, other = StandIn(database, AGENT), StandIn(database, OTHER)
    volatile = StandIn(database, AGENT, volatile=True)

    @contextmanager
    def away() -> Iterator[None]:
        database.fails = True
        yield
        database.fails = False

    yield HostBed(
        graph=HostGraph(lambda: own, AGENT, node_type=lambda: GraphNode),
        run=finish,
        plant=lambda node: finish(own.add_node(GraphNode(**node._asdict()))),
        nodes=lambda: [_node(found) for found in finish(own.get_nodes_by_type(NODE_TYPE))],
        away=away,
        clear=database.rows.clear,
        plant_of_another=lambda node: finish(other.add_node(GraphNode(**node._asdict()))),
        volatile=HostGraph(lambda: volatile, AGENT, node_type=lambda: GraphNode),
    )


@contextmanager
def on_sqlite(folder: Path) -> Iterator[HostBed]:
    """The real host's store, in a SQLite file."""
    _skip_without_a_host()
    from kestrel_sovereign.storage.async_storage import AsyncStorage

    with _on(lambda agent: AsyncStorage.create_sqlite(str(folder / "kestrel.db"), agent_id=agent)) as bed:
        yield bed


@contextmanager
def on_postgres(url: str) -> Iterator[HostBed]:
    """The real host's store, in a database of a PostgreSQL server."""
    _skip_without_a_host()
    from kestrel_sovereign.storage.async_storage import AsyncStorage

    with _on(lambda agent: AsyncStorage.create_postgres(url, agent_id=agent)) as bed:
        yield bed


@contextmanager
def _on(opened: Callable[[str], Coroutine[Any, Any, Any]]) -> Iterator[HostBed]:
    """Two agents in one database of the real host, their storages wrapped as it wraps them."""
    from kestrel_sovereign.storage.async_graph_store import GraphNode as RealNode
    from kestrel_sovereign.storage.privacy_wrapper import wrap_storage_with_privacy

    def index(mode: str) -> HostGraph:
        storage = wrap_storage_with_privacy(own, mode)
        return HostGraph(lambda: storage, AGENT, node_type=lambda: RealNode)

    def add(storage: Any, node: Node) -> None:
        runner.run(storage.add_node(RealNode(**node._asdict())))

    def say(*statements: str) -> None:
        for statement in statements:
            runner.run(own.db.execute_commit(statement))

    @contextmanager
    def away() -> Iterator[None]:
        say("ALTER TABLE graph_nodes RENAME TO away")
        try:
            yield
        finally:
            say("ALTER TABLE away RENAME TO graph_nodes")

    with asyncio.Runner() as runner:
        own, other = runner.run(opened(AGENT)), runner.run(opened(OTHER))
        try:
            yield HostBed(
                graph=index("normal"),
                run=runner.run,
                plant=lambda node: add(own, node),
                nodes=lambda: [_node(found) for found in runner.run(own.get_nodes_by_type(NODE_TYPE))],
                away=away,
                clear=lambda: say("DELETE FROM graph_node_owners", "DELETE FROM graph_nodes"),
                plant_of_another=lambda node: add(other, node),
                volatile=index("ephemeral"),
                examples=10,
            )
        finally:
            runner.run(other.close())
            runner.run(own.close())


def _skip_without_a_host() -> None:
    pytest.importorskip("kestrel_sovereign", reason="Kestrel Sovereign is not installed here")


def _node(found: Any) -> Node:
    return Node(found.node_id, found.node_type, found.label, found.properties)


@contextmanager
def _sqlite(request: pytest.FixtureRequest) -> Iterator[Bed]:
    with on_sqlite(request.getfixturevalue("tmp_path_factory").mktemp("host")) as bed:
        yield bed


@contextmanager
def _postgres(request: pytest.FixtureRequest) -> Iterator[Bed]:
    _skip_without_a_host()
    cluster = request.getfixturevalue("cluster")
    with cluster.database() as name, on_postgres(cluster.address(name)) as bed:
        yield bed


HOST_BEDS = [
    pytest.param(lambda _: standing_in(), id="stand-in"),
    pytest.param(_sqlite, marks=pytest.mark.host, id="host on SQLite"),
    pytest.param(_postgres, marks=pytest.mark.host, id="host on PostgreSQL"),
]
"""Each takes the request of a fixture: a host is opened once for all tests of a module."""

BEDS = [pytest.param(lambda _: in_memory(), id="memory"), *HOST_BEDS]
