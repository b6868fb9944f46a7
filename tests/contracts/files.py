"""Source roots to try a reader on: the same tree, drawn as text, in memory and on a disk."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path

from attrs import field, frozen

from kestrel_skills_adapters.memory.files import Entry, MemorySkillFiles, Odd
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_adapters.together import SharedFiles, Together
from kestrel_skills_core.domain.errors import SourceUnavailable
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.files import SkillFiles
from kestrel_skills_core.ports.world import Chance
from tests.watched import eager

__all__ = ["Disk", "InMemory", "Later", "Shared", "Watched"]


class Later(Syscalls):
    """The disk of ten seconds from now, on which everything written so far is old enough to be stamped."""

    def now_ns(self) -> int:
        """Ten seconds from now."""
        return time.time_ns() + 10_000_000_000


@frozen
class InMemory:
    """The fake."""

    files: MemorySkillFiles

    @classmethod
    def made(cls, _: Path, source: SourceId, chance: Chance | None) -> InMemory:
        """An empty root."""
        root = hashlib.sha256(b"/skills").hexdigest() if source is SourceId.HOST_SHARED else None
        return cls(MemorySkillFiles(source, chance=chance, root=root))

    def put(self, path: str, entry: Entry) -> None:
        """Put an entry there."""
        folder, _, inner = path.partition("/")
        if not inner:
            self.files.folders[folder] = {} if entry == Odd("folder") else entry
            return
        inside = self.files.folders.setdefault(folder, {})
        assert isinstance(inside, dict)
        inside[inner] = entry

    def drop(self, path: str) -> None:
        """Remove what is there."""
        folder, _, inner = path.partition("/")
        inside = self.files.folders[folder]
        if not inner:
            del self.files.folders[folder]
            return
        assert isinstance(inside, dict)
        for each in [each for each in inside if each == inner or each.startswith(f"{inner}/")]:
            del inside[each]

    def move(self, path: str, to: str) -> None:
        """Rename a file or folder."""
        folder, _, inner = path.partition("/")
        if not inner:
            self.files.folders[to] = self.files.folders.pop(folder)
            return
        inside = self.files.folders[folder]
        assert isinstance(inside, dict)
        inside[to.partition("/")[2]] = inside.pop(inner)

    def take_away(self) -> None:
        """Let the whole root be gone."""
        self.files.problem = SourceUnavailable(self.files.source, "it does not exist", "make the folder")

    def marker(self, folder: str) -> bytes | None:
        """The bytes in a folder's marker."""
        inside = self.files.folders[folder]
        assert isinstance(inside, dict)
        found = inside.get(".kestrel-generation")
        return found.data if isinstance(found, Content) else None


@frozen
class Disk:
    """The POSIX adapter on a real folder."""

    path: Path
    source: SourceId
    chance: Chance | None = None
    calls: Syscalls = field(factory=Later)
    files: SkillFiles = field(init=False)

    @files.default
    def _reader(self) -> SkillFiles:
        return PosixSkillFiles(self.path, self.source, chance=self.chance, calls=self.calls)

    @classmethod
    def made(cls, above: Path, source: SourceId, chance: Chance | None) -> Disk:
        """An empty root."""
        path = above / "skills"
        path.mkdir()
        return cls(path, source, chance)

    def put(self, path: str, entry: Entry) -> None:
        """Put an entry there."""
        place = self.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(entry, Content):
            place.write_bytes(entry.data)
            place.chmod(0o755 if entry.executable else 0o644)
        elif entry.kind == "folder":
            place.mkdir(exist_ok=True)
        elif entry.kind == "link":
            place.symlink_to("/nowhere")
        else:
            os.mkfifo(place)

    def drop(self, path: str) -> None:
        """Remove what is there."""
        place = self.path / path
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()

    def move(self, path: str, to: str) -> None:
        """Rename a file or folder."""
        (self.path / path).rename(self.path / to)

    def take_away(self) -> None:
        """Let the whole root be gone."""
        shutil.rmtree(self.path)

    def marker(self, folder: str) -> bytes | None:
        """The bytes in a folder's marker."""
        place = self.path / folder / ".kestrel-generation"
        return place.read_bytes() if place.is_file() and not place.is_symlink() else None


@frozen
class Shared(Disk):
    """The same, looked at together with whoever else in this process reads it."""

    files: SkillFiles = field(init=False)

    @files.default
    def _together(self) -> SkillFiles:
        return SharedFiles(Together(self._reader()))


@frozen
class Watched(Disk):
    """The same, watched, and taken as it was last seen while nothing is heard of it."""

    files: SkillFiles = field(init=False)

    @files.default
    def _watched(self) -> SkillFiles:
        return eager(self._reader(), str(self.path))
