"""What the readers of archives have in common: what an entry comes to, and what is refused whatever the format."""

from __future__ import annotations

from typing import Final, NamedTuple

from kestrel_skills_core.domain.errors import BadSource, TooLarge
from kestrel_skills_core.domain.limits import Limits
from kestrel_skills_core.domain.names import litter_in, travelling_path
from kestrel_skills_core.domain.tree import Content

__all__ = ["TOP", "Allowance", "Damaged", "Member", "file_path", "folder_path", "odd", "too_large"]

TOP: Final = "."
"""The folder that was packed, which some programs write first."""
_FEWER: Final = "put only the skill into it"


class Member(NamedTuple):
    """A path, and what is there; nothing for a folder."""

    path: str
    content: Content | None = None


class Damaged(Exception):
    """The archive as a whole is not what it should be; why, as a phrase that is safe to print."""

    def __init__(self, why: str = "it is damaged") -> None:
        super().__init__(why)


def odd(spelt: str, why: str) -> BadSource:
    """An entry that is neither a plain file nor a plain folder."""
    return BadSource(spelt, why, "ask its author for an archive of plain files")


def too_large(what: str, allowed: int, found: int | None = None) -> TooLarge:
    """An archive that holds too much."""
    return TooLarge(what, allowed, found, _FEWER)


def file_path(spelt: str) -> str:
    """The path of a file, as an archive spells it; what is litter need not travel.

    Raises:
        BadPath: See `travelling_path`.
    """
    path = spelt.removeprefix("./")
    return path if litter_in(path) else travelling_path(path)


def folder_path(spelt: str) -> str:
    """The path of a folder, with or without a slash at its end; `TOP` for the one that was packed.

    Raises:
        BadPath: See `travelling_path`.
    """
    spelt = spelt.removesuffix("/")
    return TOP if spelt == TOP else file_path(spelt)


class Allowance:
    """Counts what an archive holds, before it is read: entries, the bytes of files, and what is said of entries.

    Whatever is read of an archive is on one of these accounts, and each byte of it is looked at a fixed number of
    times; so reading one takes a time that its caps bound.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._entries = self._size = self._said = 0

    def entry(self, size: int) -> None:
        """One more entry, of so many bytes.

        Raises:
            TooLarge: That is one too many, or they are.
        """
        self._entries += 1
        self._size += size
        if self._entries > self._limits.parcel_entries:
            raise too_large("entries of one archive", self._limits.parcel_entries)
        if self._size > self._limits.parcel_bytes:
            raise too_large("bytes of all files of one archive", self._limits.parcel_bytes)

    def said(self, size: int) -> None:
        """So many bytes of names, times, attributes and the like, of one entry.

        Raises:
            TooLarge: They are more than one entry, or all together, may have.
        """
        self._said += size
        if size > self._limits.archive_head_bytes:
            raise too_large("bytes that an archive says of one entry", self._limits.archive_head_bytes, size)
        if self._said > self._limits.archive_heads_bytes:
            raise too_large("bytes that an archive says of its entries", self._limits.archive_heads_bytes)
