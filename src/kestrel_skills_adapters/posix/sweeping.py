"""Ending what interrupted mutations left out of sight. Whoever sweeps holds the store alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from attrs import define, field

from kestrel_skills_core.domain.leftover import Exchanged, Retired
from kestrel_skills_core.domain.names import MARKER, SkillName
from kestrel_skills_core.domain.removal import Manifest
from kestrel_skills_core.ports.store import Swept

from .keeping import keep
from .markers import LOCK as MARKERS_LOCK
from .removing import purge, purge_file, remove
from .retiring import note, noted, put_back
from .rooms import EXCHANGE, KEPT, LOCKS, MOST, RETIRED, STAGING, Rooms

__all__ = ["Sweep"]

_STAGED_MARKERS: Final = (f"{MARKER}.tmp.", f"{MARKER}.reap.")
_RELEASE_0_1_0: Final = (
    ".kestrel-skill-publication-",
    ".kestrel-skill-git-",
    ".kestrel-skill-trash-",
    ".kestrel-skill-recovery-",
    ".tmp.",
)
"""What the 0.1.0 release stages, and keeps for recovery, in the same folder; part of it may be a person's."""

Look = Callable[[int, str], Manifest | None]
"""What a folder of an open one holds now; nothing where not all of it can be seen."""


@define
class Sweep:
    """One sweep, and what it found. Whatever cannot be ended stays, and is told of."""

    rooms: Rooms
    look: Look
    _purged: int = field(default=0, init=False)
    _restored: list[SkillName] = field(factory=list, init=False)
    _kept: list[str] = field(factory=list, init=False)
    _left: list[str] = field(factory=list, init=False)

    def run(self) -> Swept:
        """Settle first, so that what a reader may have seen is on the disk; then end what each room holds.

        Raises:
            OSError: The disk cannot be settled, or a room not be listed.
        """
        self.rooms.calls.sync_disk(self.rooms.root)
        for entry, _ in self.rooms.listed(EXCHANGE):
            with self._telling(EXCHANGE, entry):
                self._end_exchange(entry)
        self._end_retired()
        for entry, _ in self.rooms.listed(STAGING):
            with self._telling(STAGING, entry):
                remove(self.rooms.calls, entry, self.rooms[STAGING])
                self._purged += 1
        self._end_markers()
        return Swept(
            purged=self._purged, restored=tuple(self._restored), kept=tuple(self._kept), left=tuple(self._left)
        )

    @contextmanager
    def _telling(self, room: str, entry: str) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._left.append(f"{room}/{entry}".lstrip("/"))

    def _end_exchange(self, entry: str) -> None:
        rooms = self.rooms
        file = Exchanged.parse(entry)
        if file is None:
            self._left.append(f"{EXCHANGE}/{entry}")
        elif purge_file(rooms.calls, file, rooms[EXCHANGE]):
            self._purged += 1
        else:
            self._kept.append(keep(rooms, entry, rooms[EXCHANGE], file.name))
            rooms.sync(rooms[KEPT], rooms[EXCHANGE])

    def _end_retired(self) -> None:
        """Folders first; manifests when the removal of what they list is on the disk."""
        for entry, kind in self.rooms.listed(RETIRED):
            folder = Retired.parse(entry)
            if folder is None:
                self._left.append(f"{RETIRED}/{entry}")
            elif kind == "folder":
                with self._telling(RETIRED, entry):
                    self._end_folder(folder)
        ended = [entry for entry, _ in self.rooms.listed(RETIRED) if self._is_spent(entry)]
        if ended:
            with self._telling(RETIRED, "manifests"):
                self.rooms.sync(self.rooms[RETIRED])
                for entry in ended:
                    self.rooms.calls.unlink(entry, self.rooms[RETIRED])

    def _end_folder(self, folder: Retired) -> None:
        rooms = self.rooms
        retired = rooms[RETIRED]
        manifest = noted(rooms, folder)
        if manifest is None:
            manifest = self.look(retired, str(folder))
            if manifest is None or manifest.whole != folder.whole:
                kept = put_back(rooms, folder)
                self._kept += [] if kept is None else [kept]
                self._restored += [folder.name] if kept is None else []
                return
            if not note(rooms, folder, manifest):
                self._left.append(f"{RETIRED}/{folder}")
                return
            rooms.sync(retired)
        purge(rooms.calls, str(folder), retired, manifest)
        if self._is_there(str(folder)):
            self._kept.append(keep(rooms, str(folder), retired, folder.name))
            rooms.sync(rooms[KEPT])
        self._purged += 1

    def _is_there(self, entry: str) -> bool:
        try:
            self.rooms.calls.stat(entry, self.rooms[RETIRED])
        except FileNotFoundError:
            return False
        return True

    def _is_spent(self, entry: str) -> bool:
        folder = Retired.parse(entry)
        return folder is not None and entry == folder.manifest and not self._is_there(str(folder))

    def _end_markers(self) -> None:
        """Markers that were staged and not placed; left in peace where somebody who is placing one holds their lock."""
        rooms, calls = self.rooms, self.rooms.calls
        entries = [entry for entry, _ in calls.listed(rooms.internal, MOST)]
        staged = [entry for entry in entries if entry.startswith(_STAGED_MARKERS)]
        if staged:
            with suppress(BlockingIOError), calls.locked(MARKERS_LOCK, rooms[LOCKS], 0):
                for entry in staged:
                    with self._telling("", entry):
                        calls.unlink(entry, rooms.internal)
                        self._purged += 1
        self._left += sorted(entry for entry in entries if entry.startswith(_RELEASE_0_1_0))
