"""What an error is over HTTP: a status, and problem details as of RFC 9457.

One table, with a row for each leaf of the errors; a test holds it to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from attrs import field, frozen

from kestrel_skills_core.domain import errors
from kestrel_skills_core.domain.errors import BadDocument, Busy, SkillError, StaleRevision

from ..records import Members, adaptation_members, finding_members

__all__ = ["PROBLEM_JSON", "STATUSES", "Improper", "Problem", "ending", "problem_of"]

PROBLEM_JSON: Final = "application/problem+json"
RETRY_SECONDS: Final = 2
"""When whoever was told that something is busy may ask again."""

STATUSES: Final[Mapping[type[SkillError], HTTPStatus]] = {
    errors.BadName: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.BadPath: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.BadDocument: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.BadSource: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.OutOfRange: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.Unmatched: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.Unconditional: HTTPStatus.PRECONDITION_REQUIRED,
    errors.SkillAbsent: HTTPStatus.NOT_FOUND,
    errors.KeptAbsent: HTTPStatus.NOT_FOUND,
    errors.SkillExists: HTTPStatus.CONFLICT,
    errors.OtherDigest: HTTPStatus.CONFLICT,
    errors.SwitchedOff: HTTPStatus.CONFLICT,
    errors.StaleRevision: HTTPStatus.PRECONDITION_FAILED,
    errors.NotEditable: HTTPStatus.FORBIDDEN,
    errors.Hidden: HTTPStatus.FORBIDDEN,
    errors.GitFailed: HTTPStatus.BAD_GATEWAY,
    errors.StateUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.SourceUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StoreFailed: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.Busy: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.Abandoned: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.InDoubt: HTTPStatus.SERVICE_UNAVAILABLE,
}


class Improper(Exception):
    """A request that is none of this interface's, whatever the skills are like.

    `fields` says which parts are wrong; `headers` go with the answer.
    """

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        why: str,
        fix: str,
        *,
        fields: list[Members] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, code, why, fix)
        self.status, self.code, self.why, self.fix, self.fields = status, code, why, fix, fields
        self.headers = headers or {}

    def __str__(self) -> str:
        return self.why


def ending() -> Improper:
    """What is told to whoever is still waiting, or comes, when all is to end."""
    fix = "start it again, and look at what is there"
    return Improper(HTTPStatus.SERVICE_UNAVAILABLE, "ending", "what answers here was told to end", fix)


@frozen(kw_only=True)
class Problem:
    """One problem: its status, its members, and headers beside them."""

    status: HTTPStatus
    members: Members
    headers: Mapping[str, str] = field(factory=dict)


def problem_of(error: SkillError | Improper) -> Problem:
    """The problem that an error is; of a document all its faults, of a change that came too late what is there now."""
    status = error.status if isinstance(error, Improper) else _status(error)
    members: Members = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "code": error.code,
        "detail": str(error),
        "fix": error.fix,
    }
    return Problem(status=status, members=members | _more(error), headers=_headers(error))


def _headers(error: SkillError | Improper) -> Mapping[str, str]:
    if isinstance(error, Improper):
        return error.headers
    return {"Retry-After": str(RETRY_SECONDS)} if isinstance(error, Busy) else {}


def _more(error: SkillError | Improper) -> Members:
    if isinstance(error, Improper):
        return {} if error.fields is None else {"fields": error.fields}
    if isinstance(error, BadDocument):
        faults: Members = {"faults": [finding_members(fault) for fault in error.faults]}
        return faults if error.adaptation is None else faults | {"adaptation": adaptation_members(error.adaptation)}
    if isinstance(error, StaleRevision):
        told = {"found": error.found, "kept": error.kept}
        return {name: value for name, value in told.items() if value is not None}
    return {}


def _status(error: SkillError) -> HTTPStatus:
    """By the error's own type, or the one it is a kind of."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
