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
from typing import IO, Final

from kestrel_skills_core.domain.errors import BadSource, SkillError, TooLarge
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.domain.names import DOCUMENT, is_left_out, travelling_path
from kestrel_skills_core.domain.parcel import Parcel, packed
from kestrel_skills_core.domain.tree import Content

from .tarred import Entry, is_tar, tarred
from .unpressed import unpressed
from .zipped import is_zip, zipped

__all__ = ["archived"]

_TOLD_BYTES: Final = 512
_FORMS: Final = "give a zip, or a tar that may be packed with gzip, bzip2 or xz"


def archived(path: Path, limits: Limits = LIMITS) -> Parcel:
    """The files of an archive. One folder around everything else is stripped where `SKILL.md` is in it.

    Raises:
        BadPath: A file or folder has a name that does not travel, or that this library keeps for itself.
        BadSource: It is no archive, cannot be read, is damaged, or holds what is not taken.
        TooLarge: It holds more than a parcel may, or is larger itself.
    """
    with _opened(path, limits) as file, _sound(path.name):
        entries = [(_relative(spelt), content) for spelt, content in _entries(path.name, file, limits)]
    return packed(_files(entries))


@contextmanager
def _opened(path: Path, limits: Limits) -> Iterator[IO[bytes]]:
    try:
        # Nothing is waited for, were it a FIFO.
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError:
        raise BadSource(path.name, "it cannot be opened", "see that you may read it") from None
    with file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise BadSource(path.name, "it is neither a folder nor a file", _FORMS)
        if found.st_size > limits.parcel_bytes:
            raise TooLarge("bytes of one archive", limits.parcel_bytes, found.st_size, "put only the skill into it")
        yield file


@contextmanager
def _sound(name: str) -> Iterator[None]:
    """What goes wrong while an archive is read is a fault of the archive."""
    try:
        yield
    except SkillError:
        raise
    except Exception:  # noqa: BLE001 - what the standard library raises for hostile bytes is written down nowhere
        raise BadSource(name, "it is damaged", "fetch it again, or ask its author to mend it") from None


def _entries(name: str, file: IO[bytes], limits: Limits) -> Iterator[Entry]:
    begin = file.read(_TOLD_BYTES)
    file.seek(0)
    if is_zip(begin):
        return zipped(file, limits)
    if (stream := unpressed(file)) is not None:
        return tarred(stream, limits)
    if is_tar(begin):
        return tarred(file, limits)
    raise BadSource(name, "it is neither a zip nor a tar archive", _FORMS)


def _relative(spelt: str) -> str:
    """The path of an entry; the folder itself, which some programs write first, is `.`."""
    if spelt in (".", "./"):
        return "."
    return travelling_path(spelt.removeprefix("./"))


def _files(entries: Iterable[Entry]) -> Iterator[tuple[str, Content]]:
    """The files by their paths below the folder that is meant."""
    entries = [entry for entry in entries if entry[0] != "."]
    folders = {path for path, content in entries if content is None}
    above = _wrapper([path for path, _ in entries])
    for path, content in entries:
        if content is None:
            continue
        if path in folders:
            raise BadSource(path, "it is a file and a folder", "ask its author to mend that")
        yield path.removeprefix(above), content


def _wrapper(paths: Iterable[str]) -> str:
    """The one folder that `SKILL.md` and all else but litter is in, with its slash; empty where there is none."""
    paths = [path for path in paths if not any(map(is_left_out, path.split("/")))]
    above = {f"{path.partition('/')[0]}/" for path in paths}
    top = above.pop() if len(above) == 1 else ""
    return top if f"{top}{DOCUMENT}" in paths else ""
