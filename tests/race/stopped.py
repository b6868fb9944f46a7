"""A process that is stopped in the middle of what it does, and holds what it held."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Final

__all__ = ["held", "switching_off", "table_held"]

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

_OFF: Final = dedent(
    """
    import sys
    from attrs import evolve
    from kestrel_skills_adapters.posix.store import PosixSkillStore
    from kestrel_skills_adapters.posix.syscalls import Syscalls
    from kestrel_skills_adapters.wiring import library_of, settings_of
    from kestrel_skills_adapters.world import SystemChance, finish
    from kestrel_skills_core.domain.commands import SetState
    from kestrel_skills_core.domain.names import parse_address

    root, name, call, entry, left = *sys.argv[1:5], [int(sys.argv[5])]

    class Stopping(Syscalls):
        def __getattribute__(self, called):
            found = super().__getattribute__(called)

            def met(*arguments, **more):
                if arguments[:1] == (entry,):
                    left[0] -= 1
                    if left[0] == 0:
                        print("held", flush=True)
                        sys.stdin.readline()
                return found(*arguments, **more)

            return met if called == call else found

    library = library_of(settings_of({}, root=root))
    store = PosixSkillStore(root, chance=SystemChance(), calls=Stopping())
    library = evolve(library, sources=[store], store=store)
    finish(library.set_state(SetState(address=parse_address(name), enabled=False)))
    print("off", flush=True)
    """
)


@contextmanager
def switching_off(root: Path, name: str, call: str, entry: str, number: int = 1) -> Iterator[Callable[[], None]]:
    """A process that switches a skill off, stopped before its call of that number for that entry.

    Gives what lets it go on, and waits until it is done.
    """
    command = [sys.executable, "-c", _OFF, str(root), name, call, entry, str(number)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            process.send_signal(signal.SIGSTOP)

            def go_on() -> None:
                process.send_signal(signal.SIGCONT)
                assert process.communicate("\n")[0] == "off\n"

            yield go_on
        finally:
            process.kill()


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
