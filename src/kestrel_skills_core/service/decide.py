"""What a command asks and what was observed give what to commit, or a refusal. Pure.

Rule 1: what is destroyed is what was approved: the token is computed again from what is there now.
Rule 2: what is overwritten is what was seen: a revision that was given is held against the one that is there now, and a
        whole file is not written over without one.
Rule 3: an edit never makes a rejected folder of a skill. A rejected folder takes any text, so that it can be mended in
        as many steps as it needs.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Generic, TypeVar

from attrs import evolve, frozen

from ..domain.approval import ApprovalBinding
from ..domain.commands import KEEP, Create, Delete, Edit, Keep, RemoveFile, SetState
from ..domain.edit import Whole, changed
from ..domain.errors import BadDocument, NotEditable, SkillAbsent, StaleRevision, SwitchedOff, Unconditional
from ..domain.folder import illegible
from ..domain.names import DOCUMENT, Revision, SkillName, SourceId, is_same
from ..domain.record import Rejection, Sighting, SkillRecord, SkillState
from ..domain.removal import REPOSITORY, unlistable
from ..domain.state_row import StateKey
from ..domain.tree import Content, SkillTree
from ..domain.verdict import verdict_after, verdict_on
from .commits import Publish, Remove, Retire, Write

__all__ = [
    "Decision",
    "Folder",
    "Turn",
    "created",
    "deletable",
    "deleted",
    "edited",
    "key_of",
    "refuse_moved",
    "refuse_shared",
    "refuse_stale",
    "removed",
    "turned",
    "turned_off",
    "turned_on",
]

Commit = TypeVar("Commit")

_UNMARKED: Final = (
    "it has no generation marker",
    "let yourself write its folder and the skills folder, then list the skills",
)
_OPERATORS: Final = ("they are the host's operator's", "make one of your own, or name your own copy as name@source")


@frozen(kw_only=True)
class Folder:
    """One folder as it was observed: what it is, what a survey sees of it, and its bytes."""

    found: SkillRecord | Rejection
    sighting: Sighting
    tree: SkillTree

    @property
    def name(self) -> SkillName:
        """Its name."""
        return SkillName(self.sighting.folder)


@frozen(kw_only=True)
class Decision(Generic[Commit]):
    """What to commit, if anything, and what will then be there."""

    commit: Commit
    sighting: Sighting
    tree: SkillTree


def created(command: Create) -> Decision[Publish]:
    """The folder to publish. Whether its name is free is for the store to say.

    Raises:
        TooLarge: It holds more than it may.
        BadDocument: It is no skill.
    """
    tree = SkillTree({DOCUMENT: Content(command.document)})
    sighting = verdict_on(command.name, tree)
    if sighting.faults:
        raise BadDocument(command.name, sighting.faults)
    return Decision(commit=Publish(name=command.name, tree=tree), sighting=sighting, tree=tree)


def edited(command: Edit, folder: Folder) -> Decision[Write | None]:
    """The file to write; none where it is as it should be.

    Raises:
        NotEditable: The skill is the host's.
        Unconditional: A file would be overwritten, and no revision was given.
        StaleRevision: The revision that was given is not the one that is there.
        SkillAbsent, Unmatched: See `changed`.
        TooLarge: The file, or the skill, would hold more than it may.
        BadDocument: The skill would be none any more; or, in a rejected folder, the file would be no text.
    """
    refuse_shared(folder)
    path, before = command.path, folder.tree.files.get(command.path)
    if isinstance(command.change, Whole) and before is not None and command.expected_revision is None:
        raise Unconditional(folder.name, path)
    refuse_stale(folder, command.expected_revision)
    content = changed(folder.name, path, before and before.data, command.change)
    after = Content(content, executable=before is not None and before.executable)
    tree = SkillTree({**folder.tree.files, path: after})
    sighting = verdict_after(folder.sighting, folder.tree, tree)
    if isinstance(folder.found, SkillRecord):
        faults = sighting.faults
    else:
        unread = illegible(path, content)
        faults = () if unread is None else (unread,)
    if faults:
        raise BadDocument(folder.name, faults)
    write = Write(name=folder.name, path=path, content=content, seen=folder.tree.revision)
    return Decision(commit=None if after == before else write, sighting=sighting, tree=tree)


def removed(command: RemoveFile, folder: Folder) -> Decision[Remove]:
    """The file to take out.

    Raises:
        NotEditable: The skill is the host's, or the file is its `SKILL.md`.
        SkillAbsent: There is no such file.
        Unconditional: No revision was given.
        StaleRevision: It is not the one that is there.
    """
    refuse_shared(folder)
    path = command.path
    if path == DOCUMENT:
        why = "a skill needs its SKILL.md"
        raise NotEditable(folder.found.source, why, "delete the whole skill", name=folder.name)
    if path not in folder.tree.files:
        raise SkillAbsent(folder.name, path, fix="look at the skill to see its files")
    if command.expected_revision is None:
        raise Unconditional(folder.name, path)
    refuse_stale(folder, command.expected_revision)
    tree = SkillTree({other: content for other, content in folder.tree.files.items() if other != path})
    remove = Remove(name=folder.name, path=path, seen=folder.tree.revision)
    return Decision(commit=remove, sighting=verdict_after(folder.sighting, folder.tree, tree), tree=tree)


def deletable(found: SkillRecord | Rejection, agent: str) -> ApprovalBinding:
    """What a deletion of it would have to be bound to.

    Raises:
        NotEditable: It is not this library's to delete.
    """
    binding = found.delete_binding(agent)
    if binding is None:
        raise _not_deletable(found)
    return binding


def deleted(command: Delete, found: SkillRecord | Rejection, agent: str) -> Retire:
    """The folder to retire.

    Raises:
        NotEditable: It is not this library's to delete.
        StaleRevision: It is not what was approved.
    """
    name, binding = command.address.name, deletable(found, agent)
    if not binding.matches(command.delete_revision):
        raise StaleRevision(name, command.delete_revision)
    return Retire(name=name, approved=binding)


def key_of(found: SkillRecord | Rejection, name: SkillName) -> StateKey:
    """Whose row speaks of a skill or rejected folder of that name."""
    return StateKey(name, found.source is SourceId.HOST_SHARED)


class Turn(Enum):
    """What a change of state comes to."""

    ON = "on"
    OFF = "off"
    NEITHER = "neither"


def turned(command: SetState, found: SkillRecord | Rejection, now: SkillState) -> tuple[Turn, SkillState]:
    """What is to be done, and the state to write; `now` is what the table says.

    Raises:
        BadDocument, NotEditable, StaleRevision: See `turned_on`.
        SwitchedOff: A skill is to be pinned that is off.
    """
    turn = _turn(command, found)
    if turn is Turn.ON:
        return turn, turned_on(command, found, now)
    if turn is Turn.OFF:
        return turn, turned_off(command, now)
    return turn, evolve(now, priority=_priority(command, now))


def _turn(command: SetState, found: SkillRecord | Rejection) -> Turn:
    if command.enabled is not None:
        return Turn.ON if command.enabled else Turn.OFF
    if isinstance(found, SkillRecord) and found.enabled:
        # To pin what is on, or to take its pin away, is to turn it on as it is now.
        return Turn.NEITHER if command.pin is KEEP else Turn.ON
    if isinstance(command.pin, str):
        raise SwitchedOff(command.address.name)
    return Turn.NEITHER


def turned_off(command: SetState, now: SkillState) -> SkillState:
    """The state to write to turn a skill off; `now` is what the table says. Always works, whatever the folder is."""
    return evolve(now, enabled=False, priority=_priority(command, now))


def turned_on(command: SetState, found: SkillRecord | Rejection, now: SkillState) -> SkillState:
    """The state to write to turn on what an address means: it says what that is, and the revision if asked to pin it.

    Raises:
        BadDocument: A skill with faults cannot be turned on.
        NotEditable: The folder has no generation marker, so that nothing could be bound to it.
        StaleRevision: The pin is not the revision that is there.
    """
    if isinstance(found, Rejection):
        raise BadDocument(command.address.name, found.faults)
    if found.subject is None:
        raise NotEditable(found.source, *_UNMARKED, name=found.name)
    pin = (now.pin if found.enabled else None) if isinstance(command.pin, Keep) else command.pin
    if pin is not None and not is_same(pin, found.revision):
        raise StaleRevision(found.name, pin, found.revision)
    return SkillState(enabled=True, priority=_priority(command, now), subject=found.subject, pin=pin)


def refuse_shared(folder: Folder) -> None:
    """See that a folder is the agent's own.

    Raises:
        NotEditable: It is the host's.
    """
    if folder.found.source is SourceId.HOST_SHARED:
        raise NotEditable(folder.found.source, *_OPERATORS)


def refuse_stale(folder: Folder, expected: Revision | None) -> None:
    """See that a folder is what its caller saw, if they say what that was.

    Raises:
        StaleRevision: It is not.
    """
    if expected is not None and not is_same(expected, folder.tree.revision):
        raise StaleRevision(folder.name, expected, folder.tree.revision)


def refuse_moved(command: SetState, found: SkillRecord | Rejection) -> None:
    """See that a skill is in the state that its caller saw, if they say which that was.

    Raises:
        StaleRevision: It is not.
    """
    expected = command.expected_etag
    etag = found.etag if isinstance(found, SkillRecord) else found.revision or ""
    if expected is not None and not is_same(expected, etag):
        raise StaleRevision(command.address.name, expected, etag or None)


def _priority(command: SetState, now: SkillState) -> int:
    return now.priority if command.priority is None else command.priority


def _not_deletable(found: SkillRecord | Rejection) -> NotEditable:
    """Why there is no binding, and what to do."""
    if found.source is SourceId.HOST_SHARED:
        return NotEditable(found.source, *_OPERATORS)
    assert found.name is not None, "an address leads to it"
    if found.unlisted is None:
        return NotEditable(found.source, *unlistable(found.name), name=found.name)
    return NotEditable(found.source, *(_UNMARKED if found.generation is None else REPOSITORY), name=found.name)
