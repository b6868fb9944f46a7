"""The library over the real store, on a disk that may crash, against a plain dict.

What is asked for is done, refused, met by a person, or cut short by a call that fails or by the power. What the dict
may then hold is every state between before and after that the contract allows, and only what was seen stays among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

import pytest
from attrs import evolve, frozen
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from kestrel_skills_adapters.memory.disk import CrashDisk, PowerCut
from kestrel_skills_adapters.memory.journal import Profile
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Create, Delete, Edit, SetState
from kestrel_skills_core.domain.edit import Append
from kestrel_skills_core.domain.errors import InDoubt, SkillAbsent, SkillError, StateUnavailable
from kestrel_skills_core.domain.names import DOCUMENT, Address, SkillName
from kestrel_skills_core.service.library import SkillLibrary
from tests.crash.judging import PROFILES
from tests.crash.test_enablement import document, library_over
from tests.crash.test_errors import NUMBERS
from tests.crash.workload import INTERNAL, ROOT, Counted
from tests.examples import examples

AWAY: Final = "c"
"""What a person renames `a` to, and back from."""
SILENT: Final = StateUnavailable("it is away")


@frozen
class Copy:
    """A folder: the text of its document, and its birth."""

    text: bytes
    birth: str


@frozen
class World:
    """What the dict holds: folders by name, and by name the birth that is to be on. `seen` is what was looked at."""

    folders: Mapping[str, Copy]
    approved: Mapping[str, str]
    seen: Copy | None = None

    @property
    def on(self) -> set[str]:
        """The names that are on."""
        return {name for name, copy in self.folders.items() if self.approved.get(name) == copy.birth}

    def put(self, name: str, copy: Copy | None) -> World:
        """Another folder of that name, or none."""
        others = {each: there for each, there in self.folders.items() if each != name}
        return evolve(self, folders=others if copy is None else {**others, name: copy})

    def approve(self, name: str, birth: str | None) -> World:
        """Another birth that is to be on, or none."""
        others = {each: there for each, there in self.approved.items() if each != name}
        return evolve(self, approved=others if birth is None else {**others, name: birth})


Step = Callable[[World], World | None]
"""What becomes of a world; nothing where the step is refused."""


@frozen
class Asked:
    """Something that is asked of the library: how, and the steps it takes, of which the last but `after` commit it."""

    work: Callable[[SkillLibrary, MemoryStates], object]
    steps: Sequence[Step]
    after: int = 0
    """How many steps follow the commit: whatever is cut short there stands."""
    may_be_refused: bool = False
    """Whether it may be refused for a reason that the dict does not know."""


def look(name: str) -> Step:
    """Look at a folder that is there."""
    return lambda world: None if name not in world.folders else evolve(world, seen=world.folders[name])


def create(name: SkillName, body: str, on: bool, birth: str) -> Asked:
    """Make a skill, and perhaps turn it on."""
    text = document(name, body)

    def make(world: World) -> World | None:
        return None if name in world.folders else world.put(name, Copy(text, birth))

    def turn(world: World) -> World:
        return world.approve(name, birth)

    command = Create(name=name, document=text, enabled=on)
    return Asked(lambda library, _: finish(library.create(command)), [make, turn] if on else [make], after=int(on))


def append(name: SkillName, body: str) -> Asked:
    """Add to a document."""

    def write(world: World) -> World | None:
        there = world.folders.get(name)
        if there is None or world.seen is None or there.text != world.seen.text:
            return None
        return world.put(name, evolve(there, text=there.text + body.encode()))

    command = Edit(address=Address(name), change=Append(body))
    return Asked(lambda library, _: finish(library.edit(command)), [look(name), write])


def delete(name: SkillName) -> Asked:
    """Look at a skill, and delete what was seen."""

    def work(library: SkillLibrary, _: MemoryStates) -> object:
        token = finish(library.deletion(Address(name))).delete_revision
        return finish(library.delete(Delete(address=Address(name), delete_revision=token)))

    def retire(world: World) -> World | None:
        return world.put(name, None) if world.folders.get(name) == world.seen else None

    def drop(world: World) -> World:
        is_its = world.seen is not None and world.approved.get(name) == world.seen.birth
        return world.approve(name, None) if is_its else world

    return Asked(work, [look(name), retire, drop], after=1)


def turn_on(name: SkillName) -> Asked:
    """Turn a skill on."""

    def turn(world: World) -> World:
        return world.approve(name, None if world.seen is None else world.seen.birth)

    command = SetState(address=Address(name), enabled=True)
    return Asked(lambda library, _: finish(library.set_state(command)), [look(name), turn])


def turn_off(name: SkillName, silent: bool) -> Asked:
    """Turn a skill off, which is well where nothing speaks of it; if the table is silent, it has to be there."""

    def work(library: SkillLibrary, table: MemoryStates) -> None:
        table.unavailable = SILENT if silent else None
        try:
            finish(library.set_state(SetState(address=Address(name), enabled=False)))
        except SkillAbsent:
            if silent:
                raise
        finally:
            table.unavailable = None

    def turn(world: World) -> World:
        return world.approve(name, None)

    return Asked(work, [turn], may_be_refused=silent)


@frozen
class Doing:
    """What a person does, to the disk and to the dict; nothing where it cannot be done."""

    act: Callable[[CrashDisk], object]
    done: Step


def writes(name: str, body: str) -> Doing:
    """Write a document in place."""
    text = document(name, body)

    def act(disk: CrashDisk) -> None:
        disk.volume.resolved(f"{ROOT}/{name}")  # which is an error where there is none
        disk.person.put(f"{ROOT}/{name}/SKILL.md", text)

    return Doing(
        act,
        lambda world: world.put(name, evolve(world.folders[name], text=text)) if name in world.folders else None,
    )


def makes_anew(name: str, birth: str) -> Doing:
    """Make the folder anew, the same to the byte."""

    def act(disk: CrashDisk) -> None:
        text = disk.files(f"{ROOT}/{name}")[DOCUMENT]
        disk.person.drop(f"{ROOT}/{name}")
        disk.person.put(f"{ROOT}/{name}/SKILL.md", text)

    return Doing(
        act,
        lambda world: world.put(name, Copy(world.folders[name].text, birth)) if name in world.folders else None,
    )


def drops(name: str) -> Doing:
    """Delete the folder."""
    return Doing(
        lambda disk: disk.person.drop(f"{ROOT}/{name}"),
        lambda world: world.put(name, None) if name in world.folders else None,
    )


def moves(name: str, to: str) -> Doing:
    """Rename a folder to a name that is free."""

    def done(world: World) -> World | None:
        there = world.folders.get(name)
        return None if there is None or to in world.folders else world.put(name, None).put(to, there)

    return Doing(lambda disk: disk.person.shift(f"{ROOT}/{name}", f"{ROOT}/{to}"), done)


def doing_of(kind: str, name: str, body: str, birth: str) -> Doing:
    """One of these."""
    return {
        "writes": writes(name, body),
        "makes anew": makes_anew(name, birth),
        "drops": drops(name),
        "moves away": moves("a", AWAY),
        "moves back": moves(AWAY, "a"),
    }[kind]


names = st.sampled_from(["a", "b"]).map(SkillName)
bodies = st.sampled_from(["One.", "Two.", "Three."])
verbs = st.sampled_from(["create", "create on", "append", "delete", "on", "off", "off in silence"])
kinds = st.sampled_from(["writes", "makes anew", "drops", "moves away", "moves back"])
calls = st.integers(0, 90)


class LibraryOnDisk(RuleBasedStateMachine):
    """Rules are what people and machines do; the invariant is that some of the worlds that may be is there."""

    @initialize()
    def begin(self) -> None:
        """Nothing is there."""
        self.disk, self.table = CrashDisk(), MemoryStates()
        self.worlds = [World({}, {})]
        self.turn = 0

    @rule(verb=verbs, name=names, body=bodies)
    def does(self, verb: str, name: SkillName, body: str) -> None:
        """Ask for something; it is done whole, or refused for a reason."""
        asked = self._asked(verb, name, body)
        error, problem = self._run(asked)
        assert problem is None
        self._learn(self._done(asked, error))

    @rule(kind=kinds, name=names, body=bodies)
    def meddles(self, kind: str, name: SkillName, body: str) -> None:
        """A person does something."""
        doing = self._doing(kind, name, body)
        if doing.done(self.worlds[0]) is not None:
            doing.act(self.disk)
            self._learn([after for world in self.worlds if (after := doing.done(world)) is not None])

    @rule(verb=verbs, name=names, body=bodies, kind=kinds, theirs=bodies, call=calls)
    def meets(self, verb: str, name: SkillName, body: str, kind: str, theirs: str, call: int) -> None:
        """A person does something meanwhile."""
        asked, doing = self._asked(verb, name, body), self._doing(kind, name, theirs)
        acted: list[bool] = []

        def act(disk: CrashDisk) -> None:
            with suppress(OSError, KeyError):
                doing.act(disk)
                acted.append(True)

        self.disk.before(call, act)
        error, problem = self._run(asked)
        found: list[World] = []
        for world in self.worlds:
            for at in range(len(asked.steps) + 1) if acted else ():
                found += interrupted(asked, world, error or problem, (at, doing.done))
            if not acted:
                found += interrupted(asked, world, error or problem)
        self._settle(error or problem)
        self._learn(found)

    @rule(verb=verbs, name=names, body=bodies, call=calls, number=st.sampled_from(NUMBERS), forever=st.booleans())
    def fails(self, verb: str, name: SkillName, body: str, call: int, number: int, forever: bool) -> None:
        """The disk refuses a call, or all from then on."""
        asked = self._asked(verb, name, body)
        self.disk.fail_at, self.disk.fail_errno, self.disk.fail_forever = call, number, forever
        error, problem = self._run(asked)
        self._settle(error or problem)
        self._learn([each for world in self.worlds for each in interrupted(asked, world, error or problem)])

    @rule(
        verb=verbs,
        name=names,
        body=bodies,
        call=calls,
        profile=st.sampled_from(PROFILES),
        which=st.integers(0, 1_000),
    )
    def is_cut_off(self, verb: str, name: SkillName, body: str, call: int, profile: Profile, which: int) -> None:
        """The power goes; an agent starts on what is left."""
        asked = self._asked(verb, name, body)
        self.disk.cut_at = call
        try:
            error, _ = self._run(asked)
        except PowerCut:
            found = [each for world in self.worlds for each in prefixes(asked.steps, world)]
        else:
            found = self._done(asked, error)
        self._wake(profile, which)
        self._learn(found)

    @rule(profile=st.sampled_from(PROFILES), which=st.integers(0, 1_000))
    def restarts(self, profile: Profile, which: int) -> None:
        """The power goes when nothing is under way."""
        self._wake(profile, which)
        self._learn(self.worlds)

    @invariant()
    def is_as_it_should_be(self) -> None:
        """What is there, and what is on, is what one of the worlds says."""
        if hasattr(self, "disk"):
            self._learn(self.worlds)

    def _asked(self, verb: str, name: SkillName, body: str) -> Asked:
        self.turn += 1
        if verb.startswith("create"):
            return create(name, body, verb == "create on", f"ours {self.turn}")
        return {
            "append": append(name, body),
            "delete": delete(name),
            "on": turn_on(name),
            "off": turn_off(name, silent=False),
            "off in silence": turn_off(name, silent=True),
        }[verb]

    def _doing(self, kind: str, name: SkillName, body: str) -> Doing:
        self.turn += 1
        return doing_of(kind, name, body, f"theirs {self.turn}")

    def _done(self, asked: Asked, error: SkillError | None) -> list[World]:
        """The worlds after something that nobody disturbed."""
        if error is not None and asked.may_be_refused:
            return self.worlds
        done = [through(asked.steps, world) for world in self.worlds]
        return [world for world, is_whole in done if is_whole == (error is None)]

    def _run(self, asked: Asked) -> tuple[SkillError | None, SkillError | None]:
        """Ask, and go on with a disk on which nothing is planned; gives why it was refused, or is not whole."""
        disk = self.disk
        try:
            outcome = asked.work(library_over(disk, self.table, Counted(disk)), self.table)
        except SkillError as error:
            return error, None
        finally:
            assert disk.descriptors == 0
            self.disk = disk.fork()
        return None, getattr(outcome, "problem", None)

    def _settle(self, error: SkillError | None) -> None:
        """Who is in doubt starts again."""
        if error is not None:
            library = library_over(self.disk, self.table, Counted(self.disk))
            assert finish(library.start()).problems == ()
            self.disk = self.disk.fork()

    def _wake(self, profile: Profile, which: int) -> None:
        woken = list(self.disk.survivors(profile, which))
        self.disk = woken[which % len(woken)]
        library = library_over(self.disk, self.table, Counted(self.disk))
        assert finish(library.start()).problems == ()
        below = [path for path, _ in self.disk.below(f"{ROOT}/{INTERNAL}")]
        assert not [path for path in below if path.startswith(("staging/", "retired/"))]
        self.disk = self.disk.fork()

    def _learn(self, worlds: Sequence[World]) -> None:
        """Keep the worlds that look as the disk does."""
        fork = self.disk.fork()
        catalog = finish(library_over(fork, self.table, Counted(fork)).catalog()).catalog
        on = {str(record.name) for record in catalog.enabled}
        texts = {
            path.partition("/")[0]: content
            for path, content in self.disk.files(ROOT).items()
            if path.endswith(f"/{DOCUMENT}") and not path.startswith(INTERNAL)
        }
        left = [
            evolve(world, seen=None)
            for world in worlds
            if world.on == on and {name: copy.text for name, copy in world.folders.items()} == texts
        ]
        assert left, (on, texts, worlds)
        self.worlds = [world for number, world in enumerate(left) if world not in left[:number]]


def through(steps: Sequence[Step], world: World) -> tuple[World, bool]:
    """What becomes of a world in these steps, and whether none was refused; one that was leaves it as it was."""
    now = world
    for step in steps:
        after = step(now)
        if after is None:
            return world, False
        now = after
    return now, True


def prefixes(steps: Sequence[Step], world: World) -> list[World]:
    """A world before each of these steps, and after the last."""
    found = [world]
    for step in steps:
        after = step(found[-1])
        if after is None:
            break
        found.append(after)
    return found


def interrupted(
    asked: Asked, world: World, error: SkillError | None, met: tuple[int, Step] | None = None
) -> list[World]:
    """What may be there after something that failed, or not, with a person's doing before the step of that number."""
    steps: list[Step] = list(asked.steps)
    if met is not None:
        steps.insert(met[0], met[1])
    found = prefixes(steps, world)
    if error is None:
        return found[-1:] if len(found) > len(steps) else []
    if isinstance(error, InDoubt):
        return found
    commit = len(asked.steps) - asked.after
    if met is None:
        return [found[0], *found[commit:]] if asked.after else found[:1]
    return found


_SETTINGS = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def test_a_library_on_a_disk_is_a_dict() -> None:
    """In a hundred histories of up to fifty steps, the same each time."""
    run_state_machine_as_test(
        LibraryOnDisk, settings=settings(_SETTINGS, max_examples=examples(100), stateful_step_count=50)
    )


@pytest.mark.property
def test_a_library_on_a_disk_is_a_dict_in_any_history() -> None:
    """In other and longer ones each time."""
    longer = settings(_SETTINGS, derandomize=False, max_examples=examples(1_000), stateful_step_count=100)
    run_state_machine_as_test(LibraryOnDisk, settings=longer)
