"""What the system says when it refuses, in words that tell nothing of the host."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kestrel_skills_core.domain.errors import InDoubt, StoreFailed
from kestrel_skills_core.domain.names import INTERNAL
from kestrel_skills_core.domain.text import escaped

from .renames import UNSUPPORTED

__all__ = ["doubted", "failed", "failing", "phrase", "reason"]

_ROOM: Final = "make room, then try again"
_PERMISSION: Final = "give the agent's user permission to write to the skills folder, and `.kestrel-internal` in it"
_OWN: Final = "see that `.kestrel-internal` and what is in it are folders, and the agent's user's own"
_PHRASES: Final = {
    errno.EACCES: ("permission is denied", _PERMISSION),
    errno.EPERM: ("permission is denied", _PERMISSION),
    errno.EROFS: ("the file system cannot be written", "mount it so that it can"),
    errno.ENOSPC: ("the disk is full", _ROOM),
    errno.EDQUOT: ("the quota is used up", _ROOM),
    errno.EIO: ("the disk reports an error", "look at the disk"),
    errno.EMFILE: ("too many files are open", "try again in a moment"),
    errno.ENFILE: ("too many files are open", "try again in a moment"),
    errno.ELOOP: ("a link stands where a folder should", _OWN),
    errno.ENOTDIR: ("something else stands where a folder should", _OWN),
    errno.ENOENT: ("a folder vanished meanwhile", "look at the skills folder, then try again"),
    errno.ENAMETOOLONG: ("folders are nested too deeply", "look at them, and remove them by hand"),
    errno.EXDEV: (
        "`.kestrel-internal` is on another file system, or the skill in a lower layer of an overlay",
        "put both on one file system; mount an overlay with `redirect_dir=on`, or change the skill by hand",
    ),
    errno.EISDIR: ("a folder stands where a file should", "look into `.kestrel-internal`, and move it away by hand"),
    **dict.fromkeys(UNSUPPORTED, ("the file system cannot move without replacing", "put the skills on another")),
}


def phrase(error: OSError) -> tuple[str, str]:
    """What happened, and what to do about it."""
    number = error.errno or 0
    return _PHRASES.get(number, (f"the system says {errno.errorcode.get(number, 'no')}", ""))


def reason(error: OSError) -> str:
    """What happened, and at which name, where that is known."""
    why, _ = phrase(error)
    return f"{why}, at `{escaped(error.filename)}`" if isinstance(error.filename, str) else why


def failed(step: str, error: OSError, folder: str = "") -> StoreFailed:
    """A step that the system refused before a commit. `folder` is that of a skill, where that is to be changed."""
    why, fix = phrase(error)
    if folder and fix == _PERMISSION:
        fix = f"give the agent's user permission to write to the folder `{folder}`, the skills folder, and `{INTERNAL}`"
    return StoreFailed(step, why, fix)


@contextmanager
def failing(step: str, folder: Callable[[], str] = str) -> Iterator[None]:
    """Before a commit: what the system refuses leaves the skill as it was; see `failed`."""
    try:
        yield
    except OSError as error:
        raise failed(step, error, folder()) from None


@contextmanager
def doubted(name: str) -> Iterator[None]:
    """After a commit: where the system refuses, only looking again tells whether it lasts."""
    try:
        yield
    except OSError:
        raise InDoubt(name) from None
