"""The mirror is told what each name means after every change of it, and nothing older than what it was told before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from attrs import define, evolve, field
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.graph import MemoryGraph
from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.memory.world import MemoryClock
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Edit, Install
from kestrel_skills_core.domain.document import Head
from kestrel_skills_core.domain.edit import Replace
from kestrel_skills_core.domain.errors import SkillAbsent, SkillError, SourceUnavailable, StateUnavailable, TooLarge
from kestrel_skills_core.domain.names import DOCUMENT, Address, Revision, SkillName, SourceId, parse_address
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.store import Swept
from kestrel_skills_core.ports.world import Cancelled
from kestrel_skills_core.service.indexing import Indexed
from kestrel_skills_core.service.library import SkillLibrary
from kestrel_skills_core.service.telling import LOST, Lost, Meaning, Telling
from tests.examples import examples

from .shelf import BEYOND, Shelf, shelf, skill
from .test_installer import TOOLS, installer
from .test_interruptions import (
    BOTH,
    CASES,
    LEFT_ON,
    LINT,
    MARKED,
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
    if case == "ask for a file of what is beyond the caps":
        assert mirror_of(on).unknown == {NAME}
    else:
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


def test_what_cannot_be_told_is_lost() -> None:
    """A root that cannot be read may hold anything: what was on is not known to be on any more, nor to be gone."""
    on = world(local=True, rows=BOTH)()
    finish(on.library.catalog())
    assert mirror_of(on).enabled == {NAME}
    on.shared.problem = SourceUnavailable("host-shared", "it is away")
    finish(edit(on.library))
    assert mirror_of(on).enabled == {NAME}
    on.local.problem = SourceUnavailable("agent-local", "it is away")
    finish(turn("lint@host-shared", enabled=False)(on.library))
    assert mirror_of(on).found == {}


def test_what_is_beyond_the_caps_is_lost_alone() -> None:
    """The others are known as before."""
    on = world(local=True, shared=True, rows=BOTH)()
    finish(on.library.catalog())
    on.local.folders[NAME] = LINT | BEYOND
    with pytest.raises(TooLarge):
        finish(on.library.read(parse_address("lint")))
    assert (mirror_of(on).told, mirror_of(on).unknown) == ([False, NAME], {NAME})


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
        assert trap.sprung == (mirror_of(on).unknown == {NAME})
        finish(on.library.read(parse_address("lint")))
        assert (mirror_of(on).found[NAME], mirror_of(on).unknown) == (meant(on), set())


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


# What it is told of a look


def other(on: Shelf) -> SkillLibrary:
    """A library of another process over the same roots and table, which tells this one's mirror nothing."""
    return evolve(on.library, mirror=None)


def vanish(library: SkillLibrary) -> Any:
    """Let a person remove the folder by hand."""

    async def remove() -> None:
        del library.store.folders[NAME]  # type: ignore[union-attr]

    return remove()


LOOKS: dict[str, Callable[[SkillLibrary], Coroutine[Any, Any, object]]] = {
    "read": lambda library: library.read(parse_address("lint")),
    "read a file": lambda library: library.read_file(parse_address("lint"), DOCUMENT),
    "check": lambda library: library.checks(parse_address("lint")),
    "verify": lambda library: library.verify(parse_address("lint")),
    "gather": lambda library: library.gather(NAME),
    "ask what deleting would do": lambda library: library.deletion(parse_address("lint")),
    "be refused a change": lambda library: library.edit(STALE),
}
STALE = Edit(address=parse_address("lint"), change=Replace("Use", "Do"), expected_revision=Revision("0" * 64))
OTHERS: dict[str, Callable[[SkillLibrary], Any]] = {
    "off": turn("lint", enabled=False),
    "on": turn("lint", enabled=True),
    "edit": edit,
    "delete": delete,
    "by hand": vanish,
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("by", OTHERS)
def test_what_another_changed_is_told_by_whoever_looks(by: str, look: str) -> None:
    """At that name, in whatever way, be it to find nothing there: another host, the command line, or a person."""
    on = world(local=True, rows={} if by == "on" else {ROW: BOTH[ROW]})()
    finish(on.library.catalog())
    finish(OTHERS[by](other(on)))
    with suppress(SkillError):
        finish(LOOKS[look](on.library))
    assert mirror_of(on).told == [False, NAME]
    assert mirror_of(on).found.get(NAME) == meant(on)
    assert (NAME in mirror_of(on).enabled) is (by in {"on", "edit"})


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_that_is_no_news_is_not_told(look: str) -> None:
    """Neither after a catalog, nor after it was told; nor does it cost another look at the name."""
    on = world(local=True, shared=True, rows=BOTH)()
    finish(on.library.catalog())
    on.local.asked.clear()
    with suppress(SkillError):
        finish(LOOKS[look](on.library))
    assert mirror_of(on).told == [False]
    assert on.local.asked == ["read lint"]
    finish(turn("lint", enabled=False)(other(on)))
    for _ in range(2):
        with suppress(SkillError):
            finish(LOOKS[look](on.library))
    assert mirror_of(on).told == [False, NAME]


def test_a_look_at_what_is_not_there_is_no_news() -> None:
    """Unless it was."""
    on = world(local=True)()
    finish(on.library.catalog())
    for name in ("lintt", "lint"):
        on.local.folders.pop(name, None)
        with pytest.raises(SkillAbsent):
            finish(on.library.read(parse_address(name)))
    assert mirror_of(on).told == [False, NAME]


def test_before_any_catalog_every_look_is_news_once() -> None:
    """Nobody knows then what the mirror goes by; and so it is when all was hidden."""
    on = world(local=True, rows=BOTH)()
    for _ in range(2):
        finish(on.library.read(parse_address("lint")))
    assert mirror_of(on).told == [NAME]
    assert isinstance(on.library.privacy, MemoryPrivacy)
    on.library.privacy.mode = "ephemeral"
    finish(on.library.catalog())
    on.library.privacy.mode = None
    for _ in range(2):
        finish(on.library.read(parse_address("lint")))
    assert mirror_of(on).told == [NAME, True, NAME]
    assert mirror_of(on).enabled == {NAME}


AWAY = StateUnavailable("it is away")
SILENT_LOOKS = {
    **LOOKS,
    "edit": edit,
    "switch off": turn("lint", enabled=False),
    "be refused to switch on": turn("lint", enabled=True),
    "list": lambda library: library.catalog(),
}


def two() -> Shelf:
    """Two skills that are on, whose mirror has heard so."""
    on = shelf({"lint": dict(LINT), "sow": skill("sow")}, mirror=MemoryMirror())
    for name in ("lint", "sow"):
        finish(turn(name, enabled=True)(on.library))
    finish(on.library.catalog())
    mirror_of(on).told.clear()
    assert mirror_of(on).enabled == {NAME, "sow"}
    return on


def marks_unreadable(on: Shelf) -> None:
    """Nobody knows any more which names are marked."""
    on.local.fenced = lambda: None  # type: ignore[method-assign]


@pytest.mark.parametrize("cause", ["the table", "the marks"])
@pytest.mark.parametrize("look", SILENT_LOOKS)
def test_whoever_finds_that_nobody_knows_what_is_on_tells_so_of_all(look: str, cause: str) -> None:
    """Once, be it by a look at one name; then no name is on, and none is known to be otherwise than it was."""
    on = two()
    if cause == "the table":
        on.states.unavailable = AWAY
    else:
        marks_unreadable(on)
    for _ in range(2):
        with suppress(SkillError):
            finish(SILENT_LOOKS[look](on.library))
        assert (mirror_of(on).told, mirror_of(on).enabled) == ([None], set())
    assert isinstance(mirror_of(on).why_lost, StateUnavailable)


@pytest.mark.parametrize("look", LOOKS)
def test_the_first_look_when_it_can_be_known_again_tells_of_all(look: str) -> None:
    """Whichever name it is at; then a look costs what it cost before."""
    on = two()
    on.states.unavailable = AWAY
    finish(on.library.read(parse_address("lint")))
    on.states.unavailable = None
    on.local.asked.clear()
    for _ in range(2):
        with suppress(SkillError):
            finish(LOOKS[look](on.library))
        assert mirror_of(on).enabled == {NAME, "sow"}
    assert mirror_of(on).told == [None, False]
    assert mirror_of(on).why_lost is None
    assert on.local.asked == ["read lint", "survey", "read lint"]


@pytest.mark.parametrize("how", ["cancelled before", "cancelled after"])
def test_what_was_lost_comes_back_though_a_look_at_all_was_cut_short(how: Any) -> None:
    """Nothing does by that one, unless all of it was seen; all does by the next."""
    on, trap = two(), Trap(at=0, how=how)
    library = trapped(on, trap)
    at, is_called = 0, True
    while is_called:
        at += 1
        on.states.unavailable = AWAY
        finish(library.gather(NAME))
        assert mirror_of(on).enabled == set()
        on.states.unavailable = None
        trap.at, trap.called, trap.sprung = at, 0, False
        with suppress(asyncio.CancelledError):
            finish(library.gather(NAME))
        is_called = trap.called >= at
        assert mirror_of(on).enabled == (set() if trap.sprung else {NAME, "sow"})
        trap.at = 0
        finish(library.gather(NAME))
        assert mirror_of(on).enabled == {NAME, "sow"}
    assert at > 6


def test_what_falls_silent_again_while_all_is_looked_at_stays_lost() -> None:
    """The one name that was seen before is not on either."""
    on = two()
    on.states.unavailable = AWAY
    finish(on.library.gather(NAME))
    on.states.unavailable = None
    rows = on.states.rows

    async def falls_silent(name: SkillName | None = None) -> Any:
        if name is None:
            raise AWAY
        return await rows(name)

    on.states.rows = falls_silent  # type: ignore[method-assign]
    finish(on.library.gather(NAME))
    assert (mirror_of(on).told, mirror_of(on).enabled) == ([None], set())
    on.states.rows = rows  # type: ignore[method-assign]
    finish(on.library.gather(NAME))
    assert mirror_of(on).enabled == {NAME, "sow"}


def test_what_is_changed_while_nobody_knows_is_told_when_somebody_does() -> None:
    """A skill that was switched off then is off, and one that was deleted is gone."""
    on = two()
    on.states.unavailable = AWAY
    finish(turn("sow", enabled=False)(on.library))
    on.states.unavailable = None
    finish(delete(on.library))
    assert mirror_of(on).enabled == set()
    assert set(mirror_of(on).found) == {"sow"}


def test_a_silent_table_costs_an_index_nothing() -> None:
    """No entry is written, neither as it begins nor as it ends."""
    graph = MemoryGraph("did:test:abc")
    on = two()
    library = evolve(on.library, mirror=Indexed(index=graph, clock=MemoryClock()))
    for _ in range(2):
        finish(library.catalog())
    before = finish(graph.entries())
    graph.calls.clear()
    for silent in (AWAY, None):
        on.states.unavailable = silent
        finish(library.read(parse_address("lint")))
        finish(library.catalog())
        assert graph.calls == []
    assert finish(graph.entries()) == before


def test_who_reads_beside_a_silent_table_is_told_so() -> None:
    """What is read is off, and nobody knows whether it would be on."""
    on = two()
    assert finish(on.library.read(parse_address("lint"))).unavailable is None
    on.states.unavailable = AWAY
    reading = finish(on.library.read(parse_address("lint")))
    assert reading.unavailable is AWAY
    assert isinstance(reading.found, SkillRecord)
    assert not reading.found.enabled


def test_a_look_at_a_root_that_cannot_be_read_loses_all() -> None:
    """Once: the marks lie there. And the first look when it can be read again finds them."""
    on = world(local=True, rows=BOTH)()
    finish(on.library.catalog())
    on.local.problem = SourceUnavailable("agent-local", "it is away")
    for _ in range(2):
        with pytest.raises(SourceUnavailable):
            finish(on.library.read(parse_address("lint")))
    assert mirror_of(on).told == [False, None]
    on.local.problem = None
    finish(on.library.read(parse_address("lint")))
    assert mirror_of(on).enabled == {NAME}


@pytest.mark.parametrize("how", ["cancelled before", "cancelled after"])
def test_a_look_that_is_cut_short_tells_nothing(how: Any) -> None:
    """Nothing was changed, so that nothing is lost."""
    on = world(local=True, shared=True, rows=BOTH)()
    for at in range(1, 5):
        trap = Trap(at=at, how=how)
        with pytest.raises(asyncio.CancelledError):
            finish(trapped(on, trap).gather(NAME))
        assert trap.sprung
    assert mirror_of(on).told == []
    finish(trapped(on, Trap(at=0, how=how)).gather(NAME))
    assert mirror_of(on).told == [NAME]


def test_what_is_hidden_though_the_mode_was_held_is_lost() -> None:
    """Where a host cannot hold its mode: the change stands, and nothing that was seen of it is told."""
    on = world(local=True, rows=BOTH)()
    finish(on.library.catalog())
    privacy = on.library.privacy
    assert isinstance(privacy, MemoryPrivacy)
    unfence = on.local.unfence

    def hides(*arguments: Any, **more: Any) -> None:
        unfence(*arguments, **more)
        privacy.mode = "ephemeral"

    on.local.unfence = hides  # type: ignore[method-assign]
    found = finish(turn("lint", enabled=False)(on.library))
    assert isinstance(found, SkillRecord)
    assert not found.enabled
    assert (mirror_of(on).told, mirror_of(on).unknown) == ([False, NAME], {NAME})


def test_what_is_seen_that_nothing_changed_costs_an_index_nothing() -> None:
    """Neither a read nor a write; and what nobody knows leaves the entry its age."""
    graph = MemoryGraph("did:test:abc")
    clock = MemoryClock()
    on = world(local=True, rows=BOTH)()
    library = evolve(on.library, mirror=Indexed(index=graph, clock=clock))
    finish(library.catalog())
    (before,) = finish(graph.entries()).values()
    graph.calls.clear()
    finish(library.read(parse_address("lint")))
    on.local.problem = SourceUnavailable("agent-local", "it is away")
    with pytest.raises(SourceUnavailable):
        finish(library.read(parse_address("lint")))
    assert graph.calls == []
    on.local.problem = None
    clock.time += timedelta(days=1)
    finish(library.read(parse_address("lint")))
    assert finish(graph.entries()) == {NAME: before}


# What is older than what it was told before


RECORD = finish(shelf({"a": skill("a") | MARKED}).library.catalog()).catalog.records[0]


def seen(name: SkillName, priority: int) -> SkillRecord:
    """A skill that is on; looks that saw different things saw other priorities."""
    state = SkillState(enabled=True, priority=priority, subject=RECORD.subject)
    return evolve(RECORD, seen=evolve(RECORD.seen, head=Head(name, "Use it.")), state=state)


@define
class Heard:
    """A mirror that keeps what it was told to be on, by its priority, and how often it was told."""

    on: dict[SkillName, int] = field(factory=dict)
    times: int = 0

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Hear of all."""
        assert catalog.is_empty or not hidden
        assert list(catalog.records) == sorted(catalog.records, key=lambda record: (record.priority, record.name))
        self.on = {record.name: record.priority for record in catalog.enabled}
        self.times += 1

    async def changed(self, name: SkillName, found: Found) -> None:
        """Hear of one."""
        await self.lost(name)
        if found is not None:
            assert isinstance(found, SkillRecord)
            self.on[name] = found.priority

    async def lost(self, name: SkillName) -> None:
        """Hear that nobody knows."""
        self.on.pop(name, None)
        self.times += 1

    async def lost_all(self, why: StateUnavailable) -> None:
        """Hear that nobody knows of any."""
        self.on = {}
        self.times += 1


MEANINGS: tuple[int | Lost | None, ...] = (1, 2, None, LOST)
"""A priority, nothing, or that nobody knows."""


def found_of(name: SkillName, meaning: int | Lost | None) -> Meaning:
    """What a look found that saw this."""
    return seen(name, meaning) if isinstance(meaning, int) else meaning


@define
class Model:
    """What is told when looks begin and end, by the rules alone."""

    telling: Telling
    heard: Heard
    going: list[tuple[int, str]] = field(factory=list)
    begun: int = 0
    newest: dict[SkillName, tuple[int, int | Lost | None]] = field(factory=lambda: {A: (0, LOST), B: (0, LOST)})
    """Of each name, the newest look that ended, and what it saw; that nothing may be seen is as if nobody knew."""
    whole: int = 0
    """The newest look at everything that was told."""
    has_lost_all: bool = False
    """Whether that was that nobody knows."""
    is_known: bool = False
    """Whether anything was told since."""

    def begin(self, of: str) -> None:
        """A look begins, at one name or at all, or after a change of one."""
        self.begun += 1
        assert self.telling.begin() == self.begun
        self.going.append((self.begun, of))

    def end(self, choice: int) -> None:
        """One of them ends."""
        if not self.going:
            return
        begun, of = self.going.pop(choice % len(self.going))
        if choice > 7:
            self.silence(begun)
            return
        if of == "all":
            saw = {A: MEANINGS[choice % 3], B: MEANINGS[choice // 3 % 3]}
            there = [seen(name, priority) for name, priority in saw.items() if isinstance(priority, int)]
            there.sort(key=lambda record: (record.priority, record.name))
            finish(self.telling.shown(begun, Catalog(tuple(there))))
            if begun > self.whole:
                self.whole, self.has_lost_all = begun, False
        else:
            name, times = SkillName(of[-1]), self.heard.times
            saw = {name: MEANINGS[choice % 4]}
            is_change, (before, last) = of != name, self.newest[name]
            finish(self.telling.looked(begun, name, found_of(name, saw[name]), has_changed=is_change))
            assert self.heard.times - times == (begun > before and (is_change or saw[name] != last))
            self.is_known = self.is_known or begun > before
        for name, meaning in saw.items():
            self.newest[name] = max(self.newest[name], (begun, meaning), key=lambda look: look[0])

    def silence(self, begun: int) -> None:
        """A look found that nobody knows what is on."""
        times = self.heard.times
        finish(self.telling.lost_all(begun, AWAY))
        is_newer = begun > self.whole
        assert self.heard.times - times == (is_newer and (self.is_known or not self.has_lost_all))
        if is_newer:
            self._forget()
            self.has_lost_all = True

    def hide(self) -> None:
        """Nothing may be seen now."""
        finish(self.telling.hidden())
        self._forget()
        self.has_lost_all = False

    def _forget(self) -> None:
        self.begun += 1
        self.whole, self.is_known = self.begun, False
        self.newest = {A: (self.begun, LOST), B: (self.begun, LOST)}

    @property
    def on(self) -> dict[SkillName, int]:
        """What the mirror must say to be on."""
        return {name: meaning for name, (_, meaning) in self.newest.items() if isinstance(meaning, int)}


EVENTS = st.lists(
    st.tuples(st.sampled_from(["all", "a", "b", "change a", "change b", *["end"] * 3, "hide"]), st.integers(0, 9)),
    max_size=40,
)


@settings(max_examples=examples(2000))
@given(EVENTS)
def test_what_is_told_of_a_name_is_the_newest_look_at_it(events: list[tuple[str, int]]) -> None:
    """Looks begin and end in any order: none is told after one that began later, and the newest that ended is told.

    That nothing may be seen, or that nobody knows what is on, is newer than every look that began before. A look that
    is no news is not told, unless it followed a change; and of what nobody knows, nothing is on.
    """
    heard = Heard()
    model = Model(Telling(heard), heard)
    for event, choice in [*events, *(("end", 0) for _ in events)]:
        if event == "hide":
            model.hide()
        elif event == "end":
            model.end(choice)
        else:
            model.begin(event)
        assert heard.on == model.on
        assert model.telling.has_lost_all == model.has_lost_all


def test_a_catalog_is_told_with_what_has_become_of_a_name_since() -> None:
    """A long look is not lost for a change that was made meanwhile: a record, a rejection, or nothing."""
    rejection = finish(shelf({"a": skill("a", "")}).library.catalog()).catalog.rejected[0]
    for found in (seen(A, 7), rejection, None):
        mirror = MemoryMirror()
        telling = Telling(mirror)
        whole = telling.begin()
        finish(telling.looked(telling.begin(), A, found))
        finish(telling.shown(whole, Catalog((seen(A, 1), seen(B, 1)))))
        assert mirror.found == ({B: seen(B, 1)} if found is None else {A: found, B: seen(B, 1)})


@pytest.mark.parametrize("kind", ["on", "gone", "rejected"])
def test_a_catalog_says_on_of_nothing_that_was_lost_since(kind: str) -> None:
    """It is told as it was seen, and off; and whatever is seen of it next is news, be it what the catalog saw."""
    rejection = finish(shelf({"a": skill("a", "")}).library.catalog()).catalog.rejected[0]
    catalog = {"on": Catalog((seen(A, 1), seen(B, 2))), "gone": Catalog(()), "rejected": Catalog((), (rejection,))}[
        kind
    ]
    mirror = MemoryMirror()
    telling = Telling(mirror)
    whole = telling.begin()
    finish(telling.looked(telling.begin(), A, LOST, has_changed=True))
    finish(telling.shown(whole, catalog))
    assert set(mirror.found) == set(catalog.meanings)
    assert mirror.enabled == {record.name for record in catalog.records} - {A}
    finish(telling.looked(telling.begin(), A, catalog.meanings.get(A)))
    assert mirror.told == [A, False, A]
    assert mirror.found == catalog.meanings


def test_nobody_is_told_of_anything() -> None:
    """Without a mirror, looks are counted and that is all."""
    telling = Telling(None)
    finish(telling.shown(telling.begin(), Catalog((seen(A, 1),))))
    finish(telling.looked(telling.begin(), A, None))
    finish(telling.hidden())
    finish(telling.lost_all(telling.begin(), AWAY))
    assert not telling.has_lost_all
    assert telling.begin() == 4


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


@settings(max_examples=examples(300))
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
