"""What a disk was told and what it may remember: operations, images, and every image that a power cut can leave.

An image maps inode numbers to inodes, and is never changed in place. An operation takes one image to the next; where
the image is not as the operation found it, because an earlier one was lost, the operation is lost with it.

Three profiles say what the disk may forget of what was not synced. What was synced is never lost under any.

`ordered`     Of the operations on names and modes, the first ones last. New bytes of a file last whole or not at all.
`journaled`   As `ordered`; but new bytes may also be torn, or be zeros.
`weak`        Any of the operations on names and modes may be lost. New bytes as in `journaled`.

A move between two folders is certain once both are synced, and before that is lost whole or lasts whole.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from attrs import field, frozen

__all__ = ["Bytes", "Image", "Inode", "Journal", "Mode", "Names", "Operation", "Profile", "Renamed", "applied"]

Profile = Literal["ordered", "journaled", "weak"]
"""How much a disk may lose of what was not synced, from least to most."""

_NO_ENTRIES: Final[Mapping[str, int]] = MappingProxyType({})


class Inode(NamedTuple):
    """A file (its bytes), a folder (its entries), or a link (its target, as bytes). `mode` is that of `stat`."""

    mode: int
    content: bytes = b""
    entries: Mapping[str, int] = _NO_ENTRIES
    modified: int = 0
    changed: int = 0


Image = Mapping[int, Inode]
"""What is on a disk: the inodes by their numbers."""


class Renamed(NamedTuple):
    """One name in one folder, and the inode it means before and after; none where it means nothing."""

    folder: int
    name: str
    before: int | None
    after: int | None


@frozen
class Names:
    """Names that change their meanings at one instant: one that comes or goes, two that move or change places."""

    changes: tuple[Renamed, ...]
    at: int

    @property
    def touched(self) -> frozenset[object]:
        """What later operations on the same build upon."""
        return frozenset((change.folder, change.name) for change in self.changes)

    @property
    def inodes(self) -> frozenset[int]:
        """The folders that must be synced for this to be certain."""
        return frozenset(change.folder for change in self.changes)


@frozen
class Mode:
    """The permission bits of one inode."""

    inode: int
    mode: int
    at: int

    @property
    def touched(self) -> frozenset[object]:
        """What later operations on the same build upon."""
        return frozenset({(Mode, self.inode)})

    @property
    def inodes(self) -> frozenset[int]:
        """What must be synced for this to be certain."""
        return frozenset({self.inode})


@frozen
class Bytes:
    """The content of one file, before and after."""

    inode: int
    before: bytes
    after: bytes
    at: int

    @property
    def touched(self) -> frozenset[object]:
        """What later operations on the same build upon."""
        return frozenset({(Bytes, self.inode)})

    @property
    def inodes(self) -> frozenset[int]:
        """What must be synced for this to be certain."""
        return frozenset({self.inode})


Operation = Names | Mode | Bytes
"""One change of a disk."""


def applied(image: Image, operation: Operation) -> dict[int, Inode] | None:
    """The image after an operation; nothing where it is not as the operation found it."""
    after = dict(image)
    if isinstance(operation, Names):
        for folder, name, before, _ in operation.changes:
            if image[folder].entries.get(name) != before:
                return None
        for folder, name, _, inode in operation.changes:
            entries = dict(after[folder].entries)
            entries.pop(name, None)
            if inode is not None:
                entries[name] = inode
            after[folder] = after[folder]._replace(entries=entries, modified=operation.at, changed=operation.at)
    elif isinstance(operation, Mode):
        after[operation.inode] = after[operation.inode]._replace(mode=operation.mode, changed=operation.at)
    else:
        after[operation.inode] = after[operation.inode]._replace(
            content=operation.after, modified=operation.at, changed=operation.at
        )
    return after


class _Entry(NamedTuple):
    """An operation, and the inodes that are still to be synced before it is certain."""

    operation: Operation
    awaits: frozenset[int]


@frozen
class Journal:
    """What is certain, and what was done since, in order."""

    certain: Image
    entries: tuple[_Entry, ...] = ()
    exhaustive: int = field(default=8, kw_only=True)
    """So many uncertain operations on names are lost in all combinations; of more, only some are tried."""
    samples: int = field(default=64, kw_only=True)

    def told(self, operation: Operation) -> Journal:
        """The journal with one more operation, of which nothing is synced."""
        return self._with(self.certain, (*self.entries, _Entry(operation, operation.inodes)))

    def born(self, number: int, inode: Inode) -> Journal:
        """The journal with one more inode, to which no name leads yet."""
        return self._with({**self.certain, number: inode}, self.entries)

    def known(self, operation: Operation) -> Journal:
        """The journal with one more operation that is certain, and concerns no other."""
        return self._with(applied(self.certain, operation) or self.certain, self.entries)

    def restarted(self, image: Image) -> Journal:
        """A journal of which all is certain, with the same habits."""
        return self._with(image, ())

    @property
    def length(self) -> int:
        """How many operations it holds."""
        return len(self.entries)

    def sealed(self, since: int, way: Collection[tuple[int, str]]) -> Journal:
        """The journal after its latest operations were synced, and these names in these folders."""
        entries = list(self.entries)
        for index, (operation, _) in enumerate(entries):
            if index >= since or (isinstance(operation, Names) and not operation.touched.isdisjoint(way)):
                entries[index] = _Entry(operation, frozenset())
        return self._settled(entries)

    def synced(self, inode: int) -> Journal:
        """The journal after one file or folder was synced."""
        return self._settled([_Entry(operation, awaits - {inode}) for operation, awaits in self.entries])

    def all_synced(self) -> Journal:
        """The journal after the whole disk was synced."""
        return self._settled([_Entry(operation, frozenset()) for operation, _ in self.entries])

    def images(self, profile: Profile, seed: int) -> Iterator[Image]:
        """Every image that a power cut now may leave, some more than once. `seed` picks the samples."""
        names = [entry for entry in self.entries if not isinstance(entry.operation, Bytes)]
        writes = [entry.operation for entry in self.entries if isinstance(entry.operation, Bytes)]
        fillings = list(_fillings(self.certain, writes, torn=profile != "ordered"))
        found = self._any(names, seed) if profile == "weak" else _prefixes(self.certain, names)
        for image, filling in product(found, fillings):
            yield {**image, **{number: image[number]._replace(content=new) for number, new in filling.items()}}

    def _with(self, certain: Image, entries: tuple[_Entry, ...]) -> Journal:
        return Journal(certain, entries, exhaustive=self.exhaustive, samples=self.samples)

    def _settled(self, entries: list[_Entry]) -> Journal:
        """What is certain and needs nothing that is not, goes into the image; what it needs is certain with it."""
        needed: set[object] = set()
        for index in reversed(range(len(entries))):
            operation, awaits = entries[index]
            if not awaits or not needed.isdisjoint(operation.touched):
                entries[index] = _Entry(operation, frozenset())
                needed |= operation.touched
        certain: Image = self.certain
        left: list[_Entry] = []
        for entry in entries:
            foldable = not entry.awaits and (isinstance(entry.operation, Bytes) or not left)
            after = applied(certain, entry.operation) if foldable else None
            if after is None:
                left.append(entry)
            else:
                certain = after
        return self._with(certain, tuple(left))

    def _any(self, names: Sequence[_Entry], seed: int) -> Iterator[Image]:
        """The images after any of the operations on names were lost; after some, where there are too many."""
        open_ = [index for index, entry in enumerate(names) if entry.awaits]
        if len(open_) <= self.exhaustive:
            yield from _branches(self.certain, names)
            return
        yield from _prefixes(self.certain, names)
        losses = [{lost} for lost in open_] + [set(open_) - {kept} for kept in open_]
        chance = random.Random(seed)  # noqa: S311 - which states are tried is no secret
        losses += [{index for index in open_ if chance.random() < 0.5} for _ in range(self.samples)]
        for lost in losses:
            yield _replayed(self.certain, [entry for index, entry in enumerate(names) if index not in lost])


def _prefixes(image: Image, names: Sequence[_Entry]) -> Iterator[Image]:
    first = max((index + 1 for index, entry in enumerate(names) if not entry.awaits), default=0)
    image = _replayed(image, names[:first])
    yield image
    for entry in names[first:]:
        image = applied(image, entry.operation) or image
        yield image


def _branches(image: Image, names: Sequence[_Entry]) -> Iterator[Image]:
    """With and without each operation that is not certain; one that cannot be applied any more is no choice."""
    for index, (operation, awaits) in enumerate(names):
        after = applied(image, operation)
        if after is None:
            continue
        if awaits:
            yield from _branches(image, names[index + 1 :])
        image = after
    yield image


def _replayed(image: Image, names: Sequence[_Entry]) -> Image:
    for entry in names:
        image = applied(image, entry.operation) or image
    return image


Filling = dict[int, bytes]
"""What files hold instead of what is certain."""


def _fillings(certain: Image, writes: Sequence[Bytes], *, torn: bool) -> Iterator[Filling]:
    """All that was written, nothing of it, and each file on its own less than whole."""
    whole = {write.inode: write.after for write in writes}
    yield whole
    if not whole:
        return
    yield {}
    for inode, after in whole.items():
        for content in _remains(certain[inode].content, after, torn=torn):
            yield {**whole, inode: content}


def _remains(before: bytes, after: bytes, *, torn: bool) -> Iterator[bytes]:
    """What may be left of bytes that were written and not synced."""
    yield before
    if torn:
        kept = before if after.startswith(before) else b""
        added = len(after) - len(kept)
        yield kept
        yield after[: len(kept) + added // 2]
        yield kept + bytes(added)
