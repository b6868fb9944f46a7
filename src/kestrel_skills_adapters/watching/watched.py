"""One root that is watched: while nothing is heard of it, it is as the last survey saw it.

What is heard is a reason to look, and never what is told: a survey is the last one again, or one made by looking.

Rule 1: only silence is believed, and only of a watch that was there before the last survey began.
Rule 2: a watch is made anew once it cannot hear all any more: something in it came, went, or was put in its place.
Rule 3: whatever a watch says, everything is looked at again after a minute; a watch that missed something is given up.
Rule 4: what another look may see otherwise is looked at each time: a marker that is missing, a file that could not be
        read, and what is too young to have stamps.

Nothing is watched before somebody looks again: who looks once does not pay for it. Safe in any thread and with any
number of event loops; one looks at a time. A process that was forked from the one that watches does without.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, Protocol

from attrs import define, evolve, field

from kestrel_skills_core.domain.folder import lacks_marker
from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.ports.files import Published, SkillFiles

__all__ = ["AGAIN", "Heard", "Watch", "WatchedFiles"]

AGAIN: Final = 60.0
"""Seconds after which everything is looked at again, and after which a watch that was not to be had is tried again."""


class Heard(Enum):
    """What a watch heard since it was asked last, or was made."""

    NOTHING = auto()
    CHANGES = auto()
    """Something changed, and it goes on hearing all."""
    LOST = auto()
    """Something may have changed, and it does not hear all any more."""


class Watch(Protocol):
    """Hears of what changes in one root, from when it is made."""

    def heard(self) -> Heard:
        """What it heard: everything counts that was done before this is asked, by whatever process."""
        ...

    def close(self) -> None:
        """Stop; what it holds of the system is given back."""
        ...


@define(eq=False)
class WatchedFiles:
    """A `SkillFiles` that looks where something was heard, and else knows.

    `_place` makes a watch, or gives nothing where none can be had. `_now` gives seconds, from any beginning.
    """

    files: SkillFiles
    _place: Callable[[], Watch | None]
    _now: Callable[[], float] = time.monotonic
    _turn: threading.Lock = field(factory=threading.Lock, init=False)
    _process: int | None = field(default=None, init=False)
    _watch: Watch | None = field(default=None, init=False)
    _last: Survey | None = field(default=None, init=False)
    """What the last look came to, where the watch answers for it."""
    _look_at: float = field(default=0.0, init=False)
    """When to look again, whatever is heard."""
    _place_at: float = field(default=math.inf, init=False)
    """When to make a watch, where there is none."""

    @property
    def source(self) -> SourceId:
        """Which source this is; see the port."""
        return self.files.source

    @property
    def root(self) -> str | None:
        """What a state row names the root by; see the port."""
        return self.files.root

    def survey(self, known: Survey | None = None) -> Survey:
        """Look at every folder once, or know that it would be in vain; see the port."""
        if self._process is None:
            self._process = os.getpid()
        if self._process != os.getpid():
            return self.files.survey(known)
        with self._turn:
            last, self._last = self._last, None  # first: what was heard, and not told for an interrupt, is heard once
            heard = self._heard()
            is_believed = heard is Heard.NOTHING and self._now() < self._look_at
            if last is None or known is None or not is_believed:
                return self._looked(known, last if heard is Heard.NOTHING else None)
            self._last = last
            return last

    def read(self, name: SkillName) -> Published:
        """One whole folder; see the port."""
        return self.files.read(name)

    def read_resource(self, name: SkillName, path: ResourcePath) -> bytes:
        """The bytes of one file of a folder; see the port."""
        return self.files.read_resource(name, path)

    def _heard(self) -> Heard:
        if self._watch is None:
            return Heard.LOST
        heard = self._watch.heard()
        if heard is Heard.LOST:
            self._end(math.inf)
        return heard

    def _looked(self, known: Survey | None, expected: Survey | None) -> Survey:
        """Look, once there is a watch, if one can be had; `expected` is what it is, if the watch missed nothing."""
        began = self._now()
        if self._watch is None:
            self._listen(began)
        survey = self.files.survey(known)
        self._look_at = began + AGAIN
        if expected is not None and not _is_same(expected, survey):
            self._end(began + AGAIN)
        if self._watch is not None and _is_settled(survey):
            self._last = survey
        return survey

    def _listen(self, now: float) -> None:
        if now >= self._place_at:
            self._place_at = now + AGAIN
            self._watch = self._place()
        elif self._place_at == math.inf:
            self._place_at = now

    def _end(self, place_at: float) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch, self._place_at = None, place_at


def _is_settled(survey: Survey) -> bool:
    """Whether it stays what it is as long as nothing changes in the root: rule 4."""
    is_own = survey.source is SourceId.AGENT_LOCAL
    return survey.problem is None and not any(
        sighting.unread is not None or _is_young(sighting) or (is_own and lacks_marker(sighting))
        for sighting in survey.sightings.values()
    )


def _is_young(sighting: Sighting) -> bool:
    """Whether it was opened, and has no stamps by which a change of it could be told."""
    return sighting.stamps is None and sighting.unlisted is not None


def _is_same(expected: Survey, found: Survey) -> bool:
    """Whether two surveys say the same, whatever the adapter keeps of the disk."""
    return expected == found or _told(expected) == _told(found)


def _told(survey: Survey) -> Survey:
    return evolve(
        survey, sightings={name: evolve(sighting, stamps=None) for name, sighting in survey.sightings.items()}
    )
