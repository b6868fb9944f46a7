"""The two renames that Python's `os` lacks: one that never replaces, and one that changes two entries about.

Linux: renameat2(2), RENAME_NOREPLACE and RENAME_EXCHANGE, of `linux/fs.h`. macOS: renameatx_np(2), RENAME_EXCL and
RENAME_SWAP, of `sys/stdio.h`. Where the C library, the kernel or the file system has neither, the error says so.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Final

__all__ = ["UNSUPPORTED", "exchange", "move", "sync_disk"]

UNSUPPORTED: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What these calls say where they cannot be had."""

_CALL, _NO_REPLACE, _EXCHANGE = ("renameatx_np", 4, 2) if sys.platform == "darwin" else ("renameat2", 1, 2)


def move(name: str, at: int, new: str, new_at: int) -> None:
    """Rename an entry, of whatever kind, unless the new name is taken."""
    _rename(name, at, new, new_at, _NO_REPLACE)


def exchange(name: str, at: int, new: str, new_at: int) -> None:
    """Let two entries, both there, change names."""
    _rename(name, at, new, new_at, _EXCHANGE)


def sync_disk(fd: int) -> None:
    """Wait until the whole file system of an open folder is on its disk, or, on macOS, every file system there is."""
    syncfs = _function("syncfs")
    if syncfs is None:
        os.sync()
    elif syncfs(fd) != 0:
        raise OSError(number := ctypes.get_errno(), os.strerror(number))


def _rename(name: str, at: int, new: str, new_at: int, flag: int) -> None:
    call = _function(_CALL)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if call(at, os.fsencode(name), new_at, os.fsencode(new), ctypes.c_uint(flag)) != 0:
        raise OSError(number := ctypes.get_errno(), os.strerror(number))


@cache
def _function(name: str) -> Callable[..., Any] | None:
    """A function of the C library that this process runs on, if it has it."""
    return getattr(ctypes.CDLL(None, use_errno=True), name, None)
