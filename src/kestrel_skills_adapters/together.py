"""One root for all the agents of a process that read it: they look at it together, and once.

Rule 1: a survey is given only to who asked before it began, so that nobody is told what was so before they asked; but
        for rule 4.
Rule 2: while one survey is made, whoever asks waits for the next, which is the same one for all who wait; but for rule
        4, which is looked to again as each survey ends.
Rule 3: a survey begins with what the last one knew, whoever asked for that; with nothing where one of those who wait
        wants everything opened anew.
Rule 4: an agent that never looked before is given the last survey, that very value, where it ended at most a second ago
        and could read the root, and the root has the stamps now that it had before that survey began, not young then.
        So no folder that came, went or took another name is missed; what was changed inside a folder since that survey
        looked at it is seen by the agent's next look.

So agents that start at once, or soon after one another, cost one survey.

Safe in any thread and with any number of event loops: a look blocks the thread that asks for it, as every look does.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final
from weakref import WeakValueDictionary

from attrs import define, field, frozen

from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.ports.files import Published, SkillFiles
from kestrel_skills_core.ports.world import Watcher

__all__ = ["FRESH", "LookersWatcher", "RootStamps", "SharedFiles", "Together", "together"]

FRESH: Final = 1.0
"""Seconds after its end for which a survey is given to who never looked before."""

RootStamps = Callable[[], object]
"""Gives what moves whenever a name in a root comes, goes or is changed; `None` where that cannot be told."""


_NOBODY: Final = Watcher()


def _untold() -> None:
    """The stamps of a root of which nothing can be told: whoever looks at it makes a survey."""


@frozen
class _Ended:
    """A survey that was made, when it ended, and the stamps that its root had before it began."""

    survey: Survey
    at: float
    stamps: object


@define(eq=False)
class Together:
    """One root, with the survey of it that is being made and the one that was made last.

    `_now` gives seconds, from any beginning.
    """

    files: SkillFiles
    _stamps: RootStamps = _untold
    _now: Callable[[], float] = time.monotonic
    _turn: threading.Condition = field(factory=threading.Condition, init=False)
    _begun: int = field(default=0, init=False)
    _ended: int = field(default=0, init=False)
    """How many surveys have begun and ended; they differ by one while a survey is made."""
    _last: _Ended | None = field(default=None, init=False)
    """What the last one came to; nothing where it was broken off."""
    _known: Survey | None = field(default=None, init=False)
    _anew: bool = field(default=False, init=False)
    """Whether one of those who wait wants everything opened anew."""

    def survey(self, *, first: bool, anew: bool) -> Survey:
        """A survey that begins now, or as soon as the one ends that is being made; a first one may have ended."""
        with self._turn:
            wanted = self._begun + 1
            self._anew = self._anew or anew
            while True:
                last = self._last
                if last is not None and (self._ended >= wanted or (first and self._is_fresh(last))):
                    return last.survey
                if self._ended == self._begun:
                    break
                self._turn.wait()
            self._begun += 1
            known = None if anew or self._anew else self._known
            self._anew = False
        return self._made(known)

    def forked(self) -> None:
        """End a survey that was being made in another process."""
        self._turn = threading.Condition()
        if self._ended != self._begun:
            self._last, self._ended = None, self._begun

    def _is_fresh(self, last: _Ended) -> bool:
        """Whether it may be given to who never looked before: rule 4."""
        return (
            last.survey.problem is None
            and last.stamps is not None
            and self._now() - last.at <= FRESH
            and self._stamps() == last.stamps
        )

    def _made(self, known: Survey | None) -> Survey:
        ended: _Ended | None = None
        try:
            stamps = self._stamps()
            survey = self.files.survey(known)
            ended = _Ended(survey, self._now(), stamps)
        finally:
            with self._turn:
                self._last = ended
                if ended is not None and ended.survey.problem is None:
                    self._known = ended.survey
                self._ended = self._begun
                self._turn.notify_all()
        return survey


@define(eq=False)
class SharedFiles:
    """A `SkillFiles` of one agent, on a root that others of its process read too.

    A first survey opens at most what changed since anybody's last; a later one for which nothing is `known` opens all.
    `_watcher` is told of the surveys that this agent makes, and of none that it is given.
    """

    _together: Together
    _watcher: Watcher = _NOBODY
    _has_looked: bool = field(default=False, init=False)

    @property
    def source(self) -> SourceId:
        """Which source this is; see the port."""
        return self._together.files.source

    @property
    def root(self) -> str | None:
        """What a state row names the root by; see the port."""
        return self._together.files.root

    def survey(self, known: Survey | None = None) -> Survey:
        """Look at every folder once; see the port."""
        first, self._has_looked = not self._has_looked, True
        with _telling(self._watcher):
            return self._together.survey(first=first, anew=known is None and not first)

    def read(self, name: SkillName) -> Published:
        """One whole folder; see the port."""
        return self._together.files.read(name)

    def read_resource(self, name: SkillName, path: ResourcePath) -> bytes:
        """The bytes of one file of a folder; see the port."""
        return self._together.files.read_resource(name, path)


_LOOKER: Final = ContextVar("looker", default=_NOBODY)
"""The watcher of the agent that looks in this thread."""


@contextmanager
def _telling(watcher: Watcher) -> Iterator[None]:
    before = _LOOKER.set(watcher)
    try:
        yield
    finally:
        _LOOKER.reset(before)


class LookersWatcher(Watcher):
    """For the reader of a shared root: what it tells of a survey goes to the watcher of whoever's look that is."""

    def surveying(self, source: str, done: int, total: int) -> None:
        """So many of so many entries were looked at; see the port."""
        _LOOKER.get().surveying(source, done, total)

    def surveyed(self, source: str, skills: int, opened: int) -> None:
        """A survey ended; see the port."""
        _LOOKER.get().surveyed(source, skills, opened)


@define(eq=False)
class _Open:
    """What is looked at together in this process."""

    roots: WeakValueDictionary[tuple[str, type[SkillFiles]], Together] = field(factory=WeakValueDictionary, init=False)
    turn: threading.Lock = field(factory=threading.Lock, init=False)

    def forked(self) -> None:
        """Forget who was looking: the threads of the process that this one was forked from are not in it."""
        self.turn = threading.Lock()
        for root in self.roots.values():
            root.forked()


_OPEN: Final = _Open()
os.register_at_fork(after_in_child=_OPEN.forked)


def together(files: SkillFiles, *, stamps: RootStamps = _untold, watcher: Watcher = _NOBODY) -> SharedFiles:
    """These files for one agent, looked at together with whoever else in this process reads the same shared root.

    `stamps` are the root's. `watcher` is told of the surveys that this agent makes, where what the files tell is a
    `LookersWatcher`. Where some watch a root and others do not, each look with their own kind. What is known of a root
    is forgotten with its last agent.
    """
    assert files.root is not None, "only a shared root has several agents"
    with _OPEN.turn:
        key = files.root, type(files)
        root = _OPEN.roots.get(key)
        if root is None:
            root = _OPEN.roots[key] = Together(files, stamps)
        return SharedFiles(root, watcher)
