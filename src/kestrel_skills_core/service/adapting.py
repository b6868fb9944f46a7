"""Adapting a folder in its place, and undoing that: a command and what was observed give the steps to take. Pure.

Rule 1: the record that undoes is written before what it undoes, and settled after it was undone. What is cut short in
        between leaves a `SKILL.md` that begins as the record says it did: adapting and undoing both go on from there.
Rule 2: `SKILL.md` alone is rewritten. What it said is on record until it is put back, so that a record is never written
        over while it holds what is nowhere else.
Rule 3: a skill without faults is not touched.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve, frozen

from ..domain.adapt import Adaptation, adapted_in_place, unadapted
from ..domain.commands import Adapt, Unadapt
from ..domain.errors import NotEditable, SkillAbsent
from ..domain.names import DOCUMENT
from ..domain.provenance import Adapted, Provenance, installed
from ..domain.record import Rejection, Sighting, SkillRecord
from ..domain.rules import BAD_PROVENANCE
from ..domain.tree import SkillTree
from ..domain.verdict import verdict_after
from .commits import Annotate, Write
from .decide import Folder, refuse_shared, refuse_stale

__all__ = ["Adapting", "Steps", "adapting", "unadapting"]

_EDITED: Final = (
    "its SKILL.md was edited since it was adapted",
    "mend it by hand: verifying it shows the frontmatter that was lifted out",
)
"""Why a `SKILL.md` is neither adapted nor put back, and what to do."""


@frozen(kw_only=True)
class Adapting:
    """What adapting a folder in its place came to: what it then is, and what was changed, nothing where nothing was."""

    found: SkillRecord | Rejection
    adaptation: Adaptation


@frozen(kw_only=True)
class Steps:
    """What to commit, in this order, and what will then be there."""

    commits: tuple[Annotate | Write, ...]
    sighting: Sighting


def adapting(command: Adapt, folder: Folder) -> tuple[Adaptation, Steps]:
    """The record to write, and the `SKILL.md` to write after it; no step where nothing is to be changed.

    Raises:
        NotEditable: The skill is the host's; its record cannot be read; or it was adapted before and edited since.
        StaleRevision: The revision that was given is not the one that is there.
        BadDocument: The `SKILL.md` has faults that adapting does not mend.
    """
    refuse_shared(folder)
    refuse_stale(folder, command.expected_revision)
    _refuse_unread_record(folder)
    adaptation = adapted_in_place(folder.tree, folder.name)
    if adaptation.adapted is None:
        return adaptation, Steps(commits=(), sighting=folder.sighting)
    record = _annotated(folder, adaptation.tree, adaptation.adapted)
    annotate = Annotate(name=folder.name, provenance=record, seen=folder.tree.revision)
    write = _write(folder, adaptation.tree.files[DOCUMENT].data)
    commits = (write,) if record == folder.sighting.provenance else (annotate, write)
    return adaptation, Steps(commits=commits, sighting=_after(folder, adaptation.tree, record))


def unadapting(command: Unadapt, folder: Folder) -> Steps:
    """The `SKILL.md` to put back, where it is not there yet, and the record to write after it.

    Raises:
        NotEditable: The skill is the host's; its record cannot be read; it was not adapted; or edited since.
        StaleRevision: The revision that was given is not the one that is there.
        SkillAbsent: It has no `SKILL.md`.
    """
    refuse_shared(folder)
    refuse_stale(folder, command.expected_revision)
    _refuse_unread_record(folder)
    record = folder.sighting.provenance
    if record is None or record.adapted is None or not record.adapted.changes:
        raise _refused(folder, "it is not adapted", "there is nothing to undo")
    document = folder.tree.files.get(DOCUMENT)
    if document is None:
        raise SkillAbsent(folder.name, DOCUMENT)
    original = unadapted(document.data, record.adapted)
    if original is None:
        raise _refused(folder, *_EDITED)
    settled, tree = _settled(record), SkillTree({**folder.tree.files, DOCUMENT: document._replace(data=original)})
    annotate = Annotate(name=folder.name, provenance=settled, seen=tree.revision)
    commits = (annotate,) if original == document.data else (_write(folder, original), annotate)
    return Steps(commits=commits, sighting=_after(folder, tree, settled))


def _annotated(folder: Folder, tree: SkillTree, made: Adapted) -> Provenance:
    """The record of a folder that is to be adapted: what it said, and how to undo that.

    Raises:
        NotEditable: It holds a frontmatter that was lifted out before, and is nowhere else.
    """
    record = folder.sighting.provenance
    if record is not None and record.adapted is not None:
        document = folder.tree.files[DOCUMENT].data
        if record.adapted.changes and unadapted(document, record.adapted) != document:
            raise _refused(folder, *_EDITED)
        made = evolve(made, original_digest=record.adapted.original_digest, omitted=record.adapted.omitted)
    if record is None or record.kind == "adapted":
        return Provenance(kind="adapted", digest=tree.revision, files=installed(tree.inventory), adapted=made)
    return evolve(record, adapted=made)


def _settled(record: Provenance) -> Provenance:
    """The record of a folder whose adaptation is undone. It still says which files never came along."""
    if record.adapted is None or not record.adapted.omitted:
        adapted = None
    else:
        adapted = evolve(record.adapted, changes=(), document=None)
    if record.kind == "adapted":
        return Provenance(kind="adapted", adapted=adapted)
    return evolve(record, adapted=adapted)


def _write(folder: Folder, document: bytes) -> Write:
    return Write(name=folder.name, path=DOCUMENT, content=document, seen=folder.tree.revision)


def _after(folder: Folder, tree: SkillTree, record: Provenance) -> Sighting:
    return evolve(verdict_after(folder.sighting, folder.tree, tree), provenance=record)


def _refuse_unread_record(folder: Folder) -> None:
    if (unread := folder.sighting.unrecorded) is not None:
        raise _refused(folder, f"{BAD_PROVENANCE.title}: {unread.message}", unread.fix)


def _refused(folder: Folder, why: str, fix: str) -> NotEditable:
    return NotEditable(folder.found.source, why, fix, name=folder.name)
