"""A feature of Kestrel Sovereign at work: whichever release of it is installed here, through its own tools.

The agent is a stand-in on the host's real storage: a SQLite database and the graph in it.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from tests.bench.beside.contender import ONE, RESOURCE, clocked, empty_root, named, once_more, peak, serve, traced

DID = "did:test:abc"
WRITTEN = f"---\nname: {ONE}\ndescription: Use when it is time again.\n---\n\nDo it again.\n"


class Open:
    """A privacy mode that hides nothing."""

    def is_ephemeral(self) -> bool:
        """It is not."""
        return False

    uses_temp_storage = requires_deidentification = is_ephemeral


class Agent:
    """What of the host's agent a feature asks for."""

    did = DID
    privacy_config = Open()

    def __init__(self, skills: Path, storage: Any, *, has_graph: bool = True) -> None:
        self.procedural_skills_root = str(skills)
        self.storage = storage if has_graph else None
        self._raw_storage = storage
        self._privacy_transition_lock = asyncio.Lock()


async def open_storage(path: Path) -> Any:
    """The host's own storage, in a file."""
    from kestrel_sovereign.storage.async_storage import AsyncStorage

    storage = AsyncStorage(db_path=str(path), backend="sqlite", agent_id=DID)
    await storage.initialize()
    return storage


async def settled() -> None:
    """Wait until whatever follows behind is done."""
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)


class Feature:
    """One agent's feature. What is asked of it by name, `tests/bench/beside/run.py` says."""

    def __init__(self) -> None:
        (found,) = entry_points(group="kestrel_sovereign.features", name="ProceduralSkillsFeature")
        self.made: Callable[[Any], Any] = found.load()
        self.number = 0

    async def load(self, home: str, skills: int, *, trace: bool = False) -> Mapping[str, Any]:
        """A first look, of an agent that starts."""
        self.root, self.skills = Path(home, "skills"), skills
        agent = Agent(self.root, await open_storage(Path(home, "agent.db")))
        await self._warm(home)
        if trace:
            with traced() as left:
                self.feature = await self._started(agent)
                await settled()
            return {**left, "own": None}
        with clocked() as taken:
            self.feature = await self._started(agent)
        most = peak()
        await settled()
        return {**taken, "most": most}

    async def settle(self) -> None:
        """See that it has all skills; nothing follows behind any more."""
        listed = await self._used("list")
        assert listed.get("total", listed.get("count")) == self.skills, listed

    async def refresh(self) -> Mapping[str, float]:
        """Look again, as the host has a feature do."""
        return await self._timed(self.feature.prepare_context_clause_refresh)

    async def change(self) -> Mapping[str, float]:
        """Look again, after a person wrote to one file."""
        self.number += 1
        once_more(self.root / named(self.number, self.skills))
        return await self.refresh()

    async def read(self, path: str | None = None) -> Mapping[str, float]:
        """Read one skill's procedure, or another file of it."""
        self.number += 1
        more = {} if path is None else {"path": path}
        return await self._tool("read", name=named(self.number, self.skills), **more)

    async def resource(self) -> Mapping[str, float]:
        """Read one file that is not the procedure."""
        return await self.read(RESOURCE)

    async def list(self) -> Mapping[str, float]:
        """List them."""
        return await self._tool("list")

    async def search(self) -> Mapping[str, float]:
        """Search for a word that many have."""
        return await self._tool("search", query="when")

    async def clause(self) -> Mapping[str, float]:
        """The text that the host takes."""
        (registered,) = self.feature.get_context_clause_registrations()
        with clocked() as taken:
            text = registered.renderer()
        assert "<skill name=" in text, text
        return taken

    async def create(self) -> Mapping[str, float]:
        """Make a skill."""
        return await self._tool("create", name=ONE, description="Use when it is time.", body="Do it.\n")

    async def edit(self) -> Mapping[str, float]:
        """Write the whole of its document."""
        seen = {}
        if "expected_revision" in inspect.signature(self.feature.skill_edit).parameters:
            seen["expected_revision"] = (await self._used("read", name=ONE))["revision"]
        return await self._tool("edit", name=ONE, content=WRITTEN, **seen)

    async def enable(self) -> Mapping[str, float]:
        """Switch it on."""
        return await self._tool("enable", name=ONE)

    async def disable(self) -> Mapping[str, float]:
        """Switch it off."""
        return await self._tool("disable", name=ONE)

    async def delete(self) -> Mapping[str, float]:
        """Delete it, with the token that a search shows."""
        found = (await self._used("search", query=ONE))["skills"]
        (token,) = [each["delete_revision"] for each in found if each["name"] == ONE]
        return await self._tool("delete", name=ONE, delete_revision=token)

    async def agents(self, shared: str, home: str, count: int) -> Mapping[str, Any]:
        """The first looks of so many agents of one process, none with skills of its own, at one shared root.

        One after the other; then, when these are gone, of as many more at once.

        Without a graph: that belongs to each, and says nothing of what they share.
        """
        await self._warm(home)
        os.environ["KESTREL_SHARED_SKILLS_DIR"] = shared
        walls, self.kept = [], []
        for number in range(count):
            agent = await self._sharing(home, number)
            with clocked() as taken:
                self.kept.append(await self._started(agent))
            walls.append(taken["wall"])
        most = peak()
        self.kept.clear()
        gc.collect()
        agents = [await self._sharing(home, count + number) for number in range(count)]
        with clocked() as taken:
            self.kept += await asyncio.gather(*map(self._started, agents))
        return {"walls": walls, "most": most, "at_once": taken["wall"]}

    async def _sharing(self, home: str, number: int) -> Agent:
        own = empty_root(home, number)
        return Agent(own, await open_storage(own.with_name("agent.db")), has_graph=False)

    async def _warm(self, home: str) -> None:
        """Import whatever a first look imports, by one at nothing."""
        empty = empty_root(home, "nothing")
        await self._started(Agent(empty, await open_storage(empty.with_name("agent.db"))))
        await settled()

    async def _started(self, agent: Agent) -> Any:
        feature = self.made(agent)
        await feature.initialize()
        return feature

    async def _timed(self, work: Callable[[], Awaitable[object]]) -> Mapping[str, float]:
        with clocked() as taken:
            await work()
        await settled()
        return taken

    async def _tool(self, tool: str, **args: object) -> Mapping[str, float]:
        work = getattr(self.feature, f"skill_{tool}")
        answers: list[Any] = []

        async def used() -> None:
            answers.append(await work(**args))

        taken = await self._timed(used)
        assert answers[0].status.value in {"ok", "partial"}, answers[0]
        return taken

    async def _used(self, tool: str, **args: object) -> Any:
        """What a tool answers that is no part of what is measured, and whose own work behind is not, either."""
        answer = await getattr(self.feature, f"skill_{tool}")(**args)
        await settled()
        return answer.data


def main() -> None:
    """Answer. The process ends at once then: the host's storage may have threads."""
    logging.disable(logging.CRITICAL)
    os.environ.pop("KESTREL_HOME", None)
    os.environ.pop("KESTREL_SHARED_SKILLS_DIR", None)
    contender = Feature()
    with asyncio.Runner() as runner:
        serve(lambda do, asked: runner.run(getattr(contender, do)(**asked)))
        os._exit(0)


if __name__ == "__main__":
    main()
