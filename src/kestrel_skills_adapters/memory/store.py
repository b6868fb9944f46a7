r"""A root that may be changed, in memory: each method happens at one instant, and nothing is ever left over.

>>> from kestrel_skills_adapters.memory.store import MemorySkillStore
>>> from kestrel_skills_adapters.memory.world import CountedChance
>>> from kestrel_skills_core.domain.names import SkillName
>>> from kestrel_skills_core.domain.tree import Content, SkillTree
>>> document = b'---\nname: "knots"\ndescription: "Use when a rope must hold."\n---\n\nTie a bowline.\n'
>>> store = MemorySkillStore(chance=CountedChance())
>>> tree = SkillTree({"SKILL.md": Content(document)})
>>> store.publish(SkillName("knots"), tree, cancelled=lambda: False)[-4:]
'0001'
>>> store.read(SkillName("knots")).sighting.revision == tree.revision
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import define, field

from kestrel_skills_core.domain.approval import ApprovalBinding
from kestrel_skills_core.domain.errors import (
    Busy,
    KeptAbsent,
    NotEditable,
    SkillAbsent,
    SkillExists,
    StaleRevision,
    StoreFailed,
    TooLarge,
)
from kestrel_skills_core.domain.fence import Fence, parse_fence, render_fence
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.kept import KeptEntry, KeptListing, beyond_depth, listing_of, refuse_lone
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import (
    DOCUMENT,
    MARKER,
    PROVENANCE,
    Generation,
    ResourcePath,
    Revision,
    SkillName,
    SourceId,
    new_generation,
)
from kestrel_skills_core.domain.owner import Owner, parse_owner, render_owner
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance
from kestrel_skills_core.domain.removal import approved_manifest
from kestrel_skills_core.domain.root import linked
from kestrel_skills_core.domain.tree import Content, SkillTree, folders_of
from kestrel_skills_core.ports.store import Kept, Swept
from kestrel_skills_core.ports.world import Cancelled, Chance

from .files import Entry, MemorySkillFiles, Odd, changed_ns, judged, kind_of, published

__all__ = ["MemorySkillStore"]


@define(eq=False)
class MemorySkillStore(MemorySkillFiles):
    """The port over dictionaries; see `SkillStore` for what each method promises.

    `held` is what another holds, which every change then meets; `keeping` is what is kept of a person's, by token;
    `marks` are the fail-closed marks, each the bytes of its file, and `owned` those of the file that says whose it is.
    Change all of them at will between two calls.
    """

    source: SourceId = field(default=SourceId.AGENT_LOCAL, init=False)
    chance: Chance = field(kw_only=True)
    held: str | None = None
    keeping: dict[str, tuple[SkillName, dict[str, Entry] | Entry]] = field(factory=dict)
    marks: dict[SkillName, bytes] = field(factory=dict)
    owned: bytes | None = None

    def publish(
        self, name: SkillName, tree: SkillTree, provenance: Provenance | None = None, *, cancelled: Cancelled
    ) -> Generation:
        """Bring a whole new folder into sight; see the port."""
        self._begin()
        if len(self.folders) >= LIMITS.root_entries:
            raise TooLarge("entries of the skills folder", LIMITS.root_entries, len(self.folders) + 1)
        if name in self.folders:
            raise SkillExists(name)
        generation = new_generation(self.chance.token())
        entries: dict[str, Entry] = dict(tree.files.items())
        entries[MARKER] = Content(render_marker(generation))
        if provenance is not None:
            entries[PROVENANCE] = Content(dump_provenance(provenance))
        self.folders[name] = entries
        return generation

    def write(
        self, name: SkillName, path: ResourcePath, content: bytes, *, seen: Revision, cancelled: Cancelled
    ) -> Revision:
        """Replace one file, or add one; see the port."""
        entries, tree = self._begun(name, seen)
        old = tree.files.get(path)
        new = Content(content, old is not None and old.executable)
        after = SkillTree({**tree.files, path: new})
        if old is None:
            self._refuse_unseen(name, entries, path)
        entries[path] = new
        return after.revision

    def remove(self, name: SkillName, path: ResourcePath, *, seen: Revision, cancelled: Cancelled) -> Revision:
        """Take one file out; see the port."""
        if path == DOCUMENT:
            raise NotEditable(self.source, "a skill is its SKILL.md", "delete the skill, or edit the file", name=name)
        entries, tree = self._begun(name, seen)
        if path not in tree.files:
            self._refuse_unseen(name, entries, path)
            raise SkillAbsent(name, path)
        del entries[path]
        for above in _above(path):
            entries.setdefault(above, Odd("folder"))
        return SkillTree({each: content for each, content in tree.files.items() if each != path}).revision

    def annotate(self, name: SkillName, provenance: Provenance, *, seen: Revision, cancelled: Cancelled) -> None:
        """Write where a skill came from; see the port."""
        entries, _ = self._begun(name, seen)
        if isinstance(entries.get(PROVENANCE), Odd):
            self._refuse_unseen(name, entries, PROVENANCE)
        entries[PROVENANCE] = Content(dump_provenance(provenance))

    def retire(self, name: SkillName, *, approved: ApprovalBinding, cancelled: Cancelled) -> None:
        """Take a whole folder out of sight; see the port."""
        self._begin()
        entry = self._entry(name)
        if not isinstance(entry, dict):
            approved_manifest(name, linked(name), {}, approved)
        else:
            read = {path: content for path, content in entry.items() if isinstance(content, Content)}
            approved_manifest(name, judged(name, entry).sighting(), read, approved)
            del self.folders[name]

    def fence(self, name: SkillName, fence: Fence, *, cancelled: Cancelled) -> tuple[Fence, Fence | None]:
        """Write a fail-closed mark; see the port."""
        self._begin()
        over = self._marked(name)
        self.marks[name] = render_fence(name, fence, self.chance.token()[-32:])
        return parse_fence(self.marks[name]), over

    def unfence(self, name: SkillName, *, seen: Fence, cancelled: Cancelled) -> None:
        """Take a mark away; see the port."""
        if self.problem is not None:
            raise self.problem
        if seen.is_same(self._marked(name)):
            del self.marks[name]

    def fenced(self) -> Mapping[SkillName, Fence] | None:
        """All marks; see the port."""
        return None if self.problem else {name: parse_fence(mark) for name, mark in sorted(self.marks.items())}

    def claim(self, owner: Owner, *, cancelled: Cancelled) -> Owner | None:
        """Say whose it is; see the port."""
        before = self.owner()
        if before != owner:
            self._begin()
            self.owned = render_owner(owner)
        return owner.ousts(before)

    def owner(self) -> Owner | None:
        """Whose it is said to be; see the port."""
        return None if self.problem is not None or self.owned is None else parse_owner(self.owned)

    def kept(self) -> tuple[Kept, ...]:
        """What is kept of a person's; see the port."""
        if self.problem is not None:
            raise self.problem
        return tuple(
            Kept(token=token, name=name, kind=kind_of(entry)) for token, (name, entry) in sorted(self.keeping.items())
        )

    def kept_listing(self, token: str) -> KeptListing:
        """All of what is kept under a token; see the port."""
        name, entry = self._kept(token)
        return listing_of(token, name, _listed(entry))

    def kept_bytes(self, token: str, path: str, start: int = 0) -> bytes:
        """Some of the bytes of one file of it; see the port."""
        name, entry = self._kept(token)
        found = entry.get(path) if isinstance(entry, dict) else entry if path == "." else None
        if isinstance(found, Odd) and found.unreadable:
            raise StoreFailed("look", found.unreadable)
        if not isinstance(found, Content):
            raise SkillAbsent(name, path)
        return found.data[start : start + LIMITS.piece_bytes]

    def restore(self, token: str, *, cancelled: Cancelled) -> SkillName:
        """Bring a kept folder back into sight; see the port."""
        self._begin()
        name, entry = self._kept(token)
        refuse_lone(kind_of(entry), name)
        if name in self.folders:
            raise SkillExists(name)
        self.folders[name] = entry
        del self.keeping[token]
        return name

    def discard(self, token: str, *, seen: KeptListing, cancelled: Cancelled) -> None:
        """Forget what is kept, because a person who saw it said so; see the port."""
        self._begin()
        found = self.kept_listing(token)
        seen.refuse_unseen()
        if found != seen:
            found.refuse_unseen()
            raise StaleRevision(found.name, None, None, token)
        del self.keeping[token]

    def sweep(self) -> Swept:
        """Nothing is ever left; see the port."""
        if self.problem is not None:
            raise self.problem
        return Swept(skipped=self.held is not None)

    def _begin(self) -> None:
        if self.problem is not None:
            raise self.problem
        if self.held is not None:
            raise Busy(self.held)

    def _begun(self, name: SkillName, seen: Revision) -> tuple[dict[str, Entry], SkillTree]:
        """The entries of a folder that is as it was seen, and the tree of them."""
        self._begin()
        entries = self._entry(name)
        if not isinstance(entries, dict):
            why = "a link or file stands where the folder should"
            raise NotEditable(self.source, why, "move it away by hand", name=name)
        found = published(name, entries)
        if found.sighting.revision != seen:
            found.sighting.refuse_unread()
            raise StaleRevision(name, seen, found.sighting.revision)
        return entries, found.tree

    def _refuse_unseen(self, name: SkillName, entries: dict[str, Entry], path: str) -> None:
        """Refuse a path that something stands at, or above it, that is no file that was read, nor a folder."""
        for above in _above(path):
            if above in entries and entries[above] != Odd("folder"):
                raise NotEditable(self.source, f"`{above}` is not a folder", _AWAY, name=name)
        if entries.get(path) == Odd("folder") or any(each.startswith(f"{path}/") for each in entries):
            raise NotEditable(self.source, f"`{path}` is a folder", _AWAY, name=name)
        if path in entries:
            why = f"what stands at `{path}` is no file that can be read here"
            raise NotEditable(self.source, why, _AWAY, name=name)

    def _marked(self, name: SkillName) -> Fence | None:
        return parse_fence(self.marks[name]) if name in self.marks else None

    def _kept(self, token: str) -> tuple[SkillName, dict[str, Entry] | Entry]:
        if token not in self.keeping:
            raise KeptAbsent(token)
        return self.keeping[token]


_AWAY: Final = "look at it, and move it away by hand"


def _above(path: str) -> list[str]:
    """The folders that a path runs through, outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _listed(entry: dict[str, Entry] | Entry) -> Iterator[KeptEntry]:
    """All of what is kept, folders before what is in them."""
    if not isinstance(entry, dict):
        yield _told(".", entry)
        return
    yield KeptEntry(".", "folder")
    everything = {**{path: Odd("folder") for path in folders_of(entry)}, **entry}
    for path in sorted(everything):
        if not beyond_depth(path.rpartition("/")[0]):
            yield _told(path, everything[path])


def _told(path: str, entry: Entry) -> KeptEntry:
    if isinstance(entry, Content):
        changed = 0 if path == "." else changed_ns(entry.data)
        return KeptEntry(path, "file", len(entry.data), ctime_ns=changed, executable=entry.executable)
    beyond = beyond_depth(path) if entry.kind == "folder" else ""
    return KeptEntry(path, entry.kind, unread=entry.unreadable, beyond=beyond)
