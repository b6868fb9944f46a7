"""Where skills are: every folder with a SKILL.md, at any depth, in an order that is the same on every disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

from kestrel_skills_core.domain.names import DOCUMENT

__all__ = ["NoSkill", "seek"]

_PRUNED: Final = frozenset({".git", ".kestrel-internal"})
"""Version control's own, and this library's own."""


class NoSkill(ValueError):
    """A path that is neither a folder nor a SKILL.md."""


def seek(path: str, unreadable: Callable[[str, OSError], None]) -> Iterator[str]:
    """The folders at or below a path that hold a SKILL.md of whatever kind, parents first, sorted by name.

    A path of a SKILL.md means its folder. No link below the path is followed. Nothing is opened but folders; one that
    cannot be listed is told of, and passed over. Folders are spelt as the path is, with `/` between.

    Raises:
        NoSkill: The path is a file of another name.
    """
    if os.path.isdir(path):
        yield from _below(path, unreadable)
    elif os.path.basename(path) == DOCUMENT:
        yield os.path.dirname(path) or "."
    else:
        raise NoSkill(path)


def _below(top: str, unreadable: Callable[[str, OSError], None]) -> Iterator[str]:
    waiting = [os.path.normpath(top)]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError as error:
            unreadable(folder, error)
            continue
        if any(name == DOCUMENT for name, _ in found):
            yield folder
        below = [name for name, is_folder in found if is_folder and name not in _PRUNED]
        waiting += [name if folder == "." else os.path.join(folder, name) for name in reversed(below)]
