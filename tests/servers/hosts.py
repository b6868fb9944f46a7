"""A stand-in of a host's database handle, where no host is installed.

It stands for `AsyncDatabase` of kestrel-sovereign, on SQLite and PostgreSQL, in what `HostedStates` may notice: one
connection, whose statements run in a thread of their own, one after the other; `?` for parameters in both; each
statement outside a transaction is committed before its call returns; what the driver raises comes out as `QueryError`,
and what is raised within a transaction as `TransactionError`, with the original as its cause; a transaction within
another of the same task joins it; and a call that is cancelled ends only when its statement has ended.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

__all__ = [
    "QueryError",
    "StandIn",
    "TransactionError",
    "on_postgres",
    "on_sqlite",
    "real_on_postgres",
    "real_on_sqlite",
]

T = TypeVar("T")


class QueryError(Exception):
    """A statement failed."""


class TransactionError(Exception):
    """A transaction failed."""


class StandIn:
    """A handle on one open connection; make it with `on_sqlite` or `on_postgres`, and close it."""

    def __init__(self, backend_type: str, connect: Callable[[], Any]) -> None:
        self.backend_type = backend_type
        self._thread = ThreadPoolExecutor(1)
        self._connection = self._thread.submit(connect).result()
        self._turn = asyncio.Lock()
        self._owner: asyncio.Task[Any] | None = None
        self.said: list[str] = []
        """Every statement, in order."""

    @property
    def owns_open_transaction(self) -> bool:
        """Whether this task is in the middle of a transaction."""
        return self._owner is not None and self._owner is asyncio.current_task()

    async def execute(self, sql: str, params: tuple[Any, ...] = ()) -> int:
        """Change something."""
        return await self._alone(lambda: self._cursor(sql, params).rowcount)

    async def fetchall(self, sql: str, params: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
        """Ask something."""
        return await self._alone(lambda: [tuple(row) for row in self._cursor(sql, params).fetchall()])

    @asynccontextmanager
    async def transaction(self, *, immediate: bool = False) -> AsyncIterator[None]:
        """All or none."""
        if self.owns_open_transaction:
            yield
            return
        async with self._turn:
            self._owner = asyncio.current_task()
            try:
                await self._threaded(lambda: self._begin(immediate))
                yield
                await self._threaded(lambda: self._connection.execute("COMMIT"))
            except Exception as error:
                await self._threaded(self._roll_back)
                raise TransactionError(f"transaction failed: {error}") from error
            except BaseException:
                await self._threaded(self._roll_back)
                raise
            finally:
                self._owner = None

    def close(self) -> None:
        """Close the connection; whatever is said afterwards fails."""
        self._thread.submit(self._connection.close).result()

    async def _alone(self, work: Callable[[], T]) -> T:
        if self.owns_open_transaction:
            return await self._threaded(work)
        async with self._turn:
            return await self._threaded(work)

    async def _threaded(self, work: Callable[[], T]) -> T:
        running = asyncio.get_running_loop().run_in_executor(self._thread, work)
        cancelled = False
        while not running.done():
            try:
                await asyncio.wait([running])
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            running.exception()
            raise asyncio.CancelledError
        return running.result()

    def _cursor(self, sql: str, params: tuple[Any, ...]) -> Any:
        self.said.append(sql)
        if self.backend_type == "postgres":
            sql = sql.replace("%", "%%").replace("?", "%s")
        try:
            return self._connection.execute(sql, params or (() if self.backend_type == "sqlite" else None))
        except Exception as error:
            raise QueryError(f"query failed: {error}\nQuery: {sql}") from error

    def _begin(self, immediate: bool) -> None:
        self._connection.execute("BEGIN IMMEDIATE" if immediate and self.backend_type == "sqlite" else "BEGIN")

    def _roll_back(self) -> None:
        if self.backend_type == "postgres" or self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def on_sqlite(path: Path) -> StandIn:
    """A handle on a SQLite file, in WAL mode, as a host opens it."""

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
        return connection

    return StandIn("sqlite", connect)


def on_postgres(url: str) -> StandIn:
    """A handle on a PostgreSQL database."""
    import psycopg

    return StandIn("postgres", lambda: psycopg.connect(url, autocommit=True))


async def real_on_sqlite(path: Path) -> Any:
    """A real host's handle on a SQLite file, without the host's schema; skips where no host is installed."""
    host = pytest.importorskip("kestrel_sovereign.storage.async_database", reason=_NONE)
    from kestrel_sovereign.storage.db.sqlite import SQLiteBackend

    return await _connected(host, SQLiteBackend(str(path)))


async def real_on_postgres(url: str) -> Any:
    """A real host's handle on a PostgreSQL database, the same."""
    host = pytest.importorskip("kestrel_sovereign.storage.async_database", reason=_NONE)
    from kestrel_sovereign.storage.db.postgres import PostgresBackend

    return await _connected(host, PostgresBackend(dsn=url, min_pool_size=1, max_pool_size=4))


async def _connected(host: Any, backend: Any) -> Any:
    await backend.connect()
    return host.AsyncDatabase(backend)


_NONE: Final = "no host is installed here"
