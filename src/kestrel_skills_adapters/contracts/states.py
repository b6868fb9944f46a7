"""What every table of states keeps, on a disk or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from itertools import count
from typing import Any

import pytest
from attrs import field, frozen
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import Generation, Revision, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.ports.states import StateTable

from ..world import finish

__all__ = ["Bed", "Rows", "StateTableContract"]

LINT = StateKey(SkillName("lint"))

SHARED_LINT = StateKey(SkillName("lint"), shared=True)

ON = SkillState(enabled=True, priority=7, subject=Subject(generation=Generation("a1" * 32)))

PINNED = SkillState(enabled=True, subject=Subject(generation=Generation("a1" * 32)), pin=Revision("b2" * 32))

SHARED_ON = SkillState(enabled=True, priority=-7, subject=Subject(root="c3" * 32))


@frozen
class Bed:
    """Tables to try, in one place: the table of an agent, and how to take them all away and give them back.

    `finish` awaits what their methods give, on the loop that they are used on; `examples` is how many stories a table
    is told, fewer where each takes long.
    """

    table: Callable[[str], StateTable]
    take_away: Callable[[], object]
    give_back: Callable[[], object]
    finish: Callable[[Coroutine[Any, Any, Any]], Any] = finish
    examples: int = 12
    _agents: Iterator[int] = field(factory=count, init=False)

    def anew(self) -> Rows:
        """The table of an agent that has no rows yet."""
        return Rows(self.table(f"did:test:{next(self._agents)}"), self.finish)


@frozen
class Rows:
    """A table whose methods are awaited here."""

    table: StateTable
    finish: Callable[[Coroutine[Any, Any, Any]], Any]

    def rows(self, name: SkillName | None = None) -> Mapping[StateKey, SkillState]:
        """See the port, and so for the others."""
        found: Mapping[StateKey, SkillState] = self.finish(self.table.rows(name))
        return found

    def put(self, key: StateKey, state: SkillState) -> None:
        """Write one."""
        self.finish(self.table.put(key, state))

    def replace(self, key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        """Write one, if it reads as it was seen."""
        is_written: bool = self.finish(self.table.replace(key, state, seen=seen))
        return is_written

    def drop(self, key: StateKey, *, seen: SkillState) -> None:
        """Remove one, if it reads as it was seen."""
        self.finish(self.table.drop(key, seen=seen))


keys = st.builds(StateKey, st.sampled_from([SkillName("lint"), SkillName("pdf"), SkillName("a")]), st.booleans())


@st.composite
def states(draw: st.DrawFn, key: StateKey) -> SkillState:
    """A state that fits a key, of few kinds, so that drops meet what they saw."""
    value = draw(st.none() | st.sampled_from(["a1" * 32, "b2" * 32]))
    subject = Subject(root=value) if key.shared else Subject(generation=None if value is None else Generation(value))
    return SkillState(
        enabled=draw(st.booleans()),
        priority=draw(st.sampled_from([-100_000, 100, 100_000])),
        subject=None if value is None else subject,
        pin=None if value is None else draw(st.none() | st.just(Revision("c3" * 32))),
    )


class Model(RuleBasedStateMachine):
    """A table and a dictionary, told the same."""

    def __init__(self, table: Rows) -> None:
        super().__init__()
        self.table = table
        self.model: dict[StateKey, SkillState] = {}

    @rule(drawn=st.data(), key=keys)
    def put(self, drawn: st.DataObject, key: StateKey) -> None:
        """Write one."""
        self.model[key] = drawn.draw(states(key))
        self.table.put(key, self.model[key])

    @rule(drawn=st.data(), key=keys)
    def replace(self, drawn: st.DataObject, key: StateKey) -> None:
        """Replace one, as it is or is not, or as it may have been."""
        seen = drawn.draw(st.none() | states(key) | st.just(self.model.get(key)))
        state = drawn.draw(states(key))
        fits = self.model.get(key) == seen
        if fits:
            self.model[key] = state
        assert self.table.replace(key, state, seen=seen) is fits

    @rule(drawn=st.data(), key=keys)
    def drop(self, drawn: st.DataObject, key: StateKey) -> None:
        """Drop one, as it is, or as it may have been."""
        seen = drawn.draw(states(key) | st.just(self.model.get(key, SkillState())))
        if self.model.get(key) == seen:
            del self.model[key]
        self.table.drop(key, seen=seen)

    @invariant()
    def reads_the_same(self) -> None:
        """The table reads as the dictionary does, as a whole and name by name."""
        assert self.table.rows() == self.model
        for name in ("lint", "pdf", "a"):
            of_name = {key: state for key, state in self.model.items() if key.name == name}
            assert self.table.rows(SkillName(name)) == of_name


class StateTableContract:
    """Every table of states, on a disk or not. The fixture `bed` makes the tables of its agents."""

    @pytest.fixture
    def table(self, bed: Bed) -> Rows:
        """A table, empty."""
        return bed.anew()

    def test_a_new_table_has_no_rows(self, table: Rows) -> None:
        """A table that is not there yet reads as empty."""
        assert table.rows() == {}

    @pytest.mark.parametrize("state", [SkillState(), SkillState(priority=3), ON, PINNED])
    def test_what_was_put_is_read(self, table: Rows, state: SkillState) -> None:
        """A state is read as it was written, be it on or off."""
        table.put(LINT, state)
        assert table.rows() == {LINT: state}

    def test_a_put_is_written_over_what_was_there(self, table: Rows) -> None:
        """The last state that was written is the one that is read."""
        table.put(LINT, PINNED)
        table.put(LINT, ON)
        assert table.rows() == {LINT: ON}

    def test_a_local_and_a_shared_skill_have_their_own_states(self, table: Rows) -> None:
        """Two skills of one name in two roots do not share a state."""
        table.put(LINT, ON)
        table.put(SHARED_LINT, SHARED_ON)
        assert table.rows() == {LINT: ON, SHARED_LINT: SHARED_ON}

    def test_the_rows_of_one_name_are_read(self, table: Rows) -> None:
        """Those of the local and of the shared skill of that name, and no other's."""
        table.put(LINT, ON)
        table.put(SHARED_LINT, SHARED_ON)
        table.put(StateKey(SkillName("lint-more")), ON)
        assert table.rows(SkillName("lint")) == {LINT: ON, SHARED_LINT: SHARED_ON}
        assert table.rows(SkillName("lint-more")) == {StateKey(SkillName("lint-more")): ON}
        assert table.rows(SkillName("more")) == {}

    def test_a_drop_removes_what_was_seen(self, table: Rows) -> None:
        """A row that still reads as it was seen goes, and no other."""
        table.put(LINT, ON)
        table.put(SHARED_LINT, SHARED_ON)
        table.drop(LINT, seen=ON)
        assert table.rows() == {SHARED_LINT: SHARED_ON}

    def test_a_drop_leaves_what_was_not_seen(self, table: Rows) -> None:
        """A row that changed since it was seen stays."""
        table.put(LINT, ON)
        table.drop(LINT, seen=PINNED)
        assert table.rows() == {LINT: ON}

    def test_a_drop_of_what_is_not_there_is_well(self, table: Rows) -> None:
        """Dropping from an empty table, or a row that is gone, does nothing."""
        table.drop(LINT, seen=ON)
        table.put(LINT, ON)
        table.drop(SHARED_LINT, seen=SHARED_ON)
        assert table.rows() == {LINT: ON}

    def test_a_replacement_is_written_over_what_was_seen(self, table: Rows) -> None:
        """A row that still reads as it was seen, or is still absent, is written, and no other."""
        assert table.replace(LINT, ON, seen=None)
        assert table.replace(SHARED_LINT, SHARED_ON, seen=None)
        assert table.replace(LINT, PINNED, seen=ON)
        assert table.rows() == {LINT: PINNED, SHARED_LINT: SHARED_ON}

    def test_a_replacement_leaves_what_was_not_seen(self, table: Rows) -> None:
        """A row that changed since it was seen, appeared or vanished, stays as it is."""
        assert not table.replace(LINT, ON, seen=PINNED)
        assert table.rows() == {}
        table.put(LINT, ON)
        assert not table.replace(LINT, PINNED, seen=None)
        assert not table.replace(LINT, PINNED, seen=PINNED)
        assert table.rows() == {LINT: ON}

    def test_a_table_that_does_not_answer_is_as_it_was(self, bed: Bed) -> None:
        """Every method says that the table is unavailable, and afterwards nothing has changed."""
        table = bed.anew()
        table.put(LINT, ON)
        bed.take_away()
        for call in (
            table.rows,
            lambda: table.rows(LINT.name),
            lambda: table.put(LINT, PINNED),
            lambda: table.put(SHARED_LINT, SHARED_ON),
            lambda: table.replace(LINT, PINNED, seen=ON),
            lambda: table.drop(LINT, seen=ON),
        ):
            with pytest.raises(StateUnavailable) as caught:
                call()
            assert caught.value.fix or caught.value.why == "it is away"
            assert "\n" not in f"{caught.value}{caught.value.fix}"
        bed.give_back()
        assert table.rows() == {LINT: ON}

    def test_what_was_read_does_not_change(self, table: Rows) -> None:
        """States that were read are those of that moment."""
        table.put(LINT, ON)
        seen = table.rows()
        table.put(LINT, PINNED)
        assert seen == {LINT: ON}

    def test_many_at_once_lose_nothing(self, table: Rows) -> None:
        """Twenty writers on one loop write twenty rows into a table that is not there yet."""
        keys = [StateKey(SkillName(f"skill-{number}")) for number in range(20)]

        async def write() -> None:
            await asyncio.gather(*(table.table.put(key, ON) for key in keys))

        run = asyncio.run if table.finish is finish else table.finish
        run(write())
        assert table.rows() == dict.fromkeys(keys, ON)

    def test_of_many_replacements_at_once_one_is_written(self, table: Rows) -> None:
        """Of writers that saw the same, be it a row or none, exactly one writes, and is told so; its state is there."""
        wanted = [SkillState(enabled=True, priority=number, subject=ON.subject) for number in range(12)]
        run = asyncio.run if table.finish is finish else table.finish

        async def write(seen: SkillState | None) -> list[bool]:
            return await asyncio.gather(*(table.table.replace(LINT, state, seen=seen) for state in wanted))

        for seen in (None, PINNED):
            if seen is not None:
                table.put(LINT, seen)
            written = run(write(seen))
            assert [state for state, is_written in zip(wanted, written, strict=True) if is_written] == [
                table.rows()[LINT]
            ]

    def test_no_agent_sees_another(self, bed: Bed) -> None:
        """Each agent has its own states in one table."""
        one, other = bed.anew(), bed.anew()
        one.put(LINT, ON)
        other.put(LINT, PINNED)
        other.drop(LINT, seen=ON)
        assert one.rows() == {LINT: ON}
        one.drop(LINT, seen=ON)
        assert (one.rows(), other.rows()) == ({}, {LINT: PINNED})

    def test_a_table_is_a_dictionary(self, bed: Bed) -> None:
        """Whatever is put, replaced and dropped, in whatever order, reads as in a dictionary."""
        stories = settings(max_examples=bed.examples, stateful_step_count=20, deadline=None)

        class OfBed(Model):
            def __init__(self) -> None:
                super().__init__(bed.anew())

        run_state_machine_as_test(OfBed, settings=stories)
