"""One archive as a parcel: told by how it begins, whatever its name, and counted before and while it is inflated.

Rule 1: nothing that an archive says is believed. What it declares may refuse it, and so may what is counted.
Rule 2: files and folders are taken, and nothing else: no link, no device, nothing sparse, encrypted or in parts.
Rule 3: a path that leads out of the folder, or is another one to some system, is refused and not mended.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kestrel_skills_core.domain.errors import BadSource, TooLarge
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.domain.names import DOCUMENT, litter_in
from kestrel_skills_core.domain.parcel import Parcel, packed
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.world import Cancelled

from .directory import is_zip
from .heads import BLOCK, is_tar
from .member import TOP, Damaged, Member
from .stream import ArchiveFile
from .tarred import tarred
from .unpressed import unpressed
from .zipped import zipped

__all__ = ["archived"]

_FORMS: Final = "give a zip, or a tar that may be packed with gzip, bzip2 or xz"


def archived(path: Path, limits: Limits = LIMITS, *, cancelled: Cancelled) -> Parcel:
    """The files of an archive. One folder around everything else is stripped where `SKILL.md` is in it.

    The path may be a link to an archive: it is opened once, and what was opened is what is judged and read.

    Raises:
        BadPath: A file or folder has a name that does not travel, or that this library keeps for itself.
        BadSource: It is no archive, cannot be read, is damaged, or holds what is not taken.
        TooLarge: It holds more than a parcel may, or is larger itself.
        Abandoned: Whoever asked has gone away.
    """
    with _opened(path, limits, cancelled) as file, _sound(path.name):
        members = list(_members(path.name, file, limits))
    return packed(_files(members))


@contextmanager
def _opened(path: Path, limits: Limits, cancelled: Cancelled) -> Iterator[ArchiveFile]:
    try:
        # Nothing is waited for, were it a FIFO.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        raise BadSource(path.name, "it cannot be opened", "see that you may read it") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise BadSource(path.name, "it is neither a folder nor a file", _FORMS)
        if found.st_size > limits.parcel_bytes:
            raise TooLarge("bytes of one archive", limits.parcel_bytes, found.st_size, "put only the skill into it")
        yield ArchiveFile(descriptor, found.st_size, cancelled)
    finally:
        os.close(descriptor)


@contextmanager
def _sound(name: str) -> Iterator[None]:
    """What goes wrong while an archive is read is a fault of the archive, or of the disk."""
    try:
        yield
    except Damaged as damage:
        raise BadSource(name, str(damage), "fetch it again, or ask its author to pack it anew") from None
    except OSError:
        raise BadSource(name, "it cannot be read", "see that its disk is well") from None


def _members(name: str, file: ArchiveFile, limits: Limits) -> Iterator[Member]:
    begin = file.at(0, min(file.size, BLOCK))
    if is_zip(begin):
        return zipped(file, limits)
    pieces = file.pieces(0, file.size)
    if (inside := unpressed(begin, pieces, limits)) is not None:
        return tarred(inside, limits)
    if is_tar(begin):
        return tarred(pieces, limits)
    raise BadSource(name, "it is neither a zip nor a tar archive", _FORMS)


def _files(members: Iterable[Member]) -> Iterator[tuple[str, Content]]:
    """The files by their paths below the folder that is meant."""
    members = [member for member in members if member.path != TOP]
    folders = {member.path for member in members if member.content is None}
    above = _wrapper([member.path for member in members])
    for path, content in members:
        if content is None:
            continue
        if path in folders:
            raise BadSource(path, "it is a file and a folder", "ask its author to mend that")
        yield path.removeprefix(above), content


def _wrapper(paths: Iterable[str]) -> str:
    """The one folder that `SKILL.md` and all else but litter is in, with its slash; empty where there is none."""
    paths = [path for path in paths if not litter_in(path)]
    above = {f"{path.partition('/')[0]}/" for path in paths}
    top = above.pop() if len(above) == 1 else ""
    return top if f"{top}{DOCUMENT}" in paths else ""
