"""A process that is stopped in the middle of what it does, and holds what it held."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Final

__all__ = ["held", "table_held"]

_LOCK: Final = dedent(
    """
    import sys, time
    from kestrel_skills_adapters.posix.syscalls import Syscalls
    calls = Syscalls()
    with calls.folder(sys.argv[1]) as locks, calls.locked(sys.argv[2], locks, 0, shared=sys.argv[3] == "shared"):
        print("held", flush=True)
        time.sleep(600)
    """
)
_TABLE: Final = dedent(
    """
    import sqlite3, sys, time
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    print("held", flush=True)
    time.sleep(600)
    """
)


def held(locks: Path, lock: str, *, shared: bool = False) -> AbstractContextManager[int]:
    """A lock file of that folder, held by a process that is stopped; gives its id."""
    return _stopped(_LOCK, str(locks), lock, "shared" if shared else "alone")


def table_held(path: Path) -> AbstractContextManager[int]:
    """A SQLite file, in the middle of a write of a process that is stopped; gives its id."""
    return _stopped(_TABLE, str(path))


@contextmanager
def _stopped(program: str, *arguments: str) -> Iterator[int]:
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            process.send_signal(signal.SIGSTOP)
            yield process.pid
        finally:
            process.kill()
