"""A way down from a root, and whether it is still the way."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack

from .syscalls import Syscalls

__all__ = ["Trail"]


class Trail:
    """Open folders, each found by its name in the one above it; the first by its path."""

    def __init__(self, calls: Syscalls, path: str, root: int, held: ExitStack) -> None:
        """Begin at an open root; `held` closes what is entered."""
        self.at = root
        self._calls = calls
        self._held = held
        self._steps: list[tuple[str, int | None, int]] = [(path, None, root)]

    def way(self) -> str:
        """The folder at its end, relative to the root; empty for the root itself."""
        return "/".join(name for name, _, _ in self._steps[1:])

    def enter(self, name: str) -> None:
        """Go down by one folder; no link is followed.

        Raises:
            FileNotFoundError: There is nothing of that name; the trail ends where it did.
            NotADirectoryError: What has that name is a link, or no folder at all.
        """
        try:
            fd = self._held.enter_context(self._calls.folder(name, self.at))
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise NotADirectoryError(errno.ENOTDIR, "") from None
            raise
        self._steps.append((name, self.at, fd))
        self.at = fd

    def holds(self) -> bool:
        """Whether every name on the way still means the folder that is open."""
        try:
            return all(
                os.path.samestat(self._calls.stat(name, at), self._calls.fstat(fd)) for name, at, fd in self._steps
            )
        except FileNotFoundError:
            return False
