"""Generation markers: every folder of a root that can be written gets one, whole or not at all, whoever comes first.

A marker is written beside the skills, in `.kestrel-internal`, and then linked into its folder, which fails where one is
there already. Writers, and whoever sweeps up after a crash, share a lock. Where any of this cannot be had (a root that
cannot be written, a file system without hard links, a lock that another holds), a folder goes without a marker.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from kestrel_skills_core.domain.folder import parse_marker, render_marker
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import INTERNAL, MARKER, new_generation
from kestrel_skills_core.ports.world import Chance

from .rooms import LOCKS, own_folder
from .syscalls import Syscalls
from .writing import write

__all__ = ["LOCK", "mint"]

LOCK: Final = "markers.lock"
_STAGED: Final = f"{MARKER}.tmp."
_PATIENCE: Final = 2.0
"""Seconds. Whoever holds the lock marks one folder, and gives it back; only one who is stopped holds it for longer."""
_ONE_FOLDER: Final = frozenset(
    {errno.EACCES, errno.EEXIST, errno.EIO, errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EXDEV}
)
"""What can be wrong with one folder and not with the next; after anything else, none is tried."""


def mint(calls: Syscalls, root: int, folders: Iterable[str], chance: Chance) -> bool:
    """See that each of these folders of an open root has a well-formed marker; whether any may have one now.

    The lock is held for one folder at a time, so that others who mark the same root get on too. Whoever waits for it in
    vain gives up the rest: what another marks meanwhile is found by looking again.
    """
    marked = False
    with suppress(OSError), own_folder(calls, INTERNAL, root) as internal, own_folder(calls, LOCKS, internal) as locks:
        for folder in folders:
            try:
                with calls.folder(folder, root) as fd, calls.locked(LOCK, locks, _PATIENCE):
                    marked |= _mark(calls, internal, fd, chance)
            except BlockingIOError:
                return True
            except OSError as error:
                if error.errno not in _ONE_FOLDER:
                    break
    return marked


def _mark(calls: Syscalls, internal: int, folder: int, chance: Chance) -> bool:
    """Mark one open folder. What stands there and is no marker is replaced, unless it is not even a file."""
    try:
        content, found = calls.read(MARKER, folder, LIMITS.marker_bytes)
    except FileNotFoundError:
        place = calls.link
    else:
        if not stat.S_ISREG(found.st_mode):
            return False
        if content is not None and parse_marker(content) is not None:
            return True
        place = calls.rename
    staged = _STAGED + chance.token()
    write(calls, staged, internal, render_marker(new_generation(chance.token())))
    try:
        with suppress(FileExistsError):  # another was faster, and theirs stands
            place(staged, internal, MARKER, folder)
    finally:
        with suppress(FileNotFoundError):
            calls.unlink(staged, internal)
    calls.sync(folder)
    return True
