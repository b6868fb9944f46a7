"""Whose the root is, and what is said where another table was asked than the one that decides for its owner."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen

from kestrel_skills_core.domain.health import Health, owner_health
from kestrel_skills_core.domain.owner import Elsewhere, Owner, Part, elsewhere

from ..records import Members, owner_members
from ..wiring import aim_of, state_of
from .failures import Misuse
from .invocation import Invocation, quoted
from .screen import Screen
from .session import Session

__all__ = ["Owned", "owned"]

_CHOSEN: Final[dict[str, Part]] = {"agent": "agent", "state": "table"}
_UNTOLD: Final = {"sqlite": "FILE", "postgres": "URL"}
"""What stands for a table of which only the kind is told."""


@frozen
class Owned:
    """What is known of the owner of a root, beside what was asked; `options` ask for what the owner sees."""

    owner: Owner | None = None
    elsewhere: Elsewhere | None = None
    options: str = field(default="", kw_only=True)

    def is_elsewhere(self, part: Part) -> bool:
        """Whether the owner sees another than was asked."""
        return self.elsewhere is not None and part in self.elsewhere.parts

    @property
    def fix(self) -> str:
        """What asks for what the owner sees; empty where that was asked."""
        return f"give `{self.options}`" if self.options else ""

    @property
    def members(self) -> Members:
        """A member for what `--json` prints; none where nobody is known to own the root."""
        return {} if self.owner is None else {"owner": owner_members(self.owner, self.elsewhere, self.fix)}

    @property
    def health(self) -> list[Health]:
        """What `doctor` says of it."""
        return [] if self.owner is None else [owner_health(self.owner, self.elsewhere, self.fix)]

    def note(self, screen: Screen) -> None:
        """Say on stderr that the owner does not see what was told."""
        if self.elsewhere is not None:
            screen.note(f"note: {self.elsewhere}; that is not what was asked: to ask it, {self.fix}")

    def refuse_guess(self) -> None:
        """Let nobody be told that a skill is on, or off, who did not say for whom, and would be wrong.

        Raises:
            Misuse: The owner would not see the switch, and what it would be made in was not chosen.
        """
        if self.elsewhere is not None and not self.elsewhere.meant:
            raise Misuse(
                f"{self.elsewhere}: nothing was switched",
                f"{self.fix}; or name both --agent and --state, if others are meant",
            )


def owned(invocation: Invocation, session: Session) -> Owned:
    """Whose the root is, and whether what the options mean is what its owner sees."""
    owner, settings = session.owner(), session.settings
    if owner is None:
        return Owned()
    chosen = {part for option, part in _CHOSEN.items() if option in invocation.given}
    found = elsewhere(owner, aim_of(settings, owner, chosen))
    if found is None:
        return Owned(owner)
    state = state_of(settings, owner)
    values = {"agent": owner.agent, "table": str(state) if state is not None else _UNTOLD[owner.table]}
    options = [f"--{option} {quoted(values[part])}" for option, part in _CHOSEN.items() if part in found.parts]
    return Owned(owner, found, options=" ".join(options))
