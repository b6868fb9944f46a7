"""The table of states in a host's database: what a host may do beside it, and every way in which it may fail."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, nullcontext
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
from tests.servers.hosts import StandIn, on_postgres, on_sqlite, real_on_postgres, real_on_sqlite
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


# No answer


@define
class Stuck:
    """A handle of which some statements are answered only once it is `freed`; whoever cancels one breaks it."""

    stuck: str
    rows: list[tuple[Any, ...]] = field(factory=list)
    backend_type: str = "postgres"
    freed: asyncio.Event = field(factory=asyncio.Event)
    said: list[str] = field(factory=list)

    async def execute(self, sql: str, params: tuple[Any, ...] = ()) -> int:
        """Write the one row."""
        await self.answer(sql)
        self.rows = [params[2:6]]
        return 1

    async def fetchall(self, sql: str, params: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
        """Read the one row."""
        await self.answer(sql)
        return self.rows

    def transaction(self, *, immediate: bool = False) -> AbstractAsyncContextManager[None]:
        """Nothing is made here."""
        raise NotImplementedError

    async def answer(self, sql: str) -> None:
        """Wait for what is stuck."""
        verb = sql.split(maxsplit=1)[0]
        self.said.append(verb)
        if verb in self.stuck.split():
            try:
                await self.freed.wait()
            except asyncio.CancelledError:
                self.said.append("broken")
                raise

    async def free(self) -> None:
        """Answer all that was said."""
        self.freed.set()
        for _ in range(8):
            await asyncio.sleep(0)


SHORT = 0.05
"""Seconds, for what never answers; nothing here is told by how long it takes."""
SILENT = "the agent's database did not answer in time"
UNKNOWN = "the agent's database did not answer in time while it was written"


@pytest.mark.parametrize("verb", VERBS)
def test_a_database_that_does_not_answer_is_told_as_that(verb: str) -> None:
    """By every verb; of a change, that nobody knows. Once it answers all is well."""

    async def told() -> None:
        handle = Stuck("SELECT INSERT")
        table = HostedStates(lambda: handle, AGENT, wait=SHORT)
        error = await refusal(table, verb)
        assert error.why == (UNKNOWN if verb == "put" else SILENT)
        assert ("may have been written" in (error.fix or "")) is (verb == "put")
        await handle.free()
        await table.put(NOTES, ON)
        assert await table.rows() == {NOTES: ON}
        assert "broken" not in handle.said

    asyncio.run(told())


def test_nothing_more_is_said_for_whoever_was_told_that_there_is_no_answer() -> None:
    """A replacement whose look is answered too late is not written afterwards."""

    async def told() -> None:
        handle = Stuck("SELECT", rows=rows_of(ON))
        assert (await refusal(HostedStates(lambda: handle, AGENT, wait=SHORT), "replace")).why == SILENT
        await handle.free()
        assert handle.said == ["SELECT"]

    asyncio.run(told())


def test_nothing_more_is_said_once_time_is_up() -> None:
    """Though what was said is answered: a loop that was held up would else have a change in doubt."""

    class Slow(Stuck):
        async def answer(self, sql: str) -> None:
            await super().answer(sql)
            time.sleep(2 * SHORT)  # noqa: ASYNC251 - the loop is to be held up

    async def told() -> None:
        handle = Slow("", rows=rows_of(ON))
        assert (await refusal(HostedStates(lambda: handle, AGENT, wait=SHORT), "replace")).why == SILENT
        assert handle.said == ["SELECT"]

    asyncio.run(told())


@pytest.mark.parametrize("owed", ["put", "rows"])
def test_while_an_answer_is_owed_nothing_is_said(owed: str) -> None:
    """What may yet be made would be made after what is said now: who was told that it is off could not rely on it."""

    async def told() -> None:
        handle = Stuck("SELECT INSERT")
        table = HostedStates(lambda: handle, AGENT, wait=SHORT)
        await refusal(table, owed)
        for verb in VERBS:
            assert (await refusal(table, verb)).why == SILENT
        assert len(handle.said) == 1
        await handle.free()
        await table.put(NOTES, PINNED)
        assert await table.rows() == {NOTES: PINNED}

    asyncio.run(told())


def test_a_change_that_fails_after_its_caller_was_told() -> None:
    """Nobody hears of it any more, and it is no longer owed."""

    class Failing(Stuck):
        async def answer(self, sql: str) -> None:
            await super().answer(sql)
            if sql.startswith("INSERT") and not self.rows:
                self.rows = rows_of(ON)
                raise RuntimeError("too late")

    async def told() -> None:
        heard: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(context))
        handle = Failing("INSERT")
        table = HostedStates(lambda: handle, AGENT, wait=SHORT)
        assert (await refusal(table, "put")).why == UNKNOWN
        await handle.free()
        await table.put(NOTES, PINNED)
        gc.collect()
        assert heard == []

    asyncio.run(told())


def test_a_caller_that_goes_away_stays_for_what_was_said() -> None:
    """So that what it holds meanwhile holds for that, too; but not for ever."""

    async def told(is_freed: bool) -> bool:
        handle = Stuck("INSERT")
        table = HostedStates(lambda: handle, AGENT)
        task = asyncio.create_task(table.put(NOTES, ON))
        await asyncio.sleep(SHORT)
        task.cancel()
        if is_freed:
            await handle.free()
        with pytest.raises(asyncio.CancelledError):
            await task
        was_written = handle.rows == rows_of(ON)
        await handle.free()
        await table.put(NOTES, PINNED)
        assert await table.rows() == {NOTES: PINNED}
        assert handle.said == ["INSERT", "INSERT", "SELECT"]
        return was_written

    assert asyncio.run(told(is_freed=True))
    assert not asyncio.run(told(is_freed=False))


def test_a_call_that_the_host_itself_cancels_has_no_answer() -> None:
    """As when it closes its database."""

    class Cancelled(Stuck):
        async def answer(self, sql: str) -> None:
            self.said.append(sql)
            raise asyncio.CancelledError

    async def told() -> None:
        table = HostedStates(lambda: Cancelled(""), AGENT)
        assert [(await refusal(table, verb)).why for verb in ("put", "rows")] == [UNKNOWN, SILENT]

    asyncio.run(told())


@asynccontextmanager
async def opened(opening: Callable[[Any], Any], place: Any) -> AsyncIterator[Any]:
    """A handle, on what stands for a host or on a real one."""
    handle = opening(place)
    handle = await handle if asyncio.iscoroutine(handle) else handle
    try:
        yield handle
    finally:
        if (ending := handle.close()) is not None:
            await ending


async def until_written(table: HostedStates, state: SkillState) -> None:
    """Write, as soon as nothing is owed any more."""
    for _ in range(600):
        try:
            return await table.put(NOTES, state)
        except StateUnavailable:
            await asyncio.sleep(SHORT)
    raise TimeoutError


@pytest.mark.parametrize("opening", [on_sqlite, pytest.param(real_on_sqlite, marks=pytest.mark.host)])
def test_a_file_that_another_process_holds_for_long(tmp_path: Path, opening: Callable[[Path], Any]) -> None:
    """Not as long as the host itself waits for it: it is told soon, and what is said once it is free stands."""

    async def told() -> None:
        async with opened(opening, tmp_path / "agent.db") as handle:
            patient = HostedStates(lambda: handle, AGENT)
            await patient.put(NOTES, ON)
            table = HostedStates(lambda: handle, AGENT, wait=SHORT)
            with closing(sqlite3.connect(tmp_path / "agent.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                assert (await refusal(table, "put")).why == UNKNOWN
                assert finish(SqliteStates(tmp_path / "agent.db", AGENT, offload=inline).rows()) == {NOTES: ON}
                other.execute("ROLLBACK")
            await until_written(table, INERT)
            assert await patient.rows() == {NOTES: INERT}

    asyncio.run(told())


@pytest.mark.parametrize("opening", [on_postgres, pytest.param(real_on_postgres, marks=pytest.mark.host)])
def test_a_server_that_is_stopped(lone: Cluster, opening: Callable[[str], Any]) -> None:
    """All of its processes: it is told. What nobody knew of comes to nothing once it goes on and is told otherwise."""

    async def told() -> None:
        async with opened(opening, lone.address()) as handle:
            patient = HostedStates(lambda: handle, AGENT)
            await patient.put(NOTES, ON)
            table = HostedStates(lambda: handle, AGENT, wait=0.3)
            with lone.stopped():
                for verb, why in (("put", UNKNOWN), ("rows", SILENT), ("drop", SILENT)):
                    assert (await refusal(table, verb)).why == why
            await until_written(table, INERT)
            assert await patient.rows() == {NOTES: INERT}

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
    assert asyncio.run(HostedStates(lambda: again, AGENT).replace(NOTES, PINNED, seen=ON))
    other = Scripted([rows_of(ON), 0, rows_of(PINNED)])
    assert not asyncio.run(HostedStates(lambda: other, AGENT).replace(NOTES, PINNED, seen=ON))


def test_a_change_of_which_nothing_is_known_is_looked_for() -> None:
    """If it is there it was made; else nobody knows, and that is said."""
    for found, was_made in ((PINNED, True), (ON, False)):
        handle = Scripted([rows_of(ON), Lost(), rows_of(found)])
        work = HostedStates(lambda handle=handle: handle, AGENT).replace(NOTES, PINNED, seen=ON)
        if was_made:
            assert asyncio.run(work)
        else:
            with pytest.raises(StateUnavailable, match="was lost while it was written"):
                asyncio.run(work)
    gone = Scripted([rows_of(ON), Lost(), []])
    asyncio.run(HostedStates(lambda: gone, AGENT).drop(NOTES, seen=ON))
    away = Scripted([rows_of(ON), Lost(), Lost()])
    with pytest.raises(StateUnavailable, match="was lost while it was written"):
        asyncio.run(HostedStates(lambda: away, AGENT).drop(NOTES, seen=ON))


def test_a_table_that_another_makes_at_the_same_moment() -> None:
    """Whoever lost the race to make it writes into the one that is there."""

    class Duplicate(Exception):
        sqlstate = "42P07"

    class NoTable(Exception):
        sqlstate = "42P01"

    handle = Scripted([NoTable(), [], Duplicate(), 1])
    asyncio.run(HostedStates(lambda: handle, AGENT).put(NOTES, ON))
    assert handle.said == ["INSERT", "BEGIN", "SELECT", "CREATE", "INSERT"]


def test_a_table_that_another_makes_while_it_is_looked_for() -> None:
    """A reading that found no table, and then that there is one, reads again, and takes it for no other table."""

    class NoTable(Exception):
        sqlstate = "42P01"

    handle = Scripted([NoTable(), [(1,)], rows_of(ON)])
    assert asyncio.run(HostedStates(lambda: handle, AGENT).rows()) == {NOTES: ON}
    odd = Scripted([NoTable(), [(1,)], NoTable()])
    with pytest.raises(StateUnavailable, match="is not the one expected"):
        asyncio.run(HostedStates(lambda: odd, AGENT).rows())


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


async def _all(table: HostedStates) -> Mapping[StateKey, SkillState]:
    return await table.rows()


def test_all_states_are_worked_out_once_while_they_read_the_same() -> None:
    """What they say is that very mapping, until a row reads otherwise; nobody can change it who has it."""
    row = to_row(NOTES, ON)
    first, second = [tuple(row)], [tuple(row._replace(priority=8))]
    table = HostedStates(lambda: handle, AGENT)
    handle = Scripted([first, [*first], second])
    said = asyncio.run(_all(table))
    assert said == {NOTES: ON}
    assert asyncio.run(_all(table)) is said
    assert asyncio.run(_all(table))[NOTES].priority == 8
    with pytest.raises(TypeError):
        said[NOTES] = PINNED  # type: ignore[index] # which is what is tried
