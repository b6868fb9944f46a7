"""Objects, deltas and packs of git, made by hand: right ones, and any kind of wrong ones.

Written from git's documentation (`gitformat-pack`), apart from the code under test.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

__all__ = [
    "BLOB",
    "BY_ID",
    "BY_OFFSET",
    "COMMIT",
    "TAG",
    "TREE",
    "Repository",
    "applied",
    "by_id",
    "by_offset",
    "commit",
    "copy",
    "cut",
    "delta",
    "figure",
    "followed",
    "head",
    "insert",
    "object_id",
    "pack",
    "packed_object",
    "repository",
    "tree",
    "way_back",
]

COMMIT: Final = 1
TREE: Final = 2
BLOB: Final = 3
TAG: Final = 4
BY_OFFSET: Final = 6
BY_ID: Final = 7
_NAMES: Final = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}

DOCUMENT: Final = b"---\nname: x\ndescription: Use when there is an x.\n---\nDo it.\n"


def object_id(kind: int, content: bytes) -> str:
    """The id of an object, 40 hex digits."""
    return hashlib.sha1(_NAMES[kind] + b" %d\0" % len(content) + content).hexdigest()


def figure(number: int) -> bytes:
    """A figure in groups of seven bits, the lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def head(kind: int, size: int) -> bytes:
    """What stands before the compressed bytes of an object."""
    low, rest = size & 15, size >> 4
    return bytes([kind << 4 | low | (0x80 if rest else 0)]) + (figure(rest) if rest else b"")


def packed_object(kind: int, content: bytes, *, size: int | None = None, base: bytes = b"", level: int = 6) -> bytes:
    """An object as it stands in a pack; `size` is what it says of itself, where that is not the truth."""
    return head(kind, len(content) if size is None else size) + base + zlib.compress(content, level)


def by_id(base: str, change: bytes) -> bytes:
    """A delta to the object of an id."""
    return packed_object(BY_ID, change, base=bytes.fromhex(base))


def way_back(distance: int) -> bytes:
    """How far before it the base of an object begins: groups of seven bits, the highest first, none twice."""
    out = [distance & 0x7F]
    while distance := distance >> 7:
        distance -= 1
        out.insert(0, distance & 0x7F | 0x80)
    return bytes(out)


def by_offset(distance: int, change: bytes) -> bytes:
    """A delta to the object that begins so many bytes before it."""
    return packed_object(BY_OFFSET, change, base=way_back(distance))


def delta(of: int, makes: int, *steps: bytes) -> bytes:
    """What turns `of` bytes into `makes` bytes."""
    return figure(of) + figure(makes) + b"".join(steps)


def copy(offset: int, size: int) -> bytes:
    """A step: so many bytes of the base, from an offset on; 64 KiB are written as none."""
    first, rest = 0x80, b""
    for bit, byte in enumerate([*offset.to_bytes(4, "little"), *(size & 0xFFFFFF).to_bytes(3, "little")]):
        if byte:
            first |= 1 << bit
            rest += bytes([byte])
    return bytes([first]) + rest


def insert(content: bytes) -> bytes:
    """A step: bytes as they are, 1 to 127 of them."""
    return bytes([len(content)]) + content


def applied(base: bytes, change: bytes) -> bytes | None:
    """What a delta makes of a base, or nothing where it is wrong: slow, and read straight from the documentation."""
    left = iter(change)
    try:
        said = [_figure_of(left), _figure_of(left)]
    except StopIteration:
        return None
    made = followed(base, bytes(left))
    return made if made is not None and said == [len(base), len(made)] else None


def followed(base: bytes, steps: bytes) -> bytes | None:
    """What the steps of a delta make, or nothing where one of them is wrong."""
    left = iter(steps)
    try:
        return b"".join(_step(base, step, left) for step in left)
    except (RuntimeError, ValueError):  # which a generator makes of the end of an iteration
        return None


def _figure_of(left: Iterator[int]) -> int:
    number = shift = 0
    while (byte := next(left)) & 0x80:
        number |= (byte & 0x7F) << shift
        shift += 7
    return number | byte << shift


def _step(base: bytes, step: int, left: Iterator[int]) -> bytes:
    if step & 0x80:
        offset = sum(next(left) << 8 * bit for bit in range(4) if step >> bit & 1)
        size = sum(next(left) << 8 * bit for bit in range(3) if step >> bit + 4 & 1) or 0x10000
        if offset + size > len(base):
            raise ValueError("it copies from beyond the base")
        return base[offset : offset + size]
    if not step:
        raise ValueError("the step is kept for later")
    return bytes([next(left) for _ in range(step)])


def pack(objects: Iterable[bytes], *, count: int | None = None, version: int = 2) -> bytes:
    """A whole pack; `count` is what it says to hold, where that is not the truth."""
    listed = list(objects)
    said = len(listed) if count is None else count
    content = b"PACK" + version.to_bytes(4, "big") + said.to_bytes(4, "big") + b"".join(listed)
    return content + hashlib.sha1(content).digest()


def cut(content: bytes, size: int = 65_515) -> Iterator[bytes]:
    """In pieces, as a side band brings them."""
    return (content[at : at + size] for at in range(0, len(content), size))


def tree(*entries: tuple[bytes, bytes, str], in_order: bool = True) -> bytes:
    """A folder's content, from modes, names and ids."""
    listed = sorted(entries, key=lambda each: each[1] + (b"/" if each[0] == b"40000" else b"")) if in_order else entries
    return b"".join(mode + b" " + name + b"\0" + bytes.fromhex(named) for mode, name, named in listed)


def commit(top: str) -> bytes:
    """A commit's content."""
    return f"tree {top}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nx\n".encode()


class Repository(NamedTuple):
    """A commit, and the objects that hold it, as they stand in a pack."""

    commit: str
    objects: list[bytes]


def repository(
    *entries: tuple[bytes, bytes, bytes | str], of: bytes | None = None, in_order: bool = True
) -> Repository:
    """A commit in which `skills/x` holds the entries: a file's bytes, or the id of an object that is none of our care.

    `of` is the content of that folder as it stands, where entries cannot say it.
    """
    files = [content for _, _, content in entries if isinstance(content, bytes)]
    named = [(mode, name, c if isinstance(c, str) else object_id(BLOB, c)) for mode, name, c in entries]
    folder = tree(*named, in_order=in_order) if of is None else of
    above = tree((b"40000", b"x", object_id(TREE, folder)))
    top = tree((b"40000", b"skills", object_id(TREE, above)))
    last = commit(object_id(TREE, top))
    objects = [packed_object(COMMIT, last), *(packed_object(TREE, each) for each in (top, above, folder))]
    return Repository(object_id(COMMIT, last), objects + [packed_object(BLOB, each) for each in dict.fromkeys(files)])
