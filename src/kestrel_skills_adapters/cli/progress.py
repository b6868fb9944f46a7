"""How far a long run has come: one line on a terminal, rewritten in place, and only once a second has gone by."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TextIO

from kestrel_skills_core.domain.limits import LIMITS

__all__ = ["Progress"]

_PATIENCE: Final = 1.0
_EVERY: Final = 0.1
"""Seconds between two looks of the line."""
_WIDTH: Final = 20
"""Characters of a bar."""
_MEBI: Final = 1 << 20
_WIPE: Final = "\r\x1b[K"


class Progress:
    """Silent where the stream is no terminal."""

    def __init__(self, stream: TextIO, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin to count; `what` is counted, and `clock` tells seconds."""
        self._stream = stream
        self._what = what
        self._clock = clock
        self._next = clock() + _PATIENCE if stream.isatty() else float("inf")
        self._shown = False

    def at(self, done: int, total: int) -> None:
        """So many of so many are done. Cheap, and may be called often."""
        if self._is_due():
            self._show(f"{done:,} of {total:,} {self._what}")

    def transferred(self, received: int, entries: int) -> None:
        """So many bytes came in, and so many files and folders are asked for, of as many as a transfer may have."""
        if self._is_due():
            most = LIMITS.git_received_bytes
            filled = _WIDTH * received // most
            mebibytes = f"{received / _MEBI:.1f} of {most / _MEBI:.0f} MiB"
            bar = "#" * filled + "." * (_WIDTH - filled)
            self._show(f"[{bar}] {mebibytes}, {entries:,} of {LIMITS.git_entries:,} files and folders")

    def _is_due(self) -> bool:
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + _EVERY
        return True

    def _show(self, line: str) -> None:
        self._shown = True
        self._stream.write(f"{_WIPE}{line}")
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away, before anything else is written, and at the end."""
        if self._shown:
            self._shown = False
            self._stream.write(_WIPE)
            self._stream.flush()
