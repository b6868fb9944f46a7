"""An agent in this process, for tests that must look into it: it is booted, changed and shut down as a server does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from .lab import FEATURE, Home

__all__ = ["Inside", "booted"]

T = TypeVar("T")


class Inside:
    """A booted agent. The loop that it lives in turns only while something is asked of it."""

    def __init__(self, agent: Any, runner: asyncio.Runner, feature: str, took: float) -> None:
        self.agent = agent
        self.took = took
        """The seconds of processor, of all threads, that its start took."""
        self._runner = runner
        self._feature = feature

    @property
    def feature(self) -> Any:
        """The feature itself."""
        return self.agent.features[self._feature]

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Let something be done in the agent's loop."""
        return self._runner.run(work)

    def say(self, text: str) -> str:
        """Say something to the agent."""
        return str(self.run(self.agent.process_input(text)))

    def until(self, look: Callable[[], T], *, within: float = 60.0) -> T:
        """What `look` gives as soon as it gives something true; meanwhile what the agent does behind goes on.

        Raises:
            TimeoutError: It gave nothing true.
        """
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            if found := look():
                return found
            self.run(asyncio.sleep(0.05))
        raise TimeoutError(look)

    def nodes(self) -> dict[str, Any]:
        """The nodes of the graph that index skills, by the name of the skill."""
        found = self.run(self.agent.storage.get_nodes_by_type("procedural_skill"))
        return {node.properties["name"]: node for node in found}

    def use(self, tool: str, **args: object) -> Any:
        """What a tool of the feature gives, with nobody asked for leave."""
        tools = {each.name: each for each in self.feature.get_tools()}
        return self.run(tools[tool].execute(**args))

    def privacy(self, mode: str) -> None:
        """Change the privacy mode, and confirm it where the host asks for that."""
        from kestrel_sovereign.privacy import PrivacyMode

        self.run(self.agent.set_privacy_mode(PrivacyMode[mode.upper()]))
        if self.agent.privacy_mode.value != mode:
            self.run(self.agent.confirm_privacy_transition())
        assert self.agent.privacy_mode.value == mode

    def switch(self, *, on: bool) -> None:
        """Disable or enable the feature, by what the host's own routes call."""
        if on:
            self.run(self.agent._activate_feature_runtime(self._feature_object))
        else:
            self._feature_object = self.feature
            self.run(self.agent._unregister_feature_runtime(self._feature_object, unload=False))

    def clauses(self) -> dict[str, str]:
        """What the features have the host say in its prompt, by the name of the clause."""
        found = self.agent.feature_contribution_runtime.context_clause_registry.snapshot()
        return {each.name: each.body for each in found}


@contextmanager
def booted(home: Home, feature: str = FEATURE, also: Iterable[str] = (), server: str | None = None) -> Iterator[Inside]:
    """The agent of a home that has been incepted, with one feature, and others beside it; by a URL, on a server."""
    from kestrel_sovereign.kestrel_agent import KestrelAgent

    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        for name, value in {**home.environ, **home.secrets()}.items():
            if name.startswith("KESTREL_"):
                patch.setenv(name, value)
        patch.chdir(home.folder)
        on_server = {} if server is None else {"database_url": server, "db_backend": "postgres"}

        async def boot() -> Any:
            agent = KestrelAgent(
                did=home.did,
                storage_path=str(home.data / "kestrel_prime.db"),
                allowed_features={feature, "BootstrapFeature", *also},
                **on_server,
            )
            await agent.initialize()
            return agent

        began = time.process_time()
        agent = runner.run(boot())
        inside = Inside(agent, runner, feature, time.process_time() - began)
        try:
            inside.say("!skip-discovery")
            yield inside
        finally:
            runner.run(inside.agent.shutdown())
