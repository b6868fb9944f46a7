"""Taking away what is out of sight: all of it, or only what was seen."""

from __future__ import annotations

import errno
import hashlib
import stat

from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.domain.leftover import Exchanged
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.removal import Manifest
from kestrel_skills_core.domain.text import escaped
from kestrel_skills_core.domain.tree import Unlisted

from .syscalls import EXECUTABLE, Syscalls

__all__ = ["digest_of", "purge", "purge_file", "remove"]


def remove(calls: Syscalls, name: str, at: int) -> None:
    """Remove a file, or a folder with all in it."""
    if not stat.S_ISDIR(calls.stat(name, at).st_mode):
        calls.unlink(name, at)
        return
    with calls.folder(name, at) as fd:
        while entries := calls.listed(fd, LIMITS.looked_entries):
            for entry, _ in entries:
                remove(calls, entry, fd)
    calls.remove_folder(name, at)


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


def purge_file(calls: Syscalls, entry: Exchanged, at: int) -> bool:
    """Remove one file if it holds what was seen, or what was to take its place; whether it did."""
    digest, _ = digest_of(calls, str(entry), at)
    if digest not in (entry.seen, entry.new):
        return False
    calls.unlink(str(entry), at)
    return True


def purge(calls: Syscalls, name: str, at: int, manifest: Manifest, path: str = "") -> None:
    """Remove a folder, but nothing in it that is not as the manifest lists it."""
    with calls.folder(name, at) as fd:
        for entry, kind in calls.listed(fd, LIMITS.looked_entries):
            inner = path + entry
            if kind == "folder":
                purge(calls, entry, fd, manifest, f"{inner}/")
            elif _is_as_seen(calls, entry, fd, manifest, inner, kind):
                calls.unlink(entry, fd)
    try:
        calls.remove_folder(name, at)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


def _is_as_seen(calls: Syscalls, name: str, at: int, manifest: Manifest, path: str, kind: Kind) -> bool:
    if path in manifest.files:
        content, found = calls.read(name, at, LIMITS.file_bytes)
        executable = found.st_mode & EXECUTABLE != 0
        return content is not None and manifest.lists(path, content, executable=executable)
    found = calls.stat(name, at)
    return Unlisted(escaped(path), kind, found.st_size, found.st_mtime_ns) in manifest.beside
