"""The node that an entry of the graph index is kept in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.index_entry import IndexEntry, Node, entry_of, from_node, node_id, to_node
from kestrel_skills_core.domain.names import Revision, SkillName, SourceId
from kestrel_skills_core.domain.record import SkillState, Subject
from tests.domain.given import GENERATION, REVISION, descriptions, digests, names, priorities, record
from tests.examples import examples

KITE = "did:web:localhost:kite-86ca26"
ID = "procedural-skill:6f08baa8ac859c994384202a1256b9da"
BORN = datetime(2026, 11, 30, 15, 38, 52, 715255, tzinfo=UTC)
ENTRY = IndexEntry(
    name=SkillName("lab-skill"),
    description="Use when checking the lab.",
    source=SourceId.AGENT_LOCAL,
    enabled=True,
    priority=100,
    revision=Revision("a1" * 32),
    created_at=BORN,
)
OF_0_1_0 = {
    "agent_id": KITE,
    "name": "lab-skill",
    "description": "Use when checking the lab.",
    "source_id": "agent-local",
    "enabled": True,
    "priority": 100,
    "created_at": "2026-11-30T15:38:52.715255+00:00",
}
PROPERTIES = {**OF_0_1_0, "revision": "a1" * 32}

times = st.datetimes(timezones=st.just(UTC))
entries = st.builds(
    IndexEntry,
    name=names.map(SkillName),
    description=descriptions,
    source=st.sampled_from(SourceId),
    enabled=st.booleans(),
    priority=priorities,
    revision=st.none() | digests.map(Revision),
    created_at=times,
)
agents = st.text(min_size=1) | st.just(KITE)
anything = st.one_of(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    st.lists(st.text(), max_size=2) | st.dictionaries(st.text(), st.integers(), max_size=2),
    st.sampled_from(SourceId) | digests | times.map(datetime.isoformat) | priorities,
)


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    """A node of an entry, with a few properties of any kind, and sometimes with any parts."""
    changes = draw(st.dictionaries(st.sampled_from([*PROPERTIES, "color"]), anything, max_size=2))
    node = Node(ID, "procedural_skill", "lab-skill", {**PROPERTIES, **changes})
    part = draw(st.sampled_from([None, None, None, *Node._fields]))
    return node if part is None else node._replace(**{part: draw(anything)})


def said(**properties: object) -> IndexEntry | None:
    """What a node says, with these of its properties changed."""
    found = from_node(KITE, Node(ID, "procedural_skill", "lab-skill", {**PROPERTIES, **properties}))
    assert found is not None
    assert found[0] == "lab-skill"
    return found[1]


def test_an_entry_has_one_node() -> None:
    """An entry is written as exactly this node, and read back from it."""
    node = to_node(KITE, ENTRY)
    assert node == Node(ID, "procedural_skill", "lab-skill", PROPERTIES)
    assert from_node(KITE, node) == ("lab-skill", ENTRY)


def test_a_node_of_the_release_before_is_read_and_differs() -> None:
    """A node that 0.1.0 wrote on its host is an entry without a revision, and never the one that would be written."""
    read = from_node(KITE, Node(ID, "procedural_skill", "lab-skill", OF_0_1_0))
    assert read == ("lab-skill", evolve(ENTRY, revision=None))
    assert read != ("lab-skill", ENTRY)


def test_an_entry_says_what_resolves() -> None:
    """An entry has a record's name, description, source and revision, and whether and where it is in effect."""
    on = SkillState(enabled=True, priority=-3, subject=Subject(generation=GENERATION))
    assert entry_of(record("tidy", "Use it", source=SourceId.GIT, state=on), BORN) == IndexEntry(
        name=SkillName("tidy"),
        description="Use it",
        source=SourceId.GIT,
        enabled=True,
        priority=-3,
        revision=REVISION,
        created_at=BORN,
    )
    lapsed = SkillState(enabled=True, subject=Subject(generation=GENERATION), pin=Revision("0" * 64))
    assert not entry_of(record(state=lapsed), BORN).enabled


def test_the_time_sorts_as_text() -> None:
    """A whole second comes before any fraction of it, as hosts sort times by their text."""
    whole = datetime(2026, 1, 1, tzinfo=UTC)
    moments = [whole, whole + timedelta(microseconds=1), whole + timedelta(seconds=1)]
    texts = [to_node(KITE, evolve(ENTRY, created_at=moment)).properties["created_at"] for moment in moments]
    assert texts == sorted(texts)
    assert texts[0] == "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize("time", [datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))])  # noqa: DTZ001
def test_a_time_is_utc(time: datetime) -> None:
    """An entry is not made with a time of another zone, or of none."""
    with pytest.raises(ValueError, match="created_at must be in UTC"):
        evolve(ENTRY, created_at=time)


@pytest.mark.parametrize("agent", ["did:web:localhost:heron", "", "did:web:localhost:kite-86ca2"])
def test_each_agent_has_ids_of_its_own(agent: str) -> None:
    """Two agents in one graph never mean the same node."""
    assert node_id(agent, SkillName("lab-skill")) != ID
    assert from_node(agent, to_node(KITE, ENTRY)) is None


@pytest.mark.parametrize(
    "node",
    [
        Node(ID, "procedural_skill", "lab_skill", PROPERTIES),
        Node(ID, "procedural_skill", "Lab-Skill", PROPERTIES),
        Node(ID, "procedural_skill", None, PROPERTIES),
        Node(ID, "procedural_skill", b"lab-skill", PROPERTIES),
        Node(ID, "skill", "lab-skill", PROPERTIES),
        Node(ID, None, "lab-skill", PROPERTIES),
        Node(ID[:-1], "procedural_skill", "lab-skill", PROPERTIES),
        Node(ID.upper(), "procedural_skill", "lab-skill", PROPERTIES),
        Node(None, "procedural_skill", "lab-skill", PROPERTIES),
        Node(node_id(KITE, SkillName("con")), "procedural_skill", "con", {**PROPERTIES, "name": "con"}),
    ],
)
def test_other_nodes_are_not_of_the_index(node: Node) -> None:
    """A node whose id, type and label are not those of one skill is no entry's, whatever it says."""
    assert from_node(KITE, node) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("agent_id", "did:web:localhost:heron"),
        ("agent_id", None),
        ("name", "lab_skill"),
        ("description", 7),
        ("description", None),
        ("source_id", "elsewhere"),
        ("source_id", ["agent-local"]),
        ("enabled", 1),
        ("enabled", "true"),
        ("priority", True),
        ("priority", 100.0),
        ("priority", "100"),
        ("priority", 100_001),
        ("revision", None),
        ("revision", "A1" * 32),
        ("revision", "a1" * 31),
        ("revision", 7),
        ("created_at", None),
        ("created_at", 1_700_000_000),
        ("created_at", ""),
        ("created_at", "yesterday"),
        ("created_at", "2026-11-30"),
        ("created_at", "2026-11-30T15:38:52"),
        ("created_at", "2026-11-30T15:38:52Z"),
        ("created_at", "2026-11-30 15:38:52+00:00"),
        ("created_at", "2026-11-30T15:38:52+01:00"),
        ("created_at", "2026-11-30T15:38:52.7+00:00"),
    ],
)
def test_what_would_not_be_written_says_nothing(key: str, value: object) -> None:
    """A node with such a property is there, and says nothing; without the property it is the same, but for 0.1.0's."""
    assert said(**{key: value}) is None
    missing = {each: kept for each, kept in PROPERTIES.items() if each != key}
    expected = evolve(ENTRY, revision=None) if key == "revision" else None
    assert from_node(KITE, Node(ID, "procedural_skill", "lab-skill", missing)) == ("lab-skill", expected)


@pytest.mark.parametrize("properties", [None, [], "{}", 7, {}, list(PROPERTIES)])
def test_what_are_no_properties_say_nothing(properties: object) -> None:
    """A node without an object of properties is there, and says nothing."""
    assert from_node(KITE, Node(ID, "procedural_skill", "lab-skill", properties)) == ("lab-skill", None)


def test_properties_besides_are_passed_over() -> None:
    """What somebody added to a node does not keep it from being read."""
    assert said(color="red", tags=[1, None]) == ENTRY


@settings(max_examples=examples(2000))
@given(agents, entries)
def test_round_trip(agent: str, entry: IndexEntry) -> None:
    """Every entry is read back from its node as it was."""
    assert from_node(agent, to_node(agent, entry)) == (entry.name, entry)


@settings(max_examples=examples(2000))
@given(nodes())
def test_any_node_is_read(node: Node) -> None:
    """Whatever a node holds, what it says is written as what it holds, or is nothing."""
    found = from_node(KITE, node)
    if found is None or found[1] is None:
        return
    written = to_node(KITE, found[1])
    assert written[:3] == node[:3]
    assert {key: node.properties.get(key) for key in written.properties} == written.properties
