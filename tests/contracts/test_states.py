"""What every table of states keeps, on a disk or not."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import pytest

from kestrel_skills_adapters.contracts.states import Bed, StateTableContract
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.sql.address import server_url
from kestrel_skills_adapters.sql.hosted import HostedStates
from kestrel_skills_adapters.sql.postgres import PostgresStates
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.world import inline
from kestrel_skills_core.domain.errors import StateUnavailable
from tests.servers.hosts import StandIn, on_postgres, on_sqlite, real_on_postgres


@contextmanager
def memory(_: pytest.FixtureRequest) -> Iterator[Bed]:
    """The fake."""
    tables: list[MemoryStates] = []

    def table(_: str) -> MemoryStates:
        tables.append(MemoryStates())
        return tables[-1]

    def say(why: StateUnavailable | None) -> None:
        for each in tables:
            each.unavailable = why

    yield Bed(table, lambda: say(StateUnavailable("it is away")), lambda: say(None), examples=100)


@contextmanager
def sqlite(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """The table in a SQLite file; another process that holds it takes it away."""
    path = request.getfixturevalue("tmp_path") / "state.sqlite3"
    held = ExitStack()

    def hold() -> None:
        other = held.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
        other.execute("BEGIN EXCLUSIVE")

    yield Bed(lambda agent: SqliteStates(path, agent, offload=inline, wait=0), hold, held.close)


@contextmanager
def postgres(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """The table on a PostgreSQL server; an administrator takes the database away."""
    cluster, name = request.getfixturevalue("cluster"), request.getfixturevalue("database")
    url = server_url(cluster.url(name))

    def allow(allowed: str) -> None:
        cluster.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}")

    yield Bed(lambda agent: PostgresStates(url, agent, offload=inline), lambda: allow("false"), lambda: allow("true"))


@contextmanager
def hosted(opened: Callable[[], Coroutine[Any, Any, Any]], close: Callable[[Any], Any]) -> Iterator[Bed]:
    """The table in the database that a host has open; it closes it, and opens it again."""
    with asyncio.Runner() as runner:
        handle = runner.run(opened())

        async def closed() -> None:
            if (ending := close(handle)) is not None:
                await ending

        def give_back() -> None:
            nonlocal handle
            handle = runner.run(opened())

        yield Bed(
            lambda agent: HostedStates(lambda: handle, agent),
            lambda: runner.run(closed()),
            give_back,
            finish=runner.run,
        )
        runner.run(closed())


@contextmanager
def stand_in_sqlite(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """What stands for a host, on SQLite."""

    async def opened() -> StandIn:
        return on_sqlite(request.getfixturevalue("tmp_path") / "agent.db")

    with hosted(opened, StandIn.close) as bed:
        yield bed


@contextmanager
def stand_in_postgres(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """What stands for a host, on PostgreSQL."""
    url = request.getfixturevalue("cluster").url(request.getfixturevalue("database"))

    async def opened() -> StandIn:
        return on_postgres(url)

    with hosted(opened, StandIn.close) as bed:
        yield bed


@contextmanager
def host_sqlite(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """A real host, on SQLite, with its whole schema."""
    host = pytest.importorskip("kestrel_sovereign.storage.async_database", reason="no host is installed here")
    path = request.getfixturevalue("tmp_path") / "agent.db"
    with hosted(lambda: host.AsyncDatabase.sqlite(str(path)), lambda handle: handle.close()) as bed:
        yield bed


@contextmanager
def host_postgres(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """A real host, on PostgreSQL, without a schema: the table is made here."""
    url = request.getfixturevalue("cluster").address(request.getfixturevalue("database"))
    with hosted(lambda: real_on_postgres(url), lambda handle: handle.close()) as bed:
        yield bed


KINDS = [
    memory,
    sqlite,
    postgres,
    stand_in_sqlite,
    stand_in_postgres,
    pytest.param(host_sqlite, marks=pytest.mark.host),
    pytest.param(host_postgres, marks=pytest.mark.host),
]


@pytest.fixture(params=KINDS)
def bed(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """Each kind of table."""
    with request.param(request) as made:
        yield made


class TestStateTable(StateTableContract):
    """Each of them holds it."""
