"""Two who switch one skill, or one who deletes it, a call of a port at a time, in every order of two turns each.

The one begins, the other begins, the one ends, the other ends; between them, somebody may switch on what is about to be
switched off. Whoever was told that it is off can rely on that.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from itertools import product
from typing import Any, TypeVar

import pytest
from attrs import define, evolve

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Delete, SetState
from kestrel_skills_core.domain.errors import (
    Busy,
    SkillAbsent,
    SkillError,
    StaleRevision,
    StateUnavailable,
    SwitchedOff,
)
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import Generation, SkillName, parse_address
from kestrel_skills_core.domain.record import SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.store import Fence
from kestrel_skills_core.ports.world import Cancelled
from kestrel_skills_core.service.library import SkillLibrary

from .shelf import ROOT, Shelf, shelf, skill

T = TypeVar("T")
Use = Callable[[SkillLibrary], Coroutine[Any, Any, object]]

NAME = SkillName("lint")
BORN = Generation("b1" * 32)
LINT: dict[str, Entry] = {**skill("lint"), ".kestrel-generation": Content(render_marker(BORN))}
ROWS = {
    StateKey(NAME): SkillState(enabled=True, subject=Subject(generation=BORN)),
    StateKey(NAME, shared=True): SkillState(enabled=True, subject=Subject(root=ROOT)),
}
SILENT = {"answers": set[str](), "is not written": {"put", "replace", "drop"}, "is silent": {"rows", "put", "replace"}}
"""What the table of states refuses to the second of the two."""


class Turn:
    """Gives way to the other, once."""

    def __await__(self) -> Generator[None, None, None]:
        """Wait for the next turn."""
        yield


@define
class Turns:
    """Runs work when its turn has come."""

    async def __call__(self, work: Callable[[Cancelled], T], /) -> T:
        """Run the work."""
        await Turn()
        return work(never)


@define
class Table:
    """A table of states that is asked when its turn has come, and refuses some of what is asked."""

    states: Any
    refused: set[str]

    def __getattr__(self, name: str) -> Any:
        async def wait(*arguments: Any, **more: Any) -> Any:
            await Turn()
            if name in self.refused:
                raise StateUnavailable("another holds it")
            return await getattr(self.states, name)(*arguments, **more)

        return wait


class Run:
    """A use of a library, as far as it has come."""

    def __init__(self, on: Shelf, use: Use, refused: set[str] | None = None) -> None:
        """Nothing of it was done."""
        library = evolve(on.library, states=Table(on.states, refused or set()), offload=Turns())
        self._todo = use(library)
        self.turns = 0
        self.ended = False
        self.error: SkillError | None = None

    def go(self, turns: int) -> None:
        """Let it make so many calls, or as many as it does."""
        while turns > 0 and not self.ended:
            turns -= 1
            self.turns += 1
            try:
                self._todo.send(None)
            except StopIteration:
                self.ended = True
            except SkillError as error:
                self.ended, self.error = True, error

    @property
    def done(self) -> bool:
        """Whether it was told to be done."""
        return self.ended and self.error is None


def switch(address: str, *, enabled: bool) -> Use:
    """Switch one copy."""
    return lambda library: library.set_state(SetState(address=parse_address(address), enabled=enabled))


def switch_off_as_seen(address: str) -> Use:
    """Look at one copy, and switch it off if it is still in the state that was seen."""

    async def use(library: SkillLibrary) -> object:
        found = (await library.read(parse_address(address))).found
        assert isinstance(found, SkillRecord)
        command = SetState(address=parse_address(address), enabled=False, expected_etag=found.etag)
        return await library.set_state(command)

    return use


async def delete(library: SkillLibrary) -> object:
    """Delete the agent's own copy."""
    address = parse_address("lint@agent-local")
    token = (await library.deletion(address)).delete_revision
    return await library.delete(Delete(address=address, delete_revision=token))


def world(*, marked: bool) -> Shelf:
    """Both copies on, or kept off by a mark alone."""
    on = shelf({"lint": dict(LINT)}, {"lint": skill("lint")})
    for key, state in ROWS.items():
        finish(on.states.put(key, state))
    if marked:
        on.local.fence(NAME, Fence(priority=100, reason="it was turned off"), cancelled=never)
    return on


def enabled(on: Shelf) -> set[str]:
    """The copies that are on, or would be if the other were not there."""
    standing = finish(on.library.catalog())
    if standing.fences is None or NAME in standing.fences:
        return set()
    rows = finish(on.states.rows())
    return {"lint@host-shared" if key.shared else "lint@agent-local" for key, row in rows.items() if row.enabled}


FIRST = {
    "off": switch("lint@agent-local", enabled=False),
    "shared off": switch("lint@host-shared", enabled=False),
    "on": switch("lint@agent-local", enabled=True),
    "shared on": switch("lint@host-shared", enabled=True),
    "delete": delete,
}
OFF = ["lint@agent-local", "lint@host-shared"]


def orders(
    first: str, off: Use, address: str, table: str, *, marked: bool, again: bool
) -> list[tuple[Shelf, Run, Run]]:
    """Every order of the two, run to its end: what there is then, and the two."""
    ends: list[tuple[Shelf, Run, Run]] = []
    most = Run(world(marked=marked), FIRST[first]), Run(world(marked=marked), off)
    for run in most:
        run.go(1000)
    for one, two in product(range(most[0].turns + 1), range(most[1].turns + 1)):
        on = world(marked=marked)
        older = Run(on, FIRST[first])
        older.go(one)
        if again:
            with suppress(SkillAbsent):
                finish(switch(address, enabled=True)(on.library))
        newer = Run(on, off, SILENT[table])
        newer.go(two)
        older.go(1000)
        newer.go(1000)
        assert older.ended
        assert newer.ended
        ends.append((on, older, newer))
    return ends


@pytest.mark.parametrize("again", [True, False], ids=["on again", ""])
@pytest.mark.parametrize("marked", [True, False], ids=["marked", ""])
@pytest.mark.parametrize("table", SILENT)
@pytest.mark.parametrize("address", OFF)
@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("seen", [True, False], ids=["as seen", ""])
def test_what_is_told_to_be_off_is_off(
    seen: bool, first: str, address: str, table: str, marked: bool, again: bool
) -> None:
    """But for what the other was told that it is on; and no mark is left where the table answers."""
    switched_on = {"on": "lint@agent-local", "shared on": "lint@host-shared"}.get(first)
    off = switch_off_as_seen(address) if seen else switch(address, enabled=False)
    for on, older, newer in orders(first, off, address, table, marked=marked, again=again):
        found = enabled(on)
        if switched_on != address or not older.done:
            assert newer.error is not None or address not in found
        if switched_on is not None and not older.done:
            assert switched_on not in found
        if first in ("off", "shared off") and older.done and not again:
            assert OFF[first == "shared off"] not in found
        if table == "answers":
            assert on.local.marks == {}


def test_whoever_switches_on_is_told_that_another_switched_off() -> None:
    """The error says that it is still off, and so it is; who looks again and switches it on, does."""
    errors = {
        type(older.error)
        for _, older, _ in orders("on", switch(OFF[0], enabled=False), OFF[0], "is silent", marked=False, again=False)
        if older.error is not None
    }
    assert errors == {SwitchedOff}
    on = world(marked=False)
    older = Run(on, FIRST["on"])
    older.go(3)
    Run(on, switch("lint", enabled=False), SILENT["is silent"]).go(1000)
    older.go(1000)
    assert isinstance(older.error, SwitchedOff)
    assert enabled(on) == set()
    finish(FIRST["on"](on.library))
    assert enabled(on) == {"lint@agent-local"}


def test_a_mark_that_another_left_is_not_taken_away_where_nobody_knows_the_rows() -> None:
    """Though it was written over, and the table fell silent only when the own row was written."""
    first = Run(world(marked=False), FIRST["off"])
    first.go(1000)
    for one, two in product(range(first.turns + 1), repeat=2):
        on = world(marked=False)
        older = Run(on, FIRST["off"])
        older.go(one)
        newer = Run(on, switch("lint@host-shared", enabled=False), SILENT["is silent"])
        newer.go(1000)
        assert newer.error is not None or enabled(on) <= {"lint@agent-local"}
        older.go(two)
        on.states.unavailable = StateUnavailable("it is away")
        older.go(1000)
        on.states.unavailable = None
        assert newer.error is not None or "lint@host-shared" not in enabled(on)


def test_whoever_could_not_take_a_mark_away_has_switched_nothing_on() -> None:
    """Though whoever wrote it takes it away a moment later."""
    first, second = Run(world(marked=False), FIRST["on"]), Run(world(marked=False), FIRST["off"])
    first.go(1000)
    second.go(1000)
    failed = 0
    for one, two in product(range(first.turns + 2), range(second.turns + 1)):
        on = world(marked=False)
        older, newer = Run(on, FIRST["off"]), Run(on, FIRST["on"])
        older.go(two)
        newer.go(one)
        on.local.broken = Busy("the mark of `lint`")
        newer.go(1000)
        on.local.broken = None
        older.go(1000)
        assert older.done
        if not newer.done:
            failed += 1
            assert "lint@agent-local" not in enabled(on)
    assert failed > 0


@pytest.mark.parametrize("marked", [True, False], ids=["marked", ""])
@pytest.mark.parametrize("enabled", [(True, True), (True, False), (False, True), (False, False)])
def test_of_two_who_saw_the_same_state_one_changes_it(enabled: tuple[bool, bool], marked: bool) -> None:
    """In every order, whatever the two want; the other is told, and the row is that of the one."""
    address = parse_address("lint@agent-local")

    def use(which: int) -> Use:
        found = finish(world(marked=marked).library.read(address)).found
        assert isinstance(found, SkillRecord)
        command = SetState(address=address, enabled=enabled[which], priority=which + 1, expected_etag=found.etag)
        return lambda library: library.set_state(command)

    most = [Run(world(marked=marked), use(which)) for which in range(2)]
    for run in most:
        run.go(1000)
        assert run.done
    for one, two in product(range(most[0].turns + 1), range(most[1].turns + 1)):
        on = world(marked=marked)
        both = [Run(on, use(which)) for which in range(2)]
        both[0].go(one)
        both[1].go(two)
        for run in both:
            run.go(1000)
        (winner,) = (which for which, run in enumerate(both) if run.done)
        assert isinstance(both[1 - winner].error, StaleRevision)
        row = finish(on.states.rows())[StateKey(NAME)]
        assert (row.enabled, row.priority) == (enabled[winner], winner + 1)
        assert on.local.marks == {}
