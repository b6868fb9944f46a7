"""What is wrong now: said in one place, from which the log, every list and the Console have it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from enum import Enum, auto

from attrs import define, field

from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.service.observed import Observed

__all__ = ["About", "Notes"]

_log = logging.getLogger(__name__)


class About(Enum):
    """What a note is about, the weighty first."""

    WAY = auto()
    """There is no way to the skills."""
    SETTINGS = auto()
    CATALOG = auto()
    """A root, or the table of what is on, cannot be read."""
    START = auto()
    """What a start ends or takes over could not be."""
    ROOM = auto()
    """The prompt has no room for the clause."""
    GRAPH = auto()
    HTTP = auto()
    HOST = auto()
    """What can be told at any time, without being told."""


@define(eq=False)
class Notes:
    """What whoever runs an agent should know of its skills, in lines. Each is in the log once, as it begins.

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
            self.tell(About.CATALOG, *observed.problems)

    def beside(self, observed: Observed) -> list[str]:
        """What else is wrong than what was observed, which is thereby told."""
        self.observe(observed)
        return [line for line in self.lines() if line not in self._told[About.CATALOG]]


def _line(told: str | SkillError) -> str:
    return told if isinstance(told, str) else f"{told}; {told.fix}" if told.fix else str(told)
