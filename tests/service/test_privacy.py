"""While what is kept is hidden nothing is seen, told or written; and nothing is written unless the mode is held."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

import pytest
from attrs import define, evolve, field, frozen

from kestrel_skills_adapters.memory.git import MemoryGitSource
from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.memory.world import MemoryClock
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.commands import Install, Preview, SetState
from kestrel_skills_core.domain.errors import BadName, Busy, Hidden, KeptAbsent, SkillAbsent, SkillError, StaleRevision
from kestrel_skills_core.domain.names import SkillName, parse_address
from kestrel_skills_core.domain.record import SkillRecord
from kestrel_skills_core.ports.privacy import Held, Privacy
from kestrel_skills_core.service.commits import Publish
from kestrel_skills_core.service.installer import Installer
from kestrel_skills_core.service.library import SkillLibrary
from kestrel_skills_core.service.upkeep import Started

from .shelf import Shelf, shelf, skill
from .test_installer import LATER, REPOSITORY, TOOLS, URL, git
from .test_interruptions import (
    ADAPT,
    BOTH,
    CASES,
    FOREIGN,
    KITE,
    LEFT_ON,
    LINT,
    READ_FILE,
    ROW,
    TOKEN,
    adapt,
    adapted_before,
    create,
    delete,
    edit,
    remove,
    restore,
    standing,
    turn,
    unadapt,
    world,
)
from .traps import CHANGES, NAME, WRITES, Trapped

Use = Callable[[SkillLibrary], Coroutine[Any, Any, object]]
InstallerUse = Callable[[Installer], Coroutine[Any, Any, object]]

OTHER = SkillName("other")
LOCAL, KEPT = world(local=True, shared=True, rows=BOTH), world(local=True, shared=True, kept=True, rows=BOTH)
GONE_KEPT = world(kept=True, rows=BOTH)


async def see(library: SkillLibrary) -> None:
    """Look at nothing, as whoever builds on a library does."""
    with library.seeing():
        pass


async def change(library: SkillLibrary) -> None:
    """Change nothing, in the same way."""
    async with library.changing(NAME):
        pass


def asks(method: str, *arguments: object) -> Use:
    """Ask by one method."""
    return lambda library: getattr(library, method)(*arguments)


def commit(library: SkillLibrary) -> Coroutine[Any, Any, object]:
    """Publish another skill, as whoever decides by themselves does."""
    tree = finish(shelf({"other": skill("other")}).library.read(parse_address("other"))).tree
    return library.commit(OTHER, Publish(name=OTHER, tree=tree))


async def discard_unseen(library: SkillLibrary) -> None:
    """Throw away what was looked at in a better time."""
    seen = await KEPT().library.kept_listing(TOKEN)
    await library.discard(TOKEN, seen=seen)


async def land_later(installer: Installer) -> object:
    """Land what was offered in a better time."""
    command = Install(source=TOOLS, name="d")
    offered = await Installer(library=shelf().library, git=git(), clock=MemoryClock()).offer(command)
    return await installer.land(command, offered)


LINT_ADDRESS = parse_address("lint")
QUERIES: Mapping[str, Use] = {
    "address": asks("address", "lint"),
    "checks": asks("checks", LINT_ADDRESS),
    "deletion": asks("deletion", LINT_ADDRESS),
    "fit": asks("fit", {}, Budget()),
    "gather": asks("gather", NAME),
    "kept": asks("kept"),
    "kept_bytes": asks("kept_bytes", TOKEN, "SKILL.md"),
    "kept_listing": asks("kept_listing", TOKEN),
    "occupant": asks("occupant", NAME),
    "owner": asks("owner"),
    "read": asks("read", LINT_ADDRESS),
    "read_file": asks(*READ_FILE),
    "search": asks("search", "testing"),
    "seeing": see,
    "verify": asks("verify", LINT_ADDRESS),
}
MUTATIONS: Mapping[str, tuple[Callable[[], Shelf], Use]] = {
    "adapt": (world(local=True, folder=FOREIGN), adapt),
    "adopt": (world(local=True, rows={ROW: LEFT_ON[ROW]}), asks("adopt")),
    "changing": (LOCAL, change),
    "claim": (LOCAL, asks("claim", KITE)),
    "commit": (LOCAL, commit),
    "create": (world(), create(enabled=True)),
    "delete": (LOCAL, delete),
    "discard": (KEPT, discard_unseen),
    "edit": (LOCAL, edit),
    "remove_file": (LOCAL, remove),
    "restore": (GONE_KEPT, restore),
    "set_state": (LOCAL, turn("lint", enabled=False)),
    "sweep": (LOCAL, asks("sweep")),
    "unadapt": (adapted_before, unadapt),
}
ANSWERED = {"catalog", "reload", "start"}
"""What is answered all the same: with an empty catalog, or by what could not be done."""
INSTALLER: Mapping[str, InstallerUse] = {
    "install": lambda installer: installer.install(Install(source=TOOLS, name="d")),
    "land": land_later,
    "offer": lambda installer: installer.offer(Preview(source=TOOLS, name="d")),
    "preview": lambda installer: installer.preview(Preview(source=TOOLS, name="d")),
    "skills": lambda installer: installer.skills(TOOLS),
}
ALL = {**{name: (KEPT, use) for name, use in QUERIES.items()}, **MUTATIONS}
UNSEEN: Mapping[str, Use] = {
    "a name that is absent": asks("read", parse_address("lintt")),
    "a name that is none": asks("address", "Lint er"),
    "a file that is absent": asks("read_file", LINT_ADDRESS, "none.md"),
    "a file that is of none": asks("read_file", parse_address("lintt"), "none.md"),
    "deletion of a name that is absent": asks("deletion", parse_address("lintt")),
    "what is not kept": asks("restore", "00" * 16),
}
"""What is refused by telling of what is kept."""


@define
class Notes:
    """A trap that keeps what is called, and whether the privacy mode is held then by the task that calls.

    At the call of a number, while the mode is not held, somebody hides what is kept: before it, or when it has ended.
    """

    privacy: MemoryPrivacy
    hides: tuple[int, str] = (0, "")
    calls: list[tuple[str, bool]] = field(factory=list)
    moments: list[tuple[int, str]] = field(factory=list)
    sprung: bool = False

    def before(self, method: str, _: object) -> None:
        """Meet a call."""
        self.calls.append((method, self.privacy.is_held_here))
        self._meet("before")

    def after(self, _: str) -> None:
        """Meet the end of a call."""
        self._meet("after")

    def _meet(self, when: str) -> None:
        if self.privacy.is_held:
            return
        self.moments.append((len(self.calls), when))
        if self.moments[-1] == self.hides:
            self.sprung = True
            self.privacy.mode = "ephemeral"


def privacy_of(on: Shelf) -> MemoryPrivacy:
    """The privacy mode of a shelf."""
    assert isinstance(on.library.privacy, MemoryPrivacy)
    return on.library.privacy


def mirror_of(on: Shelf) -> MemoryMirror:
    """The mirror of a shelf."""
    assert isinstance(on.library.mirror, MemoryMirror)
    return on.library.mirror


def noted(on: Shelf, notes: Notes) -> SkillLibrary:
    """The library of a shelf, of which all calls are noted."""
    local, shared = Trapped(on.local, notes), Trapped(on.shared, notes)
    states, markdown = Trapped(on.states, notes), Trapped(on.library.markdown, notes)
    return evolve(on.library, sources=[local, shared], store=local, states=states, markdown=markdown)


def installs(on: Shelf, notes: Notes, source: MemoryGitSource | None = None) -> Installer:
    """What installs into it, noted too."""
    return Installer(library=noted(on, notes), git=Trapped(source or git(), notes), clock=MemoryClock())


def public(kind: type) -> set[str]:
    """The public methods of a class."""
    return {name for name in dir(kind) if name[0] != "_" and callable(getattr(kind, name))}


# What is hidden


def test_no_method_is_forgotten() -> None:
    """Each public method is a query, a mutation, or answered all the same."""
    assert public(SkillLibrary) == {*QUERIES, *MUTATIONS, *ANSWERED}
    assert len(public(SkillLibrary)) == len(QUERIES) + len(MUTATIONS) + len(ANSWERED)
    assert public(Installer) == set(INSTALLER)


def test_the_catalog_is_empty_and_says_why() -> None:
    """It has nothing, its clause is empty, and the mirror is told that it is hidden; then all is as it was."""
    on = LOCAL()
    whole = finish(on.library.catalog())
    assert whole.hidden is None
    notes = Notes(privacy_of(on))
    library = noted(on, notes)
    privacy_of(on).mode = "ephemeral"
    observed = finish(library.catalog())
    assert observed.catalog.is_empty
    assert isinstance(observed.hidden, Hidden)
    assert observed.hidden.mode == "ephemeral"
    assert observed.problems == (observed.hidden,)
    assert observed.unavailable is None
    assert observed.clause(library.budget).text == ""
    assert (mirror_of(on).hidden, mirror_of(on).found) == (True, {})
    assert notes.calls == []
    privacy_of(on).mode = None
    assert finish(on.library.catalog()) == whole
    assert (mirror_of(on).hidden, mirror_of(on).enabled) == (False, {NAME})


@pytest.mark.parametrize("method", ALL)
def test_everything_else_is_refused(method: str) -> None:
    """With the reason, and without a call of any port, be it only to look."""
    stand, use = ALL[method]
    on = stand()
    privacy_of(on).mode = "ephemeral"
    notes = Notes(privacy_of(on))
    with pytest.raises(Hidden, match="ephemeral"):
        finish(use(noted(on, notes)))
    assert notes.calls == []
    assert not privacy_of(on).is_held


@pytest.mark.parametrize("refused", UNSEEN)
def test_what_would_be_refused_anyway_is_refused_for_that(refused: str) -> None:
    """A refusal would tell whether there is such a name."""
    on = KEPT()
    with pytest.raises((SkillAbsent, BadName, KeptAbsent)):
        finish(UNSEEN[refused](on.library))
    privacy_of(on).mode = ""
    with pytest.raises(Hidden, match="nobody can say"):
        finish(UNSEEN[refused](on.library))


@pytest.mark.parametrize("method", INSTALLER)
def test_nothing_is_fetched_for_it(method: str) -> None:
    """No server is asked for what could not be installed."""
    on = LOCAL()
    privacy_of(on).mode = "ephemeral"
    notes = Notes(privacy_of(on))
    with pytest.raises(Hidden):
        finish(INSTALLER[method](installs(on, notes)))
    assert notes.calls == []


def test_a_start_is_told_of_it() -> None:
    """Neither is swept, nor adopted, nor said whose it is; it is told once, and the next start does it all."""
    on = world(local=True, rows=LEFT_ON)()
    notes = Notes(privacy_of(on))
    privacy_of(on).mode = "ephemeral"
    started = finish(noted(on, notes).start(KITE))
    assert isinstance(started, Started)
    assert [type(problem) for problem in started.problems] == [Hidden]
    assert isinstance(started.claimed, Hidden)
    assert notes.calls == []
    privacy_of(on).mode = None
    started = finish(on.library.start(KITE))
    assert started.problems == ()
    assert finish(on.library.owner()) == KITE
    assert isinstance(started.adopted, Mapping)
    assert set(started.adopted) == {ROW}


def test_a_skill_that_was_switched_on_is_hindered_by_it() -> None:
    """Whoever switched it on, and asks why it is not in effect, is told."""
    on = LOCAL()
    written = finish(on.library.set_state(SetState(address=LINT_ADDRESS, enabled=True)))
    assert isinstance(written, SkillRecord)
    privacy_of(on).mode = "isolated"
    told = finish(on.library.catalog()).hindrance(written)
    assert told == "the agent's skills are hidden: the agent's privacy mode is 'isolated'"


# What becomes hidden meanwhile


def points(stand: Callable[[], Shelf], use: Callable[[Shelf, Notes], object]) -> list[tuple[int, str]]:
    """Every moment of a use at which somebody may hide what is kept: before or after a call, the mode not held."""
    on = stand()
    notes = Notes(privacy_of(on))
    with suppress(SkillError):
        use(on, notes)
    return notes.moments


@pytest.mark.parametrize("name", [*QUERIES, *UNSEEN])
def test_what_is_hidden_during_a_look_is_not_told(name: str) -> None:
    """Whatever was seen, or refused, by then."""
    use = QUERIES.get(name) or UNSEEN[name]
    for hides in points(KEPT, lambda on, notes: finish(use(noted(on, notes)))):
        on = KEPT()
        notes = Notes(privacy_of(on), hides)
        with pytest.raises(Hidden):
            finish(use(noted(on, notes)))
        assert notes.sprung


def test_a_look_at_one_name_that_is_hidden_meanwhile_is_told_to_nobody() -> None:
    """Whatever it saw; nor is the mirror told that nobody knows, as nothing was changed."""
    moments = points(KEPT, lambda on, notes: finish(noted(on, notes).gather(NAME)))
    assert len(moments) == 8
    for hides in moments:
        on = KEPT()
        with pytest.raises(Hidden):
            finish(noted(on, Notes(privacy_of(on), hides)).gather(NAME))
        assert mirror_of(on).told == []
    on = KEPT()
    finish(noted(on, Notes(privacy_of(on))).gather(NAME))
    assert mirror_of(on).told == [NAME]


def test_a_catalog_that_is_hidden_during_the_look_is_empty() -> None:
    """And so is what the mirror was told, which was told of nothing else meanwhile."""
    moments = points(KEPT, lambda on, notes: finish(noted(on, notes).catalog()))
    assert len(moments) == 8
    for hides in moments:
        on = KEPT()
        finish(on.library.catalog())
        observed = finish(noted(on, Notes(privacy_of(on), hides)).catalog())
        assert observed.hidden is not None
        assert observed.catalog.is_empty
        assert (mirror_of(on).hidden, mirror_of(on).found) == (True, {})
        assert mirror_of(on).told == [False, True]


def test_a_catalog_that_is_hidden_while_the_mirror_is_told_is_empty() -> None:
    """The mirror is told so at once."""
    on = LOCAL()
    told: list[bool] = []

    class Slow(MemoryMirror):
        async def shown(self, catalog: Any, *, hidden: bool) -> None:
            privacy_of(on).mode = "ephemeral"
            told.append(hidden)

    observed = finish(evolve(on.library, mirror=Slow()).catalog())
    assert observed.catalog.is_empty
    assert observed.hidden is not None
    assert told == [False, True]


@pytest.mark.parametrize("method", MUTATIONS)
def test_what_is_hidden_before_a_change_is_made_is_not_changed(method: str) -> None:
    """The look that it is decided on may have been one of a better time."""
    stand, use = MUTATIONS[method]
    for hides in points(stand, lambda on, notes: finish(use(noted(on, notes)))):
        on, before = stand(), stand()
        notes = Notes(privacy_of(on), hides)
        with pytest.raises(Hidden):
            finish(use(noted(on, notes)))
        assert {method for method, _ in notes.calls}.isdisjoint(CHANGES | WRITES)
        privacy_of(on).mode = None
        assert standing(on) == standing(before)


@pytest.mark.parametrize("method", INSTALLER)
def test_what_is_hidden_during_a_transfer_is_not_installed(method: str) -> None:
    """Nor is told what it would have met."""
    met = 0
    for hides in points(LOCAL, lambda on, notes: finish(INSTALLER[method](installs(on, notes)))):
        on = LOCAL()
        notes = Notes(privacy_of(on), hides)
        with suppress(Hidden):
            finish(INSTALLER[method](installs(on, notes)))
            assert not notes.sprung
        met += notes.sprung
        assert not notes.sprung or set(on.local.folders) == {"lint"}
    assert met > 0


# What is held


def test_nothing_is_written_unless_the_mode_is_held() -> None:
    """By the task that writes; and nothing slow is done while it is: no survey, and nothing of a server."""
    met: set[str] = set()
    runs: list[tuple[Callable[[], Shelf], Callable[[Shelf, Notes], Coroutine[Any, Any, object]]]] = [
        *((stand, lambda on, notes, act=act: act(noted(on, notes))) for stand, act, _ in CASES.values()),
        *((LOCAL, lambda on, notes, use=use: use(installs(on, notes))) for use in INSTALLER.values()),
        *((stand, lambda on, notes, use=use: use(noted(on, notes))) for stand, use in ALL.values()),
    ]
    for stand, use in runs:
        on = stand()
        notes = Notes(privacy_of(on))
        asyncio.run(use(on, notes))
        for method, held in notes.calls:
            assert held or method not in CHANGES | WRITES, method
            assert not (held and method in {"survey", "resolve", "list", "fetch"}), method
        met |= {method for method, _ in notes.calls}
        assert not privacy_of(on).is_held
    assert CHANGES | WRITES | {"survey", "resolve", "list", "fetch"} <= met


@pytest.mark.parametrize("method", MUTATIONS)
def test_who_cannot_hold_the_mode_changes_nothing(method: str) -> None:
    """It says what is in the way, and the mirror is told nothing."""
    stand, use = MUTATIONS[method]
    on, before = stand(), stand()
    notes = Notes(privacy_of(on))
    library = noted(on, notes)
    finish(library.catalog())
    privacy_of(on).busy = "the agent, which is in a turn,"
    mirror_of(on).told.clear()
    with pytest.raises(Busy, match="in a turn"):
        finish(use(library))
    assert {method for method, _ in notes.calls}.isdisjoint(CHANGES | WRITES)
    assert mirror_of(on).told == []
    assert standing(on) == standing(before)


@define
class HidesAfterwards(MemoryPrivacy):
    """A mode that changes to one that hides as soon as whoever held it lets it go."""

    def held(self) -> Held:
        """Hold it."""
        return LetGo(self, super().held())


@frozen
class LetGo(Held):
    """Holds a mode, and then changes it."""

    privacy: MemoryPrivacy
    held: Held

    async def __aenter__(self) -> None:
        await self.held.__aenter__()

    async def __aexit__(self, *error: object) -> None:
        await self.held.__aexit__(*error)  # type: ignore[arg-type]
        if not self.privacy.is_held:
            self.privacy.mode = "ephemeral"


@pytest.mark.parametrize("method", [method for method in MUTATIONS if method not in {"changing", "adopt", "sweep"}])
def test_what_a_change_gives_is_there_before_the_mode_is_let_go(method: str) -> None:
    """Nothing is looked at afterwards: whoever changed something is told what it came to, though all is hidden now."""
    stand, use = MUTATIONS[method]
    on, before = stand(), stand()
    whole = finish(use(before.library))
    privacy = HidesAfterwards()
    assert finish(use(evolve(on.library, privacy=privacy))) == whole
    assert privacy.hidden() is not None


def test_what_was_installed_is_told_before_the_mode_is_let_go() -> None:
    """As of every other change."""
    on = LOCAL()
    library = evolve(on.library, privacy=HidesAfterwards())
    landed = finish(Installer(library=library, git=git(), clock=MemoryClock()).install(Install(source=TOOLS, name="d")))
    assert landed.found == landed.then
    assert library.privacy.hidden() is not None


@pytest.mark.parametrize("name", QUERIES)
def test_who_only_asks_does_not_hold_the_mode(name: str) -> None:
    """A turn that lasts keeps nobody from looking."""
    on = KEPT()
    privacy_of(on).busy = "the agent, which is in a turn,"
    finish(QUERIES[name](on.library))
    finish(on.library.catalog())
    assert privacy_of(on).entered == 0


@pytest.mark.parametrize("address", ["lint@agent-local", "lint@host-shared"])
def test_a_change_that_is_none_does_not_hold_the_mode(address: str) -> None:
    """What is adapted already, and what a refusal was decided on, waits for nobody."""
    on = LOCAL()
    privacy_of(on).busy = "the agent, which is in a turn,"
    command = evolve(ADAPT, address=parse_address(address))
    with suppress(SkillError):
        assert finish(on.library.adapt(command)).adaptation.adapted is None
    with pytest.raises(StaleRevision):
        finish(on.library.set_state(SetState(address=parse_address(address), enabled=True, pin="0" * 64)))


def test_two_changes_of_one_agent_do_not_overlap() -> None:
    """The second is told that the first is at it; and whoever holds the mode makes as many as they like."""
    on = LOCAL()

    async def main() -> None:
        async with on.library.privacy.held():
            await turn("lint@host-shared", enabled=False)(on.library)
            with pytest.raises(Busy):
                await asyncio.create_task(turn("lint@host-shared", enabled=True)(on.library))
        await asyncio.create_task(turn("lint@host-shared", enabled=True)(on.library))

    asyncio.run(main())


def test_a_library_without_a_mode_hides_nothing() -> None:
    """As on the command line."""
    on = shelf({"lint": dict(LINT)})
    assert type(on.library.privacy) is Privacy
    assert finish(on.library.catalog()).hidden is None


def test_what_is_installed_is_what_was_looked_at() -> None:
    """The commit that a name meant when the mode was not hidden."""
    on = LOCAL()
    source = MemoryGitSource({URL: REPOSITORY})
    arrival = finish(installs(on, Notes(privacy_of(on)), source).install(Install(source=TOOLS, name="d")))
    assert arrival.found.provenance is not None
    assert arrival.found.provenance.commit != LATER


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_what_is_hidden_beside_the_loop_is_not_found(step: int) -> None:
    """A search surveys, looks at marks, resolves and ranks there; what is hidden as one of that ends is refused."""
    on = LOCAL()
    begun = 0

    async def hiding(work: Callable[[Any], Any]) -> Any:
        nonlocal begun
        begun += 1
        given = await on.library.offload(work)
        if begun == step:
            privacy_of(on).mode = "ephemeral"
        return given

    library = evolve(on.library, offload=hiding)
    with pytest.raises(Hidden):
        finish(library.search("testing"))
    assert begun >= step, "there is no such moment"
