"""What belongs in this library's own folder in a root: whatever else is there, only a person can judge.

The rooms, the lock files in `locks`, marks, markers that are being placed, who owns the root, and lock files of the
0.1.0 release. What that release staged, and kept for recovery, is for a person to judge too: part of it may be theirs.
"""

from __future__ import annotations

import re
from typing import Final

from .fence import fenced_name
from .folder import Kind
from .names import MARKER, is_skill_name
from .owner import OWNER

__all__ = ["STAGED_MARKERS", "belongs", "is_lock"]

STAGED_MARKERS: Final = (f"{MARKER}.tmp.", f"{MARKER}.reap.")
"""How the names begin of markers that are not placed yet, and of those that the 0.1.0 release was removing."""
_ROOMS: Final = ("locks", "staging", "retired", "kept")
_RELEASE_0_1_0: Final = re.compile(
    r"\.(?:generation-marker|source-publication|skill-trash|(?:mutation|publication-state)-bucket-[0-9]{3})\.lock"
)
_LOCK: Final = re.compile(r"store|markers|(?:name|mark)-(?P<name>[a-z0-9_-]{1,64})")


def belongs(entry: str, kind: Kind) -> bool:
    """Whether an entry of the folder itself is one that is expected there. A mark is one by its name alone."""
    if kind == "folder" and entry in _ROOMS:
        return True
    is_known = entry == OWNER or entry.startswith(STAGED_MARKERS) or _RELEASE_0_1_0.fullmatch(entry) is not None
    return fenced_name(entry) is not None or (kind == "file" and is_known)


def is_lock(entry: str, kind: Kind) -> bool:
    """Whether an entry of `locks` is a lock file of this library's."""
    lock = _LOCK.fullmatch(entry.removesuffix(".lock"))
    if lock is None or kind != "file" or not entry.endswith(".lock"):
        return False
    return lock["name"] is None or is_skill_name(lock["name"])
