"""The start of an agent, and what is kept of people's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import (
    Busy,
    Failed,
    KeptAbsent,
    NotEditable,
    SourceUnavailable,
    StateUnavailable,
    StoreFailed,
)
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.kept import KeptListing
from kestrel_skills_core.domain.names import Generation, SkillName, parse_address
from kestrel_skills_core.domain.owner import Owner
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.store import Swept
from kestrel_skills_core.service.upkeep import Started

from .shelf import Shelf, shelf, skill

LINT = SkillName("lint")
ROW = StateKey(LINT)
BORN = Generation("b1" * 32)
MARKED: dict[str, Entry] = {".kestrel-generation": Content(render_marker(BORN))}
LEFT_ON = SkillState(enabled=True)
"""As the 0.1.0 release left it."""
OURS = SkillState(enabled=True, subject=Subject(generation=BORN))
FULL = StoreFailed("sweep", "the disk is full", "make room")
SILENT = StateUnavailable("it is away", "bring it back")
AWAY = SourceUnavailable("agent-local", "it is away", "bring it back")


def left_on() -> Shelf:
    """A shelf as the 0.1.0 release left it: a folder with its marker, and a row that says on."""
    on = shelf({"lint": skill("lint") | MARKED})
    finish(on.states.put(ROW, LEFT_ON))
    return on


def fail(on: Shelf, failures: str) -> None:
    """From now on the disk is full, the table away, or the root."""
    on.local.broken = FULL if "disk" in failures else None
    on.states.unavailable = SILENT if "table" in failures else None
    on.local.problem = AWAY if "root" in failures else None


# The start of an agent


def test_a_start_sweeps_and_adopts() -> None:
    """It says what both came to; the next one finds nothing to do."""
    on = left_on()
    assert finish(on.library.start()) == Started(swept=Swept(), adopted={ROW: OURS})
    assert finish(on.states.rows()) == {ROW: OURS}
    assert finish(on.library.start()) == Started(swept=Swept(), adopted={})


def test_a_start_beside_others_at_work_still_adopts() -> None:
    """Whoever changes skills at that moment is not waited for."""
    on = left_on()
    on.local.held = "the skills folder"
    assert finish(on.library.start()) == Started(swept=Swept(skipped=True), adopted={ROW: OURS})


@pytest.mark.parametrize(
    ("failures", "swept", "adopted", "problems"),
    [
        ("disk", FULL, {ROW: OURS}, (FULL,)),
        ("root", AWAY, {}, (AWAY,)),
        # The table cannot be read, so that nobody knows whether there is anything to adopt.
        ("table", Swept(), {}, ()),
        ("disk and table", FULL, {}, (FULL,)),
    ],
)
def test_a_start_never_fails(failures: str, swept: object, adopted: object, problems: tuple[Failed, ...]) -> None:
    """What the disk or the table refuse is told; the other step is done all the same, and the next start does it."""
    on = left_on()
    fail(on, failures)
    started = finish(on.library.start())
    assert (started.swept, started.adopted, started.problems) == (swept, adopted, problems)
    fail(on, "nothing")
    finish(on.library.start())
    assert finish(on.states.rows()) == {ROW: OURS}


def test_a_start_tells_of_a_table_that_cannot_be_written() -> None:
    """The rows wait for the next start."""
    on = left_on()

    async def fails(key: StateKey, state: SkillState) -> None:
        raise SILENT

    on.states.put = fails  # type: ignore[method-assign]
    assert finish(on.library.start()) == Started(swept=Swept(), adopted=SILENT)
    assert finish(on.states.rows()) == {ROW: LEFT_ON}


def test_what_somebody_decides_during_a_start_stands() -> None:
    """A row that was turned off after it had been looked at is not turned on by its adoption."""
    on = left_on()
    replace = on.states.replace

    async def late(key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        await on.library.set_state(SetState(address=parse_address("lint"), enabled=False))
        return await replace(key, state, seen=seen)

    on.states.replace = late  # type: ignore[method-assign]
    assert finish(on.library.start()).adopted == {}
    assert not finish(on.library.catalog()).catalog.enabled


def test_a_sweep_lets_the_mode_go_now_and_then() -> None:
    """However much was left: what another wants meanwhile it gets after as many as the store ends at once."""
    privacy, mirror = MemoryPrivacy(), MemoryMirror()
    on = shelf({"lint": skill("lint")}, privacy=privacy, mirror=mirror)
    steps = [
        Swept(unfinished=True, purged=2, restored=(LINT,), kept=("aa",), left=("x",)),
        Swept(purged=1, left=("y",)),
    ]
    entered = []

    def sweep() -> Swept:
        entered.append(privacy.entered)
        assert privacy.is_held
        return steps[len(entered) - 1]

    on.local.sweep = sweep  # type: ignore[method-assign]
    assert finish(on.library.sweep()) == Swept(purged=3, restored=(LINT,), kept=("aa",), left=("y",))
    assert (entered, mirror.told) == ([1, 2], [LINT])


# Whose the root is

KITE = Owner(agent="did:example:kite", table="sqlite", file="kestrel.db")
WREN = Owner(agent="did:example:wren", table="postgres")


def test_a_start_leaves_whose_the_root_is() -> None:
    """Where a host says so; a start by hand leaves it as it is."""
    on = shelf()
    assert finish(on.library.start()) == Started(swept=Swept(), adopted={})
    assert finish(on.library.owner()) is None
    started = finish(on.library.start(KITE))
    assert (started.claimed, started.ousted, started.problems) == (None, None, ())
    finish(on.library.start())
    assert finish(on.library.owner()) == KITE


def test_the_second_of_two_agents_on_one_root_is_told() -> None:
    """Each time that one takes it over from the other, and not when it starts again."""
    on = shelf()
    finish(on.library.start(KITE))
    assert finish(on.library.start(WREN)).ousted == KITE
    assert finish(on.library.start(WREN)).ousted is None
    assert finish(on.library.start(KITE)).ousted == WREN


def test_a_start_whose_claim_fails_does_the_rest() -> None:
    """And tells of each cause once."""
    on = left_on()
    on.local.held = "the skills folder"
    started = finish(on.library.start(KITE))
    assert (started.adopted, started.ousted, started.problems) == ({ROW: OURS}, None, (started.claimed,))
    assert isinstance(started.claimed, Busy)
    fail(on, "disk and root")
    assert finish(on.library.start(KITE)).problems == (FULL,)


def test_nothing_is_said_of_a_root_that_may_not_be_changed() -> None:
    """Nobody's is a root that is not there."""
    on = shelf(store=False)
    assert finish(on.library.start(KITE)) == Started(swept=Swept(), adopted={})
    assert finish(on.library.owner()) is None


# What is kept


def test_what_the_store_keeps_is_passed_on() -> None:
    """The store's answers come through."""
    on = shelf()
    on.local.keeping = {"aa": (LINT, skill("lint")), "bb": (LINT, Content(b"a person's"))}
    assert [(kept.token, kept.kind) for kept in finish(on.library.kept())] == [("aa", "folder"), ("bb", "file")]
    seen = finish(on.library.kept_listing("bb"))
    assert [(entry.path, entry.size) for entry in seen.entries] == [(".", 10)]
    assert finish(on.library.kept_bytes("bb", ".")) == b"a person's"
    assert finish(on.library.kept_bytes("bb", ".", 2)) == b"person's"
    assert finish(on.library.restore("aa")) == "lint"
    assert [record.name for record in finish(on.library.catalog()).catalog.records] == ["lint"]
    finish(on.library.discard("bb", seen=seen))
    assert finish(on.library.kept()) == ()
    with pytest.raises(KeptAbsent):
        finish(on.library.discard("bb", seen=seen))


@pytest.mark.parametrize(
    "call",
    [
        lambda on: on.library.kept_listing("aa"),
        lambda on: on.library.kept_bytes("aa", "."),
        lambda on: on.library.restore("aa"),
        lambda on: on.library.discard("aa", seen=KeptListing("aa", LINT, ())),
    ],
    ids=["list", "look", "restore", "discard"],
)
def test_without_a_root_of_its_own_nothing_is_kept(call: Callable[[Shelf], object]) -> None:
    """A library that was given no root to change says so, and starts without doing anything."""
    on = shelf({"lint": skill("lint")}, store=False)
    with pytest.raises(NotEditable):
        finish(call(on))
    assert finish(on.library.kept()) == ()
    assert finish(on.library.start()) == Started(swept=Swept(), adopted={})
