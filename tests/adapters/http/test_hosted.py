"""The router in somebody else's application: its failures are still problems, and what the host demands is met."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from fastapi import APIRouter, FastAPI, HTTPException, Request

from kestrel_skills_adapters.http.desk import Desk
from kestrel_skills_adapters.wiring import desk_of as wired
from kestrel_skills_adapters.wiring import hosted_router
from kestrel_skills_core.domain.errors import SourceUnavailable
from kestrel_skills_core.domain.names import SkillName
from tests.service.shelf import Shelf, shelf, skill

from .serving import BASE, Browser, browsing, desk_of
from .test_changing import refused, seen


@pytest.fixture
def on() -> Shelf:
    """One skill."""
    return shelf({"lint": skill("lint")})


async def demand(request: Request) -> None:
    """What a host demands of what destroys."""
    if not request.headers.get("X-Kestrel-Allow-Destructive"):
        raise HTTPException(403, "Destructive operations need the header.")


def host(router: APIRouter) -> FastAPI:
    """An application with that router."""
    app = FastAPI()
    app.include_router(router)
    return app


@pytest.fixture
def browser(on: Shelf) -> Iterator[Browser]:
    """Whoever is let in by the host."""
    desk = desk_of(on.library)

    async def ask(_: Request) -> Desk:
        return desk

    router = hosted_router(ask, demand)
    assert router is not None
    with browsing(desk, app=host(router)) as browser:
        yield browser


def test_what_destroys_takes_what_the_host_demands(browser: Browser) -> None:
    """Without it, nothing is deleted, and the refusal is a problem; with it, it is."""
    headers = {"If-Match": seen(browser)["delete_revision"]}
    problem = refused(browser.ask("DELETE", "/lint", headers=headers), 403, "forbidden")
    assert problem["detail"] == "Destructive operations need the header."
    assert browser.get("")["count"] == 1
    answer = browser.ask("DELETE", "/lint", headers=headers | {"X-Kestrel-Allow-Destructive": "a test"})
    assert answer.status_code == 200
    assert browser.get("")["count"] == 0


def test_nothing_else_does(browser: Browser) -> None:
    """An edit can be undone by another."""
    headers = {"If-Match": browser.get("/lint/tree")["revision"]}
    assert browser.ask("PUT", "/lint/file?path=a.md", {"content": "a"}, headers=headers).is_success
    headers = {"If-Match": browser.get("/lint/tree")["revision"]}
    assert browser.ask("DELETE", "/lint/file?path=a.md", headers=headers).is_success


def test_an_agent_without_skills_says_why(on: Shelf) -> None:
    """What gives the skills of a request may refuse as everything else does."""

    async def ask(_: Request) -> Desk:
        raise SourceUnavailable("agent-local", "the agent has no identity yet", "finish its inception")

    router = hosted_router(ask)
    assert router is not None
    with browsing(desk_of(on.library), app=host(router)) as browser:
        refused(browser.ask("GET", ""), 503, "source_unavailable")
        refused(browser.ask("POST", "/fit", {}), 503, "source_unavailable")


@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [
        (HTTPException(401, "who?", {"WWW-Authenticate": "Bearer"}), 401, "unauthorized"),
        (HTTPException(404, {"agent": "none"}), 404, "not_found"),
        (HTTPException(405, "no", {"Allow": "GET"}), 405, "method_not_allowed"),
        (HTTPException(413, "much"), 413, "refused"),
        (HTTPException(422, "odd"), 422, "refused"),
        (HTTPException(429, "soon", {"Retry-After": "7", "Content-Type": "text/html"}), 429, "too_many_requests"),
        (HTTPException(499, "odd"), 400, "refused"),
        (HTTPException(599, "odd"), 500, "refused"),
        (HTTPException(999, "odd"), 500, "refused"),
        (HTTPException(307, "there", {"Location": "/elsewhere"}), 307, "refused"),
    ],
    ids=lambda each: str(each.status_code) if isinstance(each, HTTPException) else "",
)
def test_what_a_host_refuses_by_itself(on: Shelf, raised: HTTPException, status: int, code: str) -> None:
    """A problem with the host's headers, and a code of ours; a status that nobody knows is the x00 of its class."""

    async def ask(_: Request) -> Desk:
        raise raised

    router = hosted_router(ask)
    assert router is not None
    with browsing(desk_of(on.library), app=host(router)) as browser:
        answer = browser.run(browser.client.get(f"{BASE}"))
        refused(answer, status, code)
        told = {name: text for name, text in (raised.headers or {}).items() if name != "Content-Type"}
        assert answer.headers.items() >= {name.lower(): text for name, text in told.items()}.items()


def test_what_the_prompt_has_may_be_known(on: Shelf) -> None:
    """Then no catalog is looked at for the sake of one record."""
    desk = wired(on.library, included=lambda: [SkillName("lint")])

    async def ask(_: Request) -> Desk:
        return desk

    router = hosted_router(ask)
    assert router is not None
    with browsing(desk, app=host(router)) as browser:
        revision = browser.get("/lint/tree")["revision"]
        on.local.asked.clear()
        answer = browser.ask("PUT", "/lint/file?path=a.md", {"content": "a"}, headers={"If-Match": revision})
        assert answer.json()["found"]["context_included"]
        assert "survey" not in on.local.asked


def test_the_host_documents_it_with_its_own(on: Shelf) -> None:
    """Models of the same name on both sides do not meet: every reference leads somewhere."""

    async def ask(_: Request) -> Desk:
        return desk_of(on.library)

    router = hosted_router(ask)
    assert router is not None
    document = host(router).openapi()
    schemas = document["components"]["schemas"]
    references = [part.partition('"')[0] for part in str(document).replace("'", '"').split("#/components/schemas/")[1:]]
    assert set(references) <= set(schemas)
    assert "SkillProblem" in references


def test_where_there_is_no_fastapi_there_is_no_router() -> None:
    """The SDK alone does not bring it; whoever mounts routers mounts none, and all else works."""
    program = """
import sys
sys.modules["fastapi"] = None
from kestrel_skills_adapters.wiring import hosted_router
assert hosted_router(lambda request: None) is None
"""
    subprocess.run([sys.executable, "-c", program], check=True)
