"""What a mutation leaves out of sight for a moment, or a crash for longer: its name says all that is needed to end it.

`<token>` is unfinished: our own bytes, which never were in sight. What is finished is named by what is in it:
`<seen>-<new>-<token>-<skill>` is a part of a skill, on its way in or out; whatever in it holds neither the bytes that
were seen nor the new ones is a person's. `<whole>-<token>-<skill>` is the whole folder of a skill, on its way in or
out, and ends in `.final` where it is out for good. `<token>-<skill>` is kept, or to be kept: a person's, or what a
crash left of a folder that was being removed. `seen` and `new` are the SHA-256 of a file's bytes, `whole` is that of
the manifest, all in hex; a token is 32 hex digits.
"""

from __future__ import annotations

import re
from typing import Final, Self

from attrs import frozen

from .names import SkillName, is_skill_name

__all__ = ["FolderName", "KeptName", "PartName", "is_unfinished"]

_PART: Final = re.compile(r"([0-9a-f]{64})-([0-9a-f]{64})-([0-9a-f]{32})-(?P<name>[a-z0-9_-]{1,64})")
_FOLDER: Final = re.compile(r"([0-9a-f]{64})-([0-9a-f]{32})-(?P<name>[a-z0-9_-]{1,64})")
_FINAL: Final = ".final"
_UNFINISHED: Final = re.compile(r"[0-9a-f]{32}")
_KEPT: Final = re.compile(r"([0-9a-f]{32})-(?P<name>[a-z0-9_-]{1,64})")


def _matched(pattern: re.Pattern[str], entry: str) -> re.Match[str] | None:
    """The parts of an entry's name, the last of which is a skill's; nothing where it is not of that form."""
    match = pattern.fullmatch(entry)
    return match if match and is_skill_name(match["name"]) else None


def is_unfinished(entry: str) -> bool:
    """Whether what has that name was never in sight, and is ours."""
    return _UNFINISHED.fullmatch(entry) is not None


@frozen
class PartName:
    """One file, or new folders with one file in them, on the way in or out.

    `new` is `seen` where nothing takes its place, or where it takes the place of nothing.
    """

    seen: str
    new: str
    token: str
    name: SkillName

    def __str__(self) -> str:
        return f"{self.seen}-{self.new}-{self.token}-{self.name}"

    @classmethod
    def parse(cls, entry: str) -> Self | None:
        """Read an entry's name; nothing where it is none of ours."""
        parts = _matched(_PART, entry)
        return cls(parts[1], parts[2], parts[3], SkillName(parts["name"])) if parts else None


@frozen
class FolderName:
    """One whole folder of a skill, on the way in, or out to be removed.

    `final` where it was looked at out of sight, and was what was approved: so that it never comes back.
    """

    whole: str
    token: str
    name: SkillName
    final: bool = False

    def __str__(self) -> str:
        return f"{self.whole}-{self.token}-{self.name}{_FINAL if self.final else ''}"

    @classmethod
    def parse(cls, entry: str) -> Self | None:
        """Read an entry's name; nothing where it is none of ours."""
        parts = _matched(_FOLDER, entry.removesuffix(_FINAL))
        return cls(parts[1], parts[2], SkillName(parts["name"]), entry.endswith(_FINAL)) if parts else None


@frozen
class KeptName:
    """A person's file or folder that met one of our moves."""

    token: str
    name: SkillName

    def __str__(self) -> str:
        return f"{self.token}-{self.name}"

    @classmethod
    def parse(cls, entry: str) -> Self | None:
        """Read an entry's name; nothing where it is none of ours."""
        parts = _matched(_KEPT, entry)
        return cls(parts[1], SkillName(parts["name"])) if parts else None
