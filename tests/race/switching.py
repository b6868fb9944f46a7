"""A process that switches one skill on and off, and another that refreshes and reads meanwhile."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from attrs import define, field

from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.world import SystemChance, finish
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import Address
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.ports.world import Watcher
from tests.hostile.disk import Meddling

from .siblings import Over
from .sight import KNOTS, library_at, through

__all__ = ["Noticed", "refreshing", "switching"]


def switching(above: Path, times: int) -> int:
    """Switch the skill off and on by turns, twenty times a second; gives how often it could be done."""
    library = library_at(above)
    for turn in range(times):
        finish(library.set_state(SetState(address=Address(KNOTS), enabled=turn % 2 == 1)))
        time.sleep(0.05)
    return times


@define
class Noticed:
    """What one reader noticed; each counter says how many times there were so many, or was so."""

    refreshed: Counter[str] = field(factory=Counter)
    read: Counter[str] = field(factory=Counter)
    surveys: Counter[int] = field(factory=Counter)
    """Surveys that one refresh took."""
    opened: Counter[int] = field(factory=Counter)
    """Folders that one survey opened, after the first."""
    calls: Counter[int] = field(factory=Counter)
    """Calls of the disk that one read took."""
    last: str = ""


class _Surveys(Watcher):
    def __init__(self) -> None:
        self.opened: list[int] = []

    def surveyed(self, source: str, skills: int, opened: int) -> None:
        self.opened.append(opened)


def refreshing(above: Path, over: Over) -> Noticed:
    """Refresh and read, again and again, and once more when nobody switches any longer."""
    calls: list[str] = []
    surveys = _Surveys()
    disk = Meddling(lambda call, *_: calls.append(call))
    store = PosixSkillStore(above / "skills", chance=SystemChance(), watcher=surveys, calls=disk)
    library, noticed = through(library_at(above), store), Noticed()
    finish(library.catalog())
    ended = False
    while not ended:
        ended = over()
        surveys.opened.clear()
        observed = finish(library.catalog())
        noticed.last = _state(observed.catalog.find(Address(KNOTS)), *observed.problems)
        noticed.refreshed[noticed.last] += 1
        noticed.surveys[len(surveys.opened)] += 1
        noticed.opened.update(surveys.opened)
        calls.clear()
        noticed.read[_state(finish(library.read(Address(KNOTS))).found)] += 1
        noticed.calls[len(calls)] += 1
    return noticed


def _state(found: SkillRecord | Rejection, *problems: Exception) -> str:
    if problems or isinstance(found, Rejection):
        return str(problems or found.faults)
    return "on" if found.enabled else "off"
