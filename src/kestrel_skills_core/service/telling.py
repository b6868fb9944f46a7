"""Telling the mirror, the newest last: of each name, what was seen by the look at it that began last. No clock needed.

Rule 1: a look sees whatever was changed before it began. So whoever changed a name looks at it again, and what was told
        of an earlier look is then never told over it.
Rule 2: a whole catalog tells of every name. Where one has been looked at since, it is told with that name as it is
        known to be; no catalog is lost for a change of one name.
Rule 3: that nothing may be seen is known when it is told, and is newer than every look that began before.
"""

from __future__ import annotations

from attrs import define, field

from ..domain.names import SkillName
from ..domain.record import Rejection, SkillRecord
from ..domain.resolver import Catalog
from ..ports.mirror import Mirror

__all__ = ["Telling"]


@define(eq=False)
class Telling:
    """Which looks at the world may still be told. A look begins, and is told when it is done, if it still is news.

    Nothing is awaited between judging what is news and beginning to tell it.
    """

    mirror: Mirror | None
    _begun: int = 0
    _shown: int = 0
    """The newest look at everything that was told."""
    _changed: dict[SkillName, tuple[int, SkillRecord | Rejection | None]] = field(factory=dict)
    """The newest look at each name that was told and is newer, and what it found."""

    def begin(self) -> int:
        """The number of a look that begins now."""
        self._begun += 1
        return self._begun

    async def shown(self, begun: int, catalog: Catalog) -> None:
        """Tell of a whole catalog, unless a newer one was told."""
        if self.mirror is None or begun <= self._shown:
            return
        self._shown = begun
        self._changed = {name: told for name, told in self._changed.items() if told[0] > begun}
        newer = {name: found for name, (_, found) in self._changed.items()}
        await self.mirror.shown(catalog.amended(newer), hidden=False)

    async def hidden(self) -> None:
        """Tell that nothing may be seen now."""
        if self.mirror is None:
            return
        self._shown = self.begin()
        await self.mirror.shown(Catalog(()), hidden=True)

    async def changed(self, begun: int, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Tell of one name, unless something newer was told of it."""
        before, _ = self._changed.get(name, (0, None))
        if self.mirror is None or begun <= max(self._shown, before):
            return
        self._changed[name] = begun, found
        await self.mirror.changed(name, found)
