"""Runs a program so that nothing of it stays, whatever becomes of it or of whoever runs it.

Two processes have an eye on each other. The first, which a person started, holds one end of a pipe: the leash. The
second has a session of its own, so that no terminal reaches it; it makes a folder, runs the program there, and waits
for whichever comes first: that the program ends, or that the leash is let go, which is also what comes of killing the
first. Then it kills all that descends from it and removes the folder. If it is itself killed, the first does that.
Both are subreapers: whatever a program leaves behind, in whatever session or group, is still a descendant.

Needs Linux, for that and for /proc.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Final

__all__ = ["PREFIX", "descendants", "leashed"]

PREFIX: Final = "kestrel-live-"
"""How the folder's name begins."""
_ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_CHILD_SUBREAPER: Final = 36
"""prctl(2): orphans among the descendants become children of the one who asks, in the place of the system's first."""


def leashed(program: Sequence[str]) -> int:
    """Run a program, whose $HOME and $TMPDIR are a folder that goes with it.

    Returns:
        The program's own exit status; 128 and the signal's number if one ended it; 1 if its keeper was killed.
    """
    _adopt()
    folder = Path(tempfile.gettempdir(), f"{PREFIX}{secrets.token_hex(6)}")
    end, *leash = os.pipe()
    told: list[int] = []

    def let_go(number: int, _: FrameType | None) -> None:
        told.append(number)
        with suppress(IndexError):  # another signal came before
            os.close(leash.pop())

    for each in _ENDS:
        if signal.getsignal(each) is not signal.SIG_IGN:  # whoever started this wants it to be ignored
            signal.signal(each, let_go)
    command = [sys.executable, __file__, str(folder), *program]
    keeper = subprocess.Popen(command, stdin=end, start_new_session=True)
    os.close(end)
    status = keeper.wait()
    _clear(folder)
    if told:
        return 128 + told[0]
    return status if status >= 0 else 1


def _keep(folder: Path, program: Sequence[str]) -> int:
    """The second process: its standard input is the leash's other end."""
    _adopt()
    try:
        folder.mkdir(mode=0o700)
        environ = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        running = subprocess.Popen(
            program, stdin=subprocess.DEVNULL, env=environ | {"HOME": str(folder), "TMPDIR": str(folder)}
        )
        select.select([sys.stdin, os.pidfd_open(running.pid)], [], [])
        status = running.poll() or 0
        return status if status >= 0 else 128 - status
    finally:
        _clear(folder)


def _adopt() -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "this process may not adopt orphans")


def _clear(folder: Path) -> None:
    """Kill all that descends from this process, and then remove the folder, to which nobody writes any more."""
    while found := descendants(os.getpid()):
        for each in found:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)
    if folder.exists():
        shutil.rmtree(folder)


def descendants(process: int) -> list[int]:
    """The children of a process, and theirs; those too that have ended, and whose status nobody has asked for."""
    children = defaultdict(list)
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            after_the_name = entry.read_text(encoding="latin-1").rpartition(")")[2]
            children[int(after_the_name.split()[1])].append(int(entry.parent.name))
    found = [process]
    for each in found:
        found += children[each]
    return found[1:]


if __name__ == "__main__":
    sys.exit(_keep(Path(sys.argv[1]), sys.argv[2:]))
