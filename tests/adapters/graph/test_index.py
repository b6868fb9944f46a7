"""The graph index in a host's store: other agents, privacy modes, and what the host does wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from attrs import define, evolve, field

from kestrel_skills_adapters.contracts.graph import AGENT
from kestrel_skills_adapters.graph.index import HostGraph
from kestrel_skills_adapters.memory.world import MemoryClock, RecordingWatcher
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.index_entry import NODE_TYPE, Node, entry_of, node_id, to_node
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.ports.graph import EntryBarred, IndexUnavailable
from kestrel_skills_core.service.indexing import Indexed
from tests.contracts.graph import HOST_BEDS, OTHER, HostBed
from tests.contracts.host_store import GraphNode, HostDatabase, StandIn
from tests.domain.given import record

BORN = datetime(2026, 1, 2, tzinfo=UTC)
LINT, PDF = SkillName("lint"), SkillName("pdf")
ENTRY, MORE = entry_of(record("lint"), BORN), entry_of(record("pdf"), BORN)
LATER = evolve(ENTRY, priority=7)
PRIVACY = "the agent's privacy mode lets nothing be written"


@pytest.fixture(params=HOST_BEDS, scope="module")
def ground(request: pytest.FixtureRequest) -> Iterator[HostBed]:
    """Each store."""
    with request.param(request) as bed:
        yield bed


@pytest.fixture
def bed(ground: HostBed) -> HostBed:
    """Each store, empty."""
    ground.clear()
    return ground


def test_an_id_that_another_agent_took_bars_one_entry(bed: HostBed) -> None:
    """A node of another agent's is not seen, written or dropped; that it is in the way is told, of that name alone."""
    bed.plant_of_another(Node(node_id(AGENT, LINT), NODE_TYPE, "lint", {"agent_id": OTHER}))
    assert bed.run(bed.graph.entries()) == bed.run(bed.graph.entries(LINT)) == {}
    with pytest.raises(EntryBarred) as caught:
        bed.run(bed.graph.put(ENTRY, seen=None))
    assert caught.value.why == "a node of another agent has the id that one of its nodes is to have"
    assert not bed.run(bed.graph.put(ENTRY, seen=LATER))
    bed.run(bed.graph.drop(LINT, seen=None))
    with pytest.raises(EntryBarred):
        bed.run(bed.graph.put(ENTRY, seen=None))
    assert bed.run(bed.graph.put(MORE, seen=None))
    assert bed.run(bed.graph.entries()) == {PDF: MORE}


def test_the_entries_of_another_agent_are_not_seen(bed: HostBed) -> None:
    """Two agents index skills of one name in one graph, and neither knows of the other."""
    bed.plant_of_another(to_node(OTHER, ENTRY))
    assert bed.run(bed.graph.entries()) == {}
    assert bed.run(bed.graph.put(LATER, seen=None))
    assert bed.run(bed.graph.entries()) == {LINT: LATER}


def test_in_a_volatile_mode_nothing_is_written(bed: HostBed) -> None:
    """Writing is refused in one phrase; reading and dropping go on."""
    bed.run(bed.graph.put(ENTRY, seen=None))
    for entry, seen in ((MORE, None), (LATER, ENTRY)):
        with pytest.raises(IndexUnavailable) as caught:
            bed.run(bed.volatile.put(entry, seen=seen))
        assert (type(caught.value), caught.value.why) == (IndexUnavailable, PRIVACY)
    assert bed.run(bed.volatile.entries()) == {LINT: ENTRY}
    bed.run(bed.volatile.drop(LINT, seen=ENTRY))
    assert bed.run(bed.graph.entries()) == {}


def test_whatever_fails_in_the_host_is_told_once(bed: HostBed) -> None:
    """A whole catalog that cannot be indexed is one event, without a path or a text of the host."""
    watcher = RecordingWatcher()
    indexed = Indexed(index=bed.volatile, clock=MemoryClock(BORN), watcher=watcher)
    bed.run(indexed.shown(Catalog((record("lint"), record("pdf"))), hidden=False))
    assert watcher.told == [("index_failed", PRIVACY)]
    with bed.away():
        bed.run(indexed.shown(Catalog((record("lint"),)), hidden=False))
        bed.run(indexed.changed(LINT, None))
    told = [why for _, why in watcher.told[1:]]
    assert len(told) == 2
    for why in told:
        assert why.startswith("the host's graph did not answer: ")
        assert why.rpartition(" ")[2].isidentifier()


def test_the_order_of_properties_is_kept(bed: HostBed) -> None:
    """A node whose properties come in another order than ours is written over; SQLite compares them in order."""
    node = to_node(AGENT, ENTRY)
    bed.plant(node._replace(properties=dict(reversed(node.properties.items()))))
    assert bed.run(bed.graph.put(LATER, seen=ENTRY))
    assert bed.run(bed.graph.entries()) == {LINT: LATER}


@define
class Watched:
    """A storage, and what was asked of it; `meanwhile` is done by another after each single read."""

    storage: StandIn
    asked: list[str] = field(factory=list)
    meanwhile: Node | str | None = None

    def __getattr__(self, name: str) -> object:
        self.asked.append(name)
        return getattr(self.storage, name)

    async def get_node(self, at: str) -> GraphNode | None:
        """One node; then another writer is there."""
        self.asked.append("get_node")
        found = await self.storage.get_node(at)
        if isinstance(self.meanwhile, Node):
            await self.storage.add_node(GraphNode(**self.meanwhile._asdict()))
        elif self.meanwhile is not None:
            self.storage.database.rows.pop(self.meanwhile)
        return found


@pytest.fixture
def watched() -> Watched:
    """A storage in which one entry is."""
    storage = StandIn(HostDatabase(), AGENT)
    finish(storage.add_node(GraphNode(**to_node(AGENT, ENTRY)._asdict())))
    return Watched(storage)


@pytest.fixture
def graph(watched: Watched) -> HostGraph:
    """The index in it."""
    return HostGraph(lambda: watched, AGENT, node_type=lambda: GraphNode)


def test_an_entry_costs_two_calls(watched: Watched, graph: HostGraph) -> None:
    """All entries are one query, and so is a new one; one that replaces another, or is dropped, is two."""
    finish(graph.entries())
    finish(graph.entries(LINT))
    finish(graph.put(MORE, seen=None))
    finish(graph.put(LATER, seen=ENTRY))
    finish(graph.drop(LINT, seen=LATER))
    assert watched.asked == [
        "get_nodes_by_type",
        "get_node",
        "compare_and_swap_node",
        "get_node",
        "compare_and_swap_node",
        "get_node",
        "compare_and_delete_node",
    ]


def test_a_write_in_between_is_not_lost(watched: Watched, graph: HostGraph) -> None:
    """What another wrote after the last look, and before the swap, stays."""
    watched.meanwhile = to_node(AGENT, LATER)
    assert not finish(graph.put(evolve(ENTRY, priority=1), seen=ENTRY))
    assert finish(graph.entries()) == {LINT: LATER}


def test_a_drop_in_between_is_no_failure(watched: Watched, graph: HostGraph) -> None:
    """What another dropped after the last look is not made again, and nobody is in the way."""
    watched.meanwhile = node_id(AGENT, LINT)
    assert not finish(graph.put(LATER, seen=ENTRY))
    assert finish(graph.entries()) == {}


@pytest.mark.parametrize("row", ['{"created_at": NaN}', "7", '"text"', "null", ""])
def test_properties_of_any_shape_say_nothing(watched: Watched, graph: HostGraph, row: str) -> None:
    """A row whose properties are no object, or none that JSON should have, is an entry that says nothing."""
    watched.storage.database.rows[node_id(AGENT, LINT)].properties = row
    assert finish(graph.entries()) == {LINT: None}


def test_a_broken_row_is_a_failure(watched: Watched, graph: HostGraph) -> None:
    """A row that the host itself cannot read makes the index unavailable."""
    watched.storage.database.rows[node_id(AGENT, LINT)].properties = "{"
    with pytest.raises(IndexUnavailable, match=r"the host's graph did not answer: JSONDecodeError\Z"):
        finish(graph.entries())


def test_a_host_that_lacks_a_method_is_unavailable() -> None:
    """A store without what is asked of it is a failure like any other."""
    with pytest.raises(IndexUnavailable, match="did not answer: AttributeError"):
        finish(HostGraph(object, AGENT, node_type=lambda: GraphNode).entries())


def test_a_host_without_a_graph_is_unavailable(watched: Watched) -> None:
    """A host that has no store yet, or no class of nodes, is a failure like any other, until it has one."""
    had: list[Watched] = []
    graph = HostGraph(lambda: had[0] if had else None, AGENT, node_type=lambda: None)
    for call in (graph.entries(), graph.drop(LINT, seen=ENTRY), graph.put(MORE, seen=None)):
        with pytest.raises(IndexUnavailable, match="the host has no graph"):
            finish(call)
    had.append(watched)
    assert finish(graph.entries()) == {LINT: ENTRY}
    with pytest.raises(IndexUnavailable, match="the host has no graph"):
        finish(graph.put(MORE, seen=None))


def test_a_cancelled_call_stays_cancelled() -> None:
    """That the caller went away is not taken for a failure of the host."""

    class Waiting(StandIn):
        async def get_nodes_by_type(self, node_type: str) -> list[GraphNode]:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        finish(HostGraph(lambda: Waiting(HostDatabase(), AGENT), AGENT, node_type=lambda: GraphNode).entries())
