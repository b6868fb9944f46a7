"""Fail-closed marks beside the table of states."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from attrs import evolve

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Delete, SetState
from kestrel_skills_core.domain.errors import (
    BadDocument,
    InDoubt,
    SkillAbsent,
    SkillError,
    SourceUnavailable,
    StaleRevision,
    StateUnavailable,
    StoreFailed,
    TooLarge,
)
from kestrel_skills_core.domain.names import Address, SkillName, parse_address
from kestrel_skills_core.domain.record import SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey, to_row
from kestrel_skills_core.ports.store import Fence

from .shelf import BEYOND, ROOT, Shelf, shelf, skill

LINT = SkillName("lint")
ROW, SHARED_ROW = StateKey(LINT), StateKey(LINT, shared=True)
SILENT = StateUnavailable("it is away", "bring it back")
READ_ONLY = StoreFailed("fence", "the file system is read-only")
MARK = Fence(priority=100, reason="it was turned off")


def turn(on: Shelf, address: str = "lint", *, enabled: bool, priority: int | None = None):
    """Turn a skill on or off."""
    command = SetState(address=parse_address(address), enabled=enabled, priority=priority)
    return finish(on.library.set_state(command))


def enabled(on: Shelf) -> list[str]:
    """The skills that are on, each as name@source."""
    return [f"{record.name}@{record.source}" for record in finish(on.library.catalog()).catalog.enabled]


def rows(on: Shelf) -> dict[StateKey, SkillState]:
    """The table."""
    return dict(finish(on.states.rows()))


def refused(call) -> SkillError:
    """The error of a call."""
    with pytest.raises(SkillError) as caught:
        call()
    return caught.value


def test_a_marked_name_is_off_whatever_the_table_says() -> None:
    """In a listing, when it is read, in every root; and the listing tells of the mark."""
    on = shelf({"lint": skill("lint"), "pdf": skill("pdf")}, {"lint": skill("lint")})
    for address in ("lint", "lint@host-shared", "pdf"):
        turn(on, address, enabled=True)
    on.local.fence(LINT, MARK, cancelled=never)
    observed = finish(on.library.catalog())
    assert [record.name for record in observed.catalog.enabled] == ["pdf"]
    assert observed.fences == {LINT: MARK}
    assert not finish(on.library.read(parse_address("lint"))).found.enabled
    del on.local.folders["lint"]
    assert enabled(on) == ["pdf@agent-local"]


def test_marks_that_cannot_be_read_turn_everything_off() -> None:
    """Nothing is on, it says why, and nothing can be turned on until they can be read."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    on.local.blind = True
    observed = finish(on.library.catalog())
    assert observed.catalog.enabled == ()
    assert isinstance(observed.unavailable, StateUnavailable)
    assert observed.unavailable.fix
    assert observed.problems == (observed.unavailable,)
    assert isinstance(refused(lambda: turn(on, enabled=True, priority=3)), StateUnavailable)
    on.local.blind = False
    assert enabled(on) == ["lint@agent-local"]
    assert rows(on)[ROW].priority == 100


def test_turning_off_leaves_no_mark() -> None:
    """The mark is there only until the row says off; so it is after turning on."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    turn(on, enabled=False)
    assert on.local.marks == {}
    assert not rows(on)[ROW].enabled


def test_turning_off_works_without_the_table() -> None:
    """A mark keeps it off when the table is back, until somebody turns it on."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    on.states.unavailable = SILENT
    record = turn(on, enabled=False, priority=4)
    assert record.name == "lint"
    assert not record.enabled
    fences = on.local.fenced()
    assert fences is not None
    assert fences[LINT].priority == 4
    on.states.unavailable = None
    assert rows(on)[ROW].enabled
    assert enabled(on) == []
    turn(on, enabled=True)
    assert on.local.marks == {}
    assert enabled(on) == ["lint@agent-local"]


def test_turning_off_again_makes_the_row_say_so() -> None:
    """A mark that was left is cleared by the next change, off as on."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    on.local.fence(LINT, MARK, cancelled=never)
    turn(on, enabled=False)
    assert on.local.marks == {}
    assert enabled(on) == []


def test_turning_off_works_where_the_root_cannot_be_written() -> None:
    """Then the row alone is written; where that fails too, nothing was done, and it says so."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    on.local.broken = READ_ONLY
    on.states.unavailable = SILENT
    assert refused(lambda: turn(on, enabled=False)) is SILENT
    on.states.unavailable = None
    assert enabled(on) == ["lint@agent-local"]
    turn(on, enabled=False)
    assert enabled(on) == []


def test_without_a_store_the_row_alone_is_written() -> None:
    """A library that may change no root turns skills on and off all the same."""
    on = shelf({"lint": skill("lint")}, store=False)
    turn(on, enabled=True)
    assert enabled(on) == ["lint@agent-local"]
    turn(on, enabled=False)
    assert enabled(on) == []
    on.states.unavailable = SILENT
    assert refused(lambda: turn(on, enabled=False)) is SILENT


def test_a_mark_that_cannot_be_cleared_keeps_it_off() -> None:
    """Turning on then fails, and turning off does not."""
    on = shelf({"lint": skill("lint")})
    on.local.fence(LINT, MARK, cancelled=never)
    on.local.broken = InDoubt("lint")
    assert isinstance(refused(lambda: turn(on, enabled=True)), InDoubt)
    assert enabled(on) == []
    turn(on, enabled=False)
    assert enabled(on) == []


@pytest.mark.parametrize("enable", [True, False])
def test_nothing_comes_on_by_a_marks_going(enable: bool) -> None:
    """A copy that only the mark kept off is written off before the mark goes, whichever copy is switched."""
    on = shelf({"lint": skill("lint")}, {"lint": skill("lint")})
    turn(on, "lint@agent-local", enabled=True)
    on.local.fence(LINT, MARK, cancelled=never)
    turn(on, "lint@host-shared", enabled=enable)
    assert on.local.marks == {}
    assert enabled(on) == []
    del on.local.folders["lint"]
    assert enabled(on) == (["lint@host-shared"] if enable else [])


def test_another_copy_stays_on() -> None:
    """Without a mark, switching one copy off leaves the other's row as it is."""
    on = shelf({"lint": skill("lint")}, {"lint": skill("lint")})
    turn(on, "lint@agent-local", enabled=True)
    turn(on, "lint@host-shared", enabled=True)
    turn(on, "lint@host-shared", enabled=False)
    assert enabled(on) == ["lint@agent-local"]
    assert rows(on)[SHARED_ROW] == SkillState(subject=Subject(root=ROOT))


@pytest.mark.parametrize("name", ["lit", "broken"])
def test_a_refusal_leaves_no_mark(name: str) -> None:
    """What cannot be switched is refused before anything is written."""
    on = shelf({"lint": skill("lint"), "broken": {}})
    assert isinstance(refused(lambda: turn(on, name, enabled=True)), SkillAbsent | BadDocument)
    if name == "lit":
        assert isinstance(refused(lambda: turn(on, name, enabled=False)), SkillAbsent)
    assert on.local.marks == {}
    assert rows(on) == {}


def test_what_cannot_be_seen_needs_the_table_to_be_turned_off() -> None:
    """A folder beyond the caps is on by no row that can be read; it is said why, and no mark is left."""
    on = shelf({"lint": BEYOND})
    on.states.unavailable = SILENT
    assert isinstance(refused(lambda: turn(on, enabled=False)), TooLarge)
    assert on.local.marks == {}


def test_a_mark_that_nothing_is_left_of_can_be_cleared() -> None:
    """Turning off a name that has only a mark takes the mark away; what it kept off is written off first."""
    on = shelf()
    on.local.fence(LINT, MARK, cancelled=never)
    assert turn(on, enabled=False) is None
    assert on.local.marks == {}
    finish(on.states.put(SHARED_ROW, SkillState(enabled=True, subject=Subject(root=ROOT))))
    on.local.fence(LINT, MARK, cancelled=never)
    assert turn(on, "lint@agent-local", enabled=False) is None
    assert on.local.marks == {}
    on.shared.folders["lint"] = skill("lint")
    assert enabled(on) == []


def test_a_root_that_is_away_takes_its_marks_with_it() -> None:
    """Nothing is on, and the cause is told once; a table that is silent is another cause."""
    on = shelf({}, {"lint": skill("lint")})
    turn(on, enabled=True)
    away = SourceUnavailable("agent-local", "it is away")
    on.local.problem = away
    observed = finish(on.library.catalog())
    assert observed.catalog.enabled == ()
    assert isinstance(observed.unavailable, StateUnavailable)
    assert observed.problems == (away,)
    on.states.unavailable = SILENT
    assert finish(on.library.catalog()).problems == (away, SILENT)


def test_a_deletion_takes_no_mark_from_a_row_that_is_not_its_own() -> None:
    """A row that speaks of another folder of that name is not dropped, and so is written off before its mark goes."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    on.states.unavailable = SILENT
    turn(on, enabled=False)
    on.states.unavailable = None
    away = on.local.folders.pop("lint")
    on.local.folders["lint"] = skill("lint", body="Another.")
    token = finish(on.library.deletion(Address(LINT))).delete_revision
    finish(on.library.delete(Delete(address=Address(LINT), delete_revision=token)))
    assert on.local.marks == {}
    on.local.folders["lint"] = away
    assert enabled(on) == []


def test_a_mark_stays_for_as_long_as_nobody_can_tell_what_it_keeps_off() -> None:
    """Turning off a name that has only a mark, while the table does not answer, is answered and changes nothing."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    away = on.local.folders.pop("lint")
    on.local.fence(LINT, MARK, cancelled=never)
    on.states.unavailable = SILENT
    turn(on, enabled=False)
    on.states.unavailable = None
    on.local.folders["lint"] = away
    assert on.local.fenced() == {LINT: MARK}
    assert enabled(on) == []


def etag(on: Shelf) -> str:
    """The etag of the skill as it is now."""
    found = finish(on.library.read(Address(LINT))).found
    assert isinstance(found, SkillRecord)
    return found.etag


def turn_as_seen(on: Shelf, seen: str, *, enabled: bool) -> object:
    """Turn the skill on or off, if that is what it is."""
    return finish(on.library.set_state(SetState(address=Address(LINT), enabled=enabled, expected_etag=seen)))


class Moving(MemoryStates):
    """A table that another process writes once, as soon as it was read."""

    async def rows(self, name: SkillName | None = None) -> Mapping[StateKey, SkillState]:
        """All, or those of one name."""
        rows = await super().rows(name)
        if self.moved is not None:
            self._rows[ROW], self.moved = to_row(ROW, self.moved), None
        return rows

    moved: SkillState | None = None


@pytest.mark.parametrize("enabled", [True, False])
def test_a_state_that_another_process_changed_is_not_changed(enabled: bool) -> None:
    """Between the look and the write: it is as they wrote it, whoever saw another is told, and no mark is left."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    seen, moved = etag(on), evolve(rows(on)[ROW], priority=7)
    states = Moving(rows(on))
    states.moved = moved
    on = evolve(on, library=evolve(on.library, states=states), states=states)
    assert isinstance(refused(lambda: turn_as_seen(on, seen, enabled=enabled)), StaleRevision)
    assert rows(on) == {ROW: moved}
    assert on.local.marks == {}


def test_a_skill_that_is_moved_is_not_switched_on_again() -> None:
    """Another process switches it off between the look and the write: it is off, and whoever moves it is told."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    moved = evolve(rows(on)[ROW], enabled=False)
    states = Moving(rows(on))
    states.moved = moved
    on = evolve(on, library=evolve(on.library, states=states), states=states)
    assert isinstance(refused(lambda: move(on, 5)), StaleRevision)
    assert rows(on) == {ROW: moved}


def move(on: Shelf, priority: int | None) -> object:
    """Give the skill another place in the order, and leave all else."""
    return finish(on.library.set_state(SetState(address=Address(LINT), priority=priority)))


def test_a_skill_that_is_moved_stays_off_under_its_mark() -> None:
    """The mark stays, and the row below it says what it did; what is given is off."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    row = rows(on)[ROW]
    on.local.fence(LINT, MARK, cancelled=never)
    found = move(on, 5)
    assert isinstance(found, SkillRecord)
    assert (found.enabled, found.priority) == (False, 5)
    assert rows(on) == {ROW: evolve(row, priority=5)}
    assert list(on.local.marks) == [LINT]


def test_what_is_moved_nowhere_is_not_written() -> None:
    """Nor is a row made for it."""
    on = shelf({"lint": skill("lint")})
    move(on, None)
    move(on, 100)
    assert rows(on) == {}


@pytest.mark.parametrize("silent", ["the table", "the marks"])
def test_nothing_is_moved_that_cannot_be_known(silent: str) -> None:
    """Where nobody can tell whether a skill is on, it is not written off by who only moves it."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)
    before = rows(on)
    if silent == "the table":
        on.states.unavailable = SILENT
    else:
        on.local.blind = True
    assert isinstance(refused(lambda: move(on, 5)), StateUnavailable)
    on.states.unavailable = None
    assert rows(on) == before


def test_turning_off_what_was_seen_works_without_the_table() -> None:
    """A mark keeps it off where the row cannot be written; where neither can be, nothing was done."""
    on = shelf({"lint": skill("lint")})
    turn(on, enabled=True)

    class Written(MemoryStates):
        async def put(self, key: StateKey, state: SkillState) -> None:
            raise SILENT

    states = Written(rows(on))
    on = evolve(on, library=evolve(on.library, states=states), states=states)
    on.local.broken = READ_ONLY
    seen = etag(on)
    assert refused(lambda: turn_as_seen(on, seen, enabled=False)) is SILENT
    assert enabled(on) == ["lint@agent-local"]
    on.local.broken = None
    turn_as_seen(on, seen, enabled=False)
    assert list(on.local.marks) == ["lint"]
    assert enabled(on) == []
