"""Ending what interrupted mutations left out of sight. Whoever sweeps holds the store alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from attrs import define, field

from kestrel_skills_core.domain.belongings import STAGED_MARKERS, belongs, is_lock
from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.domain.leftover import FolderName, KeptName, PartName, is_unfinished
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.removal import Manifest
from kestrel_skills_core.ports.store import Swept

from .failures import reason
from .keeping import keep, put_back
from .markers import LOCK as MARKERS_LOCK
from .removing import is_idle, purge, purge_part, remove
from .rooms import KEPT, LOCKS, MOST, RETIRED, STAGING, Rooms

__all__ = ["Sweep"]

_AT_ONCE: Final = 64
"""Entries: whoever sweeps keeps others from changing anything meanwhile, and a host from changing its mode."""

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
    _why: dict[str, str] = field(factory=dict, init=False)

    def run(self) -> Swept:
        """Settle first, so that what a reader may have seen is on the disk; then end what each room holds.

        Raises:
            OSError: The disk cannot be settled, or a room not be listed.
        """
        self.rooms.calls.sync_disk(self.rooms.root)
        for room in (STAGING, RETIRED):
            for entry, kind in self.rooms.listed(room):
                if self._purged + len(self._restored) + len(self._kept) >= _AT_ONCE:
                    return self._told(unfinished=True)
                with self._telling(room, entry):
                    self._end(room, entry, kind)
        self._left += [f"{KEPT}/{entry}" for entry, _ in self.rooms.listed(KEPT) if KeptName.parse(entry) is None]
        self._left += [f"{LOCKS}/{entry}" for entry, kind in self.rooms.listed(LOCKS) if not is_lock(entry, kind)]
        self._end_markers()
        return self._told()

    def _told(self, *, unfinished: bool = False) -> Swept:
        return Swept(
            unfinished=unfinished,
            purged=self._purged,
            restored=tuple(self._restored),
            kept=tuple(self._kept),
            left=tuple(self._left),
            why=self._why,
        )

    @contextmanager
    def _telling(self, room: str, entry: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            place = f"{room}/{entry}".lstrip("/")
            self._left.append(place)
            self._why[place] = reason(error)

    def _end(self, room: str, entry: str, kind: Kind) -> None:
        """End one entry, unless somebody has it open still: the next sweep will."""
        part, folder, checked = PartName.parse(entry), FolderName.parse(entry), KeptName.parse(entry)
        if is_unfinished(entry):
            remove(self.rooms.calls, entry, self.rooms[room])
            self._purged += 1
        elif part is None and folder is None and checked is None:
            self._left.append(f"{room}/{entry}")
        elif not is_idle(self.rooms.calls, entry, self.rooms[room], kind):
            return
        elif part is not None:
            self._end_part(room, part, kind)
        elif folder is not None:
            self._end_folder(room, folder)
        elif checked is not None:
            self._end_rest(room, checked, kind)

    def _end_part(self, room: str, part: PartName, kind: Kind) -> None:
        rooms = self.rooms
        if purge_part(rooms.calls, part, rooms[room], kind if part.seen == part.new else "file"):
            self._purged += 1
        else:
            self._keep(room, part)

    def _end_folder(self, room: str, folder: FolderName) -> None:
        """Put a folder back that is not as it was seen, or keep it if it went for good; remove one that is.

        Its removal takes many steps, and a crash between them leaves a part of it, of which nobody can tell what it
        was: so it is first given the name of what is kept, which is where the next sweep brings what is left.
        """
        rooms = self.rooms
        manifest = self.look(rooms[room], str(folder))
        if manifest is None or manifest.whole != folder.whole:
            self._give_back(room, folder)
            return
        checked = KeptName(folder.token, folder.name)
        rooms.calls.rename(str(folder), rooms[room], str(checked), rooms[room])
        rooms.sync(rooms[room])
        if not purge(rooms.calls, str(checked), rooms[room], manifest):
            self._keep(room, checked)
        self._purged += 1

    def _end_rest(self, room: str, rest: KeptName, kind: Kind) -> None:
        """What a crash left of a folder that was being removed: empty folders are nobody's."""
        rooms = self.rooms
        if kind == "folder" and purge(rooms.calls, str(rest), rooms[room], Manifest.of({})):
            self._purged += 1
        else:
            self._keep(room, rest)

    def _give_back(self, room: str, folder: FolderName) -> None:
        if folder.final:
            self._keep(room, folder)
            return
        kept = put_back(self.rooms, room, folder)
        if kept is None:
            self._restored.append(folder.name)
        else:
            self._kept.append(kept)

    def _keep(self, room: str, entry: PartName | FolderName | KeptName) -> None:
        rooms = self.rooms
        self._kept.append(keep(rooms, str(entry), rooms[room], entry.name))
        rooms.sync(rooms[KEPT], rooms[room])

    def _end_markers(self) -> None:
        """Markers that were staged and not placed; left in peace where somebody who is placing one holds their lock."""
        rooms, calls = self.rooms, self.rooms.calls
        entries = sorted(calls.listed(rooms.internal, MOST))
        staged = [entry for entry, _ in entries if entry.startswith(STAGED_MARKERS)]
        if staged:
            with suppress(OSError), calls.locked(MARKERS_LOCK, rooms[LOCKS], 0):
                for entry in staged:
                    with self._telling("", entry):
                        calls.unlink(entry, rooms.internal)
                        self._purged += 1
        self._left += [entry for entry, kind in entries if not belongs(entry, kind)]
