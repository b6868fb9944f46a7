"""New folders, whole and on the disk before anything names them."""

from __future__ import annotations

from collections.abc import Mapping

from kestrel_skills_core.domain.tree import Content

from .syscalls import Syscalls
from .writing import write

__all__ = ["stage"]


def stage(calls: Syscalls, name: str, at: int, files: Mapping[str, Content]) -> None:
    """Make a new folder that holds these files, by path, and wait until all of it, but its name, is on the disk.

    Modes are what the process's umask leaves of 0755 for folders and executables, and of 0644 for other files.
    """
    inner: dict[str, dict[str, Content]] = {}
    calls.make_folder(name, at, 0o755)
    with calls.folder(name, at) as folder:
        for path, content in files.items():
            first, below, rest = path.partition("/")
            if below:
                inner.setdefault(first, {})[rest] = content
            else:
                write(calls, first, folder, content.data, 0o755 if content.executable else 0o644)
        for first, contents in inner.items():
            stage(calls, first, folder, contents)
        calls.sync(folder)
