"""The table of states in a host's database: what a host may do beside it, and every way in which it may fail."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, closing, nullcontext
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from kestrel_skills_adapters.sql import statements
from kestrel_skills_adapters.sql.hosted import HostDatabase, HostedStates
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import Generation, Revision, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey, to_row
from tests.servers.hosts import StandIn, on_postgres, on_sqlite, real_on_sqlite
from tests.servers.postgres import Cluster

AGENT = "did:test:abc"
OWNER = "procedural-skill-state:did:test:abc"
NOTES = StateKey(SkillName("release-notes"))
A, B = "a1" * 32, "b2" * 32
ON = SkillState(enabled=True, priority=7, subject=Subject(generation=Generation(A)))
PINNED = SkillState(enabled=True, subject=Subject(generation=Generation(A)), pin=Revision(B))
INERT = SkillState(enabled=True, priority=3, subject=Subject())
VERBS = ("rows", "put", "replace", "drop")
WRITES = ("put", "replace", "drop")


def call(table: HostedStates, verb: str) -> Coroutine[Any, Any, Any]:
    """One call of each verb, on what is on."""
    calls: dict[str, Callable[[], Any]] = {
        "rows": table.rows,
        "put": lambda: table.put(NOTES, PINNED),
        "replace": lambda: table.replace(NOTES, PINNED, seen=ON),
        "drop": lambda: table.drop(NOTES, seen=ON),
    }
    return calls[verb]()


async def refusal(table: HostedStates, verb: str = "rows") -> StateUnavailable:
    """The error of a call, checked for what no error may hold."""
    with pytest.raises(StateUnavailable) as caught:
        await call(table, verb)
    told = f"{caught.value} {caught.value.fix} {caught.value.args}"
    assert not any(each in told for each in ("/", "\n", "sqlite3", "failed:", "SELECT "))
    assert caught.value.fix
    return caught.value


@define
class Scripted:
    """A handle that answers as it is told; what it is told may also be raised."""

    answers: list[Any]
    backend_type: str = "postgres"
    said: list[str] = field(factory=list)

    async def execute(self, sql: str, params: tuple[Any, ...] = ()) -> int:
        """Change something."""
        return self.answer(sql)

    async def fetchall(self, sql: str, params: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
        """Ask something."""
        return self.answer(sql)

    def transaction(self, *, immediate: bool = False) -> AbstractAsyncContextManager[None]:
        """All or none; here, what is said in it."""
        self.said.append("BEGIN")
        return nullcontext()

    def answer(self, sql: str) -> Any:
        """The next answer; the last one again and again."""
        self.said.append(sql.split(maxsplit=1)[0])
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Lost(Exception):
    """As a driver tells that a connection was lost."""

    sqlstate = "08006"


def rows_of(state: SkillState | None) -> list[tuple[Any, ...]]:
    """The rows that say so."""
    return [] if state is None else [tuple(to_row(NOTES, state))]


# The handle


@pytest.mark.parametrize("verb", VERBS)
def test_no_database(verb: str) -> None:
    """An agent without a database is told so, by every verb."""
    error = asyncio.run(refusal(HostedStates(lambda: None, AGENT), verb))
    assert error.why == "the agent has no database"


def test_the_handle_is_asked_for_at_each_call(tmp_path: Path) -> None:
    """A host may open its database after the table was made, lose it, and open another."""

    async def told() -> None:
        handle: HostDatabase | None = None
        table = HostedStates(lambda: handle, AGENT)
        assert (await refusal(table)).why == "the agent has no database"
        one, other = on_sqlite(tmp_path / "one"), on_sqlite(tmp_path / "other")
        handle = one
        await table.put(NOTES, ON)
        handle = other
        assert await table.rows() == {}
        handle = one
        assert await table.rows() == {NOTES: ON}
        one.close()
        assert (await refusal(table)).why
        other.close()

    asyncio.run(told())


def test_a_handle_that_cannot_be_had() -> None:
    """What a host raises when it is asked for its database is told as a table that does not answer."""

    def raises() -> None:
        raise RuntimeError("failed: /path")

    error = asyncio.run(refusal(HostedStates(raises, AGENT)))
    assert error.why == "the agent's database does not answer as it should"


def test_a_database_of_another_kind() -> None:
    """Nothing is said to a database whose language nobody knows."""
    handle = Scripted([[]], backend_type="oracle")
    assert asyncio.run(refusal(HostedStates(lambda: handle, AGENT))).why == "the agent's database is of an unknown kind"
    assert handle.said == []


# Within a host's transaction


@pytest.mark.parametrize("verb", WRITES)
def test_nothing_is_written_in_a_transaction_of_the_host(tmp_path: Path, verb: str) -> None:
    """It could be undone after it was told as written; it is read all the same."""

    async def told() -> None:
        with closing(on_sqlite(tmp_path / "agent.db")) as handle:
            table = HostedStates(lambda: handle, AGENT)
            await table.put(NOTES, ON)
            async with handle.transaction():
                assert (await refusal(table, verb)).why == "the agent's database is in the middle of a transaction"
                assert await table.rows() == {NOTES: ON}
            assert await table.rows() == {NOTES: ON}

    asyncio.run(told())


# A caller that goes away


@pytest.mark.parametrize("verb", WRITES)
@pytest.mark.parametrize("steps", range(7))
def test_a_cancelled_caller_leaves_all_or_nothing(tmp_path: Path, verb: str, steps: int) -> None:
    """After whichever statement it is cancelled, the row is old or new, as is the table, and the next call is well."""

    async def told() -> None:
        with closing(on_sqlite(tmp_path / "agent.db")) as handle:
            table = HostedStates(lambda: handle, AGENT)
            if verb != "put":
                await table.put(NOTES, ON)
            handle.said.clear()
            task = asyncio.create_task(call(table, verb))
            while len(handle.said) < steps and not task.done():  # noqa: ASYNC110 - a thread says it, and tells nobody
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert (await table.rows()).get(NOTES) in ((None, PINNED) if verb == "put" else (ON, PINNED, None))
            made = await handle.fetchall("SELECT name FROM sqlite_master WHERE name LIKE '%bootstrap_config%'")
            assert len(made) in (0, 4)  # the table, the index of its key, and two more
            await table.put(NOTES, PINNED)
            assert await table.rows() == {NOTES: PINNED}

    asyncio.run(told())


# Others who write


def test_a_row_that_keeps_changing_is_given_up() -> None:
    """A change that is overtaken each time says so, in the end."""
    answers = [rows_of(ON), 0] * 8
    handle = Scripted([*answers, []])
    for verb in ("replace", "drop"):
        handle.answers = [*answers, []]
        error = asyncio.run(refusal(HostedStates(lambda: handle, AGENT), verb))
        assert error.why == "others are changing it at the same time"


def test_a_row_that_changed_meanwhile_is_looked_at_again() -> None:
    """If it then reads as it was seen, it is written; else not."""
    again = Scripted([rows_of(ON), 0, rows_of(ON), 1])
    assert finish(HostedStates(lambda: again, AGENT).replace(NOTES, PINNED, seen=ON))
    other = Scripted([rows_of(ON), 0, rows_of(PINNED)])
    assert not finish(HostedStates(lambda: other, AGENT).replace(NOTES, PINNED, seen=ON))


def test_a_change_of_which_nothing_is_known_is_looked_for() -> None:
    """If it is there it was made; else nobody knows, and that is said."""
    for found, was_made in ((PINNED, True), (ON, False)):
        handle = Scripted([rows_of(ON), Lost(), rows_of(found)])
        work = HostedStates(lambda handle=handle: handle, AGENT).replace(NOTES, PINNED, seen=ON)
        if was_made:
            assert finish(work)
        else:
            with pytest.raises(StateUnavailable, match="was lost while it was written"):
                finish(work)
    gone = Scripted([rows_of(ON), Lost(), []])
    finish(HostedStates(lambda: gone, AGENT).drop(NOTES, seen=ON))
    away = Scripted([rows_of(ON), Lost(), Lost()])
    with pytest.raises(StateUnavailable, match="was lost while it was written"):
        finish(HostedStates(lambda: away, AGENT).drop(NOTES, seen=ON))


def test_a_table_that_another_makes_at_the_same_moment() -> None:
    """Whoever lost the race to make it writes into the one that is there."""

    class Duplicate(Exception):
        sqlstate = "42P07"

    class NoTable(Exception):
        sqlstate = "42P01"

    handle = Scripted([NoTable(), [], Duplicate(), 1])
    finish(HostedStates(lambda: handle, AGENT).put(NOTES, ON))
    assert handle.said == ["INSERT", "BEGIN", "SELECT", "CREATE", "INSERT"]


def test_a_table_that_another_makes_while_it_is_looked_for() -> None:
    """A reading that found no table, and then that there is one, reads again, and takes it for no other table."""

    class NoTable(Exception):
        sqlstate = "42P01"

    handle = Scripted([NoTable(), [(1,)], rows_of(ON)])
    assert finish(HostedStates(lambda: handle, AGENT).rows()) == {NOTES: ON}
    odd = Scripted([NoTable(), [(1,)], NoTable()])
    with pytest.raises(StateUnavailable, match="is not the one expected"):
        finish(HostedStates(lambda: odd, AGENT).rows())


def test_two_handles_on_one_server_agree(cluster: Cluster, database: str) -> None:
    """Of two hosts that replace the same at the same time, one does, and both see its state."""

    async def told() -> None:
        with closing(on_postgres(cluster.url(database))) as one, closing(on_postgres(cluster.url(database))) as other:
            tables = [HostedStates(lambda handle=handle: handle, AGENT) for handle in (one, other)]
            seen = None
            for turn in range(30):
                wanted = [SkillState(enabled=True, priority=2 * turn + which, subject=ON.subject) for which in range(2)]
                did = await asyncio.gather(
                    *(table.replace(NOTES, state, seen=seen) for table, state in zip(tables, wanted, strict=True))
                )
                assert sorted(did) == [False, True]
                seen = wanted[did.index(True)]
                assert [await table.rows() for table in tables] == [{NOTES: seen}] * 2

    asyncio.run(told())


# What stands in the table


@pytest.mark.parametrize(
    ("columns", "state"),
    [
        ("'skill:release-notes', NULL, 1, 3", INERT),
        ("'skill:release-notes', x'736b', 1, 3", INERT),
        ("'skill:release-notes', CAST(x'ff00fe' AS TEXT), 1, 3", INERT),
        ("'skill:release-notes', 3.5, 1, 3", INERT),
        ("'skill:release-notes', 'x', NULL, 3", None),
        ("'skill:release-notes', 'x', 'yes', 3", None),
        ("'skill:release-notes', 'x', CAST(x'ff' AS TEXT), 3", None),
        ("'skill:release-notes', 'x', x'31', 3", None),
        ("'skill:release-notes', 'x', 0.5, 3", None),
        ("'skill:release-notes', 'x', 1, NULL", None),
        ("'skill:release-notes', 'x', 1, 9223372036854775807", None),
        ("'skill:release-notes', 'x', 1, 1e300", None),
    ],
)
def test_any_value_in_any_column(tmp_path: Path, columns: str, state: SkillState | None) -> None:
    """SQLite holds no column to its type: what is odd reads as it does in a file, and is replaced, and dropped, so."""
    path = tmp_path / "agent.db"

    async def told() -> None:
        with closing(on_sqlite(path)) as handle:
            table = HostedStates(lambda: handle, AGENT)
            for change in ("replace", "drop"):
                await table.put(NOTES, ON)
                await handle.execute("DELETE FROM bootstrap_config")
                insert = "INSERT INTO bootstrap_config (id, agent_id, file_name, file_path, enabled, priority)"
                await handle.execute(f"{insert} VALUES ('x', '{OWNER}', {columns})")
                expected = {} if state is None else {NOTES: state}
                assert await table.rows() == expected
                assert finish(SqliteStates(path, AGENT, offload=inline).rows()) == expected
                assert not await table.replace(NOTES, PINNED, seen=ON)
                if change == "replace":
                    assert await table.replace(NOTES, PINNED, seen=state)
                    assert await table.rows() == {NOTES: PINNED}
                elif state is not None:
                    await table.drop(NOTES, seen=state)
                    assert await handle.fetchall("SELECT * FROM bootstrap_config") == []

    asyncio.run(told())


@pytest.mark.parametrize("verb", VERBS)
def test_a_table_of_another_shape(tmp_path: Path, verb: str) -> None:
    """A table of that name that is not the host's is told of, and stays as it is."""
    with closing(sqlite3.connect(tmp_path / "agent.db")) as database:
        database.execute("CREATE TABLE bootstrap_config (agent_id TEXT, file_name TEXT)")

    async def told() -> None:
        with closing(on_sqlite(tmp_path / "agent.db")) as handle:
            error = await refusal(HostedStates(lambda: handle, AGENT), verb)
            assert error.why == "its table bootstrap_config is not the one expected"
            assert len(await handle.fetchall("SELECT * FROM sqlite_master")) == 1

    asyncio.run(told())


def test_the_row_is_found_by_the_index(tmp_path: Path) -> None:
    """So that what one skill costs does not depend on how many others have rows; changing it, too."""
    dialect = statements.SQLITE
    finish(SqliteStates(tmp_path / "agent.db", AGENT, offload=inline).put(NOTES, ON))
    with closing(sqlite3.connect(tmp_path / "agent.db")) as database:
        for statement, parameters in (
            (dialect.select_name, (OWNER, *statements.names_of(NOTES.name))),
            (dialect.replace, ("x", 1, 7, 0, OWNER, "skill:release-notes", b"x", 1, 7)),
            (dialect.delete, (OWNER, "skill:release-notes", b"x", 1, 7)),
        ):
            plan = database.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            assert "idx_bootstrap_config_agent_file (agent_id=? AND file_name=?)" in plan[-1][-1]


def test_a_call_asks_once(tmp_path: Path) -> None:
    """A reading is one statement, and a change no more than a look and a statement."""

    async def told() -> None:
        with closing(on_sqlite(tmp_path / "agent.db")) as handle:
            table = HostedStates(lambda: handle, AGENT)
            await table.put(NOTES, ON)
            for verb, said in (("rows", 1), ("replace", 2), ("put", 1)):
                handle.said.clear()
                await call(table, verb)
                assert len(handle.said) == said

    asyncio.run(told())


@pytest.mark.host
def test_a_host_leaves_the_rows_alone(tmp_path: Path) -> None:
    """A real host that opens its database again, with all that it migrates, finds and leaves what was switched on."""
    host = pytest.importorskip("kestrel_sovereign.storage.async_database", reason="no host is installed here")
    path = tmp_path / "agent.db"

    async def opened(work: Callable[[HostedStates, Any], Coroutine[Any, Any, None]]) -> None:
        handle = await host.AsyncDatabase.sqlite(str(path))
        try:
            await work(HostedStates(lambda: handle, AGENT), handle)
        finally:
            await handle.close()

    async def put(table: HostedStates, handle: Any) -> None:
        await table.put(NOTES, ON)
        async with handle.transaction():
            if getattr(handle, "owns_open_transaction", None) is not None:  # as of 0.53.44
                assert (await refusal(table, "put")).why == "the agent's database is in the middle of a transaction"
        assert finish(SqliteStates(path, AGENT, offload=inline).rows()) == {NOTES: ON}

    async def look(table: HostedStates, _: Any) -> None:
        assert await table.rows() == {NOTES: ON}

    asyncio.run(opened(put))
    asyncio.run(opened(look))


@pytest.mark.host
@pytest.mark.parametrize("verb", WRITES)
@pytest.mark.parametrize("turns", [0, 1, 2, 4, 8, 16, 32])
def test_a_caller_that_a_host_cancels_leaves_all_or_nothing(tmp_path: Path, verb: str, turns: int) -> None:
    """On a real host too: the row is old or new, and the next call is well."""

    async def told() -> None:
        handle = await real_on_sqlite(tmp_path / "agent.db")
        try:
            table = HostedStates(lambda: handle, AGENT)
            if verb != "put":
                await table.put(NOTES, ON)
            task = asyncio.create_task(call(table, verb))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert (await table.rows()).get(NOTES) in ((None, PINNED) if verb == "put" else (ON, PINNED, None))
            await table.put(NOTES, PINNED)
            assert await table.rows() == {NOTES: PINNED}
        finally:
            await handle.close()

    asyncio.run(told())


def test_the_stand_in_does_what_the_host_does(tmp_path: Path) -> None:
    """What it raises is wrapped, its transactions join, and what is undone is undone."""

    async def told() -> None:
        with closing(on_sqlite(tmp_path / "agent.db")) as handle:
            await handle.execute("CREATE TABLE t (x)")
            with pytest.raises(Exception, match="transaction failed") as caught:
                await undone(handle)
            assert isinstance(caught.value.__cause__, ZeroDivisionError)
            assert await handle.fetchall("SELECT * FROM t") == []

    async def undone(handle: StandIn) -> None:
        async with handle.transaction(), handle.transaction():
            await handle.execute("INSERT INTO t VALUES (?)", (1,))
            raise ZeroDivisionError

    asyncio.run(told())
