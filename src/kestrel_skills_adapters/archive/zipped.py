"""The entries of a zip archive: files and folders, and nothing else.

The directory, at the end, says what is there. All that is before it must be just that, one entry after the other, so
that whoever reads an archive from its beginning finds the same. See decision 26.
"""

from __future__ import annotations

import io
import stat
import zlib
from collections.abc import Iterator
from typing import Final

from kestrel_skills_core.domain.errors import BadSource
from kestrel_skills_core.domain.limits import Limits
from kestrel_skills_core.domain.tree import Content

from .directory import (
    DESCRIBED,
    ENCRYPTED,
    END,
    ENTRY,
    LOCAL,
    MOST_END,
    Entry,
    descriptors_of,
    end_of,
    entry_of,
    is_local_of,
    lengths_of,
    local_lengths_of,
    name_of,
)
from .member import Allowance, Damaged, Member, file_path, folder_path, odd, too_large
from .stream import ArchiveFile
from .unpressed import inflated

__all__ = ["zipped"]

_STORED: Final = 0
_DEFLATED: Final = 8
"""Of the many ways to press a file, those that everybody writes."""
_FOLDER_ON_DOS: Final = 0x10
_UNMARKED: Final = "its name is not marked as UTF-8, so that systems read it differently"


def zipped(archive: ArchiveFile, limits: Limits) -> Iterator[Member]:
    """Every entry; nothing is inflated before all that is declared was found to be within the caps.

    Raises:
        BadPath: One has a name that does not travel.
        BadSource: One is neither a file nor a folder, or is encrypted, or pressed in another way.
        TooLarge: There are more, or they hold more, than a parcel may.
        Damaged: It is not as it should be.
    """
    allowance = Allowance(limits)
    begin = max(0, archive.size - MOST_END)
    end = end_of(archive.at(begin, archive.size - begin), archive.size)
    if end.entries > limits.parcel_entries:
        raise too_large("entries of one archive", limits.parcel_entries, end.entries)
    entries = []
    at = end.begin
    for _ in range(end.entries):
        entry, path, at = _entry(archive, at, allowance)
        allowance.entry(entry.size)
        entries.append((entry, path))
    if at != end.end:
        raise Damaged
    at = 0
    for entry, path in sorted(entries, key=lambda each: each[0].begin):
        if entry.begin != at:
            raise Damaged("it holds what its directory does not name")
        begin = _packed_at(archive, entry, allowance)
        at = _behind(archive, entry, begin + entry.packed)
        content = _content(archive, entry, begin)
        yield Member(path, None if _is_folder(entry) else content)
    if at != end.begin:
        raise Damaged("it holds what its directory does not name")


def _entry(archive: ArchiveFile, at: int, allowance: Allowance) -> tuple[Entry, str, int]:
    """An entry of the directory, the path that it means, and where the next one is."""
    fixed = archive.at(at, ENTRY.size)
    name, extra, comment = lengths_of(fixed)
    allowance.said(name + extra + comment)
    more = archive.at(at + ENTRY.size, name + extra)
    entry = entry_of(fixed, more[:name], more[name:])
    spelt = name_of(entry)
    if spelt is None:
        fix = "pack it again with a program that marks names, such as `python3 -m zipfile -c`"
        raise BadSource(entry.name.decode(errors="replace"), _UNMARKED, fix)
    if why := _why_odd(entry):
        raise odd(spelt, why)
    path = folder_path(spelt) if _is_folder(entry) else file_path(spelt)
    return entry, path, at + ENTRY.size + name + extra + comment


def _why_odd(entry: Entry) -> str:
    kind = stat.S_IFMT(entry.attributes >> 16)
    is_folder = _is_folder(entry)
    means_folder = kind == stat.S_IFDIR or entry.attributes & _FOLDER_ON_DOS
    if entry.flags & ENCRYPTED:
        return "it is encrypted"
    if kind == stat.S_IFLNK:
        return "it is a link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (means_folder and not is_folder):
        return "it is neither a file nor a folder"
    if is_folder and entry.size:
        return "it is a folder that holds bytes"
    return "" if entry.method in (_STORED, _DEFLATED) else "it is pressed in a way that is not read here"


def _is_folder(entry: Entry) -> bool:
    return entry.name.endswith(b"/")


def _packed_at(archive: ArchiveFile, entry: Entry, allowance: Allowance) -> int:
    """Where the bytes of an entry begin: behind a local header that says what the directory does."""
    fixed = archive.at(entry.begin, LOCAL.size)
    name, extra = local_lengths_of(fixed)
    allowance.said(name + extra)
    more = archive.at(entry.begin + LOCAL.size, name + extra)
    if not is_local_of(entry, fixed, more[:name], more[name:]):
        raise Damaged
    return entry.begin + LOCAL.size + name + extra


def _behind(archive: ArchiveFile, entry: Entry, at: int) -> int:
    """Where the next entry begins, or the directory: where the bytes of this one end, and what describes them."""
    if not entry.flags & DESCRIBED:
        return at
    for descriptor in descriptors_of(entry):
        if archive.at(at, min(len(descriptor), archive.size - END.size - at)) == descriptor:
            return at + len(descriptor)
    raise Damaged


def _content(archive: ArchiveFile, entry: Entry, begin: int) -> Content:
    """A file, whose bytes must be as many as it declares, and add up."""
    pieces = archive.pieces(begin, begin + entry.packed)
    content = io.BytesIO(bytes(entry.size))  # filled in place, so that nothing is ever held twice
    total = 0
    for piece in pieces if entry.method == _STORED else inflated(pieces):
        content.write(piece)
        total = zlib.crc32(piece, total)
        if content.tell() > entry.size:
            raise Damaged
    if content.tell() != entry.size or total != entry.sum:
        raise Damaged
    return Content(content.getvalue(), executable=(entry.attributes >> 16) & 0o111 != 0)
