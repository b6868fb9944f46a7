"""One root for all the agents of a process that read it: they look at it together, and once.

Rule 1: a survey is given only to who asked before it began: nobody is told what was so before they asked.
Rule 2: while one survey is made, whoever asks waits for the next, which is the same one for all who wait.
Rule 3: a survey begins with what the last one knew, whoever asked for that; with nothing where one of those who wait
        wants everything opened anew.

Safe in any thread and with any number of event loops: a look blocks the thread that asks for it, as every look does.
"""

from __future__ import annotations

import os
import threading
from typing import Final
from weakref import WeakValueDictionary

from attrs import define, field

from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.ports.files import Published, SkillFiles

__all__ = ["SharedFiles", "Together", "together"]


@define(eq=False)
class Together:
    """One root, with the survey of it that is being made and the one that was made last."""

    files: SkillFiles
    _turn: threading.Condition = field(factory=threading.Condition, init=False)
    _begun: int = field(default=0, init=False)
    _ended: int = field(default=0, init=False)
    """How many surveys have begun and ended; they differ by one while a survey is made."""
    _last: Survey | None = field(default=None, init=False)
    """What the last one came to; nothing where it was broken off."""
    _known: Survey | None = field(default=None, init=False)
    _anew: bool = field(default=False, init=False)
    """Whether one of those who wait wants everything opened anew."""

    def survey(self, *, anew: bool) -> Survey:
        """A survey that begins now, or as soon as the one ends that is being made."""
        with self._turn:
            wanted = self._begun + 1
            self._anew = self._anew or anew
            while True:
                if self._ended >= wanted and self._last is not None:
                    return self._last
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

    def _made(self, known: Survey | None) -> Survey:
        survey: Survey | None = None
        try:
            survey = self.files.survey(known)
        finally:
            with self._turn:
                self._last = survey
                if survey is not None and survey.problem is None:
                    self._known = survey
                self._ended = self._begun
                self._turn.notify_all()
        return survey


@define(eq=False)
class SharedFiles:
    """A `SkillFiles` of one agent, on a root that others of its process read too.

    A first survey opens only what changed since anybody's last; a later one for which nothing is `known` opens all.
    """

    _together: Together
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
        anew = self._has_looked and known is None
        self._has_looked = True
        return self._together.survey(anew=anew)

    def read(self, name: SkillName) -> Published:
        """One whole folder; see the port."""
        return self._together.files.read(name)

    def read_resource(self, name: SkillName, path: ResourcePath) -> bytes:
        """The bytes of one file of a folder; see the port."""
        return self._together.files.read_resource(name, path)


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


def together(files: SkillFiles) -> SharedFiles:
    """These files for one agent, looked at together with whoever else in this process reads the same shared root.

    Where some watch a root and others do not, each look with their own kind. What is known of a root is forgotten with
    its last agent.
    """
    assert files.root is not None, "only a shared root has several agents"
    with _OPEN.turn:
        key = files.root, type(files)
        root = _OPEN.roots.get(key)
        if root is None:
            root = _OPEN.roots[key] = Together(files)
        return SharedFiles(root)
