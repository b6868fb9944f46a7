"""One skill's folder, judged while it is read: what belongs to the skill, what is left out, and everything wrong with it.

An adapter walks the folder and tells a `Folder` what it meets; the `Folder` says what to enter and what to read. No bytes
are kept but what the adapter keeps. The verdict does not depend on the order in which entries come.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final, Literal

from . import rules
from .document import Head, examine
from .errors import BadPath
from .findings import Finding, Rule
from .limits import LIMITS
from .names import (
    DOCUMENT,
    MARKER,
    PROVENANCE,
    Generation,
    ResourcePath,
    is_left_out,
    is_reserved,
    portable_key,
    resource_path,
)
from .provenance import Provenance, UnreadableProvenance, load_provenance
from .record import Sighting
from .text import escaped
from .tree import Item, Unlisted, clashes, folders_of, revision_of

__all__ = ["Folder", "Kind", "parse_marker", "render_marker", "unnamed"]

Kind = Literal["file", "folder", "link", "other"]

_MARKER: Final = re.compile(rb"kestrel-skill-generation-v1:([0-9a-f]{64})\n")
_VERSION_CONTROL: Final = (".git", ".hg", ".svn")
_SHOWN: Final = 200


def parse_marker(content: bytes) -> Generation | None:
    """The generation that a `.kestrel-generation` holds; nothing where it is malformed."""
    match = _MARKER.fullmatch(content)
    return Generation(match[1].decode()) if match else None


def render_marker(generation: Generation) -> bytes:
    """The content of a `.kestrel-generation`: `kestrel-skill-generation-v1:<64 hex>` and a line end."""
    return b"kestrel-skill-generation-v1:%s\n" % generation.encode()


def unnamed(folder: str) -> Sighting:
    """The sighting of a folder whose name is no skill name: not opened, not addressable."""
    finding = Finding(rules.UNNAMED_FOLDER, ".", f"`{escaped(folder)[:80]}` is not a skill name")
    return refused(folder, finding)


def refused(folder: str, finding: Finding) -> Sighting:
    """The sighting of a folder that was not opened, or not to its end."""
    return Sighting(
        folder=folder, head=None, inventory=(), revision=revision_of(()), findings=(finding,), unlisted=None
    )


class Folder:
    """What is known of one folder so far."""

    def __init__(self, name: str) -> None:
        """Begin to read the folder of that name on the disk."""
        self._name = name
        self._items: list[Item] = []
        self._unlisted: list[Unlisted] | None = []
        self._findings: list[Finding] = []
        self._head: Head | None = None
        self._generation: Generation | None = None
        self._provenance: Provenance | None = None
        self._folders: set[str] = set()
        self._document_met = False
        self._bytes = 0
        self._looked = 0

    def enters(self, path: str) -> bool:
        """Whether the folder at that path is to be walked. It is looked at either way."""
        if not self._looks():
            return False
        part = path.rpartition("/")[2]
        if is_left_out(part):
            self._leave_out(path, "folder", 0, 0)
            return part.casefold() not in _VERSION_CONTROL
        if self._is_left_out_below(path):
            self._set_aside(path, "folder", 0, 0)
            return True
        if self._minted(path, "folder", 0, 0) is None:
            return False
        self._folders.add(path)
        return True

    def reads(self, path: str, size: int, mtime_ns: int) -> bool:
        """Whether the regular file at that path is to be read, and given to `file`."""
        if path in (MARKER, PROVENANCE):
            return True
        if not self._looks():
            return False
        if is_left_out(path.rpartition("/")[2]):
            self._leave_out(path, "file", size, mtime_ns)
            return False
        if self._is_left_out_below(path):
            self._set_aside(path, "file", size, mtime_ns)
            return False
        self._document_met |= path == DOCUMENT
        if size > LIMITS.file_bytes:
            self.too_large(path, size)
            return False
        if self._bytes + size > LIMITS.skill_bytes:
            self._beyond(rules.LARGE_SKILL, f"more than {LIMITS.skill_bytes:,} bytes")
            return False
        return True

    def file(self, path: str, data: bytes, *, executable: bool, mtime_ns: int) -> None:
        """Take the whole content of a regular file."""
        if path == MARKER:
            self._generation = parse_marker(data)
            if self._generation is None:
                self._add(rules.BAD_MARKER, MARKER, "this is not a generation marker")
            return
        if path == PROVENANCE:
            self._read_provenance(data)
            return
        self._bytes += len(data)
        minted = self._minted(path, "file", len(data), mtime_ns)
        if minted is None:
            return
        self._items.append(Item(minted, len(data), hashlib.sha256(data).digest(), executable))
        if minted == DOCUMENT:
            self._head, findings = examine(data, self._name)
            self._findings += findings
        elif not data.isascii() or b"\0" in data:
            self._check_text(minted, data)

    def too_large(self, path: str, size: int) -> None:
        """Take note of a file that is larger than one may be, and was not read to its end."""
        self._unlisted = None
        shown = self._shown(path)
        self._add(rules.LARGE_FILE, shown, f"{size:,} bytes where {LIMITS.file_bytes:,} are allowed")

    def other(self, path: str, kind: Kind, size: int, mtime_ns: int) -> None:
        """Take note of what is neither a regular file nor a folder; it is never opened."""
        if not self._looks():
            return
        self._document_met |= path == DOCUMENT
        self._set_aside(path, kind, size, mtime_ns)
        rule = rules.LINK if kind == "link" else rules.SPECIAL_FILE
        if not is_left_out(path.rpartition("/")[2]):
            self._add(rule, self._shown(path), rule.title)

    def unreadable(self, path: str, why: str) -> None:
        """Take note of a file or folder that could not be read; `why` is one safe phrase."""
        self._unlisted = None
        self._document_met |= path == DOCUMENT
        self._add(rules.UNREADABLE, self._shown(path), f"it cannot be read: {why}")

    def sighting(self, stamps: object = None) -> Sighting:
        """The verdict."""
        self._items.sort()
        self._check_whole()
        findings = tuple(sorted(self._findings, key=lambda finding: finding.place))
        fine = self._head is not None and not any(found.severity == "error" for found in findings)
        return Sighting(
            folder=self._name,
            head=self._head if fine else None,
            inventory=tuple(self._items),
            revision=revision_of(self._items),
            findings=_capped(findings),
            generation=self._generation,
            provenance=self._provenance,
            unlisted=None if self._unlisted is None else tuple(sorted(self._unlisted, key=lambda each: each.path)),
            stamps=stamps,
        )

    def _looks(self) -> bool:
        self._looked += 1
        if self._looked > LIMITS.looked_entries:
            self._beyond(rules.MANY_ENTRIES, f"more than {LIMITS.looked_entries:,} entries, left-out ones included")
        return self._looked <= LIMITS.looked_entries

    def _beyond(self, rule: Rule, message: str) -> None:
        """A cap on the whole folder was crossed: say so once, and let nobody approve what nobody saw."""
        self._unlisted = None
        if all(found.rule is not rule for found in self._findings):
            self._add(rule, ".", message)

    def _add(self, rule: Rule, file: str, message: str) -> None:
        self._findings.append(Finding(rule, file, message))

    def _shown(self, path: str) -> str:
        return escaped(path)[:_SHOWN]

    def _set_aside(self, path: str, kind: Kind, size: int, mtime_ns: int, sha256: bytes | None = None) -> None:
        if self._unlisted is not None:
            self._unlisted.append(Unlisted(escaped(path), kind, size, mtime_ns))

    def _leave_out(self, path: str, kind: Kind, size: int, mtime_ns: int) -> None:
        self._set_aside(path, kind, size, mtime_ns)
        self._add(rules.LEFT_OUT, self._shown(path), "left out: litter of a system or tool")

    def _is_left_out_below(self, path: str) -> bool:
        return any(is_left_out(part) for part in path.split("/")[:-1])

    def _minted(self, path: str, kind: Kind, size: int, mtime_ns: int) -> ResourcePath | None:
        """The path if it is legal; else it is set aside and reported."""
        try:
            return resource_path(path)
        except BadPath as error:
            self._set_aside(path, kind, size, mtime_ns)
            reserved = is_reserved(path.rpartition("/")[2])
            rule = rules.RESERVED_PATH if reserved else rules.BAD_PATH
            self._add(rule, self._shown(path), error.why)
            return None

    def _read_provenance(self, data: bytes) -> None:
        try:
            self._provenance = load_provenance(data)
        except UnreadableProvenance as error:
            self._add(rules.BAD_PROVENANCE, PROVENANCE, str(error))

    def _check_text(self, path: ResourcePath, data: bytes) -> None:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            self._add(
                rules.BINARY_FILE, path, f"the byte 0x{data[error.start]:02x} at offset {error.start:,} is not UTF-8"
            )
            return
        if b"\0" in data:
            self._add(rules.BINARY_FILE, path, "it holds NUL characters")

    def _check_whole(self) -> None:
        paths = [item.path for item in self._items]
        if not self._document_met:
            self._miss_document(paths)
        folders = self._folders | folders_of(paths)
        entries = len(paths) + len(folders)
        if entries > LIMITS.skill_entries:
            self._beyond(
                rules.MANY_ENTRIES, f"{entries:,} files and folders where {LIMITS.skill_entries:,} are allowed"
            )
        for first, second in clashes(sorted({*paths, *folders})):
            self._add(
                rules.CLASHING_PATHS, escaped(second), f"`{escaped(first)}` and `{escaped(second)}` are one elsewhere"
            )

    def _miss_document(self, paths: list[ResourcePath]) -> None:
        wanted = portable_key(DOCUMENT)
        found = next((path for path in paths if portable_key(path) == wanted), None)
        if found is None:
            self._add(rules.NO_DOCUMENT, DOCUMENT, "the folder has no SKILL.md")
        else:
            self._add(rules.MISSPELT_DOCUMENT, found, f"the file is named `{found}`")


def _capped(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """As many as are reported, faults first where not all are."""
    if len(findings) <= LIMITS.findings:
        return findings
    by_weight = sorted(findings, key=lambda finding: finding.severity != "error")
    return tuple(sorted(by_weight[: LIMITS.findings], key=lambda finding: finding.place))
