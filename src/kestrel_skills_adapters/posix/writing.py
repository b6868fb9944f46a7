"""New files, whole and on the disk before anything names them."""

from __future__ import annotations

from .syscalls import Syscalls

__all__ = ["write"]


def write(calls: Syscalls, name: str, at: int, content: bytes, mode: int = 0o644, *, exactly: bool = False) -> None:
    """Make a new file with that content, and wait until it is on the disk.

    The process's umask is taken from `mode`, unless the file is to have exactly those permission bits.
    """
    fd = calls.create(name, at, mode)
    try:
        if exactly:
            calls.set_mode(fd, mode)
        calls.append(fd, content)
        calls.sync(fd)
    finally:
        calls.close(fd)
