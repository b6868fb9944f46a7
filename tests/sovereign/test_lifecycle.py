"""Nothing that is broken takes the agent down: the feature says so, and goes on once it is mended."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kestrel_sdk.features.contributions import validate_feature_contributions

from kestrel_skills_adapters.http.jobs import Installing
from kestrel_skills_adapters.sovereign import ProceduralSkillsFeature
from kestrel_skills_adapters.sql.hosted import HostedStates
from kestrel_skills_core.domain.commands import Create
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.index_entry import node_id
from kestrel_skills_core.domain.names import Generation, SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey
from tests.contracts.host_store import StandIn
from tests.sovereign.agent import DID, Agent, PrivacyConfig, asked, host_modules
from tests.sovereign.booted import URL, Feature, booted, document, write

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
        if feature._life is not None:
            await feature._life.index.settled()
        listed = await agent.use("skill_list")
        assert listed["data"].get("notes") or listed["status"] == "error"
        assert caplog.text.count("procedural skills: ")
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


def test_a_setting_that_cannot_be_meant(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It counts as unset, and each list says which it is and what to do; mended, the next start says nothing of it."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")
    monkeypatch.setenv("KESTREL_SKILLS_BUDGET_BYTES", "abc")
    told = (
        "KESTREL_SKILLS_BUDGET_BYTES: it is not a number of bytes, so that it counts as unset; "
        "set it to a whole number, as 8192, or unset it"
    )

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        listed = await agent.use("skill_list")
        assert (listed["status"], listed["data"]["notes"]) == ("ok", [told])
        assert listed["data"]["context"]["budget"] == 8192
        assert "sow" in agent.prompt
        monkeypatch.delenv("KESTREL_SKILLS_BUDGET_BYTES")
        await feature.initialize()
        assert "notes" not in (await agent.use("skill_list"))["data"]

    booted(agent, test)
    assert caplog.text.count(told) == 1


def test_an_identity_that_nobody_could_print(agent: Agent) -> None:
    """It is no setting of the environment: there are no skills, and the tools say why."""
    agent.did = "did:test:\n"

    async def test(feature: Feature) -> None:
        listed = await agent.use("skill_list")
        assert listed["data"]["reason_code"] == "source_unavailable"
        assert "agent: it is blank, or holds what cannot be printed" in listed["error"]

    booted(agent, test)


def test_a_shared_folder_that_is_not_there_is_listed_and_logged(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, however often it is looked for."""
    monkeypatch.setenv("KESTREL_SHARED_SKILLS_DIR", "/dev/null/none")

    async def test(feature: Feature) -> None:
        for _ in range(3):
            listed = await agent.use("skill_list")
            assert listed["status"] == "partial"
            assert "host-shared" in listed["data"]["notes"][0]

    booted(agent, test)
    assert caplog.text.count("the host-shared skills cannot be read") == 1


@pytest.mark.parametrize("broken", ["no database", "a database that is closed", "another table", "a graph that fails"])
def test_what_goes_wrong_is_logged_as_it_begins(
    agent: Agent, broken: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, though each list says it; and again where it had ended in between."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    def warnings() -> list[str]:
        return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]

    async def test(feature: Feature) -> None:
        async def listed() -> list[str]:
            await agent.use("skill_list")
            await feature._life.index.settled()
            return list((await agent.use("skill_list"))["data"].get("notes", []))

        async def breaks(name: str) -> None:
            BROKEN[broken](agent)
            if broken == "a graph that fails":  # nobody needs it before there is something to write
                await agent.use("skill_create", **SOW | {"name": name})

        assert await listed() == []
        assert warnings() == []
        whole = (agent._raw_storage, agent.database)
        await breaks("sow")
        first = await listed()
        assert first
        assert await listed() == first
        assert [f"procedural skills: {note}" for note in first] == warnings()
        if broken == "no database":
            agent._raw_storage, agent.database = whole
        elif broken == "a graph that fails":
            agent.graph.fails = False
        else:
            return
        assert await listed() == []
        await breaks("reap")
        assert await listed() == first
        assert len(warnings()) == 2 * len(first)

    booted(agent, test)


def test_more_notes_than_are_shown_are_counted(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Four are, and the log has all."""
    host_modules(monkeypatch, agent.home, cap=500)
    monkeypatch.setenv("KESTREL_SKILLS_BUDGET_BYTES", "abc")
    monkeypatch.setenv("KESTREL_SHARED_SKILLS_DIR", "/dev/null/none")
    for broken in ("no database", "no clauses"):
        BROKEN[broken](agent)

    async def test(feature: Feature) -> None:
        notes = (await agent.use("skill_search", query=""))["data"]["notes"]
        assert notes[4:] == ["and 2 more, in the log"]

    booted(agent, test)
    for word in (
        "BUDGET_BYTES",
        "host-shared",
        "no database",
        "refresh",
        "7,000 characters",
        "claims the tools",
    ):
        assert caplog.text.count(word) == 1, word


# One life after the other


class Disk:
    """The disk below a home, as the standard library asks it: it may be kept waiting, and says who asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self.answers = threading.Event()
        self.answers.set()
        self.is_asked = threading.Event()
        self.on_the_loop: list[str] = []
        self._loop, self._home = threading.get_ident(), str(home)
        for name in ("access", "listdir", "lstat", "mkdir", "open", "rename", "scandir", "stat", "unlink"):
            monkeypatch.setattr(os, name, partial(self._asked, name, getattr(os, name)))

    def _asked(self, name: str, ask: Callable[..., Any], *args: Any, **more: Any) -> Any:
        if threading.get_ident() == self._loop:
            self.on_the_loop.append(name)
        elif str(args[0]).startswith(self._home):
            self.is_asked.set()
            assert self.answers.wait(10), "what lets the disk answer waits for it"
        return ask(*args, **more)

    async def was_asked(self) -> None:
        """Wait until somebody waits for it."""
        await asyncio.to_thread(self.is_asked.wait, 10)


def test_a_disk_that_is_slow_to_answer_keeps_nothing_else_waiting(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that starts goes on meanwhile; and in all that the tools do, the loop itself asks the disk nothing."""
    monkeypatch.setenv("KESTREL_HOME", str(agent.home))
    disk = Disk(monkeypatch, agent.home)
    disk.answers.clear()

    async def test() -> None:
        starting = asyncio.create_task(agent.boot(Feature(agent)))
        await disk.was_asked()
        await asyncio.sleep(0.01)
        assert not starting.done()
        disk.answers.set()
        feature = await starting
        await agent.use("skill_create", **SOW, enabled=True)
        await agent.use("skill_read", name="sow")
        made = await agent.use("skill_edit", name="sow", append="More.\n")
        await agent.use("skill_list")
        await agent.use("skill_delete", name="sow", delete_revision=made["data"]["delete_revision"])
        await agent.use("skill_preview_install", source_url=URL)
        await agent.disable(feature)

    asyncio.run(test())
    assert disk.on_the_loop == []


def test_it_is_shut_down_while_it_begins(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun tells nobody any more, though it goes on to its end; the next tool begins anew."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        await feature._life.index.settled()
        await agent.disable(feature)
        (clause,) = feature.get_context_clause_registrations()
        before = clause.renderer()
        agent.graph.rows.clear()
        write(agent, "sow", document("sow", "Use to sow in rows."))
        with pytest.MonkeyPatch.context() as patch:
            disk = Disk(patch, agent.home)
            disk.answers.clear()
            beginning = asyncio.create_task(feature.initialize())
            await disk.was_asked()
            index = feature._life.index
            await feature.shutdown()
            await feature.shutdown()
            disk.answers.set()
            await beginning
        await index.settled()
        assert (clause.renderer(), agent.graph.rows, feature._life) == (before, {}, None)
        assert (await asked(feature, "skill_read", name="sow"))["status"] == "ok"
        await agent.enable(feature)
        assert "sow in rows" in agent.prompt

    booted(agent, test)


def test_whoever_asks_at_once_has_the_same_skills(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is initialised, while it is, and after it was shut down; each begins once."""
    feature = Feature(agent)
    begun: list[str] = []
    real = os.mkdir

    def mkdir(path: Any, *args: Any, **more: Any) -> None:
        begun.append(str(path))
        real(path, *args, **more)

    monkeypatch.setattr(os, "mkdir", mkdir)

    async def test() -> None:
        for _ in range(2):
            begun.clear()
            desks = await asyncio.gather(*(feature.desk() for _ in range(5)))
            assert len({id(desk) for desk in desks}) == 1
            assert begun.count(str(agent.skills)) == 1
            await asyncio.gather(feature.initialize(), feature.initialize(), feature.skill_list())
            assert await feature.desk() is not desks[0]
            await asyncio.gather(feature.shutdown(), feature.shutdown())

    asyncio.run(test())


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
        read = await agent.use("skill_read", name="sow")
        assert (read["status"], read["data"]["content"]) == ("partial", "\n# Sow\n")
        assert "nobody knows whether it is on" in read["error"]
        assert (await agent.use("skill_enable", name="sow"))["data"]["reason_code"] == "state_unavailable"
        agent._raw_storage.db = database
        await agent.use("skill_list")
        assert agent.prompt == before

    booted(agent, test)


@pytest.mark.parametrize("tool", ["skill_read", "skill_enable", "skill_disable"])
def test_whoever_finds_that_the_database_fails_has_all_off_and_said(
    agent: Agent, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    """By a look at one skill: no other is in the prompt, the log says so once, and so does a list; until it answers."""
    line = "what is enabled cannot be read or written"

    def said(feature: Feature) -> bool:
        return any(line in note for note in feature._notes.lines())

    async def test(feature: Feature) -> None:
        for name in ("one", "two"):
            await agent.use("skill_create", **SOW | {"name": name}, enabled=True)
        before, database = agent.prompt, agent._raw_storage.db
        agent._raw_storage.db = Raising()
        for _ in range(2):
            await agent.use(tool, name="one")
            assert (agent.prompt, said(feature)) == ("", True)
        listed = (await agent.use("skill_list"))["data"]["notes"]
        assert sum(line in note for note in listed) == 1
        agent._raw_storage.db = database
        await agent.use("skill_read", name="one")
        assert 'name="two"' in agent.prompt
        assert (agent.prompt == before) is (tool != "skill_disable")
        assert not said(feature)
        assert caplog.text.count(line) == 1

    booted(agent, test)


def test_a_graph_that_never_answers_is_said_until_it_does(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every list; it keeps nobody waiting, and what is told meanwhile does not pile up."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    async def test(feature: Feature) -> None:
        await feature._life.index.settled()
        answers, asked = asyncio.Event(), StandIn.get_node

        async def waits(*asking: Any) -> Any:
            await answers.wait()
            return await asked(*asking)

        async def noted() -> bool:
            notes = (await agent.use("skill_search", query=""))["data"].get("notes", [])
            return any("has kept it waiting" in note for note in notes)

        monkeypatch.setattr(StandIn, "get_node", waits)
        feature._life.index.patience = 0.0
        await agent.use("skill_create", **SOW)
        for _ in range(5):
            await agent.use("skill_edit", name="sow", append="More.\n")
            assert await noted()
        assert len(feature._life.index._waiting) == 1
        answers.set()
        await feature._life.index.settled()
        assert feature._notes.lines() == []

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
        assert feature._life is not None
        await feature._life.index.settled()
        assert '"enabled": false' in agent.graph.rows[node].properties
        await agent.use("skill_enable", name="sow")
        await feature._life.index.settled()
        assert '"enabled": true' in agent.graph.rows[node].properties
        await agent.use("skill_delete", name="sow", delete_revision=made["data"]["delete_revision"])
        await feature._life.index.settled()
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


OWNER = ".kestrel-internal/owner.json"
"""What a start leaves in the root."""


async def queued(agent: Agent, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Let some work of another task come to where it waits for the privacy mode, which a turn holds."""
    entered, task = agent.lock.entered, asyncio.create_task(work)
    while agent.lock.entered == entered:
        await asyncio.wait([task], timeout=0.001)
    return task


async def boot_beside_a_turn(agent: Agent) -> Any:
    """The feature, which began while a turn of another task held the mode, so that its skills could not be started."""
    feature = await asyncio.create_task(agent.boot(Feature(agent)))
    assert not (agent.skills / OWNER).exists()
    return feature


def test_readers_beside_a_turn_wait_for_nothing(agent: Agent) -> None:
    """Nor do they take the lock that it holds, whether the skills could be started or not; its own tool starts them."""
    write(agent, "sow")

    async def test() -> None:
        async with agent.turn():
            feature = await boot_beside_a_turn(agent)
            entered = agent.lock.entered
            for _ in range(2):
                desk = await asyncio.create_task(feature._asked_over_http(None))
                assert len((await asyncio.create_task(desk.library.catalog())).catalog.records) == 1
            assert agent.lock.entered == entered
            starting = asyncio.create_task(feature._life.start())
            for _ in range(9):
                await asyncio.sleep(0)
            assert starting.done()
            assert (await asked(feature, "skill_list"))["data"]["total"] == 1
            assert (agent.skills / OWNER).exists()
        await feature.shutdown()

    asyncio.run(test())


def test_nothing_is_changed_before_the_start_was_tried(agent: Agent) -> None:
    """Who asks for a change while a turn keeps the start off changes nothing before that is made up for."""
    write(agent, "sow")
    (agent.skills / "sow" / ".kestrel-generation").write_bytes(render_marker(Generation("a1" * 32)))

    async def test() -> None:
        states = HostedStates(lambda: agent.database, agent.did)
        await states.put(StateKey(SkillName("sow")), SkillState(enabled=True, subject=None))
        async with agent.turn():
            feature = await boot_beside_a_turn(agent)
            library = (await feature._asked_over_http(None)).library
            change = Create.written(SkillName("reap"), "Use to reap.", "Reap.", enabled=True, priority=100)
            changing = await queued(agent, library.create(change))
            assert agent.prompt == ""
        await changing
        await feature._clause.settled()
        assert (agent.skills / OWNER).exists()
        assert [word for word in ("sow", "reap") if word in agent.prompt] == ["sow", "reap"]
        await feature.shutdown()

    asyncio.run(test())


def test_a_start_that_goes_on_keeps_no_reader_waiting(agent: Agent) -> None:
    """Whoever finds one under way reads beside it."""

    async def test() -> None:
        waits, goes_on = asyncio.Event(), asyncio.Event()

        async def answers() -> None:
            agent.database.answers = None
            waits.set()
            await goes_on.wait()

        feature = Feature(agent)
        await feature._asked_over_http(None)
        agent.database.answers = answers
        starting = asyncio.create_task(feature.initialize())
        await waits.wait()
        async with asyncio.timeout(30):
            assert (await feature.skill_search("")).data is not None
        assert not starting.done()
        goes_on.set()
        await starting
        await feature.shutdown()

    asyncio.run(test())


@pytest.mark.parametrize("again", ["initialised", "disabled and enabled"])
def test_what_an_old_life_changes_is_looked_at_again(agent: Agent, again: str) -> None:
    """A change that was decided before the feature began anew, and is written after that has looked, ends in sight."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        async with agent.turn():
            changing = await queued(agent, feature.skill_disable("sow"))
            if again == "initialised":
                await feature.initialize()
            else:
                await agent.disable(feature)
                await agent.enable(feature)
            assert "sow" in agent.prompt
        assert (await changing).data["enabled"] is False
        assert agent.prompt == ""

    booted(agent, test)


def test_what_an_old_life_sees_is_looked_at_again(agent: Agent) -> None:
    """All of it, and what it loses sight of; what there is now says so of itself."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        old = (await feature.desk()).library
        await feature.initialize()
        await old.mirror.lost(SkillName("sow"))
        assert "sow" in agent.prompt
        shutil.rmtree(agent.skills / "sow")
        await old.catalog()
        assert agent.prompt == ""

    booted(agent, test)


def test_initialised_again_while_it_is_at_work_the_prompt_follows(agent: Agent) -> None:
    """Without anybody looking afterwards, as no host asks for the clause then."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        shutil.rmtree(agent.skills / "sow")
        await feature.initialize()
        assert agent.prompt == ""

    booted(agent, test)


def test_what_is_fetched_for_a_request_ends_with_the_feature(agent: Agent) -> None:
    """Nothing lands for an agent whose skills were switched off meanwhile."""

    async def test(feature: Feature) -> None:
        jobs = (await feature._asked_over_http(None)).jobs

        async def fetch(_: object) -> Any:
            await asyncio.Event().wait()

        async def land(_: object) -> Any:
            raise AssertionError

        job = jobs.start(Installing(fetch, land))
        await asyncio.sleep(0)
        await agent.disable(feature)
        assert job.state == "cancelled"

    booted(agent, test)


def test_nothing_follows_a_feature_that_was_shut_down(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the graph nor the prompt, whatever is told late by what it was."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    async def test(feature: Any) -> None:
        await agent.use("skill_create", name="sow", description="Use to sow.", body="Sow.", enabled=True)
        library = (await feature.desk()).library
        catalog = (await library.catalog()).catalog
        index = feature._life.index
        await index.settled()
        await feature.shutdown()
        rows, prompt = dict(agent.graph.rows), agent.prompt
        assert len(rows) == 1
        await library.mirror.changed(catalog.records[0].name, None)
        await index.settled()
        assert (agent.graph.rows, agent.prompt) == (rows, prompt)

    booted(agent, test)
