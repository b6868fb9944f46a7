"""What several commands say of a catalog: the receipt of its clause, and what could not be read."""

from __future__ import annotations

from kestrel_skills_core.domain.clause import Clause
from kestrel_skills_core.service.observed import Observed

from .failures import DONE, exit_code, one_line
from .screen import Screen
from .session import Session

__all__ = ["note_problems", "receipt", "worst"]


def receipt(clause: Clause) -> str:
    """What the clause costs, and how many skills did not fit."""
    spent = f"clause {clause.receipt.bytes:,} of {clause.receipt.budget:,} bytes"
    return f"{spent}, {len(clause.omitted):,} left out" if clause.omitted else spent


def note_problems(screen: Screen, session: Session, observed: Observed) -> None:
    """Say on stderr why not everything is there, or on, and how to begin where there is nothing at all."""
    for error in observed.problems:
        screen.note(one_line(str(error), error.fix))
    if not observed.problems and observed.catalog.is_empty:
        where = session.settings.root
        screen.note(f"no skills yet: make a folder with a SKILL.md in {where}, or take `kestrel-skills tour`")


def worst(observed: Observed) -> int:
    """The exit code that the problems amount to."""
    return max((exit_code(error) for error in observed.problems), default=DONE)
