"""The application that stands alone: the interface, and a page that shows it, for one browser on this machine."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from http import HTTPStatus
from typing import Final

from attrs import frozen
from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp

from .answers import failure
from .desk import Desk
from .gate import Gate
from .pages import Pages, assets
from .requests import refused
from .router import PREFIX, router_of
from .routes import problems
from .statuses import problem_of

__all__ = ["Standalone", "names_of", "standalone"]

_GATE: Final = {"401": "The token is not there.", "421": "The server is not known by that name."}
_HTTP: Final = 80
_BEARER: Final = {"type": "http", "scheme": "bearer", "description": "The token of this start."}


@frozen
class Standalone:
    """The application, behind its gate, and without: that is for its document."""

    gated: ASGIApp
    api: FastAPI


def names_of(port: int) -> Collection[str]:
    """The hosts that a server on a port of this machine is known as: at the port of HTTP, browsers leave it out."""
    names = ("127.0.0.1", "localhost")
    return frozenset({*(f"{name}:{port}" for name in names), *(names if port == _HTTP else ())})


def standalone(desk: Desk, *, token: str, hosts: Collection[str]) -> Standalone:
    """The application of one agent's skills, for whoever has the token."""

    async def ask(_: Request) -> Desk:
        return desk

    app = FastAPI(
        title="Procedural skills", version="1", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False
    )
    router = router_of(ask)
    app.include_router(router)
    pages = Pages(assets())
    for path in pages.assets:
        app.add_api_route(f"/{path}", pages.show, methods=["GET"], include_in_schema=False)
    app.add_exception_handler(
        HTTPException, _Refusing(tuple(route for route in router.routes if isinstance(route, Route)))
    )
    _document(app)
    return Standalone(Gate(app, token, hosts, PREFIX.rpartition("/")[0]), app)


def _document(app: FastAPI) -> None:
    """Say in the document how a request is let in, and how it is not."""
    document = app.openapi()
    document.setdefault("components", {})["securitySchemes"] = {"token": _BEARER}
    document["security"] = [{"token": []}]
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"] |= problems(_GATE)


@frozen
class _Refusing:
    """What is said of a path that is none, or of a method that it does not have."""

    routes: Sequence[Route]

    async def __call__(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        response = failure(problem_of(refused(error)))
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            # The framework tells the methods of the first route that has the path; there may be more.
            found = [route for route in self.routes if route.matches(request.scope)[0] is not Match.NONE]
            allowed = {method for route in found for method in route.methods or ()}
            response.headers["Allow"] = ", ".join(sorted(allowed or {"GET"}))
        return response
