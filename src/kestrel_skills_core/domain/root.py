"""The immediate entries of a source root: which of them are folders of skills, and what is said of those not opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import rules
from .errors import TooLarge
from .findings import Finding, Rule
from .folder import Kind
from .limits import LIMITS
from .names import INTERNAL, SourceId, is_skill_name
from .record import Sighting
from .text import escaped

__all__ = ["LISTED", "candidates", "charged", "linked", "refused", "unopened"]

LISTED: Final = LIMITS.root_entries + 2
"""So many entries tell whether there are too many: one more than is allowed, and this library's own folder."""


def charged(entries: Sequence[tuple[str, Kind]]) -> int:
    """How many entries count against the cap on a root: all but this library's own folder.

    So what it puts there never costs a root its last place.
    """
    return sum(name != INTERNAL for name, _ in entries)


def candidates(source: SourceId, entries: Sequence[tuple[str, Kind]]) -> list[tuple[str, Kind]]:
    """The entries of a root that a survey tells of, in order of their names.

    Those are the folders, and the links that look like one. Other files, and what begins with a dot, are no skills.
    An adapter lists at most `LISTED` entries, and opens nothing before it was here.

    Raises:
        TooLarge: There are more than a root may hold, hidden ones included.
    """
    if charged(entries) > LIMITS.root_entries:
        raise TooLarge(f"entries of the {source} root", LIMITS.root_entries, fix="move what is no skill elsewhere")
    return sorted(
        (name, kind)
        for name, kind in entries
        if not name.startswith(".") and (kind == "folder" or (kind == "link" and "." not in name))
    )


def unopened(name: str, kind: Kind) -> Sighting | None:
    """The sighting of a candidate that is not to be opened; nothing where it is."""
    if kind == "link":
        return linked(name)
    if not is_skill_name(name):
        return refused(name, rules.UNNAMED_FOLDER, f"`{escaped(name)[:80]}` is not a skill name")
    return None


def linked(name: str) -> Sighting:
    """The sighting of a link that stands where a skill's folder could."""
    return refused(name, rules.LINK, "the folder is a symbolic link")


def refused(folder: str, rule: Rule, message: str) -> Sighting:
    """The sighting of a folder that was not opened, or not to its end."""
    found = Finding(rule, ".", message)
    return Sighting(
        folder=folder,
        head=None,
        findings=(found,),
        unlisted=None,
        unread=found if rule is rules.UNREADABLE else None,
    )
