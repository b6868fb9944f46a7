"""One skill in many files on a real disk, and what was ever in sight of it.

A reading is torn if its files never stood together. Files are told from files by the skill's revision, which is the
digest of all of them: so a reading is whole if its revision is one that an accepted change made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from attrs import define, evolve, field

from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import SystemChance, finish
from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.errors import SkillAbsent, SourceUnavailable
from kestrel_skills_core.domain.names import Address, ResourcePath, Revision, SkillName
from kestrel_skills_core.domain.record import Rejection
from kestrel_skills_core.domain.tree import Content, SkillTree
from kestrel_skills_core.service.library import SkillLibrary

from .siblings import Over

__all__ = ["KNOTS", "PATHS", "Seen", "content", "library_at", "listing", "reading", "store_at", "through", "tree"]

KNOTS: Final = SkillName("knots")
PATHS: Final = [ResourcePath("SKILL.md"), *(ResourcePath(f"{folder}/{n}.md") for folder in "abc" for n in range(4))]


def content(path: ResourcePath, text: str) -> bytes:
    """What a file holds; `SKILL.md` is always a good one."""
    head = "---\nname: knots\ndescription: Use when knots are wanted.\n---\n\n" if path == "SKILL.md" else ""
    return f"{head}{text}\n".encode()


def tree(text: str, paths: Sequence[ResourcePath] = PATHS) -> SkillTree:
    """A skill all of whose files say the same."""
    return SkillTree({path: Content(content(path, text)) for path in paths})


def library_at(above: Path) -> SkillLibrary:
    """The library of an agent, put together as everywhere; every process has its own."""
    return library_of(settings_of({}, root=above / "skills"))


def store_at(above: Path, calls: Syscalls | None = None) -> PosixSkillStore:
    """The agent's own root, through these calls."""
    return PosixSkillStore(above / "skills", chance=SystemChance(), calls=calls or Syscalls())


def through(library: SkillLibrary, store: PosixSkillStore) -> SkillLibrary:
    """The same library on another store."""
    return evolve(library, sources=[store], store=store)


@define
class Seen:
    """What one reader saw: how often each revision, how often nothing, and how often the folder kept changing."""

    revisions: Counter[Revision] = field(factory=Counter)
    absent: int = 0
    restless: int = 0

    def note(self, found: Revision | None) -> None:
        """One more reading, which may have found nothing."""
        if found is None:
            self.absent += 1
        else:
            self.revisions[found] += 1

    def torn(self, stood: Iterable[Revision | None]) -> int:
        """How many of the readings never stood so."""
        whole = set(stood)
        return sum(times for revision, times in self.revisions.items() if revision not in whole)

    @property
    def whole(self) -> int:
        """How many readings found a skill."""
        return self.revisions.total()


def reading(library: SkillLibrary, over: Over) -> Seen:
    """Read the skill again and again."""
    seen = Seen()
    while not over():
        try:
            seen.note(finish(library.read(Address(KNOTS))).tree.revision)
        except SkillAbsent:
            seen.note(None)
        except SourceUnavailable:
            seen.restless += 1
    return seen


def listing(library: SkillLibrary, over: Over) -> Seen:
    """List all skills again and again. A folder that was refused for anything but a change counts as it was seen."""
    seen = Seen()
    while not over():
        catalog = finish(library.catalog()).catalog
        assert not catalog.problems
        (found,) = (*catalog.records, *catalog.rejected) or (None,)
        if isinstance(found, Rejection) and {fault.rule for fault in found.faults} == {rules.RESTLESS}:
            seen.restless += 1
        else:
            seen.note(found and found.revision)
    return seen
