"""What the suites of `SkillFiles` and `SkillStore` want of a root on trial: a person's hand in it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from kestrel_skills_core.domain.approval import ApprovalBinding
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.files import SkillFiles
from kestrel_skills_core.ports.store import SkillStore

from ..memory.files import Entry, Odd

__all__ = ["Root", "StoreRoot", "approval", "discard", "document", "drawn", "kept_files", "never"]


def document(name: str) -> bytes:
    """A good `SKILL.md`."""
    return f"---\nname: {name}\ndescription: Use when {name} are wanted.\n---\n\nDo it.\n".encode()


def drawn(text: str) -> dict[str, Entry]:
    """The entries that lines of text draw, by path, two spaces deeper for each folder.

    `name/` is a folder, `name -> target` a link, `name|` a FIFO, `name*` an executable; the rest are files. What
    follows ` = ` is a file's content; else a `SKILL.md` is good for its folder, and any other file holds its name.
    """
    entries: dict[str, Entry] = {}
    above: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        drawing, _, content = line.strip().partition(" = ")
        name, arrow, _ = drawing.partition(" -> ")
        del above[depth:]
        path = "/".join([*above, name.rstrip("/*|")])
        if arrow:
            entries[path] = Odd("link")
        elif name.endswith("|"):
            entries[path] = Odd("other")
        elif name.endswith("/"):
            entries[path] = Odd("folder")
            above.append(name[:-1])
        else:
            own = document(above[-1]) if name == "SKILL.md" and above else name.encode()
            entries[path] = Content(content.encode() or own, executable=name.endswith("*"))
    return entries


class Root(Protocol):
    """One source root: the reader on trial, and a person's hand in it."""

    @property
    def files(self) -> SkillFiles:
        """The reader."""
        ...

    def put(self, path: str, entry: Entry) -> None:
        """Put an entry there, over what was there; folders above it appear."""
        ...

    def drop(self, path: str) -> None:
        """Remove what is there, with all below it."""
        ...

    def move(self, path: str, to: str) -> None:
        """Rename a file or folder."""
        ...

    def take_away(self) -> None:
        """Let the whole root be gone."""
        ...

    def marker(self, folder: str) -> bytes | None:
        """The bytes in a folder's marker, if it has one."""
        ...


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
