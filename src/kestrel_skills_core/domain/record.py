"""What is known of each folder: a record of a skill that resolves, or a rejection that says why not."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any, Final, NamedTuple

from attrs import Attribute, evolve, field, frozen

from .approval import ApprovalBinding, holds_repository
from .document import Head
from .errors import StoreFailed
from .findings import Finding, faults_of
from .names import Generation, Revision, SkillName, SourceId, digest
from .provenance import Provenance
from .tree import Inventory, Listing, Packed, revision_of, unpacked

__all__ = ["PRIORITIES", "Rejection", "Sighting", "SkillRecord", "SkillState", "Subject"]

_SHARED: Final = SourceId.HOST_SHARED
PRIORITIES: Final = range(-100_000, 100_001)
"""Lower comes first."""


@frozen(kw_only=True)
class Sighting:
    """One folder of a source root as a survey saw it.

    The adapter reads and digests; what it means was judged by the domain. `head` is set if, and only if, no finding is
    a fault. `unlisted` is nothing where the folder is beyond the caps, so that nobody can approve what nobody saw.
    `unread` says what could not be read, if anything: it may be all that two revisions differ in. `unrecorded` says why
    the record of where it came from cannot be read, if one is there, whatever else there is to say.
    `adaptable` is set where it is rejected, and rewriting its `SKILL.md` leaves nothing wrong with it.
    `stamps` belong to the adapter: equal stamps mean that looking again is not needed, and nothing else.
    """

    folder: str
    head: Head | None
    packed: Packed = ()
    """The inventory, in one value where there would be one more for each file."""
    findings: tuple[Finding, ...] = ()
    generation: Generation | None = None
    provenance: Provenance | None = None
    unlisted: Listing | None = ()
    unread: Finding | None = None
    unrecorded: Finding | None = None
    adaptable: bool = False
    stamps: object = None

    @property
    def inventory(self) -> Inventory:
        """Its files, in order of their paths."""
        return unpacked(self.packed)

    @cached_property
    def revision(self) -> Revision:
        """The digest of the inventory: worked out when it is asked for, which a survey does of nothing."""
        return revision_of(self.inventory)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Why it is rejected; empty where it is not."""
        return faults_of(self.findings)

    def refuse_unread(self) -> None:
        """Keep what could not be read from being taken for what is not there.

        Raises:
            StoreFailed: Something could not be.
        """
        if self.unread is not None:
            raise StoreFailed("look", f"`{self.unread.file}`: {self.unread.message}", self.unread.fix)


class Subject(NamedTuple):
    """What a state row speaks of: one birth of a local folder, or one shared root; the empty one, of nothing."""

    generation: Generation | None = None
    root: str | None = None


def _is_digest(_: object, attribute: Attribute[Any], value: str | None) -> None:
    if value is not None and digest(value) is None:
        raise ValueError(f"{attribute.name} must be 64 lower-case hex digits")


def _is_priority(_: object, attribute: Attribute[Any], value: int) -> None:
    if value not in PRIORITIES:
        raise ValueError(f"{attribute.name} must be from {PRIORITIES[0]:,} to {PRIORITIES[-1]:,}")


@frozen(kw_only=True)
class SkillState:
    """Whether a skill is on, how early it comes, what was switched on, and the revision it is pinned to, if any.

    `subject` is nothing where no row says what it speaks of, as those of the 0.1.0 release do not. Such a state turns
    nothing on.

    Raises:
        ValueError: The priority is out of range, or the pin is no revision.
    """

    enabled: bool = False
    priority: int = field(default=100, validator=_is_priority)
    subject: Subject | None = None
    pin: Revision | None = field(default=None, validator=_is_digest)


def _shown(seen: Sighting) -> tuple[object, ...]:
    """What a record shows of what was seen."""
    return seen.head, seen.packed, seen.findings, seen.generation, seen.provenance, seen.unlisted


@frozen(kw_only=True)
class SkillRecord:
    """A skill that can be read: what was seen of it, where that is, and its state for one agent.

    `seen` has a head. `root` is what state rows name the shared root by. Records are equal where they show the same:
    the stamps of what was seen do not count.
    """

    seen: Sighting = field(eq=_shown)
    source: SourceId
    root: str | None = None
    state: SkillState = SkillState()
    shadowed: tuple[SkillRecord, ...] = ()
    name: SkillName = field(init=False, eq=False)
    description: str = field(init=False, eq=False)
    """When to use it: the line that is published of it."""
    enabled: bool = field(init=False, eq=False, repr=False)
    """Whether it is on, for the bytes that were seen; said once, since all that follows a catalog asks it of each."""

    @name.default
    def _name_of_the_head(self) -> SkillName:
        return self._head.name

    @description.default
    def _description_of_the_head(self) -> str:
        return self._head.description

    @enabled.default
    def _is_on(self) -> bool:
        return self.state.enabled and self.is_on_by(self.state)

    def is_on_by(self, state: SkillState) -> bool:
        """Whether a state switches it on: a state of that very subject and, if pinned, of those very bytes."""
        return (
            state.enabled
            and state.subject is not None
            and state.subject == self.subject
            and (state.pin is None or state.pin == self.revision)
        )

    @property
    def _head(self) -> Head:
        head = self.seen.head
        assert head is not None, "what has no head is a rejection"
        return head

    @property
    def revision(self) -> Revision:
        """The digest of what it holds."""
        return self.seen.revision

    @property
    def inventory(self) -> Inventory:
        """Its files, in order of their paths."""
        return self.seen.inventory

    @property
    def generation(self) -> Generation | None:
        """Its birth, where its folder is the agent's own and has a marker."""
        return self.seen.generation

    @property
    def provenance(self) -> Provenance | None:
        """Where it came from, if that was recorded."""
        return self.seen.provenance

    @property
    def unlisted(self) -> Listing | None:
        """What is in its folder beside its files; nothing where nobody saw all of it."""
        return self.seen.unlisted

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What could be better about it."""
        return self.seen.findings

    @property
    def subject(self) -> Subject | None:
        """What a state row must name to speak of this skill; nothing where it cannot be switched on."""
        generation, root = (None, self.root) if self.source is _SHARED else (self.seen.generation, None)
        return Subject(generation, root) if generation or root else None

    @property
    def priority(self) -> int:
        """Lower comes first."""
        return self.state.priority

    @property
    def lapsed(self) -> bool:
        """Whether it was switched on, but not for what is there now: another birth, another root, or other bytes."""
        return self.state.enabled and not self.enabled

    @property
    def has_left_pin(self) -> bool:
        """Whether it was switched on for certain bytes, and these are others."""
        return self.state.enabled and self.state.pin not in (None, self.revision)

    @property
    def editable(self) -> bool:
        """Whether its files are the agent's own, and not the host's operator's."""
        return self.source is not SourceId.HOST_SHARED

    @property
    def edited(self) -> bool | None:
        """Whether an installed skill differs from what was installed; nothing where that is not known."""
        if self.provenance is None or self.provenance.digest is None:
            return None
        return self.provenance.digest != self.revision

    @property
    def etag(self) -> str:
        """A digest over revision and state: the precondition of a change of state."""
        state = self.state
        text = f"{self.revision}\n{self.enabled:d}\n{state.priority}\n{state.pin or ''}"
        return hashlib.sha256(b"kestrel-skill-etag-v1\n" + text.encode()).hexdigest()

    def in_state(self, state: SkillState) -> SkillRecord:
        """The same skill in another state."""
        return evolve(self, state=state)

    def delete_binding(self, agent: str) -> ApprovalBinding | None:
        """What a deletion must be bound to; nothing where this library may not delete it."""
        return _delete_binding(self, agent)


@frozen(kw_only=True)
class Rejection:
    """A folder that is no skill yet: an entry like any other, so that a person can repair it.

    `name` is nothing where the folder's name is no skill name; `label` is safe to print either way. `adaptable` says
    that adapting it makes a skill of it, and may be done.
    """

    label: str
    name: SkillName | None
    source: SourceId
    faults: tuple[Finding, ...]
    findings: tuple[Finding, ...] = ()
    revision: Revision | None = None
    inventory: Inventory = ()
    generation: Generation | None = None
    unlisted: Listing | None = None
    adaptable: bool = False
    holds_back: SkillRecord | None = None

    def delete_binding(self, agent: str) -> ApprovalBinding | None:
        """What a deletion must be bound to; nothing where this library may not delete it."""
        return _delete_binding(self, agent)


def _delete_binding(found: SkillRecord | Rejection, agent: str) -> ApprovalBinding | None:
    if (
        found.source is SourceId.HOST_SHARED
        or found.name is None
        or found.generation is None
        or found.revision is None
        or found.unlisted is None
        or holds_repository(found.unlisted)
    ):
        return None
    return ApprovalBinding(
        operation="delete",
        agent=agent,
        name=found.name,
        source=found.source,
        generation=found.generation,
        revision=found.revision,
        unlisted=found.unlisted,
    )
