"""Where skills are: every folder with a SKILL.md, at any depth, in an order that is the same on every disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from typing import Final, Protocol

from kestrel_skills_core.domain.folder import is_sought
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import DOCUMENT

__all__ = ["Missed", "NoSkill", "holder", "seek"]

_NOT_THERE: Final = (errno.ENOENT, errno.ENOTDIR)


class NoSkill(ValueError):
    """A path that is neither a folder nor a SKILL.md; the text says what is the case."""


class Missed(Protocol):
    """Whom to tell of what is passed over."""

    def unreadable(self, path: str, why: str) -> None:
        """It cannot be looked at; `why` is a phrase."""
        ...

    def too_deep(self, path: str) -> None:
        """A folder has more above it than are looked into, `Limits.seek_depth`."""
        ...


def seek(path: str, missed: Missed) -> Iterator[str]:
    """The folders at or below a path that hold a SKILL.md of whatever kind, parents first, sorted by name.

    A path of a SKILL.md means its folder. No link below the path is followed. Nothing is opened but folders. Folders
    are spelt as the path is, with `/` between.

    Raises:
        NoSkill: Nothing is at the path, or a file of another name.
    """
    if os.path.isdir(path):
        yield from _below(path, missed)
    elif os.path.basename(path) == DOCUMENT and os.path.lexists(path):
        yield os.path.dirname(path) or "."
    else:
        try:
            os.stat(path)
        except OSError as error:
            if error.errno not in _NOT_THERE:
                missed.unreadable(path, _phrase(error))
                return
            raise NoSkill("does not exist") from None
        raise NoSkill(f"is neither a folder nor a {DOCUMENT}")


def holder(path: str) -> str | None:
    """The nearest folder at or above a path that holds a SKILL.md of whatever kind, be the path there or not.

    A relative path is followed up to where it begins; nothing where no folder on the way is a skill's.
    """
    folder = os.path.normpath(path)
    while not os.path.lexists(os.path.join(folder, DOCUMENT)):
        above = os.path.dirname(folder) or "."
        if folder in (above, ".") or os.path.basename(folder) == "..":
            return None
        folder = above
    return folder


def _below(top: str, missed: Missed) -> Iterator[str]:
    waiting = [(os.path.normpath(top), 0)]
    while waiting:
        folder, depth = waiting.pop()
        if depth > LIMITS.seek_depth:
            missed.too_deep(folder)
            continue
        try:
            with os.scandir(folder) as entries:
                found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                missed.too_deep(folder)
            else:
                missed.unreadable(folder, _phrase(error))
            continue
        if any(name == DOCUMENT for name, _ in found):
            yield folder
        below = [name for name, is_folder in found if is_folder and is_sought(name)]
        waiting += [(name if folder == "." else os.path.join(folder, name), depth + 1) for name in reversed(below)]


def _phrase(error: OSError) -> str:
    return os.strerror(error.errno or 0).lower()
