"""What a skill's folder holds, as values: never where it is.

Format of a revision (version 2; version 1 is the 0.1.0 release's and bound inodes): SHA-256 over the ASCII text
`kestrel-skill-revision-v2` and a line feed, then for every inventoried file, in order of its path's UTF-8 bytes: the
path's length as 4 bytes big-endian, the path, the 32 bytes of the SHA-256 of its content, and one byte, 1 if
executable, else 0. Lengths frame every part, so that no two inventories have one encoding. Markers, provenance,
left-out files, empty folders, times and owners are not content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Literal, NamedTuple

from attrs import field, frozen

from .errors import TooLarge
from .limits import LIMITS
from .names import ResourcePath, Revision, portable_key, resource_path

__all__ = [
    "Content",
    "Inventory",
    "Item",
    "Listing",
    "Packed",
    "SkillTree",
    "Unlisted",
    "clashes",
    "folders_of",
    "inventory_of",
    "packed",
    "revision_of",
    "unpacked",
]


class Item(NamedTuple):
    """One inventoried file: its path, its size in bytes, the raw SHA-256 of its bytes, and whether it is executable."""

    path: ResourcePath
    size: int
    sha256: bytes
    executable: bool


class Content(NamedTuple):
    """The bytes of one file, and whether it is executable."""

    data: bytes
    executable: bool = False


Inventory = tuple[Item, ...]
"""The files of one skill, in order of their paths."""

Packed = tuple[str | int | bytes, ...]
"""The same, the fields of each item after those of the last: a value of values, which no collector follows."""


@frozen(order=True)
class Unlisted:
    """An entry of a skill's folder that is not in its inventory: left out, or refused.

    `path` is escaped, safe to print. Nothing was read of it; size and times (ns) are what the disk said. Whoever writes
    to a file can put its size and time of modification back, but not its time of change. Of a folder, all are 0: what
    it holds is listed.
    """

    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    mtime_ns: int
    ctime_ns: int


Listing = tuple[Unlisted, ...]


def packed(inventory: Iterable[tuple[str, int, bytes, bool]]) -> Packed:
    """An inventory, or what its items are made of, in one value."""
    return tuple(chain.from_iterable(inventory))


def unpacked(packed: Packed) -> Inventory:
    """The inventory that was packed."""
    field = iter(packed)
    return tuple(map(Item, field, field, field, field))  # type: ignore[arg-type] # as `packed` took them


def revision_of(inventory: Iterable[Item]) -> Revision:
    """The digest of an inventory that is in path order; see the head of this module."""
    parts = [b"kestrel-skill-revision-v2\n"]
    for path, _, sha256, executable in inventory:
        spelt = path.encode()
        parts += (len(spelt).to_bytes(4, "big"), spelt, sha256, b"\1" if executable else b"\0")
    return Revision(hashlib.sha256(b"".join(parts)).hexdigest())


def inventory_of(files: Mapping[ResourcePath, Content]) -> Inventory:
    """The inventory of files held in memory."""
    return tuple(
        Item(path, len(content.data), hashlib.sha256(content.data).digest(), content.executable)
        for path, content in sorted(files.items())
    )


def clashes(paths: Iterable[str]) -> Sequence[tuple[str, str]]:
    """Pairs of paths, files or folders, that some file system would take for one."""
    seen: dict[str, str] = {}
    return [(first, path) for path in paths if (first := seen.setdefault(portable_key(path), path)) != path]


def _sorted(files: Mapping[ResourcePath, Content]) -> Mapping[ResourcePath, Content]:
    """In the order of the paths' UTF-8 bytes, which is that of their code points."""
    return MappingProxyType(dict(sorted(files.items())))


@frozen
class SkillTree:
    """The complete inventoried contents of one skill, in path order.

    Its digests are worked out when they are asked for: who read it from a disk has them already, in what was sighted.

    Raises:
        BadPath: A path is not one that `resource_path` mints.
        TooLarge: A file, or all together, hold more bytes, or there are more entries, than one skill may have.
    """

    files: Mapping[ResourcePath, Content] = field(converter=_sorted, repr=False)

    def __attrs_post_init__(self) -> None:
        for path in self.files:
            resource_path(path)
        for content in self.files.values():
            if len(content.data) > LIMITS.file_bytes:
                raise TooLarge("bytes in one file", LIMITS.file_bytes, len(content.data))
        size = sum(len(content.data) for content in self.files.values())
        if size > LIMITS.skill_bytes:
            raise TooLarge("bytes in one skill", LIMITS.skill_bytes, size)
        entries = len(self.files) + len(folders_of(self.files))
        if entries > LIMITS.skill_entries:
            raise TooLarge("files and folders in one skill", LIMITS.skill_entries, entries)

    def __hash__(self) -> int:
        return hash(self.revision)

    @cached_property
    def inventory(self) -> Inventory:
        """Its files, each with the digest of its bytes."""
        return inventory_of(self.files)

    @cached_property
    def revision(self) -> Revision:
        """The digest of all of it."""
        return revision_of(self.inventory)


def folders_of(paths: Iterable[str]) -> set[str]:
    """Every folder that the paths run through."""
    found: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return found
