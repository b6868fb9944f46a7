"""What the tools of one agent work on, put together once the agent has what they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from kestrel_skills_core.domain.clause import Clause
from kestrel_skills_core.domain.owner import Owner
from kestrel_skills_core.ports.git import GitSource
from kestrel_skills_core.service.library import SkillLibrary
from kestrel_skills_core.service.observed import Observed

from ..records import Shown
from ..wiring import installer_of
from .context import ContextClause

if TYPE_CHECKING:
    from kestrel_skills_core.service.installer import Installer

__all__ = ["Desk"]


@frozen(kw_only=True)
class Desk:
    """An agent's skills, and the clause that shows them.

    `notes` is what whoever runs the agent should know beside what was observed, in lines, as it is then.
    """

    library: SkillLibrary
    clause: ContextClause
    owner: Owner | None
    """Whose the root is, for whoever comes to it by hand."""
    git: Callable[[], GitSource]
    notes: Callable[[Observed], Sequence[str]]

    @property
    def room(self) -> int:
        """How long an answer may be."""
        return self.clause.host.room

    def shown(self, clause: Clause | None = None) -> Shown:
        """How records are shown, beside this clause or the one that the prompt has.

        While the host has not taken that, which `clause.problem` says, it is the one that the prompt is to have.
        """
        return Shown(self.library.agent, frozenset((clause or self.clause.clause).included))

    def installer(self) -> Installer:
        """What brings skills in from git."""
        return installer_of(self.library, self.git())
