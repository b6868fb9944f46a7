"""One pass over one folder through descriptors, told to whoever judges it, and the stamps by which a change is noticed.

Stamps are taken before what they stamp is read, so that whatever is written later moves them.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from sys import intern
from typing import Final, Protocol

from kestrel_skills_core.domain.folder import Folder, Kind
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.tree import Content

from .failures import phrase
from .syscalls import EXECUTABLE, Syscalls

__all__ = ["ABSENT", "Look", "Moved", "Stamps", "Told", "Walk"]

Stamps = list[str | int | None]
"""Of a folder, flat: name, inode, size and times of change of each entry; then each folder's name, stamps, and None."""

ABSENT: Final = frozenset(
    {errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.ESTALE, errno.ENAMETOOLONG}
)
"""What a call says where a name does not mean what it was taken for; if it was listed so, it changed since."""


class Moved(Exception):
    """Something changed under our hands."""


class Told(Protocol):
    """Who is told of a folder, entry by entry, and says what is read of it: see `Folder`."""

    def looks(self, entries: int) -> None:
        """So many entries are there."""

    def enters(self, path: str) -> bool:
        """Whether a folder is walked."""

    def reads(self, path: str) -> int | None:
        """How much of a file is read, at most."""

    def file(self, path: str, content: bytes, *, executable: bool) -> None:
        """A file was read."""

    def large(self, path: str, size: int) -> None:
        """A file holds more."""

    def aside(self, path: str, kind: Kind, *, size: int, mtime_ns: int, ctime_ns: int) -> None:
        """Something was not opened."""

    def unreadable(self, path: str, why: str) -> None:
        """Something could not be read."""


class Walk:
    """One pass over one folder, told to somebody, and the stamps that tell whether it changed since."""

    def __init__(self, calls: Syscalls, told: Told, horizon: int, kept: dict[str, Content] | None = None) -> None:
        self.stamps: Stamps = []
        self._calls = calls
        self._told = told
        self._horizon = horizon
        self._kept = kept
        self.young = False
        self.unread = False

    def walk(self, at: int, prefix: str = "") -> None:
        """Look at everything in an open folder.

        Raises:
            TooLarge: It holds more entries than are looked at.
            Moved: It changed meanwhile.
            OSError: It cannot be listed.
        """
        entries = self._calls.listed(at, LIMITS.looked_entries + 1)
        self._told.looks(len(entries))
        folders = []
        for name, kind in entries:
            if kind == "folder":
                folders.append(name)
            else:
                self._meet(name, kind, at, intern(prefix + name) if prefix else name)
        for name in folders:
            self.stamps.append(name)
            if self._told.enters(prefix + name):
                self._enter(name, at, prefix + name)
            self.stamps.append(None)

    def _enter(self, name: str, at: int, path: str) -> None:
        try:
            folder = self._calls.open(name, at)
            try:
                self.walk(folder, path + "/")
                self._date(self._calls.fstat(folder))  # a name that vanished, or a folder that came, stamps no file
            finally:
                self._calls.close(folder)
        except OSError as error:
            self._fail(path, error)

    def _meet(self, name: str, kind: Kind, at: int, path: str) -> None:
        most = self._told.reads(path) if kind == "file" else None
        content = None
        try:
            if most is None:
                found = self._calls.stat(name, at)
            else:
                content, found = self._calls.read(name, at, most)
        except OSError as error:
            self._fail(path, error)
            with suppress(OSError):
                self._stamp(name, self._calls.stat(name, at))
            return
        size = self._stamp(name, found)
        if content is not None:
            if len(content) != size:
                raise Moved
            executable = found.st_mode & EXECUTABLE != 0
            self._told.file(path, content, executable=executable)
            if self._kept is not None:
                self._kept[path] = Content(content, executable)
        elif most is None:
            self._told.aside(path, kind, size=size, mtime_ns=found.st_mtime_ns, ctime_ns=found.st_ctime_ns)
        elif not stat.S_ISREG(found.st_mode):
            raise Moved
        else:
            self._told.large(path, size)

    def _stamp(self, name: str, found: os.stat_result) -> int:
        size, written, changed = found.st_size, found.st_mtime_ns, found.st_ctime_ns
        self.stamps += (name, found.st_ino, size, written, changed)
        if written > self._horizon or changed > self._horizon:
            self.young = True
        return size

    def _date(self, found: os.stat_result) -> None:
        if found.st_mtime_ns > self._horizon or found.st_ctime_ns > self._horizon:
            self.young = True

    def _fail(self, path: str, error: OSError) -> None:
        if error.errno in ABSENT:
            raise Moved
        self.unread = True
        self._told.unreadable(path, phrase(error)[0])


class Look(Walk):
    """A pass over one folder that is told to the domain, which says what to think of it."""

    def __init__(self, calls: Syscalls, name: str, horizon: int, kept: dict[str, Content] | None = None) -> None:
        self.folder = Folder(name)
        super().__init__(calls, self.folder, horizon, kept)

    def sighting(self) -> Sighting:
        """The verdict; without stamps where they would not tell."""
        return self.folder.sighting(None if self.young or self.unread else tuple(self.stamps))
