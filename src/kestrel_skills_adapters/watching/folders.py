"""Which folders of a root a survey looks into, and whether the system hears of all that changes in them.

Nothing here is trusted for more than that: what is wrong here costs a look, or is seen a minute later.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from typing import Final

from kestrel_skills_core.domain.folder import is_walked
from kestrel_skills_core.domain.names import is_skill_name

__all__ = ["folders", "is_local", "kind_of_disk"]

LOCAL: Final = frozenset({"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "tmpfs", "xfs", "zfs"})
"""File systems on which nobody but this machine's own kernel changes anything, so that it hears of all."""
MOST: Final = 262_144
"""More entries than are looked at to find the folders: 64 for each skill of the largest root."""


def folders(root: str, most: int = MOST) -> list[str]:
    """A root, the folders of its skills, and what of theirs is walked; what holds another comes before it.

    Raises:
        OSError: One cannot be listed, or there are more than so many entries in all.
    """
    found = [root]
    entries = 0
    for at in found:
        inside = at[len(root) + 1 :].partition("/")[2]
        prefix = f"{inside}/" if inside else ""
        for entry in _entries(at):
            entries += 1
            if entries > most:
                raise OSError(errno.E2BIG, os.strerror(errno.E2BIG))
            is_looked_into = is_skill_name(entry.name) if at == root else is_walked(prefix + entry.name)
            if is_looked_into and entry.is_dir(follow_symlinks=False):
                found.append(entry.path)
    return found


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from entries


def is_local(root: str) -> bool:
    """Whether a root lies on a disk of this machine, and nothing that is not one is mounted inside it.

    What Linux says in `/proc/self/mountinfo` (proc_pid_mountinfo(5)); where that cannot be read, no.
    """
    try:
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with open(f"/proc/self/fdinfo/{fd}", "rb") as told:  # noqa: PTH123 - not a path of anybody's
                mount = _MOUNT.search(told.read())
        finally:
            os.close(fd)
        with open("/proc/self/mountinfo", "rb") as told:  # noqa: PTH123 - the same
            mounts = told.read()
    except OSError:
        return False
    return mount is not None and kind_of_disk(mounts, mount[1], os.fsencode(os.path.realpath(root))) in LOCAL


_MOUNT: Final = re.compile(rb"^mnt_id:\s*(\d+)$", re.MULTILINE)
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")


def kind_of_disk(mounts: bytes, mount: bytes, root: bytes) -> str | None:
    """The kind of file system of a mount, as `mountinfo` tells; nothing where another is mounted inside the root."""
    kind = None
    for line in mounts.splitlines():
        fields, _, rest = line.partition(b" - ")
        number, _, _, _, point = fields.split(b" ")[:5]
        if _ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), point).startswith(root + b"/"):
            return None
        if number == mount:
            kind = rest.split(b" ")[0].decode("ascii", "replace")
    return kind
