"""Whole folders out of sight, and how they go or come back.

A folder is out of sight under the digest of its manifest, from one move to another. Its removal takes many, and a crash
between them leaves a part of it: so the manifest is written first, and stays until the removal is on the disk. A folder
without a manifest is whole; one with a manifest was looked at out of sight, and may be removed, as far as listed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from kestrel_skills_core.domain.leftover import FolderName
from kestrel_skills_core.domain.removal import Manifest

from .keeping import keep
from .rooms import KEPT, Rooms
from .writing import write

__all__ = ["note", "noted", "put_back"]

_MANIFEST_BYTES: Final = 16 * 1024 * 1024
"""More than anything needs that has 4,096 entries; what would have more is kept instead of removed."""


def note(rooms: Rooms, room: str, entry: FolderName, manifest: Manifest) -> bool:
    """Write the manifest of a folder that is as it was seen, its name not yet settled; whether that could be done."""
    with suppress(FileNotFoundError):
        rooms.calls.unlink(entry.manifest, rooms[room])
    try:
        write(rooms.calls, entry.manifest, rooms[room], manifest.render(), 0o600)
    except OSError:
        return False
    return True


def noted(rooms: Rooms, room: str, entry: FolderName) -> Manifest | None:
    """The manifest of a folder out of sight; nothing where none was written to its end."""
    with suppress(FileNotFoundError):
        content, _ = rooms.calls.read(entry.manifest, rooms[room], _MANIFEST_BYTES)
        return None if content is None else Manifest.parse(content, entry.whole)
    return None


def put_back(rooms: Rooms, room: str, entry: FolderName) -> str | None:
    """Bring a folder into sight that is not as it was seen; the token it is kept under if its name is taken."""
    kept = None
    try:
        rooms.calls.move(str(entry), rooms[room], entry.name, rooms.root)
    except FileExistsError:
        kept = keep(rooms, str(entry), rooms[room], entry.name)
        rooms.sync(rooms[KEPT])
    rooms.sync(rooms.root, rooms[room])
    return kept
