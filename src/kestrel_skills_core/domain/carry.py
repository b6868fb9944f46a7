"""Which of the files that come with a skill can be carried, and which are left out, by name.

A file that is no text, that is too large, or that is a pointer to one kept elsewhere is left out. Where what remains is
more than one skill may hold, the files nearest to `SKILL.md` are kept, of those equally near the smaller ones first.

Format of a pointer of git LFS: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from .folder import illegible
from .limits import LIMITS
from .names import DOCUMENT, ResourcePath
from .text import escaped
from .tree import Content, folders_of

__all__ = ["Omitted", "carried", "is_pointer"]

_POINTER: Final = re.compile(
    rb"version https://(?:git-lfs|hawser)\.github\.com/spec/v1\n(?=.*^oid )", re.DOTALL | re.MULTILINE
)
_POINTER_BYTES: Final = 1024


@frozen
class Omitted:
    """A file that is left out, and why: a phrase that is safe to print."""

    path: ResourcePath
    why: str

    def __str__(self) -> str:
        return f"`{escaped(self.path)}` is left out: {self.why}"


def is_pointer(content: bytes) -> bool:
    """Whether a file is a pointer of git LFS, and not what its author sees in its place."""
    return len(content) < _POINTER_BYTES and _POINTER.match(content) is not None


def carried(files: Mapping[ResourcePath, Content]) -> tuple[Mapping[ResourcePath, Content], tuple[Omitted, ...]]:
    """The files that one skill can hold, of those that come, `SKILL.md` in any case; and the others, by path."""
    omitted = {path: why for path, content in files.items() if path != DOCUMENT and (why := _burden(path, content))}
    kept: dict[ResourcePath, Content] = {}
    folders: set[str] = set()
    size = 0
    for path in sorted(files.keys() - omitted.keys(), key=lambda path: _distance(path, files[path])):
        content, above = files[path], folders_of([path]) - folders
        if size + len(content.data) > LIMITS.skill_bytes:
            omitted[path] = f"the skill would hold more than {LIMITS.skill_bytes:,} bytes"
        elif len(kept) + 1 + len(folders) + len(above) > LIMITS.skill_entries:
            omitted[path] = f"the skill would hold more than {LIMITS.skill_entries} files and folders"
        else:
            kept[path] = content
            folders |= above
            size += len(content.data)
    return kept, tuple(Omitted(path, why) for path, why in sorted(omitted.items()))


def _distance(path: ResourcePath, content: Content) -> tuple[bool, int, int, str]:
    """How far a file is from being the `SKILL.md`."""
    return path != DOCUMENT, path.count("/"), len(content.data), path


def _burden(path: ResourcePath, content: Content) -> str:
    """Why a file can be part of no skill; empty where it can."""
    size = len(content.data)
    if is_pointer(content.data):
        return "a git LFS pointer, and not the file itself"
    if size > LIMITS.file_bytes:
        return f"{size:,} bytes where {LIMITS.file_bytes:,} are allowed"
    unread = illegible(path, content.data)
    return "" if unread is None else f"not text, {unread.message}"
