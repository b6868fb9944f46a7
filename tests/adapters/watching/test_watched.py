"""When a root is taken as it was last seen, and when it is looked at: with a watch that hears what the test says."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from attrs import define, evolve, field

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.memory.files import MemorySkillFiles
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.together import SharedFiles, Together
from kestrel_skills_adapters.watching.watched import Heard, WatchedFiles
from kestrel_skills_adapters.world import threads
from kestrel_skills_core.domain.errors import SourceUnavailable
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.domain.tree import Content

SHARED, LOCAL = SourceId.HOST_SHARED, SourceId.AGENT_LOCAL
MINUTE = 60.0


@define(eq=False)
class Stamped(MemorySkillFiles):
    """A root in memory whose folders are stamped, but for the young ones; it counts how often it was looked at."""

    looks: int = 0
    young: set[str] = field(factory=set)
    fails: bool = False

    def survey(self, known: Survey | None = None) -> Survey:
        """Look, and stamp."""
        self.looks += 1
        if self.fails:
            raise RuntimeError
        survey = super().survey(known)
        stamped = {
            name: evolve(sighting, stamps=None if name in self.young else ("stamp",))
            for name, sighting in survey.sightings.items()
        }
        return evolve(survey, sightings=stamped)


@define(eq=False)
class Ear:
    """A watch that heard what it is told."""

    hears: list[Heard] = field(factory=list)
    closed: bool = False

    def heard(self) -> Heard:
        """What it was told first, of what was not given yet; nothing where all was."""
        assert not self.closed
        return self.hears.pop(0) if self.hears else Heard.NOTHING

    def close(self) -> None:
        """Be closed."""
        self.closed = True


@define(eq=False)
class Trial:
    """A root with one skill, its watches, the time, and what is known of it."""

    root: Stamped = field(factory=lambda: Stamped(SHARED, root="f" * 64))
    ears: list[Ear] = field(factory=list)
    deaf: bool = False
    now: float = 1000.0
    known: Survey | None = None
    files: WatchedFiles = field(init=False)

    @files.default
    def _watched(self) -> WatchedFiles:
        self.root.folders["knots"] = {"SKILL.md": Content(document("knots"))}
        return WatchedFiles(self.root, self.place, lambda: self.now)

    def place(self) -> Ear | None:
        """A new watch, unless none can be had."""
        self.ears.append(Ear())
        return None if self.deaf else self.ears[-1]

    def look(self) -> bool:
        """Survey, as a library does, with what is known; gives whether the root was looked at."""
        before = self.root.looks
        self.known = self.files.survey(self.known)
        return self.root.looks > before

    def settled(self) -> Trial:
        """The same, watched, and seen."""
        self.look()
        self.look()
        assert len(self.ears) == 1
        return self

    def write(self) -> None:
        """Change the skill."""
        self.root.folders["knots"] = {"SKILL.md": Content(document("knots") + b"More.\n")}


def test_who_looks_once_does_not_pay_for_a_watch() -> None:
    """The first look is made as without; the second makes the watch, and the third is answered by it."""
    trial = Trial()
    assert trial.look()
    assert trial.ears == []
    assert trial.look()
    assert len(trial.ears) == 1
    last = trial.known
    assert not trial.look()
    assert trial.known is last


def test_what_is_heard_is_looked_at() -> None:
    """Once; then it is quiet again, on the same watch."""
    trial = Trial().settled()
    trial.write()
    trial.ears[0].hears.append(Heard.CHANGES)
    before = trial.known
    assert trial.look()
    assert trial.known != before
    assert not trial.look()
    assert (len(trial.ears), trial.ears[0].closed) == (1, False)


def test_a_watch_that_lost_something_is_made_anew_by_the_look_after() -> None:
    """The look that learns of it is as without a watch; the next one makes one, looks, and only then it is believed."""
    trial = Trial().settled()
    trial.ears[0].hears.append(Heard.LOST)
    assert [trial.look() for _ in range(4)] == [True, True, False, False]
    assert [ear.closed for ear in trial.ears] == [True, False]


def test_nothing_is_missed_for_good() -> None:
    """A change of which nothing is heard is seen after a minute; the watch is given up, the next comes a minute on."""
    trial = Trial().settled()
    trial.write()
    trial.now += MINUTE - 0.001
    assert not trial.look()
    trial.now += 0.001
    before = trial.known
    assert trial.look()
    assert trial.known != before
    assert trial.ears[0].closed
    trial.now += MINUTE - 0.001
    assert trial.look()
    assert len(trial.ears) == 1
    trial.now += 0.001
    assert [trial.look(), trial.look()] == [True, False]
    assert len(trial.ears) == 2


def test_a_watch_that_missed_nothing_goes_on() -> None:
    """Everything is looked at each minute, and where it is as it was, the minute begins anew."""
    trial = Trial().settled()
    for _ in range(3):
        trial.now += MINUTE
        assert [trial.look(), trial.look()] == [True, False]
    assert [ear.closed for ear in trial.ears] == [False]


def test_stamps_that_only_grew_old_are_no_change() -> None:
    """A folder that has stamps since, and is else as it was, was not missed."""
    trial = Trial()
    trial.root.young.add("knots")
    trial.settled()
    trial.look()
    trial.root.young.clear()
    assert [trial.look(), trial.look()] == [True, False]
    assert [ear.closed for ear in trial.ears] == [False]


def test_a_watch_that_cannot_be_had_is_asked_for_once_a_minute() -> None:
    """Until then each look is as without."""
    trial = Trial(deaf=True).settled()
    assert [trial.look() for _ in range(3)] == [True, True, True]
    assert len(trial.ears) == 1
    trial.now += MINUTE
    trial.deaf = False
    assert [trial.look(), trial.look()] == [True, False]
    assert len(trial.ears) == 2


def test_what_another_look_may_see_otherwise_is_looked_at() -> None:
    """A folder that is too young for stamps, or that has no marker where it should: though nothing is heard."""
    young = Trial()
    young.root.young.add("knots")
    young.settled()
    assert [young.look(), young.look()] == [True, True]
    bare = Trial(Stamped(LOCAL)).settled()
    assert [bare.look(), bare.look()] == [True, True]
    marked = Trial(Stamped(LOCAL, chance=CountedChance())).settled()
    assert not marked.look()


def test_what_could_not_be_read_is_looked_at() -> None:
    """A root with a problem is looked at each time, and told of each time."""
    trial = Trial().settled()
    trial.root.problem = SourceUnavailable(SHARED, "it does not exist", "make the folder")
    trial.ears[0].hears.append(Heard.CHANGES)
    assert [trial.look(), trial.look()] == [True, True]
    trial.root.problem = None
    assert [trial.look(), trial.look()] == [True, False]


def test_who_knows_nothing_has_everything_opened() -> None:
    """A survey for which nothing is known is made, whatever was heard."""
    trial = Trial().settled()
    assert not trial.look()
    trial.known = None
    assert trial.look()
    assert not trial.look()


def test_a_look_that_was_broken_off_is_believed_by_nobody() -> None:
    """Where a survey raises, the next one looks."""
    trial = Trial().settled()
    trial.ears[0].hears.append(Heard.CHANGES)
    trial.root.fails = True
    with pytest.raises(RuntimeError):
        trial.look()
    trial.root.fails = False
    assert [trial.look(), trial.look()] == [True, False]


def test_what_is_heard_while_it_is_looked_at_is_looked_at_again() -> None:
    """A change that comes while a survey is made is heard by the next, which looks."""
    trial = Trial().settled()
    trial.ears[0].hears += [Heard.CHANGES, Heard.CHANGES]
    assert [trial.look(), trial.look(), trial.look()] == [True, True, False]


def test_reading_is_not_answered_by_a_watch() -> None:
    """What is read is read of the folder itself."""
    trial = Trial().settled()
    trial.write()
    tree = trial.files.read(SkillName("knots")).tree
    assert [content.data.endswith(b"More.\n") for content in tree.files.values()] == [True]
    assert (trial.files.source, trial.files.root) == (SHARED, "f" * 64)


def test_a_forked_process_does_without() -> None:
    """It has no watch that hears, and looks; the one that it came from goes on."""
    trial = Trial().settled()
    trial.write()
    with trial.files._turn:  # as another thread may hold it, at the moment of the fork
        child = os.fork()
        if child == 0:
            seen = trial.files.survey(trial.known)
            os._exit(0 if seen != trial.known else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert not trial.look()


def test_threads_and_loops_look_at_once() -> None:
    """Many threads, each with an event loop of its own, see what was written before, and look once for all."""
    trial = Trial().settled()
    trial.write()
    trial.ears[0].hears.append(Heard.CHANGES)
    known, before = trial.known, trial.root.looks
    barrier = threading.Barrier(8)

    async def agent() -> list[Survey]:
        barrier.wait(timeout=30)
        return list(await asyncio.gather(*(threads(lambda _: trial.files.survey(known)) for _ in range(4))))

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(asyncio.run, agent()) for _ in range(8)]
    seen = [survey for each in asked for survey in each.result()]
    assert len(seen) == 32
    assert all(survey != known for survey in seen)
    assert trial.root.looks == before + 1


def test_agents_of_one_process_share_one_watch() -> None:
    """A shared root that is looked at together is watched once, and who comes later is answered by that watch."""
    trial = Trial()
    shared = Together(trial.files)
    first = SharedFiles(shared)
    known = first.survey()
    known = first.survey(known)
    looks = trial.root.looks
    for agent in (SharedFiles(shared) for _ in range(50)):
        assert agent.survey() is known
    assert (trial.root.looks, len(trial.ears)) == (looks, 1)


def test_what_was_heard_in_an_interrupted_look_is_not_lost() -> None:
    """A watch tells of a change once; where an interrupt comes in between, the next look looks."""
    trial = Trial().settled()

    class Interrupted(Ear):
        def heard(self) -> Heard:
            if self.hears:
                self.hears.clear()
                raise KeyboardInterrupt
            return Heard.NOTHING

    trial.files._watch = Interrupted([Heard.CHANGES])
    with pytest.raises(KeyboardInterrupt):
        trial.look()
    assert trial.look()
