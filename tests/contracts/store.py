"""Roots that may be changed, in memory and on a disk, with a person's hand in each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from attrs import define, frozen

from kestrel_skills_adapters.memory.files import Entry, Odd
from kestrel_skills_adapters.memory.store import MemorySkillStore
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.approval import ApprovalBinding
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.store import SkillStore
from tests.contracts.files import CountingChance, Disk, InMemory, Later, Root
from tests.permissions import bound

__all__ = ["InMemoryStore", "OnDisk", "StoreRoot", "approval", "discard", "kept_files", "never"]


def never() -> bool:
    """Nobody goes away."""
    return False


def approval(store: SkillStore, name: SkillName) -> ApprovalBinding:
    """The deletion of a folder as it is now, approved."""
    found = store.read(name).sighting
    assert found.generation is not None
    assert found.unlisted is not None
    return ApprovalBinding(
        operation="delete",
        agent="did:key:a",
        name=name,
        source=SourceId.AGENT_LOCAL if found.provenance is None else found.provenance.source,
        generation=found.generation,
        revision=found.revision,
        unlisted=found.unlisted,
    )


def kept_files(store: SkillStore, token: str) -> dict[str, bytes]:
    """The bytes of every file that is kept under a token, by path, piece by piece."""
    files = {}
    for entry in store.kept_listing(token).entries:
        if entry.kind == "file":
            content = b""
            while piece := store.kept_bytes(token, entry.path, len(content)):
                content += piece
            files[entry.path] = content
    return files


def discard(store: SkillStore, token: str) -> None:
    """Let go of what is kept, as it is now."""
    store.discard(token, seen=store.kept_listing(token), cancelled=never)


class StoreRoot(Root, Protocol):
    """One root: the store on trial, and a person's hand in it."""

    @property
    def store(self) -> SkillStore:
        """The store."""
        ...

    def entries(self) -> dict[str, Entry]:
        """Everything in sight, by path; of a folder, that it is there."""
        ...

    def mark(self, name: str, content: bytes) -> None:
        """Put a fail-closed mark there, whatever it holds."""
        ...

    def marked(self, name: str) -> bytes | None:
        """The bytes of a fail-closed mark."""
        ...

    def drop_mark(self, name: str) -> None:
        """Take a mark away, as a person does."""
        ...

    def own(self, content: bytes) -> None:
        """Say whose it is, in whatever words."""
        ...

    def owned(self) -> bytes | None:
        """The bytes of what says whose it is."""
        ...

    def keep(self, token: str, name: str, path: str) -> None:
        """Let what has that path be kept, out of sight, under that token."""
        ...

    def closed(self, path: str) -> AbstractContextManager[None]:
        """Let nobody read a file, until the end."""
        ...


@define
class InMemoryStore(InMemory):
    """The fake."""

    store: MemorySkillStore

    @classmethod
    def of(cls, _: Path) -> InMemoryStore:
        """An empty root."""
        store = MemorySkillStore(chance=CountingChance())
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
        object.__setattr__(self, "files", PosixSkillStore(self.path, chance=CountingChance(), calls=self.calls))

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
