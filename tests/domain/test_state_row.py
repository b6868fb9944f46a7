"""The row that a state is kept in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.names import Generation, Revision, SkillName, is_skill_name
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import Row, StateKey, from_row, row_name, to_row
from tests.domain.given import record
from tests.examples import examples

A, B = "a1" * 32, "b2" * 32
LOCAL = StateKey(SkillName("lint"))
SHARED = StateKey(SkillName("lint"), shared=True)
BIRTH = Subject(generation=Generation(A))
ROOT = Subject(root=A)

names = st.text("abcxyz019-_", min_size=1, max_size=12).filter(is_skill_name)
hexes = st.binary(min_size=32, max_size=32).map(bytes.hex)


@st.composite
def keyed_states(draw: st.DrawFn) -> tuple[StateKey, SkillState]:
    """A key, and a state that its row can hold whole."""
    key = StateKey(SkillName(draw(names)), draw(st.booleans()))
    value = draw(st.none() | hexes)
    subject = Subject(root=value) if key.shared else Subject(generation=None if value is None else Generation(value))
    return key, SkillState(
        enabled=draw(st.booleans()),
        priority=draw(st.integers(-100_000, 100_000)),
        subject=None if value is None else subject,
        pin=None if value is None else draw(st.none() | hexes.map(Revision)),
    )


anything = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just("skill:lint")


@pytest.mark.parametrize(
    ("key", "state", "row"),
    [
        (LOCAL, SkillState(), ("skill:lint", "skill://lint", 0, 100)),
        (
            LOCAL,
            SkillState(enabled=True, priority=-5, subject=BIRTH),
            ("skill:lint", f"skill://lint?source=agent-local&generation={A}", 1, -5),
        ),
        (
            LOCAL,
            SkillState(enabled=True, subject=BIRTH, pin=Revision(B)),
            ("skill:lint", f"skill://lint?source=agent-local&generation={A}&revision={B}", 1, 100),
        ),
        (
            SHARED,
            SkillState(enabled=True, subject=ROOT),
            ("skill:lint@host-shared", f"skill://lint?source=host-shared&root={A}", 1, 100),
        ),
        (
            SHARED,
            SkillState(priority=100_000, subject=ROOT, pin=Revision(B)),
            ("skill:lint@host-shared", f"skill://lint?source=host-shared&root={A}&revision={B}", 0, 100_000),
        ),
    ],
)
def test_a_state_has_one_spelling(key: StateKey, state: SkillState, row: tuple[object, ...]) -> None:
    """Each state is written as exactly this row, and read back from it."""
    assert to_row(key, state) == row
    assert from_row(Row(*row)) == (key, state)


@pytest.mark.parametrize(("key", "subject"), [(LOCAL, ROOT), (SHARED, BIRTH), (LOCAL, Subject()), (SHARED, Subject())])
def test_a_subject_of_another_kind_is_not_written(key: StateKey, subject: Subject | None) -> None:
    """A row names a generation for a local folder, a root for a shared one, and else nothing, not even a pin."""
    state = SkillState(enabled=True, subject=subject, pin=Revision(B))
    assert to_row(key, state).file_path == "skill://lint?source=none"


@pytest.mark.parametrize(
    "file_path",
    [
        "skill://lint?source=none",
        "skill://lint?source=none&generation=",
        "skill://other",
        "",
        None,
        b"skill://lint",
        7,
        f"skill://lint?source=agent-local&generation={A}\n",
        f" skill://lint?source=agent-local&generation={A}",
        f"skill://lint?source=agent-local&generation={A.upper()}",
        f"skill://lint?source=agent-local&generation={A[:-1]}",
        f"skill://lint?source=agent-local&generation={A}0",
        f"skill://lint?generation={A}&source=agent-local",
        f"skill://lint?source=agent-local&generation={A}&generation={A}",
        f"skill://lint?source=agent-local&generation={A}&revision=",
        f"skill://lint?source=agent-local&generation={A}&revision={B}&more=1",
        f"skill://lint?source=git&generation={A}",
        f"skill://lint?source=host-shared&root={A}",
        f"skill://lint?source=agent-local&root={A}",
        f"skill://l%69nt?source=agent-local&generation={A}",
        f"skill://other?source=agent-local&generation={A}",
        f"SKILL://lint?source=agent-local&generation={A}",
        f"skill://lint?source=agent-local&generation={chr(0xFF11) * 64}",
    ],
)
def test_any_other_spelling_is_inert(file_path: object) -> None:
    """A row whose value is not exactly what would be written keeps its switch and priority, and turns nothing on."""
    found = from_row(Row("skill:lint", file_path, 1, 3))
    assert found == (LOCAL, SkillState(enabled=True, priority=3, subject=Subject()))
    assert not record("lint", generation=A, state=found[1]).enabled


def test_a_row_of_the_release_before_has_no_subject() -> None:
    """A row that only names the skill, as 0.1.0 wrote them, is inert, and can be told from every other inert row."""
    found = from_row(Row("skill:lint", "skill://lint", 1, 3))
    assert found == (LOCAL, SkillState(enabled=True, priority=3, subject=None))
    assert not record("lint", generation=A, state=found[1]).enabled
    assert not record("lint", generation=None, state=found[1]).enabled


def test_a_local_value_is_inert_in_a_shared_row() -> None:
    """What names a birth of a local folder says nothing of the shared root."""
    row = Row("skill:lint@host-shared", f"skill://lint?source=agent-local&generation={A}", 1, 100)
    assert from_row(row) == (SHARED, SkillState(enabled=True, subject=Subject()))


@pytest.mark.parametrize(
    "row",
    [
        Row("AGENTS.md", "AGENTS.md", 1, 100),
        Row("skill:", "skill://", 1, 100),
        Row("skill:Lint", "skill://Lint", 1, 100),
        Row("skill:con", "skill://con", 1, 100),
        Row("skill:lint@git", "skill://lint", 1, 100),
        Row("skill:lint@host-shared@host-shared", "skill://lint", 1, 100),
        Row("SKILL:lint", "skill://lint", 1, 100),
        Row("skill:lint\n", "skill://lint", 1, 100),
        Row(b"skill:lint", "skill://lint", 1, 100),
        Row(None, "skill://lint", 1, 100),
        Row("skill:lint", "skill://lint", 2, 100),
        Row("skill:lint", "skill://lint", -1, 100),
        Row("skill:lint", "skill://lint", None, 100),
        Row("skill:lint", "skill://lint", 1.0, 100),
        Row("skill:lint", "skill://lint", "1", 100),
        Row("skill:lint", "skill://lint", 1, 100_001),
        Row("skill:lint", "skill://lint", 1, -100_001),
        Row("skill:lint", "skill://lint", 1, 2**63),
        Row("skill:lint", "skill://lint", 1, 100.0),
        Row("skill:lint", "skill://lint", 1, float("nan")),
        Row("skill:lint", "skill://lint", 1, None),
        Row("skill:lint", "skill://lint", 1, b"100"),
    ],
)
def test_other_rows_are_not_of_a_state(row: Row) -> None:
    """Rows of other kinds, of no skill name, or with a switch or priority that is none, say nothing."""
    assert from_row(row) is None


@settings(max_examples=examples(2000))
@given(keyed_states())
def test_round_trip(keyed: tuple[StateKey, SkillState]) -> None:
    """Every state is read back from its row as it was."""
    key, state = keyed
    row = to_row(key, state)
    assert row.file_name == row_name(key)
    assert from_row(row) == (key, state)


@settings(max_examples=examples(2000))
@given(st.tuples(anything, anything, anything, anything))
def test_any_row_is_read(columns: tuple[object, object, object, object]) -> None:
    """Whatever the columns hold, reading gives a state that has one spelling, or nothing."""
    found = from_row(Row(*columns))
    if found is not None:
        assert from_row(to_row(*found)) == found


@settings(max_examples=examples(2000))
@given(st.data(), keyed_states())
def test_only_the_exact_spelling_names_a_subject(data: st.DataObject, keyed: tuple[StateKey, SkillState]) -> None:
    """A value with anything put in, taken out or changed is inert, unless it is the spelling of another state."""
    key, state = keyed
    row = to_row(key, state)
    value = str(row.file_path)
    at = data.draw(st.integers(0, len(value)))
    dropped = data.draw(st.integers(0, 3))
    put = data.draw(st.text("abcdef0123456789&=?%+\n Aé", max_size=3))
    changed = row._replace(file_path=value[:at] + put + value[at + dropped :])
    found = from_row(changed)
    assert found is not None
    assert found[1].subject == Subject() or to_row(*found) == changed


@pytest.mark.parametrize("subject", [Subject(generation="x"), Subject(root=A.upper())])
def test_a_state_that_no_row_could_keep_has_none(subject: Subject) -> None:
    """What is of no digest would be lost on its way to the table."""
    with pytest.raises(ValueError, match="must be"):
        to_row(LOCAL, SkillState(enabled=True, subject=subject))
