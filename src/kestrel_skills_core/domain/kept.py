"""What is kept of a person's, told as the disk has it.

Rule 1: nothing is left out of a listing for its name, kind or size; what could not be looked at is said.
Rule 2: nobody lets go of what could not be seen whole, nor of a repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from attrs import evolve, frozen

from .approval import is_repository
from .errors import NotEditable, StoreFailed
from .folder import Kind
from .leftover import KeptName
from .limits import LIMITS
from .names import INTERNAL, SkillName, SourceId
from .rules import UNREADABLE
from .text import escaped

__all__ = ["KeptEntry", "KeptListing", "beyond_depth", "listing_of", "refuse_lone"]


@frozen
class KeptEntry:
    """One entry of what is kept; of a link, the link itself.

    `path` is as the disk has it, with forward slashes, and bytes that are no UTF-8 as lone surrogates: not safe to
    print. It is `.` for what is kept itself, be it a folder or not. Size, in bytes, and times are what the disk said; a
    folder has none of its own, and what is kept itself no time of change: moving it moves that. `unread` says why the
    disk would not show it, or what is in it; `beyond`, why more is in it than is looked at.
    """

    path: str
    kind: Kind
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    executable: bool = False
    unread: str = ""
    beyond: str = ""

    @property
    def unseen(self) -> str:
        """Why its bytes, or all that is in it, could not be looked at; empty where they were."""
        return f"it cannot be read: {self.unread}" if self.unread else self.beyond


@frozen
class KeptListing:
    """Everything that is kept under one token, in order of the paths, what is kept itself first."""

    token: str
    name: SkillName
    entries: tuple[KeptEntry, ...]

    @property
    def kind(self) -> Kind:
        """What is kept itself."""
        return self.entries[0].kind

    @property
    def unseen(self) -> tuple[KeptEntry, ...]:
        """What could not be looked at whole; empty where the listing is."""
        return tuple(entry for entry in self.entries if entry.unseen)

    def refuse_unseen(self) -> None:
        """Keep from being discarded what nobody could look at whole, and what is more than its files: a repository.

        Raises:
            NotEditable: It holds a repository, or more than is looked at.
            StoreFailed: Something in it could not be read.
        """
        for entry in self.entries:
            path = escaped(entry.path)
            if entry.unread:
                raise StoreFailed("look", f"`{path}`: {entry.unseen}", UNREADABLE.fix)
            if entry.beyond or is_repository(entry.path):
                why = entry.beyond or "it holds a repository, and nobody lets go of one unseen"
                place = f"{INTERNAL}/kept/{KeptName(self.token, self.name)}"
                fix = f"move `{place}` away by hand"
                raise NotEditable(SourceId.AGENT_LOCAL, f"`{path}`: {why}", fix, name=self.name)


def beyond_depth(path: str) -> str:
    """Why a folder of that path is not looked into; nothing where it is."""
    if path.count("/") + 1 < LIMITS.kept_depth:
        return ""
    return f"what is deeper than {LIMITS.kept_depth} folders is not looked into"


def listing_of(token: str, name: SkillName, found: Iterator[KeptEntry]) -> KeptListing:
    """A listing of what is found, what is kept itself first; no more is asked for than may be in it."""
    first, *entries = islice(found, LIMITS.kept_entries)
    if next(found, None) is not None:
        first = evolve(first, beyond=f"it holds more than the first {LIMITS.kept_entries:,} entries, which are listed")
    return KeptListing(token, name, (first, *sorted(entries, key=lambda entry: entry.path)))


def refuse_lone(kind: Kind, name: SkillName) -> None:
    """Keep from being put back what is no folder: nothing tells where in its skill it was.

    Raises:
        NotEditable: It is none.
    """
    if kind != "folder":
        what = "one file" if kind == "file" else "one link" if kind == "link" else "neither a file nor a folder"
        why = f"what is kept is {what} of `{name}`, and nothing tells where in it that was"
        fix = "copy it out, edit the skill, then discard what is kept"
        raise NotEditable(SourceId.AGENT_LOCAL, why, fix, name=name)
