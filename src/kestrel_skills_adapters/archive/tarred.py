"""The entries of a tar archive, one after the other: files and folders, and nothing else.

The standard library's reader is not used: it reads the map of a sparse file before it says that there is one, and it
takes what is damaged for the end. See decision 26.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kestrel_skills_core.domain.limits import Limits
from kestrel_skills_core.domain.tree import Content

from .heads import (
    BLOCK,
    FILES,
    FOLDER,
    GLOBAL,
    LINKS,
    LONG_NAME,
    PAX,
    SPARSE,
    Head,
    head_of,
    name_in,
    records_of,
)
from .member import Allowance, Damaged, Member, file_path, folder_path, odd, too_large
from .stream import Stream

__all__ = ["tarred"]

_AROUND: Final = 2048
"""Bytes around a file, on the average: its header, its padding, what is said of it."""
_BEFORE: Final = (PAX, GLOBAL, LONG_NAME)
"""Heads that say more of the next entry; one of each at most."""
_SPARSE_KEYS: Final = (b"GNU.", b"SUN.holesdata", b"SCHILY.realsize")
"""By these, programs say that the bytes that follow are not the file's."""
_OF_ONE: Final = (b"path", b"size", b"linkpath", *_SPARSE_KEYS)
"""What can only be said of one entry."""


def tarred(pieces: Iterator[bytes], limits: Limits) -> Iterator[Member]:
    """Every entry, as it is met; what is before it was counted.

    Raises:
        BadPath: One has a name that does not travel.
        BadSource: One is neither a file nor a folder.
        TooLarge: There are more, or they hold more, than a parcel may.
        Damaged: It is not as it should be.
    """
    stream, allowance = Stream(_counted(pieces, limits)), Allowance(limits)
    while (head := _next(stream, allowance)) is not None:
        allowance.entry(head.size)
        spelt = head.name.decode(errors="surrogateescape")
        if head.kind == FOLDER:
            if head.size:
                raise odd(spelt, "it is a folder that holds bytes")
            yield Member(folder_path(spelt))
        elif head.kind in FILES:
            yield Member(file_path(spelt), Content(_content(stream, head.size), head.executable))
        else:
            raise odd(spelt, f"it is {_kind(head)}")
    if any(piece.strip(b"\0") for piece in stream.rest()):
        raise Damaged("something follows its end")


def _counted(pieces: Iterator[bytes], limits: Limits) -> Iterator[bytes]:
    """The same, up to what a parcel may hold, headers and padding included."""
    left = limits.parcel_bytes + limits.parcel_entries * _AROUND
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise too_large("bytes of all files of one archive", limits.parcel_bytes)
        yield piece


def _next(stream: Stream, allowance: Allowance) -> Head | None:
    """The next header, by what all heads before it say; nothing at the end, which is two empty blocks."""
    said: dict[bytes, bytes] = {}
    while (block := stream.take(BLOCK)).strip(b"\0"):
        head = head_of(block)
        if head.kind not in _BEFORE:
            return _told(head, said)
        if head.kind in said:
            raise Damaged
        allowance.said(head.size)
        said[head.kind] = _content(stream, head.size)
    if said or stream.take(BLOCK).strip(b"\0"):
        raise Damaged
    return None


def _told(head: Head, said: Mapping[bytes, bytes]) -> Head:
    """A header, by what was said before it."""
    if _says(records_of(said.get(GLOBAL, b"")), _OF_ONE):
        raise Damaged("it says of all entries what can only be said of one")
    records = records_of(said.get(PAX, b""))
    names = [records[b"path"]] if b"path" in records else []
    if LONG_NAME in said:
        names.append(name_in(said[LONG_NAME]))
    if len(names) > 1 or records.get(b"size", b"%d" % head.size) != b"%d" % head.size:
        raise Damaged
    head = head._replace(name=names[0]) if names else head
    return head._replace(kind=SPARSE) if _says(records, _SPARSE_KEYS) else head


def _says(records: Mapping[bytes, bytes], keys: tuple[bytes, ...]) -> bool:
    return any(record.startswith(keys) for record in records)


def _content(stream: Stream, size: int) -> bytes:
    content = stream.take(size)
    stream.take(-size % BLOCK)
    return content


def _kind(head: Head) -> str:
    if head.kind in LINKS:
        return "a link"
    return "a sparse file" if head.kind == SPARSE else "neither a file nor a folder"
