"""The agent's skills over HTTP, as the host mounts them: the routes themselves are tested beside their adapter."""

from __future__ import annotations

import sys
from types import ModuleType

import httpx
import pytest
from fastapi import FastAPI, HTTPException, Request

from kestrel_skills_adapters.sovereign.host import Host

from .agent import Agent, host_modules
from .booted import Feature, booted

ISOLATION = "kestrel_sovereign.security.demo_isolation"
PATH = "/api/procedural-skills"


async def demanding(request: Request) -> None:
    """What the real host demands: a reason in a header of its own."""
    if "X-Kestrel-Allow-Destructive" not in request.headers:
        raise HTTPException(403, "destructive")


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that demands something."""
    isolation = ModuleType(ISOLATION)
    isolation.enforce_destructive_op = demanding
    monkeypatch.setitem(sys.modules, "kestrel_sovereign", ModuleType("kestrel_sovereign"))
    monkeypatch.setitem(sys.modules, "kestrel_sovereign.security", ModuleType("kestrel_sovereign.security"))
    monkeypatch.setitem(sys.modules, ISOLATION, isolation)


def client(feature: Feature) -> httpx.AsyncClient:
    """A client of an application that mounts the feature's router."""
    app = FastAPI()
    app.include_router(feature.get_router())
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://host")


@pytest.mark.usefixtures("guarded")
def test_the_same_skills_as_the_tools_have(agent: Agent) -> None:
    """What a tool made is in the catalog, with whether the prompt has it; and it goes by the host's own demands."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", name="sow", description="Use to sow.", body="Sow.", enabled=True)
        async with client(feature) as http:
            (skill,) = (await http.get(PATH)).json()["skills"]
            assert (skill["name"], skill["enabled"], skill["context_included"]) == ("sow", True, True)
            seen = {"If-Match": skill["delete_revision"]}
            refused = await http.delete(f"{PATH}/sow", headers=seen)
            assert refused.status_code == 403
            done = await http.delete(f"{PATH}/sow", headers=seen | {"X-Kestrel-Allow-Destructive": "test"})
            assert done.status_code == 200
        assert (await agent.use("skill_search", query="sow"))["data"]["total"] == 0

    booted(agent, test)


@pytest.mark.usefixtures("guarded")
def test_what_is_wrong_is_told_to_requests_too(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a list notes, the catalog does; what has a member of its own there is not told twice."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_SKILLS_BUDGET_BYTES", "many")

    async def test(feature: Feature) -> None:
        async with client(feature) as http:
            budget, beside = (await http.get(PATH)).json()["notes"]
            assert budget.startswith("KESTREL_SKILLS_BUDGET_BYTES: ")
            assert "disable SkillsFeature" in beside
            agent._raw_storage = None
            catalog = (await http.post(f"{PATH}/reload", headers={"X-Kestrel-Request": "look"})).json()
            assert catalog["notes"] == [budget, beside]
            assert not catalog["enablement_available"]

    booted(agent, test)


def test_the_router_is_one(agent: Agent) -> None:
    """A host rebuilds what is new at each request, so that the same router is given, before and after a start."""

    async def test(feature: Feature) -> None:
        router = feature.get_router()
        await feature.shutdown()
        await feature.initialize()
        assert feature.get_router() is router

    booted(agent, test)


def test_a_host_whose_demands_nobody_knows_has_no_routes(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Rather none than one that destroys unasked; the agent starts all the same, and says so, once in its log."""
    monkeypatch.setitem(sys.modules, "kestrel_sovereign", ModuleType("kestrel_sovereign"))
    monkeypatch.setitem(sys.modules, ISOLATION, None)
    with pytest.raises(ImportError):
        _ = Host(agent).guard

    async def test(feature: Feature) -> None:
        assert feature.get_router() is None
        assert feature.get_router() is None
        notes = (await agent.use("skill_search", query=""))["data"]["notes"]
        assert any("not served over HTTP" in note for note in notes)

    booted(agent, test)
    assert caplog.text.count("not served over HTTP") == 1
