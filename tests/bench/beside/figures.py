"""What came of a run, and what may be said of it: medians, their spread, and ratios. Pure."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from typing import Literal

from attrs import asdict, frozen

__all__ = ["Figures", "Key", "Memory", "Ratio", "Spread", "dumped", "goes_on", "growth", "loaded", "ratio", "spread"]

Clock = Literal["wall", "processor"]


@frozen(order=True)
class Key:
    """Whose seconds, of what work, among how many skills."""

    work: str
    contender: str
    skills: int
    calm: bool = False
    """Whether nobody took long in between, and the same had just been done."""


@frozen
class Memory:
    """Bytes of a process: at most, its first look included, and live ones that this look left behind.

    `own` is how many of the live ones are descriptions and inventories; nothing where that cannot be asked.
    """

    most: int
    live: int
    own: int | None = None


@frozen
class Figures:
    """Everything that was measured in one run; `machine` says on what."""

    machine: str
    walls: Mapping[Key, Sequence[float]]
    processors: Mapping[Key, Sequence[float]]
    memories: Mapping[tuple[str, int], Memory]
    agents: Mapping[str, Sequence[float]]
    """The seconds of one agent after the other, at one shared root."""
    at_once: Mapping[str, float]
    """And those of all of as many that start at once, where that was tried."""
    shared: int
    """How many skills that root has."""

    @property
    def sizes(self) -> Sequence[int]:
        """The numbers of skills, ascending."""
        return sorted({key.skills for key in self.walls})

    def median(
        self, work: str, contender: str, skills: int, clock: Clock = "wall", *, calm: bool = False
    ) -> float | None:
        """Seconds; nothing where it was not measured."""
        taken = (self.walls if clock == "wall" else self.processors).get(Key(work, contender, skills, calm))
        return statistics.median(taken) if taken else None


@frozen
class Spread:
    """A median, the quartiles around it, and of how many."""

    median: float
    low: float
    high: float
    count: int


def spread(taken: Sequence[float]) -> Spread:
    """The quartiles include the ends, so that of one value all are that value."""
    ordered = sorted(taken)
    if len(ordered) == 1:
        return Spread(ordered[0], ordered[0], ordered[0], 1)
    low, middle, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return Spread(middle, low, high, len(ordered))


Ratio = float | None


def ratio(one: Ratio, other: Ratio) -> Ratio:
    """How many times the other the one is; nothing where either is not known, or the other is nothing."""
    return one / other if one is not None and other else None


def growth(figures: Figures, work: str, contender: str, clock: Clock = "wall") -> Ratio:
    """How many times what it costs among the fewest skills something costs among the most, in calm."""
    few, many = (figures.median(work, contender, figures.sizes[end], clock, calm=True) for end in (0, -1))
    return ratio(many, few)


def goes_on(taken: Sequence[float], *, rounds: int, least: int, seconds: float) -> bool:
    """Whether there is another round, after some that took so long: as many as wanted, as long as there is time.

    However long they take, there are `least` of them.
    """
    return len(taken) < least or (len(taken) < rounds and sum(taken) < seconds)


def dumped(figures: Figures) -> str:
    """As JSON, to be drawn again."""
    return json.dumps(
        {
            "machine": figures.machine,
            "times": [[*asdict(key).values(), figures.walls[key], figures.processors[key]] for key in figures.walls],
            "memories": [[*key, asdict(memory)] for key, memory in figures.memories.items()],
            "agents": dict(figures.agents),
            "at_once": dict(figures.at_once),
            "shared": figures.shared,
        },
    )


def loaded(text: str) -> Figures:
    """What was dumped."""
    said = json.loads(text)
    return Figures(
        machine=said["machine"],
        walls={Key(*key): walls for *key, walls, _ in said["times"]},
        processors={Key(*key): processors for *key, _, processors in said["times"]},
        memories={(contender, skills): Memory(**memory) for contender, skills, memory in said["memories"]},
        agents=said["agents"],
        at_once=said["at_once"],
        shared=said["shared"],
    )
