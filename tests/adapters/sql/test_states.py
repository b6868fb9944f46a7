"""The table of states in a SQLite file: what stands in it, who else writes there, and every way it can be broken."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from kestrel_skills_adapters.memory.world import MemoryOffload
from kestrel_skills_adapters.sql import statements
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import Generation, Revision, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey

AGENT = "did:test:abc"
OWNER = "procedural-skill-state:did:test:abc"
NOTES = StateKey(SkillName("release-notes"))
SHARED_NOTES = StateKey(SkillName("release-notes"), shared=True)
A, B = "a1" * 32, "b2" * 32
ON = SkillState(enabled=True, priority=7, subject=Subject(generation=Generation(A)))
PINNED = SkillState(enabled=True, subject=Subject(generation=Generation(A)), pin=Revision(B))
SHARED_ON = SkillState(enabled=True, subject=Subject(root=B))

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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file is to be."""
    return tmp_path / "state.sqlite3"


def states(path: Path, wait: float = 2.0, agent: str = AGENT) -> SqliteStates:
    """The table of one agent in that file."""
    return SqliteStates(path, agent, offload=inline, wait=wait)


def fetched(path: Path, query: str) -> list[tuple[object, ...]]:
    """What another program reads in the file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def ran(path: Path, script: str) -> None:
    """What another program does to the file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def refusal(table: SqliteStates, verb: str = "rows") -> StateUnavailable:
    """The error of a call, checked for what no error may hold."""
    calls = {
        "rows": table.rows,
        "put": lambda: table.put(NOTES, PINNED),
        "replace": lambda: table.replace(NOTES, PINNED, seen=ON),
        "drop": lambda: table.drop(NOTES, seen=ON),
    }
    with pytest.raises(StateUnavailable) as caught:
        finish(calls[verb]())
    told = f"{caught.value} {caught.value.fix} {caught.value.args}"
    assert "/" not in told
    assert "\n" not in told
    assert "sqlite3" not in told
    assert caught.value.fix
    return caught.value


def open_descriptors() -> int:
    """How many files this process has open."""
    return sum(1 for _ in Path("/dev/fd").iterdir())


VERBS = ("rows", "put", "replace", "drop")


# What stands in the file


def test_the_rows_are_these(path: Path) -> None:
    """Each column of a row is what the 0.1.0 release and the host expect there."""
    finish(states(path).put(NOTES, PINNED))
    finish(states(path).put(SHARED_NOTES, SHARED_ON))
    columns = "id, agent_id, file_name, file_path, enabled, priority, max_size_bytes"
    assert fetched(path, f"SELECT {columns} FROM bootstrap_config ORDER BY file_name") == [
        (
            "684c789e-4625-591f-ad66-b6ca0ba3b5fa",
            OWNER,
            "skill:release-notes",
            f"skill://release-notes?source=agent-local&generation={A}&revision={B}",
            1,
            100,
            262_144,
        ),
        (
            "df1353c3-d8de-548f-bb74-c6de0649937d",
            OWNER,
            "skill:release-notes@host-shared",
            f"skill://release-notes?source=host-shared&root={B}",
            1,
            100,
            262_144,
        ),
    ]


def test_the_table_is_the_hosts(tmp_path: Path) -> None:
    """What is made is what the host makes: the same columns, types, defaults, indices and keys."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    finish(states(ours).put(NOTES, ON))
    ran(theirs, HOST_TABLE)
    for query in (
        "PRAGMA table_info(bootstrap_config)",
        "SELECT type, name, tbl_name FROM sqlite_master ORDER BY name",
        "SELECT name, \"unique\" FROM pragma_index_list('bootstrap_config') ORDER BY name",
        "PRAGMA index_info(idx_bootstrap_config_agent_file)",
    ):
        assert fetched(ours, query) == fetched(theirs, query)


def test_a_row_of_the_first_release_is_read_as_off(path: Path) -> None:
    """A row that does not say what it switched on keeps its priority and is inert; a put writes over it in place."""
    ran(path, HOST_TABLE)
    ran(
        path,
        f"""INSERT INTO bootstrap_config VALUES ('684c789e-4625-591f-ad66-b6ca0ba3b5fa', '{OWNER}',
        'skill:release-notes', 'skill://release-notes', 1, 40, 262144, '2026-01-01 00:00:00')""",
    )
    assert finish(states(path).rows()) == {NOTES: SkillState(enabled=True, priority=40)}
    finish(states(path).put(NOTES, ON))
    assert fetched(path, "SELECT id, created_at, priority FROM bootstrap_config") == [
        ("684c789e-4625-591f-ad66-b6ca0ba3b5fa", "2026-01-01 00:00:00", 7)
    ]


def test_all_states_are_worked_out_once_while_they_read_the_same(path: Path) -> None:
    """What they say is that very mapping, until another program writes; nobody can change it who has it."""
    table = states(path)
    finish(table.put(NOTES, ON))
    said = finish(table.rows())
    assert said == {NOTES: ON}
    assert finish(table.rows()) is said
    ran(path, "UPDATE bootstrap_config SET priority = 8")
    assert finish(table.rows())[NOTES].priority == 8
    with pytest.raises(TypeError):
        said[NOTES] = PINNED  # type: ignore[index] # which is what is tried


def test_other_rows_are_never_touched(path: Path) -> None:
    """Rows of other agents, of the host, and of other kinds are not read as ours, and stay byte for byte."""
    ran(path, HOST_TABLE)
    ran(
        path,
        f"""INSERT INTO bootstrap_config (id, agent_id, file_name, file_path) VALUES
        ('1', '{AGENT}', 'skill:release-notes', 'x'), ('2', '{OWNER}', 'AGENTS.md', 'x'),
        ('3', '{OWNER}:x', 'skill:release-notes', 'x'), ('4', '{OWNER.upper()}', 'skill:release-notes', 'x'),
        ('5', '{OWNER}', 'skill:Release', 'x'), ('6', '{OWNER}', 'skill:release-notes@git', 'x')""",
    )
    finish(states(path, agent="did:test:other").put(NOTES, ON))
    query = f"SELECT * FROM bootstrap_config WHERE NOT (agent_id = '{OWNER}' AND file_name = 'skill:release-notes')"
    before = fetched(path, query)
    assert finish(states(path).rows()) == {}
    finish(states(path).put(NOTES, PINNED))
    finish(states(path).drop(NOTES, seen=PINNED))
    finish(states(path).drop(NOTES, seen=SkillState()))
    assert fetched(path, query) == before
    assert len(before) == 7


@pytest.mark.parametrize(
    ("columns", "state"),
    [
        ("'skill:release-notes', NULL, 1, 3", SkillState(enabled=True, priority=3, subject=Subject())),
        ("'skill:release-notes', x'736b', 1, 3", SkillState(enabled=True, priority=3, subject=Subject())),
        (
            "'skill:release-notes', CAST(x'ff00fe' AS TEXT), 1, 3",
            SkillState(enabled=True, priority=3, subject=Subject()),
        ),
        ("'skill:release-notes', 3.5, 1, 3", SkillState(enabled=True, priority=3, subject=Subject())),
        ("'skill:release-notes', 'x', NULL, 3", None),
        ("'skill:release-notes', 'x', 'yes', 3", None),
        ("'skill:release-notes', 'x', 0.5, 3", None),
        ("'skill:release-notes', 'x', 1, NULL", None),
        ("'skill:release-notes', 'x', 1, x'03'", None),
        ("'skill:release-notes', 'x', 1, 9223372036854775807", None),
        ("'skill:release-notes', 'x', 1, 1e300", None),
        ("CAST(x'736b696c6c3aff' AS TEXT), 'x', 1, 3", None),
        ("x'736b696c6c3a61', 'x', 1, 3", None),
    ],
)
def test_any_value_in_any_column(path: Path, columns: str, state: SkillState | None) -> None:
    """SQLite holds no column to its type: odd values make a row inert, or none of ours; and it can be written over."""
    ran(path, HOST_TABLE)
    ran(
        path,
        f"""INSERT INTO bootstrap_config (id, agent_id, file_name, file_path, enabled, priority)
        VALUES ('x', '{OWNER}', {columns})""",
    )
    assert finish(states(path).rows()) == ({} if state is None else {NOTES: state})
    finish(states(path).put(NOTES, ON))
    assert finish(states(path).rows()) == {NOTES: ON}


def test_an_odd_row_is_dropped_as_it_reads(path: Path) -> None:
    """A drop goes by what a row says, so that a row whose bytes say nothing can be dropped too."""
    ran(path, HOST_TABLE)
    ran(
        path,
        f"""INSERT INTO bootstrap_config (id, agent_id, file_name, file_path)
        VALUES ('x', '{OWNER}', 'skill:release-notes', CAST(x'ff' AS TEXT))""",
    )
    finish(states(path).drop(NOTES, seen=SkillState(enabled=True, subject=Subject())))
    assert fetched(path, "SELECT * FROM bootstrap_config") == []


def test_the_rows_of_one_name_are_found_by_the_index(path: Path) -> None:
    """So that what one skill costs does not depend on how many others have rows."""
    finish(states(path).put(NOTES, ON))
    parameters = (OWNER, *statements.names_of(NOTES.name))
    with closing(sqlite3.connect(path)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {statements.SQLITE.select_name}", parameters).fetchall()
    assert [step[-1] for step in plan] == [
        "SEARCH bootstrap_config USING INDEX idx_bootstrap_config_agent_file (agent_id=? AND file_name=?)"
    ]


# What is made, and when


def test_reading_makes_nothing(tmp_path: Path) -> None:
    """Reading, replacing or dropping a row where there is no file, no folder, or no table, leaves it so."""
    empty = tmp_path / "empty"
    empty.touch()
    for path in (tmp_path / "state", tmp_path / "absent" / "state", empty):
        assert finish(states(path).rows()) == {}
        finish(states(path).drop(NOTES, seen=ON))
        assert not finish(states(path).replace(NOTES, PINNED, seen=ON))
    assert sorted(tmp_path.iterdir()) == [empty]
    assert empty.read_bytes() == b""


def test_writing_makes_the_folder_for_its_user(tmp_path: Path) -> None:
    """The first write makes the folders that are missing, and nobody else may look into them."""
    path = tmp_path / "data" / "skills" / "state"
    finish(states(path).put(NOTES, ON))
    assert finish(states(path).rows()) == {NOTES: ON}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_an_empty_file_becomes_a_table(path: Path) -> None:
    """A file of no bytes is an empty database."""
    path.touch()
    finish(states(path).put(NOTES, ON))
    assert finish(states(path).rows()) == {NOTES: ON}


@pytest.mark.parametrize("name", ["st ate", "st?ate=1&x", "st#ate", "st%41ate", "état", "st:ate", "-state"])
def test_any_file_name(tmp_path: Path, name: str) -> None:
    """Whatever a URI would make of the file's name, it is the file of that name that is written."""
    finish(states(tmp_path / name).put(NOTES, ON))
    assert finish(states(tmp_path / name).rows()) == {NOTES: ON}
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_relative_path_is_meant_from_where_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changing the working folder later does not change which file is meant."""
    monkeypatch.chdir(tmp_path)
    table = states(Path("state"))
    monkeypatch.chdir("/")
    finish(table.put(NOTES, ON))
    assert (tmp_path / "state").exists()


def test_nothing_stays_open(path: Path) -> None:
    """Neither a call that succeeds nor one that fails leaves a descriptor open."""
    finish(states(path).put(NOTES, ON))
    before = open_descriptors()
    finish(states(path).put(NOTES, PINNED))
    finish(states(path).rows())
    finish(states(path).drop(NOTES, seen=PINNED))
    path.write_bytes(b"no database")
    for verb in VERBS:
        refusal(states(path), verb)
    assert open_descriptors() == before


# Others who write


@contextmanager
def held(path: Path) -> Iterator[None]:
    """While another process holds the file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


def test_threads_at_once_lose_nothing(path: Path) -> None:
    """Twenty threads put twenty rows into a file that is not there yet."""
    keys = [StateKey(SkillName(f"skill-{number}")) for number in range(20)]
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda key: finish(states(path, wait=60).put(key, ON)), keys))
    assert finish(states(path).rows()) == dict.fromkeys(keys, ON)


def test_processes_at_once_lose_nothing(path: Path) -> None:
    """Processes that put rows at the same time, into a file that is not there yet, lose none."""
    program = """
import sys
from pathlib import Path
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey
table = SqliteStates(Path(sys.argv[1]), "did:test:abc", offload=inline, wait=60)
for number in range(5):
    finish(table.put(StateKey(SkillName(f"skill-{sys.argv[2]}-{number}")), SkillState(priority=number)))
"""
    writers = [subprocess.Popen([sys.executable, "-c", program, path, str(number)]) for number in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    assert finish(states(path).rows()) == {
        StateKey(SkillName(f"skill-{writer}-{number}")): SkillState(priority=number)
        for writer in range(4)
        for number in range(5)
    }


def test_a_hosts_database_in_wal_mode(path: Path) -> None:
    """A host that keeps its database open in WAL mode sees what is written, and what it writes is seen."""
    ran(path, HOST_TABLE)
    with closing(sqlite3.connect(path, isolation_level=None)) as host:
        host.execute("PRAGMA journal_mode = WAL")
        finish(states(path).put(NOTES, ON))
        assert host.execute("SELECT priority FROM bootstrap_config").fetchall() == [(7,)]
        host.execute("BEGIN IMMEDIATE")
        host.execute("UPDATE bootstrap_config SET priority = 8")
        assert finish(states(path).rows())[NOTES].priority == 7
        host.execute("COMMIT")
        assert finish(states(path).rows())[NOTES].priority == 8
    assert finish(states(path).rows())[NOTES].priority == 8
    assert fetched(path, "PRAGMA journal_mode") == [("wal",)]


def test_what_a_dead_writer_began_is_undone(path: Path, tmp_path: Path) -> None:
    """A file whose writer died half way reads as it was before, and can be written."""
    finish(states(path).put(NOTES, ON))
    copy = tmp_path / "copy"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE bootstrap_config SET priority = 9")
        writer.execute("CREATE TABLE spill (bytes BLOB)")
        for _ in range(200):
            writer.execute("INSERT INTO spill VALUES (randomblob(4096))")
        shutil.copy(path, copy)
        shutil.copy(f"{path}-journal", f"{copy}-journal")
    assert copy.stat().st_size > 100_000
    assert finish(states(copy).rows()) == {NOTES: ON}
    finish(states(copy).put(NOTES, PINNED))
    assert finish(states(copy).rows()) == {NOTES: PINNED}


# Every way to be broken


@pytest.mark.parametrize("verb", VERBS)
def test_held_by_another(path: Path, verb: str) -> None:
    """A file that another process holds past the deadline: say so, and that waiting helps."""
    finish(states(path).put(NOTES, ON))
    with held(path):
        assert refusal(states(path, wait=0.02), verb).why == "another process holds the state file"
    assert finish(states(path).rows()) == {NOTES: ON}


@pytest.mark.parametrize("verb", VERBS)
def test_whoever_goes_away_waits_no_longer(path: Path, verb: str) -> None:
    """Though there was patience for an hour."""
    finish(states(path).put(NOTES, ON))
    with held(path):
        table = SqliteStates(path, AGENT, offload=MemoryOffload(gone=True), wait=3600)
        assert refusal(table, verb).why == "another process holds the state file"


def test_held_for_a_moment(path: Path) -> None:
    """A file that is let go before the deadline is no failure."""
    finish(states(path).put(NOTES, ON))
    with ThreadPoolExecutor(1) as pool, held(path):
        waiting = pool.submit(lambda: finish(states(path, wait=60).put(NOTES, PINNED)))
        with pytest.raises(TimeoutError):
            waiting.result(0.05)
    waiting.result()
    assert finish(states(path).rows()) == {NOTES: PINNED}


def test_what_is_written_during_a_replacement_stands(path: Path) -> None:
    """A row is compared under the lock under which it is written."""
    finish(states(path).put(NOTES, ON))
    with ThreadPoolExecutor(1) as pool, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE bootstrap_config SET enabled = 0")
        waiting = pool.submit(lambda: finish(states(path, wait=60).replace(NOTES, PINNED, seen=ON)))
        with pytest.raises(TimeoutError):
            waiting.result(0.05)
        other.execute("COMMIT")
        assert not waiting.result()
    assert not finish(states(path).rows())[NOTES].enabled


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("verb", ["put", "replace", "drop"])
def test_a_read_only_file(path: Path, verb: str) -> None:
    """A file that may only be read is read, and not written."""
    finish(states(path).put(NOTES, ON))
    path.chmod(0o444)
    assert finish(states(path).rows()) == {NOTES: ON}
    assert refusal(states(path), verb).why == "the state file or its folder is read-only"
    assert finish(states(path).rows()) == {NOTES: ON}


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("verb", ["put", "replace", "drop"])
def test_a_read_only_folder(path: Path, verb: str) -> None:
    """In a folder that may only be read no journal can be kept, so that nothing is written."""
    finish(states(path).put(NOTES, ON))
    path.parent.chmod(0o555)
    assert finish(states(path).rows()) == {NOTES: ON}
    assert refusal(states(path), verb).why == "the state file or its folder is read-only"
    assert finish(states(path).rows()) == {NOTES: ON}


@pytest.mark.usefixtures("permissions_bind")
def test_a_folder_in_which_no_file_can_be_made(path: Path) -> None:
    """Where the file is not there and cannot be made, a put says so, and a listing has no rows."""
    path.parent.chmod(0o555)
    assert finish(states(path).rows()) == {}
    assert refusal(states(path), "put").why == "the state file cannot be opened"
    assert "permission denied" in refusal(states(path.parent / "more" / "state"), "put").why


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("verb", VERBS)
def test_a_file_that_may_not_be_read(path: Path, verb: str) -> None:
    """A file that may not be read: say so."""
    finish(states(path).put(NOTES, ON))
    path.chmod(0)
    assert refusal(states(path), verb).why == "the state file cannot be opened"


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("verb", VERBS)
def test_a_folder_that_may_not_be_entered(tmp_path: Path, verb: str) -> None:
    """A folder that may not be entered: what the system says, in its own words."""
    (tmp_path / "shut").mkdir(mode=0)
    assert (
        refusal(states(tmp_path / "shut" / "state"), verb).why == "the state file cannot be reached: permission denied"
    )


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("content", [b"#!", b"This is a letter to my aunt.\n" * 40, b"\0" * 4096, b"\xff" * 511])
def test_not_a_database(path: Path, verb: str, content: bytes) -> None:
    """A file of another kind is not read as an empty table, and never written."""
    path.write_bytes(content)
    assert refusal(states(path), verb).why in ("the state file is not a SQLite database", "the state file is damaged")
    assert path.read_bytes() == content


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("how", ["overwritten", "truncated"])
def test_a_damaged_database(path: Path, verb: str, how: str) -> None:
    """A database of which pages are lost: say that it is damaged, and do not write to it."""
    keys = [StateKey(SkillName(f"skill-{number}")) for number in range(60)]
    for key in [NOTES, *keys]:
        finish(states(path).put(key, ON))
    content = path.read_bytes()
    content = content[:4096] + b"\x5a" * 8192 + content[12288:] if how == "overwritten" else content[:4096]
    path.write_bytes(content)
    assert refusal(states(path), verb).why == "the state file is damaged"
    assert path.read_bytes() == content


@pytest.mark.parametrize("verb", VERBS)
def test_something_else_in_its_place(tmp_path: Path, verb: str) -> None:
    """A folder or a pipe where the file should be is refused at once, without waiting for the pipe's other end."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        assert refusal(states(tmp_path / name), verb).why == "what is in the state file's place is not a file"


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_where_its_folder_should_be(tmp_path: Path, verb: str) -> None:
    """A path through a file leads nowhere."""
    (tmp_path / "file").touch()
    assert refusal(states(tmp_path / "file" / "state"), verb).why == "the state file cannot be reached: not a directory"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE bootstrap_config (agent_id TEXT, file_name TEXT)",
        "CREATE TABLE bootstrap_config (id, agent_id, file_name, file_path, enabled, priority)",
    ],
)
def test_a_table_of_another_shape(path: Path, schema: str, verb: str) -> None:
    """A table of that name that is not the host's is not written, and is told of if it cannot be read either."""
    ran(path, schema)
    before = fetched(path, "SELECT sql FROM sqlite_master")
    if verb == "put" or "id, " not in schema:
        assert refusal(states(path), verb).why == "its table bootstrap_config is not the one expected"
    assert fetched(path, "SELECT sql FROM sqlite_master") == before


def test_a_full_disk(tmp_path: Path) -> None:
    """Where no more can be written, a put fails as a whole, and what was there is still read."""
    path = tmp_path / "state"
    finish(states(path).put(NOTES, ON))
    before = path.read_bytes()
    program = """
import resource, sys
from pathlib import Path
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey
path = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size,) * 2)
table = SqliteStates(path, "did:test:abc", offload=inline)
try:
    for number in range(200):
        finish(table.put(StateKey(SkillName(f"skill-{number}")), SkillState()))
except StateUnavailable as error:
    print(len(finish(table.rows())) == 1 + number, error.why)
"""
    told = subprocess.run([sys.executable, "-c", program, path], check=True, capture_output=True, text=True).stdout
    assert told.strip() in ("True the disk is full", "True the disk failed")
    assert NOTES in finish(states(path).rows())
    assert path.stat().st_size == len(before)
