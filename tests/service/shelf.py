"""A library over fakes, and what stands in it."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field, frozen

from kestrel_skills_adapters.memory.files import Entry, MemorySkillFiles, Odd
from kestrel_skills_adapters.memory.markdown import InlineLinks
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.memory.store import MemorySkillStore
from kestrel_skills_adapters.memory.world import CountedChance, MemoryOffload
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.fence import Fence
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.files import Published
from kestrel_skills_core.ports.mirror import Mirror
from kestrel_skills_core.ports.privacy import Privacy
from kestrel_skills_core.ports.store import Swept
from kestrel_skills_core.ports.world import Cancelled
from kestrel_skills_core.service.library import SkillLibrary

ROOT = "5e" * 32
"""What the shared root is known by."""

GIT = Content(dump_provenance(Provenance(kind="git", url="https://example.org/skills", commit="9a" * 20)))
TOO_LARGE = Content(b"x" * (256 * 1024 + 1))
BEYOND: dict[str, Entry] = {f"part-{number}.md": Content(b"x" * 256 * 1024) for number in range(9)}
"""More bytes together than one skill may have."""


def skill(name: str, description: str = "Use when testing.", body: str = "Step one.") -> dict[str, Entry]:
    """The folder of a good skill."""
    document = f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"
    return {"SKILL.md": Content(document.encode())}


def from_git(name: str, description: str = "Use when testing.") -> dict[str, Entry]:
    """The folder of a skill that was installed by git."""
    return skill(name, description) | {".kestrel-provenance.json": GIT}


class Counting(MemorySkillFiles):
    """Keeps what it is asked for, and what was known when it was."""

    asked: list[str]
    knew: list[Survey | None]

    def survey(self, known: Survey | None = None) -> Survey:
        """Look at every folder."""
        self.asked.append("survey")
        self.knew.append(known)
        return super().survey(known)

    def read(self, name: SkillName) -> Published:
        """One folder."""
        self.asked.append(f"read {name}")
        return super().read(name)


@define(eq=False)
class CountingFiles(Counting):
    """A root that counts."""

    asked: list[str] = field(factory=list)
    knew: list[Survey | None] = field(factory=list)


@define(eq=False, slots=False)
class CountingStore(MemorySkillStore, Counting):
    """A root that counts, and that may be changed; `broken` is what every change meets, and `blind` hides the marks.

    `blurred` is a file that cannot be read, but only at the look of that number from now on.
    """

    asked: list[str] = field(factory=list)
    knew: list[Survey | None] = field(factory=list)
    broken: SkillError | None = None
    blind: bool = False
    blurred: tuple[int, str] = (0, "")

    def fenced(self) -> Mapping[SkillName, Fence] | None:
        """All marks."""
        return None if self.blind else super().fenced()

    def unfence(self, name: SkillName, *, seen: Fence, cancelled: Cancelled) -> None:
        """Take a mark away."""
        self._begin()
        super().unfence(name, seen=seen, cancelled=cancelled)

    def sweep(self) -> Swept:
        """Sweep; whoever holds the store is not waited for."""
        if self.broken is not None:
            raise self.broken
        return super().sweep()

    def _entry(self, name: SkillName) -> dict[str, Entry] | Odd:
        entry = super()._entry(name)
        looks, path = self.blurred
        self.blurred = (looks - 1, path)
        if looks == 1 and isinstance(entry, dict):
            return entry | {path: Odd("file", "the disk reports an error")}
        return entry

    def _begin(self) -> None:
        if self.broken is not None:
            raise self.broken
        super()._begin()


@frozen(kw_only=True)
class Shelf:
    """Two roots and a table, and the library over them."""

    local: CountingStore
    shared: CountingFiles
    states: MemoryStates
    offload: MemoryOffload
    library: SkillLibrary


def shelf(
    local: Mapping[str, dict[str, Entry] | Entry] | None = None,
    shared: Mapping[str, dict[str, Entry] | Entry] | None = None,
    *,
    store: bool = True,
    privacy: Privacy | None = None,
    mirror: Mirror | None = None,
) -> Shelf:
    """A library of these folders, of which nothing is on; the local ones may be changed, unless there is no store."""
    own = CountingStore(dict(local or {}), chance=CountedChance())
    others = CountingFiles(SourceId.HOST_SHARED, dict(shared or {}), root=ROOT)
    states, offload = MemoryStates(), MemoryOffload()
    library = SkillLibrary(
        agent="did:test:abc",
        sources=[own, others],
        store=own if store else None,
        states=states,
        offload=offload,
        markdown=InlineLinks(),
        privacy=privacy or Privacy(),
        mirror=mirror,
    )
    return Shelf(local=own, shared=others, states=states, offload=offload, library=library)
