"""New files, whole and on the disk before anything names them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from .syscalls import Syscalls

__all__ = ["write"]


def write(
    calls: Syscalls, name: str, at: int, content: bytes, mode: int = 0o644, *, like: os.stat_result | None = None
) -> None:
    """Make a new file with that content, and wait until it is on the disk.

    The process's umask is taken from `mode`; but a file that is to be `like` another has its very permission bits, and
    its owner and group as far as this process may give a file away.
    """
    fd = calls.create(name, at, mode if like is None else stat.S_IMODE(like.st_mode))
    try:
        if like is not None:
            _give(calls, fd, like)
            calls.set_mode(fd, stat.S_IMODE(like.st_mode))
        calls.append(fd, content)
        calls.sync(fd)
    finally:
        calls.close(fd)


def _give(calls: Syscalls, fd: int, like: os.stat_result) -> None:
    """To both, or to the group alone; before the permission bits, of which it may take some away."""
    now = calls.fstat(fd)
    if (now.st_uid, now.st_gid) != (like.st_uid, like.st_gid):
        try:
            calls.set_owner(fd, like.st_uid, like.st_gid)
        except PermissionError:
            with suppress(PermissionError):
                calls.set_owner(fd, -1, like.st_gid)
