"""The verdict on a folder that is not on any disk yet: the same that a survey would give."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from .findings import capped, faults_of
from .folder import Folder, is_adaptable
from .names import DOCUMENT, ResourcePath
from .record import Sighting
from .tree import Content, SkillTree, folders_of

__all__ = ["judged", "verdict_after", "verdict_on"]


def verdict_on(name: str, tree: SkillTree) -> Sighting:
    """What a folder of that name would be seen as if it held this tree and nothing else."""
    return judged(name, tree.files)


def judged(name: str, files: Mapping[ResourcePath, Content]) -> Sighting:
    """The same for files of any number and size, all with legal paths."""
    folder = Folder(name)
    for path in sorted(folders_of(files)):
        folder.enters(path)
    for path, content in sorted(files.items()):
        allowed = folder.reads(path)
        if allowed is None or len(content.data) > allowed:
            folder.large(path, len(content.data))
        else:
            folder.file(path, content.data, executable=content.executable)
    return folder.sighting()


def verdict_after(seen: Sighting, before: SkillTree, after: SkillTree) -> Sighting:
    """What a folder that was seen with one tree will be seen as with another, and all else in it as it was."""
    was, now = verdict_on(seen.folder, before), verdict_on(seen.folder, after)
    beside = [finding for finding in seen.findings if finding not in was.findings]
    findings = capped([*now.findings, *beside])
    faults, document = faults_of(findings), after.files.get(DOCUMENT)
    return evolve(
        now,
        head=None if faults else now.head,
        findings=findings,
        adaptable=is_adaptable(seen.folder, None if document is None else document.data, faults, seen.provenance),
        generation=seen.generation,
        provenance=seen.provenance,
        unlisted=seen.unlisted,
    )
