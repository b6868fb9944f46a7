"""Port: a source root that this library may change, the agent's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from attrs import field, frozen

from ..domain.approval import ApprovalBinding
from ..domain.fence import Fence
from ..domain.folder import Kind
from ..domain.kept import KeptListing
from ..domain.names import Generation, ResourcePath, Revision, SkillName
from ..domain.owner import Owner
from ..domain.provenance import Provenance
from ..domain.tree import SkillTree
from .files import SkillFiles
from .world import Cancelled

__all__ = ["Fence", "Kept", "SkillStore", "Swept"]


@frozen(kw_only=True)
class Kept:
    """A person's file, folder or link that met one of our moves: never purged, unless a person says so.

    `token` names it, 32 hex digits; `name` is the skill it belongs to.
    """

    token: str
    name: SkillName
    kind: Kind


@frozen(kw_only=True)
class Swept:
    """What a sweep did. `skipped` where another was at work, so that nothing was done.

    `unfinished` where it ended as many as it does at once, so that there may be more. `purged` counts what interrupted
    mutations had left; `restored` are skills whose deletion met a change, and that are back; `kept` are the tokens of
    what could not be put back. `left` are entries of the 0.1.0 release, of nobody we know, or that cannot be removed:
    only a person can judge them. They are named relative to `.kestrel-internal`; of those that cannot be removed, `why`
    says why, and at which name.
    """

    skipped: bool = False
    unfinished: bool = False
    purged: int = 0
    restored: tuple[SkillName, ...] = ()
    kept: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    why: Mapping[str, str] = field(factory=dict)


class SkillStore(SkillFiles, Protocol):
    """A root that this library may change.

    One atomic move is the whole of every mutation: a reader sees the old or the new and nothing else, and so does
    whoever looks after a crash. A method that returned is durable. One that raised changed nothing, except where it
    raised `InDoubt`. No byte that a person wrote is ever unlinked unless it was seen, whatever a person does meanwhile;
    what met one of our moves is kept, and told of.

    Every method but `fenced` and `owner` may raise `StoreFailed` (a step failed, and the skill is as it was), `InDoubt`
    (the last step failed, and only looking again tells), `Busy` (another holds the store or the name beyond the
    deadline, or the caller went away), and `SourceUnavailable`. `cancelled` ends a wait for a lock, and nothing else.
    """

    def publish(
        self, name: SkillName, tree: SkillTree, provenance: Provenance | None = None, *, cancelled: Cancelled
    ) -> Generation:
        """Bring a whole new folder into sight, with its marker (of `new_generation`) and its provenance in it.

        Raises:
            SkillExists: The name is taken, by whatever kind of entry.
            TooLarge: The root would hold more entries than it may.
        """
        ...

    def write(
        self, name: SkillName, path: ResourcePath, content: bytes, *, seen: Revision, cancelled: Cancelled
    ) -> Revision:
        """Replace one file, keeping its mode, or add one, with the folders it needs; gives the revision after.

        Touches that file only: other files keep bytes, modes and times, and the folder keeps its marker.

        Raises:
            SkillAbsent: There is no such folder.
            StaleRevision: Its inventory is not the one that was seen, now or when the move was made; `kept` is then the
                token of a person's bytes, where some could not be put back. Never for want of what cannot be read.
            TooLarge: The folder would hold more than it may.
            NotEditable: Something that was not read stands at the path or in its way, or in the folder's place.
        """
        ...

    def remove(self, name: SkillName, path: ResourcePath, *, seen: Revision, cancelled: Cancelled) -> Revision:
        """Take one file out; gives the revision after.

        Raises:
            SkillAbsent: There is no such folder, or no such file in it.
            StaleRevision: As `write`.
            NotEditable: The file is `SKILL.md`; or as `write`.
        """
        ...

    def annotate(self, name: SkillName, provenance: Provenance, *, seen: Revision, cancelled: Cancelled) -> None:
        """Write where a skill came from, over what was said before.

        Raises:
            SkillAbsent, StaleRevision, NotEditable: As `write`.
        """
        ...

    def retire(self, name: SkillName, *, approved: ApprovalBinding, cancelled: Cancelled) -> None:
        """Take a whole folder out of sight, if it is still what was approved, everything beside the inventory included.

        Raises:
            SkillAbsent: There is no such folder.
            StaleRevision: It is not what was approved, now or when the move was made.
            NotEditable: It holds a `.git`, or more than is looked at, or is a link.
            StoreFailed: Something in it cannot be read.
        """
        ...

    def fence(self, name: SkillName, fence: Fence, *, cancelled: Cancelled) -> tuple[Fence, Fence | None]:
        """Write a durable fail-closed mark, over the one that is there; gives it with its seal, and that other one."""
        ...

    def unfence(self, name: SkillName, *, seen: Fence, cancelled: Cancelled) -> None:
        """Take away the mark that was seen or written, durably, and never another: what stands in its place stays.

        Absent is well.
        """
        ...

    def fenced(self) -> Mapping[SkillName, Fence] | None:
        """All marks, malformed ones included; nothing where they cannot be read, which means that everything is off."""
        ...

    def claim(self, owner: Owner, *, cancelled: Cancelled) -> Owner | None:
        """Say in the root whose it is, over what is said there; gives whose it was till then, if another agent's.

        Of two who claim one root the later one's stands: it is a hint for people, and who started last is the best
        guess at who works on the root now. Where it says so already, nothing is written, nor waited for. Never
        `InDoubt`: where settling failed it may be said or not, and the next claim says it.
        """
        ...

    def owner(self) -> Owner | None:
        """Whose the root is said to be; nothing where nobody says so, or that cannot be read or understood."""
        ...

    def kept(self) -> tuple[Kept, ...]:
        """What is kept of a person's, in order of their tokens."""
        ...

    def kept_listing(self, token: str) -> KeptListing:
        """All of what is kept under that token, as it is on the disk: every path, of whatever name, kind and size.

        Nothing is opened behind a link. Where there is more than is listed, or something cannot be read, its entry says
        so; that is no error.

        Raises:
            KeptAbsent: Nothing is kept under that token.
        """
        ...

    def kept_bytes(self, token: str, path: str, start: int = 0) -> bytes:
        """The bytes of one file of it from there on, `LIMITS.piece_bytes` at most; none at the end of the file.

        `path` is as the listing has it. A file that changes between two pieces gives pieces of both.

        Raises:
            KeptAbsent: Nothing is kept under that token.
            SkillAbsent: There is no regular file of that path in it.
            StoreFailed: The file cannot be read.
        """
        ...

    def restore(self, token: str, *, cancelled: Cancelled) -> SkillName:
        """Bring a kept folder back into sight under its own name.

        Raises:
            KeptAbsent: Nothing is kept under that token.
            NotEditable: What is kept is no folder: nothing tells where in the skill it was.
            SkillExists: The name is taken, by whatever kind of entry.
        """
        ...

    def discard(self, token: str, *, seen: KeptListing, cancelled: Cancelled) -> None:
        """Remove what is kept under that token, with all in it, because a person who saw it said so.

        Raises:
            KeptAbsent: Nothing is kept under that token.
            NotEditable: It holds a `.git`, or more than is listed.
            StoreFailed: Something in it cannot be read.
            StaleRevision: It is not what was seen, and is kept as it is.
        """
        ...

    def sweep(self) -> Swept:
        """Settle, finish and purge what interrupted mutations left, if nobody else is at work; else do nothing.

        Idempotent: what a sweep did, the next one does not find. Costs what was left, as far as it is ended at once,
        and one sync of the disk. It may be `unfinished`; each that is has ended something, so that repeating it ends.
        """
        ...
