"""Where an installed skill came from: `.kestrel-provenance.json`, schema 2, and the 0.1.0 release's version 1.

The file lies in the folder it speaks of, so it is a convenience for people and no proof.

Rule 1: what is written is read again, the same. So a record keeps to the bounds of reading by construction, and whoever
        publishes one need not ask; its texts are as they were given, and not yet safe to print.

Beside what every record has, one of schema 2 may hold `files`, the SHA-256 in hex of each file as it was installed, by
path, and `executable`, the paths of those that could be run. Both are left out where the record would be too large.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from attrs import asdict, evolve, field, frozen, validators

from .errors import BadPath
from .limits import LIMITS
from .names import ResourcePath, Revision, SourceId, digest, resource_path
from .text import escaped
from .tree import Inventory

__all__ = [
    "HEAD_BYTES",
    "Adapted",
    "Installed",
    "Provenance",
    "UnreadableProvenance",
    "dump_provenance",
    "installed",
    "load_provenance",
    "within_room",
]

HEAD_BYTES: Final = LIMITS.frontmatter_bytes + 1024
"""Of a lifted frontmatter: one at its cap, with its fences and what stands before them."""

_TEXT_BYTES: Final = 2048
"""Of an address, a ref or a folder: each is at most half as long."""
_ROOM: Final = 32 * 1024
"""Bytes of a record that the changes may take, and as many again the files that were left out."""
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_KINDS: Final = ("git", "folder", "archive", "adapted")


class UnreadableProvenance(ValueError):
    """The file is not a provenance record; the text says why, in one line."""


@frozen
class Adapted:
    """How a third-party skill was brought into the two-field form, losslessly.

    `original_digest` is the revision of everything that its author published. `frontmatter` is the head of the
    `SKILL.md` as it was, to the byte: mark, fences and line ends included. `document` is the SHA-256 of the `SKILL.md`
    that was made of it, in hex: as long as that is what is there, putting the head back gives the original. What was
    changed and left out are lines that are safe to print.

    Raises:
        ValueError: The frontmatter is more than `HEAD_BYTES`, or nothing where there are changes; or the changes, or
            what was left out, are more than a record has room for (see `within_room`).
    """

    original_digest: str
    frontmatter: str
    changes: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    document: str | None = None

    def __attrs_post_init__(self) -> None:
        if _SURROGATE.search(self.frontmatter) or len(self.frontmatter.encode()) > HEAD_BYTES:
            raise ValueError(f"`frontmatter` is not a text of at most {HEAD_BYTES:,} bytes")
        if self.changes and not self.frontmatter:
            raise ValueError("`frontmatter` is empty, though there are changes")
        for name, lines in (("changes", self.changes), ("omitted", self.omitted)):
            if _room_of(lines) > _ROOM:
                raise ValueError(f"`{name}` is more than {_ROOM:,} bytes")


def within_room(lines: Sequence[str]) -> tuple[str, ...]:
    """As many lines as a record has room for; where that is not all, the last says how many more there are."""
    if _room_of(lines) <= _ROOM:
        return tuple(lines)
    room = _ROOM - _room_of([_more(len(lines))])
    fitting = sum(taken <= room for taken in accumulate(_room_of([line]) for line in lines))
    return (*lines[:fitting], _more(len(lines) - fitting))


def _room_of(lines: Iterable[str]) -> int:
    """The bytes that lines take in a record."""
    return sum(len(json.dumps(line)) + len(",\n      ") for line in lines)


def _more(number: int) -> str:
    return f"and {number:,} more"


class Installed(NamedTuple):
    """One file as it was installed: the SHA-256 of its bytes, in hex, and whether it could be run."""

    sha256: str
    executable: bool = False


Files = Mapping[ResourcePath, Installed]


def installed(inventory: Inventory) -> Files:
    """What a record says of the files of an inventory."""
    return {item.path: Installed(item.sha256.hex(), item.executable) for item in inventory}


def _sealed(files: Files | None) -> Files | None:
    return None if files is None else MappingProxyType(dict(sorted(files.items())))


@frozen(kw_only=True)
class Provenance:
    """Where a skill came from. Only `git` ranks as git; `commit` is then a full object id, 40 or 64 hex digits.

    Raises:
        ValueError: The kind is none of git, folder, archive, adapted; a git record has no full commit id; the time has
            no zone; or an address, ref or folder is longer than 2,048 bytes of UTF-8, or no UTF-8.
    """

    kind: str = field(validator=validators.in_(_KINDS))
    url: str | None = None
    commit: str | None = None
    ref: str | None = None
    subpath: str | None = None
    digest: Revision | None = None
    installed_at: datetime | None = None
    adapted: Adapted | None = None
    files: Files | None = field(default=None, converter=_sealed, hash=False)

    def __attrs_post_init__(self) -> None:
        if self.kind == "git" and not _COMMIT.fullmatch(self.commit or ""):
            raise ValueError("a git record needs a full commit id")
        if self.installed_at is not None and self.installed_at.tzinfo is None:
            raise ValueError("a time needs its zone")
        for name in ("url", "ref", "subpath"):
            value = getattr(self, name)
            if value is not None and not _is_text(value):
                raise ValueError(f"`{name}` is not a text of at most {_TEXT_BYTES:,} bytes")

    @property
    def source(self) -> SourceId:
        """The source that a folder with this record belongs to."""
        return SourceId.GIT if self.kind == "git" else SourceId.AGENT_LOCAL


def load_provenance(content: bytes) -> Provenance:
    """Read a record.

    Raises:
        UnreadableProvenance: It is no JSON object, not of schema 2 or version 1, or a value is not what it should be.
    """
    if len(content) > LIMITS.provenance_bytes:
        raise UnreadableProvenance(f"it is larger than {LIMITS.provenance_bytes:,} bytes")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise UnreadableProvenance("it is not JSON") from None
    if not isinstance(found, dict):
        raise UnreadableProvenance("it is not a JSON object")
    if found.get("schema") == 2:
        return _schema_2(_Values(found))
    if found.get("version") == 1 and "schema" not in found:
        return _version_1(_Values(found))
    raise UnreadableProvenance("it is of a schema that this version does not know")


def dump_provenance(record: Provenance) -> bytes:
    """The record as schema 2: sorted keys, two spaces, a final line end. Without its files where it is too large."""
    whole = _written(record)
    return whole if len(whole) <= LIMITS.provenance_bytes else _written(evolve(record, files=None))


def _written(record: Provenance) -> bytes:
    adapted = record.adapted
    values: dict[str, Any] = {
        "schema": 2,
        "kind": record.kind,
        "url": record.url,
        "commit": record.commit,
        "ref": record.ref,
        "subpath": record.subpath,
        "digest": record.digest,
        "installed_at": record.installed_at.astimezone(UTC).isoformat() if record.installed_at else None,
        "adapted": adapted and asdict(adapted),
    }
    if record.files is not None:
        values["files"] = {path: file.sha256 for path, file in record.files.items()}
        values["executable"] = [path for path, file in record.files.items() if file.executable]
    return (json.dumps(values, indent=2, sort_keys=True) + "\n").encode()


class _Values:
    """The members of one JSON object, each taken as what it must be."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        self._members = members

    def text(self, name: str) -> str | None:
        """A short text as it was written, whatever it holds."""
        value = self._members.get(name)
        if value is not None and not (isinstance(value, str) and _is_text(value)):
            raise UnreadableProvenance(f"`{name}` is not a text of at most {_TEXT_BYTES:,} bytes")
        return value

    def verbatim(self, name: str) -> str:
        """A frontmatter as it was, whatever it holds."""
        value = self._members.get(name)
        if not isinstance(value, str):
            raise UnreadableProvenance(f"`{name}` is not a text of at most {HEAD_BYTES:,} bytes")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Short texts, safe to print."""
        return tuple(map(escaped, self._list(name)))

    def files(self) -> Files | None:
        """What was installed, by path; nothing where that was not recorded."""
        digests, programs = self._members.get("files"), frozenset(self._list("executable"))
        if digests is None:
            return None
        if not isinstance(digests, dict):
            raise UnreadableProvenance("`files` is not an object")
        if not all(isinstance(value, str) and digest(value) for value in digests.values()):
            raise UnreadableProvenance("a digest in `files` is not 64 hex digits")
        return {_path(path): Installed(value, path in programs) for path, value in digests.items()}

    def hex64(self, name: str) -> str | None:
        value = self.text(name)
        if value is not None and digest(value) is None:
            raise UnreadableProvenance(f"`{name}` is not 64 hex digits")
        return value

    def commit(self, name: str, *, needed: bool) -> str | None:
        value = self.text(name)
        if (value is None and needed) or (value is not None and not _COMMIT.fullmatch(value)):
            raise UnreadableProvenance(f"`{name}` is not a full commit id")
        return value

    def time(self, name: str) -> datetime | None:
        value = self.text(name)
        if value is None:
            return None
        try:
            found = datetime.fromisoformat(value)
            if found.tzinfo is not None:
                return found.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise UnreadableProvenance(f"`{name}` is not a time with its zone")

    def _list(self, name: str) -> list[str]:
        value = self._members.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise UnreadableProvenance(f"`{name}` is not a list of texts")
        return value

    def object(self, name: str) -> _Values | None:
        value = self._members.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise UnreadableProvenance(f"`{name}` is not an object")
        return _Values(value)


def _schema_2(values: _Values) -> Provenance:
    kind = values.text("kind")
    if kind not in _KINDS:
        raise UnreadableProvenance(f"`kind` is none of {', '.join(_KINDS)}")
    original = values.hex64("digest")
    adapted = values.object("adapted")
    return Provenance(
        kind=kind,
        url=values.text("url"),
        commit=values.commit("commit", needed=kind == "git"),
        ref=values.text("ref"),
        subpath=values.text("subpath"),
        digest=None if original is None else Revision(original),
        installed_at=values.time("installed_at"),
        adapted=None if adapted is None else _adapted(adapted),
        files=values.files(),
    )


def _adapted(values: _Values) -> Adapted:
    original = values.hex64("original_digest")
    if original is None:
        raise UnreadableProvenance("`original_digest` is missing")
    frontmatter, changes, omitted = values.verbatim("frontmatter"), values.texts("changes"), values.texts("omitted")
    document = values.hex64("document")
    try:
        return Adapted(original, frontmatter, changes, omitted, document)
    except ValueError as error:
        raise UnreadableProvenance(str(error)) from None


def _is_text(value: str) -> bool:
    return not _SURROGATE.search(value) and len(value.encode()) <= _TEXT_BYTES


def _path(text: str) -> ResourcePath:
    try:
        return resource_path(text)
    except BadPath as error:
        raise UnreadableProvenance(f"a path in `files`: {error.why}") from None


def _version_1(values: _Values) -> Provenance:
    """The 0.1.0 release: `locator` is `<ref>:<name>`, `revision` the commit; other kinds than git were free text."""
    if values.text("kind") != "git":
        return Provenance(kind="folder", url=values.text("remote_url") or values.text("source_id"))
    ref, _, subpath = (values.text("locator") or "").rpartition(":")
    return Provenance(
        kind="git",
        url=values.text("remote_url"),
        commit=values.commit("revision", needed=True),
        ref=ref or None,
        subpath=subpath or None,
    )
