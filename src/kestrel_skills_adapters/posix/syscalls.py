"""The system calls that the POSIX adapter makes, in the portions in which it makes them.

Every name is resolved relative to an open folder, and no link is ever followed. Nothing here decides anything. Tests
put another `Syscalls` in place of this one, to make the disk fail or change between two calls.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final

from kestrel_skills_core.domain.folder import Kind

__all__ = ["Syscalls"]

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK_FILE: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Syscalls:
    """Everything raises `OSError`, and nothing else."""

    def now_ns(self) -> int:
        """The wall clock, in nanoseconds since 1970: what the times of files are compared with."""
        return time.time_ns()

    def open(self, name: str, at: int | None = None) -> int:
        """Open a folder; a link in the last part of its name is refused. Whoever asked closes it."""
        return os.open(name, _FOLDER, dir_fd=at)

    def close(self, fd: int) -> None:
        """Close a folder."""
        os.close(fd)

    @contextmanager
    def folder(self, name: str, at: int | None = None) -> Iterator[int]:
        """Hold a folder open."""
        fd = self.open(name, at)
        try:
            yield fd
        finally:
            self.close(fd)

    def listed(self, fd: int, most: int) -> list[tuple[str, Kind]]:
        """The first so many entries of an open folder, in the disk's own order."""
        with os.scandir(fd) as entries:
            return [
                (entry.name, "file" if not entry.is_symlink() and entry.is_file() else _odd_kind(entry))
                for entry in islice(entries, most)
            ]

    def read(self, name: str, at: int, most: int) -> tuple[bytes | None, os.stat_result]:
        """A regular file, and what it was before it was read; no bytes where it is none, or holds more than so many.

        Where it grows or shrinks meanwhile, the bytes are more or fewer than the size; more by one at most.
        """
        fd = os.open(name, _FILE, dir_fd=at)
        try:
            before = os.fstat(fd)
            size = before.st_size
            if size > most or not stat.S_ISREG(before.st_mode):
                return None, before
            content = os.read(fd, size + 1)
            while len(content) < size and (more := os.read(fd, size + 1 - len(content))):
                content += more
            return content, before
        finally:
            os.close(fd)

    def stat(self, name: str, at: int) -> os.stat_result:
        """What an entry is; of a link, the link itself."""
        return os.stat(name, dir_fd=at, follow_symlinks=False)

    def stamps(self, path: str, most: int, found: list[str | int | None]) -> list[str]:
        """Append name, inode, size, and times of change of the first so many entries; give the folders among them.

        By path and not by descriptor, which is a third faster: stamps are compared, and never trusted.
        """
        folders = []
        with os.scandir(path) as entries:
            for entry in islice(entries, most):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                else:
                    now = entry.stat(follow_symlinks=False)
                    found += (entry.name, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        return folders

    def make_folder(self, name: str, at: int) -> None:
        """Make a folder that only its owner may enter."""
        os.mkdir(name, 0o700, dir_fd=at)

    def write(self, name: str, at: int, content: bytes) -> None:
        """Make a new file with that content, and wait until it is on the disk."""
        fd = os.open(name, _NEW_FILE, 0o644, dir_fd=at)
        try:
            while content:
                content = content[os.write(fd, content) :]
            os.fsync(fd)
        finally:
            os.close(fd)

    def link(self, name: str, at: int, new: str, new_at: int) -> None:
        """Give a file a second name, which must be free."""
        os.link(name, new, src_dir_fd=at, dst_dir_fd=new_at, follow_symlinks=False)

    def rename(self, name: str, at: int, new: str, new_at: int) -> None:
        """Move a file over whatever has the new name."""
        os.rename(name, new, src_dir_fd=at, dst_dir_fd=new_at)

    def unlink(self, name: str, at: int) -> None:
        """Take a name away from a file."""
        os.unlink(name, dir_fd=at)

    def sync(self, fd: int) -> None:
        """Wait until the names in an open folder are on the disk."""
        os.fsync(fd)

    @contextmanager
    def lock(self, name: str, at: int, patience: float) -> Iterator[None]:
        """Hold a lock file alone; `BlockingIOError` where another holds it for longer than so many seconds."""
        from portalocker import LockFlags, lock  # noqa: PLC0415 - only who writes pays for it
        from portalocker.exceptions import LockException  # noqa: PLC0415 - only who writes pays for it

        deadline = time.monotonic() + patience
        fd = os.open(name, _LOCK_FILE, 0o600, dir_fd=at)
        try:
            while True:
                try:
                    lock(fd, LockFlags.EXCLUSIVE | LockFlags.NON_BLOCKING)
                    break
                except LockException as error:
                    if time.monotonic() >= deadline:
                        raise BlockingIOError from error
                    time.sleep(0.01)
            yield
        finally:
            os.close(fd)


def _odd_kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    return "folder" if entry.is_dir() else "other"
