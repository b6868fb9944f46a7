"""A disk in memory that knows what was synced, and can lose, keep or garble the rest.

For tests of anything that writes through `Syscalls`, the seam of the POSIX adapter, this library's or another's:

    disk = CrashDisk()                              # holds one empty folder, /skills, and that durably
    disk.cut_at = 7                                 # the power goes just before call number 7
    with suppress(PowerCut):
        PosixSkillStore("/skills", calls=disk).publish(name, tree)
    for woken in disk.survivors("weak"):            # every disk that the machine may wake up with
        PosixSkillStore("/skills", calls=woken).sweep()
        assert woken.files("/skills/a") in (old, new)

Calls count from 0: whatever asks or changes the disk is one, `now_ns` and `close` are not. `trace` names them. What the
`person` does is no call; `before` lets a person, or another process, act between two calls. `fork` gives another disk
in the same state, for the price of a few pointers.

A lock that is held is refused at once, because no time passes. Lock files are never lost.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from itertools import count, islice
from typing import Final

from attrs import define, field

from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.ports.world import Cancelled

from ..posix.syscalls import Syscalls
from .journal import Image, Inode, Profile
from .volume import Person, Volume, refusal

__all__ = ["CHANGING", "CrashDisk", "PowerCut"]

CHANGING: Final = frozenset(
    {"append", "create", "exchange", "link", "make_folder", "move", "remove_folder"}
    | {"rename", "set_mode", "sync", "sync_disk", "unlink"}
)
"""The calls before and after which a power cut may leave different things."""

_LATER_NS: Final = 10_000_000_000
"""Readers come this long after the last change, so that stamps are old enough to be trusted."""


class PowerCut(BaseException):
    """The machine stopped here. No `Exception`, so that nothing mends what nobody is left to mend."""


def _one_folder() -> Volume:
    volume = Volume.empty()
    volume.make(volume.resolved("/"), "skills", stat.S_IFDIR | 0o755)
    volume.settle()
    return volume


def _never() -> bool:
    return False


@define(eq=False)
class CrashDisk(Syscalls):
    """See the head of this module."""

    volume: Volume = field(factory=_one_folder)
    cut_at: int | None = None
    """The call before which the power goes; every later one fails alike."""
    fail_at: int | None = None
    """The call that fails, with `fail_errno`, and changes nothing; if `fail_forever`, so do all after it."""
    fail_errno: int = errno.EIO
    fail_forever: bool = False
    trace: list[str] = field(factory=list)
    """The calls that were made, by name."""
    moments: list[CrashDisk] | None = None
    """If it is a list, a fork is added to it before each call that changes the disk: all power cuts of one run."""
    open_elsewhere: set[int] = field(factory=set)
    """The inodes that somebody else has open."""
    synced: int = 0
    """How many syncs were asked for."""
    _descriptors: dict[int, int] = field(factory=dict)
    _locks: dict[int, list[bool]] = field(factory=dict)
    _planned: dict[int, Callable[[CrashDisk], object]] = field(factory=dict)
    _dead: bool = False
    _aside: bool = False

    @property
    def descriptors(self) -> int:
        """How many are open."""
        return len(self._descriptors)

    @property
    def person(self) -> Person:
        """Somebody who edits files by hand."""
        return Person(self.volume)

    def fork(self) -> CrashDisk:
        """Another disk in the same state, on which nothing is open, no call was made, and nothing is planned."""
        return CrashDisk(copy(self.volume))

    def survivors(self, profile: Profile, seed: int = 0) -> Iterator[CrashDisk]:
        """Every disk that the machine may wake up with if the power goes now, some more than once."""
        for image in self.volume.journal.images(profile, seed):
            yield self._woken(image)

    def restarted(self) -> CrashDisk:
        """The disk after the death of the process alone, or an orderly restart: nothing is lost."""
        return self._woken(self.volume.image)

    def before(self, call: int, act: Callable[[CrashDisk], object]) -> None:
        """Let something happen just before the call of that number. It may use the disk; that is not counted."""
        self._planned[call] = act

    def below(self, path: str = "/") -> Iterator[tuple[str, Inode]]:
        """Everything below a folder, folders before what is in them; nothing where there is no such folder."""
        with suppress(OSError):
            yield from self.volume.below(self.volume.resolved(path))

    def files(self, path: str = "/") -> dict[str, bytes]:
        """The bytes of everything below a folder that is no folder."""
        return {below: inode.content for below, inode in self.below(path) if not stat.S_ISDIR(inode.mode)}

    def now_ns(self) -> int:
        return self.volume.now + _LATER_NS

    def open(self, name: str, at: int | None = None) -> int:
        self._called("open")
        number = self._found(name, at)
        if not stat.S_ISDIR(self.volume.image[number].mode):
            raise refusal(errno.ENOTDIR)
        return self._opened(number)

    def close(self, fd: int) -> None:
        if self._descriptors.pop(fd, None) is None:
            raise refusal(errno.EBADF)

    def listed(self, fd: int, most: int) -> list[tuple[str, Kind]]:
        self._called("listed")
        entries = self.volume.image[self._folder(fd)].entries
        return [(name, _kind(self.volume.image[number].mode)) for name, number in islice(entries.items(), most)]

    def read(self, name: str, at: int, most: int) -> tuple[bytes | None, os.stat_result]:
        self._called("read")
        number = self._found(name, at)
        inode = self.volume.image[number]
        if stat.S_ISLNK(inode.mode):
            raise refusal(errno.ELOOP)
        whole = stat.S_ISREG(inode.mode) and len(inode.content) <= most
        return (inode.content if whole else None), self._status(number)

    def piece(self, name: str, at: int, start: int, most: int) -> bytes | None:
        self._called("piece")
        inode = self.volume.image[self._found(name, at)]
        if stat.S_ISLNK(inode.mode):
            raise refusal(errno.ELOOP)
        return inode.content[start : start + most] if stat.S_ISREG(inode.mode) else None

    def stat(self, name: str, at: int | None = None) -> os.stat_result:
        self._called("stat")
        return self._status(self._found(name, at))

    def fstat(self, fd: int) -> os.stat_result:
        self._called("fstat")
        return self._status(self._inode(fd))

    def stamps(self, path: str, most: int, found: list[str | int | None]) -> list[str]:
        self._called("stamps")
        folder = self.volume.image[self._found(path, None)]
        if not stat.S_ISDIR(folder.mode):
            raise refusal(errno.ENOTDIR)
        folders = []
        for name, number in islice(folder.entries.items(), most):
            inode = self.volume.image[number]
            if stat.S_ISDIR(inode.mode):
                folders.append(name)
            else:
                found += (name, number, len(inode.content), inode.modified, inode.changed)
        return folders

    def make_folder(self, name: str, at: int, mode: int = 0o700) -> None:
        self._called("make_folder")
        self.volume.make(self._folder(at), name, stat.S_IFDIR | mode)

    def remove_folder(self, name: str, at: int) -> None:
        self._called("remove_folder")
        self.volume.remove_folder(self._folder(at), name)

    def create(self, name: str, at: int, mode: int = 0o644) -> int:
        self._called("create")
        return self._opened(self.volume.make(self._folder(at), name, stat.S_IFREG | mode))

    def append(self, fd: int, content: bytes) -> None:
        self._called("append")
        number = self._inode(fd)
        self.volume.write(number, self.volume.image[number].content + content)

    def set_mode(self, fd: int, mode: int) -> None:
        self._called("set_mode")
        self.volume.set_mode(self._inode(fd), mode)

    def set_owner(self, fd: int, user: int, group: int) -> None:
        self._called("set_owner")

    def is_idle(self, name: str, at: int) -> bool:
        self._called("is_idle")
        return self._found(name, at) not in self.open_elsewhere

    def sync(self, fd: int) -> None:
        self._called("sync")
        self.volume.sync(self._inode(fd))
        self.synced += 1

    def sync_disk(self, fd: int) -> None:
        self._called("sync_disk")
        self._inode(fd)
        self.volume.settle()
        self.synced += 1

    def link(self, name: str, at: int, new: str, new_at: int) -> None:
        self._called("link")
        self.volume.link(self._folder(at), name, self._folder(new_at), new)

    def rename(self, name: str, at: int, new: str, new_at: int) -> None:
        self._called("rename")
        self.volume.rename(self._folder(at), name, self._folder(new_at), new)

    def move(self, name: str, at: int, new: str, new_at: int) -> None:
        self._called("move")
        self.volume.move(self._folder(at), name, self._folder(new_at), new)

    def exchange(self, name: str, at: int, new: str, new_at: int) -> None:
        self._called("exchange")
        self.volume.exchange(self._folder(at), name, self._folder(new_at), new)

    def unlink(self, name: str, at: int) -> None:
        self._called("unlink")
        self.volume.unlink(self._folder(at), name)

    @contextmanager
    def locked(
        self, name: str, at: int, patience: float, *, shared: bool = False, cancelled: Cancelled = _never
    ) -> Iterator[None]:
        self._called("locked")
        folder = self._folder(at)
        number = self.volume.image[folder].entries.get(name)
        if number is None:
            number = self.volume.make_lock(folder, name)
        elif not stat.S_ISREG(self.volume.image[number].mode):
            raise refusal(errno.ELOOP)
        held = self._locks.setdefault(number, [])
        if held and not (shared and all(held)):
            raise BlockingIOError
        held.append(shared)
        try:
            yield
        finally:
            held.remove(shared)

    def _called(self, name: str) -> None:
        """Count a call, and let happen what was planned for it."""
        if self._dead:
            raise PowerCut
        if self._aside:
            return
        call = len(self.trace)
        if (act := self._planned.pop(call, None)) is not None:
            self._aside = True
            try:
                act(self)
            finally:
                self._aside = False
        if self.moments is not None and name in CHANGING:
            self.moments.append(self.fork())
        self.trace.append(name)
        if call == self.cut_at:
            self._dead = True
            raise PowerCut
        if self.fail_at is not None and (call == self.fail_at or (self.fail_forever and call > self.fail_at)):
            raise refusal(self.fail_errno)

    def _found(self, name: str, at: int | None) -> int:
        return self.volume.resolved(name) if at is None else self.volume.found(self._inode(at), name)

    def _inode(self, fd: int) -> int:
        try:
            return self._descriptors[fd]
        except KeyError:
            raise refusal(errno.EBADF) from None

    def _folder(self, fd: int) -> int:
        number = self._inode(fd)
        if not stat.S_ISDIR(self.volume.image[number].mode):
            raise refusal(errno.ENOTDIR)
        return number

    def _opened(self, number: int) -> int:
        fd = next(fd for fd in count(3) if fd not in self._descriptors)
        self._descriptors[fd] = number
        return fd

    def _status(self, number: int) -> os.stat_result:
        """What `stat` says: in the order of its fields, then by the names of those that have no place."""
        inode = self.volume.image[number]
        modified, changed = inode.modified // 10**9, inode.changed // 10**9
        known = (inode.mode, number, 1, 1, os.geteuid(), os.getegid(), len(inode.content), modified, modified, changed)
        exact = {"st_atime_ns": inode.modified, "st_mtime_ns": inode.modified, "st_ctime_ns": inode.changed}
        return os.stat_result(known, exact)

    def _woken(self, image: Image) -> CrashDisk:
        return CrashDisk(self.volume.woken(image))


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"
