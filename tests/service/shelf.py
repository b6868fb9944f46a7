"""A library over fakes, and what stands in it."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field, frozen

from kestrel_skills_adapters.memory.files import Entry, MemorySkillFiles
from kestrel_skills_adapters.memory.markdown import InlineLinks
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.memory.world import CountedChance, MemoryOffload
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.files import Published
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


@define(eq=False)
class CountingFiles(MemorySkillFiles):
    """Keeps what it is asked for, and what was known when it was."""

    asked: list[str] = field(factory=list)
    knew: list[Survey | None] = field(factory=list)

    def survey(self, known: Survey | None = None) -> Survey:
        """Look at every folder."""
        self.asked.append("survey")
        self.knew.append(known)
        return super().survey(known)

    def read(self, name: SkillName) -> Published:
        """One folder."""
        self.asked.append(f"read {name}")
        return super().read(name)


@frozen(kw_only=True)
class Shelf:
    """Two roots and a table, and the library over them."""

    local: CountingFiles
    shared: CountingFiles
    states: MemoryStates
    offload: MemoryOffload
    library: SkillLibrary


def shelf(
    local: Mapping[str, dict[str, Entry] | Entry] | None = None,
    shared: Mapping[str, dict[str, Entry] | Entry] | None = None,
) -> Shelf:
    """A library of these folders, of which nothing is on."""
    own = CountingFiles(SourceId.AGENT_LOCAL, dict(local or {}), chance=CountedChance())
    others = CountingFiles(SourceId.HOST_SHARED, dict(shared or {}), root=ROOT)
    states, offload = MemoryStates(), MemoryOffload()
    library = SkillLibrary(
        agent="did:test:abc",
        sources=[own, others],
        states=states,
        offload=offload,
        markdown=InlineLinks(),
    )
    return Shelf(local=own, shared=others, states=states, offload=offload, library=library)
