"""How one file changes, and how a new one comes: one move each, and then a look at what the move brought out of sight.

A person may be faster than any check: what comes out is not always what was seen. Then it goes back the same way, and
what that brings out is looked at in turn. Whatever is neither what was seen nor what was to take its place is kept.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from attrs import frozen

from kestrel_skills_core.domain.errors import InDoubt, NotEditable, StaleRevision
from kestrel_skills_core.domain.leftover import PartName
from kestrel_skills_core.domain.names import Revision, SkillName, SourceId
from kestrel_skills_core.domain.tree import Content

from .failures import doubted
from .keeping import keep
from .removing import digest_of
from .rooms import KEPT, STAGING, Rooms
from .staging import stage
from .syscalls import EXECUTABLE
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
            found = self.rooms.calls.stat(parts[0], self.trail.at)
        except FileNotFoundError:
            return parts
        except NotADirectoryError:
            why = f"`{parts[0]}` is not a folder"
        else:
            is_folder = stat.S_ISDIR(found.st_mode)
            why = f"`{path}` is a folder" if is_folder else f"what stands at `{path}` is no file that can be read here"
        raise NotEditable(SourceId.AGENT_LOCAL, why, "look at it, and move it away by hand", name=self.name)

    def replace(self, file: str, old: Content, new: bytes) -> None:
        """Give a file that was seen other bytes; it keeps its permission bits, and its owner and group where it may."""
        rooms, calls = self.rooms, self.rooms.calls
        found = self._found(file, old)
        with rooms.staged() as staged:
            part = self._part(old.data, new, staged.token)
            write(calls, staged.token, rooms[STAGING], new, like=found)
            staged.finish(part)
        exchange = partial(calls.exchange, str(part), rooms[STAGING], file, self.trail.at)
        self._move(part, stat.S_IMODE(found.st_mode), exchange, exchange)

    def remove(self, file: str, old: Content) -> None:
        """Take a file that was seen out of its folder."""
        rooms, calls = self.rooms, self.rooms.calls
        part = self._part(old.data, old.data, rooms.token())
        self._move(
            part,
            stat.S_IMODE(self._found(file, old).st_mode),
            partial(calls.move, file, self.trail.at, str(part), rooms[STAGING]),
            partial(calls.move, str(part), rooms[STAGING], file, self.trail.at),
        )

    def add(self, parts: Sequence[str], content: bytes) -> None:
        """Bring a new file into the last folder of the trail, in new folders if there are several parts."""
        rooms, calls = self.rooms, self.rooms.calls
        first, *inner = parts
        with rooms.staged() as staged:
            if inner:
                stage(calls, staged.token, rooms[STAGING], {"/".join(inner): Content(content)})
            else:
                write(calls, staged.token, rooms[STAGING], content)
            part = staged.finish(self._part(content, content, staged.token))
            try:
                calls.move(part, rooms[STAGING], first, self.trail.at)
            except (FileExistsError, FileNotFoundError):
                raise self._stale() from None
        with doubted(self.name):
            if not self.trail.holds():
                raise InDoubt(self.name)
            rooms.sync(self.trail.at, rooms[STAGING])

    def _move(self, part: PartName, mode: int, commit: Callable[[], None], undo: Callable[[], None]) -> None:
        """Move, look, and settle; or move back, look again, and settle that.

        What came out stays for the next sweep: who had the file open may yet write to it.
        """
        rooms = self.rooms
        staging = rooms[STAGING]
        try:
            commit()
        except FileNotFoundError:
            raise self._stale() from None
        with doubted(self.name):
            if digest_of(rooms.calls, str(part), staging) == (part.seen, mode) and self.trail.holds():
                rooms.sync(self.trail.at, staging)
                return
            with suppress(FileNotFoundError, FileExistsError):
                undo()
            kept = self._keep_unless_ours(part)
            rooms.sync(self.trail.at, staging, *([rooms[KEPT]] if kept else []))
        raise self._stale(kept)

    def _found(self, file: str, old: Content) -> os.stat_result:
        """The status of a file, which can still be run, or not, as it was seen."""
        try:
            found = self.rooms.calls.stat(file, self.trail.at)
        except FileNotFoundError:
            raise self._stale() from None
        if (found.st_mode & EXECUTABLE != 0) != old.executable:
            raise self._stale()
        return found

    def _keep_unless_ours(self, part: PartName) -> str | None:
        staging = self.rooms[STAGING]
        try:
            digest, _ = digest_of(self.rooms.calls, str(part), staging)
        except FileNotFoundError:
            return None
        return None if digest == part.new else keep(self.rooms, str(part), staging, self.name)

    def _part(self, old: bytes, new: bytes, token: str) -> PartName:
        return PartName(hashlib.sha256(old).hexdigest(), hashlib.sha256(new).hexdigest(), token, self.name)

    def _stale(self, kept: str | None = None) -> StaleRevision:
        return StaleRevision(self.name, self.seen, None, kept)
