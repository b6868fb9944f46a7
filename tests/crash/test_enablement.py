"""Nothing is on that nobody turned on: whatever the power does, and whatever a person puts in a skill's place.

The library runs over the real store on a disk that may crash, and a table of states whose writes are durable at once.
The power goes before every call that the store makes. Then an agent starts on every disk that is left, and what is on
there is held against who was asked to turn what on: a folder counts by its birth, which is told by its marker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

import pytest
from attrs import define, field, frozen

from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_adapters.memory.markdown import InlineLinks
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.memory.world import MemoryOffload
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Create, Delete, Edit, SetState
from kestrel_skills_core.domain.edit import Append
from kestrel_skills_core.domain.errors import SkillError, StateUnavailable
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import MARKER, Address, SkillName, new_generation
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.service.library import SkillLibrary

from .judging import PROFILES, image_of
from .workload import BLANK, FIRST, NAME, ROOT, Counted, Held, State, begun

HERE: Final = Address(NAME)
B: Final = SkillName("b")
B_BORN: Final = new_generation("b1" * 32)
"""Not of the 0.1.0 release, whose rows turn on whatever folder of its own has their name."""
SILENT: Final = StateUnavailable("it is away")

Birth = tuple[str, str]
"""The name of a folder, and the digits of its marker that are random."""


def document(name: str, body: str) -> bytes:
    """A good `SKILL.md`."""
    return f"---\nname: {name}\ndescription: Use when it is time.\n---\n\n{body}\n".encode()


def born(disk: CrashDisk, name: str) -> Birth | None:
    """The birth of the folder that has that name now, if it has a marker."""
    marker = disk.files(f"{ROOT}/{name}").get(MARKER)
    return None if marker is None else (name, marker.decode().strip()[-56:])


class Noted(Counted):
    """Tokens that count, and are remembered."""

    def __init__(self, disk: CrashDisk) -> None:
        super().__init__(disk)
        self.drawn: list[str] = []

    def token(self) -> str:
        """One more."""
        self.drawn.append(super().token())
        return self.drawn[-1]


@frozen
class Moment:
    """A moment at which the power may go: what is on the disk and in the table, and what was asked for till then."""

    disk: CrashDisk
    rows: Mapping[StateKey, SkillState]
    may: frozenset[Birth]
    must: frozenset[Birth]


@define(eq=False)
class Trial:
    """One library, what it was asked to turn on, and every moment at which the power might have gone."""

    disk: CrashDisk
    table: MemoryStates
    may: set[Birth] = field(factory=set)
    """What was asked to be on, and was not acknowledged as off since."""
    must: set[Birth] = field(factory=set)
    """What was acknowledged as on, and not asked to be off since; once a person came, nothing of that name."""
    met: bool = False
    """Whether a person came."""
    moments: list[Moment] = field(factory=list)
    chance: Noted = field(init=False)
    library: SkillLibrary = field(init=False)
    asked_over: Mapping[StateKey, SkillState] | None = field(default=None, init=False)
    """The rows over which the skill that is there was asked to be on, while that is being asked."""
    since: int | None = field(default=None, init=False)
    """From which token on folders are born that are asked to be on, while that is being asked."""

    def __attrs_post_init__(self) -> None:
        self.chance = Noted(self.disk)
        self.library = library_over(self.disk, self.table, self.chance)

    def approved(self) -> frozenset[Birth]:
        """What may be on now."""
        tokens = [] if self.since is None else self.chance.drawn[self.since :]
        return frozenset(self.may.union((NAME, token[-56:]) for token in tokens))

    def note(self) -> None:
        """The power may go now."""
        rows = table_of(self.table)
        self.moments.append(Moment(self.disk.fork(), rows, self.approved(), frozenset(self.must)))

    def asks_for_on(self, work: Callable[[], object], *, there: bool) -> None:
        """Ask for the skill to be on: one that is there, or else one that is born, or marked, while that is done."""
        self.since = len(self.chance.drawn)
        if there:
            self.may |= {born(self.disk, NAME)} - {None}
            self.asked_over = table_of(self.table)
        try:
            work()
        finally:
            self.may |= self.approved()
            self.since = self.asked_over = None
        self.must |= set() if self.met else {born(self.disk, NAME)} - {None}

    def asks_for_off(self, work: Callable[[], object]) -> None:
        """Ask for the skill to be off, or gone."""
        self.must -= {birth for birth in self.must if birth[0] == NAME}
        work()
        self.may -= {birth for birth in self.may if birth[0] == NAME}


def library_over(disk: CrashDisk, table: MemoryStates, chance: Counted) -> SkillLibrary:
    """The library of an agent with one root."""
    store = PosixSkillStore(ROOT, chance=chance, calls=disk)
    return SkillLibrary(
        agent="did:example:1",
        sources=[store],
        store=store,
        states=table,
        offload=MemoryOffload(),
        markdown=InlineLinks(),
    )


def table_of(table: MemoryStates) -> Mapping[StateKey, SkillState]:
    """What is in a table, be it silent or not."""
    silent, table.unavailable = table.unavailable, None
    rows = finish(table.rows())
    table.unavailable = silent
    return rows


# What the library is asked for


def create(trial: Trial, *, on: bool) -> None:
    """Make the skill."""
    command = Create(name=NAME, document=document(NAME, f"Made {len(trial.chance.drawn)}."), enabled=on)
    if on:
        trial.asks_for_on(lambda: finish(trial.library.create(command)), there=False)
    else:
        finish(trial.library.create(command))


def edit(trial: Trial) -> None:
    """Change its document."""
    finish(trial.library.edit(Edit(address=HERE, change=Append("More.\n"))))


def turn_on(trial: Trial) -> None:
    """Turn it on."""
    command = SetState(address=HERE, enabled=True)
    trial.asks_for_on(lambda: finish(trial.library.set_state(command)), there=True)


def turn_off(trial: Trial) -> None:
    """Turn it off."""
    trial.asks_for_off(lambda: finish(trial.library.set_state(SetState(address=HERE, enabled=False))))


def turn_off_in_silence(trial: Trial) -> None:
    """Turn it off while the table does not answer."""
    trial.table.unavailable = SILENT
    try:
        turn_off(trial)
    finally:
        trial.table.unavailable = None


def delete(trial: Trial) -> None:
    """Delete it."""
    token = finish(trial.library.deletion(HERE)).delete_revision
    trial.asks_for_off(lambda: finish(trial.library.delete(Delete(address=HERE, delete_revision=token))))


def start(trial: Trial) -> None:
    """Start the agent."""
    finish(trial.library.start())


STEPS: Final[Mapping[str, Callable[[Trial], None]]] = {
    "create on": lambda trial: create(trial, on=True),
    "create off": lambda trial: create(trial, on=False),
    "edit": edit,
    "on": turn_on,
    "off": turn_off,
    "off in silence": turn_off_in_silence,
    "delete": delete,
    "start": start,
    "moves it away": lambda trial: trial.disk.person.shift(f"{ROOT}/{NAME}", f"{ROOT}/away"),
    "moves it back": lambda trial: trial.disk.person.shift(f"{ROOT}/away", f"{ROOT}/{NAME}"),
}

BY_HAND: Final[State] = {NAME: {"SKILL.md": Held(document(NAME, "By hand."))}}
"""A folder that nobody has looked at yet, and so without a marker."""
SCRIPTS: Final[Mapping[str, tuple[State, Sequence[str]]]] = {
    "made on": (BLANK, ["create on", "edit", "off", "on", "delete", "create off", "edit"]),
    "made off": (BLANK, ["create off", "on", "edit", "delete", "create on", "off", "start"]),
    "adopted": (FIRST, ["start", "edit", "off", "on", "delete", "create off", "start"]),
    "not adopted yet": (FIRST, ["delete", "create off", "start", "on"]),
    "made by hand": (BY_HAND, ["on", "edit", "off", "on", "start", "delete"]),
    "moved away": (BLANK, ["create on", "off in silence", "moves it away", "create off", "delete", "moves it back"]),
    "off by a mark": (
        BLANK,
        ["create on", "off in silence", "edit", "start", "on", "off in silence", "delete", "create off"],
    ),
}
"""What there is before, all of it left on by the 0.1.0 release, and what is then asked for."""


# What a person does meanwhile


def anew(disk: CrashDisk) -> None:
    """Another skill of that name."""
    disk.person.drop(f"{ROOT}/{NAME}")
    disk.person.put(f"{ROOT}/{NAME}/SKILL.md", document(NAME, "A person's."))


def the_same(disk: CrashDisk) -> None:
    """The same to the byte, made anew."""
    files = disk.files(f"{ROOT}/{NAME}")
    disk.person.drop(f"{ROOT}/{NAME}")
    for path, content in files.items():
        if path != MARKER:
            disk.person.put(f"{ROOT}/{NAME}/{path}", content)


def moved_and_another(disk: CrashDisk) -> None:
    """The skill under another name, and another under its own."""
    with suppress(FileNotFoundError):
        disk.person.drop(f"{ROOT}/c")
    disk.person.shift(f"{ROOT}/{NAME}", f"{ROOT}/c")
    disk.person.put(f"{ROOT}/c/SKILL.md", document("c", "Moved."))
    disk.person.put(f"{ROOT}/{NAME}/SKILL.md", document(NAME, "A person's."))


def copied(disk: CrashDisk) -> None:
    """A copy under another name, marker and all."""
    for path, content in disk.files(f"{ROOT}/{NAME}").items():
        disk.person.put(f"{ROOT}/c/{path}", document("c", "A copy.") if path == "SKILL.md" else content)


def with_the_marker_of_another(disk: CrashDisk) -> None:
    """A skill that was made of another one, which is on."""
    anew(disk)
    disk.person.put(f"{ROOT}/{NAME}/{MARKER}", disk.files(f"{ROOT}/b").get(MARKER, b""))


DOINGS: Final[Mapping[str, Callable[[CrashDisk], None]]] = {
    "deletes it": lambda disk: disk.person.drop(f"{ROOT}/{NAME}"),
    "makes it anew": anew,
    "makes the same anew": the_same,
    "renames it and makes another": moved_and_another,
    "copies it": copied,
    "makes one of another": with_the_marker_of_another,
}


def trial_of(script: str, doing: str = "", call: int = -1) -> Trial:
    """Run a script to its end, with a person's doing before the call of that number; what is refused, is refused."""
    state, steps = SCRIPTS[script]
    disk = begun({**state, B: {"SKILL.md": Held(document(B, "Not touched.")), MARKER: Held(render_marker(B_BORN))}})
    rows = {StateKey(SkillName(name)): SkillState(enabled=True, priority=3) for name in state}
    b = born(disk, B)
    assert b is not None
    rows[StateKey(B)] = SkillState(enabled=True, subject=Subject(generation=B_BORN))
    trial = Trial(disk, MemoryStates(rows), {b}, {b})
    trial.may |= {born(disk, NAME)} - {None}

    def happens(number: int) -> None:
        if number == call and dict(disk.below(f"{ROOT}/{NAME}")):
            trial.must -= {birth for birth in trial.must if birth[0] == NAME}
            trial.met = True
            trial.moments.clear()
            DOINGS[doing](disk)
            if trial.asked_over is not None and trial.asked_over == table_of(trial.table):
                trial.may |= {born(disk, NAME)} - {None}  # whoever asks for a name asks for what is found under it
        trial.note()

    for number in range(_MOST):
        disk.before(number, lambda _, number=number: happens(number))
    for step in steps:
        with suppress(SkillError, OSError):
            STEPS[step](trial)
            assert doing or step not in ("create on", "on") or born(disk, NAME) in trial.must
    assert len(disk.trace) < _MOST
    trial.note()
    return trial


_MOST: Final = 2_000
"""More calls than any script makes."""


@define
class Judge:
    """Starts an agent on every disk that is left, each with each table once, and counts."""

    seen: set[object] = field(factory=set)
    states: int = 0
    on: int = 0

    def judge(self, moments: Sequence[Moment], what: object) -> None:
        """Nothing is on that may not be, and everything that must be."""
        for number, moment in enumerate(moments):
            for profile in PROFILES:
                for woken in moment.disk.survivors(profile, number):
                    self.states += 1
                    key = (image_of(woken.volume), frozenset(moment.rows.items()), moment.may, moment.must)
                    if key not in self.seen:
                        self.seen.add(key)
                        self._start(woken, moment, (what, number, profile))

    def _start(self, woken: CrashDisk, moment: Moment, what: object) -> None:
        library = library_over(woken, MemoryStates(moment.rows), Counted(woken))
        started = finish(library.start())
        assert started.problems == (), what
        enabled = finish(library.catalog()).catalog.enabled
        on = {birth for record in enabled if (birth := born(woken, record.name)) is not None}
        assert len(on) == len(enabled), what
        self.on += len(on)
        assert on <= moment.may, ("on, and nobody asked for it", on - moment.may, what)
        assert on >= moment.must, ("off, and was told to be on", moment.must - on, what)

    def __str__(self) -> str:
        return f"{self.states:,} states, {len(self.seen):,} starts; 0 on that nobody turned on"


def tell_met(judge: Judge, script: str, *, every: int, cuts: int) -> int:
    """Let a person come before every so manieth call; gives how often that was."""
    calls, stories = len(trial_of(script).disk.trace), 0
    for number, doing in enumerate(DOINGS):
        for call in range(number * 7 % every, calls, every):
            trial = trial_of(script, doing, call)
            judge.judge([*trial.moments[call % cuts :: cuts], trial.moments[-1]], (script, doing, call))
            stories += 1
    return stories


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_is_on_was_turned_on(script: str) -> None:
    """The power goes at some of the calls, and once more at the end."""
    judge, trial = Judge(), trial_of(script)
    judge.judge([*trial.moments[::5], trial.moments[-1]], script)
    assert judge.on > 25


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_a_person_put_there_is_off(script: str) -> None:
    """Until somebody turns it on."""
    judge = Judge()
    assert tell_met(judge, script, every=151, cuts=61) > 5


@pytest.mark.crash
@pytest.mark.parametrize("script", SCRIPTS)
def test_what_is_on_was_turned_on_at_any_power_cut(script: str) -> None:
    """At any call."""
    judge = Judge()
    judge.judge(trial_of(script).moments, script)
    print(f"\n{script}: {judge}")


@pytest.mark.crash
def test_what_a_person_put_there_is_off_at_any_power_cut() -> None:
    """Before every 31st call of every script, for each doing other ones."""
    judge = Judge()
    stories = sum(tell_met(judge, script, every=31, cuts=17) for script in SCRIPTS)
    print(f"\n{stories} doings of a person: {judge}")
