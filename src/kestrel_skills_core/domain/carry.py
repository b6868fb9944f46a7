"""Which of the files that come with a skill can be carried, and which are left out, by name.

A file that is no text, that is too large, or that is a pointer to one kept elsewhere is left out. Where what remains is
more than one skill may hold, the files nearest to `SKILL.md` are kept, of those equally near the smaller ones first.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from .folder import illegible
from .limits import LIMITS
from .names import DOCUMENT, ResourcePath
from .pointer import POINTER, is_pointer
from .text import escaped
from .tree import Content, folders_of

__all__ = ["Omitted", "carried"]


@frozen
class Omitted:
    """A file that is left out, and why: a phrase that is safe to print."""

    path: ResourcePath
    why: str

    def __str__(self) -> str:
        return f"`{escaped(self.path)}` is left out: {self.why}"


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
        return POINTER
    if size > LIMITS.file_bytes:
        return f"{size:,} bytes where {LIMITS.file_bytes:,} are allowed"
    unread = illegible(path, content.data)
    return "" if unread is None else f"not text, {unread.message}"
