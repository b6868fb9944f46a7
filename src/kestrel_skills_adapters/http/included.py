"""Which names the context clause has, known from what changes: who changes one skill looks at no other for it."""

from __future__ import annotations

from collections.abc import Collection

from attrs import define, field

from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.enabled import Enabled
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog

__all__ = ["Included"]


@define(eq=False)
class Included:
    """A `Mirror` that keeps what is on. What others changed it learns as the library does, by a look at it."""

    budget: Budget
    _on: Enabled = field(factory=Enabled, init=False)
    _is_known: bool = field(default=False, init=False)

    def names(self) -> Collection[SkillName] | None:
        """The names that the clause has; nothing before all was looked at once, and where nobody knows what is on."""
        return self._on.clause(self.budget).included if self._is_known else None

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:  # noqa: ARG002 - a hidden catalog is empty
        """Take over what a whole catalog has on; see `Mirror`."""
        self._on.fill(catalog.records)
        self._is_known = True

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Take over what has become of one name; see `Mirror`."""
        self._on.put(name, found)

    async def lost(self, name: SkillName) -> None:
        """Nobody knows whether one name is on; see `Mirror`."""
        self._on.put(name, None)

    async def lost_all(self, why: StateUnavailable) -> None:  # noqa: ARG002 - whoever asks is told by the catalog
        """Nobody knows what is on; see `Mirror`."""
        self._is_known = False
