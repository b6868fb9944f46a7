"""What was promised of the speed, as ratios of what one run measured on one machine. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping

from attrs import frozen

from .figures import Figures, Ratio, growth, ratio

__all__ = ["BARS", "Bar", "bytes_a_skill"]

SAME = ("read", "enable", "create", "edit", "delete")
"""What is to cost the same however many skills there are."""


@frozen
class Bar:
    """A promise: how much something may be at most, or must be at least; and how much it is.

    Without an aim it is no promise, and told all the same.
    """

    aim: float | None
    measure: Callable[[Figures], Ratio]
    at_least: bool = False

    def is_met(self, figures: Figures) -> bool:
        """Whether it is; what was not measured is no promise kept."""
        measured = self.measure(figures)
        if measured is None or self.aim is None:
            return self.aim is None
        return measured >= self.aim if self.at_least else measured <= self.aim


def bytes_a_skill(figures: Figures, contender: str, *, beyond_own: bool = False) -> Ratio:
    """Live bytes that each more skill takes, from the least to the most of them: what there is anyway cancels out."""
    few, many = figures.sizes[0], figures.sizes[-1]
    less, more = (figures.memories.get((contender, skills)) for skills in (few, many))
    if less is None or more is None or few == many:
        return None
    live, own = more.live - less.live, 0
    if beyond_own:
        if less.own is None or more.own is None:
            return None
        own = more.own - less.own
    return (live - own) / (many - few)


def _against(work: str, one: str, other: str, *, calm: bool = False) -> Callable[[Figures], Ratio]:
    """One contender's time against another's, among the most skills."""

    def measure(figures: Figures) -> Ratio:
        most = figures.sizes[-1]
        return ratio(figures.median(work, one, most, calm=calm), figures.median(work, other, most, calm=calm))

    return measure


def _first(floor: str) -> Callable[[Figures], Ratio]:
    """A first load against one of its floors, among the most skills."""

    def measure(figures: Figures) -> Ratio:
        most = figures.sizes[-1]
        return ratio(figures.median("load", "library", most), figures.median(floor, "floor", most))

    return measure


def _growth(work: str) -> Callable[[Figures], Ratio]:
    """How much more it costs among the most skills than among the fewest, beyond what bare calls cost more there."""
    return lambda figures: ratio(growth(figures, work, "library"), growth(figures, work, "floor"))


def _second(contender: str) -> Callable[[Figures], Ratio]:
    def measure(figures: Figures) -> Ratio:
        first, *others = figures.agents.get(contender, (0.0,))
        return ratio(statistics.median(others) if others else None, first)

    return measure


def _each(
    says: str, works: Iterable[str], aim: float, measure: Callable[[str], Callable[[Figures], Ratio]], **more: bool
) -> dict[str, Bar]:
    return {says.format(work): Bar(aim, measure(work), **more) for work in works}


BARS: Mapping[str, Bar] = {
    "first load, against a short program that reads and hashes the same files": Bar(1.5, _first("plain")),
    "first load, against bare calls that do": Bar(None, _first("load")),
    "look again, against the status of the same files": Bar(1.5, _against("refresh", "library", "floor")),
    **_each(
        "{}, among the most skills against among the fewest, by the same of bare calls",
        SAME,
        1.2,
        _growth,
    ),
    **_each("{}, against bare calls", SAME, 5, lambda work: _against(work, "library", "floor", calm=True)),
    **_each("{}, 0.1.0 against this", SAME, 500, lambda work: _against(work, "peer", "feature"), at_least=True),
    "clause, against escaping and joining the same lines": Bar(2, _against("clause", "library", "floor", calm=True)),
    "another agent's first load, against the first agent's": Bar(0.05, _second("library")),
    "the same, where the root is watched": Bar(0.05, _second("library, watched")),
    "live bytes a skill, beyond its description and inventory": Bar(
        2048, lambda figures: bytes_a_skill(figures, "library", beyond_own=True)
    ),
}
