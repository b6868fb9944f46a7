r"""A source root in memory.

>>> from kestrel_skills_adapters.memory.files import MemorySkillFiles
>>> from kestrel_skills_core.domain.names import SkillName, SourceId
>>> from kestrel_skills_core.domain.tree import Content
>>> document = b'---\nname: "knots"\ndescription: "Use when a rope must hold."\n---\n\nTie a bowline.\n'
>>> files = MemorySkillFiles(SourceId.AGENT_LOCAL, {"knots": {"SKILL.md": Content(document)}})
>>> files.survey().sightings["knots"].head.description
'Use when a rope must hold.'
>>> files.read(SkillName("knots")).tree.files["SKILL.md"].data == document
True
"""

from __future__ import annotations

import hashlib
from contextlib import suppress

from attrs import define, field, frozen

from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.errors import SkillAbsent, SkillError, SourceUnavailable, TooLarge
from kestrel_skills_core.domain.folder import Folder, Kind, lacks_marker, render_marker
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import MARKER, ResourcePath, SkillName, SourceId, new_generation
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.domain.root import candidates, charged, linked, refused, unopened
from kestrel_skills_core.domain.tree import Content, SkillTree, folders_of
from kestrel_skills_core.ports.files import Published
from kestrel_skills_core.ports.world import Chance

__all__ = ["Entry", "MemorySkillFiles", "Odd", "changed_ns", "judged", "kind_of", "published"]


@frozen
class Odd:
    """An entry without bytes: an empty folder, a link, a special file, or what cannot be read, and why."""

    kind: Kind
    unreadable: str = ""


Entry = Content | Odd
"""What lies at one path. Folders need no entry of their own, unless they are empty or cannot be read."""


@define(eq=False)
class MemorySkillFiles:
    """The port over dictionaries: the root's entries by name, and of each folder, its entries by path.

    Change `folders` at will between two calls. `problem`, if set, is what every method meets instead. Folders are given
    generation markers if there is a `chance` and the source is agent-local.
    """

    source: SourceId
    folders: dict[str, dict[str, Entry] | Entry] = field(factory=dict)
    chance: Chance | None = None
    root: str | None = None
    problem: SkillError | None = None

    def survey(self, known: Survey | None = None) -> Survey:
        """Look at every folder once; see the port."""
        if self.problem is not None:
            return Survey(source=self.source, root=self.root, problem=self.problem)
        entries = [(name, kind_of(entry)) for name, entry in self.folders.items()]
        try:
            found = {
                name: unopened(name, kind) or self._sighting(name) for name, kind in candidates(self.source, entries)
            }
        except TooLarge as problem:
            return Survey(source=self.source, root=self.root, problem=problem)
        before = {} if known is None else known.sightings
        kept = {name: before[name] if before.get(name) == sighting else sighting for name, sighting in found.items()}
        return Survey(source=self.source, root=self.root, sightings=kept, entries=charged(entries))

    def read(self, name: SkillName) -> Published:
        """One whole folder; see the port."""
        entry = self._entry(name)
        if not isinstance(entry, dict):
            return Published(sighting=linked(name), tree=SkillTree({}))
        self._mark(name, entry)
        return published(name, entry)

    def read_resource(self, name: SkillName, path: ResourcePath) -> bytes:
        """The bytes of one file; see the port."""
        entry = self._entry(name)
        found = entry.get(path) if isinstance(entry, dict) else None
        if isinstance(found, Odd) and found.unreadable:
            raise SourceUnavailable(self.source, found.unreadable)
        if not isinstance(found, Content):
            raise SkillAbsent(name, path)
        if len(found.data) > LIMITS.file_bytes:
            raise TooLarge("bytes in one file", LIMITS.file_bytes, len(found.data), rules.LARGE_FILE.fix)
        return found.data

    def _entry(self, name: SkillName) -> dict[str, Entry] | Odd:
        """A folder that can be read, or a link in its place."""
        if self.problem is not None:
            raise self.problem
        entry = self.folders.get(name, Odd("other"))
        if isinstance(entry, Odd) and entry.unreadable:
            raise SourceUnavailable(self.source, entry.unreadable)
        if kind_of(entry) not in ("folder", "link") or isinstance(entry, Content):
            raise SkillAbsent(name)
        return entry

    def _sighting(self, name: str) -> Sighting:
        entry = self.folders[name]
        if isinstance(entry, Odd):
            return refused(name, rules.UNREADABLE, f"it cannot be read: {entry.unreadable}")
        assert isinstance(entry, dict)
        self._mark(name, entry)
        try:
            return judged(name, entry).sighting(dict(entry))
        except TooLarge as error:
            return refused(name, rules.MANY_ENTRIES, str(error))

    def _mark(self, name: str, entries: dict[str, Entry]) -> None:
        if self.chance is None or self.source is not SourceId.AGENT_LOCAL or isinstance(entries.get(MARKER), Odd):
            return
        with suppress(TooLarge):
            if lacks_marker(judged(name, entries).sighting()):
                entries[MARKER] = Content(render_marker(new_generation(self.chance.token())))


def published(name: str, entries: dict[str, Entry]) -> Published:
    """A folder as it is, and every inventoried byte.

    Raises:
        TooLarge: It holds more than one folder may.
    """
    folder = judged(name, entries)
    if (beyond := folder.beyond()) is not None:
        raise beyond
    sighting = folder.sighting(dict(entries))
    contents = {path: content for path, content in entries.items() if isinstance(content, Content)}
    return Published(sighting=sighting, tree=SkillTree({item.path: contents[item.path] for item in sighting.inventory}))


def kind_of(entry: dict[str, Entry] | Entry) -> Kind:
    """What lies at one name."""
    return "folder" if isinstance(entry, dict) else "file" if isinstance(entry, Content) else entry.kind


def judged(name: str, entries: dict[str, Entry]) -> Folder:
    """The folder walked as a disk would be: parents first, and only where it says to enter."""
    folder = Folder(name)
    everything = {**{path: Odd("folder") for path in folders_of(entries)}, **entries}
    entered = {""}
    for path in sorted(everything):
        if path.rpartition("/")[0] in entered:
            folder.looks(1)
            if _meets(folder, path, everything[path]):
                entered.add(path)
    return folder


def _meets(folder: Folder, path: str, entry: Entry) -> bool:
    """Tell of one entry; whether it is a folder that is walked."""
    if isinstance(entry, Odd) and entry.kind != "folder":
        if entry.unreadable and folder.reads(path) is not None:
            folder.unreadable(path, entry.unreadable)
        else:
            folder.aside(path, entry.kind, size=0, mtime_ns=0, ctime_ns=0)
        return False
    if isinstance(entry, Odd):
        if entry.unreadable:
            folder.enters(path)
            folder.unreadable(path, entry.unreadable)
            return False
        return folder.enters(path)
    most = folder.reads(path)
    size = len(entry.data)
    if most is None:
        folder.aside(path, "file", size=size, mtime_ns=0, ctime_ns=changed_ns(entry.data))
    elif size > most:
        folder.large(path, size)
    else:
        folder.file(path, entry.data, executable=entry.executable)
    return False


def changed_ns(content: bytes) -> int:
    """A time of change, in ns: another for other bytes, as it is on a disk, and the same whenever it is asked for."""
    return int.from_bytes(hashlib.sha256(content).digest()[:7], "big")
