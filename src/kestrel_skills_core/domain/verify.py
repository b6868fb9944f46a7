"""Whether a skill is as it was installed or edited here, file by file.

For people, and no proof: the record lies in the folder that it speaks of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from attrs import frozen

from . import rules
from .adapt import unadapted
from .findings import Finding
from .names import DOCUMENT, ResourcePath
from .provenance import Adapted, Installed, Provenance, installed
from .tree import SkillTree

__all__ = ["Difference", "Verification", "verified"]

_UNREAD: Final = (
    rules.LINK,
    rules.SPECIAL_FILE,
    rules.LARGE_FILE,
    rules.DEEP_FOLDER,
    rules.BAD_PATH,
    rules.RESERVED_PATH,
    rules.UNREADABLE,
)
"""Faults of what is there and in no inventory, which nothing that was installed ever had."""


@frozen
class Difference:
    """One file that is not as it was installed; `mode` where its bytes are, but not whether it can be run."""

    path: str
    what: Literal["added", "changed", "removed", "mode"]


@frozen(kw_only=True)
class Verification:
    """What a record says of the folder that it lies in.

    `intact` is nothing where no digest was recorded, and `differences` where the files were not. `adaptation` says how
    the adaptation of `SKILL.md` stands: `made`, `undone` (or not made yet), or `edited` since; nothing where there is
    none on record. `unread` says why a record that is there could not be read.
    """

    provenance: Provenance | None
    unread: Finding | None = None
    intact: bool | None = None
    differences: tuple[Difference, ...] | None = None
    adaptation: Literal["made", "undone", "edited"] | None = None

    @property
    def record(self) -> Adapted | None:
        """What is on record of an adaptation."""
        return None if self.provenance is None else self.provenance.adapted

    @property
    def verdict(self) -> Literal["as installed", "edited here", "not recorded", "record unreadable"]:
        """In words."""
        if self.unread is not None:
            return "record unreadable"
        if self.intact is None:
            return "not recorded"
        return "as installed" if self.intact else "edited here"


def verified(
    provenance: Provenance | None, tree: SkillTree, findings: Iterable[Finding] = (), unread: Finding | None = None
) -> Verification:
    """Compare a folder with its record; the findings on it tell of what is there and was not read.

    `unread` says why its record could not be, if there is one.
    """
    if provenance is None:
        return Verification(provenance=None, unread=unread)
    unlisted = sorted({finding.file for finding in findings if finding.rule in _UNREAD} - tree.files.keys())
    intact = differences = None
    if provenance.files is not None:
        differences = _differences(provenance.files, installed(tree.inventory), unlisted)
        intact = not differences
    if provenance.digest is not None:
        intact = provenance.digest == tree.revision and not unlisted
    record = provenance.adapted
    adaptation = None if record is None or not record.changes else _adaptation(record, tree)
    return Verification(provenance=provenance, intact=intact, differences=differences, adaptation=adaptation)


def _differences(
    before: Mapping[ResourcePath, Installed], now: Mapping[ResourcePath, Installed], unread: Iterable[str]
) -> tuple[Difference, ...]:
    differences = {
        str(path): Difference(path, _what(before.get(path), now.get(path)))
        for path in before.keys() | now.keys()
        if before.get(path) != now.get(path)
    }
    for path in unread:
        differences[path] = Difference(path, "changed" if path in before else "added")
    return tuple(difference for _, difference in sorted(differences.items()))


def _what(before: Installed | None, now: Installed | None) -> Literal["added", "changed", "removed", "mode"]:
    if before is None:
        return "added"
    if now is None:
        return "removed"
    return "mode" if before.sha256 == now.sha256 else "changed"


def _adaptation(record: Adapted, tree: SkillTree) -> Literal["made", "undone", "edited"]:
    document = tree.files.get(DOCUMENT)
    original = None if document is None else unadapted(document.data, record)
    if document is None or original is None:
        return "edited"
    return "undone" if original == document.data else "made"
