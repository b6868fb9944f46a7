"""One skill's folder, judged while it is read: what belongs to it, what is left out, and everything wrong with it.

An adapter walks the folder, parents before children, and tells a `Folder` what it meets; the `Folder` says what to
enter and what to read.

Rule 1: the verdict does not depend on the order in which entries come, nor on the disk they come from.
Rule 2: what cannot be part of a skill is set aside: named, never opened, and with all that lies below it told of once.
Rule 3: beyond a cap on the whole folder nothing is inventoried, and where something was not seen nothing is listed, so
        that nobody can approve what nobody saw.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from . import rules
from .document import Head, examine
from .errors import BadPath, TooLarge
from .findings import Finding, Rule, capped, faults_of
from .limits import LIMITS
from .names import (
    DOCUMENT,
    MARKER,
    PROVENANCE,
    Generation,
    SkillName,
    is_left_out,
    is_reserved,
    is_skill_name,
    portable_key,
    resource_path,
)
from .provenance import Provenance, UnreadableProvenance, load_provenance
from .record import Sighting
from .rewrite import is_rewritable
from .text import escaped, place_in
from .tree import Listing, Unlisted, clashes, packed

__all__ = [
    "Folder",
    "Kind",
    "illegible",
    "is_adaptable",
    "is_sought",
    "is_walked",
    "lacks_marker",
    "parse_marker",
    "render_marker",
]

Kind = Literal["file", "folder", "link", "other"]
"""What an entry of a folder is, links not followed."""

_MARKER: Final = re.compile(rb"kestrel-skill-generation-v1:([0-9a-f]{64})\n")
_OWN: Final = {MARKER: LIMITS.marker_bytes, PROVENANCE: LIMITS.provenance_bytes}
"""Files of this library at the top of a folder, with the bytes each may hold; outside the author's budget."""
_INSTEAD: Final = {MARKER: rules.BAD_MARKER.fix, PROVENANCE: rules.BAD_PROVENANCE.fix}
"""What to do about something else in the place of these files."""
_ROOMY: Final = LIMITS.skill_bytes - LIMITS.file_bytes
_VERSION_CONTROL: Final = (".git", ".hg", ".svn")
_SHOWN: Final = 200


def parse_marker(content: bytes) -> Generation | None:
    """The generation that a `.kestrel-generation` holds; nothing where it is malformed."""
    match = _MARKER.fullmatch(content)
    return Generation(match[1].decode()) if match else None


def render_marker(generation: Generation) -> bytes:
    """The content of a `.kestrel-generation`: `kestrel-skill-generation-v1:<64 hex>` and a line end."""
    return b"kestrel-skill-generation-v1:%s\n" % generation.encode()


def is_walked(path: str) -> bool:
    """Whether a folder is looked into: it is not too deep, and not version control's own, which may be of any size."""
    return path.count("/") < LIMITS.skill_depth and not _is_version_control(path.rpartition("/")[2])


def is_sought(name: str) -> bool:
    """Whether skills may lie in a folder of that name: it is neither version control's own nor this library's."""
    return not _is_version_control(name) and not is_reserved(name)


def _is_version_control(name: str) -> bool:
    return name.casefold() in _VERSION_CONTROL


def lacks_marker(sighting: Sighting) -> bool:
    """Whether a marker is missed: for a skill to be turned on, or for anything to be deleted."""
    return sighting.generation is None and (sighting.head is not None or sighting.unlisted is not None)


def is_adaptable(folder: str, document: bytes | None, faults: Sequence[Finding], provenance: Provenance | None) -> bool:
    """Whether adapting a folder in its place mends everything that is wrong with it: it rewrites `SKILL.md` alone."""
    record = None if provenance is None else provenance.adapted
    return (
        document is not None
        and is_skill_name(folder)
        and len(faults) > 0
        and all(fault.file == DOCUMENT for fault in faults)
        and is_rewritable(document, SkillName(folder), record.frontmatter if record and record.changes else "")
    )


def illegible(path: str, content: bytes) -> Finding | None:
    """What keeps the bytes of a resource from being text: bytes that are not UTF-8, or a NUL."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        at = error.start
        why = f"the byte 0x{content[at]:02x} at offset {at:,} is not UTF-8"
    else:
        at = content.find(0)
        if at < 0:
            return None
        why = f"a NUL at offset {at:,}"
    return _finding(rules.BINARY_FILE, path, why, place_in(content, at))


class Folder:
    """What is known of one folder so far."""

    __slots__ = (
        "_binaries",
        "_bytes",
        "_closed",
        "_document",
        "_document_met",
        "_findings",
        "_generation",
        "_head",
        "_items",
        "_keys",
        "_looked",
        "_name",
        "_provenance",
        "_unlisted",
        "_unread",
    )

    def __init__(self, name: str) -> None:
        """Begin to read the folder of that name on the disk."""
        self._name = name
        self._looked = 0
        self._keys: dict[str, str] = {}  # of every legal path
        self._closed: set[str] = set()
        self._items: list[tuple[str, int, bytes, bool]] = []
        self._bytes = 0
        self._unlisted: list[Unlisted] | None = []
        self._unread: Finding | None = None
        self._findings: list[Finding] = []
        self._binaries: list[Finding] = []
        self._document_met = False
        self._document: bytes | None = None
        self._head: Head | None = None
        self._generation: Generation | None = None
        self._provenance: Provenance | None = None

    def looks(self, entries: int) -> None:
        """Count entries, of whatever kind, before any of them is looked at.

        Raises:
            TooLarge: More than are looked at in one folder; stop.
        """
        self._looked += entries
        if self._looked > LIMITS.looked_entries:
            what = "entries, left-out ones included"
            raise TooLarge(what, LIMITS.looked_entries, fix=rules.MANY_ENTRIES.fix)

    def enters(self, path: str) -> bool:
        """Whether the folder at that path is to be walked. The answer is `is_walked`'s."""
        if (key := _legal_key(path)) is not None:
            self._keys[path] = key
            return True
        self.aside(path, "folder", size=0, mtime_ns=0, ctime_ns=0)
        self._closed.add(path)
        if is_walked(path):
            return True
        if path.rpartition("/")[2] != ".git":  # which needs no looking into: it alone forbids to delete the folder
            self._unlisted = None
        return False

    def reads(self, path: str) -> int | None:
        """How many bytes to read, at most, of the regular file at that path; nothing where it goes `aside` unopened."""
        if path in _OWN:
            return _OWN[path]
        if (key := _legal_key(path)) is None:
            return None
        self._keys[path] = key
        if path == DOCUMENT:
            self._document_met = True
        elif self._bytes > _ROOMY:
            return LIMITS.skill_bytes - self._bytes
        return LIMITS.file_bytes

    def file(self, path: str, content: bytes, *, executable: bool) -> None:
        """Take the whole content of a file that `reads` let through."""
        if path in _OWN:
            self._take_own(path, content)
            return
        size = len(content)
        self._bytes += size
        self._items.append((path, size, hashlib.sha256(content).digest(), executable))
        if path == DOCUMENT:
            self._document = content
            self._head, findings = examine(content, self._name)
            self._findings += findings
        elif not content.isascii() or b"\0" in content:
            self._check_text(path, content)

    def large(self, path: str, size: int) -> None:
        """Take note of a file that holds more than `reads` allowed, and of which nothing was read."""
        if path == MARKER:
            self._add(rules.BAD_MARKER, MARKER, "this is not a generation marker")
        elif path == PROVENANCE:
            self._add(rules.BAD_PROVENANCE, PROVENANCE, f"it is larger than {LIMITS.provenance_bytes:,} bytes")
        elif size > LIMITS.file_bytes:
            self._unlisted = None
            self._add(rules.LARGE_FILE, path, f"{size:,} bytes where {LIMITS.file_bytes:,} are allowed")
        else:
            self._bytes += size

    def aside(self, path: str, kind: Kind, *, size: int, mtime_ns: int, ctime_ns: int) -> None:
        """Take note of what is never opened: a link, a special file, a file that `reads` did not let through."""
        if self._unlisted is not None:
            self._unlisted.append(Unlisted(escaped(path), kind, size, mtime_ns, ctime_ns))
        self._document_met |= path == DOCUMENT
        if path.rpartition("/")[0] not in self._closed:
            rule, message = _why_aside(path, kind)
            self._add(rule, path, message, _INSTEAD.get(path, ""))

    def unreadable(self, path: str, why: str) -> None:
        """Take note of a file or folder that could not be read; `why` is one safe phrase."""
        self._unlisted = None
        self._document_met |= path == DOCUMENT
        found = _finding(rules.UNREADABLE, path, f"it cannot be read: {why}")
        self._unread = min(filter(None, (self._unread, found)), key=lambda each: each.place)
        if path not in self._closed and path.rpartition("/")[0] not in self._closed:
            self._findings.append(found)

    def beyond(self) -> TooLarge | None:
        """The cap on the whole folder that was crossed, if any."""
        crossed = self._crossed()
        return crossed[0][1] if crossed else None

    def sighting(self, stamps: object = None) -> Sighting:
        """The verdict, once every entry was told of."""
        crossed = self._crossed()
        judged = self._judged(crossed)
        if not judged and self._unread is None:
            return Sighting(
                folder=self._name,
                head=self._head,
                packed=packed(sorted(self._items)),
                generation=self._generation,
                provenance=self._provenance,
                unlisted=self._listing(),
                stamps=stamps,
            )
        faults = faults_of(judged)
        return Sighting(
            folder=self._name,
            head=None if faults else self._head,
            packed=() if crossed else packed(sorted(self._items)),
            findings=capped(judged),
            generation=self._generation,
            provenance=self._provenance,
            unlisted=None if crossed else self._listing(),
            unread=self._unread,
            unrecorded=next((found for found in judged if found.file == PROVENANCE), None),
            adaptable=bool(faults) and is_adaptable(self._name, self._document, faults, self._provenance),
            stamps=stamps,
        )

    def _add(self, rule: Rule, path: str, message: str, advice: str = "") -> None:
        self._findings.append(_finding(rule, path, message, advice=advice))

    def _take_own(self, path: str, content: bytes) -> None:
        if path == MARKER:
            self._generation = parse_marker(content)
            if self._generation is None:
                self._add(rules.BAD_MARKER, MARKER, "this is not a generation marker")
            return
        try:
            self._provenance = load_provenance(content)
        except UnreadableProvenance as error:
            self._add(rules.BAD_PROVENANCE, PROVENANCE, str(error))

    def _check_text(self, path: str, content: bytes) -> None:
        if (found := illegible(path, content)) is not None:
            self._binaries.append(found)

    def _judged(self, crossed: Sequence[tuple[Rule, TooLarge]]) -> list[Finding]:
        """Every finding. Which files were read before too many bytes were met is chance, and so not told."""
        findings = list(self._findings)
        if crossed:
            findings += [Finding(rule, ".", str(error)) for rule, error in crossed]
        elif self._binaries:
            findings += self._binaries
        if not self._document_met:
            findings.append(self._missing_document())
        if len(set(self._keys.values())) < len(self._keys):
            for first, second in clashes(sorted(self._keys)):
                message = f"it is `{escaped(first)[:_SHOWN]}` on other systems"
                findings.append(_finding(rules.CLASHING_PATHS, second, message))
        return findings

    def _crossed(self) -> list[tuple[Rule, TooLarge]]:
        """The caps on the whole folder that were crossed, each with the rule that says so."""
        crossed = []
        if len(self._keys) > LIMITS.skill_entries:
            rule = rules.MANY_ENTRIES
            crossed.append((rule, TooLarge("files and folders", LIMITS.skill_entries, len(self._keys), rule.fix)))
        if self._bytes > LIMITS.skill_bytes:
            rule = rules.LARGE_SKILL
            crossed.append((rule, TooLarge("bytes", LIMITS.skill_bytes, self._bytes, rule.fix)))
        return crossed

    def _missing_document(self) -> Finding:
        if DOCUMENT in self._keys:
            return Finding(rules.NO_DOCUMENT, DOCUMENT, "it is a folder where the file SKILL.md should be")
        wanted = portable_key(DOCUMENT)
        found = min((path for path, key in self._keys.items() if key == wanted), default=None)
        if found is None:
            return Finding(rules.NO_DOCUMENT, DOCUMENT, "the folder has no SKILL.md")
        return _finding(rules.MISSPELT_DOCUMENT, found, f"the file is named `{found}`")

    def _listing(self) -> Listing | None:
        if self._unlisted is None or len(self._unlisted) > LIMITS.skill_entries:
            return None
        return tuple(sorted(self._unlisted)) if self._unlisted else ()


def _finding(rule: Rule, path: str, message: str, place: tuple[int, int] = (0, 0), advice: str = "") -> Finding:
    """A finding on an entry, which is told by a name that is safe to print, and kept by its own."""
    shown = escaped(path)[:_SHOWN]
    return Finding(rule, shown, message, *place, advice, on_disk="" if shown == path else path)


@lru_cache(maxsize=1024)
def _legal_key(path: str) -> str | None:
    """The portable key of a path, if it can be minted. Remembered, because skills name their files alike."""
    return portable_key(path) if _refusal(path) is None else None


def _refusal(path: str) -> BadPath | None:
    try:
        resource_path(path)
    except BadPath as error:
        return error
    return None


def _why_aside(path: str, kind: Kind) -> tuple[Rule, str]:
    """Why an entry is set aside whose folder is not."""
    if is_left_out(path.rpartition("/")[2]):
        return rules.LEFT_OUT, "left out: litter of a system or tool"
    if kind == "link":
        return rules.LINK, "a symbolic link"
    if kind == "other":
        return rules.SPECIAL_FILE, "neither a file nor a folder"
    if path.count("/") >= LIMITS.skill_depth:
        return rules.DEEP_FOLDER, f"deeper than {LIMITS.skill_depth} levels"
    error = _refusal(path)
    assert error is not None, "a legal path is not set aside"
    return (rules.RESERVED_PATH if error.reserved else rules.BAD_PATH), error.why
