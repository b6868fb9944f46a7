"""A library of skills, put together by hand of its ports."""

from __future__ import annotations

from pathlib import Path

from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.world import SystemChance, inline
from kestrel_skills_core import Budget, SkillLibrary

from .states import JsonStates

__all__ = ["pocket"]


class NoLinks:
    """A port that is only asked is short: a reader of Markdown that sees no links."""

    def links(self, text: str) -> tuple[str, ...]:
        """Nothing."""
        del text
        return ()


def pocket(home: Path, agent: str, clause_bytes: int = 2048) -> SkillLibrary:
    """The skills in `home/skills`, what is on in `home/on.json`, and a small place in the prompt."""
    store = PosixSkillStore(home / "skills", chance=SystemChance())
    return SkillLibrary(
        agent=agent,
        sources=[store],
        store=store,
        states=JsonStates(home / "on.json", agent),
        offload=inline,
        markdown=NoLinks(),
        budget=Budget(clause_bytes),
    )
