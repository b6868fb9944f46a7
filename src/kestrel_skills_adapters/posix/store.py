"""The agent's own root on a POSIX file system, changed.

Every verb is one protocol: stage what is new; move it, in one call, into sight, or what is old out of it; look at what
the move brought out; and settle, which means to wait until the names are on the disk. Nothing is compensated, and
nothing is removed: whatever a verb, a crash or an error leaves out of sight is ended by the next sweep.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress

from attrs import evolve, field, frozen

from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.approval import ApprovalBinding
from kestrel_skills_core.domain.errors import (
    Busy,
    InDoubt,
    NotEditable,
    SkillAbsent,
    SkillExists,
    SourceUnavailable,
    StaleRevision,
    TooLarge,
)
from kestrel_skills_core.domain.fence import Fence
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.kept import KeptListing, refuse_lone
from kestrel_skills_core.domain.leftover import FolderName
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import (
    DOCUMENT,
    INTERNAL,
    MARKER,
    PROVENANCE,
    Generation,
    ResourcePath,
    Revision,
    SkillName,
    SourceId,
    new_generation,
)
from kestrel_skills_core.domain.owner import Owner
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.removal import Manifest, approved_manifest, manifest_of
from kestrel_skills_core.domain.root import refused
from kestrel_skills_core.domain.tree import Content, SkillTree
from kestrel_skills_core.ports.files import Published
from kestrel_skills_core.ports.store import Kept, Swept
from kestrel_skills_core.ports.world import Cancelled, Chance

from . import fencing, keeping, owning
from .changing import Change
from .counting import Count
from .failures import doubted, failed, failing
from .keeping import put_back
from .reading import TRIES, PosixSkillFiles
from .rooms import KEPT, RETIRED, STAGING, Rooms
from .staging import stage
from .sweeping import Sweep
from .syscalls import EXECUTABLE
from .trail import Trail
from .walking import Look, Moved

__all__ = ["PosixSkillStore"]


@frozen(eq=False)
class PosixSkillStore(PosixSkillFiles):
    """The agent's own root: see `SkillStore` for what each method promises.

    `patience` is how long, in seconds, another may hold the store, and then the name, before the answer is `Busy`.
    """

    source: SourceId = field(default=SourceId.AGENT_LOCAL, init=False)
    chance: Chance = field(kw_only=True)
    patience: float = field(default=5.0, kw_only=True)
    _count: Count = field(factory=Count, init=False)

    def publish(
        self, name: SkillName, tree: SkillTree, provenance: Provenance | None = None, *, cancelled: Cancelled
    ) -> Generation:
        """Bring a whole new folder into sight; see the port."""
        generation = new_generation(self.chance.token())
        files: dict[str, Content] = dict(tree.files.items())
        files[MARKER] = Content(render_marker(generation))
        if provenance is not None:
            files[PROVENANCE] = Content(dump_provenance(provenance))
        with self._mutating("create", name, cancelled) as (rooms, trail):
            self._refuse_one_more(rooms.root)
            with rooms.staged() as staged:
                stage(self.calls, staged.token, rooms[STAGING], files)
                entry = staged.finish(FolderName(Manifest.of(files).whole, staged.token, name))
                try:
                    with self._count.moving(self.calls, rooms.root, 1):
                        self.calls.move(entry, rooms[STAGING], name, rooms.root)
                except FileExistsError:
                    raise SkillExists(name) from None
            with doubted(name):
                if not trail.holds():
                    raise InDoubt(name)
                rooms.sync(rooms.root, rooms[STAGING])
        return generation

    def write(
        self, name: SkillName, path: ResourcePath, content: bytes, *, seen: Revision, cancelled: Cancelled
    ) -> Revision:
        """Replace one file, or add one; see the port."""
        with self._mutating("edit", name, cancelled) as (rooms, trail):
            change, tree = self._begun(rooms, trail, name, seen)
            old = tree.files.get(path)
            after = SkillTree({**tree.files, path: Content(content, old is not None and old.executable)})
            if old is None:
                change.add(change.missing(path), content)
            else:
                change.replace(change.found(path), old, content)
        return after.revision

    def remove(self, name: SkillName, path: ResourcePath, *, seen: Revision, cancelled: Cancelled) -> Revision:
        """Take one file out; see the port."""
        if path == DOCUMENT:
            raise NotEditable(self.source, "a skill is its SKILL.md", "delete the skill, or edit the file", name=name)
        with self._mutating("remove", name, cancelled) as (rooms, trail):
            change, tree = self._begun(rooms, trail, name, seen)
            old = tree.files.get(path)
            if old is None:
                change.missing(path)
                raise SkillAbsent(name, path)
            after = SkillTree({each: content for each, content in tree.files.items() if each != path})
            change.remove(change.found(path), old)
        return after.revision

    def annotate(self, name: SkillName, provenance: Provenance, *, seen: Revision, cancelled: Cancelled) -> None:
        """Write where a skill came from; see the port."""
        with self._mutating("annotate", name, cancelled) as (rooms, trail):
            change, _ = self._begun(rooms, trail, name, seen)
            content = dump_provenance(provenance)
            old = self._provenance(name, trail.at)
            if old is None:
                change.add(change.missing(PROVENANCE), content)
            else:
                change.replace(PROVENANCE, old, content)

    def retire(self, name: SkillName, *, approved: ApprovalBinding, cancelled: Cancelled) -> None:
        """Take a whole folder out of sight; see the port."""
        with self._mutating("delete", name, cancelled) as (rooms, trail):
            with self._entering(name):
                sighting, read = self._seen(rooms.root, name)
            manifest = approved_manifest(name, sighting, read, approved)
            entry = FolderName(manifest.whole, rooms.token(), name)
            try:
                with self._count.moving(self.calls, rooms.root, -1):
                    self.calls.move(name, rooms.root, str(entry), rooms[RETIRED])
            except FileNotFoundError:
                raise SkillAbsent(name) from None
            except PermissionError as error:  # a folder itself is written when it moves to another
                raise failed("delete", error, name) from None
            with doubted(name):
                if self._manifest(rooms[RETIRED], str(entry)) != manifest or not trail.holds():
                    raise StaleRevision(name, approved.revision, None, put_back(rooms, RETIRED, entry))
                self.calls.rename(str(entry), rooms[RETIRED], str(evolve(entry, final=True)), rooms[RETIRED])
                rooms.sync(rooms.root, rooms[RETIRED])

    def fence(self, name: SkillName, fence: Fence, *, cancelled: Cancelled) -> tuple[Fence, Fence | None]:
        """Write a fail-closed mark; see the port."""
        with self._working("fence") as rooms:
            rooms.share(self.patience, cancelled)
            return fencing.fence(rooms, name, fence, patience=self.patience, cancelled=cancelled)

    def unfence(self, name: SkillName, *, seen: Fence, cancelled: Cancelled) -> None:
        """Take a mark away; see the port."""
        with self._opened() as root, failing("unfence"):
            fencing.unfence(self.calls, root, name, seen, patience=self.patience, cancelled=cancelled)

    def fenced(self) -> Mapping[SkillName, Fence] | None:
        """All marks; see the port."""
        with suppress(OSError, SourceUnavailable), self._opened() as root:
            return fencing.fences(self.calls, root)
        return None

    def claim(self, owner: Owner, *, cancelled: Cancelled) -> Owner | None:
        """Say in the root whose it is; see the port."""
        before = self.owner()
        if before != owner:
            with self._working("claim") as rooms:
                rooms.share(self.patience, cancelled)
                owning.claim(rooms, owner)
        return owner.ousts(before)

    def owner(self) -> Owner | None:
        """Whose the root is said to be; see the port."""
        with suppress(OSError, SourceUnavailable), self._opened() as root:
            return owning.owner(self.calls, root)
        return None

    def kept(self) -> tuple[Kept, ...]:
        """What is kept of a person's; see the port."""
        with self._opened() as root, failing("look"):
            return keeping.kept(self.calls, root)

    def kept_listing(self, token: str) -> KeptListing:
        """All of what is kept under a token; see the port."""
        with self._looking(token) as (kept, at):
            return keeping.look(self.calls, kept, at)

    def kept_bytes(self, token: str, path: str, start: int = 0) -> bytes:
        """Some of the bytes of one file of it; see the port."""
        with self._looking(token) as (kept, at):
            return keeping.piece(self.calls, kept, at, path, start)

    def restore(self, token: str, *, cancelled: Cancelled) -> SkillName:
        """Bring a kept folder back into sight; see the port."""
        kept = self._kept("restore", token)
        refuse_lone(kept.kind, kept.name)
        with self._mutating("restore", kept.name, cancelled) as (rooms, _):
            keeping.restore(rooms, kept)
        return kept.name

    def discard(self, token: str, *, seen: KeptListing, cancelled: Cancelled) -> None:
        """Remove what is kept, because a person who saw it said so; see the port."""
        kept = self._kept("discard", token)
        seen.refuse_unseen()
        with self._mutating("discard", kept.name, cancelled) as (rooms, _):
            keeping.discard(rooms, kept, seen)

    def sweep(self) -> Swept:
        """End what interrupted mutations left; see the port."""
        with self._opened() as root, failing("sweep"):
            try:
                self.calls.stat(INTERNAL, root)
            except FileNotFoundError:
                return Swept()
            with ExitStack() as held:
                rooms = Rooms(self.calls, root, self.chance, held)
                try:
                    rooms.seize()
                except Busy:
                    return Swept(skipped=True)
                return Sweep(rooms, self._manifest).run()

    @contextmanager
    def _working(self, step: str) -> Iterator[Rooms]:
        """This library's own rooms; what the system refuses before a commit is told as that step's failure."""
        with self._opened() as root, failing(step), ExitStack() as held:
            yield Rooms(self.calls, root, self.chance, held)

    @contextmanager
    def _mutating(self, step: str, name: SkillName, cancelled: Cancelled) -> Iterator[tuple[Rooms, Trail]]:
        """The rooms, with the store held among others, and one name alone; and a trail that begins at the root."""
        with self._working(step) as rooms:
            rooms.share(self.patience, cancelled)
            rooms.claim(name, self.patience, cancelled)
            trail = Trail(self.calls, self.path, rooms.root, rooms.held)
            with failing(step, trail.way):
                yield rooms, trail

    def _begun(self, rooms: Rooms, trail: Trail, name: SkillName, seen: Revision) -> tuple[Change, SkillTree]:
        """A change of a folder that is as it was seen, and what is in it."""
        with self._entering(name):
            trail.enter(name)
        found = self._as_it_is(rooms.root, name)
        if found.sighting.revision != seen:
            found.sighting.refuse_unread()
            raise StaleRevision(name, seen, found.sighting.revision)
        return Change(rooms, trail, name, seen), found.tree

    def _as_it_is(self, root: int, name: SkillName) -> Published:
        for _ in range(TRIES):
            with suppress(Moved):
                return self._whole(root, name)
        raise self._restless()

    @contextmanager
    def _entering(self, name: SkillName) -> Iterator[None]:
        """What is said where there is no folder of that name."""
        try:
            yield
        except FileNotFoundError:
            raise SkillAbsent(name) from None
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            why = "a link or file stands where the folder should"
            raise NotEditable(self.source, why, "move it away by hand", name=name) from None

    def _seen(self, at: int, folder: str) -> tuple[Sighting, dict[str, Content]]:
        """One folder of an open one, wherever that is, and every file that was read of it.

        Raises:
            OSError: It cannot be opened or listed.
        """
        for _ in range(TRIES):
            read: dict[str, Content] = {}
            look = Look(self.calls, folder, 0, read)
            try:
                with self.calls.folder(folder, at) as fd:
                    look.walk(fd)
            except TooLarge as error:
                return refused(folder, rules.MANY_ENTRIES, str(error)), {}
            except Moved:
                continue
            return look.sighting(), read
        return refused(folder, rules.RESTLESS, "it kept changing while it was read"), {}

    def _manifest(self, at: int, folder: str) -> Manifest | None:
        """Everything in one folder; nothing where not all of it can be seen.

        Raises:
            OSError: Something cannot be read, so that nobody can tell whether it is as it was.
        """
        sighting, read = self._seen(at, folder)
        if sighting.unread is not None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return manifest_of(sighting, read)

    def _provenance(self, name: SkillName, folder: int) -> Content | None:
        try:
            content, found = self.calls.read(PROVENANCE, folder, LIMITS.provenance_bytes)
        except FileNotFoundError:
            return None
        if content is None:
            why = f"what stands at `{PROVENANCE}` is not this library's"
            raise NotEditable(self.source, why, "remove it by hand", name=name)
        return Content(content, found.st_mode & EXECUTABLE != 0)

    def _refuse_one_more(self, root: int) -> None:
        entries = self._count.of(self.calls, root)
        if entries >= LIMITS.root_entries:
            raise TooLarge("entries of the skills folder", LIMITS.root_entries, entries + 1, "delete some first")

    def _kept(self, step: str, token: str) -> Kept:
        with self._opened() as root, failing(step):
            return keeping.kept_as(self.calls, root, token)

    @contextmanager
    def _looking(self, token: str) -> Iterator[tuple[Kept, int]]:
        """What is kept under a token, and the open folder in which it is."""
        with self._opened() as root, failing("look"):
            kept = keeping.kept_as(self.calls, root, token)
            with self.calls.folder(INTERNAL, root) as internal, self.calls.folder(KEPT, internal) as at:
                yield kept, at
