"""What is out of sight, entry by entry, as the disk has it; no link is followed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.domain.kept import KeptEntry, beyond_depth
from kestrel_skills_core.domain.limits import LIMITS

from .failures import phrase
from .syscalls import EXECUTABLE, Syscalls

__all__ = ["walked"]


def walked(calls: Syscalls, name: str, at: int, kind: Kind, path: str = ".") -> Generator[KeptEntry, None, None]:
    """One entry of an open folder, and all that is in it; whoever stops early closes what is given.

    Of a folder, more than may be listed is never asked for. Every file is opened, so that one that cannot be read says
    so; no byte of it is read.
    """
    if kind == "folder":
        yield from _folder(calls, name, at, path)
        return
    try:
        found = calls.read(name, at, 0)[1] if kind == "file" else calls.stat(name, at)
    except OSError as error:
        yield KeptEntry(path, kind, unread=phrase(error)[0])
    else:
        executable = kind == "file" and found.st_mode & EXECUTABLE != 0
        changed = 0 if path == "." else found.st_ctime_ns
        yield KeptEntry(path, kind, found.st_size, found.st_mtime_ns, changed, executable)


def _folder(calls: Syscalls, name: str, at: int, path: str) -> Generator[KeptEntry, None, None]:
    """A folder first, then what is in it, and last what is in the folders of it."""
    if beyond := beyond_depth(path):
        yield KeptEntry(path, "folder", beyond=beyond)
        return
    with ExitStack() as held:
        try:
            fd = held.enter_context(calls.folder(name, at))
            entries = sorted(calls.listed(fd, LIMITS.kept_entries))
        except OSError as error:
            yield KeptEntry(path, "folder", unread=phrase(error)[0])
            return
        yield KeptEntry(path, "folder")
        prefix = "" if path == "." else f"{path}/"
        for inner, kind in sorted(entries, key=lambda entry: entry[1] == "folder"):
            yield from walked(calls, inner, fd, kind, prefix + inner)
