"""One source root on a POSIX file system, read.

What is read, is read through descriptors: no link is followed, nothing is waited for, nothing is read beyond the caps.
Whether anything changed is asked by path, by stamps: a name, its inode, size, and times of change. Stamps are taken
before what they stamp is read, so that whatever is written later moves them; those too young to tell one write from the
next are not kept.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Final

from attrs import field, frozen

from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.errors import BadSource, SkillAbsent, SkillError, SourceUnavailable, TooLarge
from kestrel_skills_core.domain.folder import Kind, is_walked, lacks_marker
from kestrel_skills_core.domain.intake import Intake
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.domain.root import LISTED, candidates, charged, linked, refused, unopened
from kestrel_skills_core.domain.tree import Content, SkillTree
from kestrel_skills_core.ports.files import Published
from kestrel_skills_core.ports.world import Chance, Watcher

from .abreast import abreast
from .failures import phrase
from .markers import mint
from .syscalls import Syscalls
from .walking import ABSENT, Look, Moved, Stamps, Walk

__all__ = ["TRIES", "PosixSkillFiles"]

_YOUNG_NS: Final = 2_000_000_000
"""The coarsest clock of a file system in use ticks every two seconds (FAT)."""
TRIES: Final = 3
_READABLE: Final = "see that the agent's user may read it, and that the disk is well, then list the skills again"


def _absolute(path: str | os.PathLike[str]) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - a root is known by its path as spelt, links in it included


@frozen(eq=False)
class PosixSkillFiles:
    """The skills of one root: see `SkillFiles` for what each method promises.

    The root's path is made absolute, and its last part may not be a link. Only where the source is agent-local and
    there is a `chance`, folders are given generation markers; else nothing is ever written.
    """

    path: str = field(alias="root", converter=_absolute)
    source: SourceId
    chance: Chance | None = field(default=None, kw_only=True)
    watcher: Watcher = field(factory=Watcher, kw_only=True)
    calls: Syscalls = field(factory=Syscalls, kw_only=True)

    @property
    def root(self) -> str | None:
        """What a state row names a shared root by."""
        if self.source is not SourceId.HOST_SHARED:
            return None
        return hashlib.sha256(os.fsencode(self.path)).hexdigest()

    def survey(self, known: Survey | None = None) -> Survey:
        """Look at every folder once; see the port."""
        try:
            with self._opened() as root:
                entries = self._entries(root)
                sightings = self._sightings(root, entries, {} if known is None else known.sightings)
        except SkillError as problem:
            return Survey(source=self.source, root=self.root, problem=problem)
        survey = Survey(source=self.source, root=self.root, sightings=sightings, entries=charged(entries))
        return known if known is not None and _is_as_known(survey, known) else survey

    def read(self, name: SkillName) -> Published:
        """One whole folder; see the port."""
        for _ in range(TRIES):
            with self._opened() as root, suppress(Moved):
                published = self._whole(root, name)
                if lacks_marker(published.sighting) and self._mint(root, [name]):
                    published = self._whole(root, name)
                return published
        raise self._restless()

    def read_resource(self, name: SkillName, path: ResourcePath) -> bytes:
        """The bytes of one file; see the port."""
        for _ in range(TRIES):
            with self._opened() as root:
                content, found = self._read_resource(root, name, path)
            if not stat.S_ISREG(found.st_mode):
                raise SkillAbsent(name, path)
            if content is None:
                raise TooLarge("bytes in one file", LIMITS.file_bytes, found.st_size, rules.LARGE_FILE.fix)
            if len(content) == found.st_size:
                return content
        raise self._restless()

    def look(self, folder: str) -> tuple[Sighting, Mapping[str, Content]]:
        """One folder of whatever name, as a survey sees it, and every file that was read on the way.

        Writes nothing, and opens nothing else of the root.

        Raises:
            SkillAbsent: There is no such folder.
            SourceUnavailable: The root cannot be read.
        """
        kept: dict[str, Content] = {}
        with self._opened() as root:
            sighting = self._sighting(root, folder, self.calls.now_ns(), kept)
        if sighting is None:
            raise SkillAbsent(folder)
        return sighting, kept

    def parcel(self, folder: str) -> Parcel:
        """One folder of whatever name, as it is brought in elsewhere: every file of it, at one instant.

        Writes nothing, and opens nothing else of the root.

        Raises:
            BadPath, BadSource, TooLarge: See `Intake`; or the folder is none, or cannot be read.
            SourceUnavailable: The root cannot be read, or the folder kept changing.
        """
        for _ in range(TRIES):
            intake = Intake()
            with self._opened() as root, suppress(Moved):
                try:
                    self._walk_whole(root, folder, Walk(self.calls, intake, 0))
                except OSError as error:
                    raise BadSource(folder, f"it cannot be read as a folder: {phrase(error)[0]}", _READABLE) from None
                return intake.parcel()
        raise self._restless()

    def root_stamps(self) -> tuple[int, ...] | None:
        """What moves whenever a name in the root comes, goes or is changed: which folder the root is, and its times.

        Nothing where it cannot be asked, or where its times are so young that the next change might not move them.
        """
        horizon = self.calls.now_ns() - _YOUNG_NS
        try:
            found = self.calls.stat(self.path)
        except OSError:
            return None
        if max(found.st_mtime_ns, found.st_ctime_ns) > horizon:
            return None
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns

    @contextmanager
    def _opened(self) -> Iterator[int]:
        with ExitStack() as held:
            try:
                root = held.enter_context(self.calls.folder(self.path))
            except OSError as error:
                raise SourceUnavailable(self.source, *_why_no_root(self.path, error)) from None
            yield root

    def _sightings(
        self, root: int, listed: Sequence[tuple[str, Kind]], known: Mapping[str, Sighting]
    ) -> dict[str, Sighting]:
        now = self.calls.now_ns()
        entries = candidates(self.source, listed)
        found: dict[str, Sighting | None] = {}
        changed: list[str] = []
        for name, kind in entries:
            sighting = unopened(name, kind) or (self._unchanged(known[name]) if name in known else None)
            if sighting is None:
                changed.append(name)
            else:
                self.watcher.surveying(self.source, len(found), len(entries))
                found[name] = sighting
        with closing(abreast(lambda name: self._sighting(root, name, now), changed, self.calls.now_ns)) as looks:
            for name in changed:
                self.watcher.surveying(self.source, len(found), len(entries))
                found[name] = next(looks)
        bare = [name for name, sighting in found.items() if sighting is not None and lacks_marker(sighting)]
        if bare and self._mint(root, self._told(bare)):
            found |= {name: self._sighting(root, name, now) for name in bare}
        seen = {name: sighting for name, _ in entries if (sighting := found[name]) is not None}
        self.watcher.surveyed(self.source, len(seen), len(changed))
        return seen

    def _entries(self, root: int) -> list[tuple[str, Kind]]:
        try:
            return self.calls.listed(root, LISTED)
        except OSError as error:
            raise SourceUnavailable(self.source, phrase(error)[0], _READABLE) from None

    def _unchanged(self, sighting: Sighting) -> Sighting | None:
        """What was known, if its stamps say that it is still so."""
        if not isinstance(sighting.stamps, tuple):
            return None
        try:
            return sighting if self._is_as_stamped(sighting.folder, sighting.stamps) else None
        except OSError:
            return None

    def _is_as_stamped(self, folder: str, stamps: tuple[str | int | None, ...]) -> bool:
        found: Stamps = []
        self._stamp(f"{self.path}/{folder}", "", found, len(stamps))
        return tuple(found) == stamps

    def _stamp(self, folder: str, prefix: str, found: Stamps, most: int) -> None:
        """Append the stamps of a folder on the disk, or enough of them to tell that there are more than so many."""
        for name in self.calls.stamps(folder, most + 1, found):
            found.append(name)
            if is_walked(prefix + name) and len(found) <= most:
                with suppress(OSError):
                    self._stamp(f"{folder}/{name}", f"{prefix}{name}/", found, most)
            found.append(None)

    def _sighting(self, root: int, name: str, now: int, kept: dict[str, Content] | None = None) -> Sighting | None:
        """What is seen under one name; nothing if there is no such folder any more.

        What changes while it is read leaves a young time on what is read after the change, be it on the folder that it
        is in; so only what has one is looked at again, and read again where a stamp moved.
        """
        for _ in range(TRIES):
            look = Look(self.calls, name, now - _YOUNG_NS, kept)
            try:
                self._walk(root, name, look)
            except TooLarge as error:
                return refused(name, rules.MANY_ENTRIES, str(error))
            except Moved:
                continue
            except OSError as error:
                kind = self._kind(root, name)
                if kind != "folder":
                    return linked(name) if kind == "link" else None
                if error.errno not in ABSENT:
                    return refused(name, rules.UNREADABLE, f"it cannot be read: {phrase(error)[0]}")
            else:
                return look.sighting()
        return refused(name, rules.RESTLESS, "it kept changing while it was read")

    def _walk(self, root: int, name: str, look: Look) -> None:
        """Walk one folder, and where a stamp is young, make sure that none moved meanwhile.

        What could not be read has no stamp; such a folder is a rejection, and looked at again each time.
        """
        folder = self.calls.open(name, root)
        try:
            look.walk(folder)
        finally:
            self.calls.close(folder)
        if look.young and not look.unread and not self._is_as_stamped(name, tuple(look.stamps)):
            raise Moved

    def _walk_whole(self, root: int, name: str, walk: Walk) -> None:
        """Walk one folder, and make sure that nothing in it moved meanwhile, nor another took its name."""
        with self.calls.folder(name, root) as folder:
            walk.walk(folder)
        if not self._is_as_stamped(name, tuple(walk.stamps)):
            raise Moved

    def _whole(self, root: int, name: SkillName) -> Published:
        """One folder, none of whose stamps moved; since they hold inodes, no other has taken its name either."""
        kept: dict[str, Content] = {}
        look = Look(self.calls, name, self.calls.now_ns() - _YOUNG_NS, kept)
        try:
            self._walk_whole(root, name, look)
        except OSError as error:
            kind = self._kind(root, name)
            if kind == "link":
                return Published(sighting=linked(name), tree=SkillTree({}))
            if kind != "folder":
                raise SkillAbsent(name) from None
            if error.errno in ABSENT:
                raise Moved from None
            raise SourceUnavailable(self.source, phrase(error)[0], _READABLE) from None
        if (beyond := look.folder.beyond()) is not None:
            raise beyond
        sighting = look.sighting()
        return Published(sighting=sighting, tree=SkillTree({item.path: kept[item.path] for item in sighting.inventory}))

    def _read_resource(self, root: int, name: SkillName, path: ResourcePath) -> tuple[bytes | None, os.stat_result]:
        *folders, file = path.split("/")
        with ExitStack() as held:
            try:
                at = held.enter_context(self.calls.folder(name, root))
            except OSError as error:
                raise self._absent_or_unavailable(error, name) from None
            try:
                for folder in folders:
                    at = held.enter_context(self.calls.folder(folder, at))
                return self.calls.read(file, at, LIMITS.file_bytes)
            except OSError as error:
                raise self._absent_or_unavailable(error, name, path) from None

    def _kind(self, root: int, name: str) -> Kind | None:
        """What a name means now, or nothing; a folder where that cannot be told."""
        try:
            mode = self.calls.stat(name, root).st_mode
        except OSError as error:
            return None if error.errno in ABSENT else "folder"
        return "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "other"

    def _told(self, folders: Sequence[str]) -> Iterator[str]:
        """The folders one by one, each told of: marking waits for the disk, and may take longer than looking."""
        for done, folder in enumerate(folders):
            self.watcher.surveying(self.source, done, len(folders))
            yield folder

    def _mint(self, root: int, folders: Iterable[str]) -> bool:
        """See that folders have markers, where this root may be written; whether any may have one now."""
        if self.chance is None or self.source is not SourceId.AGENT_LOCAL:
            return False
        return mint(self.calls, root, folders, self.chance)

    def _absent_or_unavailable(self, error: OSError, name: SkillName, path: str | None = None) -> SkillError:
        if error.errno in ABSENT:
            return SkillAbsent(name, path)
        return SourceUnavailable(self.source, phrase(error)[0], _READABLE)

    def _restless(self) -> SourceUnavailable:
        return SourceUnavailable(self.source, "the folder kept changing while it was read", rules.RESTLESS.fix)


def _is_as_known(survey: Survey, known: Survey) -> bool:
    """Whether nothing was opened; then the known survey itself is told, with all that was worked out of it."""
    return survey == known and all(known.sightings[name] is seen for name, seen in survey.sightings.items())


def _why_no_root(path: str, error: OSError) -> tuple[str, str]:
    """Why a root cannot be opened, and what to do."""
    if error.errno == errno.ENOENT:
        return "it does not exist", "make the folder, or name another"
    if os.path.islink(path):  # noqa: PTH114 - which does not fail where a folder above may not be entered
        return "it is a symbolic link", "name the folder that the link points to"
    if error.errno == errno.ENOTDIR:
        return "it is not a folder", "name the folder that holds the skills' folders"
    return phrase(error)[0], _READABLE
