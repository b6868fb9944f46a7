"""Asks an application in this process, as a browser would, in one event loop that stands still between two requests."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, TypeVar

import httpx
import jsonschema
from attrs import define, field

from kestrel_skills_adapters.http.app import standalone
from kestrel_skills_adapters.http.desk import Desk
from kestrel_skills_adapters.markdown.html import html_of
from kestrel_skills_adapters.memory.world import MemoryClock
from kestrel_skills_core.ports.git import GitSource
from kestrel_skills_core.service.installer import Installer
from kestrel_skills_core.service.library import SkillLibrary
from tests.service.shelf import shelf
from tests.service.test_installer import git

__all__ = ["BASE", "HOST", "TOKEN", "Browser", "browsing", "desk_of"]

HOST = "127.0.0.1:8765"
TOKEN = "t0ken"
BASE = "/api/procedural-skills"

PROBLEM: Final = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/SkillProblem"}}}

T = TypeVar("T")


def desk_of(library: SkillLibrary, source: GitSource | None = None) -> Desk:
    """The skills of a library, and repositories in memory."""
    return Desk(
        library=library,
        installer=lambda _: Installer(library=library, git=source or git(), clock=MemoryClock()),
        html=html_of,
    )


@cache
def documented() -> tuple[Mapping[str, Any], Sequence[tuple[re.Pattern[str], Mapping[str, Any]]]]:
    """The document, and its paths, those that are spelt out first."""
    document = standalone(desk_of(shelf({}).library), token=TOKEN, hosts={HOST}).api.openapi()
    paths = sorted(document["paths"].items(), key=lambda each: each[0].count("{"))
    return document, [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), operations) for path, operations in paths]


def is_documented(method: str, answer: httpx.Response) -> None:
    """See that an answer is one that the document knows, to the last member.

    Of what no route has, and of a defect, it knows only what a problem is.
    """
    document, paths = documented()
    found = [each for pattern, each in paths if pattern.fullmatch(answer.url.path) and method.lower() in each]
    told = found[0][method.lower()]["responses"] if found else {}
    if not found or answer.status_code in (405, 500):
        told |= {str(answer.status_code): {"content": PROBLEM}}
    assert str(answer.status_code) in told, f"{method} {answer.url.path}: {answer.status_code} is not documented"
    if answer.status_code == 304 or method == "HEAD":
        return
    ((kind, content),) = told[str(answer.status_code)]["content"].items()
    assert answer.headers["Content-Type"] == kind
    schema = {**content["schema"], "components": document["components"]}
    jsonschema.Draft202012Validator(schema).validate(answer.json())


@define(eq=False)
class Browser:
    """Whoever has the token; `headers` go with each request, unless it has its own."""

    client: httpx.AsyncClient
    runner: asyncio.Runner
    app: Any
    desk: Desk
    headers: dict[str, str] = field(
        factory=lambda: {"Authorization": f"Bearer {TOKEN}", "X-Kestrel-Request": "a test", "Host": HOST}
    )

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run some work in the loop."""
        return self.runner.run(work)

    async def send(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str | None] | None = None, **more: Any
    ) -> httpx.Response:
        """Ask, with JSON if there is a body; a header that is none is left out."""
        told = {**self.headers, **(headers or {})}
        if body is not None:
            more |= {"content": body if isinstance(body, bytes) else json.dumps(body).encode()}
            told = {"Content-Type": "application/json", **told}
        answer = await self.client.request(
            method, BASE + path, headers={name: value for name, value in told.items() if value is not None}, **more
        )
        is_documented(method, answer)
        return answer

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        """Ask, and wait for the answer."""
        return self.run(self.send(method, path, body, **more))

    def get(self, path: str, **more: Any) -> Any:
        """The members of an answer that is good."""
        return good(self.ask("GET", path, **more))

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        """The same, of a request that may change something."""
        return good(self.ask("POST", path, body, **more))

    def rest(self, seconds: float = 0.0) -> None:
        """Let what runs beside go on."""
        self.run(asyncio.sleep(seconds))


def good(response: httpx.Response) -> Any:
    """The members of a good answer."""
    assert response.is_success, response.text
    return response.json()


@contextmanager
def browsing(desk: Desk, **how: Any) -> Iterator[Browser]:
    """A browser that was handed the token of an application."""
    app = how.pop("app", None) or standalone(desk, token=TOKEN, hosts={HOST}).gated
    with asyncio.Runner() as runner:
        # Even a request that a proxy would be asked for by the environment stays here.
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=True), base_url=f"http://{HOST}", trust_env=False
        )
        yield Browser(client, runner, app, desk)
        runner.run(desk.jobs.stop())
        runner.run(client.aclose())
