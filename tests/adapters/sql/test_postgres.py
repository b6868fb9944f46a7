"""The table of states on a PostgreSQL server: what stands in it, who else writes there, and every way it can fail."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from attrs import define, field, frozen

from kestrel_skills_adapters.memory.world import MemoryOffload
from kestrel_skills_adapters.sql import statements
from kestrel_skills_adapters.sql.address import server_url
from kestrel_skills_adapters.sql.postgres import PostgresStates
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import Generation, Revision, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from tests.servers.postgres import PASSWORD, Cluster

AGENT = "did:test:abc"
OWNER = "procedural-skill-state:did:test:abc"
NOTES = StateKey(SkillName("release-notes"))
A, B = "a1" * 32, "b2" * 32
ON = SkillState(enabled=True, priority=7, subject=Subject(generation=Generation(A)))
PINNED = SkillState(enabled=True, subject=Subject(generation=Generation(A)), pin=Revision(B))

HOST_TABLE = """
CREATE TABLE bootstrap_config (
    id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, file_name TEXT NOT NULL, file_path TEXT DEFAULT '',
    enabled INTEGER DEFAULT 1, priority INTEGER DEFAULT 100, max_size_bytes INTEGER DEFAULT 10240,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX idx_bootstrap_config_agent ON bootstrap_config(agent_id);
CREATE UNIQUE INDEX idx_bootstrap_config_agent_file ON bootstrap_config(agent_id, file_name);
"""
"""As kestrel-sovereign 0.55.3 makes it."""

VERBS = ("rows", "put", "replace", "drop")
WRITES = ("put", "replace", "drop")


@frozen
class Server:
    """One database of the cluster, and what is done to it."""

    cluster: Cluster
    name: str

    def states(self, *, wait: float = 10.0, **parameters: str) -> PostgresStates:
        """The table of one agent, over the socket."""
        url = server_url(self.cluster.url(self.name, **parameters))
        return PostgresStates(url, AGENT, offload=inline, wait=wait)

    def remote(self, *, wait: float = 10.0, **how: str) -> PostgresStates:
        """The same, over loopback, with a password."""
        url = server_url(self.cluster.address(how.pop("database", self.name), **how))
        return PostgresStates(url, AGENT, offload=inline, wait=wait)

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """What another program says, and its answer."""
        return self.cluster.ask(statement, self.name)

    def is_left_alone(self) -> bool:
        """Whether no connection of ours is open any more; the server takes a moment to notice."""
        query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kestrel-skills'"
        return any(self.ask(query) == [(0,)] or time.sleep(0.02) for _ in range(500))

    @contextmanager
    def other(self) -> Iterator[Any]:
        """The connection of another program, in a transaction that is undone in the end."""
        import psycopg

        with psycopg.connect(self.cluster.url(self.name)) as connection:
            yield connection
            connection.rollback()


@pytest.fixture
def server(cluster: Cluster, database: str) -> Server:
    """An empty database."""
    return Server(cluster, database)


def called(table: PostgresStates, verb: str) -> object:
    """One call of each verb, on what is on."""
    calls: dict[str, Callable[[], Any]] = {
        "rows": table.rows,
        "put": lambda: table.put(NOTES, PINNED),
        "replace": lambda: table.replace(NOTES, PINNED, seen=ON),
        "drop": lambda: table.drop(NOTES, seen=ON),
    }
    return finish(calls[verb]())


def refusal(table: PostgresStates, verb: str = "rows") -> StateUnavailable:
    """The error of a call, checked for what no error may hold."""
    with pytest.raises(StateUnavailable) as caught:
        called(table, verb)
    told = f"{caught.value} {caught.value.fix} {caught.value.args}"
    assert not any(each in told for each in (PASSWORD, "psycopg", "FATAL", "\n", "wrong", "127.0.0.1"))
    assert caught.value.fix
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


# What stands on the server


def test_the_rows_are_these(server: Server) -> None:
    """Each column of a row is what a host expects there, and what a SQLite file holds."""
    finish(server.states().put(NOTES, PINNED))
    columns = "id, agent_id, file_name, file_path, enabled, priority, max_size_bytes"
    assert server.ask(f"SELECT {columns} FROM bootstrap_config") == [
        (
            "684c789e-4625-591f-ad66-b6ca0ba3b5fa",
            OWNER,
            "skill:release-notes",
            f"skill://release-notes?source=agent-local&generation={A}&revision={B}",
            1,
            100,
            262_144,
        )
    ]


def test_the_table_is_the_hosts(server: Server) -> None:
    """What is made is what the host makes: the same columns, types, defaults and indices."""

    def shape() -> list[list[tuple[Any, ...]]]:
        columns = "column_name, data_type, column_default, is_nullable"
        return [
            server.ask(f"SELECT {columns} FROM information_schema.columns WHERE table_name = 'bootstrap_config'"),
            server.ask("SELECT indexdef FROM pg_indexes WHERE tablename = 'bootstrap_config' ORDER BY indexname"),
        ]

    finish(server.states().put(NOTES, ON))
    ours = shape()
    server.ask("DROP TABLE bootstrap_config")
    server.ask(HOST_TABLE)
    assert shape() == ours
    assert len(ours[0]) == 8
    assert len(ours[1]) == 3


def test_reading_makes_nothing(server: Server) -> None:
    """Reading, replacing or dropping a row where there is no table leaves it so."""
    assert finish(server.states().rows()) == {}
    finish(server.states().drop(NOTES, seen=ON))
    assert not finish(server.states().replace(NOTES, PINNED, seen=ON))
    assert server.ask("SELECT to_regclass('bootstrap_config')") == [(None,)]


def test_other_rows_are_never_touched(server: Server) -> None:
    """Rows of other agents, of the host, and of other kinds are not read as ours, and stay as they are."""
    server.ask(HOST_TABLE)
    server.ask(
        f"""INSERT INTO bootstrap_config (id, agent_id, file_name, file_path) VALUES
        ('1', '{AGENT}', 'skill:release-notes', 'x'), ('2', '{OWNER}', 'AGENTS.md', 'x'),
        ('3', '{OWNER}:x', 'skill:release-notes', 'x'), ('4', '{OWNER}', 'skill:release-notes@git', 'x')"""
    )
    query = "SELECT * FROM bootstrap_config ORDER BY id"
    before = server.ask(query)
    assert finish(server.states().rows()) == {}
    finish(server.states().put(NOTES, PINNED))
    finish(server.states().drop(NOTES, seen=PINNED))
    finish(server.states().drop(NOTES, seen=SkillState()))
    assert server.ask(query) == before


@pytest.mark.parametrize(
    ("columns", "state"),
    [
        ("NULL, 1, 3", SkillState(enabled=True, priority=3, subject=Subject())),
        ("'x', 1, 3", SkillState(enabled=True, priority=3, subject=Subject())),
        ("'', 1, 3", SkillState(enabled=True, priority=3, subject=Subject())),
        ("'x', NULL, 3", None),
        ("'x', 2, 3", None),
        ("'x', 1, NULL", None),
        ("'x', 1, 2147483647", None),
    ],
)
def test_any_value_in_any_column(server: Server, columns: str, state: SkillState | None) -> None:
    """Odd values make a row inert, or none of ours; and it is replaced, and dropped, as it reads."""
    server.ask(HOST_TABLE)
    insert = f"""INSERT INTO bootstrap_config (id, agent_id, file_name, file_path, enabled, priority)
        VALUES ('x', '{OWNER}', 'skill:release-notes', {columns})"""
    server.ask(insert)
    assert finish(server.states().rows()) == ({} if state is None else {NOTES: state})
    assert not finish(server.states().replace(NOTES, PINNED, seen=ON))
    assert finish(server.states().replace(NOTES, ON, seen=state))
    assert finish(server.states().rows()) == {NOTES: ON}
    if state is not None:
        server.ask("DELETE FROM bootstrap_config")
        server.ask(insert)
        finish(server.states().drop(NOTES, seen=state))
        assert finish(server.states().rows()) == {}


def test_the_rows_of_one_name_are_found_by_the_index(server: Server) -> None:
    """So that what one skill costs does not depend on how many others have rows."""
    finish(server.states().put(NOTES, ON))
    dialect = statements.POSTGRES
    for statement, parameters in (
        (dialect.select_name, (OWNER, *statements.names_of(NOTES.name))),
        (dialect.delete, (OWNER, "skill:release-notes", "x", 1, 7)),
    ):
        with server.other() as other:
            other.execute("SET enable_seqscan = off")
            plan = other.execute(f"EXPLAIN {statements.psycopg_form(statement)}", parameters).fetchall()
        assert "Index" in str(plan)
        assert "file_name" in str(plan)


# Others who write


@pytest.mark.parametrize("verb", WRITES)
def test_held_by_another(server: Server, verb: str) -> None:
    """A row that another program holds past the deadline: say so, and write nothing, then or later."""
    finish(server.states().put(NOTES, ON))
    with server.other() as other:
        other.execute("UPDATE bootstrap_config SET enabled = 1")
        assert refusal(server.states(wait=0.5), verb).why == "the database server did not answer in time"
    assert finish(server.states().rows()) == {NOTES: ON}
    assert server.is_left_alone()


@pytest.mark.parametrize("verb", WRITES)
def test_whoever_goes_away_waits_no_longer(server: Server, verb: str) -> None:
    """Though there was patience for an hour; and nor does the server."""
    finish(server.states().put(NOTES, ON))
    url = server_url(server.cluster.url(server.name))
    with server.other() as other:
        other.execute("UPDATE bootstrap_config SET enabled = 1")
        table = PostgresStates(url, AGENT, offload=MemoryOffload(gone=True), wait=3600)
        assert refusal(table, verb).why == "the database server did not answer in time"
        assert server.is_left_alone()  # though the row is still held
    assert finish(server.states().rows()) == {NOTES: ON}


def test_whoever_goes_away_in_the_middle_waits_no_longer(server: Server) -> None:
    """Nor does the server, though it waits for a row by then."""
    finish(server.states().put(NOTES, ON))
    offload = MemoryOffload()
    table = PostgresStates(server_url(server.cluster.url(server.name)), AGENT, offload=offload, wait=3600)
    with ThreadPoolExecutor(1) as pool, server.other() as other:
        other.execute("UPDATE bootstrap_config SET enabled = 1")
        waiting = pool.submit(lambda: refusal(table, "put"))
        with pytest.raises(TimeoutError):
            waiting.result(0.3)
        offload.gone = True
        assert waiting.result().why == "the database server did not answer in time"
        assert server.is_left_alone()
    assert finish(server.states().rows()) == {NOTES: ON}


def test_what_is_written_during_a_replacement_stands(server: Server) -> None:
    """A row is compared when it is written, and not before."""
    finish(server.states().put(NOTES, ON))
    with ThreadPoolExecutor(1) as pool, server.other() as other:
        other.execute("UPDATE bootstrap_config SET enabled = 0")
        waiting = pool.submit(lambda: finish(server.states(wait=60).replace(NOTES, PINNED, seen=ON)))
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        other.commit()
        assert not waiting.result()
    assert not finish(server.states().rows())[NOTES].enabled


def test_transactions_that_meet_are_tried_again(server: Server) -> None:
    """Where the server's transactions are serializable, one that lost its place is made anew, and then fits or not."""
    finish(server.states().put(NOTES, ON))
    server.ask(f"ALTER DATABASE {server.name} SET default_transaction_isolation = 'serializable'")
    with ThreadPoolExecutor(1) as pool, server.other() as other:
        other.execute("UPDATE bootstrap_config SET priority = 8")
        waiting = pool.submit(lambda: finish(server.states(wait=60).put(NOTES, PINNED)))
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        other.commit()
        waiting.result()
    assert finish(server.states().rows()) == {NOTES: PINNED}


def test_a_serialization_failure_that_does_not_end(server: Server) -> None:
    """It is told when time is up."""
    finish(server.states().put(NOTES, ON))
    server.ask(
        """CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$"""
    )
    server.ask("CREATE TRIGGER fails BEFORE UPDATE ON bootstrap_config FOR EACH ROW EXECUTE FUNCTION fails()")
    assert refusal(server.states(wait=0.3), "put").why in (
        "others are changing it at the same time",
        "the database server did not answer in time",
    )
    assert finish(server.states().rows()) == {NOTES: ON}


def test_processes_at_once_lose_nothing(server: Server) -> None:
    """Processes that put rows at the same time, into a table that is not there yet, lose none."""
    program = """
import sys
from kestrel_skills_adapters.sql.address import server_url
from kestrel_skills_adapters.sql.postgres import PostgresStates
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey
table = PostgresStates(server_url(sys.argv[1]), "did:test:abc", offload=inline, wait=60)
for number in range(5):
    finish(table.put(StateKey(SkillName(f"skill-{sys.argv[2]}-{number}")), SkillState(priority=number)))
"""
    url = server.cluster.url(server.name)
    writers = [subprocess.Popen([sys.executable, "-c", program, url, str(number)]) for number in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    assert finish(server.states().rows()) == {
        StateKey(SkillName(f"skill-{writer}-{number}")): SkillState(priority=number)
        for writer in range(4)
        for number in range(5)
    }


# Every way to fail


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"password": "wrong"}, "the database server refuses this user or password"),
        ({"user": "stranger"}, "the database server refuses this user or password"),
        ({"database": "nowhere"}, "there is no such database"),
    ],
)
def test_a_server_that_refuses(server: Server, verb: str, how: dict[str, str], why: str) -> None:
    """A wrong password, an unknown user and a database that is not there each have their words."""
    assert refusal(server.remote(**how), verb).why == why


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("place", ["127.0.0.1:{free}", "nowhere.invalid", ":5432/x?host=/nowhere"])
def test_a_server_that_is_not_there(verb: str, place: str) -> None:
    """A port on which nobody listens, a name that nobody knows, and a socket that is none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: it is the extra `postgres`")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = server_url(f"postgresql://ada:{PASSWORD}@{place.format(free=free.getsockname()[1])}")
    assert refusal(PostgresStates(url, AGENT, offload=inline), verb).why == "the database server cannot be reached"


@pytest.mark.parametrize("gone", [False, True])
def test_a_server_that_says_nothing(gone: bool) -> None:
    """It is waited for as long as there is patience, or somebody who waits."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: it is the extra `postgres`")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = server_url(f"postgresql://ada:{PASSWORD}@127.0.0.1:{silent.getsockname()[1]}/x")
        table = PostgresStates(url, AGENT, offload=MemoryOffload(gone=gone), wait=3600 if gone else 0.2)
        assert refusal(table, "put").why == "the database server did not answer in time"


def test_a_parameter_that_nobody_knows(server: Server) -> None:
    """The library that reads a URL would repeat it."""
    assert refusal(server.states(wrong="x")).why == "the URL of the database server cannot be read"


@pytest.mark.parametrize("verb", VERBS)
def test_no_permission(server: Server, verb: str) -> None:
    """A user who may not use the table is told what to grant; and where there is none, who may not make one."""
    finish(server.states().put(NOTES, ON))
    role = f"guest_{server.name}"
    server.ask(f"CREATE ROLE {role} LOGIN")
    try:
        error = refusal(server.states(user=role), verb)
        assert error.why == "this user may not read or write the table bootstrap_config"
        assert "grant SELECT" in error.fix
        assert finish(server.states(user=role).standing()) == (True, False)
        server.ask("ALTER TABLE bootstrap_config RENAME TO other_config")
        assert finish(server.states(user=role).rows()) == {}
        assert refusal(server.states(user=role), "put").why == error.why
        assert finish(server.states(user=role).standing()) == (False, False)
    finally:
        server.ask(f"DROP ROLE {role}")


def test_a_user_who_may_write_and_make_nothing(server: Server) -> None:
    """Whoever may write the rows needs no right to make a table that is there."""
    server.ask(HOST_TABLE)
    role = f"guest_{server.name}"
    server.ask(f"CREATE ROLE {role} LOGIN")
    try:
        server.ask(f"GRANT SELECT, INSERT, UPDATE, DELETE ON bootstrap_config TO {role}")
        finish(server.states(user=role).put(NOTES, ON))
        assert finish(server.states(user=role).standing()) == (True, True)
    finally:
        server.ask(f"DROP OWNED BY {role}")
        server.ask(f"DROP ROLE {role}")


@pytest.mark.parametrize("verb", WRITES)
def test_a_read_only_server(server: Server, verb: str) -> None:
    """A standby, or a database that may only be read, is read and not written."""
    finish(server.states().put(NOTES, ON))
    assert finish(server.states().standing()) == (True, True)
    server.ask(f"ALTER DATABASE {server.name} SET default_transaction_read_only = on")
    assert finish(server.states().rows()) == {NOTES: ON}
    assert refusal(server.states(), verb).why == "the database server is read-only"
    assert finish(server.states().standing()) == (True, False)


def test_a_schema_that_is_not_there(server: Server) -> None:
    """Where no schema of the search path exists there are no rows, and a put says so."""
    table = server.states(options="-csearch_path%3Dnowhere")
    assert finish(table.rows()) == {}
    assert refusal(table, "put").why == "the database server has no schema for the table"
    assert finish(table.standing()) == (False, False)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "columns",
    [
        "agent_id TEXT, file_name TEXT",
        "id TEXT, agent_id TEXT, file_name TEXT, file_path TEXT, enabled INT, priority INT",
    ],
)
def test_a_table_of_another_shape(server: Server, columns: str, verb: str) -> None:
    """A table of that name that is not the host's is not written, and is told of if it cannot be read either."""
    server.ask(f"CREATE TABLE bootstrap_config ({columns})")
    query = "SELECT count(*) FROM pg_indexes WHERE tablename = 'bootstrap_config'"
    if verb == "put" or "id TEXT, " not in columns:
        assert refusal(server.states(), verb).why == "its table bootstrap_config is not the one expected"
    assert server.ask(query) == [(0,)]


# A connection that is lost


def test_a_connection_that_is_lost_in_a_transaction(server: Server) -> None:
    """What was not committed is not there, and the next call is well."""
    finish(server.states().put(NOTES, ON))
    with ThreadPoolExecutor(1) as pool, server.other() as other:
        other.execute("UPDATE bootstrap_config SET enabled = 1")
        waiting = pool.submit(lambda: refusal(server.states(wait=60), "put"))
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kestrel-skills'")
        assert waiting.result().why == "the connection to the database server was lost"
    assert finish(server.states().rows()) == {NOTES: ON}


@define
class Relay:
    """Between a client and a server: cuts the connection at a word of the client's, before it or after the answer."""

    port: int
    word: bytes
    after: bool
    times: int = 1
    listening: socket.socket = field(factory=lambda: socket.create_server(("127.0.0.1", 0)))

    @property
    def own_port(self) -> int:
        """Where it listens."""
        return self.listening.getsockname()[1]

    def run(self) -> None:
        """Pass on what comes, one connection after the other."""
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                with client, socket.create_connection(("127.0.0.1", self.port)) as server:
                    self.passed(client, server)

    def passed(self, client: socket.socket, server: socket.socket) -> None:
        """Pass one connection on; a word of the client's is one message, and so is its answer."""
        deaf, answered = threading.Event(), threading.Event()

        def back() -> None:
            with suppress(OSError):
                while said := server.recv(65536):
                    if deaf.is_set():
                        answered.set()
                        return
                    client.sendall(said)

        returning = threading.Thread(target=back, daemon=True)
        returning.start()
        while heard := client.recv(65536):
            if self.times and self.word in heard:
                self.times -= 1
                if self.after:
                    deaf.set()
                    server.sendall(heard)
                    answered.wait(10)
                break
            server.sendall(heard)
        server.shutdown(socket.SHUT_RDWR)
        returning.join(10)


@contextmanager
def relayed(server: Server, word: bytes, *, after: bool, times: int = 1) -> Iterator[PostgresStates]:
    """The table behind a relay."""
    relay = Relay(server.cluster.port, word, after=after, times=times)
    threading.Thread(target=relay.run, daemon=True).start()
    address = server.cluster.address(server.name).replace(f":{server.cluster.port}/", f":{relay.own_port}/")
    try:
        yield PostgresStates(server_url(f"{address}?sslmode=disable"), AGENT, offload=inline, wait=60)
    finally:
        # A listening socket that is shut down ends whoever waits for it.
        with suppress(OSError):
            relay.listening.shutdown(socket.SHUT_RDWR)
        relay.listening.close()


@pytest.mark.parametrize("verb", WRITES)
def test_a_commit_that_was_made_though_nobody_heard_so(server: Server, verb: str) -> None:
    """It is looked for, and told as made."""
    finish(server.states().put(NOTES, ON))
    with relayed(server, b"COMMIT", after=True) as table:
        assert called(table, verb) is (True if verb == "replace" else None)
    assert finish(server.states().rows()) == ({} if verb == "drop" else {NOTES: PINNED})


@pytest.mark.parametrize("verb", WRITES)
def test_a_commit_that_never_arrived(server: Server, verb: str) -> None:
    """It is looked for, and told as what it is: not known; nothing was written."""
    finish(server.states().put(NOTES, ON))
    with relayed(server, b"COMMIT", after=False) as table:
        error = refusal(table, verb)
    assert error.why == "the connection to the database server was lost while it was written"
    assert "look again" in error.fix
    assert finish(server.states().rows()) == {NOTES: ON}


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where psycopg is not installed, each call says what to install."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StateUnavailable) as caught:
        finish(PostgresStates(server_url("postgresql://x"), AGENT, offload=inline).rows())
    assert caught.value.fix == "install kestrel-feature-skills[postgres]"


def test_nothing_stays_open(server: Server) -> None:
    """Neither a call that succeeds nor one that fails leaves a connection or a thread."""
    finish(server.states().put(NOTES, ON))
    for verb in VERBS:
        called(server.states(), verb)
        refusal(server.remote(database="nowhere"), verb)
    assert server.is_left_alone()
