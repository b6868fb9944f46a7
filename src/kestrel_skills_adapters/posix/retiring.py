"""Taking whole folders out of sight, and ending what was begun.

A folder goes to `retired` in one move, under the digest of its manifest. Its removal takes many, and a crash between
them leaves a part of it: so the manifest is written first, and stays until the removal is on the disk. A retired folder
without a manifest is whole; one with a manifest was looked at after it had moved, and may be removed, as far as listed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from kestrel_skills_core.domain.leftover import Retired
from kestrel_skills_core.domain.removal import Manifest

from .keeping import keep
from .rooms import KEPT, RETIRED, Rooms
from .writing import write

__all__ = ["note", "noted", "put_back"]

_MANIFEST_BYTES: Final = 16 * 1024 * 1024
"""More than anything needs that has 4,096 entries; what would have more is kept instead of removed."""


def note(rooms: Rooms, entry: Retired, manifest: Manifest) -> bool:
    """Write the manifest of a folder that is as it was seen, its name not yet settled; whether that could be done."""
    retired = rooms[RETIRED]
    with suppress(FileNotFoundError):
        rooms.calls.unlink(entry.manifest, retired)
    try:
        write(rooms.calls, entry.manifest, retired, manifest.render(), 0o600)
    except OSError:
        return False
    return True


def noted(rooms: Rooms, entry: Retired) -> Manifest | None:
    """The manifest of a retired folder; nothing where none was written to its end."""
    with suppress(FileNotFoundError):
        content, _ = rooms.calls.read(entry.manifest, rooms[RETIRED], _MANIFEST_BYTES)
        return None if content is None else Manifest.parse(content, entry.whole)
    return None


def put_back(rooms: Rooms, entry: Retired) -> str | None:
    """Bring a folder back that is not as it was seen; if its name is taken, keep it, under the token that is given."""
    kept = None
    try:
        rooms.calls.move(str(entry), rooms[RETIRED], entry.name, rooms.root)
    except FileExistsError:
        kept = keep(rooms, str(entry), rooms[RETIRED], entry.name)
        rooms.sync(rooms[KEPT])
    rooms.sync(rooms.root, rooms[RETIRED])
    return kept
