"""Taking away what is out of sight: all of it, or only what was seen."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.domain.leftover import PartName
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.removal import Manifest
from kestrel_skills_core.domain.text import escaped
from kestrel_skills_core.domain.tree import Unlisted

from .syscalls import EXECUTABLE, Syscalls

IsSeen = Callable[[str, int, str, Kind], bool]
"""Whether an entry of an open folder, of that path and kind, may be removed."""

_DEEPEST: Final = 256
"""Levels of folders; a person made what is deeper, and each level takes a descriptor."""

__all__ = ["digest_of", "is_idle", "purge", "purge_part", "remove"]


def remove(calls: Syscalls, name: str, at: int, depth: int = 0) -> None:
    """Remove a file, or a folder with all in it.

    Raises:
        OSError: Something cannot be removed; it and what is not removed yet stay.
    """
    if not stat.S_ISDIR(calls.stat(name, at).st_mode):
        calls.unlink(name, at)
        return
    with _below(calls, name, at, depth) as fd:
        while entries := calls.listed(fd, LIMITS.looked_entries):
            for entry, _ in entries:
                remove(calls, entry, fd, depth + 1)
    calls.remove_folder(name, at)


def is_idle(calls: Syscalls, name: str, at: int, kind: Kind, depth: int = 0) -> bool:
    """Whether nobody has that file open, or any in that folder, as far as the system tells."""
    if kind == "file":
        return calls.is_idle(name, at)
    if kind != "folder":
        return True
    with _below(calls, name, at, depth) as fd:
        entries = calls.listed(fd, LIMITS.looked_entries)
        return all(is_idle(calls, entry, fd, inner, depth + 1) for entry, inner in entries)


@contextmanager
def _below(calls: Syscalls, name: str, at: int, depth: int) -> Iterator[int]:
    """A folder, open, unless it lies deeper than anything of ours."""
    if depth > _DEEPEST:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    with calls.folder(name, at) as fd:
        yield fd


def digest_of(calls: Syscalls, name: str, at: int) -> tuple[str | None, int]:
    """The SHA-256 of a file, in hex, and its permission bits; no digest of what is no file, or larger than any of ours.

    Raises:
        FileNotFoundError: There is nothing of that name.
    """
    mode = calls.stat(name, at).st_mode
    if not stat.S_ISREG(mode):
        return None, 0
    content, found = calls.read(name, at, LIMITS.file_bytes)
    digest = None if content is None else hashlib.sha256(content).hexdigest()
    return digest, stat.S_IMODE(found.st_mode)


def purge_part(calls: Syscalls, part: PartName, at: int, kind: Kind = "file") -> bool:
    """Remove a part of a skill, but nothing in it that is neither what was seen nor ours; whether all of it is gone.

    Of a folder where there is to be a file, nothing is.
    """

    def is_seen(name: str, at: int, _path: str, _kind: Kind) -> bool:
        return digest_of(calls, name, at)[0] in (part.seen, part.new)

    return _purge(calls, str(part), at, kind, is_seen)


def purge(calls: Syscalls, folder: str, at: int, manifest: Manifest) -> bool:
    """Remove a folder, but nothing in it that is not as the manifest lists it; whether all of it is gone."""

    def is_seen(name: str, at: int, path: str, kind: Kind) -> bool:
        if path in manifest.files:
            content, found = calls.read(name, at, LIMITS.file_bytes)
            executable = found.st_mode & EXECUTABLE != 0
            return content is not None and manifest.lists(path, content, executable=executable)
        found = calls.stat(name, at)
        return Unlisted(escaped(path), kind, found.st_size, found.st_mtime_ns, found.st_ctime_ns) in manifest.beside

    return _purge(calls, folder, at, "folder", is_seen)


def _purge(calls: Syscalls, name: str, at: int, kind: Kind, is_seen: IsSeen, path: str = "") -> bool:
    if kind != "folder":
        if is_seen(name, at, path, kind):
            calls.unlink(name, at)
            return True
        return False
    with _below(calls, name, at, path.count("/")) as fd:
        for entry, inner in calls.listed(fd, LIMITS.looked_entries):
            _purge(calls, entry, fd, inner, is_seen, f"{path}/{entry}" if path else entry)
    try:
        calls.remove_folder(name, at)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True
