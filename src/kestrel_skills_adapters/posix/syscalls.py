"""The system calls that the POSIX adapter makes, in the portions in which it makes them.

Every name is resolved relative to an open folder, and no link is ever followed. Nothing here decides anything. Tests
put another `Syscalls` in place of this one, to make the disk fail or change between two calls.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from sys import intern
from typing import Final

from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.ports.world import Cancelled

from .renames import exchange, move, sync_disk

__all__ = ["EXECUTABLE", "Syscalls"]

EXECUTABLE: Final = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
"""A file with any of these mode bits is an executable."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FULL_SYNC: Final = getattr(fcntl, "F_FULLFSYNC", None)  # macOS, whose fsync leaves the drive's own cache unwritten
_SET_LEASE: Final = getattr(fcntl, "F_SETLEASE", None)  # Linux alone
_LOCK_FILE: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_POLL: Final = 0.01
"""Seconds between two looks at a lock that another holds."""


def _never() -> bool:
    return False


class _Held:
    """A folder that is open inside of a `with`; a survey holds thousands, and a generator for each would cost more."""

    __slots__ = ("_at", "_calls", "_fd", "_name")

    def __init__(self, calls: Syscalls, name: str, at: int | None) -> None:
        self._calls = calls
        self._name = name
        self._at = at

    def __enter__(self) -> int:
        self._fd = self._calls.open(self._name, self._at)
        return self._fd

    def __exit__(self, *_: object) -> None:
        self._calls.close(self._fd)


class Syscalls:
    """Everything raises `OSError`, and nothing else."""

    def now_ns(self) -> int:
        """The wall clock, in nanoseconds since 1970: what the times of files are compared with."""
        return time.time_ns()

    def open(self, name: str, at: int | None = None) -> int:
        """Open a folder; a link in the last part of its name is refused. Whoever asked closes it."""
        return os.open(name, _FOLDER, dir_fd=at)

    def close(self, fd: int) -> None:
        """Close a folder or a new file."""
        os.close(fd)

    def folder(self, name: str, at: int | None = None) -> _Held:
        """Hold a folder open, from the `with` on."""
        return _Held(self, name, at)

    def listed(self, fd: int, most: int) -> list[tuple[str, Kind]]:
        """The first so many entries of an open folder, in the disk's own order.

        The names are interned: skills name their files alike, and thousands of them are remembered.
        """
        with os.scandir(fd) as entries:
            return [
                (intern(entry.name), "file" if entry.is_file(follow_symlinks=False) else _odd_kind(entry))
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

    def piece(self, name: str, at: int, start: int, most: int) -> bytes | None:
        """So many bytes of a regular file from there on, or as many as there are; nothing where it is none."""
        fd = os.open(name, _FILE, dir_fd=at)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return None
            content = b""
            while len(content) < most and (more := os.pread(fd, most - len(content), start + len(content))):
                content += more
            return content
        finally:
            os.close(fd)

    def stat(self, name: str, at: int | None = None) -> os.stat_result:
        """What an entry is; of a link, the link itself."""
        return os.stat(name, dir_fd=at, follow_symlinks=False)

    def fstat(self, fd: int) -> os.stat_result:
        """What an open folder is."""
        return os.fstat(fd)

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
                    found += (intern(entry.name), now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        return folders

    def make_folder(self, name: str, at: int, mode: int = 0o700) -> None:
        """Make a folder; unless told else, one that only its owner may enter. The process's umask is kept to."""
        os.mkdir(name, mode, dir_fd=at)

    def remove_folder(self, name: str, at: int) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=at)

    def create(self, name: str, at: int, mode: int = 0o644) -> int:
        """Make a new file and open it to append to; any entry of that name refuses it. Whoever asked closes it."""
        return os.open(name, _NEW_FILE, mode, dir_fd=at)

    def append(self, fd: int, content: bytes) -> None:
        """Write all of it to the end of a new file."""
        while content:
            content = content[os.write(fd, content) :]

    def set_mode(self, fd: int, mode: int) -> None:
        """Give a new file these permission bits, whatever the umask."""
        os.fchmod(fd, mode)

    def set_owner(self, fd: int, user: int, group: int) -> None:
        """Give a new file to a user and a group, by their numbers; -1 leaves it as it is."""
        os.fchown(fd, user, group)

    def is_idle(self, name: str, at: int) -> bool:
        """Whether nobody has a file open, as far as the system tells: only Linux does, of one's own files.

        A lease to write is given for a file that nobody else has open (fcntl(2), `F_SETLEASE`).
        """
        if _SET_LEASE is None:
            return True
        fd = os.open(name, _FILE, dir_fd=at)
        try:
            fcntl.fcntl(fd, _SET_LEASE, fcntl.F_WRLCK)
            fcntl.fcntl(fd, _SET_LEASE, fcntl.F_UNLCK)
        except BlockingIOError:
            return False
        except OSError:
            return True  # no leases here
        finally:
            os.close(fd)
        return True

    def sync(self, fd: int) -> None:
        """Wait until the bytes of a new file, or the names in an open folder, are on the disk."""
        if _FULL_SYNC is None:
            os.fsync(fd)
        else:
            fcntl.fcntl(fd, _FULL_SYNC)

    def sync_disk(self, fd: int) -> None:
        """Wait until everything on the file system of an open folder is on the disk."""
        sync_disk(fd)

    def link(self, name: str, at: int, new: str, new_at: int) -> None:
        """Give a file a second name, which must be free."""
        os.link(name, new, src_dir_fd=at, dst_dir_fd=new_at, follow_symlinks=False)

    def rename(self, name: str, at: int, new: str, new_at: int) -> None:
        """Move a file over whatever file has the new name."""
        os.rename(name, new, src_dir_fd=at, dst_dir_fd=new_at)

    def move(self, name: str, at: int, new: str, new_at: int) -> None:
        """Move an entry of whatever kind to a name that is free; `FileExistsError` where it is not."""
        move(name, at, new, new_at)

    def exchange(self, name: str, at: int, new: str, new_at: int) -> None:
        """Let two entries, of whatever kinds and both there, change places at one instant."""
        exchange(name, at, new, new_at)

    def unlink(self, name: str, at: int) -> None:
        """Take a name away from a file, link or special file."""
        os.unlink(name, dir_fd=at)

    @contextmanager
    def locked(
        self, name: str, at: int, patience: float, *, shared: bool = False, cancelled: Cancelled = _never
    ) -> Iterator[None]:
        """Hold a lock file, alone or with others who share it; it is made where it is not there, and never removed.

        Raises:
            BlockingIOError: Another holds it for longer than so many seconds, or whoever waits for it went away.
        """
        from portalocker import LockFlags, lock  # noqa: PLC0415 - only who writes pays for it
        from portalocker.exceptions import LockException  # noqa: PLC0415 - only who writes pays for it

        flags = LockFlags.NON_BLOCKING | (LockFlags.SHARED if shared else LockFlags.EXCLUSIVE)
        deadline = time.monotonic() + patience
        fd = os.open(name, _LOCK_FILE, 0o600, dir_fd=at)
        try:
            while True:
                try:
                    lock(fd, flags)
                    break
                except LockException as error:
                    if time.monotonic() >= deadline or cancelled():
                        raise BlockingIOError from error
                    time.sleep(_POLL)
            yield
        finally:
            os.close(fd)


def _odd_kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "link" if entry.is_symlink() else "other"
