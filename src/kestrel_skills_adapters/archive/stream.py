"""The bytes of an archive: of the file in pieces, and of a stream in the amounts that a format asks for."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Final

from attrs import frozen

from kestrel_skills_core.domain.errors import Abandoned
from kestrel_skills_core.ports.world import Cancelled

from .member import Damaged

__all__ = ["PIECE", "ArchiveFile", "Stream"]

PIECE: Final = 64 * 1024
"""Bytes that are read, or inflated, at once."""


@frozen
class ArchiveFile:
    """An open file, which has `size` bytes whatever becomes of it; whoever asked for it may leave at each piece."""

    descriptor: int
    size: int
    cancelled: Cancelled

    def at(self, begin: int, count: int) -> bytes:
        """So many bytes from there.

        Raises:
            Damaged: They are not there.
            Abandoned: Whoever asked has gone away.
            OSError: The disk failed.
        """
        if self.cancelled():
            raise Abandoned("the archive")
        found = os.pread(self.descriptor, count, begin)
        if len(found) != count:
            raise Damaged
        return found

    def pieces(self, begin: int, end: int) -> Iterator[bytes]:
        """What is between two places, piece by piece; raises what `at` does."""
        for here in range(begin, end, PIECE):
            yield self.at(here, min(PIECE, end - here))


class Stream:
    """Pieces, none of them empty, given again in the amounts that are asked for."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = b""
        self._at = 0

    def take(self, count: int) -> bytes:
        """The next bytes, exactly so many.

        Raises:
            Damaged: There are fewer.
        """
        taken = io.BytesIO(bytes(count))  # filled in place, so that nothing is ever held twice
        while count:
            if self._at == len(self._held):
                self._held, self._at = next(self._pieces, b""), 0
                if not self._held:
                    raise Damaged
            part = self._held[self._at : self._at + count]
            self._at += len(part)
            count -= len(part)
            taken.write(part)
        return taken.getvalue()

    def rest(self) -> Iterator[bytes]:
        """All that was not taken yet."""
        yield self._held[self._at :]
        yield from self._pieces
