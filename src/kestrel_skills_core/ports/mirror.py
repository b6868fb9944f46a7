"""Port: what shows elsewhere what the catalog says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Protocol

from attrs import frozen

if TYPE_CHECKING:
    from ..domain.errors import StateUnavailable
    from ..domain.names import SkillName
    from ..domain.record import Rejection, SkillRecord
    from ..domain.resolver import Catalog

__all__ = ["Mirror", "Mirrors"]


class Mirror(Protocol):
    """Follows the catalog of one agent: the context clause in its prompt, an index of its skills.

    A mirror is made again of what it is told, never asked, and can fail nothing: it raises nothing. What it could not
    do it does the next time it is told.

    What it is told is never older than what it was told before. One that waits may be told again meanwhile: what it
    was told last is what holds, and not what it ended last.

    Whoever tells waits, and may hold the privacy mode or not: what a mirror writes, it guards itself. Nothing that is
    hidden is told.
    """

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """The whole catalog as it is now; `hidden` where it is empty because nothing kept may be seen."""
        ...

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """What one name means now; nothing where it means nothing.

        Told after every change of the name, and where somebody who looked at it saw something else than was told last.
        After nothing was to be seen, or all was lost, only `shown` tells of the others.
        """
        ...

    async def lost(self, name: SkillName) -> None:
        """Nobody knows what one name means now: not that it is on, nor that it is gone.

        A look after a change was cut short, or what the name leads to could not be read. It is told again as soon as
        somebody knows.
        """
        ...

    async def lost_all(self, why: StateUnavailable) -> None:
        """Nobody knows what is on, of any name: the table of states does not answer, or the marks cannot be read.

        Told once, by whatever look finds it. The first look that finds it otherwise, be it at one name, is followed by
        `shown`.
        """
        ...


@frozen
class Mirrors:
    """Several mirrors as one, told one after the other; each of them, though who tells is cancelled meanwhile."""

    each: Sequence[Mirror]

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
        """Tell each of them."""
        await self._tell(lambda mirror: mirror.shown(catalog, hidden=hidden))

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
        """Tell each of them."""
        await self._tell(lambda mirror: mirror.changed(name, found))

    async def lost(self, name: SkillName) -> None:
        """Tell each of them."""
        await self._tell(lambda mirror: mirror.lost(name))

    async def lost_all(self, why: StateUnavailable) -> None:
        """Tell each of them."""
        await self._tell(lambda mirror: mirror.lost_all(why))

    async def _tell(self, what: Callable[[Mirror], Awaitable[None]]) -> None:
        async with AsyncExitStack() as told:
            for mirror in reversed(self.each):
                told.push_async_callback(what, mirror)
