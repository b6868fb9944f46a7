"""Telling the mirror, the newest last: of each name, what was seen by the look at it that began last. No clock needed.

Rule 1: a look sees whatever was changed before it began. So whoever changed a name looks at it again, and what was told
        of an earlier look is then never told over it.
Rule 2: a whole catalog tells of every name. Where one has been looked at since, it is told with that name as it is
        known to be; no catalog is lost for a change of one name.
Rule 3: that nothing may be seen, or that nobody knows what is on, is known when it is told, and is newer than every
        look that began before.
Rule 4: a change is told, whatever became of it; a look is told where it saw something else than was told last. So who
        only looks costs a mirror nothing, unless another than this library changed something, which is seen then.
Rule 5: of what nobody knows, whatever is seen next is news, and nothing is on meanwhile. Where nobody knew of anything
        what is on, the whole is: whoever finds out that it can be known looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from attrs import define, evolve, field

from ..domain.errors import StateUnavailable
from ..domain.names import SkillName
from ..domain.record import Rejection, SkillRecord
from ..domain.resolver import Catalog
from ..ports.mirror import Mirror

__all__ = ["LOST", "Lost", "Meaning", "Telling"]


class Lost(Enum):
    """That nobody knows what a name means."""

    LOST = "lost"


LOST: Final = Lost.LOST
Meaning = SkillRecord | Rejection | Lost | None
"""What a look found a name to mean; nothing where it means nothing."""


@define(eq=False)
class Telling:
    """Which looks at the world may still be told. A look begins, and is told when it is done, if it still is news.

    Nothing is awaited between judging what is news and beginning to tell it.
    """

    mirror: Mirror | None
    _begun: int = 0
    _shown: int = 0
    """The newest look at everything that was told."""
    _saw: Mapping[SkillName, SkillRecord | Rejection] | None = None
    """What that saw of each name; nothing before the first, and where nothing may be seen, or nobody knows."""
    _since: dict[SkillName, tuple[int, Meaning]] = field(factory=dict)
    """The newest look at each name that is newer, and what it found."""
    has_lost_all: bool = field(default=False, init=False)
    """Whether it was told last of everything that nobody knows what is on."""

    def begin(self) -> int:
        """The number of a look that begins now."""
        self._begun += 1
        return self._begun

    async def shown(self, begun: int, catalog: Catalog) -> None:
        """Tell of a whole catalog, unless a newer one was told."""
        if self.mirror is None or begun <= self._shown:
            return
        self._shown, self._saw, self.has_lost_all = begun, catalog.meanings, False
        self._since = {name: look for name, look in self._since.items() if look[0] > begun}
        newer = {
            name: _off(self._saw.get(name)) if isinstance(found, Lost) else found
            for name, (_, found) in self._since.items()
        }
        await self.mirror.shown(catalog.amended(newer), hidden=False)

    async def hidden(self) -> None:
        """Tell that nothing may be seen now."""
        if self.mirror is None:
            return
        self._forget()
        await self.mirror.shown(Catalog(()), hidden=True)

    async def lost_all(self, begun: int, why: StateUnavailable) -> None:
        """Tell that nobody knows what is on, unless that is no news, or a newer look at everything was told."""
        if self.mirror is None or begun <= self._shown:
            return
        is_news = bool(self._since) or not self.has_lost_all
        self._forget()
        self.has_lost_all = True
        if is_news:
            await self.mirror.lost_all(why)

    async def looked(self, begun: int, name: SkillName, found: Meaning, *, has_changed: bool = False) -> None:
        """Tell of one name, unless something newer was seen of it; a mere look, only where it is news."""
        last = self._last(name)
        before, _ = self._since.get(name, (0, None))
        if self.mirror is None or begun <= max(self._shown, before):
            return
        self._since[name] = begun, found
        if not has_changed and found == last:
            return
        if isinstance(found, Lost):
            await self.mirror.lost(name)
        else:
            await self.mirror.changed(name, found)

    def _forget(self) -> None:
        self._shown, self._saw, self._since, self.has_lost_all = self.begin(), None, {}, False

    def _last(self, name: SkillName) -> Meaning:
        if name in self._since:
            return self._since[name][1]
        return LOST if self._saw is None else self._saw.get(name)


def _off(found: SkillRecord | Rejection | None) -> SkillRecord | Rejection | None:
    """What an older look saw of a name of which nobody knows any more: as much of it as harms nobody."""
    return found.in_state(evolve(found.state, enabled=False)) if isinstance(found, SkillRecord) else found
