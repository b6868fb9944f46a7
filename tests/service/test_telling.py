"""The mirror is told what each name means after every change of it, and nothing older than what it was told before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import pytest
from attrs import define, evolve, field
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Install
from kestrel_skills_core.domain.errors import SkillAbsent, SkillError, SourceUnavailable, StateUnavailable
from kestrel_skills_core.domain.names import DOCUMENT, Address, SkillName, SourceId
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.store import Swept
from kestrel_skills_core.ports.world import Cancelled
from kestrel_skills_core.service.library import SkillLibrary
from kestrel_skills_core.service.telling import Telling
from tests.contracts.store import never

from .shelf import Shelf, shelf, skill
from .test_installer import TOOLS, installer
from .test_interruptions import (
    BOTH,
    CASES,
    LEFT_ON,
    LINT,
    ROW,
    SHARED_ON,
    SHARED_ROW,
    create,
    delete,
    edit,
    restore,
    turn,
    world,
)
from .traps import CHANGES, NAME, WRITES, Trap, trapped

T = TypeVar("T")
Found = SkillRecord | Rejection | None

A, B = SkillName("a"), SkillName("b")


def mirror_of(on: Shelf) -> MemoryMirror:
    """The mirror of a shelf."""
    assert isinstance(on.library.mirror, MemoryMirror)
    return on.library.mirror


def meant(on: Shelf, name: SkillName = NAME) -> Found:
    """What a name means to a library that has seen nothing yet, and that tells nobody."""
    fresh = SkillLibrary(
        agent=on.library.agent,
        sources=on.library.sources,
        store=on.library.store,
        states=on.states,
        offload=on.offload,
        markdown=on.library.markdown,
    )
    try:
        return finish(fresh.catalog()).catalog.find(Address(name))
    except SkillAbsent:
        return None


# What it is told of a change


@pytest.mark.parametrize("case", CASES)
def test_the_mirror_is_told_what_a_change_made_of_the_name(case: str) -> None:
    """Whatever it was told before, and though nobody asks for the catalog."""
    stand, act, _ = CASES[case]
    on = stand()
    finish(on.library.catalog())
    finish(act(on.library))
    assert mirror_of(on).found.get(NAME) == meant(on)


@pytest.mark.parametrize("how", ["raises", "in doubt"])
@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith(("ask", "start"))])
def test_it_is_told_too_where_a_change_failed_half_way(case: str, how: Any) -> None:
    """Whatever step it was that failed, and whether it was then done or not."""
    stand, act, _ = CASES[case]
    at, sprung = 0, True
    while sprung:
        at += 1
        on = stand()
        finish(on.library.catalog())
        trap = Trap(at=at, how=how)
        with suppress(SkillError):
            finish(act(trapped(on, Counted(trap))))
        sprung = trap.called >= at
        if sprung and trap.sprung:
            assert mirror_of(on).found.get(NAME) == meant(on)


@define
class Counted:
    """A trap that counts only what changes something."""

    trap: Trap

    def before(self, method: str, port: Any) -> Any:
        """Meet a call."""
        return self.trap.before(method, port) if method in CHANGES | WRITES else None

    def after(self, method: str) -> None:
        """Meet its end."""
        if method in CHANGES | WRITES:
            self.trap.after(method)


def test_a_skill_that_shadows_one_that_is_on_is_told() -> None:
    """It is off, and the one it shadows is not what the name means any more."""
    on = world(shared=True, rows={SHARED_ROW: SHARED_ON})()
    finish(on.library.catalog())
    assert mirror_of(on).enabled == {NAME}
    finish(create(enabled=False)(on.library))
    assert mirror_of(on).enabled == set()
    found = mirror_of(on).found[NAME]
    assert isinstance(found, SkillRecord)
    assert found.source is SourceId.AGENT_LOCAL
    assert [shadowed.source for shadowed in found.shadowed] == [SourceId.HOST_SHARED]


def test_a_deletion_that_uncovers_one_that_is_on_is_told() -> None:
    """The name then means the shared skill, with its own earlier state."""
    on = world(local=True, shared=True, rows={SHARED_ROW: SHARED_ON})()
    finish(on.library.catalog())
    assert mirror_of(on).enabled == set()
    finish(delete(on.library))
    assert mirror_of(on).enabled == {NAME}
    assert mirror_of(on).found[NAME].source is SourceId.HOST_SHARED


def test_a_deletion_that_leaves_nothing_is_told() -> None:
    """The name means nothing."""
    on = world(local=True)()
    finish(on.library.catalog())
    finish(delete(on.library))
    assert mirror_of(on).found == {}
    assert mirror_of(on).told == [False, NAME]


def test_a_rejected_folder_that_holds_back_is_told() -> None:
    """It has come to be under a person's hands; the next change of the name tells of it."""
    on = world(local=True, shared=True, rows=BOTH)()
    finish(on.library.catalog())
    assert mirror_of(on).enabled == {NAME}
    folder = on.local.folders[NAME]
    assert isinstance(folder, dict)
    folder[DOCUMENT] = Content(b"no head")
    finish(turn("lint@host-shared", enabled=False)(on.library))
    found = mirror_of(on).found[NAME]
    assert isinstance(found, Rejection)
    assert found.holds_back is not None
    assert found.holds_back.source is SourceId.HOST_SHARED
    assert mirror_of(on).enabled == set()


@pytest.mark.parametrize("rows", [{}, {SHARED_ROW: SHARED_ON}])
def test_an_install_under_a_shared_skill_is_told(rows: dict) -> None:
    """The name goes on meaning the shared one, on or off, and what was installed is shadowed by it."""
    on = world(shared=True, rows=rows)()
    finish(on.library.catalog())
    finish(installer(on).install(Install(source=TOOLS, name="lint")))
    found = mirror_of(on).found[NAME]
    assert isinstance(found, SkillRecord)
    assert (found.source, found.enabled) == (SourceId.HOST_SHARED, bool(rows))
    assert [shadowed.source for shadowed in found.shadowed] == [SourceId.GIT]
    assert found == meant(on)


def test_an_install_is_told() -> None:
    """Off."""
    on = world()()
    finish(installer(on).install(Install(source=TOOLS, name="lint")))
    assert mirror_of(on).found[NAME] == meant(on) is not None
    assert mirror_of(on).enabled == set()


def test_what_cannot_be_told_is_told_to_be_nothing() -> None:
    """A root that cannot be read may hold anything, so that what was on is not on any more."""
    on = world(local=True, rows=BOTH)()
    finish(on.library.catalog())
    assert mirror_of(on).enabled == {NAME}
    on.shared.problem = SourceUnavailable("host-shared", "it is away")
    finish(edit(on.library))
    assert mirror_of(on).enabled == {NAME}
    on.local.problem = SourceUnavailable("agent-local", "it is away")
    finish(turn("lint@host-shared", enabled=False)(on.library))
    assert mirror_of(on).found == {}


def test_a_table_that_fell_silent_is_told() -> None:
    """Nothing can be on then, whatever the mirror says of others until the next catalog."""
    on = world(local=True, rows=BOTH)()
    finish(on.library.catalog())
    on.states.unavailable = StateUnavailable("it is away")
    finish(edit(on.library))
    assert mirror_of(on).enabled == set()


@pytest.mark.parametrize("how", ["cancelled before", "cancelled after"])
def test_a_look_that_is_cut_short_says_nothing(how: Any) -> None:
    """The mirror is told that nobody knows, lest it say on of what has just been switched off."""
    stand, act, _ = CASES["off"]
    noted = Trap(at=0, how=how)
    finish(act(trapped(stand(), noted)))
    for at in range(noted.called - 3, noted.called + 1):
        on = stand()
        finish(on.library.catalog())
        trap = Trap(at=at, how=how)
        with suppress(asyncio.CancelledError):
            finish(act(trapped(on, trap)))
        assert NAME not in mirror_of(on).enabled
        assert mirror_of(on).told[-1] == NAME
        assert trap.sprung == (mirror_of(on).found == {})


def test_a_start_tells_of_what_it_switched_on_and_brought_back() -> None:
    """Of what it did nothing to, it tells nothing."""
    on = world(local=True, rows=LEFT_ON)()
    finish(on.library.start())
    assert mirror_of(on).enabled == {NAME}
    finish(on.library.start())
    assert mirror_of(on).told == [NAME]

    on = world(rows={ROW: BOTH[ROW]})()
    finish(on.library.catalog())

    def sweep() -> Swept:
        on.local.folders[NAME] = dict(LINT)
        return Swept(restored=(NAME,))

    on.local.sweep = sweep  # type: ignore[method-assign]
    finish(on.library.start())
    assert mirror_of(on).enabled == {NAME}


def test_what_is_brought_back_is_told_though_nobody_knows_whether_it_lasts() -> None:
    """The name is known before it is tried."""
    on = world(kept=True, rows=BOTH)()
    with suppress(SkillError):
        finish(restore(trapped(on, Trap(at=2, how="in doubt", only="restore"))))
    assert mirror_of(on).enabled == {NAME}


def test_a_change_that_was_refused_at_once_tells_nothing() -> None:
    """Nothing was begun."""
    on = world(local=True)()
    finish(on.library.catalog())
    with pytest.raises(SkillAbsent):
        finish(turn("lintt", enabled=True)(on.library))
    assert mirror_of(on).told == [False]


def test_without_a_mirror_no_name_is_looked_at_again() -> None:
    """Nobody pays for what nobody is told."""
    with_mirror, without = world(local=True)(), shelf({"lint": dict(LINT)})
    for on in (with_mirror, without):
        on.local.asked.clear()
        finish(edit(on.library))
    assert without.local.asked == ["read lint"]
    assert with_mirror.local.asked == ["read lint", "read lint"]


def test_a_change_costs_one_look_at_its_name() -> None:
    """However many others there are: none of them is read, and no root is surveyed."""
    on = shelf({"lint": dict(LINT)} | {f"n{at}": skill(f"n{at}") for at in range(50)}, mirror=MemoryMirror())
    finish(turn("lint", enabled=True)(on.library))
    assert set(on.local.asked) == {"read lint"}


# What is older than what it was told before


RECORD = finish(shelf({"a": skill("a")}).library.catalog()).catalog.records[0]


def seen(name: SkillName, begun: int) -> SkillRecord:
    """What the look of that number saw of a name: its priority says which look it was."""
    return evolve(RECORD, name=name, state=SkillState(priority=begun))


@define
class Heard:
    """A mirror that keeps which looks it was told of, of each name; 0 is that nothing may be seen."""

    looks: dict[SkillName, list[int]] = field(factory=lambda: {A: [0], B: [0]})

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Hear of all."""
        assert catalog.is_empty is hidden
        assert list(catalog.records) == sorted(catalog.records, key=lambda record: (record.priority, record.name))
        told = {record.name: record.priority for record in catalog.records}
        for name, looks in self.looks.items():
            looks.append(0 if hidden else told[name])

    async def changed(self, name: SkillName, found: Found) -> None:
        """Hear of one."""
        assert isinstance(found, SkillRecord)
        self.looks[name].append(found.priority)


@define
class Model:
    """What is told when looks begin and end, by the rules alone."""

    telling: Telling
    going: list[tuple[int, str]] = field(factory=list)
    begun: int = 0
    newest: dict[SkillName, int] = field(factory=lambda: {A: 0, B: 0})
    """Of each name, the newest look that ended, or when it was last told that nothing may be seen."""
    hidden: int = 0
    """When that was."""

    def begin(self, of: str) -> None:
        """A look begins, at one name or at all."""
        self.begun += 1
        assert self.telling.begin() == self.begun
        self.going.append((self.begun, of))

    def end(self, choice: int) -> None:
        """One of them ends."""
        if not self.going:
            return
        begun, of = self.going.pop(choice % len(self.going))
        if of == "all":
            finish(self.telling.shown(begun, Catalog((seen(A, begun), seen(B, begun)))))
        else:
            finish(self.telling.changed(begun, SkillName(of), seen(SkillName(of), begun)))
        for name in (A, B):
            if of in ("all", name):
                self.newest[name] = max(self.newest[name], begun)

    def hide(self) -> None:
        """Nothing may be seen now."""
        finish(self.telling.hidden())
        self.begun = self.hidden = self.begun + 1
        self.newest = {A: self.hidden, B: self.hidden}

    def says(self, name: SkillName) -> int:
        """The look that the mirror says of a name, as it must be."""
        return 0 if self.newest[name] == self.hidden else self.newest[name]


EVENTS = st.lists(st.tuples(st.sampled_from(["all", "a", "b", "end", "end", "hide"]), st.integers(0, 9)), max_size=40)


@settings(max_examples=2000)
@given(EVENTS)
def test_what_is_told_of_a_name_is_the_newest_look_at_it(events: list[tuple[str, int]]) -> None:
    """Looks begin and end in any order: none is told after one that began later, and the newest that ended is told.

    That nothing may be seen is newer than every look that began before.
    """
    heard = Heard()
    model = Model(Telling(heard))
    for event, choice in [*events, *(("end", 0) for _ in events)]:
        if event == "hide":
            model.hide()
        elif event == "end":
            model.end(choice)
        else:
            model.begin(event)
        for name, looks in heard.looks.items():
            told = [look for look in looks if look != 0]
            assert told == sorted(told)
            assert looks[-1] == model.says(name)


def test_a_catalog_is_told_with_what_has_become_of_a_name_since() -> None:
    """A long look is not lost for a change that was made meanwhile: a record, a rejection, or nothing."""
    rejection = finish(shelf({"a": skill("a", "")}).library.catalog()).catalog.rejected[0]
    for found in (seen(A, 7), rejection, None):
        mirror = MemoryMirror()
        telling = Telling(mirror)
        whole = telling.begin()
        finish(telling.changed(telling.begin(), A, found))
        finish(telling.shown(whole, Catalog((seen(A, 1), seen(B, 1)))))
        assert mirror.found == ({B: seen(B, 1)} if found is None else {A: found, B: seen(B, 1)})


def test_nobody_is_told_of_anything() -> None:
    """Without a mirror, looks are counted and that is all."""
    telling = Telling(None)
    finish(telling.shown(telling.begin(), Catalog((seen(A, 1),))))
    finish(telling.changed(telling.begin(), A, None))
    finish(telling.hidden())
    assert telling.begin() == 3


# Many at once


@define
class Slow:
    """Runs work at once, and brings its result after as many turns of the loop as was drawn for it."""

    turns: Iterator[int]

    async def __call__(self, work: Callable[[Cancelled], T], /) -> T:
        """Run the work."""
        result = work(never)
        for _ in range(next(self.turns, 0)):
            await asyncio.sleep(0)
        return result


USES = st.sampled_from(["on", "off", "shared on", "shared off", "create", "delete", "edit", "catalog"])


def use(kind: str, library: SkillLibrary) -> Coroutine[Any, Any, object]:
    """Ask something of a library."""
    if kind == "catalog":
        return library.catalog()
    by_kind = {"create": create(enabled=True), "delete": delete, "edit": edit}
    if kind in by_kind:
        return by_kind[kind](library)
    return turn(f"lint@{'host-shared' if 'shared' in kind else 'agent-local'}", enabled=kind.endswith("on"))(library)


@settings(max_examples=300)
@given(st.lists(USES, min_size=2, max_size=6), st.lists(st.integers(0, 9), max_size=60), st.booleans(), st.data())
def test_many_at_once_leave_the_mirror_with_the_truth(
    kinds: list[str], turns: list[int], holds: bool, data: st.DataObject
) -> None:
    """In whatever order their looks end, whether the privacy mode keeps changes apart or nobody does."""
    on = world(local=data.draw(st.booleans()), shared=True, rows=BOTH)()
    privacy = MemoryPrivacy(patience=60.0)
    library = evolve(on.library, offload=Slow(iter(turns)), **({"privacy": privacy} if holds else {}))

    async def main() -> None:
        await library.catalog()
        done = await asyncio.gather(*(use(kind, library) for kind in kinds), return_exceptions=True)
        assert all(isinstance(each, SkillError) for each in done if isinstance(each, BaseException))

    asyncio.run(main())
    assert mirror_of(on).found.get(NAME) == meant(on)
    assert not privacy.is_held
