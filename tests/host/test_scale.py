"""4,000 skills in a real agent: what its start costs, and what reading or enabling one of them does."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from statistics import median
from typing import Any, Final

import pytest

from kestrel_skills_adapters.sql.statements import CREATE, UPSERT, owner_of, upsert_values
from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import Generation, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from tests.hostile.disk import skill

from .conftest import HomeOf
from .inside import Inside, booted
from .lab import Home

pytestmark = [pytest.mark.host, pytest.mark.timeout(600)]

FEW, MANY = 10, 4_000
ROUNDS: Final = 21
STARTS: Final = 3
MOST: Final = 1.5
"""So many times what it costs among few may it cost among many, by the processor's clock; a host adds noise."""
BORN: Final = Generation("a1" * 32)
ONE: Final = SkillName("skill-0003")
TOUCHES: Final = ("open", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link")
"""What Python tells an audit hook of the disk."""


class Tally:
    """Counts what this process does to the disk, while it is asked to. An audit hook cannot be taken out again."""

    def __init__(self) -> None:
        self.counted: Counter[str] = Counter()
        self.is_counting = False
        sys.addaudithook(self._hook)

    def _hook(self, event: str, _: tuple[Any, ...]) -> None:
        if self.is_counting and event in TOUCHES:
            self.counted[event] += 1

    def of(self, work: Callable[[], object]) -> dict[str, int]:
        """What a piece of work does."""
        self.counted.clear()
        self.is_counting = True
        try:
            work()
        finally:
            self.is_counting = False
        return dict(self.counted)


@pytest.fixture(scope="module")
def tally() -> Tally:
    """The one of this module."""
    return Tally()


def stock(home: Home, skills: int) -> None:
    """So many skills, each marked and on, as an agent has them that ran before."""
    with closing(sqlite3.connect(home.data / "kestrel_prime.db", timeout=30)) as database, database:
        for statement in CREATE:
            database.execute(statement)
        state = SkillState(enabled=True, subject=Subject(generation=BORN))
        for number in range(skills):
            name = SkillName(f"skill-{number:04}")
            (skill(home.skills, name) / ".kestrel-generation").write_bytes(render_marker(BORN))
            database.execute(UPSERT, upsert_values(owner_of(home.did), StateKey(name), state))


@pytest.fixture
def stocked(home_of: HomeOf) -> Iterator[Callable[[int], Home]]:
    """Makes homes with so many skills."""

    def made(skills: int) -> Home:
        home = home_of()
        stock(home, skills)
        return home

    return made


def turned(inside: Inside, *, on: bool) -> Callable[[], object]:
    """Switch one skill."""
    return lambda: inside.use("skill_enable" if on else "skill_disable", name=ONE)


def costs(inside: Inside, tally: Tally) -> tuple[dict[str, dict[str, int]], dict[str, float]]:
    """What reading, disabling and enabling one skill does to the disk, and the milliseconds of processor that it takes.

    Of many rounds: the least that was done, since a host also does things of its own, and the median of the times.
    """
    works = {
        "read": lambda: inside.use("skill_read", name=ONE),
        "disable": turned(inside, on=False),
        "enable": turned(inside, on=True),
    }
    for work in works.values():
        work()
    done: dict[str, list[dict[str, int]]] = {verb: [] for verb in works}
    took: dict[str, list[float]] = {verb: [] for verb in works}
    for _ in range(ROUNDS):
        for verb, work in works.items():
            began = time.process_time()
            done[verb].append(tally.of(work))
            took[verb].append((time.process_time() - began) * 1000)
    least = {verb: min(each, key=lambda counted: sum(counted.values())) for verb, each in done.items()}
    return least, {verb: median(each) for verb, each in took.items()}


def cold_survey(home: Home, skills: int) -> float:
    """The seconds that a first look takes at the agent's own skills, by a library that never saw them."""
    where = settings_of({"HOME": str(home.folder)}, root=home.skills, state=home.folder / "other.db", agent="other")
    began = time.perf_counter()
    assert len(finish(library_of(where).catalog()).catalog.records) == skills
    return time.perf_counter() - began


def started(home: Home) -> float:
    """The seconds that a start of the agent takes."""
    began = time.perf_counter()
    with booted(home):
        return time.perf_counter() - began


def initialised(inside: Inside) -> float:
    """The seconds that a feature which never saw the skills takes of a start: the rest is the host's own."""
    fresh = type(inside.feature)(inside.agent)
    began = time.perf_counter()
    inside.run(fresh.initialize())
    took = time.perf_counter() - began
    inside.run(fresh.shutdown())
    return took


def test_4_000_skills(stocked: Callable[[int], Home], tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    """One of them costs what one of ten does, call by call; and on the processor at most half as much again.

    What the start of an agent takes, and the feature's part of it, are printed beside a cold survey of the same folder:
    the least of some.
    """
    homes = {skills: stocked(skills) for skills in (FEW, MANY)}
    for skills, home in homes.items():
        with booted(home) as inside:  # the first one also imports the host, and fills the graph
            inside.until(lambda: len(inside.nodes()) == skills)  # noqa: B023 - it is called at once
    starts: dict[int, list[float]] = {skills: [] for skills in homes}
    for _ in range(STARTS):
        for skills, home in homes.items():
            starts[skills].append(started(home))
    least = {skills: min(each) for skills, each in starts.items()}
    done: dict[int, dict[str, dict[str, int]]] = {}
    times: dict[int, dict[str, float]] = {}
    own: dict[int, float] = {}
    for skills, home in homes.items():
        with booted(home) as inside:
            assert inside.use("skill_list", limit=1)["data"]["total"] == skills
            done[skills], times[skills] = costs(inside, tally)
            own[skills] = min(initialised(inside) for _ in range(STARTS))
    surveyed = cold_survey(homes[MANY], MANY)
    with capsys.disabled():
        added = least[MANY] - least[FEW]
        print(f"\nthe feature's part of a start: {own[FEW]:.2f} s among {FEW}, {own[MANY]:.2f} among {MANY:,}")
        print(f"a start among {FEW}: {least[FEW]:.2f} s; {MANY:,} add {added:.2f} s; a cold survey {surveyed:.2f} s")
        for verb, few in times[FEW].items():
            print(f"{verb}: {few:.1f} ms among {FEW}, {times[MANY][verb]:.1f} among {MANY:,}")
    assert done[FEW] == done[MANY]
    ratios = {verb: times[MANY][verb] / few for verb, few in times[FEW].items()}
    assert {verb: ratio for verb, ratio in ratios.items() if ratio > MOST} == {}
