"""Roots that may be changed, in memory and on a disk, with a person's hand in each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import define, frozen

from kestrel_skills_adapters.memory.files import Entry, Odd
from kestrel_skills_adapters.memory.store import MemorySkillStore
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.tree import Content
from tests.contracts.files import Disk, InMemory, Later
from tests.permissions import bound

__all__ = ["InMemoryStore", "OnDisk"]


@define
class InMemoryStore(InMemory):
    """The fake."""

    store: MemorySkillStore

    @classmethod
    def of(cls, _: Path) -> InMemoryStore:
        """An empty root."""
        store = MemorySkillStore(chance=CountedChance())
        return cls(store, store)

    def entries(self) -> dict[str, Entry]:
        """Everything in sight."""
        found: dict[str, Entry] = {}
        for name, entry in self.store.folders.items():
            if not isinstance(entry, dict):
                found[name] = entry
                continue
            found[name] = Odd("folder")
            for path, inner in entry.items():
                parts = path.split("/")
                found |= {f"{name}/{'/'.join(parts[:end])}": Odd("folder") for end in range(1, len(parts))}
                found[f"{name}/{path}"] = inner
        return found

    def mark(self, name: str, content: bytes) -> None:
        """Put a mark there."""
        self.store.marks[SkillName(name)] = content

    def marked(self, name: str) -> bytes | None:
        """The bytes of a mark."""
        return self.store.marks.get(SkillName(name))

    def drop_mark(self, name: str) -> None:
        """Take a mark away."""
        del self.store.marks[SkillName(name)]

    def own(self, content: bytes) -> None:
        """Say whose it is."""
        self.store.owned = content

    def owned(self) -> bytes | None:
        """What says whose it is."""
        return self.store.owned

    def keep(self, token: str, name: str, path: str) -> None:
        """Take something out of sight."""
        folder, _, inner = path.partition("/")
        if inner:
            inside = self.store.folders[folder]
            assert isinstance(inside, dict)
            self.store.keeping[token] = (SkillName(name), inside.pop(inner))
        else:
            self.store.keeping[token] = (SkillName(name), self.store.folders.pop(folder))

    @contextmanager
    def closed(self, path: str) -> Iterator[None]:
        """Put what cannot be read in a file's place, and then the file again."""
        folder, _, inner = path.partition("/")
        inside = self.store.folders[folder]
        assert isinstance(inside, dict)
        file, inside[inner] = inside[inner], Odd("file", "permission is denied")
        yield
        inside[inner] = file


@frozen
class OnDisk(Disk):
    """The POSIX adapter on a real folder."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "files", PosixSkillStore(self.path, chance=CountedChance(), calls=self.calls))

    @classmethod
    def of(cls, above: Path, calls: Syscalls | None = None) -> OnDisk:
        """An empty root."""
        path = above / "skills"
        path.mkdir()
        return cls(path, SourceId.AGENT_LOCAL, calls=calls or Later())

    @property
    def store(self) -> PosixSkillStore:
        """The store."""
        assert isinstance(self.files, PosixSkillStore)
        return self.files

    @property
    def internal(self) -> Path:
        """This library's own folder."""
        return self.path / ".kestrel-internal"

    def entries(self) -> dict[str, Entry]:
        """Everything in sight."""
        found: dict[str, Entry] = {}
        for place in sorted(self.path.rglob("*")):
            path = place.relative_to(self.path).as_posix()
            if path.startswith(".kestrel-internal"):
                continue
            if place.is_symlink():
                found[path] = Odd("link")
            elif place.is_dir():
                found[path] = Odd("folder")
            elif place.is_file():
                found[path] = Content(place.read_bytes(), place.stat().st_mode & 0o111 != 0)
            else:
                found[path] = Odd("other")
        return found

    def mark(self, name: str, content: bytes) -> None:
        """Put a mark there."""
        self.internal.mkdir(mode=0o700, exist_ok=True)
        (self.internal / f".fail-closed-state-{name}.json").write_bytes(content)

    def marked(self, name: str) -> bytes | None:
        """The bytes of a mark."""
        place = self.internal / f".fail-closed-state-{name}.json"
        return place.read_bytes() if place.exists() else None

    def drop_mark(self, name: str) -> None:
        """Take a mark away."""
        (self.internal / f".fail-closed-state-{name}.json").unlink()

    def own(self, content: bytes) -> None:
        """Say whose it is."""
        self.internal.mkdir(mode=0o700, exist_ok=True)
        (self.internal / "owner.json").write_bytes(content)

    def owned(self) -> bytes | None:
        """What says whose it is."""
        place = self.internal / "owner.json"
        return place.read_bytes() if place.exists() else None

    def keep(self, token: str, name: str, path: str) -> None:
        """Take something out of sight."""
        (self.internal / "kept").mkdir(parents=True, exist_ok=True)
        (self.path / path).rename(self.internal / "kept" / f"{token}-{name}")

    @contextmanager
    def closed(self, path: str) -> Iterator[None]:
        """Take a file's permission bits away, and give them back."""
        fd = os.open(self.path / path, os.O_RDONLY)
        mode = os.fstat(fd).st_mode
        os.fchmod(fd, 0)
        with bound():
            yield
        os.fchmod(fd, mode)
        os.close(fd)
