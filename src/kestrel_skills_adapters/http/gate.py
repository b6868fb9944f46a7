"""Who may speak to the application that stands alone: the browser that was handed this start's token, and nobody else.

Rule 1: the `Host` is exactly one of those that the server listens as. A name of somebody's that was made to lead here
        since is not, so that no page of theirs is of our origin.
Rule 2: an `Origin`, where a browser tells one, is this very one; and it does not say that another site sent it.
Rule 3: what is asked of the interface carries the token. It is new with each start, was never in any address that is
        sent, and is compared in a time that does not say where it differs.
Rule 4: no other origin is ever allowed to read an answer: there is no CORS.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Collection
from http import HTTPStatus
from typing import Final

from attrs import frozen
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import failure
from .statuses import Improper, ending, problem_of

__all__ = ["Gate"]

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ALWAYS: Final = (
    (b"content-security-policy", _POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
_OURS: Final = ("same-origin", "none")
"""What a browser says of a request that a page of this origin makes, or its user."""


@frozen
class Gate:
    """The application behind it, its token, the hosts it is known as (`name:port`), and what needs the token."""

    app: ASGIApp
    token: str
    hosts: Collection[str]
    guarded: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it; every answer says what its page may do."""
        if scope["type"] != "http":
            return  # nothing here begins or ends, and there are no sockets

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = {name.lower() for name, _ in message["headers"]}
                message["headers"] += [(name, value) for name, value in _ALWAYS if name not in told]
            await send(message)

        refusal = self._refusal(Headers(scope=scope), scope["path"])
        try:
            if refusal is None:
                await self.app(scope, receive, headed)
        except asyncio.CancelledError:  # by the server, which ends, and has nobody else to tell it
            refusal = ending()
        if refusal is not None:
            await failure(problem_of(refusal))(scope, receive, headed)

    def _refusal(self, headers: Headers, path: str) -> Improper | None:
        hosts, origins = headers.getlist("Host"), headers.getlist("Origin")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            why = "this server is not known by that name"
            return Improper(HTTPStatus.MISDIRECTED_REQUEST, "foreign_host", why, "use the address that it printed")
        if any(origin.lower() != f"http://{hosts[0].lower()}" for origin in origins):
            why = "another site asked for this"
            return Improper(HTTPStatus.FORBIDDEN, "foreign_origin", why, "use the page of this server")
        if not f"{path}/".startswith(f"{self.guarded}/"):
            return None
        if headers.get("Sec-Fetch-Site", _OURS[0]) not in _OURS:
            why = "another site asked for this"
            return Improper(HTTPStatus.FORBIDDEN, "foreign_origin", why, "use the page of this server")
        told = headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(told, f"Bearer {self.token}".encode()):
            why = "the token of this start is not there, or is another"
            fix, asked = "open the address that the server printed", {"WWW-Authenticate": "Bearer"}
            return Improper(HTTPStatus.UNAUTHORIZED, "unauthorized", why, fix, headers=asked)
        return None
