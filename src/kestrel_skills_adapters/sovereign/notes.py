"""What is wrong now: said in one place, from which the log, every list and the Console have it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from enum import Enum, auto

from attrs import define, field

from kestrel_skills_core.domain.errors import SkillError, StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.service.observed import Observed

__all__ = ["About", "Notes"]

_log = logging.getLogger(__name__)


class About(Enum):
    """What a note is about, the weighty first."""

    WAY = auto()
    """There is no way to the skills."""
    SETTINGS = auto()
    CATALOG = auto()
    """A root cannot be read."""
    STATES = auto()
    """The table of what is on, or the marks, cannot."""
    START = auto()
    """What a start ends or takes over could not be."""
    ROOM = auto()
    """The prompt has no room for the clause."""
    GRAPH = auto()
    GRAPH_WAITS = auto()
    HTTP = auto()
    HOST = auto()
    """What can be told at any time, without being told."""


@define(eq=False)
class Notes:
    """What whoever runs an agent should know of its skills, in lines. Each is in the log once, as it begins.

    As a `Mirror` they hear of what keeps the skills off, whoever looks, and of its end.

    Who finds something out tells it, and tells again when it is otherwise: nothing is wrong where nothing is told.
    `asked` is what can be told at any time.
    """

    asked: Callable[[], Iterable[str]]
    _told: dict[About, tuple[str, ...]] = field(factory=lambda: dict.fromkeys(About, ()), init=False)

    def tell(self, about: About, *told: str | SkillError) -> None:
        """Say all that is wrong with something, which may be nothing."""
        lines = tuple(map(_line, told))
        for line in lines:
            if not any(line in others for others in self._told.values()):
                _log.warning("procedural skills: %s", line)
        self._told[about] = lines

    def lines(self) -> list[str]:
        """All that is wrong now, each once."""
        self.tell(About.HOST, *self.asked())
        return list(dict.fromkeys(line for lines in self._told.values() for line in lines))

    def observe(self, observed: Observed) -> None:
        """Say what is wrong with a catalog; while all is hidden, nobody knows otherwise than before."""
        if observed.hidden is None:
            roots = [each for each in observed.problems if each is not observed.unavailable]
            self.tell(About.CATALOG, *roots)
            self.tell(About.STATES, *(each for each in observed.problems if each not in roots))

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Say what is wrong with it; see `Mirror`. What is on is known."""
        if not hidden:
            self.tell(About.CATALOG, *dict(catalog.problems).values())
            self.tell(About.STATES)

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Nothing is wrong with that."""

    async def lost(self, name: SkillName) -> None:
        """Who looked is told; with the rest nothing is wrong."""

    async def lost_all(self, why: StateUnavailable) -> None:
        """Say why nothing is on; see `Mirror`."""
        self.tell(About.STATES, why)

    def beside(self, observed: Observed) -> list[str]:
        """What else is wrong than what was observed, which is thereby told."""
        self.observe(observed)
        return [line for line in self.lines() if line not in self._told[About.CATALOG] + self._told[About.STATES]]


def _line(told: str | SkillError) -> str:
    return told if isinstance(told, str) else f"{told}; {told.fix}" if told.fix else str(told)
