"""Pressed streams, read piece by piece: never more inflated at once than one piece, and no more read than is needed.

Formats: RFC 1951 and 1952 (deflate, gzip); bzip2; the .xz file format 1.1.0. In each, streams may follow one another,
and hold together what they hold one after the other: parallel packers write such files, so that they are read.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import partial

from kestrel_skills_core.domain.limits import Limits

from .member import Damaged
from .stream import PIECE

__all__ = ["inflated", "unpressed"]


class _Zlib:
    """The reader that `zlib` has, in the form that `bz2` and `lzma` give theirs."""

    def __init__(self, form: int) -> None:
        self._reader = zlib.decompressobj(form)
        self.eof, self.needs_input, self.unused_data = False, True, b""

    def decompress(self, pressed: bytes, most: int, /) -> bytes:
        piece = self._reader.decompress(self._reader.unconsumed_tail + pressed, most)
        self.eof, self.unused_data = self._reader.eof, self._reader.unused_data
        # As much as was asked for: there may be more that no further input is needed for.
        self.needs_input = len(piece) < most
        return piece


_Reader = _Zlib | bz2.BZ2Decompressor | lzma.LZMADecompressor
"""Inflates one stream; each call costs as much as it is given and gives."""


def unpressed(begin: bytes, pieces: Iterator[bytes], limits: Limits) -> Iterator[bytes] | None:
    """What a file holds that is pressed with gzip, bzip2 or xz, by how it begins; nothing where it is not.

    Raises:
        Damaged: While it is read: it is not whole, something follows it, or its reader would need too much memory.
    """
    readers: dict[bytes, Callable[[], _Reader]] = {
        b"\x1f\x8b": partial(_Zlib, zlib.MAX_WBITS + 16),
        b"BZh": bz2.BZ2Decompressor,
        b"\xfd7zXZ\x00": partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, limits.archive_reader_bytes),
    }
    start = next((start for magic, start in readers.items() if begin.startswith(magic)), None)
    if start is None:
        return None
    return _streams(start, pieces, limits.parcel_entries, Damaged("it was packed in too many parts"))


def inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What one bare deflate stream holds, as zip has them.

    Raises:
        Damaged: It is not whole, or something follows it.
    """
    return _streams(partial(_Zlib, -zlib.MAX_WBITS), pieces, 1, Damaged())


def _streams(start: Callable[[], _Reader], pieces: Iterator[bytes], most: int, beyond: Damaged) -> Iterator[bytes]:
    """What streams hold, one after the other. Each costs something, were it empty: of too many, `beyond` is raised."""
    rest = next(pieces, b"")
    while rest:
        if most == 0:
            raise beyond
        most -= 1
        reader = start()
        while not reader.eof:
            if reader.needs_input and not (rest := rest or next(pieces, b"")):
                raise Damaged
            piece, rest = _decompressed(reader, rest), b""
            if piece:
                yield piece
        rest = reader.unused_data or next(pieces, b"")


def _decompressed(reader: _Reader, pressed: bytes) -> bytes:
    try:
        return reader.decompress(pressed, PIECE)
    except lzma.LZMAError as error:
        if "Memory usage limit" in str(error):
            raise Damaged("it takes too much memory to read, as `xz -8` and `-9` write it") from None
        raise Damaged from None
    except (zlib.error, OSError, ValueError, EOFError):  # one of them for each format, and what they do not promise
        raise Damaged from None
