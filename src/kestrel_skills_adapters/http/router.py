"""The one router of an agent's skills; routes only translate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Depends, Request

from .changing import Changing
from .installing import Installing
from .looking import Looking
from .routes import PREFIX, Ask, Route, SkillRoute, parameters, responses

__all__ = ["PREFIX", "router_of"]


def router_of(ask: Ask, *, guard: Callable[[Request], Awaitable[None]] | None = None) -> APIRouter:
    """The router; whoever mounts it keeps it. `ask` gives the skills that a request is about, and a problem if none.

    `guard` is asked before a skill is deleted: what a host demands of what destroys.
    """
    router = APIRouter(prefix=PREFIX, route_class=SkillRoute, tags=["procedural skills"])
    guards = () if guard is None else (Depends(guard),)
    looking, changing, installing = Looking(ask).routes, Changing(ask, guards).routes, Installing(ask).routes
    # What is said of a name comes first: `install` may be one, and no job is called `tree`.
    named = [route for route in (*looking, *changing) if route.path.startswith("/{name}/")]
    rest = [route for route in (*looking, *changing, *installing) if route not in named]
    for route in (*named, *rest):
        _add(router, route)
    return router


def _add(router: APIRouter, route: Route) -> None:
    router.add_api_route(
        route.path,
        route.run,
        methods=[route.method],
        status_code=route.status.value,
        response_model=None,
        responses=responses(route),
        openapi_extra=parameters(route),
        dependencies=list(route.dependencies),
        summary=(route.run.__doc__ or "").partition("\n")[0],
    )
