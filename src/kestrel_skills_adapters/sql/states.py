"""The table of states in a SQLite file: a file of our own, or a host's database."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey, row_name
from kestrel_skills_core.ports.world import Cancelled, Offload

from . import statements
from .dialogue import LastRead, Read, states_of
from .failures import is_unfit, told

__all__ = ["SqliteStates"]

T = TypeVar("T")

_SQL: Final = statements.SQLITE
_NEEDS_RECOVERY: Final = (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_RECOVERY)
"""A writer died half way: SQLite undoes what it began as soon as somebody opens the file who may write."""

_ONCE: Final = 0.05
"""Seconds that SQLite waits by itself, where nobody can tell it that the caller is gone."""
_POLL: Final = 0.01


class SqliteStates:
    """A `StateTable` in the SQLite file at `path`, for one agent.

    A connection is opened for each call and closed with it, so that any thread, loop or process may call. A write is
    one transaction, synced before it is acknowledged. `wait` is how long, in seconds, a call waits for other processes
    that hold the file; whoever goes away waits no longer.
    """

    def __init__(self, path: Path, agent: str, *, offload: Offload, wait: float = 2.0) -> None:
        self._path = path.absolute()
        self._owner = statements.owner_of(agent)
        self._offload = offload
        self._wait = wait
        self._uri = self._path.as_uri()
        self._last = LastRead()

    async def rows(self, name: SkillName | None = None) -> Mapping[StateKey, SkillState]:
        """All states; see the port. Opens the file for reading only, unless a writer died half way."""
        return await self._waiting(lambda: self._rows(name))

    async def put(self, key: StateKey, state: SkillState) -> None:
        """Write one state; see the port. Makes the folder, the file and the table that are not there."""
        await self._waiting(lambda: self._put(key, state))

    async def replace(self, key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        """Write one state, if it still reads as it was seen; see the port."""
        return await self._waiting(lambda: self._replace(key, state, seen))

    async def drop(self, key: StateKey, *, seen: SkillState) -> None:
        """Remove one state; see the port."""
        await self._waiting(lambda: self._drop(key, seen))

    async def _waiting(self, work: Callable[[], T]) -> T:
        """Run the work beside the event loop, from its beginning on as often as others held the file."""

        def patiently(cancelled: Cancelled) -> T:
            deadline = time.monotonic() + self._wait
            with _told():
                while True:
                    try:
                        return work()
                    except sqlite3.Error as error:
                        if _code(error) & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline or cancelled():
                            raise
                    time.sleep(_POLL)

        return await self._offload(patiently)

    def _rows(self, name: SkillName | None) -> Mapping[StateKey, SkillState]:
        read = self._read(name)
        return self._last.states(read) if name is None else states_of(read)

    def _read(self, name: SkillName | None) -> Read:
        if not self._is_there():
            return []
        try:
            return self._select("ro", name)
        except sqlite3.Error as error:
            if _code(error) not in _NEEDS_RECOVERY:
                raise
        return self._select("rw", name)

    def _select(self, mode: str, name: SkillName | None) -> Read:
        with self._connection(mode) as connection:
            try:
                return self._found(connection, name)
            except sqlite3.OperationalError as error:
                if not is_unfit(error):
                    raise
                # Whether there is a table is asked only here; where there is, somebody may have made it since.
                return self._found(connection, name) if connection.execute(_SQL.has_table).fetchone() else []

    def _found(self, connection: sqlite3.Connection, name: SkillName | None) -> Read:
        if name is None:
            return connection.execute(_SQL.select, (self._owner,)).fetchall()
        return connection.execute(_SQL.select_name, (self._owner, *statements.names_of(name))).fetchall()

    def _put(self, key: StateKey, state: SkillState) -> None:
        with self._writing() as connection:
            connection.execute(statements.UPSERT, statements.upsert_values(self._owner, key, state))

    def _replace(self, key: StateKey, state: SkillState, seen: SkillState | None) -> bool:
        # Looked at first, so that a file in which something else stands is not written.
        if self._rows(key.name).get(key) != seen:
            return False
        with self._writing() as connection:
            if states_of(self._found(connection, key.name)).get(key) != seen:
                return False
            connection.execute(statements.UPSERT, statements.upsert_values(self._owner, key, state))
        return True

    def _drop(self, key: StateKey, seen: SkillState) -> None:
        # Looked at first, so that a file in which there is nothing to drop is not written.
        if self._rows(key.name).get(key) != seen:
            return
        with self._transaction("rw") as connection:
            if states_of(self._found(connection, key.name)).get(key) == seen:
                connection.execute(statements.DELETE, (self._owner, row_name(key)))

    def _is_there(self) -> bool:
        """Whether there is a file. SQLite would open anything, and wait for ever for a pipe's other end."""
        try:
            mode = self._path.stat().st_mode
        except FileNotFoundError:
            if not os.path.islink(self._path):  # noqa: PTH114 - which never fails
                return False
            # Whatever it leads to may be unmounted: a new file made there would be a second table of states.
            fix = "see that what it points to is there, or name another state file"
            raise StateUnavailable("the state file is a link to nothing", fix) from None
        if not stat.S_ISREG(mode):
            raise StateUnavailable("what is in the state file's place is not a file", "name another state file")
        return True

    @contextmanager
    def _connection(self, mode: str) -> Iterator[sqlite3.Connection]:
        address, wait = f"{self._uri}?mode={mode}", min(self._wait, _ONCE)
        with closing(sqlite3.connect(address, uri=True, timeout=wait, isolation_level=None)) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction on the table, which is made where it is not there, with its file and folder."""
        if not self._is_there():
            # As the XDG base directory specification wants a folder of data made.
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._transaction("rwc") as connection:
            for statement in statements.CREATE:
                connection.execute(statement)
            yield connection

    @contextmanager
    def _transaction(self, mode: str) -> Iterator[sqlite3.Connection]:
        """All or nothing, other writers held off. Closing the connection undoes what was not committed."""
        with self._connection(mode) as connection:
            # EXTRA also syncs the folder that the journal vanishes from; fullfsync is what a sync means on macOS.
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("PRAGMA fullfsync = ON")
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")


def _code(error: sqlite3.Error) -> int:
    """SQLite's extended result code; 0 where the error is not SQLite's own."""
    return getattr(error, "sqlite_errorcode", 0)


@contextmanager
def _told() -> Iterator[None]:
    """Whatever goes wrong on the disk or in SQLite becomes one phrase and a fix, without a path."""
    try:
        yield
    except sqlite3.Error as error:
        raise told(error, "the state file") from error
    except OSError as error:
        why = (os.strerror(error.errno) if error.errno else "the disk failed").lower()
        raise StateUnavailable(f"the state file cannot be reached: {why}", "check the file and its folder") from error
