"""What every request must be like before anything looks at what it asks.

Rule 1: what may change something carries `If-Match` or `X-Kestrel-Request: <reason>`. No form and no image of another
        site can send either, and no script of one without asking first, which is never granted.
Rule 2: what has a body says that it is JSON, for the same reason, and is; it has no more of it than the longest that
        means anything: one file, each of its bytes spelt as six.
Rule 3: what overwrites or removes says what it saw, by `If-Match`, bare or in quotes. `*` sees nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Final

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Message

from kestrel_skills_core.domain.errors import Abandoned, TooLarge
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import Revision, digest
from kestrel_skills_core.domain.text import escaped

from ..records import Members
from .statuses import Improper

__all__ = ["BODY_BYTES", "MARK", "attended", "is_known", "misread", "refused", "revision_seen", "tag_seen", "taken"]

MARK: Final = "X-Kestrel-Request"
BODY_BYTES: Final = 6 * LIMITS.file_bytes + 64 * 1024
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SHOWN: Final = 200
_SAID: Final = 500
"""Of what a host says by itself."""
_FIELDS: Final = 16
"""Parts of a body that are told to be wrong; more are not."""
_CODES: Final[Mapping[int, str]] = {
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    429: "too_many_requests",
}
"""What a host or the framework refuses by itself; anything else is `refused`."""
_NOBODYS: Final = Revision("0" * 64)
"""The revision of nothing that is there."""


async def taken(request: Request) -> Request:
    """The same request, its body read whole, if it keeps the rules.

    Raises:
        Improper: It has no mark, or a body that is not JSON, or not by its type.
        TooLarge: Its body is.
    """
    if request.method not in _SAFE and not any(request.headers.get(name, "").strip() for name in ("If-Match", MARK)):
        why = f"a request that may change something must carry `If-Match` or `{MARK}`"
        raise Improper(HTTPStatus.FORBIDDEN, "unmarked_request", why, f"send `{MARK}` with a few words of why")
    body = await _body(request)
    if body and not _is_json(request):
        why = "a body must be of the type `application/json`"
        raise Improper(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "not_json", why, "send JSON, and say so in `Content-Type`")
    if body:
        _refuse_other_than_json(body)
    return _again(request, body)


def _is_json(request: Request) -> bool:
    return request.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "application/json"


def _refuse_other_than_json(body: bytes) -> None:
    try:
        json.loads(body)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, a number without end, or as deep as it is long
        raise Improper(HTTPStatus.BAD_REQUEST, "bad_json", "the body is not JSON", "send one JSON object") from None


async def _body(request: Request) -> bytes:
    declared = request.headers.get("Content-Length", "0")
    if declared.isdecimal() and len(declared) < len(str(BODY_BYTES)) + 2 and int(declared) <= BODY_BYTES:
        pieces, size = [], 0
        try:
            async for piece in request.stream():
                size += len(piece)
                if size > BODY_BYTES:
                    break
                pieces.append(piece)
            else:
                return b"".join(pieces)
        except ClientDisconnect:
            why = "the body ends before its end"
            raise Improper(HTTPStatus.BAD_REQUEST, "cut_short", why, "send it again") from None
    raise TooLarge("bytes in the body of a request", BODY_BYTES, fix="split the file")


def _again(request: Request, body: bytes) -> Request:
    """The request, as if nothing of its body had been read yet."""
    unread = [body]

    async def receive() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await request.receive()

    return Request(request.scope, receive)


def tag_seen(if_match: str | None) -> str:
    """The tag that a request says it saw.

    Raises:
        Improper: It says none.
    """
    tag = (if_match or "").strip()
    if tag in ("", "*", '""'):
        why = "this changes what is there, and the request does not say what was seen"
        fix = "look at it, and send its tag in `If-Match`"
        raise Improper(HTTPStatus.PRECONDITION_REQUIRED, "precondition_required", why, fix)
    is_quoted = len(tag) > 1 and tag[0] == tag[-1] == '"'
    return tag[1:-1] if is_quoted else tag


def revision_seen(if_match: str | None) -> Revision:
    """The revision that a request says it saw; a tag that is no revision is that of nothing that is there.

    Raises:
        Improper: It says none.
    """
    tag = tag_seen(if_match)
    return _NOBODYS if digest(tag) is None else Revision(tag)


def is_known(if_none_match: str | None, tag: str) -> bool:
    """Whether a request says that it has what has this tag; `*` has anything."""
    told = (each.strip() for each in (if_none_match or "").split(","))
    return any(each == "*" or each.removeprefix("W/").strip('"') == tag for each in told)


@asynccontextmanager
async def attended(request: Request) -> AsyncIterator[None]:
    """Give up what is done within as soon as whoever asked has gone away.

    Raises:
        Abandoned: They have.
    """
    asking = asyncio.current_task()
    assert asking is not None

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        asking.cancel()

    watching = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if not watching.done():
            raise
        asking.uncancel()
        raise Abandoned("the answer") from None
    finally:
        watching.cancel()


def misread(error: RequestValidationError) -> Improper:
    """A request whose parameters or body are not as they should be: which parts, and why; not what was given."""
    found: Sequence[Any] = error.errors()
    fields: list[Members] = [{"at": _at(each["loc"]), "message": escaped(each["msg"][:_SHOWN])} for each in found]
    first = fields[0]
    why = f"the request is not as it should be: {first['at']}: {first['message']}"
    fix = "see the reference of this interface"
    return Improper(HTTPStatus.UNPROCESSABLE_ENTITY, "bad_request", why, fix, fields=fields[:_FIELDS])


def _at(place: Iterable[str | int]) -> str:
    return escaped(".".join(str(part)[:80] for part in place)[:_SHOWN])


def refused(error: HTTPException) -> Improper:
    """What a host or the framework refused by itself, with the headers that it wanted told."""
    status = _known(error.status_code)
    detail: object = error.detail  # FastAPI's may be anything
    said = detail if isinstance(detail, str) else status.phrase
    told = {name: text for name, text in (error.headers or {}).items() if not name.lower().startswith("content-")}
    return Improper(status, _CODES.get(status, "refused"), escaped(said[:_SAID]), "", headers=told)


def _known(status: int) -> HTTPStatus:
    """A status, or the x00 of its class, which is what it means to who does not know it (RFC 9110, 15)."""
    try:
        return HTTPStatus(status)
    except ValueError:
        return HTTPStatus.BAD_REQUEST if status // 100 == 4 else HTTPStatus.INTERNAL_SERVER_ERROR
