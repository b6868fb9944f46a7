"""What siblings do to one skill, or to many, and the defences that a control leaves out."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from attrs import define, field

from kestrel_skills_adapters.contracts.roots import approval, never
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Delete, Edit, RemoveFile
from kestrel_skills_core.domain.edit import Whole
from kestrel_skills_core.domain.errors import Busy, Moved, SkillAbsent, SkillError, SourceUnavailable
from kestrel_skills_core.domain.names import DOCUMENT, Address, ResourcePath, Revision, SkillName
from kestrel_skills_core.service.library import SkillLibrary

from .siblings import Over
from .sight import KNOTS, PATHS, content, library_at, store_at, through, tree

__all__ = [
    "Accepted",
    "Changed",
    "Credulous",
    "Published",
    "Slow",
    "Unlocked",
    "all_verbs",
    "edits",
    "publishing",
    "sweeping",
]

Accepted = tuple[Revision | None, Revision | None]
"""One change that was acknowledged: of which revision, and to which; nothing where there is no skill."""


class Unlocked(Syscalls):
    """A disk on which no lock is held."""

    @contextmanager
    def locked(self, *_: Any, **__: Any) -> Iterator[None]:
        """Hold nothing."""
        yield


class Slow(Syscalls):
    """A disk that takes its time to read a file."""

    def read(self, name: str, at: int, most: int) -> tuple[bytes | None, os.stat_result]:
        """Wait for a few milliseconds, then read."""
        time.sleep(0.005)
        return super().read(name, at, most)


class Credulous(PosixSkillStore):
    """A reader who takes for whole whatever was read."""

    def _is_as_stamped(self, *_: Any) -> bool:
        return True


@define
class Changed:
    """What one writer did: every change that was acknowledged, and how often another was faster."""

    accepted: list[Accepted] = field(factory=list)
    refused: int = 0

    def insist(self, change: Callable[[], Accepted]) -> None:
        """Make a change, from looking on, as often as it takes."""
        while True:
            try:
                self.accepted.append(change())
            except (Moved, Busy, SourceUnavailable):
                self.refused += 1
            else:
                return


def edits(above: Path, number: int, turns: int, paths: Sequence[ResourcePath], *, locked: bool = True) -> Changed:
    """Edit one of the files each turn, as the skill was when it was just read."""
    library = library_at(above) if locked else through(library_at(above), store_at(above, Unlocked()))
    changed = Changed()
    for turn in range(turns):
        path = paths[(number + turn) % len(paths)]
        changed.insist(partial(_edited, library, path, content(path, f"{number} {turn}")))
    return changed


def all_verbs(above: Path, number: int, turns: int) -> Changed:
    """Edit, add, remove, delete or make the skill each turn; which of these, chance says."""
    library, chance, changed = library_at(above), Random(number), Changed()
    for turn in range(turns):
        changed.insist(partial(_changed, library, f"{number} {turn}", chance.random()))
    return changed


@define
class Published:
    """What one publisher did, and what went wrong with it."""

    whole: int = 0
    torn: int = 0
    failed: list[str] = field(factory=list)


def publishing(above: Path, number: int, turns: int) -> Published:
    """Make one skill each turn, look whether all of it is there, and delete all but every fourth."""
    store, published = store_at(above), Published()
    for turn in range(turns):
        name, whole = SkillName(f"knots-{number}-{turn}"), tree(f"{number} {turn}", PATHS[:5])
        try:
            store.publish(name, whole, cancelled=never)
            if store.read(name).tree != whole:
                published.torn += 1
                continue
            if turn % 4:
                store.retire(name, approved=approval(store, name), cancelled=never)
        except SkillError as failure:
            published.failed.append(str(failure))
        else:
            published.whole += 1
    return published


def sweeping(above: Path, over: Over, *, locked: bool = True) -> Counter[str]:
    """Start, sweep, and start again a few milliseconds later: how often it swept, and how often others were at work."""
    swept: Counter[str] = Counter()
    while not over():
        store = store_at(above, Syscalls() if locked else Unlocked())
        outcome = store.sweep()
        swept["skipped" if outcome.skipped else "done"] += 1
        swept["purged"] += outcome.purged
        swept["restored"] += len(outcome.restored)
        swept["kept"] += len(outcome.kept)
        time.sleep(0.003)
    return swept


def _edited(library: SkillLibrary, path: ResourcePath, text: bytes) -> Accepted:
    seen = finish(library.read(Address(KNOTS))).tree.revision
    made = finish(library.edit(Edit(address=Address(KNOTS), path=path, change=Whole(text), expected_revision=seen)))
    assert made.revision is not None
    return seen, made.revision


def _changed(library: SkillLibrary, text: str, chance: float) -> Accepted:
    store = library.store
    assert store is not None
    try:
        there = finish(library.read(Address(KNOTS))).tree
    except SkillAbsent:
        whole = tree(text)
        store.publish(KNOTS, whole, cancelled=never)
        return None, whole.revision
    if chance < 0.1:
        token = finish(library.deletion(Address(KNOTS))).delete_revision
        finish(library.delete(Delete(address=Address(KNOTS), delete_revision=token)))
        return there.revision, None
    path = PATHS[int(chance * 1000) % len(PATHS)]
    if chance < 0.5 and path != DOCUMENT and path in there.files:
        command = RemoveFile(address=Address(KNOTS), path=path, expected_revision=there.revision)
        return there.revision, finish(library.remove_file(command)).revision
    return _edited(library, path, content(path, text))
