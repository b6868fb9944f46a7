"""The heads of a tar archive, from bytes to values; everything else than what programs write is refused. Pure.

Formats: POSIX.1-2017 `pax`, "ustar Interchange Format" and "pax Interchange Format"; GNU tar's "Basic Tar Format" for
long names. Readers disagree on whatever is refused here, or read it at a cost that nothing bounds: see decision 26.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from .member import Damaged

__all__ = [
    "BLOCK",
    "FILES",
    "FOLDER",
    "GLOBAL",
    "LINKS",
    "LONG_NAME",
    "PAX",
    "SPARSE",
    "Head",
    "head_of",
    "is_tar",
    "name_in",
    "records_of",
]

BLOCK: Final = 512
FILES: Final = (b"0", b"\0")
FOLDER: Final = b"5"
LINKS: Final = (b"1", b"2", b"K")
"""A hard one, a symbolic one, and a long path to which one leads, which GNU tar writes before it."""
SPARSE: Final = b"S"
PAX: Final = b"x"
GLOBAL: Final = b"g"
LONG_NAME: Final = b"L"

_POSIX: Final = b"ustar\0"
_GNU: Final = b"ustar  \0"
_ANY_RUN: Final = 0o111
_LENGTH_DIGITS: Final = 5


class Head(NamedTuple):
    """What a header says: a name as it is spelt, what kind of entry it is, how many bytes follow."""

    name: bytes
    kind: bytes
    size: int
    executable: bool


def is_tar(begin: bytes) -> bool:
    """Whether a file that begins so is a tar archive: the first 262 bytes tell."""
    return begin[257:262] == b"ustar"


def head_of(block: bytes) -> Head:
    """Read a header, which is one block.

    Raises:
        Damaged: It does not add up, or is neither of POSIX nor of GNU tar.
    """
    if _number(block[148:156]) != sum(block[:148]) + sum(block[156:]) + 8 * ord(" "):
        raise Damaged
    name, kind = _text(block[:100]), block[156:157]
    if block[257:265] == _GNU:
        above = b""
        # Of a sparse file there is the first part of its map. Else GNU's own times, which others take for a folder.
        if kind != SPARSE and block[345:500].strip(b"\0"):
            raise Damaged
    elif block[257:263] == _POSIX:
        above = _text(block[345:500])
    else:
        raise Damaged
    return Head(
        name=above + b"/" + name if above else name,
        kind=kind,
        size=_number(block[124:136]),
        executable=_number(block[100:108]) & _ANY_RUN != 0,
    )


def records_of(body: bytes) -> Mapping[bytes, bytes]:
    """Read what an extended header says: each record is its own length, a space, a key, `=`, a value, a line feed.

    Raises:
        Damaged: It is anything else, or says one thing twice.
    """
    found: dict[bytes, bytes] = {}
    for record in _records(body):
        key, equals, value = record.partition(b"=")
        if not (key and equals) or key in found:
            raise Damaged
        found[key] = value
    return found


def name_in(body: bytes) -> bytes:
    """Read a long name of GNU tar, which ends with a NUL.

    Raises:
        Damaged: It does not.
    """
    name, end, more = body.partition(b"\0")
    if not end or more:
        raise Damaged
    return name


def _records(body: bytes) -> Iterator[bytes]:
    """The records, without their lengths and line feeds."""
    at = 0
    while at < len(body):
        space = body.find(b" ", at, at + _LENGTH_DIGITS + 1)
        length = body[at:space] if space > at else b""
        if not length.isdigit() or length.startswith(b"0"):
            raise Damaged
        end = at + int(length)
        if not space < end <= len(body) or body[end - 1 : end] != b"\n":
            raise Damaged
        yield body[space + 1 : end - 1]
        at = end


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes) -> int:
    """Octal digits; spaces may stand before them, and spaces and NULs behind. None are 0."""
    digits = field.rstrip(b" \0").lstrip(b" ")
    if digits.strip(b"01234567"):
        raise Damaged
    return int(digits, 8) if digits else 0
