"""An agent with the feature in it, in a loop of its own, and repositories that need no net."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from kestrel_skills_adapters.memory.git import MemoryGitSource, MemoryRepository
from kestrel_skills_adapters.sovereign import ProceduralSkillsFeature
from kestrel_skills_core.domain.git_address import git_url
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.git import GitSource
from tests.sovereign.agent import Agent

__all__ = ["COMMIT", "URL", "Feature", "booted", "document", "reach", "write"]

URL: Final = "https://git.example/knots.git"
COMMIT: Final = "1" * 40


def document(name: str, description: str = "Use when testing.", body: str = "Step one.\n") -> str:
    """A good `SKILL.md`."""
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


class Feature(ProceduralSkillsFeature):
    """The feature, with a repository that holds the skill `knots` and one, `splices`, that has to be adapted."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        files = {
            "skills/knots/SKILL.md": document("knots", "Use to tie."),
            "skills/knots/bends.md": "Carrick.\n",
            "skills/splices/SKILL.md": "---\nname: splices\ndescription: Use to splice.\nversion: 2\n---\nSplice.\n",
        }
        contents = {path: Content(text.encode()) for path, text in files.items()}
        repository = MemoryRepository({"HEAD": COMMIT, "refs/heads/main": COMMIT}, {COMMIT: contents})
        self.repositories = MemoryGitSource({git_url(URL): repository})

    @property
    def name(self) -> str:
        """As of the class that it stands for."""
        return "ProceduralSkillsFeature"

    @name.setter
    def name(self, _: str) -> None:
        pass

    def git(self) -> GitSource:
        """Where repositories are read from: memory."""
        return self.repositories


def booted(agent: Agent, test: Callable[[Any], Awaitable[None]], kind: type[Feature] = Feature) -> None:
    """Run a test with the feature in the agent, in a loop of its own, and shut it down."""

    async def main() -> None:
        feature = await agent.boot(kind(agent))
        try:
            await test(feature)
        finally:
            await feature.shutdown()

    asyncio.run(main())


def write(agent: Agent, name: str, text: str = "", path: str = "SKILL.md") -> None:
    """Write a file of a skill by hand, as a person does."""
    file = agent.skills / name / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text or document(name))


async def reach(agent: Agent, name: str) -> dict[str, Any]:
    """What a search shows under a name."""
    (found,) = [
        each for each in (await agent.use("skill_search", query=name))["data"]["skills"] if each["name"] == name
    ]
    return dict(found)
