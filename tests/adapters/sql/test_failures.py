"""What a failure of a database is called."""

from __future__ import annotations

import sqlite3

import pytest

from kestrel_skills_adapters.sql.failures import Crowded, InDoubt, Unfit, is_lost, is_unfit, refused, told


class Coded(Exception):
    """An error as asyncpg and psycopg raise them."""

    def __init__(self, sqlstate: str | None = None, sqlite_errorcode: int | None = None) -> None:
        super().__init__("secret\n/path/to/it")
        if sqlstate is not None:
            self.sqlstate = sqlstate
        if sqlite_errorcode is not None:
            self.sqlite_errorcode = sqlite_errorcode


def wrapped(error: Exception, times: int = 2) -> Exception:
    """The error as a host raises it."""
    for _ in range(times):
        outer = RuntimeError(f"failed: {error}")
        outer.__cause__ = error
        error = outer
    return error


@pytest.mark.parametrize(
    ("sqlstate", "why"),
    [
        ("08006", "the connection to it was lost"),
        ("57P01", "the connection to it was lost"),
        ("25006", "it is read-only"),
        ("25P02", "it is in the middle of a transaction that failed"),
        ("28P01", "it refuses this user or password"),
        ("28000", "it refuses this user or password"),
        ("3D000", "there is no such database"),
        ("3F000", "it has no schema for the table"),
        ("40001", "others are changing it at the same time"),
        ("40P01", "others are changing it at the same time"),
        ("42501", "this user may not read or write the table bootstrap_config"),
        ("53100", "the disk is full"),
        ("53200", "it has no room left to work"),
        ("53300", "it takes no more connections"),
        ("55P03", "another process holds it"),
        ("57014", "it did not answer in time"),
        ("58030", "the disk failed"),
        ("XX001", "it is damaged"),
        ("42703", "its table bootstrap_config is not the one expected"),
        ("42804", "its table bootstrap_config is not the one expected"),
        ("22021", "its table bootstrap_config is not the one expected"),
    ],
)
def test_codes_of_postgresql(sqlstate: str, why: str) -> None:
    """Each has its phrase, however often it was wrapped, and a fix; nothing of the error's text is in them."""
    for error in (Coded(sqlstate), wrapped(Coded(sqlstate))):
        found = told(error, "it")
        assert found.why == why
        assert found.fix
        assert "secret" not in f"{found} {found.fix}"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (sqlite3.SQLITE_BUSY, "another process holds it"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "another process holds it"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "it or its folder is read-only"),
        (sqlite3.SQLITE_FULL, "the disk is full"),
        (sqlite3.SQLITE_IOERR_WRITE, "the disk failed"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "it is damaged"),
        (sqlite3.SQLITE_NOTADB, "it is not a SQLite database"),
        (sqlite3.SQLITE_INTERRUPT, "it did not answer in time"),
        (sqlite3.SQLITE_ERROR, "its table bootstrap_config is not the one expected"),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, "its table bootstrap_config is not the one expected"),
    ],
)
def test_codes_of_sqlite(code: int, why: str) -> None:
    """Each has its phrase, by the code it extends."""
    found = told(wrapped(Coded(sqlite_errorcode=code)), "it")
    assert found.why == why
    assert found.fix


def test_an_error_without_a_code() -> None:
    """A host's own refusal is told as what it is, without its text."""
    found = told(wrapped(Coded()), "it")
    assert found.why == "it does not answer as it should"
    assert "secret" not in f"{found} {found.fix}"


def test_causes_that_bite_their_tail() -> None:
    """A chain of causes without an end is looked through no further than it has to be."""
    one, other = RuntimeError(), RuntimeError()
    one.__cause__, other.__cause__ = other, one
    assert told(one, "it").why == "it does not answer as it should"


def test_what_is_expected_has_its_own_words() -> None:
    """What a dialogue could not mend says so."""
    assert told(Unfit(), "it").why == "its table bootstrap_config is not the one expected"
    assert told(Crowded(), "it").why == "others are changing it at the same time"
    assert "look again" in told(InDoubt(), "it").fix


def test_what_may_be_missing_and_what_was_lost() -> None:
    """Only these are worth another step."""
    assert all(is_unfit(wrapped(Coded(state))) for state in ("42P01", "42P10", "42703", "23505"))
    assert not any(is_unfit(Coded(state)) for state in ("42501", "40001", "08006", None))
    assert is_unfit(Coded(sqlite_errorcode=sqlite3.SQLITE_ERROR))
    assert not is_unfit(Coded(sqlite_errorcode=sqlite3.SQLITE_BUSY))
    assert all(is_lost(wrapped(Coded(state))) for state in ("08003", "08006", "57P01", "57P02"))
    assert not any(is_lost(Coded(state)) for state in ("57014", "40001", None))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            'server at "x" failed: FATAL:  password authentication failed for user "ada"',
            "it refuses this user or password",
        ),
        ('FATAL:  role "ada" does not exist', "it refuses this user or password"),
        (
            'FATAL:  no pg_hba.conf entry for host "1.2.3.4", user "ada", database "d"',
            "it refuses this user or password",
        ),
        ("fe_sendauth: no password supplied", "it refuses this user or password"),
        ('FATAL:  database "skills" does not exist', "there is no such database"),
        ("FATAL:  the database system is starting up", "it is not ready yet"),
        ("FATAL:  the database system is shutting down", "it is being stopped"),
        ("FATAL:  sorry, too many clients already", "it takes no more connections"),
        ("FATAL:  remaining connection slots are reserved for superusers", "it takes no more connections"),
        ('FATAL:  database "skills" is not currently accepting connections', "it refuses the connection"),
        ("FATAL:  Passwort-Authentifizierung für Benutzer »ada« fehlgeschlagen", "it refuses the connection"),
        ("connection failed: Connection refused\n\tIs the server running?", "it cannot be reached"),
        ("failed to resolve host 'db.example': [Errno -2] Name or service not known", "it cannot be reached"),
    ],
)
def test_a_refused_connection(said: str, why: str) -> None:
    """It is told by a few words of the server, where they are known, and never in the server's own."""
    found = refused(said, "it")
    assert found.why == why
    assert found.fix
    assert "ada" not in f"{found} {found.fix}"
