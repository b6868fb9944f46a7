"""Every use case, interrupted at every call of a port: it failed, its outcome is unknown, or the caller went away.

Afterwards the folder is the old one or the new one; nothing is on that was not on before and was not asked to be; the
mirror says on of nothing that is off; the privacy mode is let go; and asking again, as a person would, comes to what an
uninterrupted run comes to.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest
from attrs import evolve

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Adapt, Create, Delete, Edit, RemoveFile, SetState, Unadapt
from kestrel_skills_core.domain.edit import Replace
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import Generation, ResourcePath, parse_address
from kestrel_skills_core.domain.owner import Owner
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.states import StateTable
from kestrel_skills_core.ports.store import Fence, SkillStore
from kestrel_skills_core.service.library import SkillLibrary

from .shelf import BEYOND, ROOT, Shelf, shelf, skill
from .traps import NAME, How, Trap, trapped

ROW, SHARED_ROW = StateKey(NAME), StateKey(NAME, shared=True)
BORN = Generation("b1" * 32)
MARKED: dict[str, Entry] = {".kestrel-generation": Content(render_marker(BORN))}
LINT = skill("lint") | MARKED | {"notes.md": Content(b"a")}
ON = SkillState(enabled=True, priority=3, subject=Subject(generation=BORN))
SHARED_ON = SkillState(enabled=True, priority=3, subject=Subject(root=ROOT))
KITE = Owner(agent="did:example:kite", table="sqlite", file="kestrel.db")
TOKEN = "ab" * 16
"""What a folder is kept under."""
FOREIGN: dict[str, Entry] = LINT | {
    "SKILL.md": Content(b"---\nname: Lint\ndescription: Use when testing.\nallowed-tools: Read\n---\nRun it.\n")
}


def world(
    local: bool = False,
    shared: bool = False,
    rows: Mapping[StateKey, SkillState] | None = None,
    marked: bool = False,
    folder: Mapping[str, Entry] = LINT,
    kept: bool = False,
) -> Callable[[], Shelf]:
    """A shelf as it stands before."""

    def stand() -> Shelf:
        theirs = {"lint": skill("lint", "Theirs.")} if shared else {}
        mine = {"lint": dict(folder)} if local else {}
        on = shelf(mine, theirs, privacy=MemoryPrivacy(), mirror=MemoryMirror())
        for key, state in (rows or {}).items():
            finish(on.states.put(key, state))
        if marked:
            on.local.fence(NAME, Fence(priority=3, reason="it was turned off"), cancelled=never)
        if kept:
            on.local.keeping[TOKEN] = (NAME, dict(LINT))
        return on

    return stand


def create(enabled: bool):
    """Make the skill."""
    return lambda library: library.create(Create.written(NAME, "Use.", "Run.", enabled=enabled))


def turn(address: str, enabled: bool):
    """Turn a copy of it on or off."""
    return lambda library: library.set_state(SetState(address=parse_address(address), enabled=enabled))


def edit(library: SkillLibrary):
    """Change one file of it."""
    return library.edit(Edit(address=parse_address("lint"), change=Replace("Use when testing.", "Use when it rains.")))


def remove(library: SkillLibrary):
    """Take a file out of it."""
    seen = shelf({"lint": dict(LINT)}).local.read(NAME).tree.revision
    return library.remove_file(
        RemoveFile(address=parse_address("lint"), path=ResourcePath("notes.md"), expected_revision=seen)
    )


def delete(library: SkillLibrary):
    """Delete it."""
    found = finish(shelf({"lint": dict(LINT)}).library.read(parse_address("lint"))).found
    binding = found.delete_binding(library.agent)
    assert binding is not None
    return library.delete(Delete(address=parse_address("lint@agent-local"), delete_revision=binding.token))


def adapted_before() -> Shelf:
    """A shelf whose skill was adapted, and turned on then."""
    on = world(local=True, folder=FOREIGN)()
    finish(on.library.adapt(ADAPT))
    finish(turn("lint", enabled=True)(on.library))
    return on


def adapt(library: SkillLibrary):
    """Bring it into the form."""
    return library.adapt(ADAPT)


def unadapt(library: SkillLibrary):
    """Put back what it was before."""
    return library.unadapt(Unadapt(address=parse_address("lint")))


def start(library: SkillLibrary):
    """Start it, for a host."""
    return library.start(KITE)


ADAPT = Adapt(address=parse_address("lint"))


def restore(library: SkillLibrary):
    """Bring back what is kept of it."""
    return library.restore(TOKEN)


async def discard(library: SkillLibrary):
    """Look at what is kept of it, and throw it away."""
    await library.discard(TOKEN, seen=await library.kept_listing(TOKEN))


def asking(method: str, *arguments: object):
    """Ask for something that changes nothing."""
    return lambda library: getattr(library, method)(*arguments)


READ_FILE: tuple[Any, ...] = ("read_file", parse_address("lint"), ResourcePath("notes.md"))
ASKED: list[tuple[Any, ...]] = [
    ("catalog",),
    ("search", "testing"),
    ("read", parse_address("lint")),
    READ_FILE,
    ("checks", parse_address("lint")),
    ("deletion", parse_address("lint")),
    ("kept",),
    ("owner",),
    ("kept_listing", TOKEN),
    ("kept_bytes", TOKEN, "SKILL.md"),
]
BOTH = {ROW: ON, SHARED_ROW: SHARED_ON}
LEFT_ON = {ROW: SkillState(enabled=True, priority=3)}
CASES = {
    "create": (world(), create(enabled=False), set()),
    "create on": (world(), create(enabled=True), {"agent-local"}),
    "create on, marked": (world(marked=True), create(enabled=True), {"agent-local"}),
    "create over a row": (world(rows=BOTH), create(enabled=False), set()),
    "create over a shared one": (world(shared=True, rows=BOTH), create(enabled=True), {"agent-local"}),
    "create over a marked one": (world(shared=True, rows=BOTH, marked=True), create(enabled=True), {"agent-local"}),
    "edit": (world(local=True, rows=BOTH), edit, set()),
    "edit, marked": (world(local=True, rows=BOTH, marked=True), edit, set()),
    "remove": (world(local=True, rows=BOTH), remove, set()),
    "adapt": (world(local=True, folder=FOREIGN), adapt, set()),
    "adapt what was on": (world(local=True, folder=FOREIGN, rows=BOTH), adapt, set()),
    "adapt, marked": (world(local=True, folder=FOREIGN, rows=BOTH, marked=True), adapt, set()),
    "unadapt": (adapted_before, unadapt, set()),
    "delete": (world(local=True, rows={ROW: ON}), delete, set()),
    "delete an override": (world(local=True, shared=True, rows=BOTH), delete, {"host-shared"}),
    "delete a marked override": (world(local=True, shared=True, rows=BOTH, marked=True), delete, set()),
    "on": (world(local=True), turn("lint", enabled=True), {"agent-local"}),
    "on, marked": (world(local=True, rows={ROW: ON}, marked=True), turn("lint", enabled=True), {"agent-local"}),
    "shared on, marked": (
        world(local=True, shared=True, rows=BOTH, marked=True),
        turn("lint@host-shared", enabled=True),
        set(),
    ),
    "off": (world(local=True, rows={ROW: ON}), turn("lint", enabled=False), set()),
    "off, marked": (world(local=True, shared=True, rows=BOTH, marked=True), turn("lint", enabled=False), set()),
    "off, gone": (world(rows=BOTH), turn("lint", enabled=False), set()),
    "off, gone and marked": (world(marked=True), turn("lint", enabled=False), set()),
    "shared off": (world(shared=True, rows={SHARED_ROW: SHARED_ON}), turn("lint", enabled=False), set()),
    "start": (world(local=True, rows=LEFT_ON), start, {"agent-local"}),
    "start over a shared one": (world(shared=True, rows=LEFT_ON), start, {"host-shared"}),
    "claim": (world(local=True, rows=BOTH), asking("claim", KITE), set()),
    "start over nothing": (world(rows=LEFT_ON), start, set()),
    "restore": (world(kept=True), restore, set()),
    "restore over a row": (world(kept=True, rows=BOTH), restore, {"agent-local"}),
    "restore over a mark": (world(kept=True, rows=BOTH, marked=True), restore, set()),
    "discard": (world(kept=True, rows=BOTH), discard, set()),
    "discard beside": (world(local=True, kept=True, rows=BOTH), discard, set()),
    **{
        f"ask for {method}": (world(local=True, shared=True, kept=True, rows=BOTH), asking(method, *arguments), set())
        for method, *arguments in ASKED
    },
    "ask for a file of what is beyond the caps": (
        world(local=True, folder=LINT | BEYOND, rows=BOTH),
        asking(*READ_FILE),
        set(),
    ),
}


def enabled(on: Shelf) -> set[str]:
    """The sources of which the skill is on."""
    return {str(record.source) for record in finish(on.library.catalog()).catalog.enabled}


def said_on(on: Shelf) -> bool:
    """Whether the mirror says that the skill is on."""
    assert isinstance(on.library.mirror, MemoryMirror)
    return NAME in on.library.mirror.enabled


def files(on: Shelf) -> dict[str, bytes] | None:
    """What is in the agent's own folder, but for its marker."""
    folder = on.local.folders.get("lint")
    if folder is None:
        return None
    assert isinstance(folder, dict)
    return {
        path: entry.data for path, entry in folder.items() if isinstance(entry, Content) and path[:9] != ".kestrel-"
    }


def standing(on: Shelf) -> tuple[object, ...]:
    """Everything that lasts, with one name for every birth."""

    def named(state: SkillState) -> SkillState:
        if state.subject is None or state.subject.generation is None:
            return state
        return evolve(state, subject=Subject(generation=Generation("b0" * 32)))

    rows = {key: named(state) for key, state in finish(on.states.rows()).items()}
    return files(on), rows, on.local.marks, enabled(on), dict(on.local.keeping), on.local.owned


def calls(case: str) -> int:
    """How many calls an uninterrupted run of a case makes."""
    stand, act, _ = CASES[case]
    trap = Trap(at=0, how="raises")
    finish(act(trapped(stand(), trap)))
    return trap.called


POINTS = [
    (case, at, how)
    for case in CASES
    for at in range(1, calls(case) + 1)
    for how in ("raises", "in doubt", "cancelled before", "cancelled after")
]


@pytest.mark.parametrize(("case", "at", "how"), POINTS)
def test_whatever_is_interrupted_converges(case: str, at: int, how: How) -> None:
    """Old or new at once, nothing on that nobody turned on, and asking again comes to the same end."""
    stand, act, asked = CASES[case]
    whole, on, before = stand(), stand(), stand()
    finish(act(whole.library))
    finish(on.library.catalog())
    done = False
    with suppress(SkillError, CancelledError):
        finish(act(trapped(on, Trap(at=at, how=how))))
        done = True
    said = said_on(on)
    assert isinstance(on.library.privacy, MemoryPrivacy)
    assert not on.library.privacy.is_held
    assert said <= bool(enabled(on))
    assert files(on) in (files(before), files(whole))
    assert enabled(on) <= enabled(before) | asked
    if done and case.startswith("off"):
        assert enabled(on) == set()
    ask_again(on, case, act)
    if case.startswith("delete"):
        assert (files(on), enabled(on)) == (files(whole), enabled(whole))
    else:
        assert standing(on) == standing(whole)


def ask_again(on: Shelf, case: str, act: Callable[[SkillLibrary], Any]) -> None:
    """What a person does who was told that it failed, or was told nothing: the same again, and what is left of it."""
    with suppress(SkillError):
        finish(act(on.library))
    if case.startswith("create "):
        on_now = bool(CASES[case][2])
        command = SetState(address=parse_address("lint"), enabled=on_now, priority=100)
        finish(on.library.set_state(command))


@pytest.mark.parametrize("how", ["raises", "in doubt"])
@pytest.mark.parametrize("case", ["off", "off, marked"])
def test_a_mark_of_which_nothing_is_known_is_looked_for(case: str, how: How) -> None:
    """Where it may have been written or not, and where it was not: it is off by its rows, and none is left."""
    stand, act, _ = CASES[case]
    met = 0
    for at in range(1, calls(case) + 1):
        on = stand()
        trap = Trap(at=at, how=how, only="fence")
        finish(act(trapped(on, trap)))
        met += trap.sprung
        assert on.local.marks == {}
        assert enabled(on) == set()
    assert met == 1


@pytest.mark.parametrize("case", ["delete", "delete a marked override"])
def test_what_a_deletion_leaves_is_cleared_by_turning_it_off(case: str) -> None:
    """A row or mark that outlived its folder is told of, turns nothing on, and does not take luck to clear."""
    stand, act, _ = CASES[case]
    for at in range(1, calls(case) + 1):
        on = stand()
        with suppress(CancelledError):
            finish(act(trapped(on, Trap(at=at, how="cancelled after"))))
        with suppress(SkillError):
            finish(turn("lint", enabled=False)(on.library))
        assert on.local.marks == {}
        assert enabled(on) == set()


def test_the_traps_are_sprung() -> None:
    """The cases go through all that the store and the table can do, but for what no use case asks of them."""
    met: set[str] = set()

    class Noting(Trap):
        def before(self, method: str, port: Any) -> Any:
            met.add(method)

    for stand, act, _ in CASES.values():
        finish(act(trapped(stand(), Noting(at=0, how="raises"))))
    promised = {name for port in (SkillStore, StateTable) for name in dir(port) if name[0] != "_"}
    assert promised - met == {"source", "root"}
    assert met <= promised
