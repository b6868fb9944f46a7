"""The objects of a repository, read from bytes: ids, commits, and folders (which git calls trees).

Formats: git's documentation, `gitformat-pack` and `git-hash-object`. An id vouches for the bytes below it, because it is
computed from the very bytes that came. SHA-1 without a search for collisions: who needs more keeps the digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, NewType

from kestrel_skills_core.domain.limits import LIMITS, Limits

__all__ = ["Entry", "Kind", "Leaf", "Object", "ObjectId", "Objects", "entries_of", "files_below", "folder_of"]

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


class Leaf(NamedTuple):
    """One file below a folder: its path there, whether it is executable, and the id of its bytes."""

    path: str
    executable: bool
    id: ObjectId


def folder_of(objects: Objects, commit: ObjectId) -> ObjectId:
    """The id of the folder that a commit holds: the repository's top."""
    raise NotImplementedError


def entries_of(objects: Objects, folder: ObjectId) -> Iterator[Entry]:
    """The entries of one folder, any kinds and names, each checked as one comes to it."""
    raise NotImplementedError


def files_below(objects: Objects, folder: ObjectId, limits: Limits = LIMITS) -> tuple[Leaf, ...]:
    """Every file below a folder, of which every folder must be there."""
    raise NotImplementedError
