"""What the routes work on: the skills of one agent, and what is asked of the world beside them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from attrs import field, frozen

from kestrel_skills_core.domain.names import Address, SkillName
from kestrel_skills_core.service.installer import Installer
from kestrel_skills_core.service.library import SkillLibrary
from kestrel_skills_core.service.observed import Latest, Observed

from ..records import Shown
from .jobs import Jobs

__all__ = ["Desk"]


@frozen(kw_only=True, eq=False)
class Desk:
    """One agent's skills; kept as long as its library is, since it holds the installations that run.

    `installer` gives what brings skills in, and tells how far a transfer has come. `html` makes HTML of Markdown; it is
    cleaned here. `included` says which names the agent's prompt has; where it does not know, that is worked out of
    the catalog. `notes` are lines for whoever runs the agent: what else is wrong than what was observed.
    """

    library: SkillLibrary
    installer: Callable[[Callable[[int, int], None]], Installer]
    html: Callable[[str], str]
    included: Callable[[], Collection[SkillName] | None] = lambda: None
    notes: Callable[[Observed], Sequence[str]] = lambda _: ()
    jobs: Jobs = field(factory=Jobs)
    catalog: Latest[bytes] = field(factory=Latest, init=False)
    """The catalog as it was sent last."""

    async def address(self, text: str) -> Address:
        """The skill that is meant by `name` or `name@source`."""
        return await self.library.address(text)

    async def shown(self) -> Shown:
        """How records are shown, beside the clause that is in force."""
        names = self.included()
        if names is None:
            observed = await self.library.catalog()
            names = observed.clause(self.library.budget).included
        return Shown(self.library.agent, frozenset(names))
