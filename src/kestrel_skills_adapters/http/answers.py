"""How an answer is sent: JSON, with the tag of what it shows, and never kept by anybody in between."""

from __future__ import annotations

import hashlib
import json
from http import HTTPStatus
from typing import Final

from fastapi import Request
from starlette.responses import Response

from ..records import Members
from .requests import is_known
from .statuses import PROBLEM_JSON, Problem

__all__ = ["answer", "encoded", "failure", "sent"]

_HEADERS: Final = {"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}
"""Kept by the browser alone, which asks each time whether it is still so; and taken for nothing but what it is."""


def answer(
    told: Members | bytes,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    tag: str | None = None,
    location: str | None = None,
) -> Response:
    """What was asked for, be it JSON already, with the tag of what it is of, and where it is."""
    headers = {**_HEADERS, **({} if tag is None else {"ETag": f'"{tag}"'})}
    headers |= {} if location is None else {"Location": location}
    content = told if isinstance(told, bytes) else encoded(told)
    return Response(content, status, headers, media_type="application/json")


def sent(request: Request, content: bytes) -> Response:
    """What is JSON already, with its own tag, if it is not what the asker has."""
    tag = hashlib.sha256(content).hexdigest()
    if is_known(request.headers.get("If-None-Match"), tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={**_HEADERS, "ETag": f'"{tag}"'})
    return answer(content, tag=tag)


def failure(problem: Problem) -> Response:
    """What went wrong."""
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **problem.headers}
    return Response(encoded(problem.members), problem.status, headers, media_type=PROBLEM_JSON)


def encoded(members: Members) -> bytes:
    """An answer as it is sent. What no UTF-8 holds, a lone surrogate, is escaped with all else that is not ASCII."""
    try:
        return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(members, separators=(",", ":")).encode()
