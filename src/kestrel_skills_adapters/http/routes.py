"""How a route is described and run: its problems are documents, and its rules are held before it is asked."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, TypeVar

from attrs import field, frozen
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from kestrel_skills_core.domain.errors import SkillError

from .answers import failure
from .desk import Desk
from .jobs import DEFECT
from .requests import MARK, misread, refused, taken
from .schemas import SkillProblem, reference
from .statuses import PROBLEM_JSON, Improper, problem_of

__all__ = ["PREFIX", "SPELT_OUT", "Ask", "Route", "SkillRoute", "parameters", "problems", "responses"]

Ask = Callable[[Request], Awaitable[Desk]]
"""Gives the skills that a request is about."""

Status = TypeVar("Status", int | str, str)

PREFIX: Final = "/api/procedural-skills"
SPELT_OUT: Final = ("/fit", "/install", "/install/preview", "/reload", "/validate")
"""Paths that a name could be read into: a skill that is called so is there by `name@source`."""
_SPELT_OUT: Final = tuple(f"{PREFIX}{path}" for path in SPELT_OUT)

_log = logging.getLogger(__name__)


class SkillRoute(APIRoute):
    """A route whose every failure is a problem document, whoever mounted it, and whose names mean nothing else."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As any route; but a path that is spelt out is that alone, by every method, and no name."""
        match, child = super().matches(scope)
        if self.param_convertors and match is not Match.NONE:
            path = self.path_format.format_map(child["path_params"])
            if path.endswith(_SPELT_OUT):
                return Match.NONE, {}
        return match, child

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What runs a request of this route."""
        run = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await run(await taken(request))
            except (SkillError, Improper) as error:
                return failure(problem_of(error))
            except RequestValidationError as error:
                return failure(problem_of(misread(error)))
            except HTTPException as error:
                return failure(problem_of(refused(error)))
            except Exception as error:  # noqa: BLE001 - a defect is told without its text
                _log.error("a request ended with an unexpected %s", type(error).__name__)
                _log.debug("", exc_info=True)
                return failure(problem_of(DEFECT))

        return told


@frozen(kw_only=True)
class Route:
    """One route: what it is called, what runs it, what it gives, and which problems it may have beside the common.

    `is_tagged` says that its answer has a tag; `is_known`, that whoever has that tag is not sent it again.
    """

    method: str
    path: str
    run: Callable[..., Awaitable[Response]]
    gives: type[BaseModel] | Any
    problems: Sequence[int] = ()
    status: HTTPStatus = HTTPStatus.OK
    is_tagged: bool = False
    is_known: bool = False
    dependencies: Sequence[Any] = field(factory=tuple)


_COMMON: Final = (403, 422, 503)
"""Hidden; not as it should be; or something that is needed does not answer."""
_CHANGING: Final = (400, 413, 415)
"""A body that is none."""

_MEANINGS: Final = {
    400: "The body is not JSON, or was cut short.",
    403: "The agent's privacy mode hides its skills; or this may not be changed here; or the request has no mark.",
    404: "There is no such skill, file or installation.",
    405: "The name makes another path of it, which has no such method.",
    409: "The name is taken, or what would land is not what was previewed.",
    412: "It is not what was seen; `found` is what is there now.",
    413: "A cap was crossed.",
    415: "The body does not say that it is JSON.",
    422: "The input is refused; `faults` of a document, `fields` of the request.",
    428: "The request does not say what was seen.",
    502: "The repository could not be read, or sent what cannot be trusted.",
    503: "A source, the table of states or the store does not answer, or is busy.",
}


_SEEN: Final = ("If-Match", "The tag of what was seen, bare or in quotes.", '^(?:[0-9a-f]{64}|"[0-9a-f]{64}")$')
_MARKED: Final = (MARK, "Why this is asked for, in a few words.", r"\S")
"""What a request that may change something must carry; the first does for the second."""


def responses(route: Route) -> dict[int | str, dict[str, Any]]:
    """All that a route may answer, for its document."""
    tag = {"ETag": {"description": "The tag of what is shown.", "schema": {"type": "string"}}}
    good: dict[str, Any] = {"model": route.gives, "description": "What was asked for."}
    found: dict[int | str, dict[str, Any]] = {route.status.value: good | ({"headers": tag} if route.is_tagged else {})}
    if route.is_known:
        found[304] = {"description": "It is what the asker has.", "headers": tag}
    told = {*_COMMON, *route.problems, *(() if route.method == "GET" else _CHANGING)}
    return found | problems({status: _MEANINGS[status] for status in sorted(told)})


def problems(meanings: Mapping[Status, str]) -> dict[Status, dict[str, Any]]:
    """Problems by their status, for the document."""
    schema = {PROBLEM_JSON: {"schema": reference(SkillProblem)}}
    return {status: {"description": meaning, "content": schema} for status, meaning in meanings.items()}


def parameters(route: Route) -> dict[str, Any]:
    """What a request may carry beside what its route reads, for the document."""
    if route.method == "GET":
        return {}
    name, why, pattern = _SEEN if HTTPStatus.PRECONDITION_FAILED in route.problems else _MARKED
    schema = {"type": "string", "pattern": pattern}
    return {"parameters": [{"name": name, "in": "header", "required": True, "description": why, "schema": schema}]}
