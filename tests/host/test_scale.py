"""4,000 skills in a real agent: what its start costs, what a page of a list, and what reading or enabling one does."""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import pytest

from kestrel_skills_adapters.sql.statements import CREATE, UPSERT, owner_of, upsert_values
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import Generation, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from tests.hostile.disk import skill

from .conftest import HomeOf
from .inside import Inside, booted
from .lab import Home

pytestmark = [pytest.mark.host, pytest.mark.timeout(600)]

NONE, FEW, MANY = 0, 10, 4_000
ROUNDS: Final = 21
STARTS: Final = 5
MOST: Final = 1.5
"""So many times what it costs among few may it cost among many, by the processor's clock; a host adds noise."""
ADDED: Final = 1.5
"""So many cold looks may all that a start has to do with the skills cost on the processor; a host adds noise."""
HELD: Final = 0.1
"""So much of a cold look may a page of a list hold the event loop."""
LIBRARY: Final = Path(__file__).parents[2]
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


Homes = Mapping[int, Home]


@pytest.fixture(scope="module")
def homes(home_of: HomeOf) -> Homes:
    """Homes by how many skills they have, each with an agent that ran before: its graph has them all."""
    made = {skills: home_of() for skills in (NONE, FEW, MANY)}
    for skills, home in made.items():
        stock(home, skills)
        with booted(home) as inside:
            inside.until(lambda: len(inside.nodes()) == skills, within=300)  # noqa: B023 - it is called at once
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


LOOK: Final = """
import gc, sys, time
from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import finish
home, root, state, agent = sys.argv[1:]
library = library_of(settings_of({"HOME": home}, root=root, state=state, agent=agent))
gc.disable()
began = time.process_time()
catalog = finish(library.catalog()).catalog
print(time.process_time() - began, len(catalog.enabled))
"""


def cold_look(home: Home, skills: int) -> float:
    """The seconds of processor that a first look takes at an agent's skills, all on, in a process of its own."""
    program = [sys.executable, "-c", LOOK, home.folder, home.skills, home.data / "kestrel_prime.db", home.did]
    told = subprocess.run(
        program, env={**os.environ, "PYTHONPATH": str(LIBRARY / "src")}, check=True, capture_output=True, text=True
    )
    took, count = told.stdout.split()
    assert int(count) == skills
    return float(took)


@contextmanager
def no_collector() -> Iterator[None]:
    """Without the garbage collector, as `timeit` measures: a pass over all of a host is worth a cold look."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def started(home: Home) -> float:
    """The seconds of processor that a start of the agent takes, of all threads."""
    with no_collector(), booted(home) as inside:
        inside.run(inside.feature._life.index.settled())  # a host minds being shut down in the midst of its work
        return inside.took


def page(inside: Inside, tool: str, **args: object) -> float:
    """The seconds of processor that a page of a list takes in the thread of the event loop, the mirrors' included."""

    async def turned_over() -> float:
        tools = {each.name: each for each in inside.feature.get_tools()}
        began = time.thread_time()
        await tools[tool].execute(**args)
        await inside.feature._life.index.settled()
        return time.thread_time() - began

    inside.run(turned_over())
    return median(inside.run(turned_over()) for _ in range(ROUNDS))


PAGES: Final = {"the first page": ("skill_list", {}), "a search": ("skill_search", {"query": "testing 7"})}


def test_a_start_and_a_page(homes: Homes, capsys: pytest.CaptureFixture[str]) -> None:
    """A start with 4,000 costs what one without any does and a cold look, but for a margin; a page holds up nobody.

    Starts and looks take turns, and all is time on the processor, of all threads.
    """
    starts: dict[int, list[float]] = {NONE: [], MANY: []}
    looks = []
    for _ in range(STARTS):
        for skills, each in starts.items():
            each.append(started(homes[skills]))
        looks.append(cold_look(homes[MANY], MANY))
    looked = median(looks)
    added = median(many - none for none, many in zip(*starts.values(), strict=True))
    pages: dict[int, dict[str, float]] = {}
    for skills in (FEW, MANY):
        with booted(homes[skills]) as inside:
            pages[skills] = {what: page(inside, tool, **args) for what, (tool, args) in PAGES.items()}
    with capsys.disabled():
        print(f"\na cold look at {MANY:,}: {looked:.3f} s; a start with them adds {added / looked:.2f} of it")
        for what, few in pages[FEW].items():
            print(
                f"{what} holds the loop {few * 1000:.1f} ms among {FEW}, {pages[MANY][what] * 1000:.1f} among {MANY:,}"
            )
    assert added <= ADDED * looked
    assert {what: took for what, took in pages[MANY].items() if took > HELD * looked} == {}


def test_one_of_4_000(homes: Homes, tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    """One of them costs what one of ten does, call by call; and on the processor at most half as much again."""
    done: dict[int, dict[str, dict[str, int]]] = {}
    times: dict[int, dict[str, float]] = {}
    for skills in (FEW, MANY):
        with booted(homes[skills]) as inside:
            assert inside.use("skill_list", limit=1)["data"]["total"] == skills
            done[skills], times[skills] = costs(inside, tally)
    with capsys.disabled():
        print()
        for verb, few in times[FEW].items():
            print(f"{verb}: {few:.1f} ms among {FEW}, {times[MANY][verb]:.1f} among {MANY:,}")
    assert done[FEW] == done[MANY]
    ratios = {verb: times[MANY][verb] / few for verb, few in times[FEW].items()}
    assert {verb: ratio for verb, ratio in ratios.items() if ratio > MOST} == {}
