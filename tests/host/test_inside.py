"""The feature in a booted agent, looked at from within."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from attrs import evolve

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import parse_address

from .inside import Inside

pytestmark = pytest.mark.host

CLAUSE = "procedural-skills"


def make(inside: Inside, name: str, **more: object) -> Any:
    """A skill."""
    return inside.use("skill_create", name=name, description=f"Use to {name}.", body="Begin.\n", **more)


@pytest.mark.parametrize("mode", ["ephemeral", "isolated", "deidentified"])
def test_modes_that_hide(inside: Inside, mode: str) -> None:
    """Nothing is shown, nothing said, nothing written; and all is back with the mode."""
    name = f"kept-in-{mode}"
    make(inside, name, enabled=True)
    before = inside.clauses()[CLAUSE]
    assert name in before
    inside.privacy(mode)
    try:
        assert inside.clauses()[CLAUSE] == ""
        assert inside.use("skill_list")["data"]["skills"] == []
        refusals = [
            make(inside, "written"),
            inside.use("skill_edit", name=name, append="More.\n"),
            inside.use("skill_disable", name=name),
            inside.use("skill_read", name=name),
        ]
        assert {refusal["data"]["reason_code"] for refusal in refusals} == {"hidden"}
    finally:
        inside.privacy("normal")
    assert inside.clauses()[CLAUSE] == before


@pytest.mark.parametrize("mode", ["anonymous", "public"])
def test_modes_that_hide_nothing(inside: Inside, mode: str) -> None:
    """Skills are no words of a user: they are shown, and may be changed."""
    name = f"shown-in-{mode}"
    inside.privacy(mode)
    try:
        assert make(inside, name, enabled=True)["status"] == "ok"
        assert name in inside.clauses()[CLAUSE]
    finally:
        inside.privacy("normal")


def test_a_change_waits_for_a_turn_a_bounded_time(inside: Inside) -> None:
    """Who holds the mode holds off writers, not readers; a writer is told so, and nothing is written."""
    lock = inside.agent._get_privacy_transition_lock()
    tools = {tool.name: tool for tool in inside.feature.get_tools()}
    arguments = {"name": "late", "description": "Use late.", "body": "Begin.\n"}

    async def beside(holder_is_in: asyncio.Event, over: asyncio.Event) -> None:
        async with lock:
            holder_is_in.set()
            await over.wait()

    async def both() -> tuple[Any, Any]:
        holder_is_in, over = asyncio.Event(), asyncio.Event()
        holder = asyncio.create_task(beside(holder_is_in, over))
        await holder_is_in.wait()
        try:
            return await tools["skill_list"].execute(), await tools["skill_create"].execute(**arguments)
        finally:
            over.set()
            await holder

    began = time.monotonic()
    listed, refused = inside.run(both())
    assert listed["status"] == "ok"
    assert refused["data"]["reason_code"] == "busy"
    assert time.monotonic() - began < 60  # it ends at all; how long it may wait is asked elsewhere
    assert inside.use("skill_create", **arguments)["status"] == "ok"


def test_a_turn_enters_the_mode_that_it_holds(inside: Inside) -> None:
    """A tool that is called by a turn, which holds the mode from its first to its last step, does not wait."""
    lock = inside.agent._get_privacy_transition_lock()
    (tool,) = (tool for tool in inside.feature.get_tools() if tool.name == "skill_create")

    async def turn() -> Any:
        async with lock:
            return await tool.execute(name="in-turn", description="Use in turn.", body="Begin.\n")

    assert inside.run(turn())["status"] == "ok"


def test_what_another_changed_during_a_turn_is_published_after_it(inside: Inside) -> None:
    """A tool of a turn that another tool of it keeps from the mode: what it saw is published when the turn is over.

    The task that does it has nothing of the turn's: it neither enters the turn's hold, nor holds up its end.
    """
    from kestrel_sovereign.storage.privacy_wrapper import bind_transition_lock_reentry

    make(inside, "turned", enabled=True)
    lock = inside.agent._get_privacy_transition_lock()
    (read,) = (tool for tool in inside.feature.get_tools() if tool.name == "skill_read")

    async def turn() -> str:
        goes_on = asyncio.Event()

        async def hold() -> None:
            async with lock:
                await goes_on.wait()

        async with lock:
            library = evolve((await inside.feature.desk()).library, mirror=None)
            await library.set_state(SetState(address=parse_address("turned"), enabled=False))
            with bind_transition_lock_reentry(lock.current_reentry_token()):
                holding = asyncio.create_task(hold())
                await asyncio.sleep(0)
                await asyncio.create_task(read.execute(name="turned"))
            goes_on.set()
            await holding
            for _ in range(9):
                await asyncio.sleep(0)
            during = inside.clauses()[CLAUSE]
        await inside.feature._clause.settled()
        return during

    assert "turned" in inside.run(turn())
    assert "turned" not in inside.clauses()[CLAUSE]


def test_initialising_again_changes_nothing(inside: Inside) -> None:
    """As often as one likes, on the same instance."""
    make(inside, "again", enabled=True)
    before = inside.clauses()[CLAUSE]
    for _ in range(3):
        inside.run(inside.feature.initialize())
    assert "again" in before
    assert inside.clauses()[CLAUSE] == before
    assert inside.use("skill_list")["status"] == "ok"


def test_switching_off_and_on(inside: Inside) -> None:
    """The clause goes with the feature, and comes back with what is on; so do the tools."""
    make(inside, "switched", enabled=True)
    before = inside.clauses()[CLAUSE]
    inside.switch(on=False)
    assert CLAUSE not in inside.clauses()
    inside.switch(on=True)
    assert inside.clauses()[CLAUSE] == before
    assert inside.use("skill_read", name="switched")["status"] == "ok"


def test_the_graph_follows(inside: Inside) -> None:
    """A node for each skill, soon, with what the contract says of it; it goes with the skill."""
    make(inside, "indexed", enabled=True, priority=9)
    node = inside.until(lambda: inside.nodes().get("indexed"))
    assert node.node_id.startswith("procedural-skill:")
    told = node.properties
    assert (told["agent_id"], told["description"]) == (inside.agent.did, "Use to indexed.")
    assert (told["source_id"], told["enabled"], told["priority"]) == ("agent-local", True, 9)
    inside.use("skill_disable", name="indexed")
    inside.until(lambda: not inside.nodes()["indexed"].properties["enabled"])
    assert inside.nodes()["indexed"].properties["created_at"] == told["created_at"]
    (shown,) = inside.use("skill_search", query="indexed")["data"]["skills"]
    inside.use("skill_delete", name="indexed", delete_revision=shown["delete_revision"])
    inside.until(lambda: "indexed" not in inside.nodes())
