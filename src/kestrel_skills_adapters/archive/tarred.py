"""The entries of a tar archive, one after the other, as the standard library reads them; stricter where it forgives.

Format: POSIX.1-2017, `pax`; and GNU tar's own.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Final, Self

from kestrel_skills_core.domain.errors import BadSource, TooLarge
from kestrel_skills_core.domain.limits import Limits
from kestrel_skills_core.domain.tree import Content

from .unpressed import Unpressed

__all__ = ["Entry", "is_tar", "tarred"]

Entry = tuple[str, Content | None]
"""A path, and what is there; nothing for a folder."""

_MAGIC: Final = (257, b"ustar")
_AROUND: Final = 2048
"""Bytes around a file, on the average: its header, its padding, a long name."""
_HEAD_BYTES: Final = 64 * 1024
"""Of what says more about the next entry: a name has 1,024 bytes at most."""
_ALL_HEADS_BYTES: Final = 1024 * 1024
"""Of all of that in one archive: reading it takes the library far longer than reading files."""
_HEADS: Final = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_PIECE: Final = 64 * 1024
_FEWER: Final = "put only the skill into it"
_PLAIN: Final = "ask its author for an archive of plain files"


class _Counted:
    """A stream that ends in a refusal where it gives more than a parcel may hold, headers and padding included."""

    def __init__(self, stream: Unpressed, limits: Limits) -> None:
        self._stream = stream
        self._most = limits.parcel_bytes
        self._left = limits.parcel_bytes + limits.parcel_entries * _AROUND

    def read(self, most: int) -> bytes:
        """The next bytes."""
        read = self._stream.read(most)
        self._left -= len(read)
        if self._left < 0:
            raise TooLarge("bytes of all files of one archive", self._most, fix=_FEWER)
        return read


def _strict() -> type[tarfile.TarInfo]:
    """Headers for one archive, which are right, or an error: the library takes a wrong one for the archive's end."""
    left = _ALL_HEADS_BYTES

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            nonlocal left
            try:
                header = super().frombuf(buf, encoding, errors)
            except tarfile.HeaderError:
                if buf and not any(buf):
                    raise  # the end, as it should be
                raise tarfile.ReadError from None
            if header.type in _HEADS:
                left -= header.size
            if header.size < 0 or left < 0 or (header.type in _HEADS and header.size > _HEAD_BYTES):
                raise tarfile.ReadError
            return header

    return Header


def is_tar(begin: bytes) -> bool:
    """Whether a file that begins so is a tar archive: the first 262 bytes tell."""
    at, magic = _MAGIC
    return begin[at : at + len(magic)] == magic


def tarred(stream: Unpressed, limits: Limits) -> Iterator[Entry]:
    """Every entry, as it is met; what is before it was counted.

    Raises:
        BadSource: One is neither a file nor a folder.
        TooLarge: There are more, or they hold more, than a parcel may.
        Exception: It is damaged: whatever the library says then.
    """
    counted = _Counted(stream, limits)
    left = limits.parcel_bytes
    with tarfile.open(fileobj=counted, mode="r|", tarinfo=_strict(), errors="surrogateescape") as archive:  # type: ignore[call-overload]  # it reads, and does nothing else
        for number, member in enumerate(archive):
            if number >= limits.parcel_entries:
                raise TooLarge("entries of one archive", limits.parcel_entries, fix=_FEWER)
            if member.isdir():
                yield member.name, None
                continue
            if not member.isreg() or member.issparse():
                raise BadSource(member.name, f"it is {_kind(member)}", _PLAIN)
            left -= member.size
            if left < 0:
                raise TooLarge("bytes of all files of one archive", limits.parcel_bytes, fix=_FEWER)
            yield member.name, Content(_content(archive, member), executable=member.mode & 0o111 != 0)
    _finish(counted)


def _finish(stream: _Counted) -> None:
    """Read to the end, where a pressed stream is found to be whole."""
    while stream.read(_PIECE):
        continue


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None, "a regular file has content"
    content = file.read()
    if len(content) != member.size:
        raise tarfile.ReadError
    return content


def _kind(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return "a link"
    return "a sparse file" if member.issparse() else "neither a file nor a folder"
