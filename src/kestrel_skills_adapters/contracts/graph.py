"""What every graph index keeps, in memory and in a host."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve, frozen
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from kestrel_skills_core.domain.index_entry import NODE_TYPE, IndexEntry, Node, node_id
from kestrel_skills_core.domain.names import Revision, SkillName, SourceId
from kestrel_skills_core.ports.graph import EntryBarred, GraphIndex, IndexUnavailable

__all__ = ["AGENT", "Bed", "GraphIndexContract"]

AGENT = "did:web:localhost:kite-86ca26"
"""Whose index it is."""

LINT, PDF = SkillName("lint"), SkillName("pdf")

BORN = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)

ENTRY = IndexEntry(
    name=LINT,
    description='Use to "lint" <any> 漢🦅 text',
    source=SourceId.HOST_SHARED,
    enabled=True,
    priority=-7,
    revision=Revision("a1" * 32),
    created_at=BORN,
)

OFF = evolve(ENTRY, enabled=False, priority=100)

OTHER = evolve(ENTRY, name=PDF, source=SourceId.GIT)

PROPERTIES = {
    "agent_id": AGENT,
    "name": "lint",
    "description": 'Use to "lint" <any> 漢🦅 text',
    "source_id": "host-shared",
    "enabled": True,
    "priority": -7,
    "revision": "a1" * 32,
    "created_at": "2026-01-02T03:04:05.678901+00:00",
}


@frozen(kw_only=True)
class Bed:
    """An index, and what a test does to the graph that it is in."""

    graph: GraphIndex
    run: Callable[[Coroutine[Any, Any, Any]], Any]
    plant: Callable[[Node], None]
    """Put a node of the agent's own into it."""
    nodes: Callable[[], Iterable[Node]]
    """The nodes of the agent's own that are of the type of an index."""
    away: Callable[[], AbstractContextManager[None]]
    """Take the graph away for a while."""
    clear: Callable[[], None]
    """Take everything out of it."""
    examples: int = 100
    """How many stories it is told, fewer where each takes long."""

    def bar(self, name: SkillName) -> None:
        """Put a node of another kind where a skill's would be."""
        self.plant(Node(node_id(AGENT, name), "note", "Not a skill", {"text": "mine"}))


def planted(bed: Bed, **properties: object) -> None:
    """Put the node of an entry there, with other properties."""
    bed.plant(Node(node_id(AGENT, LINT), NODE_TYPE, "lint", {**PROPERTIES, **properties}))


few = st.builds(
    IndexEntry,
    name=st.sampled_from([LINT, PDF]),
    description=st.sampled_from(["Use it", "Use 漢"]),
    source=st.just(SourceId.GIT),
    enabled=st.booleans(),
    priority=st.sampled_from([-1, 100]),
    revision=st.just(Revision("a1" * 32)),
    created_at=st.just(BORN),
)


class Model(RuleBasedStateMachine):
    """An index and a dictionary, told the same."""

    def __init__(self, bed: Bed) -> None:
        super().__init__()
        bed.clear()
        self.bed = bed
        self.model: dict[SkillName, IndexEntry] = {}

    def seen(self, drawn: st.DataObject, name: SkillName) -> Any:
        """What is there, or may have been."""
        return drawn.draw(st.none() | few.map(lambda entry: evolve(entry, name=name)) | st.just(self.model.get(name)))

    @rule(drawn=st.data(), entry=few)
    def put(self, drawn: st.DataObject, entry: IndexEntry) -> None:
        """Write one over what is there, or may have been."""
        seen = self.seen(drawn, entry.name)
        fits = self.model.get(entry.name) == seen
        if fits:
            self.model[entry.name] = entry
        assert self.bed.run(self.bed.graph.put(entry, seen=seen)) is fits

    @rule(drawn=st.data(), name=st.sampled_from([LINT, PDF]))
    def drop(self, drawn: st.DataObject, name: SkillName) -> None:
        """Drop one that is there, or may have been."""
        seen = self.seen(drawn, name)
        if name in self.model and self.model[name] == seen:
            del self.model[name]
        self.bed.run(self.bed.graph.drop(name, seen=seen))

    @invariant()
    def reads_the_same(self) -> None:
        """The index reads as the dictionary does, as a whole and name by name."""
        assert self.bed.run(self.bed.graph.entries()) == self.model
        for name in (LINT, PDF):
            of_name = {each: entry for each, entry in self.model.items() if each == name}
            assert self.bed.run(self.bed.graph.entries(name)) == of_name


class GraphIndexContract:
    """Every graph index, in memory and in a host. The fixture `bed` is one that is empty."""

    def test_a_new_index_has_no_entries(self, bed: Bed) -> None:
        """An index that nobody wrote reads as empty, as a whole and by name."""
        assert bed.run(bed.graph.entries()) == {}
        assert bed.run(bed.graph.entries(LINT)) == {}

    def test_what_was_put_is_read(self, bed: Bed) -> None:
        """An entry is read as it was written, among others and by its name alone."""
        assert bed.run(bed.graph.put(ENTRY, seen=None))
        assert bed.run(bed.graph.put(OTHER, seen=None))
        assert bed.run(bed.graph.entries()) == {LINT: ENTRY, PDF: OTHER}
        assert bed.run(bed.graph.entries(LINT)) == {LINT: ENTRY}
        assert bed.run(bed.graph.entries(SkillName("li"))) == {}

    def test_an_entry_is_one_node(self, bed: Bed) -> None:
        """The graph holds the entry as others may rely on it: id, type, label and eight properties."""
        bed.run(bed.graph.put(ENTRY, seen=None))
        (node,) = bed.nodes()
        assert node[:3] == (node_id(AGENT, LINT), "procedural_skill", "lint")
        assert node.properties == PROPERTIES

    def test_an_entry_is_written_over_what_was_seen(self, bed: Bed) -> None:
        """What still reads as it was seen is replaced."""
        bed.run(bed.graph.put(ENTRY, seen=None))
        assert bed.run(bed.graph.put(OFF, seen=ENTRY))
        assert bed.run(bed.graph.entries()) == {LINT: OFF}

    @pytest.mark.parametrize("seen", [None, OFF, evolve(ENTRY, created_at=BORN + timedelta(microseconds=1))])
    def test_an_entry_that_was_not_seen_is_not_lost(self, bed: Bed, seen: IndexEntry | None) -> None:
        """What another wrote meanwhile stays, and that nothing was written is told."""
        bed.run(bed.graph.put(ENTRY, seen=None))
        assert not bed.run(bed.graph.put(evolve(ENTRY, priority=1), seen=seen))
        assert bed.run(bed.graph.entries()) == {LINT: ENTRY}

    def test_an_entry_that_is_gone_is_not_made_again(self, bed: Bed) -> None:
        """What was seen, and is not there any more, is not written over."""
        assert not bed.run(bed.graph.put(OFF, seen=ENTRY))
        assert bed.run(bed.graph.entries()) == {}

    def test_an_entry_of_the_release_before_is_read_and_written_over(self, bed: Bed) -> None:
        """A node without a revision, as 0.1.0 wrote them, is an entry without one."""
        old = {key: value for key, value in PROPERTIES.items() if key != "revision"}
        bed.plant(Node(node_id(AGENT, LINT), NODE_TYPE, "lint", old))
        seen = evolve(ENTRY, revision=None)
        assert bed.run(bed.graph.entries()) == {LINT: seen}
        assert bed.run(bed.graph.put(ENTRY, seen=seen))
        assert bed.run(bed.graph.entries()) == {LINT: ENTRY}

    def test_an_entry_that_says_nothing_is_told_and_written_over(self, bed: Bed) -> None:
        """A node whose properties are none of an entry's is there, says nothing, and is as good as none to a writer."""
        planted(bed, priority="high")
        assert bed.run(bed.graph.entries()) == bed.run(bed.graph.entries(LINT)) == {LINT: None}
        assert not bed.run(bed.graph.put(OFF, seen=ENTRY))
        assert bed.run(bed.graph.put(ENTRY, seen=None))
        assert bed.run(bed.graph.entries()) == {LINT: ENTRY}

    def test_properties_besides_are_passed_over(self, bed: Bed) -> None:
        """What another part of a host adds to a node keeps it neither from being read nor from being written."""
        planted(bed, color={"is": ["red", 1.5, None]})
        assert bed.run(bed.graph.entries()) == {LINT: ENTRY}
        assert bed.run(bed.graph.put(OFF, seen=ENTRY))
        assert bed.run(bed.graph.entries()) == {LINT: OFF}

    def test_a_drop_removes_what_was_seen(self, bed: Bed) -> None:
        """An entry that still reads as it was seen goes, and no other; its name is free again."""
        bed.run(bed.graph.put(ENTRY, seen=None))
        bed.run(bed.graph.put(OTHER, seen=None))
        bed.run(bed.graph.drop(LINT, seen=ENTRY))
        assert bed.run(bed.graph.entries()) == {PDF: OTHER}
        assert bed.run(bed.graph.put(OFF, seen=None))

    def test_a_drop_removes_what_says_nothing(self, bed: Bed) -> None:
        """An entry that says nothing can be dropped as such."""
        planted(bed, name="another")
        bed.run(bed.graph.drop(LINT, seen=None))
        assert list(bed.nodes()) == []

    @pytest.mark.parametrize("seen", [None, OFF])
    def test_a_drop_leaves_what_was_not_seen(self, bed: Bed, seen: IndexEntry | None) -> None:
        """An entry that changed since it was seen stays."""
        bed.run(bed.graph.put(ENTRY, seen=None))
        bed.run(bed.graph.drop(LINT, seen=seen))
        assert bed.run(bed.graph.entries()) == {LINT: ENTRY}

    @pytest.mark.parametrize("seen", [None, ENTRY])
    def test_a_drop_of_what_is_not_there_is_well(self, bed: Bed, seen: IndexEntry | None) -> None:
        """Dropping what is gone does nothing."""
        bed.run(bed.graph.drop(LINT, seen=seen))
        assert bed.run(bed.graph.entries()) == {}

    def test_a_node_of_another_kind_stays(self, bed: Bed) -> None:
        """What has an entry's id and is none is not seen, written over or dropped; that it is in the way is told."""
        bed.bar(LINT)
        assert bed.run(bed.graph.entries()) == bed.run(bed.graph.entries(LINT)) == {}
        bed.run(bed.graph.drop(LINT, seen=None))
        for seen in (None, ENTRY):
            with pytest.raises(EntryBarred):
                bed.run(bed.graph.put(ENTRY, seen=seen))
        assert bed.run(bed.graph.put(OTHER, seen=None))
        assert bed.run(bed.graph.entries()) == {PDF: OTHER}

    def test_a_node_of_the_type_that_is_not_of_the_index_stays(self, bed: Bed) -> None:
        """A node of the same type with another id is none of the index's, whatever it says."""
        bed.plant(Node("procedural-skill:stray", NODE_TYPE, "lint", PROPERTIES))
        assert bed.run(bed.graph.entries()) == {}
        assert bed.run(bed.graph.put(ENTRY, seen=None))
        bed.run(bed.graph.drop(LINT, seen=ENTRY))
        assert [node.node_id for node in bed.nodes()] == ["procedural-skill:stray"]

    def test_an_index_that_does_not_answer_is_as_it_was(self, bed: Bed) -> None:
        """Every method says that the index is unavailable, in one phrase, and afterwards nothing has changed."""
        bed.run(bed.graph.put(ENTRY, seen=None))
        for call in (
            bed.graph.entries,
            lambda: bed.graph.entries(LINT),
            lambda: bed.graph.put(OTHER, seen=None),
            lambda: bed.graph.put(OFF, seen=ENTRY),
            lambda: bed.graph.drop(LINT, seen=ENTRY),
        ):
            with bed.away(), pytest.raises(IndexUnavailable) as caught:
                bed.run(call())
            assert type(caught.value) is IndexUnavailable
            assert "graph_nodes" not in caught.value.why
            assert "/" not in caught.value.why
        assert bed.run(bed.graph.entries()) == {LINT: ENTRY}

    def test_what_was_read_does_not_change(self, bed: Bed) -> None:
        """Entries that were read are those of that moment."""
        bed.run(bed.graph.put(ENTRY, seen=None))
        seen = bed.run(bed.graph.entries())
        bed.run(bed.graph.put(OFF, seen=ENTRY))
        assert seen == {LINT: ENTRY}

    def test_an_index_is_a_dictionary(self, bed: Bed) -> None:
        """Whatever is put and dropped, in whatever order, reads as in a dictionary."""
        stories = settings(max_examples=bed.examples, stateful_step_count=20, deadline=None)

        class OfBed(Model):
            def __init__(self) -> None:
                super().__init__(bed)

        run_state_machine_as_test(OfBed, settings=stories)
