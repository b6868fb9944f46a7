"""The records of a zip archive, from bytes to values; a second reading of what they say is refused. Pure.

Format: PKWARE's APPNOTE.TXT 6.3.10, its sections 4.3.7 (local header), 4.3.9 (descriptor), 4.3.12 (directory), 4.3.16
(end), 4.5 and 4.6.9 (extra fields).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from .member import Damaged

__all__ = [
    "DESCRIBED",
    "ENCRYPTED",
    "END",
    "ENTRY",
    "LOCAL",
    "MOST_END",
    "End",
    "Entry",
    "descriptors_of",
    "end_of",
    "entry_of",
    "is_local_of",
    "is_zip",
    "lengths_of",
    "local_lengths_of",
    "name_of",
]

END: Final = struct.Struct("<4s4H2IH")
ENTRY: Final = struct.Struct("<4s6H3I5H2I")
LOCAL: Final = struct.Struct("<4s5H3I2H")
MOST_END: Final = END.size + 0xFFFF
"""The end of an archive, with the longest comment."""

ENCRYPTED: Final = 1 << 0 | 1 << 6 | 1 << 13
"""The flags of three ways to encrypt."""
DESCRIBED: Final = 1 << 3
"""The flag of sizes that stand behind what they are of."""
_UTF_8: Final = 1 << 11
_LAST_VERSION: Final = 63
"""Of the format, ten times: what an entry may need to be read."""
_IN_COMMON: Final = ENCRYPTED | DESCRIBED | _UTF_8
"""Flags that say how an entry is read."""

_END: Final = b"PK\x05\x06"
_ENTRY: Final = b"PK\x01\x02"
_LOCAL: Final = b"PK\x03\x04"
_DESCRIPTOR: Final = b"PK\x07\x08"
_ZIP64: Final = 0x0001
_OTHER_NAME: Final = 0x7075
"""The extra field of Info-ZIP with a name in UTF-8, which some readers take in place of the name."""


class End(NamedTuple):
    """How many entries the directory has, where it begins and ends."""

    entries: int
    begin: int
    end: int


class Entry(NamedTuple):
    """What the directory says of one entry; `begin` is where its local header is, `extra` is as it stands there."""

    flags: int
    method: int
    sum: int
    packed: int
    size: int
    attributes: int
    begin: int
    name: bytes
    extra: bytes


def is_zip(begin: bytes) -> bool:
    """Whether a file that begins so is a zip archive: by its first entry, or its end where it has none."""
    return begin.startswith((_LOCAL, _END))


def end_of(tail: bytes, size: int) -> End:
    """Read the end of an archive of so many bytes, of which the last `MOST_END` or all are given.

    Raises:
        Damaged: There is none, it is not the very end, or is of an archive in several files.
    """
    at = tail.rfind(_END)
    if not 0 <= at <= len(tail) - END.size:
        raise Damaged
    _, disk, directory_disk, entries, all_entries, length, begin, comment = END.unpack_from(tail, at)
    end = size - len(tail) + at
    if disk or directory_disk or entries != all_entries or begin + length != end:
        raise Damaged
    if at + END.size + comment != len(tail):
        raise Damaged("something follows its end")
    return End(entries, begin, end)


def lengths_of(fixed: bytes) -> tuple[int, int, int]:
    """How many bytes of name, extra fields and comment follow the fixed part of an entry.

    Raises:
        Damaged: It is none.
    """
    fields = ENTRY.unpack(fixed)
    if fields[0] != _ENTRY:
        raise Damaged
    name, extra, comment = fields[10:13]
    return name, extra, comment


def entry_of(fixed: bytes, name: bytes, extra: bytes) -> Entry:
    """Read one entry of the directory.

    Raises:
        Damaged: It lies in another file, or has fields that make something else of it.
    """
    _, _, needed, flags, method, _, _, total, packed, size, _, _, _, disk, _, attributes, begin = ENTRY.unpack(fixed)
    if disk or needed > _LAST_VERSION:
        raise Damaged
    _refuse_second_reading(name, extra)
    return Entry(flags, method, total, packed, size, attributes, begin, name, extra)


def name_of(entry: Entry) -> str | None:
    """The name of an entry; nothing where it is not ASCII, and does not say that it is UTF-8."""
    if entry.name.isascii() or entry.flags & _UTF_8 or any(key == _OTHER_NAME for key, _ in _fields(entry.extra)):
        return entry.name.decode(errors="surrogateescape")
    return None


def local_lengths_of(fixed: bytes) -> tuple[int, int]:
    """How many bytes of name and extra fields follow the fixed part of a local header.

    Raises:
        Damaged: It is none.
    """
    fields = LOCAL.unpack(fixed)
    if fields[0] != _LOCAL:
        raise Damaged
    name, extra = fields[9:]
    return name, extra


def is_local_of(entry: Entry, fixed: bytes, name: bytes, extra: bytes) -> bool:
    """Whether a local header says what the directory says; it may leave figures out, where they follow the bytes.

    Raises:
        Damaged: It has fields that make something else of it.
    """
    _, _, flags, method, _, _, *figures, _, _ = LOCAL.unpack(fixed)
    _refuse_second_reading(name, extra)
    told = (entry.sum, entry.packed, entry.size)
    later = flags & DESCRIBED
    return (
        name == entry.name
        and method == entry.method
        and flags & _IN_COMMON == entry.flags & _IN_COMMON
        and all(here == there or (later and here == 0) for here, there in zip(figures, told, strict=True))
    )


def descriptors_of(entry: Entry) -> tuple[bytes, ...]:
    """The ways to say the sizes behind what they are of."""
    figures = struct.pack("<3I", entry.sum, entry.packed, entry.size)
    return _DESCRIPTOR + figures, figures


def _refuse_second_reading(name: bytes, extra: bytes) -> None:
    for key, value in _fields(extra):
        if key == _ZIP64:
            raise Damaged("it is a zip for huge files (zip64)")
        if key == _OTHER_NAME and value[5:] != name:  # behind a version, and a sum of the other name
            raise Damaged("it gives an entry two names")


def _fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Extra fields; fewer than four bytes that are left over are padding."""
    at = 0
    while at + 4 <= len(extra):
        key, length = struct.unpack_from("<2H", extra, at)
        at += 4 + length
        if at > len(extra):
            raise Damaged
        yield key, extra[at - length : at]
