"""What a command makes of what was observed."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import BadDocument, NotEditable, SkillError, StaleRevision, SwitchedOff
from kestrel_skills_core.domain.names import Address, Generation, Revision, SkillName, SourceId
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.service.decide import Turn, key_of, turned, turned_off, turned_on
from tests.domain.given import OTHER_FILES, REVISION, record

A, B = Revision("a1" * 32), Revision("b2" * 32)
NAME = SkillName("lint")

addresses = st.builds(Address, st.just(NAME), st.none() | st.sampled_from(SourceId))
priorities = st.none() | st.integers(-100_000, 100_000)
subjects = st.none() | st.builds(Subject, st.none() | st.just(Generation(A)), st.none() | st.just(B))
states = st.builds(
    SkillState,
    enabled=st.booleans(),
    priority=st.integers(-100_000, 100_000),
    subject=subjects,
    pin=st.none() | st.sampled_from([REVISION, B]),
)
records = st.builds(
    record,
    st.just(NAME),
    source=st.sampled_from(SourceId),
    packed=st.sampled_from([(), OTHER_FILES]),
    generation=st.none() | st.just(Generation(A)),
    root=st.none() | st.just(B),
    state=states,
)
rejections = st.builds(
    Rejection, label=st.just("lint"), name=st.just(NAME), source=st.sampled_from(SourceId), faults=st.just(())
)
on_commands = st.builds(
    SetState,
    address=addresses,
    enabled=st.just(True),
    priority=priorities,
    pin=st.none() | st.sampled_from([REVISION, B]),
)
off_commands = st.builds(SetState, address=addresses, enabled=st.just(False), priority=priorities)


@given(on_commands, records | rejections, states)
def test_what_is_turned_on_is_what_was_found(
    command: SetState, found: SkillRecord | Rejection, now: SkillState
) -> None:
    """A state that turns on names the subject that was found and turns on those bytes; else it is refused, and why."""
    try:
        state = turned_on(command, found, now)
    except BadDocument:
        assert isinstance(found, Rejection)
    except NotEditable:
        assert isinstance(found, SkillRecord)
        assert found.subject is None
    except StaleRevision:
        assert isinstance(found, SkillRecord)
        assert command.pin not in (None, found.revision)
    else:
        assert isinstance(found, SkillRecord)
        assert state.enabled
        assert state.subject == found.subject
        assert state.subject is not None
        assert state.pin == command.pin
        assert found.in_state(state).enabled


@given(records, priorities)
def test_what_is_turned_on_again_keeps_its_pin_unless_one_is_given(found: SkillRecord, priority: int | None) -> None:
    """A skill that is on stays pinned to the same bytes; one that left its pin, or was off, is on without any."""
    command = SetState(address=Address(NAME), enabled=True, priority=priority)
    if found.subject is not None:
        state = turned_on(command, found, found.state)
        assert state.pin == (found.state.pin if found.enabled else None)
        assert found.in_state(state).enabled


@given(addresses, priorities, records | rejections, states)
def test_what_is_moved_is_moved_and_nothing_else(
    address: Address, priority: int | None, found: SkillRecord | Rejection, now: SkillState
) -> None:
    """Whatever a skill is, and whatever its row says: only its place is another, where one is given."""
    turn, state = turned(SetState(address=address, priority=priority), found, now)
    assert turn is Turn.NEITHER
    assert (state.enabled, state.subject, state.pin) == (now.enabled, now.subject, now.pin)
    assert state.priority == (now.priority if priority is None else priority)


@given(st.none() | st.sampled_from([REVISION, B]), records | rejections)
def test_only_what_is_on_is_pinned(pin: Revision | None, found: SkillRecord | Rejection) -> None:
    """Of a skill that is on, exactly the bytes are that are there; one that is off has no pin to take away."""
    command = SetState(address=Address(NAME), pin=pin)
    is_on = isinstance(found, SkillRecord) and found.enabled
    now = found.state if isinstance(found, SkillRecord) else SkillState()
    try:
        turn, state = turned(command, found, now)
    except SwitchedOff:
        assert not is_on
        assert pin is not None
    except StaleRevision:
        assert is_on
        assert pin not in (None, found.revision)
    else:
        assert turn is (Turn.ON if is_on else Turn.NEITHER)
        assert state == (evolve(now, enabled=True, subject=found.subject, pin=pin) if is_on else now)


@given(off_commands, records, states)
def test_what_is_turned_off_is_off_for_everything(command: SetState, found: SkillRecord, now: SkillState) -> None:
    """A state that turns off turns nothing on, keeps what the row spoke of, and never fails."""
    state = turned_off(command, now)
    assert not state.enabled
    assert not found.in_state(state).enabled
    assert (state.subject, state.pin) == (now.subject, now.pin)


@given(on_commands | off_commands, records, states)
def test_the_priority_is_the_given_one_or_the_one_before(
    command: SetState, found: SkillRecord, now: SkillState
) -> None:
    """Whichever way it is turned, the priority is the command's, or stays."""
    try:
        state = turned_on(command, found, now) if command.enabled else turned_off(command, now)
    except SkillError:
        return
    assert state.priority == (now.priority if command.priority is None else command.priority)


@pytest.mark.parametrize(
    ("source", "shared"), [(SourceId.AGENT_LOCAL, False), (SourceId.GIT, False), (SourceId.HOST_SHARED, True)]
)
def test_the_row_is_the_roots(source: SourceId, shared: bool) -> None:
    """Local folders and those from git share a root, and so the key; the shared root has keys of its own."""
    found = Rejection(label="lint", name=NAME, source=source, faults=())
    assert key_of(found, NAME) == StateKey(NAME, shared)
