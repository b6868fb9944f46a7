"""`pytest --watch`: every test as it stands, with every root on a disk watched from the first look at it on."""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from contextlib import suppress

from attrs import define

from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.watching.notified import place
from kestrel_skills_adapters.watching.watched import Heard, Watch, WatchedFiles
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.ports.files import SkillFiles

__all__ = ["eager", "is_of_a_watch", "watch_every_root"]

_KEPT = 16
"""Watches that are open at once; a user of this machine has 128."""
heard: Counter[str] = Counter()
"""How often a watch heard what: what it is worth to run so."""


@define(eq=False)
class _Counted:
    watch: Watch

    def heard(self) -> Heard:
        """What it heard, counted."""
        found = self.watch.heard()
        heard[found.name.lower()] += 1
        return found

    def close(self) -> None:
        """Stop."""
        self.watch.close()


def eager(files: SkillFiles, root: str) -> WatchedFiles:
    """These files, watched from the first look on."""

    def counted() -> Watch | None:
        watch = place(root)
        return None if watch is None else _Counted(watch)

    watched = WatchedFiles(files, counted)
    watched._place_at = 0.0
    return watched


def watch_every_root() -> None:
    """From now on, in this process, every reader of a root on a disk watches it."""
    plain = PosixSkillFiles.survey
    watches: OrderedDict[int, tuple[PosixSkillFiles, WatchedFiles]] = OrderedDict()

    class Plain:
        def __init__(self, files: PosixSkillFiles) -> None:
            self.files, self.source, self.root = files, files.source, files.root

        def survey(self, known: Survey | None = None) -> Survey:
            return plain(self.files, known)

    def survey(files: PosixSkillFiles, known: Survey | None = None) -> Survey:
        _, watched = watches.pop(id(files), (None, None))
        if watched is None:
            watched = eager(Plain(files), files.path)
            if len(watches) >= _KEPT:
                watches.popitem(last=False)[1][1]._end(0.0)
        watches[id(files)] = files, watched
        return watched.survey(known)

    PosixSkillFiles.survey = survey


def is_of_a_watch(fd: int) -> bool:
    """Whether a descriptor is one that a watch holds: there are watches where descriptors are links, on Linux."""
    with suppress(OSError):
        return os.readlink(f"/dev/fd/{fd}").startswith(("anon_inode:", "/memfd:kestrel-skills-mark"))  # noqa: PTH115
    return False
