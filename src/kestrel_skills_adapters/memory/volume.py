"""A file system in memory: names, bytes and modes, by inode, as POSIX has them; every change goes into a journal.

One process that may do everything uses it: permissions are kept and not enforced, and names are not counted.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, Literal

from attrs import define

from .journal import Bytes, Image, Inode, Journal, Mode, Names, Operation, Renamed, applied

__all__ = ["TOP", "Person", "Volume", "refusal"]

TOP: Final = 1
"""The inode of `/`."""
_NAME_BYTES: Final = 255
_START_NS: Final = 1_767_225_600_000_000_000
_TICK_NS: Final = 1_000_000
"""Nothing happens at the same time as anything else."""


def refusal(number: int) -> OSError:
    """The error that a system call gives."""
    return OSError(number, os.strerror(number))


@define(eq=False)
class Volume:
    """What is there now, and what of it would outlive a power cut. A copy of it costs a few pointers.

    Every method raises `OSError`, with the number that Linux gives.
    """

    image: Image
    journal: Journal
    now: int = _START_NS
    last: int = TOP
    removed: frozenset[int] = frozenset()
    """Folders that lost their name: nothing can be made in them."""

    @classmethod
    def empty(cls) -> Volume:
        """A volume that holds `/` and nothing else."""
        image = {TOP: Inode(stat.S_IFDIR | 0o755)}
        return cls(image, Journal(image))

    def woken(self, image: Image) -> Volume:
        """The volume that the machine wakes up with when that image is left."""
        return Volume(image, self.journal.restarted(image), self.now, self.last)

    def found(self, folder: int, name: str) -> int:
        """The inode that a name means."""
        if len(os.fsencode(name)) > _NAME_BYTES:
            raise refusal(errno.ENAMETOOLONG)
        if not stat.S_ISDIR(self.image[folder].mode):
            raise refusal(errno.ENOTDIR)
        number = self.image[folder].entries.get(name)
        if number is None:
            raise refusal(errno.ENOENT)
        return number

    def resolved(self, path: str) -> int:
        """The inode that a path from `/` leads to; no link is followed."""
        number = TOP
        for part in filter(None, path.split("/")):
            number = self.found(number, part)
        return number

    def below(self, number: int, prefix: str = "") -> Iterator[tuple[str, Inode]]:
        """Everything below a folder, by relative path, folders before what is in them."""
        for name, below in self.image[number].entries.items():
            yield prefix + name, self.image[below]
            yield from self.below(below, f"{prefix}{name}/")

    def make(self, folder: int, name: str, mode: int, content: bytes = b"") -> int:
        """Make an entry; `mode` says of what kind."""
        self._expect_free(folder, name)
        number = self._mint(mode)
        self._change(Names((Renamed(folder, name, None, number),), self.now))
        if content:
            self.write(number, content)
        return number

    def make_lock(self, folder: int, name: str) -> int:
        """Make a file beside the journal, which is never lost: whether a lock file is tells nothing."""
        self._expect_free(folder, name)
        number = self._mint(stat.S_IFREG | 0o600)
        made = Names((Renamed(folder, name, None, number),), self.now)
        self.image = applied(self.image, made) or self.image
        self.journal = self.journal.known(made)
        return number

    def write(self, number: int, content: bytes) -> None:
        """Let a file hold these bytes."""
        self._change(Bytes(number, self.image[number].content, content, self._tick()))

    def set_mode(self, number: int, mode: int) -> None:
        """Change permission bits."""
        self._change(Mode(number, stat.S_IFMT(self.image[number].mode) | mode, self._tick()))

    def unlink(self, folder: int, name: str) -> None:
        """Take a name away from anything but a folder."""
        number = self.found(folder, name)
        if self._is_folder(number):
            raise refusal(errno.EISDIR)
        self._change(Names((Renamed(folder, name, number, None),), self._tick()))

    def remove_folder(self, folder: int, name: str) -> None:
        """Remove an empty folder."""
        number = self.found(folder, name)
        if not self._is_folder(number):
            raise refusal(errno.ENOTDIR)
        if self.image[number].entries:
            raise refusal(errno.ENOTEMPTY)
        self.removed |= {number}
        self._change(Names((Renamed(folder, name, number, None),), self._tick()))

    def link(self, folder: int, name: str, to: int, new: str) -> None:
        """Give a file a second name."""
        number = self.found(folder, name)
        if self._is_folder(number):
            raise refusal(errno.EPERM)
        self._expect_free(to, new)
        self._change(Names((Renamed(to, new, None, number),), self._tick()))

    def rename(self, folder: int, name: str, to: int, new: str) -> None:
        """Move an entry over what has the new name, if it may be covered."""
        number = self.found(folder, name)
        there = self.image[to].entries.get(new)
        if there == number:
            return
        self._expect_outside(number, to)
        if there is None:
            self._expect_free(to, new)
        else:
            self._expect_to_cover(number, there)
        self._change(Names((Renamed(folder, name, number, None), Renamed(to, new, there, number)), self._tick()))

    def move(self, folder: int, name: str, to: int, new: str) -> None:
        """Move an entry to a name that is free."""
        number = self.found(folder, name)
        self._expect_free(to, new)
        self._expect_outside(number, to)
        self._change(Names((Renamed(folder, name, number, None), Renamed(to, new, None, number)), self._tick()))

    def exchange(self, folder: int, name: str, to: int, new: str) -> None:
        """Let two entries change places."""
        one, other = self.found(folder, name), self.found(to, new)
        self._expect_outside(one, to)
        self._expect_outside(other, folder)
        if one != other:
            self._change(Names((Renamed(folder, name, one, other), Renamed(to, new, other, one)), self._tick()))

    def sync(self, number: int) -> None:
        """Make the bytes and the mode of a file certain, or the names in a folder."""
        self.journal = self.journal.synced(number)

    def settle(self) -> None:
        """Make everything certain."""
        self.journal = self.journal.all_synced()

    def seal(self, since: int, path: str) -> None:
        """Make certain what was done since the journal had that length, and every name on the way to a path."""
        way, at = [], TOP
        for part in filter(None, path.split("/")):
            way.append((at, part))
            at = self.image[at].entries.get(part, TOP)
        self.journal = self.journal.sealed(since, way)

    def _tick(self) -> int:
        self.now += _TICK_NS
        return self.now

    def _change(self, operation: Operation) -> None:
        after = applied(self.image, operation)
        assert after is not None, "an operation is made of what is there"
        self.image = after
        self.journal = self.journal.told(operation)

    def _mint(self, mode: int) -> int:
        """A new inode, to which no name leads."""
        self.last += 1
        now = self._tick()
        inode = Inode(mode, modified=now, changed=now)
        self.image = {**self.image, self.last: inode}
        self.journal = self.journal.born(self.last, inode)
        return self.last

    def _is_folder(self, number: int) -> bool:
        return stat.S_ISDIR(self.image[number].mode)

    def _expect_free(self, folder: int, name: str) -> None:
        with suppress(FileNotFoundError):
            self.found(folder, name)
            raise refusal(errno.EEXIST)
        if folder in self.removed:
            raise refusal(errno.ENOENT)

    def _expect_outside(self, number: int, folder: int) -> None:
        """No folder is moved into itself."""
        if number == folder:
            raise refusal(errno.EINVAL)
        for below in self.image[number].entries.values():
            self._expect_outside(below, folder)

    def _expect_to_cover(self, number: int, there: int) -> None:
        mine, theirs = self._is_folder(number), self._is_folder(there)
        if theirs and not mine:
            raise refusal(errno.EISDIR)
        if mine and not theirs:
            raise refusal(errno.ENOTDIR)
        if self.image[there].entries:
            raise refusal(errno.ENOTEMPTY)
        self.removed |= {there} if theirs else set()


@define(eq=False)
class Person:
    """A person's hand on a volume, by paths from `/`. What is done is synced at once, with the way to it, or not."""

    volume: Volume

    def put(self, path: str, content: bytes, *, mode: int = 0o644, synced: bool = True) -> None:
        """Write a file, as an editor does that writes in place; folders above it appear."""
        with self._acting(path, synced=synced):
            folder, name = self._parent(path, make=True)
            number = self.volume.image[folder].entries.get(name)
            if number is None:
                number = self.volume.make(folder, name, stat.S_IFREG | mode)
            self.volume.write(number, content)

    def save(self, path: str, content: bytes, *, synced: bool = True) -> None:
        """Write a file, as an editor does that writes beside it and renames."""
        folder, _, name = path.rpartition("/")
        with self._acting(path, synced=synced):
            self.put(f"{folder}/.{name}.swp", content, synced=False)
            self.shift(f"{folder}/.{name}.swp", path, synced=False)

    def odd(self, path: str, kind: Literal["link", "other"], target: str = "") -> None:
        """Make a symbolic link, or a FIFO."""
        with self._acting(path, synced=True):
            mode = stat.S_IFLNK if kind == "link" else stat.S_IFIFO
            self.volume.make(*self._parent(path), mode | 0o644, os.fsencode(target))

    def drop(self, path: str, *, synced: bool = True) -> None:
        """Remove a file, or a folder with all below it."""
        with self._acting(path, synced=synced):
            folder, name = self._parent(path)
            number = self.volume.found(folder, name)
            for below in self._names(number):
                self.drop(f"{path}/{below}", synced=False)
            if stat.S_ISDIR(self.volume.image[number].mode):
                self.volume.remove_folder(folder, name)
            else:
                self.volume.unlink(folder, name)

    def shift(self, path: str, to: str, *, synced: bool = True) -> None:
        """Rename a file or folder, over a file that is there."""
        with self._acting(to, synced=synced):
            self.volume.rename(*self._parent(path), *self._parent(to))

    def opened(self, path: str) -> int:
        """Hold a file open: the number by which `write` finds it, wherever its name goes."""
        return self.volume.resolved(path)

    def write(self, number: int, content: bytes, *, synced: bool = True) -> None:
        """Write to a file that is held open; a name it may have is as certain as before."""
        with self._acting("/", synced=synced):
            self.volume.write(number, content)

    def chmod(self, path: str, mode: int, *, synced: bool = True) -> None:
        """Change the permission bits of a file or folder."""
        with self._acting(path, synced=synced):
            self.volume.set_mode(self.volume.resolved(path), mode)

    @contextmanager
    def _acting(self, path: str, *, synced: bool) -> Iterator[None]:
        since = self.volume.journal.length
        yield
        if synced:
            self.volume.seal(since, path)

    def _names(self, number: int) -> Iterable[str]:
        return tuple(self.volume.image[number].entries)

    def _parent(self, path: str, *, make: bool = False) -> tuple[int, str]:
        *folders, name = filter(None, path.split("/"))
        at = TOP
        for part in folders:
            if make and part not in self.volume.image[at].entries:
                at = self.volume.make(at, part, stat.S_IFDIR | 0o755)
            else:
                at = self.volume.found(at, part)
        return at, name
