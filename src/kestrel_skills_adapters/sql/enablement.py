"""Which features an agent of a host switched on or off since it was made, read beside the host's own handle.

The host's handle can only be awaited, and a feature is asked for its tools by a call that cannot wait. The table is the
host's own (kestrel-sovereign, 0.53 to 0.55); it is only ever read.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

__all__ = ["enablement"]

_CHANGES: Final = "SELECT name, state FROM feature_enablement WHERE kind = 'feature' AND agent_did = "
_PATIENCE: Final = 1.5
"""Seconds that starting an agent, and all that runs beside it, waits for a database that its host has just read."""


def enablement(path: object, dsn: object, did: str) -> Mapping[str, str] | None:
    """By the name of a feature, `enabled` or `disabled`; nothing where that cannot be read at once.

    `path` is the host's SQLite file, or `dsn` says where its PostgreSQL server is. Never raises.
    """
    found: list[Sequence[tuple[str, str]]] = []

    def read() -> None:
        try:
            found.append(asyncio.run(_of_server(dsn, did)) if isinstance(dsn, str) and dsn else _of_file(path, did))
        except Exception:  # noqa: BLE001 - a driver may raise what it likes: nobody can tell
            return

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    reading.join(_PATIENCE)
    return dict(found[0]) if found else None


def _of_file(path: object, did: str) -> Sequence[tuple[str, str]]:
    if path == ":memory:":
        return ()  # nothing outlived the last start
    address = f"{Path(os.path.abspath(str(path))).as_uri()}?mode=ro"  # noqa: PTH100 - without following links
    with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'feature_enablement'").fetchone():
            return ()
        return connection.execute(f"{_CHANGES}?", (did,)).fetchall()


async def _of_server(dsn: str, did: str) -> Sequence[tuple[str, str]]:
    connect: Callable[..., Awaitable[Any]] = sys.modules["asyncpg"].connect
    connection = await connect(dsn, timeout=_PATIENCE)
    try:
        if await connection.fetchval("SELECT to_regclass('feature_enablement')") is None:
            return ()
        return [tuple(row) for row in await connection.fetch(f"{_CHANGES}$1", did)]
    finally:
        await connection.close()
