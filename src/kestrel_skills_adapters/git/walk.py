"""Ways through the folders of one commit, once their objects are here.

On the way to a folder nothing else is judged: what a repository holds beside a skill is no matter of the skill's. In
the folder that was asked for, everything is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from kestrel_skills_core.domain.errors import BadSource, GitFailed, TooLarge
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.domain.names import litter_in, travelling_path
from kestrel_skills_core.domain.parcel import Parcel, packed
from kestrel_skills_core.domain.text import escaped
from kestrel_skills_core.domain.tree import Content

from .objects import EXECUTABLE, FILE, FOLDER, Entry, ObjectId, Objects, entries_of

__all__ = ["Leaf", "blobs_of", "file_in", "files_below", "folder_in", "folders_in", "parcel_of"]

_ODD: Final = {b"120000": "a link", b"160000": "another repository"}
_BY_PATH: Final = "give the path of one skill's folder"


class Leaf(NamedTuple):
    """One file below a folder: its path there, whether it is executable, and the id of its bytes."""

    path: str
    executable: bool
    id: ObjectId

    @property
    def is_litter(self) -> bool:
        """Whether no skill carries it, so that its bytes need not be asked for."""
        return litter_in(self.path) != ""


def folder_in(objects: Objects, folder: ObjectId, path: str) -> ObjectId:
    """The folder in a folder that a path leads to, of which all but the last part was gone already.

    Raises:
        BadSource: There is none, or it is something else.
        GitFailed: Stage `tree`: the folder is not what it should be.
    """
    found = _entry(objects, folder, path.rpartition("/")[2])
    if found is None:
        raise BadSource(path, "there is no such folder", "look up the path in the repository, at that commit")
    if found.mode != FOLDER:
        raise BadSource(path, f"it is {_ODD.get(found.mode, 'a file')}, not a folder", "give the path of a folder")
    return found.id


def file_in(objects: Objects, folder: ObjectId, name: str) -> ObjectId | None:
    """The bytes of the file of that name in a folder; nothing where there is none, or it is something else."""
    found = _entry(objects, folder, name)
    return found.id if found is not None and found.mode in (FILE, EXECUTABLE) else None


def folders_in(objects: Objects, folder: ObjectId, limits: Limits = LIMITS) -> dict[str, ObjectId]:
    """The folders in a folder by name; those whose names are not UTF-8, which nobody could ask for, are passed over.

    Raises:
        GitFailed: Stage `tree`: the folder is not what it should be.
        TooLarge: There are more of them than a transfer may ask for.
    """
    found: dict[str, ObjectId] = {}
    for entry in entries_of(objects, folder):
        if entry.mode == FOLDER:
            found[entry.name.decode(errors="replace")] = entry.id
            if len(found) > limits.git_entries:
                raise TooLarge("folders in one folder of a repository", limits.git_entries, None, _BY_PATH)
    return {name: wanted for name, wanted in found.items() if "\ufffd" not in name}


def unmet(_: int) -> None:
    """Tell nobody."""


def files_below(
    objects: Objects, folder: ObjectId, limits: Limits = LIMITS, met: Callable[[int], None] = unmet
) -> tuple[Leaf, ...]:
    """Every file below a folder, in order of the paths; the folders must all be here.

    What is litter is one leaf, be it a folder: nobody looks into it.

    `met` is told of so many files and folders more, those of a folder at a time.

    Raises:
        GitFailed: Stage `tree`: a folder was not sent, or is not what it should be.
        BadSource: There is a link, another repository, or what is neither file nor folder.
        BadPath: A name does not travel, or is kept for this library.
        TooLarge: More files and folders than a transfer may have, each counted as often as it is met.
    """
    leaves: list[Leaf] = []
    count = 0
    ahead = [("", folder)]
    while ahead:
        above, here = ahead.pop()
        before = count
        for path, entry in _judged(above, entries_of(objects, here)):
            count += 1
            if count > limits.git_entries:
                raise TooLarge("files and folders of one folder of a repository", limits.git_entries, None, _BY_PATH)
            if entry.mode == FOLDER and not litter_in(path):
                ahead.append((f"{path}/", entry.id))
            else:
                leaves.append(Leaf(path, entry.mode == EXECUTABLE, entry.id))
        met(count - before)
    return tuple(sorted(leaves))


def blobs_of(leaves: Iterable[Leaf]) -> tuple[ObjectId, ...]:
    """What to ask a server for, each id once, in order."""
    return tuple(sorted({leaf.id for leaf in leaves if not leaf.is_litter}))


def parcel_of(leaves: Iterable[Leaf], objects: Objects) -> Parcel:
    """The files with their bytes.

    Raises:
        GitFailed: Stage `file`: the bytes of one were not sent, or are no file.
        BadPath, BadSource: As `packed` says.
    """
    return packed((leaf.path, Content(_bytes(leaf, objects), leaf.executable)) for leaf in leaves)


def _bytes(leaf: Leaf, objects: Objects) -> bytes:
    if leaf.is_litter:
        return b""
    found = objects.get(leaf.id)
    if found is None or found.kind != "blob":
        raise GitFailed("file", f"the server did not send `{escaped(leaf.path)}`", "try again")
    return found.content


def _judged(above: str, entries: Iterator[Entry]) -> Iterator[tuple[str, Entry]]:
    """Entries of a folder that was asked for, each with its path. Git itself never lets one hold a `.git`."""
    for entry in entries:
        path = above + entry.name.decode(errors="surrogateescape")
        if entry.name != b".git" and litter_in(path):
            yield path, entry
            continue
        travelling_path(path)
        if entry.mode not in (FOLDER, FILE, EXECUTABLE):
            what = _ODD.get(entry.mode, f"neither file nor folder (mode {entry.mode.decode()})")
            raise BadSource(path, f"it is {what}", "ask its author for a folder of plain files")
        yield path, entry


def _entry(objects: Objects, folder: ObjectId, name: str) -> Entry | None:
    wanted = name.encode()
    matches = [entry for entry in entries_of(objects, folder) if entry.name == wanted]
    return matches[0] if matches else None
