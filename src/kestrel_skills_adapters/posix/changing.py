"""How one file changes, and how a new one comes: one move each, and then a look at what the move brought out of sight.

A person may be faster than any check: what comes out is not always what was seen. Then it goes back the same way, and
what that brings out is looked at in turn. Whatever is neither what was seen nor what was to take its place is kept.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from attrs import frozen

from kestrel_skills_core.domain.errors import InDoubt, NotEditable, StaleRevision
from kestrel_skills_core.domain.leftover import Exchanged
from kestrel_skills_core.domain.names import Revision, SkillName, SourceId
from kestrel_skills_core.domain.tree import Content

from .failures import doubted
from .keeping import keep
from .removing import digest_of, purge_file
from .rooms import EXCHANGE, KEPT, STAGING, Rooms
from .staging import stage
from .trail import Trail
from .writing import write

__all__ = ["Change"]


@frozen
class Change:
    """A change of one skill that was seen, at the end of a trail into its folder.

    Every method raises `StaleRevision` where a person was faster, `InDoubt` where it cannot be told, and `OSError`
    where nothing was changed.
    """

    rooms: Rooms
    trail: Trail
    name: SkillName
    seen: Revision

    def found(self, path: str) -> str:
        """Go down to a file that was seen; gives its name in the last folder."""
        *folders, file = path.split("/")
        try:
            for folder in folders:
                self.trail.enter(folder)
        except (FileNotFoundError, NotADirectoryError):
            raise self._stale() from None
        return file

    def missing(self, path: str) -> list[str]:
        """Go down as far as there are folders; gives what is not there of the path.

        Raises:
            NotEditable: Something that is no folder is in the way, or something that was not seen is at its end.
        """
        parts = path.split("/")
        try:
            while len(parts) > 1:
                self.trail.enter(parts[0])
                del parts[0]
            self.rooms.calls.stat(parts[0], self.trail.at)
        except FileNotFoundError:
            return parts
        except NotADirectoryError:
            why = f"`{parts[0]}` is not a folder"
        else:
            why = f"what stands at `{path}` is no file that can be read here"
        raise NotEditable(SourceId.AGENT_LOCAL, why, "look at it, and move it away by hand")

    def replace(self, file: str, old: bytes, new: bytes) -> None:
        """Give a file that was seen other bytes; it keeps its permission bits."""
        rooms, calls = self.rooms, self.rooms.calls
        entry = self._entry(old, new)
        mode = self._mode(file)
        with rooms.staged() as staged:
            write(calls, staged, rooms[STAGING], new, mode, exactly=True)
            calls.rename(staged, rooms[STAGING], str(entry), rooms[EXCHANGE])
        exchange = partial(calls.exchange, str(entry), rooms[EXCHANGE], file, self.trail.at)
        self._move(entry, mode, exchange, exchange)

    def remove(self, file: str, old: bytes) -> None:
        """Take a file that was seen out of its folder."""
        rooms, calls = self.rooms, self.rooms.calls
        entry = self._entry(old, old)
        mode = self._mode(file)
        self._move(
            entry,
            mode,
            partial(calls.move, file, self.trail.at, str(entry), rooms[EXCHANGE]),
            partial(calls.move, str(entry), rooms[EXCHANGE], file, self.trail.at),
        )

    def add(self, parts: Sequence[str], content: bytes) -> None:
        """Bring a new file into the last folder of the trail, in new folders if there are several parts."""
        rooms, calls = self.rooms, self.rooms.calls
        first, *inner = parts
        with rooms.staged() as staged:
            if inner:
                stage(calls, staged, rooms[STAGING], {"/".join(inner): Content(content)})
            else:
                write(calls, staged, rooms[STAGING], content)
            try:
                calls.move(staged, rooms[STAGING], first, self.trail.at)
            except (FileExistsError, FileNotFoundError):
                raise self._stale() from None
        with doubted(self.name):
            if not self.trail.holds():
                raise InDoubt(self.name)
            rooms.sync(self.trail.at, rooms[STAGING])

    def _move(self, entry: Exchanged, mode: int, commit: Callable[[], None], undo: Callable[[], None]) -> None:
        """Move, look, and settle; or move back, look again, and settle that. Our own bytes are then purged."""
        rooms = self.rooms
        exchange = rooms[EXCHANGE]
        try:
            try:
                commit()
            except FileNotFoundError:
                raise self._stale() from None
            with doubted(self.name):
                if digest_of(rooms.calls, str(entry), exchange) == (entry.seen, mode) and self.trail.holds():
                    rooms.sync(self.trail.at, exchange)
                    return
                with suppress(FileNotFoundError, FileExistsError):
                    undo()
                kept = self._keep_unless_ours(entry)
                rooms.sync(self.trail.at, exchange, *([rooms[KEPT]] if kept else []))
            raise self._stale(kept)
        finally:
            with suppress(OSError):
                purge_file(rooms.calls, entry, exchange)

    def _mode(self, file: str) -> int:
        try:
            return stat.S_IMODE(self.rooms.calls.stat(file, self.trail.at).st_mode)
        except FileNotFoundError:
            raise self._stale() from None

    def _keep_unless_ours(self, entry: Exchanged) -> str | None:
        exchange = self.rooms[EXCHANGE]
        try:
            digest, _ = digest_of(self.rooms.calls, str(entry), exchange)
        except FileNotFoundError:
            return None
        return None if digest in (entry.seen, entry.new) else keep(self.rooms, str(entry), exchange, self.name)

    def _entry(self, old: bytes, new: bytes) -> Exchanged:
        return Exchanged(
            hashlib.sha256(old).hexdigest(), hashlib.sha256(new).hexdigest(), self.rooms.token(), self.name
        )

    def _stale(self, kept: str | None = None) -> StaleRevision:
        return StaleRevision(self.name, self.seen, None, kept)
