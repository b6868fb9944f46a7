"""The objects of a repository, read from bytes: ids, commits, and folders (which git calls trees).

Formats: git's documentation, `gitformat-pack` and `git-mktree`; what is wrong with a tree is what `git fsck` finds too.
An id vouches for the bytes below it, because it is computed of the very bytes that came: the id of a commit stands for
every file in it. SHA-1 is computed without a search for forged pairs; whoever needs more keeps a digest of the skill.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple, NewType, NoReturn

from kestrel_skills_core.domain.errors import GitFailed

__all__ = [
    "EXECUTABLE",
    "FILE",
    "FOLDER",
    "Entry",
    "Kind",
    "Object",
    "ObjectId",
    "Objects",
    "entries_of",
    "id_of",
    "top_of",
]

Kind = Literal["commit", "tree", "blob", "tag"]
ObjectId = NewType("ObjectId", str)
"""40 lower-case hex digits."""


class Object(NamedTuple):
    """What an object is, and its content."""

    kind: Kind
    content: bytes


Objects = Mapping[ObjectId, Object]
"""Objects by the id that was computed of each."""


class Entry(NamedTuple):
    """One entry of a folder: its name as it stands there, its mode (octal digits), and the id of what it names."""

    name: bytes
    mode: bytes
    id: ObjectId


FOLDER: Final = b"40000"
FILE: Final = b"100644"
EXECUTABLE: Final = b"100755"
_NAMES: Final[dict[Kind, str]] = {"commit": "a commit", "tree": "a folder", "blob": "a file", "tag": "a tag"}
_COMMIT: Final = re.compile(rb"tree ([0-9a-f]{40})\n")
_ENTRY: Final = re.compile(rb"([1-7][0-7]{4,5}) ([^\0/]+)\0([\0-\xff]{20})", re.DOTALL)


def id_of(found: Object) -> ObjectId:
    """The id of an object: SHA-1 over its kind, its size and its content."""
    head = f"{found.kind} {len(found.content)}\0".encode()
    summed = hashlib.sha1(head, usedforsecurity=False)
    summed.update(found.content)
    return ObjectId(summed.hexdigest())


def top_of(objects: Objects, commit: ObjectId) -> ObjectId:
    """The id of the folder that a commit holds: the repository's own top.

    Raises:
        GitFailed: Stage `tree`: the commit was not sent, is no commit, or names no folder.
    """
    named = _COMMIT.match(_content(objects, commit, "commit"))
    return ObjectId(named[1].decode()) if named else _wrong("its commit names no folder")


def entries_of(objects: Objects, folder: ObjectId) -> Iterator[Entry]:
    """The entries of one folder, of any mode and name, in git's order, each checked as one comes to it.

    Raises:
        GitFailed: Stage `tree`: the folder was not sent or is none, is cut short, or is not in order.
    """
    content = _content(objects, folder, "tree")
    names: set[bytes] = set()
    at, last = 0, b""
    while at < len(content):
        found = _ENTRY.match(content, at)
        if found is None:
            _wrong("one of its folders is malformed")
        mode, name, named = found.groups()
        place = name + b"/" if mode == FOLDER else name
        if place <= last or name in names:
            _wrong("one of its folders names an entry twice, or is not in order")
        names.add(name)
        at, last = found.end(), place
        yield Entry(name, mode, ObjectId(named.hex()))


def _content(objects: Objects, wanted: ObjectId, kind: Kind) -> bytes:
    found = objects.get(wanted)
    if found is None:
        _wrong(f"the server did not send {_NAMES[kind]} that was asked for")
    if found.kind != kind:
        _wrong(f"what should be {_NAMES[kind]} is {_NAMES[found.kind]}")
    return found.content


def _wrong(why: str) -> NoReturn:
    raise GitFailed("tree", why, "try again; if it stays so, tell whoever keeps the repository")
