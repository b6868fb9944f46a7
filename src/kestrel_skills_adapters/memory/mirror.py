"""A mirror that keeps what it was told."""

from __future__ import annotations

from attrs import define, field

from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog

__all__ = ["MemoryMirror"]


@define(eq=False)
class MemoryMirror:
    """The port over a dictionary: `found` is what each name means, as far as it was told.

    `told` are all tellings in order: a name for each of one name, and whether they were hidden for each of all.
    `unknown` are the names of which it was told last that nobody knows.
    """

    found: dict[SkillName, SkillRecord | Rejection] = field(factory=dict)
    unknown: set[SkillName] = field(factory=set)
    hidden: bool = False
    told: list[SkillName | bool] = field(factory=list)

    @property
    def enabled(self) -> frozenset[SkillName]:
        """The skills that are on, by what it was told."""
        return frozenset(name for name, found in self.found.items() if isinstance(found, SkillRecord) and found.enabled)

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Take over a whole catalog; see the port."""
        self.told.append(hidden)
        self.hidden = hidden
        self.found, self.unknown = dict(catalog.meanings), set()

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Take over one name; see the port."""
        self.told.append(name)
        self.found.pop(name, None)
        self.unknown.discard(name)
        if found is not None:
            self.found[name] = found

    async def lost(self, name: SkillName) -> None:
        """Know nothing of one name any more; see the port."""
        self.told.append(name)
        self.found.pop(name, None)
        self.unknown.add(name)
