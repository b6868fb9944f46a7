"""A watch by `watchfiles`, which hears by inotify on Linux.

It hears in a thread of its own, some time after a change, and in the order of the changes. So each time it is asked, a
mark is made on a file in memory that it watches too, and waited for: what was changed before has been heard by then.

What it does not tell is the bound of a watch (`watched`, rule 3): that the kernel dropped what it had no room for, and
what is heard in the few nanoseconds between its giving out a list and emptying it.
"""

from __future__ import annotations

import os
import stat
import weakref
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from kestrel_skills_core.ports.files import SkillFiles

from .folders import folders, is_local
from .watched import Heard, WatchedFiles

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

__all__ = ["NotifiedWatch", "is_installed", "place", "watched"]

_PATIENCE: Final = ((0, 200), (1, 100))
"""How often to ask for the mark, and how many milliseconds apart: it takes some ten microseconds as a rule."""


def is_installed() -> bool:
    """Whether the extra `watch` is."""
    return find_spec("watchfiles") is not None


def watched(files: SkillFiles, root: str) -> SkillFiles:
    """These files, watched from the second look on; as they are where the extra `watch` is not installed."""
    if not is_installed():
        return files
    return WatchedFiles(files, lambda: place(root))


def place(root: str) -> NotifiedWatch | None:
    """Watch a root and what a survey looks into; nothing where not all that changes there can be heard.

    Only what is listed is watched, folder by folder: `watchfiles` would else follow links out of the root.
    """
    try:
        if not is_local(root):
            return None
        inside = folders(root)
        watch = NotifiedWatch(root, inside)
    except (ImportError, OSError, RuntimeError, UnicodeError):  # of `watchfiles`, too: no watches are left
        return None
    with suppress(OSError):
        if folders(root) == inside:
            return watch
    watch.close()
    return None


class _OverError(Exception):
    """Nothing was heard in time."""


class _Patience:
    """What `watchfiles` asks whether to stop. It raises instead: to stop throws away what was heard meanwhile."""

    def __init__(self, times: int) -> None:
        self._left = times

    def is_set(self) -> bool:
        """Whether to stop, which it never says."""
        self._left -= 1
        if self._left < 0:
            raise _OverError
        return False


class NotifiedWatch:
    """A watch of some folders of a root: see `Watch`."""

    def __init__(self, root: str, inside: list[str]) -> None:
        """Begin to hear.

        Raises:
            ImportError, OSError, RuntimeError, UnicodeError: It cannot be had.
        """
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - only who watches pays for it

        self._root, self._inside = root, frozenset(inside)
        self._is = _identity(root)
        self._file = os.memfd_create("kestrel-skills-mark")
        self._closing = weakref.finalize(self, os.close, self._file)
        self._mark = f"/proc/self/fd/{self._file}"
        self._notify: RustNotify | None = None
        try:
            # As it is declared: no debugging, no polling, not recursive, and refusals are told.
            self._notify = RustNotify([self._mark, *inside], False, False, 0, False, False)  # noqa: FBT003
        except BaseException:
            self.close()
            raise

    def heard(self) -> Heard:
        """What was heard; see `Watch`."""
        try:
            paths = self._drained()
            if paths is None or _identity(self._root) != self._is:
                return Heard.LOST
        except (OSError, RuntimeError):
            return Heard.LOST
        if not paths:
            return Heard.NOTHING
        return Heard.LOST if any(path in self._inside or _is_folder(path) for path in paths) else Heard.CHANGES

    def close(self) -> None:
        """Stop; see `Watch`."""
        self._notify = None
        self._closing()

    def _drained(self) -> set[str] | None:
        """The paths that were heard of; nothing where the mark was not among them."""
        if self._notify is None:
            return None
        os.fchmod(self._file, stat.S_IRUSR | stat.S_IWUSR)
        paths: set[str] = set()
        for milliseconds, times in _PATIENCE:
            patience = _Patience(times)
            with suppress(_OverError):
                while self._mark not in paths:
                    found = self._notify.watch(0, milliseconds, 0, patience)
                    if isinstance(found, str):  # a signal came, and what it raised was dropped
                        raise KeyboardInterrupt
                    paths.update(path for _, path in found)
        return paths - {self._mark} if self._mark in paths else None


def _identity(root: str) -> tuple[int, int]:
    found = os.stat(root, follow_symlinks=False)  # noqa: PTH116 - a root is known by its path as spelt
    return found.st_dev, found.st_ino


def _is_folder(path: str) -> bool:
    """Whether a folder is there now, or may be."""
    try:
        return stat.S_ISDIR(os.stat(path, follow_symlinks=False).st_mode)  # noqa: PTH116 - a string is what there is
    except FileNotFoundError:
        return False
    except OSError:
        return True
