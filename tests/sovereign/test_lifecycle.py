"""Nothing that is broken takes the agent down: the feature says so, and goes on once it is mended."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kestrel_sdk.features.contributions import validate_feature_contributions

from kestrel_skills_adapters.sovereign import ProceduralSkillsFeature
from kestrel_skills_adapters.sql.hosted import HostedStates
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.index_entry import node_id
from kestrel_skills_core.domain.names import Generation, SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey
from tests.sovereign.agent import DID, Agent, PrivacyConfig, asked, host_modules
from tests.sovereign.booted import Feature, booted, document, write

SOW = {"name": "sow", "description": "Use to sow.", "body": "# Sow\n"}


class Raising:
    """Something of the host's that raises, whatever is asked of it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("/srv/kite: closed")


def lock_that_raises() -> Any:
    """As a lock that cannot be had."""
    raise RuntimeError("/srv/kite")


def make_table(agent: Agent) -> None:
    """Make a table of the name of that of states, that is another."""
    other = "CREATE TABLE bootstrap_config (other TEXT)"
    agent.database._thread.submit(agent.database._connection.execute, other).result()


BROKEN: dict[str, Callable[[Agent], Any]] = {
    "no identity": lambda agent: setattr(agent, "did", ""),
    "an identity that is none": lambda agent: setattr(agent, "did", 7),
    "no data folder": lambda agent: setattr(agent, "storage_path", None),
    "a database in memory": lambda agent: setattr(agent, "storage_path", ":memory:"),
    "a root that is a file": lambda agent: agent.skills.write_text("This is no folder."),
    "a root that cannot be read": lambda agent: agent.skills.mkdir(0),
    "no database": lambda agent: setattr(agent, "_raw_storage", None),
    "a database that raises": lambda agent: setattr(agent, "_raw_storage", Raising()),
    "a database that is closed": lambda agent: agent.database.close(),
    "another table": make_table,
    "a graph that fails": lambda agent: setattr(agent.graph, "fails", True),
    "no privacy mode": lambda agent: setattr(agent, "privacy_config", None),
    "a privacy mode that raises": lambda agent: setattr(agent, "privacy_config", Raising()),
    "a privacy mode that cannot be held": lambda agent: setattr(
        agent, "_get_privacy_transition_lock", lock_that_raises
    ),
    "no clauses": lambda agent: setattr(agent, "refresh_feature_context_clauses", None),
}


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.usefixtures("permissions_bind")
def test_whatever_is_broken_the_agent_boots(
    agent: Agent, broken: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The feature says so by every list and in the log, shows nothing that it cannot know, and answers every tool."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")
    BROKEN[broken](agent)

    async def test(feature: Feature) -> None:
        assert agent.prompt == ""
        listed = await agent.use("skill_list")
        is_said = bool(listed["data"].get("notes")) or listed["status"] == "error"
        assert is_said is (broken != "a graph that fails")
        for tool, args in (
            ("skill_search", {"query": "sow"}),
            ("skill_read", {"name": "sow"}),
            ("skill_create", SOW | {"enabled": True}),
            ("skill_edit", {"name": "sow", "append": "x"}),
            ("skill_enable", {"name": "sow"}),
            ("skill_disable", {"name": "sow"}),
            ("skill_delete", {"name": "sow", "delete_revision": "0" * 64}),
        ):
            result = await agent.use(tool, **args)
            assert "/srv" not in str(result)
            assert str(agent.home) not in str(result)
            assert result["data"].get("reason_code") != "internal", (tool, result)
        await feature.prepare_context_clause_refresh()
        await agent.disable(feature)
        await agent.enable(feature)

    booted(agent, test)
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("name", "value"),
    [("KESTREL_SKILLS_BUDGET_BYTES", "many"), ("KESTREL_SHARED_SKILLS_DIR", "/dev/null/none")],
)
def test_a_setting_that_cannot_be_meant(agent: Agent, name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told by each tool, or by the list; mended, the next call goes on."""
    monkeypatch.setenv(name, value)

    async def test(feature: Feature) -> None:
        listed = await agent.use("skill_list")
        assert listed["status"] in {"error", "partial"}
        assert value not in str(listed) or name in str(listed)
        monkeypatch.delenv(name)
        await feature.initialize()
        assert (await agent.use("skill_list"))["status"] == "ok"

    booted(agent, test)


def test_everything_may_be_asked_before_it_is_initialised(agent: Agent) -> None:
    """Every getter and every property; nothing is opened by it, and the clause is empty."""
    for feature in (ProceduralSkillsFeature(agent), ProceduralSkillsFeature(Raising())):
        tools = feature.get_tools()
        assert len(tools) == 10
        assert len(inspect.getmembers(feature)) > len(tools)
        validate_feature_contributions(
            feature.contribution_owner,
            tool_names=tuple(tool.name for tool in tools),
            services=(),
            wait_providers=(),
            workflows=(),
            permission_defaults=feature.get_feature_permission_defaults(),
            setup_steps=(),
            context_clauses=feature.get_context_clause_registrations(),
        )
        (clause,) = feature.get_context_clause_registrations()
        assert feature.get_context_clause_registrations() == (clause,)
        assert (clause.name, clause.renderer()) == ("procedural-skills", "")
        assert feature.get_router() is feature.get_router()
        assert feature.get_ui_contributions() == feature.get_ui_contributions()
        assert feature.get_hooks() == feature.get_hooks()
    assert not agent.skills.exists()


def test_an_agent_that_only_raises(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing leaves the feature, whatever it is asked."""

    async def test() -> None:
        feature = ProceduralSkillsFeature(Raising())
        await feature.initialize()
        await feature.on_enable()
        await feature.post_all_features_loaded(None)
        await feature.on_agent_ready(None)
        await feature.prepare_context_clause_refresh()
        assert (await asked(feature, "skill_list"))["data"]["reason_code"] == "source_unavailable"
        await feature.on_disable()
        await feature.shutdown()

    asyncio.run(test())
    assert "no identity" in caplog.text


def test_it_is_shut_down_before_it_began() -> None:
    """As where the boot of another feature failed."""

    async def test() -> None:
        feature = ProceduralSkillsFeature(Raising())
        await feature.on_disable()
        await feature.shutdown()
        await feature.shutdown()

    asyncio.run(test())


def test_the_same_instance_is_disabled_and_enabled_again(agent: Agent) -> None:
    """Its clause goes and comes back; whatever was done meanwhile by hand is seen."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        before = agent.prompt
        await agent.disable(feature)
        assert agent.prompt == ""
        write(agent, "reap")
        await agent.enable(feature)
        assert agent.prompt == before
        assert (await agent.use("skill_list"))["data"]["total"] == 2
        await feature.initialize()
        await feature.initialize()
        assert (await agent.use("skill_disable", name="sow"))["status"] == "ok"
        assert agent.prompt == ""

    booted(agent, test)


def test_a_database_that_fails_in_between(agent: Agent) -> None:
    """All is off and said, reading goes on, and all is on again when it answers."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        before, database = agent.prompt, agent._raw_storage.db
        agent._raw_storage.db = Raising()
        listed = await agent.use("skill_list")
        assert (listed["status"], listed["data"]["skills"][0]["enabled"], agent.prompt) == ("partial", False, "")
        assert (await agent.use("skill_read", name="sow"))["status"] == "ok"
        assert (await agent.use("skill_enable", name="sow"))["data"]["reason_code"] == "state_unavailable"
        agent._raw_storage.db = database
        await agent.use("skill_list")
        assert agent.prompt == before

    booted(agent, test)


def test_what_is_turned_off_while_the_database_fails_stays_off(agent: Agent) -> None:
    """By a mark on the disk, whatever the table says later."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        database = agent._raw_storage.db
        agent._raw_storage.db = Raising()
        await agent.use("skill_disable", name="sow")
        agent._raw_storage.db = database
        await agent.use("skill_list")
        assert agent.prompt == ""
        await agent.use("skill_enable", name="sow")
        assert "sow" in agent.prompt

    booted(agent, test)


def test_a_database_that_answers_late_keeps_nobody_else_waiting(agent: Agent) -> None:
    """While one tool waits for it, another one that needs no answer of it goes on."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW)
        waits, goes_on = asyncio.Event(), asyncio.Event()

        async def answers() -> None:
            waits.set()
            await goes_on.wait()

        agent.database.answers = answers
        looking = asyncio.create_task(feature.skill_list())
        await waits.wait()
        agent.database.answers = None
        assert (await agent.use("skill_read", name="sow"))["status"] == "ok"
        goes_on.set()
        assert (await looking).data is not None

    booted(agent, test)


def test_a_change_beside_a_turn_of_another_is_busy(agent: Agent) -> None:
    """It waits no longer than it may, changes nothing, and says who keeps it."""

    async def test(feature: Feature) -> None:
        desk = await feature.desk()
        object.__setattr__(desk.library.privacy, "wait", 0.01)
        async with agent.turn():
            result = await asyncio.create_task(feature.skill_create(**SOW))
            assert result.data is not None
            assert (result.data["reason_code"], result.error.count("turn")) == ("busy", 1)
        assert not (agent.skills / "sow").exists()

    booted(agent, test)


def test_the_graph_follows_behind(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """One node for each skill; made, changed and gone with it, after the answer."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")
    node = node_id(DID, SkillName("sow"))

    async def test(feature: Feature) -> None:
        made = await agent.use("skill_create", **SOW)
        assert feature._index is not None
        await feature._index.settled()
        assert '"enabled": false' in agent.graph.rows[node].properties
        await agent.use("skill_enable", name="sow")
        await feature._index.settled()
        assert '"enabled": true' in agent.graph.rows[node].properties
        await agent.use("skill_delete", name="sow", delete_revision=made["data"]["delete_revision"])
        await feature._index.settled()
        assert agent.graph.rows == {}

    booted(agent, test)


def test_whose_a_root_is_is_left_in_it(agent: Agent) -> None:
    """For whoever comes by the command line: the DID, and the file of the table."""

    async def test(feature: Feature) -> None:
        owner = (agent.skills / ".kestrel-internal" / "owner.json").read_text()
        assert DID in owner
        assert "kestrel_prime.db" in owner

    booted(agent, test)


def test_a_root_that_was_another_agents_is_said(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    """In the log, as two agents may be working on it; it is this one's from then on."""

    async def nothing(feature: Feature) -> None:
        assert (await agent.use("skill_list"))["status"] == "ok"

    booted(agent, nothing)
    assert "were those of" not in caplog.text
    agent.did = "did:test:other"
    booted(agent, nothing)
    assert f"the skills of did:test:other were those of {DID} until now" in caplog.text
    assert "did:test:other" in (agent.skills / ".kestrel-internal" / "owner.json").read_text()


def test_a_bug_of_ours_ends_no_start(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    """It is in the log, whole, and the prompt shows nothing."""

    class Broken(Feature):
        async def desk(self) -> Any:
            raise LookupError("of ours")

    async def test() -> None:
        feature = await agent.boot(Broken(agent))
        await feature.prepare_context_clause_refresh()
        assert agent.prompt == ""
        assert (await agent.use("skill_search", query=""))["data"] == {"reason_code": "internal"}
        await feature.shutdown()

    asyncio.run(test())
    assert "LookupError: of ours" in caplog.text


def test_what_is_missing_at_the_start_may_come_later(agent: Agent) -> None:
    """An agent gets its identity after the feature began: the next tool works, and what is on enters the prompt."""
    agent.did = ""

    async def test(feature: Feature) -> None:
        assert (await agent.use("skill_create", **SOW))["data"]["reason_code"] == "source_unavailable"
        agent.did = DID
        await agent.use("skill_create", **SOW, enabled=True)
        assert "sow" in agent.prompt
        assert (agent.skills / ".kestrel-internal" / "owner.json").exists()

    booted(agent, test)


def test_a_folder_that_the_host_names_is_the_root(agent: Agent, tmp_path: Path) -> None:
    """As 0.1.0 found it, in its order; without following links."""
    agent.procedural_skills_root = tmp_path / "named" / ".." / "here"  # type: ignore[attr-defined]
    (tmp_path / "here" / "sow").mkdir(parents=True)
    (tmp_path / "here" / "sow" / "SKILL.md").write_text(document("sow"))

    async def test(feature: Feature) -> None:
        assert (await agent.use("skill_read", name="sow"))["status"] == "ok"

    booted(agent, test)


def test_a_start_that_failed_is_made_up_for(agent: Agent) -> None:
    """Without its database an agent starts, and adopts nothing; with it, the first tool makes up for it."""
    write(agent, "sow", document("sow"))
    (agent.skills / "sow" / ".kestrel-generation").write_bytes(render_marker(Generation("a1" * 32)))
    key, inert = StateKey(SkillName("sow")), SkillState(enabled=True, subject=None)

    async def test(feature: Any) -> None:
        await HostedStates(lambda: agent.database, agent.did).put(key, inert)
        agent._raw_storage = None
        await feature.shutdown()
        await feature.initialize()
        agent._raw_storage = SimpleNamespace(db=agent.database)
        (skill,) = (await agent.use("skill_list"))["data"]["skills"]
        assert skill["enabled"]
        assert "sow" in agent.prompt

    booted(agent, test)


def test_what_a_hidden_start_left_is_done_when_all_is_shown(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    """A home of 0.1.0 that is opened in a mode that hides is adopted when the mode is left, and waits till then."""
    write(agent, "sow", document("sow"))
    (agent.skills / "sow" / ".kestrel-generation").write_bytes(render_marker(Generation("a1" * 32)))
    agent.privacy_config = PrivacyConfig("ephemeral")

    async def test(feature: Any) -> None:
        states = HostedStates(lambda: agent.database, agent.did)
        await states.put(StateKey(SkillName("sow")), SkillState(enabled=True, subject=None))
        assert agent.prompt == ""
        assert "hidden" not in caplog.text
        await agent.set_privacy_mode("normal")
        assert "sow" in agent.prompt

    booted(agent, test)


def test_nothing_follows_a_feature_that_was_shut_down(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the graph nor the prompt, whatever is told late by what it was."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    async def test(feature: Any) -> None:
        await agent.use("skill_create", name="sow", description="Use to sow.", body="Sow.", enabled=True)
        library = (await feature.desk()).library
        catalog = (await library.catalog()).catalog
        index = feature._index
        await index.settled()
        await feature.shutdown()
        rows, prompt = dict(agent.graph.rows), agent.prompt
        assert len(rows) == 1
        await library.mirror.changed(catalog.records[0].name, None)
        await index.settled()
        assert (agent.graph.rows, agent.prompt) == (rows, prompt)

    booted(agent, test)
