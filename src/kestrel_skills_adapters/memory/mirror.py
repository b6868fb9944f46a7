"""A mirror that keeps what it was told."""

from __future__ import annotations

from attrs import define, field

from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog

__all__ = ["MemoryMirror"]


@define(eq=False)
class MemoryMirror:
    """The port over a dictionary: `found` is what each name means, as far as it was told.

    `told` are all tellings in order: a name for each of one name, whether they were hidden for each of all, and nothing
    for each that all was lost. `unknown` are the names of which it was told last that nobody knows; `why_lost` is
    why nobody knows of any.
    """

    found: dict[SkillName, SkillRecord | Rejection] = field(factory=dict)
    unknown: set[SkillName] = field(factory=set)
    hidden: bool = False
    why_lost: StateUnavailable | None = None
    told: list[SkillName | bool | None] = field(factory=list)

    @property
    def enabled(self) -> frozenset[SkillName]:
        """The skills that are on, by what it was told."""
        return frozenset(name for name, found in self.found.items() if isinstance(found, SkillRecord) and found.enabled)

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Take over a whole catalog; see the port."""
        self.told.append(hidden)
        self.hidden = hidden
        self.found, self.unknown, self.why_lost = dict(catalog.meanings), set(), None

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

    async def lost_all(self, why: StateUnavailable) -> None:
        """Know nothing of any name any more; see the port."""
        self.told.append(None)
        self.hidden, self.why_lost = False, why
        self.found, self.unknown = {}, set()
