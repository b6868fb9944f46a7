"""Lets all who are compared do the same work by turns, each in a process of its own, and collects what they say."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final

from attrs import evolve, field, frozen

from kestrel_skills_adapters.sql.statements import CREATE, UPSERT, owner_of, upsert_values
from kestrel_skills_core.domain.names import Generation, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from tests.bench.pages import machine

from .figures import Figures, Key, Memory, goes_on
from .trees import generation, grow

__all__ = [
    "AGENT",
    "CHANGES",
    "CONTENDERS",
    "SAME",
    "WORKS",
    "Child",
    "Contender",
    "Plan",
    "child",
    "measured",
    "switch_on",
]

HERE: Final = Path(__file__).parents[3]
AGENT: Final = "did:test:abc"
_AGED: Final = 2.1
"""Seconds after which nothing on the disk is so young that it has to be looked at twice."""

LOOKS: Final = ("refresh", "list", "search")
READS: Final = ("read", "resource", "clause")
CHANGES: Final = ("create", "edit", "enable", "disable", "delete")
SAME: Final = ("read", "clause", *CHANGES)
"""What is to cost the same however many skills there are."""
WORKS: Final = ("load", "refresh", "change", "read", "resource", "list", "search", "clause", *CHANGES)
"""In the order in which they are told."""


@frozen
class Contender:
    """Who is compared: a program, the file beside the root in which it keeps what is on, and the agents it is given.

    `touches_all` is whether it looks at all skills whenever it changes one.
    """

    program: str
    table: str
    agents: int = 50
    touches_all: bool = False


CONTENDERS: Final[Mapping[str, Contender]] = {
    "floor": Contender("floor", "unused.db", agents=1),
    "library": Contender("library", "skills.state.sqlite3"),
    "feature": Contender("feature", "agent.db"),
    "peer": Contender("feature", "agent.db", agents=5, touches_all=True),
}


@frozen
class Plan:
    """How much is measured. A contender that takes long for its share of a turn gets fewer of them."""

    peer: Path
    """The Python that has the published release and its host."""
    sizes: Sequence[int] = (10, 100, 1_000, 4_000)
    shared: int = 2_000
    first_looks: int = 5
    rounds: int = 21
    calm_rounds: int = 51
    least: int = 3
    seconds: float = 20.0

    def python(self, name: str) -> str:
        """The interpreter of a contender."""
        return str(self.peer) if name == "peer" else sys.executable


@frozen
class Child:
    """A contender's process."""

    name: str
    process: subprocess.Popen[str]
    errors: Path

    def ask(self, do: str, **args: object) -> Any:
        """What it answers.

        Raises:
            RuntimeError: It ended instead; with what it said.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": do, **args}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name} could not {do}: {self.errors.read_text()[-3000:]}")
        return json.loads(answer)


@contextmanager
def child(plan: Plan, name: str, above: Path) -> Iterator[Child]:
    """A process of a contender, which ends with this."""
    errors = above / f"{name}.log"
    path = [str(HERE)] if name == "peer" else [str(HERE), str(HERE / "src")]
    environ = {"PATH": os.environ["PATH"], "HOME": str(above), "PYTHONPATH": os.pathsep.join(path)}
    program = [plan.python(name), "-m", f"tests.bench.beside.{CONTENDERS[name].program}"]
    with (
        errors.open("w") as said,
        subprocess.Popen(
            program, cwd=HERE, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True
        ) as process,
    ):
        try:
            yield Child(name, process, errors)
        finally:
            process.stdin.close()  # type: ignore[union-attr] # it is a pipe
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@frozen
class Book:
    """Where everything that is said is written down."""

    walls: dict[Key, list[float]] = field(factory=dict)
    processors: dict[Key, list[float]] = field(factory=dict)
    memories: dict[tuple[str, int], Memory] = field(factory=dict)
    agents: dict[str, Sequence[float]] = field(factory=dict)
    at_once: dict[str, float] = field(factory=dict)

    def take(self, key: Key, answer: Mapping[str, float]) -> None:
        """One more round of some work."""
        self.walls.setdefault(key, []).append(answer["wall"])
        self.processors.setdefault(key, []).append(answer["processor"])

    def compete(self, plan: Plan, children: Sequence[Child], works: Sequence[str], skills: int) -> None:
        """Let all do some works by turns, all of them in each turn; who was first is last in the next."""
        spent: dict[str, list[float]] = {each.name: [] for each in children}
        for turn in range(plan.rounds):
            for each in children[:: 1 if turn % 2 else -1]:
                if goes_on(spent[each.name], rounds=plan.rounds, least=plan.least, seconds=plan.seconds):
                    begun = time.perf_counter()
                    each.ask("tidy")
                    for work in works:
                        self.take(Key(work, each.name, skills), each.ask(work))
                    spent[each.name].append(time.perf_counter() - begun)


def measured(plan: Plan, above: Path) -> Figures:
    """Run it all, in folders below the one that is given."""
    book, load = Book(), os.getloadavg()[0]
    for skills in plan.sizes:
        with _homes(above / str(skills), skills) as homes:
            _compare(book, plan, homes, skills)
    _calm(book, plan, above / "calm")
    _share(book, plan, above / "shared")
    return Figures(machine(load), book.walls, book.processors, book.memories, book.agents, book.at_once, plan.shared)


def _compare(book: Book, plan: Plan, homes: Mapping[str, Path], skills: int) -> None:
    with ExitStack() as at_work:
        children = [at_work.enter_context(child(plan, name, home)) for name, home in homes.items()]
        for each in children:  # the graphs of both features are in line then
            each.ask("load", home=str(homes[each.name]), skills=skills)
        time.sleep(_AGED)
        _look_first(book, plan, homes, skills)
        for each in children:
            each.ask("settle")
        for works in (LOOKS, READS, ("change",), CHANGES):
            book.compete(plan, children, works, skills)


def _look_first(book: Book, plan: Plan, homes: Mapping[str, Path], skills: int) -> None:
    """First looks, each by a new process; then one more, that takes its time to trace memory."""
    for turn in range(plan.first_looks):
        for name, home in list(homes.items())[:: 1 if turn % 2 else -1]:
            with child(plan, name, home) as fresh:
                answer = fresh.ask("load", home=str(home), skills=skills)
            book.take(Key("load", name, skills), answer)
            book.memories[name, skills] = Memory(answer["most"], 0)
        with child(plan, "floor", homes["floor"]) as fresh:
            book.take(Key("plain", "floor", skills), fresh.ask("plain", home=str(homes["floor"])))
    for name, home in homes.items():
        with child(plan, name, home) as traced:
            said = traced.ask("load", home=str(home), skills=skills, trace=True)
        book.memories[name, skills] = evolve(book.memories[name, skills], live=said["live"], own=said["own"])


def _calm(book: Book, plan: Plan, above: Path) -> None:
    """What is to cost the same, among the fewest skills and the most by turns, with nobody who takes long in between.

    In each turn all is done twice, and the second time counts: whoever does it has what it takes in the processor's
    caches then, be it among few or many. After a look at thousands of skills, or a turn of somebody who needs a second,
    bare calls of the same number take twice as long, too.
    """
    names = [name for name, contender in CONTENDERS.items() if not contender.touches_all]
    with ExitStack() as at_work:
        children: list[tuple[int, Child]] = []
        for skills in dict.fromkeys((plan.sizes[0], plan.sizes[-1])):
            for name, home in at_work.enter_context(_homes(above / str(skills), skills, names)).items():
                each = at_work.enter_context(child(plan, name, home))
                each.ask("load", home=str(home), skills=skills)
                each.ask("settle")
                children.append((skills, each))
        for turn in range(plan.calm_rounds):
            for skills, each in children[:: 1 if turn % 2 else -1]:
                each.ask("tidy")
                for work in SAME:
                    each.ask(work)
                for work in SAME:
                    book.take(Key(work, each.name, skills, calm=True), each.ask(work))
    shutil.rmtree(above)


def _share(book: Book, plan: Plan, above: Path) -> None:
    shared = above / "skills"
    grow(shared, plan.shared)
    time.sleep(_AGED)
    for name, contender in CONTENDERS.items():
        home = above / name
        home.mkdir()
        with child(plan, name, home) as each:
            answer = each.ask("agents", shared=str(shared), home=str(home), count=contender.agents)
        book.agents[name] = answer["walls"]
        if "watched" in answer:
            book.agents[f"{name}, watched"] = answer["watched"]
        if "at_once" in answer:
            book.at_once[name] = answer["at_once"]
        book.memories[f"{name}, agents", plan.shared] = Memory(answer["most"], 0)
    shutil.rmtree(above)


@contextmanager
def _homes(above: Path, skills: int, names: Iterable[str] = CONTENDERS) -> Iterator[Mapping[str, Path]]:
    """One for each contender, with the same skills, all on; gone afterwards."""
    original = above / "original"
    grow(original, skills, marked=True)
    homes = {name: above / name for name in names}
    for name, home in homes.items():
        shutil.copytree(original, home / "skills")
        switch_on(home / CONTENDERS[name].table, skills)
    os.sync()
    yield homes
    shutil.rmtree(above)


def switch_on(table: Path, skills: int) -> None:
    """Write that so many of the skills are on, as a release with a table of the host's does."""
    with closing(sqlite3.connect(table)) as database, database:
        for statement in CREATE:
            database.execute(statement)
        for number in range(skills):
            name = SkillName(f"skill-{number:04}")
            state = SkillState(enabled=True, subject=Subject(generation=Generation(generation(name))))
            database.execute(UPSERT, upsert_values(owner_of(AGENT), StateKey(name), state))
