"""The entries of a zip archive, by its directory, as the standard library reads them; stricter where it forgives.

Format: PKWARE's APPNOTE.TXT 6.3.10. Of the many ways to press a file, the two are read that everybody writes.
"""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from typing import IO, Final

from kestrel_skills_core.domain.errors import BadSource, TooLarge
from kestrel_skills_core.domain.limits import Limits
from kestrel_skills_core.domain.tree import Content

from .tarred import Entry

__all__ = ["is_zip", "zipped"]

_MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""Of the first entry; of the end of an archive without any."""
_IN_DIRECTORY: Final = b"PK\x01\x02"
_ENCRYPTED: Final = 1 << 0 | 1 << 6 | 1 << 13
"""The flags of three ways to encrypt."""
_PIECE: Final = 1 << 20
_FEWER: Final = "put only the skill into it"
_PLAIN: Final = "ask its author for an archive of plain files"


def is_zip(begin: bytes) -> bool:
    """Whether a file that begins so is a zip archive."""
    return begin.startswith(_MAGICS)


def zipped(file: IO[bytes], limits: Limits) -> Iterator[Entry]:
    """Every entry; nothing is inflated before all that is declared was found to be within the caps.

    Raises:
        BadSource: One is neither a file nor a folder, or is encrypted, or pressed in another way.
        TooLarge: There are more, or they hold more, than a parcel may.
        Exception: It is damaged: whatever the library says then.
    """
    # The library reads the whole directory before it says how much there is.
    if _count(file, _IN_DIRECTORY) > limits.parcel_entries:
        raise TooLarge("entries of one archive", limits.parcel_entries, fix=_FEWER)
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > limits.parcel_bytes:
            raise TooLarge("bytes of all files of one archive", limits.parcel_bytes, size, _FEWER)
        for entry in entries:
            _refuse_odd(entry)
        for entry in entries:
            mode = entry.external_attr >> 16
            content = None if entry.is_dir() else Content(_content(archive, entry), executable=mode & 0o111 != 0)
            yield entry.orig_filename.rstrip("/"), content


def _count(file: IO[bytes], sought: bytes) -> int:
    """How often a few bytes stand in a file, and that it is at its beginning again."""
    found, before = 0, b""
    while piece := file.read(_PIECE):
        found += (before + piece).count(sought)
        before = piece[1 - len(sought) :]
    file.seek(0)
    return found


def _refuse_odd(entry: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    why = ""
    if entry.flag_bits & _ENCRYPTED:
        why = "it is encrypted"
    elif kind == stat.S_IFLNK:
        why = "it is a link"
    elif kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (kind == stat.S_IFDIR) > entry.is_dir():
        why = "it is neither a file nor a folder"
    elif entry.is_dir() and entry.file_size:
        why = "it is a folder that holds bytes"
    elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        why = "it is pressed in a way that is not read here"
    if why:
        raise BadSource(entry.orig_filename, why, _PLAIN)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of a file, which must be as many as it declares, and add up."""
    declared = entry.file_size
    entry.file_size = declared + 1  # else the library stops there, and what follows is never seen
    with archive.open(entry) as file:
        content = file.read(declared + 1)
        if len(content) == declared:
            content += file.read(1)  # the end, where the sum is checked
    if len(content) != declared:
        raise zipfile.BadZipFile
    return content
