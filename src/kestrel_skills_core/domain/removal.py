"""What a deletion destroys, whether that was approved, and a manifest of it.

Removing a folder takes many steps: the manifest lists what is to be removed, and whatever is not in it, or not as it
lists it, is a person's. It is never on the disk; its digest is, as a folder's name out of sight.

Format of what is digested: a JSON object, sorted, without spaces, in ASCII. `files` maps the path of every file that
was read to the SHA-256 of its bytes in hex and whether it is executable; `beside` lists path, kind, size and both
times of every entry that was not, as a sighting lists them. The SHA-256 of that names the folder that it speaks of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Final, Self

from attrs import astuple, evolve, frozen

from .approval import ApprovalBinding, holds_repository
from .errors import NotEditable, StaleRevision
from .names import Generation, SkillName, SourceId
from .record import Sighting
from .tree import Content, Unlisted

__all__ = ["REPOSITORY", "Manifest", "approved_manifest", "by_hand", "manifest_of", "unlistable"]

REPOSITORY: Final = ("its folder holds a `.git`", "move the repository elsewhere, or delete the folder by hand")
"""Why a folder with a repository is not deleted here, and what to do."""


def unlistable(name: SkillName) -> tuple[str, str]:
    """Why a folder is not deleted here of which not everything was seen, and what to do."""
    return "not everything in its folder could be seen", f"mend what is said of it, or {by_hand(name)}"


def by_hand(name: SkillName) -> str:
    """How a person removes a folder that is not deleted here."""
    return f"look at it, and run `rm -r {name}` in the skills folder"


@frozen
class Manifest:
    """Everything that a folder held when it was seen, this library's own files included."""

    files: Mapping[str, tuple[str, bool]]
    beside: frozenset[Unlisted]

    @classmethod
    def of(cls, files: Mapping[str, Content], beside: Iterable[Unlisted] = ()) -> Self:
        """What lists these files, by path, and what is beside them."""
        listed = {path: (hashlib.sha256(data).hexdigest(), executable) for path, (data, executable) in files.items()}
        return cls(listed, frozenset(beside))

    def render(self) -> bytes:
        """The manifest as it is digested."""
        beside = [astuple(entry) for entry in sorted(self.beside)]
        return json.dumps({"files": self.files, "beside": beside}, sort_keys=True, separators=(",", ":")).encode()

    @property
    def whole(self) -> str:
        """The digest of everything that was seen."""
        return hashlib.sha256(self.render()).hexdigest()

    def lists(self, path: str, content: bytes, *, executable: bool) -> bool:
        """Whether that file is as it was seen."""
        return self.files.get(path) == (hashlib.sha256(content).hexdigest(), executable)


def manifest_of(found: Sighting, read: Mapping[str, Content]) -> Manifest | None:
    """Everything in a folder, of which `read` is what was read; nothing where something in it was not seen."""
    return None if found.unlisted is None else Manifest.of(read, found.unlisted)


def approved_manifest(
    name: SkillName, found: Sighting, read: Mapping[str, Content], approved: ApprovalBinding
) -> Manifest:
    """The manifest of a folder whose removal was approved as it is now.

    Raises:
        StoreFailed: Something in it could not be read.
        NotEditable: Something else in it was not seen, or it holds a repository.
        StaleRevision: It is not what was approved.
    """
    found.refuse_unread()
    source = SourceId.AGENT_LOCAL if found.provenance is None else found.provenance.source
    manifest = manifest_of(found, read)
    if manifest is None or found.unlisted is None:
        raise NotEditable(source, *unlistable(name), name=name)
    if holds_repository(manifest.beside):
        raise NotEditable(source, *REPOSITORY, name=name)
    now = evolve(
        approved,
        operation="delete",
        name=name,
        source=source,
        generation=found.generation or Generation(""),
        revision=found.revision,
        unlisted=found.unlisted,
    )
    if not now.matches(approved.token):
        raise StaleRevision(name, approved.revision, found.revision)
    return manifest
