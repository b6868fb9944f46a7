"""Names of skills, of files in them, and of sources: minted here only, so that what has the type is legal.

Rule 1: a `SkillName` or `ResourcePath` comes from `skill_name` or `resource_path` and nowhere else.
Rule 2: what this library leaves out of an inventory, or keeps for itself, can not be minted, however it is spelt.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final, NewType

from attrs import frozen

from .characters import category, has_later, without_later
from .errors import BadName, BadPath
from .limits import LIMITS
from .rules import BAD_NAME, DEVICE_NAME
from .text import escaped

__all__ = [
    "DOCUMENT",
    "INTERNAL",
    "MARKER",
    "NAME_PATTERN",
    "PROVENANCE",
    "Address",
    "Generation",
    "ResourcePath",
    "Revision",
    "SkillName",
    "SourceId",
    "digest",
    "is_device_name",
    "is_left_out",
    "is_of_this_line",
    "is_reserved",
    "is_same",
    "is_skill_name",
    "litter_in",
    "new_generation",
    "parse_address",
    "portable_key",
    "resource_path",
    "skill_name",
    "travelling_path",
]

SkillName = NewType("SkillName", str)
"""`^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$`, and no device name of Windows."""

ResourcePath = NewType("ResourcePath", str)
"""A portable path relative to one skill's folder, with forward slashes, at most 1024 UTF-8 bytes."""

Revision = NewType("Revision", str)
"""Content: 64 hex digits, see `tree.revision_of`."""

Generation = NewType("Generation", str)
"""Birth: 64 hex digits, random but for what `new_generation` says, kept in `.kestrel-generation`."""


class SourceId(StrEnum):
    """Where a skill comes from. The order of definition is the order of precedence, first wins."""

    AGENT_LOCAL = "agent-local"
    HOST_SHARED = "host-shared"
    GIT = "git"

    @property
    def rank(self) -> int:
        """0 wins over 1, 1 over 2."""
        return _RANKS[self]

    @property
    def home(self) -> SourceId:
        """The root in which its folders lie: what was installed from git lies in the agent's own."""
        return SourceId.AGENT_LOCAL if self is SourceId.GIT else self


_RANKS: Final = {source: rank for rank, source in enumerate(SourceId)}

DOCUMENT: Final = ResourcePath("SKILL.md")
INTERNAL: Final = ".kestrel-internal"
MARKER: Final = ".kestrel-generation"
"""The file at the top of a skill's folder that says of which birth it is."""
PROVENANCE: Final = ".kestrel-provenance.json"

NAME_PATTERN: Final = r"^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$"
"""What a skill name is like, as a schema says it; device names of Windows are none all the same."""
_NAME: Final = re.compile(NAME_PATTERN)
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)]
)
_HEX64: Final = re.compile(r"[0-9a-f]{64}")
_PLAIN_PART: Final = r"(?!(?:thumbs\.db|desktop\.ini)(?:/|\Z))[a-z0-9](?:[a-z0-9_.-]*[a-z0-9_-])?(?<!\.pyc)(?<!\.pyo)"
_PLAIN_PATH: Final = re.compile(f"{_PLAIN_PART}(?:/{_PLAIN_PART})*", re.IGNORECASE | re.ASCII)
"""Paths that every rule below lets through, told by one match; a property proves that it never says more."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_UNSEEN: Final = {
    "Cc": "a control character",
    "Cf": "a format character",
    "Cs": "bytes that are not UTF-8",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
_IGNORABLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_RESERVED: Final = ".kestrel-"
_LITTER: Final = re.compile(
    r"\.ds_store|thumbs\.db|desktop\.ini|__pycache__|__macosx|\.git|git~1|\.hg|\.svn"
    r"|.*\.py[co]|.*~|\..*\.sw[a-p]|\.\#.*|\#.*\#|\._.*|\.skill\.md\.claim|\.skill\.md\.tmp\..*",
    re.DOTALL,
)
"""Of operating systems (Apple, Windows), version control, Python, editors (vi, Emacs), and this package's 0.1.0."""


def is_device_name(text: str) -> bool:
    """Whether Windows takes the name for a device."""
    return text in _DEVICES


def is_skill_name(text: str) -> bool:
    """Whether the text is a skill name."""
    return _NAME.fullmatch(text) is not None and text not in _DEVICES


def skill_name(text: str) -> SkillName:
    """Mint a skill name.

    Raises:
        BadName: It breaks the pattern, or Windows takes it for a device.
    """
    if not _NAME.fullmatch(text):
        raise BadName(escaped(text[:80]), "it breaks the pattern" if text else "it is empty", BAD_NAME.fix)
    if text in _DEVICES:
        raise BadName(text, "Windows takes it for a device", DEVICE_NAME.fix)
    return SkillName(text)


@frozen
class Address:
    """`name`, whatever resolves under it; or `name@source`, the one copy in that source, shadowed or not."""

    name: SkillName
    source: SourceId | None = None

    def __str__(self) -> str:
        return self.name if self.source is None else f"{self.name}@{self.source}"


def parse_address(text: str) -> Address:
    """Read `name` or `name@source`.

    Raises:
        BadName: Either half is not what it should be.
    """
    name, at, source = text.partition("@")
    if not at:
        return Address(skill_name(name))
    try:
        return Address(skill_name(name), SourceId(source))
    except ValueError:
        raise BadName(escaped(text[:80]), "no such source", f"use one of {', '.join(SourceId)} after the @") from None


def digest(text: str) -> str | None:
    """The text if it is 64 lower-case hex digits, else nothing."""
    return text if _HEX64.fullmatch(text) else None


def is_same(one: str, other: str) -> bool:
    """Whether two digests are one, told in a time that does not say where they differ."""
    return hmac.compare_digest(*(each.encode("utf-8", "surrogatepass") for each in (one, other)))


def new_generation(token: str) -> Generation:
    """A birth, from 64 random hex digits: the first eight are a check on the rest, 224 random bits.

    So a marker that the 0.1.0 release wrote, all of whose digits are random, can be told from one of this line, and a
    row that turned a name on then is never taken to mean a folder that got its marker since.
    """
    return Generation(_check(token[8:]) + token[8:])


def is_of_this_line(generation: Generation) -> bool:
    """Whether `new_generation` made it; one in four thousand million of other makers' is taken for ours."""
    return generation[:8] == _check(generation[8:])


def _check(digits: str) -> str:
    return hashlib.sha256(b"kestrel-skill-generation-v2\n" + digits.encode()).hexdigest()[:8]


def resource_path(text: str) -> ResourcePath:
    """Mint a resource path.

    Raises:
        BadPath: It does not travel (empty, absolute, backslash, drive prefix, an empty part, `.` or `..`, a control or
            format character, one newer than Unicode 14, not UTF-8, over 1024 bytes, over 32 levels), or it is left out
            or reserved, however spelt.
    """
    _refuse_lengths(text)
    if not _PLAIN_PATH.fullmatch(text):
        why = _why_not_spelt(text)
        if why is not None:
            raise BadPath(escaped(text[:200]), why, "use a relative path with forward slashes and visible characters")
        _refuse_kept_parts(text)
    _refuse_depth(text)
    return ResourcePath(text)


def _refuse_lengths(text: str) -> None:
    if len(text) > LIMITS.path_bytes or len(text.encode("utf-8", "surrogatepass")) > LIMITS.path_bytes:
        raise BadPath(escaped(text[:200]), f"it is longer than {LIMITS.path_bytes} bytes", "shorten the names")


def _refuse_depth(text: str) -> None:
    if text.count("/") >= LIMITS.skill_depth:
        raise BadPath(escaped(text[:200]), f"it is deeper than {LIMITS.skill_depth} levels", "flatten the folders")


def _why_not_spelt(text: str) -> str | None:
    if not text:
        return "it is empty"
    if (what := _odd_character(text)) is not None:
        return f"it holds {what}"
    if "\\" in text:
        return "it holds a backslash"
    if text.startswith("/"):
        return "it is absolute"
    if _DRIVE.match(text):
        return "it begins with a drive letter"
    parts = text.split("/")
    return "a part of it is empty, `.` or `..`" if any(part in ("", ".", "..") for part in parts) else None


def _odd_character(text: str) -> str | None:
    unseen = next((what for char in text if (what := _UNSEEN.get(category(char))) is not None), None)
    return unseen or ("a character newer than Unicode 14" if has_later(text) else None)


def _refuse_kept_parts(text: str) -> None:
    for part in text.split("/"):
        why = "kept for this library" if is_reserved(part) else "left out of every skill" if is_left_out(part) else ""
        if why:
            shown = escaped(part[:80])
            raise BadPath(escaped(text[:200]), f"`{shown}` is {why}", "choose another name", reserved=True)


def travelling_path(text: str) -> ResourcePath:
    """Mint the path of a file or folder from elsewhere: one that any system can hold.

    Stricter than `resource_path`, which also takes what is here already and does no harm here. Litter, which stays
    behind, is to be told by `litter_in` first.

    Raises:
        BadPath: As `resource_path` says; or a part of it is longer than 255 bytes, holds a colon, ends with a dot or
            space, is a device of Windows, or means `.git`, however it is spelt.
    """
    _refuse_lengths(text)
    why = None if _PLAIN_PATH.fullmatch(text) else _why_not_spelt(text)
    why = why or next(filter(None, map(_why_it_stays, text.split("/"))), None)
    if why is not None:
        raise BadPath(escaped(text[:200]), why, "ask its author for names that every system takes")
    return resource_path(text)


@lru_cache(maxsize=1024)
def _why_it_stays(part: str) -> str | None:
    """Why some system would not hold a file or folder of that name, or take it for another."""
    return next((f"a part of it {why}" for why, stays in _STAYS.items() if stays(part)), None)


def is_left_out(part: str) -> bool:
    """Whether a file or folder of that name is litter of a system or tool, however it is spelt."""
    return _LITTER.fullmatch(_bare(part)) is not None


def litter_in(path: str) -> str:
    """The first file or folder on a path that is litter, as a path; empty where nothing on it is.

    What lies in litter is of no interest, but a path that leads out of it again does not lie there. What only means
    `.git`, and is spelt otherwise, wants to be overlooked, and is no litter here.
    """
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return ""
    ends = (at for at, part in enumerate(parts, 1) if is_left_out(part) and (part == ".git" or not _means_git(part)))
    return "/".join(parts[: next(ends, 0)])


def is_reserved(part: str) -> bool:
    """Whether the name is kept for this library (`.kestrel-…`), however it is spelt."""
    return _bare(part).startswith(_RESERVED)


def _bare(part: str) -> str:
    """What some file system would take the name for: NFKC, no ignorable characters, case folded, no stream, no tail."""
    if not part.isascii():
        part = "".join(char for char in _IGNORABLE.sub("", part) if category(char) != "Cf")
        part = without_later(part)
        part = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", part).casefold())
    return part.lower().partition(":")[0].rstrip(". ")


def portable_key(path: str) -> str:
    """Equal for two legal paths that some file system takes for one: case folded, and composed (NFC)."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _means_git(part: str) -> bool:
    return _bare(part) in (".git", "git~1")


_STAYS: Final[Mapping[str, Callable[[str], bool]]] = {
    "is kept for this library": is_reserved,
    "means `.git`": _means_git,
    "holds a colon": lambda part: ":" in part,
    "ends with a dot or a space": lambda part: part.endswith((".", " ")),
    "is a device on Windows": lambda part: _bare(part).partition(".")[0].rstrip(" ") in _DEVICES,
    "is longer than 255 bytes": lambda part: len(part.encode()) > 255,  # one name, on every file system in use
}
"""What keeps a name from travelling that is lawful otherwise."""
