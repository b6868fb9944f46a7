"""What a failure of a database is called: one phrase and a fix, by the code that the database gave, never by its text.

SQLite's errors carry a result code, PostgreSQL's an SQLSTATE (appendix A of its manual); a host wraps both, any number
of times. `{it}` stands for what holds the table.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from kestrel_skills_core.domain.errors import StateUnavailable

__all__ = [
    "BAD_URL",
    "LOST",
    "MISSING",
    "SILENT",
    "Crowded",
    "Expected",
    "InDoubt",
    "Unanswered",
    "Unfit",
    "is_lost",
    "is_unfit",
    "phrased",
    "refused",
    "sqlstate",
    "told",
]

Phrase = tuple[str, str]

SILENT: Final = ("{it} did not answer in time", "try again in a moment")
LOST: Final = ("the connection to {it} was lost", "see that the server runs, and try again")
_UNREACHABLE: Final = ("{it} cannot be reached", "see that the server runs, and that its host and port are right")
MISSING: Final = (
    "psycopg, by which a PostgreSQL server is reached, is not installed",
    "install kestrel-feature-skills[postgres]",
)
BAD_URL: Final = ("the URL of {it} cannot be read", "write it as postgresql://USER@HOST:PORT/DATABASE")
_CROWDED: Final = ("others are changing it at the same time", "try again in a moment")
_HELD: Final = ("another process holds {it}", "try again in a moment")
_FULL: Final = ("the disk is full", "free some space, then try again")
_DISK: Final = ("the disk failed", "check the disk that {it} is on")
_ODD: Final = ("its table bootstrap_config is not the one expected", "name another database")
_UNKNOWN: Final = ("{it} does not answer as it should", "try again; what it said is in the log of the host")

_SQLITE: Final[Mapping[int, Phrase]] = {
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_PROTOCOL: _HELD,
    sqlite3.SQLITE_READONLY: ("{it} or its folder is read-only", "make both writable"),
    sqlite3.SQLITE_PERM: ("{it} may not be opened", "make it and its folder readable and writable"),
    sqlite3.SQLITE_CANTOPEN: ("{it} cannot be opened", "make it and its folder readable and writable"),
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _DISK,
    sqlite3.SQLITE_CORRUPT: ("{it} is damaged", "restore it from a backup, or move it away"),
    sqlite3.SQLITE_NOTADB: ("{it} is not a SQLite database", "name another file, or move this one away"),
    sqlite3.SQLITE_INTERRUPT: SILENT,
}

_REFUSED: Final = ("{it} refuses this user or password", "check both, and what the server's pg_hba.conf allows")

_NO_DATABASE: Final = ("there is no such database", "make it, or name another")
_TOO_MANY: Final = ("{it} takes no more connections", "try again in a moment")

_POSTGRES: Final[Mapping[str, Phrase]] = {
    "08": LOST,
    "25006": ("{it} is read-only", "name a server and a user that may write"),
    "25P02": ("{it} is in the middle of a transaction that failed", "try again in a moment"),
    "28": _REFUSED,
    "3D": _NO_DATABASE,
    "3F": ("{it} has no schema for the table", "make the one that the user's search_path names"),
    "40": _CROWDED,
    "42501": (
        "this user may not read or write the table bootstrap_config",
        "grant SELECT, INSERT, UPDATE and DELETE on it, or CREATE on its schema where it is not there yet",
    ),
    "53100": _FULL,
    "53300": _TOO_MANY,
    "53": ("{it} has no room left to work", "try again in a moment"),
    "55P03": _HELD,
    "57014": SILENT,
    "57": LOST,
    "58": _DISK,
    "XX": ("{it} is damaged", "restore it from a backup"),
}
"""By SQLSTATE, or by its class. What is in neither table of codes is a matter of the table's shape."""

_UNFIT: Final = frozenset({"42P01", "42P07", "42P10", "42703", "42710", "23505"})
"""The table, a column or an index is not there; or somebody else has just made it."""

_BY_WORDS: Final = (
    (re.compile("starting up|not yet accepting"), ("{it} is not ready yet", "try again in a moment")),
    (re.compile("shutting down"), ("{it} is being stopped", "see that the server runs, and try again")),
    (re.compile("too many (?:clients|connections)|connection slots"), _TOO_MANY),
    (re.compile("database .* does not exist"), _NO_DATABASE),
    (re.compile("no password supplied|authentication|pg_hba|role|permission denied"), _REFUSED),
    (re.compile("FATAL"), ("{it} refuses the connection", "check its URL: the user, the password and the database")),
)
"""What a server that refuses a connection says of it; the library that reads it keeps no SQLSTATE."""


class Expected(Exception):
    """What a dialogue with a database reckons with."""

    phrase: ClassVar[Phrase] = _ODD


class Unfit(Expected):
    """The table, or a part of it, may be missing."""


class InDoubt(Expected):
    """The connection was lost, or no answer came, and nobody knows whether a change was made."""

    phrase = (
        "the connection to {it} was lost while it was written",
        "look again before acting, since it may have been written",
    )


class Unanswered(InDoubt):
    """No answer came in time, and nobody knows whether a change was made, or will be."""

    phrase = (
        "{it} did not answer in time while it was written",
        "look again before acting, since it may have been written, or be written yet",
    )


class Crowded(Expected):
    """Others changed the row each time between the look at it and the change."""

    phrase = _CROWDED


def told(error: BaseException, it: str) -> StateUnavailable:
    """A failure, without the text of anything that was raised."""
    if isinstance(error, StateUnavailable):
        return error
    if isinstance(error, Expected):
        return phrased(error.phrase, it)
    state = sqlstate(error)
    if state is not None:
        found = _POSTGRES.get(state) or _POSTGRES.get(state[:2]) or _ODD
        return phrased(found, it)
    code = _sqlite_code(error)
    return phrased(_UNKNOWN if code is None else _SQLITE.get(code & 0xFF, _ODD), it)


def phrased(phrase: Phrase, it: str) -> StateUnavailable:
    """A failure in the words of this module."""
    why, fix = phrase
    return StateUnavailable(why.format(it=it), fix.format(it=it))


def refused(said: str, it: str) -> StateUnavailable:
    """A connection that failed, by a few words of what was said of it, of which a server may know others."""
    found = (phrase for words, phrase in _BY_WORDS if words.search(said))
    return phrased(next(found, _UNREACHABLE), it)


def is_unfit(error: BaseException) -> bool:
    """Whether the table, or a part of it, may be missing."""
    state = sqlstate(error)
    if state is not None:
        return state in _UNFIT
    return (_sqlite_code(error) or 0) & 0xFF == sqlite3.SQLITE_ERROR


def is_lost(error: BaseException) -> bool:
    """Whether the connection went away, so that nobody knows whether what was last said was done."""
    state = sqlstate(error)
    return state is not None and (state.startswith("08") or state in ("57P01", "57P02", "57P03"))


def sqlstate(error: BaseException) -> str | None:
    """PostgreSQL's code, wherever in the chain of causes it stands."""
    found = (getattr(each, "sqlstate", None) for each in _causes(error))
    return next((state for state in found if isinstance(state, str)), None)


def _sqlite_code(error: BaseException) -> int | None:
    found = (getattr(each, "sqlite_errorcode", None) for each in _causes(error))
    return next((code for code in found if isinstance(code, int)), None)


_DEEP: Final = 16
"""Causes that are looked through, so that a chain which bites its tail has an end."""


def _causes(error: BaseException) -> Iterator[BaseException]:
    each: BaseException | None = error
    for _ in range(_DEEP):
        if each is None:
            return
        yield each
        each = each.__cause__ or each.__context__
