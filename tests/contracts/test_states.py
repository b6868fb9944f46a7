"""What every table of states keeps, on a disk or not."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import ClassVar

import pytest
from attrs import frozen
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import Generation, Revision, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.ports.states import StateTable

LINT = StateKey(SkillName("lint"))
SHARED_LINT = StateKey(SkillName("lint"), shared=True)
ON = SkillState(enabled=True, priority=7, subject=Subject(generation=Generation("a1" * 32)))
PINNED = SkillState(enabled=True, subject=Subject(generation=Generation("a1" * 32)), pin=Revision("b2" * 32))
SHARED_ON = SkillState(enabled=True, priority=-7, subject=Subject(root="c3" * 32))


@frozen
class Kind:
    """A table, and how to take it away and give it back."""

    table: StateTable
    take_away: Callable[[], None]
    give_back: Callable[[], None]


def memory(_: Path) -> Kind:
    """The fake."""
    table = MemoryStates()

    def say(why: StateUnavailable | None) -> None:
        table.unavailable = why

    return Kind(table, lambda: say(StateUnavailable("it is away")), lambda: say(None))


def sqlite(folder: Path) -> Kind:
    """The table in a SQLite file; another process that holds it takes it away."""
    path = folder / "state.sqlite3"
    held = ExitStack()

    def hold() -> None:
        other = held.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
        other.execute("BEGIN EXCLUSIVE")

    return Kind(SqliteStates(path, "did:test:abc", offload=inline, wait=0), hold, held.close)


KINDS = {"memory": memory, "sqlite": sqlite}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    """Each kind of table, empty."""
    return KINDS[request.param](tmp_path)


@pytest.fixture
def table(kind: Kind) -> StateTable:
    """Each table, empty."""
    return kind.table


def test_a_new_table_has_no_rows(table: StateTable) -> None:
    """A table that is not there yet reads as empty."""
    assert finish(table.rows()) == {}


@pytest.mark.parametrize("state", [SkillState(), SkillState(priority=3), ON, PINNED])
def test_what_was_put_is_read(table: StateTable, state: SkillState) -> None:
    """A state is read as it was written, be it on or off."""
    finish(table.put(LINT, state))
    assert finish(table.rows()) == {LINT: state}


def test_a_put_is_written_over_what_was_there(table: StateTable) -> None:
    """The last state that was written is the one that is read."""
    finish(table.put(LINT, PINNED))
    finish(table.put(LINT, ON))
    assert finish(table.rows()) == {LINT: ON}


def test_a_local_and_a_shared_skill_have_their_own_states(table: StateTable) -> None:
    """Two skills of one name in two roots do not share a state."""
    finish(table.put(LINT, ON))
    finish(table.put(SHARED_LINT, SHARED_ON))
    assert finish(table.rows()) == {LINT: ON, SHARED_LINT: SHARED_ON}


def test_the_rows_of_one_name_are_read(table: StateTable) -> None:
    """Those of the local and of the shared skill of that name, and no other's."""
    finish(table.put(LINT, ON))
    finish(table.put(SHARED_LINT, SHARED_ON))
    finish(table.put(StateKey(SkillName("lint-more")), ON))
    assert finish(table.rows(SkillName("lint"))) == {LINT: ON, SHARED_LINT: SHARED_ON}
    assert finish(table.rows(SkillName("lint-more"))) == {StateKey(SkillName("lint-more")): ON}
    assert finish(table.rows(SkillName("more"))) == {}


def test_a_drop_removes_what_was_seen(table: StateTable) -> None:
    """A row that still reads as it was seen goes, and no other."""
    finish(table.put(LINT, ON))
    finish(table.put(SHARED_LINT, SHARED_ON))
    finish(table.drop(LINT, seen=ON))
    assert finish(table.rows()) == {SHARED_LINT: SHARED_ON}


def test_a_drop_leaves_what_was_not_seen(table: StateTable) -> None:
    """A row that changed since it was seen stays."""
    finish(table.put(LINT, ON))
    finish(table.drop(LINT, seen=PINNED))
    assert finish(table.rows()) == {LINT: ON}


def test_a_drop_of_what_is_not_there_is_well(table: StateTable) -> None:
    """Dropping from an empty table, or a row that is gone, does nothing."""
    finish(table.drop(LINT, seen=ON))
    finish(table.put(LINT, ON))
    finish(table.drop(SHARED_LINT, seen=SHARED_ON))
    assert finish(table.rows()) == {LINT: ON}


def test_a_replacement_is_written_over_what_was_seen(table: StateTable) -> None:
    """A row that still reads as it was seen, or is still absent, is written, and no other."""
    assert finish(table.replace(LINT, ON, seen=None))
    assert finish(table.replace(SHARED_LINT, SHARED_ON, seen=None))
    assert finish(table.replace(LINT, PINNED, seen=ON))
    assert finish(table.rows()) == {LINT: PINNED, SHARED_LINT: SHARED_ON}


def test_a_replacement_leaves_what_was_not_seen(table: StateTable) -> None:
    """A row that changed since it was seen, appeared or vanished, stays as it is."""
    assert not finish(table.replace(LINT, ON, seen=PINNED))
    assert finish(table.rows()) == {}
    finish(table.put(LINT, ON))
    assert not finish(table.replace(LINT, PINNED, seen=None))
    assert not finish(table.replace(LINT, PINNED, seen=PINNED))
    assert finish(table.rows()) == {LINT: ON}


def test_a_table_that_does_not_answer_is_as_it_was(kind: Kind) -> None:
    """Every method says that the table is unavailable, and afterwards nothing has changed."""
    finish(kind.table.put(LINT, ON))
    kind.take_away()
    for call in (
        kind.table.rows,
        lambda: kind.table.rows(LINT.name),
        lambda: kind.table.put(LINT, PINNED),
        lambda: kind.table.put(SHARED_LINT, SHARED_ON),
        lambda: kind.table.replace(LINT, PINNED, seen=ON),
        lambda: kind.table.drop(LINT, seen=ON),
    ):
        with pytest.raises(StateUnavailable):
            finish(call())
    kind.give_back()
    assert finish(kind.table.rows()) == {LINT: ON}


def test_what_was_read_does_not_change(table: StateTable) -> None:
    """States that were read are those of that moment."""
    finish(table.put(LINT, ON))
    seen = finish(table.rows())
    finish(table.put(LINT, PINNED))
    assert seen == {LINT: ON}


def test_many_at_once_lose_nothing(table: StateTable) -> None:
    """Twenty writers on one loop write twenty rows."""
    keys = [StateKey(SkillName(f"skill-{number}")) for number in range(20)]

    async def write() -> None:
        await asyncio.gather(*(table.put(key, ON) for key in keys))

    asyncio.run(write())
    assert finish(table.rows()) == dict.fromkeys(keys, ON)


keys = st.builds(StateKey, st.sampled_from([SkillName("lint"), SkillName("pdf"), SkillName("a")]), st.booleans())


@st.composite
def states(draw: st.DrawFn, key: StateKey) -> SkillState:
    """A state that fits a key, of few kinds, so that drops meet what they saw."""
    value = draw(st.none() | st.sampled_from(["a1" * 32, "b2" * 32]))
    subject = Subject(root=value) if key.shared else Subject(generation=value and Generation(value))
    return SkillState(
        enabled=draw(st.booleans()),
        priority=draw(st.sampled_from([-100_000, 100, 100_000])),
        subject=None if value is None else subject,
        pin=None if value is None else draw(st.none() | st.just(Revision("c3" * 32))),
    )


class Model(RuleBasedStateMachine):
    """A table and a dictionary, told the same."""

    make: ClassVar[Callable[[Path], Kind]]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.table = type(self).make(Path(self.folder.name)).table
        self.model: dict[StateKey, SkillState] = {}

    def teardown(self) -> None:
        """Leave nothing."""
        self.folder.cleanup()

    @rule(data=st.data(), key=keys)
    def put(self, data: st.DataObject, key: StateKey) -> None:
        """Write one."""
        self.model[key] = data.draw(states(key))
        finish(self.table.put(key, self.model[key]))

    @rule(data=st.data(), key=keys)
    def replace(self, data: st.DataObject, key: StateKey) -> None:
        """Replace one, as it is or is not, or as it may have been."""
        seen = data.draw(st.none() | states(key) | st.just(self.model.get(key)))
        state = data.draw(states(key))
        fits = self.model.get(key) == seen
        if fits:
            self.model[key] = state
        assert finish(self.table.replace(key, state, seen=seen)) is fits

    @rule(data=st.data(), key=keys)
    def drop(self, data: st.DataObject, key: StateKey) -> None:
        """Drop one, as it is, or as it may have been."""
        seen = data.draw(states(key) | st.just(self.model.get(key, SkillState())))
        if self.model.get(key) == seen:
            del self.model[key]
        finish(self.table.drop(key, seen=seen))

    @invariant()
    def reads_the_same(self) -> None:
        """The table reads as the dictionary does, as a whole and name by name."""
        assert finish(self.table.rows()) == self.model
        for name in ("lint", "pdf", "a"):
            of_name = {key: state for key, state in self.model.items() if key.name == name}
            assert finish(self.table.rows(SkillName(name))) == of_name


class MemoryModel(Model):
    """The fake is a dictionary."""

    make = staticmethod(memory)


class SqliteModel(Model):
    """A SQLite file is a dictionary."""

    make = staticmethod(sqlite)


TestMemoryModel = MemoryModel.TestCase
TestMemoryModel.settings = settings(max_examples=100, stateful_step_count=20, deadline=None)
TestSqliteModel = SqliteModel.TestCase
TestSqliteModel.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
