"""The graph index follows the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.memory.graph import MemoryGraph
from kestrel_skills_adapters.memory.world import MemoryClock, RecordingWatcher
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.errors import SourceUnavailable
from kestrel_skills_core.domain.index_entry import IndexEntry, Node, entry_of, node_id, to_node
from kestrel_skills_core.domain.names import Revision, SkillName, SourceId
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.ports.graph import IndexUnavailable
from kestrel_skills_core.service.indexing import Indexed, repairs
from tests.domain.given import FAULT, GENERATION, OTHER_FILES, REVISION, enabled, few_names, priorities, record
from tests.examples import examples

THEN, NOW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 2, tzinfo=UTC)
BIRD, COD, DUCK = SkillName("bird"), SkillName("cod"), SkillName("duck")
AWAY = SourceUnavailable("agent-local", "permission is denied")


class Scene:
    """An index of some skills, and what follows it."""

    def __init__(self, *skills: SkillRecord) -> None:
        self.graph = MemoryGraph(entries=[entry_of(skill, THEN) for skill in skills])
        self.watcher = RecordingWatcher()
        self.indexed = Indexed(index=self.graph, clock=MemoryClock(NOW), watcher=self.watcher)

    @property
    def entries(self) -> dict[SkillName, IndexEntry | None]:
        """What is in the index."""
        return dict(finish(self.graph.entries()))

    def shown(self, *skills: SkillRecord, hidden: bool = False, **catalog: object) -> list[tuple[str, str | None]]:
        """Show a catalog; gives what the index was asked."""
        self.graph.calls.clear()
        finish(self.indexed.shown(Catalog(skills, **catalog), hidden=hidden))
        return [*self.graph.calls]

    def changed(self, name: str, found: SkillRecord | Rejection | None) -> list[tuple[str, str | None]]:
        """Tell of one name; gives what the index was asked."""
        self.graph.calls.clear()
        finish(self.indexed.changed(SkillName(name), found))
        return [*self.graph.calls]

    def lost(self, name: str) -> list[tuple[str, str | None]]:
        """Tell that nobody knows one name; gives what the index was asked."""
        self.graph.calls.clear()
        finish(self.indexed.lost(SkillName(name)))
        return [*self.graph.calls]


def test_a_new_index_is_written_whole() -> None:
    """Each skill that resolves gets an entry, born now."""
    scene = Scene()
    assert scene.shown(enabled("bird"), record("cod")) == [("entries", None), ("put", "bird"), ("put", "cod")]
    assert scene.entries == {BIRD: entry_of(enabled("bird"), NOW), COD: entry_of(record("cod"), NOW)}
    assert scene.watcher.told == [("index_in_line",)]


def test_only_what_differs_is_written() -> None:
    """One read tells what differs: that is written, and keeps its birth; what is gone is dropped."""
    scene = Scene(record("bird"), record("cod"), record("duck"))
    now = (record("bird"), record("cod", "Another use"))
    assert scene.shown(*now) == [("entries", None), ("put", "cod"), ("drop", "duck")]
    assert scene.entries == {BIRD: entry_of(now[0], THEN), COD: entry_of(now[1], THEN)}
    assert scene.shown(*now) == [("entries", None)]


@pytest.mark.parametrize(
    "now",
    [
        record("bird", "Another use"),
        record("bird", source=SourceId.GIT),
        record("bird", packed=OTHER_FILES),
        record("bird", state=SkillState(priority=7)),
        enabled("bird"),
    ],
)
def test_whatever_an_entry_says_can_differ(now: SkillRecord) -> None:
    """Another description, source, revision, priority or switch is written."""
    scene = Scene(record("bird"))
    assert scene.shown(now) == [("entries", None), ("put", "bird")]
    assert scene.entries == {BIRD: entry_of(now, THEN)}


def test_the_entries_of_the_release_before_are_written_once() -> None:
    """An entry of 0.1.0, which has no revision, gets one and keeps its birth."""
    scene = Scene()
    scene.graph.plant(to_node(scene.graph.agent, evolve(entry_of(record("bird"), THEN), revision=None)))
    assert scene.shown(record("bird")) == [("entries", None), ("put", "bird")]
    assert scene.entries == {BIRD: entry_of(record("bird"), THEN)}
    assert scene.shown(record("bird")) == [("entries", None)]


def test_what_says_nothing_is_written_over_or_dropped() -> None:
    """An entry that cannot be read is made anew where its skill is there, and dropped where it is not."""
    scene = Scene()
    for name in (BIRD, COD):
        scene.graph.plant(Node(node_id(scene.graph.agent, name), "procedural_skill", name, {"junk": 1}))
    assert scene.shown(record("bird")) == [("entries", None), ("put", "bird"), ("drop", "cod")]
    assert scene.entries == {BIRD: entry_of(record("bird"), NOW)}


def test_a_catalog_that_it_is_in_line_with_is_not_looked_at_again() -> None:
    """Not until another one is told, or one name, or that nothing may be seen; else the index is not even read."""
    scene, now = Scene(), (enabled("bird"), record("cod"))
    assert len(scene.shown(*now)) == 3
    assert scene.shown(*now) == [("entries", None)]
    assert scene.shown(*now) == []
    scene.changed("bird", record("bird"))
    assert scene.shown(*now) == [("entries", None), ("put", "bird")]
    assert (scene.shown(*now), scene.shown(*now)) == ([("entries", None)], [])
    assert scene.shown(hidden=True) == []
    assert (scene.shown(*now), scene.shown(*now)) == ([("entries", None)], [])
    assert scene.shown(*now, entries=((SourceId.AGENT_LOCAL, 3),)) == [("entries", None)]


def test_what_could_not_be_written_is_tried_again_with_the_same_catalog() -> None:
    """Be the index away, or another's write in between: only what was found in line is."""
    scene, now = Scene(), (enabled("bird"),)
    scene.graph.unavailable = IndexUnavailable("it is away")
    assert scene.shown(*now) == [("entries", None)]
    scene.graph.unavailable = None
    assert scene.shown(*now) == [("entries", None), ("put", "bird")]


def test_while_a_root_cannot_be_read_nothing_is_dropped() -> None:
    """What is not in a catalog that lacks a root may be in that root; what is in it is written all the same."""
    scene = Scene(record("bird"), record("cod"))
    problems = ((SourceId.AGENT_LOCAL, AWAY),)
    assert scene.shown(enabled("cod"), problems=problems) == [("entries", None), ("put", "cod")]
    assert scene.entries == {BIRD: entry_of(record("bird"), THEN), COD: entry_of(enabled("cod"), THEN)}


def test_while_hidden_nothing_is_touched() -> None:
    """A catalog that is empty because nothing may be seen leaves every entry as it is, unasked."""
    scene = Scene(record("bird"))
    assert scene.shown(hidden=True) == []
    assert scene.entries == {BIRD: entry_of(record("bird"), THEN)}


def test_a_change_touches_one_name() -> None:
    """What one name means now is written, and no other entry is read or written."""
    scene = Scene(record("bird"), record("cod"))
    assert scene.changed("bird", enabled("bird")) == [("entries", "bird"), ("put", "bird")]
    assert scene.changed("duck", record("duck")) == [("entries", "duck"), ("put", "duck")]
    assert scene.entries == {
        BIRD: entry_of(enabled("bird"), THEN),
        COD: entry_of(record("cod"), THEN),
        DUCK: entry_of(record("duck"), NOW),
    }
    assert scene.changed("bird", enabled("bird")) == [("entries", "bird")]


def test_a_name_without_a_skill_has_no_entry() -> None:
    """A name that means nothing any more, or a rejected folder, loses its entry; one that had none is not touched."""
    scene = Scene(record("bird"), record("cod"), record("duck"))
    rejected = Rejection(label="cod", name=COD, source=SourceId.AGENT_LOCAL, faults=(FAULT,))
    assert scene.changed("bird", None) == [("entries", "bird"), ("drop", "bird")]
    assert scene.changed("cod", rejected) == [("entries", "cod"), ("drop", "cod")]
    assert scene.changed("cod", None) == [("entries", "cod")]
    assert list(scene.entries) == [DUCK]


def test_what_nobody_knows_keeps_its_entry() -> None:
    """And its age, so that what it is then found to be is no new skill."""
    scene = Scene(record("bird"))
    assert scene.lost("bird") == []
    assert scene.entries == {BIRD: entry_of(record("bird"), THEN)}
    assert scene.changed("bird", enabled("bird")) == [("entries", "bird"), ("put", "bird")]
    assert scene.entries == {BIRD: entry_of(enabled("bird"), THEN)}


def test_a_rejected_folder_has_no_entry() -> None:
    """In a catalog too: rejections are none of the index's."""
    rejected = Rejection(label="cod", name=COD, source=SourceId.AGENT_LOCAL, faults=(FAULT,))
    scene = Scene(record("cod"))
    scene.shown(record("bird"), rejected=(rejected,))
    assert list(scene.entries) == [BIRD]


def test_an_entry_that_another_wrote_meanwhile_stays() -> None:
    """Between the read and the write another writer was there: the entries are theirs, until the next catalog."""
    before = [entry_of(record(name), THEN) for name in ("bird", "cod")]
    theirs = {entry.name: evolve(entry, priority=1) for entry in before}

    class Meddled(MemoryGraph):
        async def entries(self, name: SkillName | None = None) -> Mapping[SkillName, IndexEntry | None]:
            seen = await super().entries(name)
            for entry in theirs.values():
                self.plant(to_node(self.agent, entry))
            return seen

    graph = Meddled(entries=before)
    finish(Indexed(index=graph, clock=MemoryClock(NOW)).shown(Catalog((enabled("bird"),)), hidden=False))
    assert graph.calls == [("entries", None), ("put", "bird"), ("drop", "cod")]
    assert finish(graph.entries()) == theirs


def test_an_index_that_does_not_answer_fails_nothing() -> None:
    """That it does not is told once, whatever there was to be done; it is tried again with the next catalog."""
    scene = Scene(record("bird"))
    scene.graph.unavailable = IndexUnavailable("it is away")
    assert scene.shown(record("cod"), record("duck")) == [("entries", None)]
    assert scene.changed("bird", None) == [("entries", "bird")]
    assert scene.watcher.told == [("index_failed", "it is away"), ("index_failed", "it is away")]
    scene.graph.unavailable = None
    scene.changed("bird", None)
    scene.shown(record("cod"), record("duck"), hidden=True)
    assert len(scene.watcher.told) == 2
    scene.shown(record("cod"), record("duck"))
    assert list(scene.entries) == [COD, DUCK]
    assert scene.watcher.told[2:] == [("index_in_line",)]


def test_an_index_that_stops_answering_is_left_alone() -> None:
    """After the first write that fails no other is tried, and the failure is told once."""

    class Frozen(MemoryGraph):
        async def put(self, entry: IndexEntry, *, seen: IndexEntry | None) -> bool:
            self.calls.append(("put", entry.name))
            raise IndexUnavailable("nothing may be written")

    watcher, graph = RecordingWatcher(), Frozen()
    indexed = Indexed(index=graph, clock=MemoryClock(NOW), watcher=watcher)
    finish(indexed.shown(Catalog((record("bird"), record("cod"))), hidden=False))
    assert graph.calls == [("entries", None), ("put", "bird")]
    assert watcher.told == [("index_failed", "nothing may be written")]


def test_one_entry_that_is_barred_keeps_back_no_other() -> None:
    """What is in the place of one entry is told once, and the others are written and dropped."""
    scene = Scene(record("duck"))
    scene.graph.plant(Node(node_id(scene.graph.agent, BIRD), "note", "Mine", {}))
    scene.shown(record("bird"), record("cod"))
    assert list(scene.entries) == [COD]
    ((event, why),) = scene.watcher.told
    assert event == "index_failed"
    assert "another kind" in why


skills = st.builds(
    record,
    few_names,
    st.sampled_from(["Use it", "Use it well"]),
    source=st.sampled_from(SourceId),
    state=st.builds(SkillState, enabled=st.booleans(), priority=priorities, subject=st.just(Subject(GENERATION))),
)
catalogs = st.lists(skills, unique_by=lambda skill: skill.name, max_size=5)
indexes = st.dictionaries(
    few_names.map(SkillName),
    st.none() | st.tuples(skills, st.sampled_from([REVISION, Revision("0" * 64)])),
    max_size=5,
).map(
    lambda drawn: {
        name: found and evolve(entry_of(found[0], THEN), name=name, revision=found[1]) for name, found in drawn.items()
    }
)


@settings(max_examples=examples(500))
@given(catalogs, indexes)
def test_repairs_make_the_index_say_what_the_catalog_does(
    records: list[SkillRecord], index: dict[SkillName, IndexEntry | None]
) -> None:
    """A dictionary that is repaired has the records' entries and no others, and nothing was written in vain."""
    puts, drops = repairs(records, index, NOW)
    repaired = dict(index)
    for entry in puts:
        assert repaired.get(entry.name) != entry
        repaired[entry.name] = entry
    for name in drops:
        del repaired[name]
    assert {name: entry and (entry.description, entry.source, entry.enabled) for name, entry in repaired.items()} == {
        skill.name: (skill.description, skill.source, skill.enabled) for skill in records
    }
    assert {entry.revision for entry in repaired.values() if entry} <= {REVISION}
    for name, entry in repaired.items():
        assert entry is not None
        assert entry.created_at == (NOW if index.get(name) is None else THEN)
    assert repairs(records, repaired, NOW) == ((), ())
