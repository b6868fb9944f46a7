"""Pressed streams, read piece by piece: never more inflated at once than was asked for."""

from __future__ import annotations

import bz2
import gzip
import lzma
from typing import IO, Final, Protocol

__all__ = ["Unpressed", "unpressed"]

_MEMORY: Final = 80 * 1024 * 1024
"""What the reader of an xz may take: its strongest preset needs 65 MiB, and a hostile one asks for 4 GiB."""
_PIECE: Final = 64 * 1024


class Unpressed(Protocol):
    """What a pressed file holds."""

    def read(self, most: int, /) -> bytes:
        """The next bytes, so many at most; none at the end."""
        ...


class _Xz:
    """The first stream of an xz file; the standard library's own file object knows no limit of memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MEMORY)

    def read(self, most: int, /) -> bytes:
        """The next bytes."""
        while not self._reader.eof:
            fed = self._file.read(_PIECE) if self._reader.needs_input else b""
            if self._reader.needs_input and not fed:
                raise EOFError
            if piece := self._reader.decompress(fed, most):
                return piece
        return b""


def unpressed(file: IO[bytes]) -> Unpressed | None:
    """What a file holds that is pressed with gzip, bzip2 or xz, by how it begins; nothing where it is not."""
    begin = file.read(6)
    file.seek(0)
    if begin.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if begin.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return _Xz(file) if begin == b"\xfd7zXZ\x00" else None
