"""Which tools ask; and what is left out where the host's own `SkillsFeature` will be loaded, too."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from kestrel_sdk.features.contributions import PermissionLevel

from kestrel_skills_adapters.sovereign import ProceduralSkillsFeature
from tests.servers.postgres import Cluster
from tests.sovereign.agent import DID, Agent, host_modules
from tests.sovereign.booted import Feature, booted

ALL = {
    "skill_list",
    "skill_search",
    "skill_read",
    "skill_create",
    "skill_edit",
    "skill_enable",
    "skill_disable",
    "skill_preview_install",
    "skill_delete",
    "skill_install",
}
CLAIMED = {"skill_list", "skill_delete"}
TABLE = "CREATE TABLE feature_enablement (agent_did TEXT, kind TEXT, name TEXT, state TEXT)"


def tools(agent: Any) -> set[str]:
    """The tools that a new feature offers, where they agree with their commands and permissions."""
    feature = ProceduralSkillsFeature(agent)
    found = {tool.name: tool.schema.command_prefix for tool in feature.get_tools()}
    assert set(feature.get_feature_permission_defaults().tool_overrides) == set(found)
    words = {name: name.removeprefix("skill_").removesuffix("_install") for name in found} | {
        "skill_install": "install"
    }
    assert all(prefix == f"!skill {words[name]}" for name, prefix in found.items())
    return set(found)


def deltas(agent: Agent, *rows: tuple[str, str, str, str]) -> None:
    """What the agent switched on and off since it was made, as the host keeps it."""
    with closing(sqlite3.connect(str(agent.storage_path))) as connection, connection:
        connection.execute(TABLE)
        connection.executemany("INSERT INTO feature_enablement VALUES (?, ?, ?, ?)", rows)


@pytest.fixture
def hosted(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent in a host, which bundles the feature."""
    host_modules(monkeypatch, agent.home)
    return agent


def test_the_permissions_are_those_of_the_contract() -> None:
    """Reading asks nobody; what changes asks; what deletes or installs asks always, and so does the feature."""
    asks = ProceduralSkillsFeature(SimpleNamespace()).get_feature_permission_defaults()
    ask, always = PermissionLevel.ASK, PermissionLevel.ALWAYS_ASK
    assert asks.feature_default is ask
    assert asks.tool_overrides == {
        "skill_list": PermissionLevel.ALLOW,
        "skill_search": PermissionLevel.ALLOW,
        "skill_read": PermissionLevel.ALLOW,
        "skill_create": ask,
        "skill_edit": ask,
        "skill_enable": ask,
        "skill_disable": ask,
        "skill_preview_install": ask,
        "skill_delete": always,
        "skill_install": always,
    }
    assert ProceduralSkillsFeature.promote_tools_on_startup is True


def test_without_a_host_nothing_is_left_out(agent: Agent) -> None:
    """There is nothing that could claim a name."""
    assert tools(agent) == ALL


def test_a_host_that_bundles_nothing(hosted: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one might that no longer has it."""
    monkeypatch.delitem(sys.modules, "kestrel_sovereign.features.skills")
    assert tools(hosted) == ALL


def test_beside_it_the_claimed_names_are_left_out(hosted: Agent) -> None:
    """Tools, commands and permissions together; the agent boots, and is told what to disable."""
    assert tools(hosted) == ALL - CLAIMED

    async def test(feature: Feature) -> None:
        found = await hosted.use("skill_search", query="")
        (note,) = found["data"]["notes"]
        assert "skill_delete and skill_list" in note
        assert "disable SkillsFeature" in note
        assert found["status"] == "ok"

    booted(hosted, test)


def test_an_operator_disabled_it_by_the_environment(hosted: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among others."""
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "VoiceFeature, SkillsFeature")
    assert tools(hosted) == ALL


def test_an_operator_disabled_it_in_the_project(hosted: Agent) -> None:
    """In `kestrel.toml`."""
    (hosted.home / "kestrel.toml").write_text('[features]\ndisabled = ["SkillsFeature"]\n')
    assert tools(hosted) == ALL


@pytest.mark.parametrize(
    ("profile", "state", "is_loaded"),
    [
        (None, None, True),
        (None, "disabled", False),
        (None, "enabled", True),
        ({"SkillsFeature"}, None, True),
        ({"SkillsFeature"}, "disabled", False),
        ({"ProceduralSkillsFeature"}, None, False),
        ({"ProceduralSkillsFeature"}, "enabled", True),
    ],
)
def test_the_profile_and_what_the_agent_switched_since(
    hosted: Agent, profile: set[str] | None, state: str | None, is_loaded: bool
) -> None:
    """What the agent itself switched wins over its profile; rows of others and of other kinds say nothing."""
    hosted._allowed_features = None if profile is None else frozenset(profile)
    others = [
        ("did:test:other", "feature", "SkillsFeature", "disabled"),
        (DID, "mcp_server", "SkillsFeature", "disabled"),
    ]
    deltas(hosted, *others, *([] if state is None else [(DID, "feature", "SkillsFeature", state)]))
    assert tools(hosted) == (ALL - CLAIMED if is_loaded else ALL)


def test_a_database_that_was_never_asked_has_no_such_table(hosted: Agent) -> None:
    """Nothing was switched: the profile says."""
    hosted._allowed_features = frozenset({"ProceduralSkillsFeature"})
    assert tools(hosted) == ALL


def test_a_database_in_memory_is_new(hosted: Agent) -> None:
    """Nothing outlived the last start."""
    hosted._allowed_features = frozenset({"ProceduralSkillsFeature"})
    hosted.database.backend = SimpleNamespace(db_path=":memory:")
    assert tools(hosted) == ALL


@pytest.mark.parametrize("unknown", ["no database", "no file", "no backend", "no modules", "no answer"])
def test_where_nobody_can_tell_it_is_taken_for_loaded(
    hosted: Agent, unknown: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A name too few is said and mended; a name too many would end the agent."""
    hosted._allowed_features = frozenset({"ProceduralSkillsFeature"})
    if unknown == "no database":
        hosted._raw_storage = None
    elif unknown == "no modules":
        monkeypatch.setitem(sys.modules, "kestrel_sovereign.features", ModuleType("other"))
    elif unknown == "no answer":

        async def connect(*_: str, **__: float) -> None:
            await asyncio.Event().wait()

        driver = ModuleType("asyncpg")
        driver.connect = connect  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "asyncpg", driver)
        hosted.database.backend = SimpleNamespace(_dsn="postgresql://host/database")
    else:
        backend = SimpleNamespace(db_path=str(tmp_path / "none")) if unknown == "no file" else None
        hosted.database.backend = backend  # type: ignore[assignment]
    assert tools(hosted) == ALL - CLAIMED


@pytest.mark.parametrize("profile", ["ProceduralSkillsFeature", "SkillsFeature"])
def test_where_the_host_could_not_open_what_it_keeps_the_profile_says(hosted: Agent, profile: str) -> None:
    """The host itself then goes by nothing else."""
    hosted._allowed_features = frozenset({profile})
    hosted._raw_storage = None
    hosted._feature_enablement_store = None  # type: ignore[attr-defined]
    assert tools(hosted) == (ALL - CLAIMED if profile == "SkillsFeature" else ALL)


def test_it_is_decided_once(hosted: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is active nothing moves; an agent that gets its skills back decides anew, whoever asked meanwhile."""

    async def test(feature: Feature) -> None:
        assert len(feature.get_tools()) == 8
        monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")
        assert len(feature.get_tools()) == 8
        await hosted.disable(feature)
        monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "")
        assert len(feature.get_tools()) == 8
        monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")
        await hosted.enable(feature)
        assert len(feature.get_tools()) == 10
        assert "notes" not in (await hosted.use("skill_list"))["data"]

    booted(hosted, test)


class Flapping:
    """Where a database is, which cannot be told the first times."""

    def __init__(self, path: str, unknown: int) -> None:
        self.path, self.unknown, self.asked = path, unknown, 0

    @property
    def db_path(self) -> str:
        """Where it is, or nowhere."""
        self.asked += 1
        return self.path if self.asked > self.unknown else f"{self.path}.none"


@pytest.mark.parametrize("unknown", [0, 1, 2, 3, 6])
def test_a_database_that_answers_now_and_then_is_asked_once(hosted: Agent, unknown: int) -> None:
    """Tools and permissions are of that one answer, or the host would not start; the next collection asks again."""
    hosted._allowed_features = frozenset({"ProceduralSkillsFeature"})
    backend = hosted.database.backend = Flapping(str(hosted.storage_path), unknown)  # type: ignore[assignment]
    assert tools(hosted) == (ALL - CLAIMED if unknown else ALL)
    assert backend.asked == 1
    assert tools(hosted) == (ALL - CLAIMED if unknown > 1 else ALL)
    assert backend.asked == 2


def test_what_nobody_can_tell_is_said_to_be_that(hosted: Agent) -> None:
    """And not that the bundled feature is loaded; at a start where it can be told, nothing is said."""
    hosted._allowed_features = frozenset({"ProceduralSkillsFeature"})
    known = hosted.database.backend
    hosted.database.backend = SimpleNamespace(db_path=f"{hosted.storage_path}.none")

    async def test(feature: Feature) -> None:
        (note,) = (await hosted.use("skill_search", query=""))["data"]["notes"]
        assert note.startswith("nobody can tell whether the host's own SkillsFeature is loaded too")
        assert note.endswith("start again when the agent's database answers, or disable SkillsFeature")
        hosted.database.backend = known
        await hosted.disable(feature)
        await hosted.enable(feature)
        assert "notes" not in (await hosted.use("skill_list"))["data"]

    booted(hosted, test)


@pytest.mark.parametrize(("enabled", "left"), [(True, 8), (None, 8), (False, 10)])
def test_while_the_agent_runs_what_it_loaded_says(hosted: Agent, enabled: bool | None, left: int) -> None:
    """Be it disabled since; whatever the configuration says of the next start."""
    hosted.features["SkillsFeature"] = SimpleNamespace(enabled=enabled)
    assert len(tools(hosted)) == left


@pytest.mark.parametrize("state", [None, "disabled"])
def test_what_was_switched_is_read_from_a_server_too(
    hosted: Agent, cluster: Cluster, database: str, monkeypatch: pytest.MonkeyPatch, state: str | None
) -> None:
    """By the driver that the host has loaded: here, as much of `asyncpg` as is asked of it."""
    import psycopg

    class Connection:
        def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
            self.connection = connection

        async def fetch(self, sql: str, *params: Any) -> list[Any]:
            cursor = await self.connection.execute(sql.replace("$1", "%s"), params)
            return await cursor.fetchall()

        async def fetchval(self, sql: str) -> Any:
            return (await self.fetch(sql))[0][0]

        async def close(self) -> None:
            await self.connection.close()

    async def connect(dsn: str, **_: float) -> Connection:
        return Connection(await psycopg.AsyncConnection.connect(dsn, autocommit=True))

    driver = ModuleType("asyncpg")
    driver.connect = connect  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "asyncpg", driver)
    hosted.database.backend = SimpleNamespace(_dsn=cluster.address(database))
    if state is not None:
        cluster.ask(TABLE, database)
        cluster.ask(f"INSERT INTO feature_enablement VALUES ('{DID}', 'feature', 'SkillsFeature', '{state}')", database)
    assert tools(hosted) == (ALL - CLAIMED if state is None else ALL)
