"""What happens on a disk that may crash: five verbs of the store, the doings of a person, and a plain model of both.

The model is a dict: skills by name, each a dict of files by path, each its bytes and its permission bits. It knows no
disk, and none of our code.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Final, NamedTuple

from attrs import evolve, frozen

from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_core.domain.approval import ApprovalBinding
from kestrel_skills_core.domain.names import (
    MARKER,
    PROVENANCE,
    Generation,
    ResourcePath,
    Revision,
    SkillName,
    SourceId,
)
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance
from kestrel_skills_core.domain.tree import Content, SkillTree, inventory_of, revision_of

__all__ = [
    "ALL_VERBS",
    "BLANK",
    "EDITS",
    "FIRST",
    "NAME",
    "ROOT",
    "VERBS",
    "Edit",
    "Held",
    "State",
    "Verb",
    "approval",
    "begun",
    "edits",
    "frozen_state",
    "never",
    "revision",
    "store_on",
    "visible",
]


class Held(NamedTuple):
    """What one file is: its bytes, and its permission bits."""

    content: bytes
    mode: int = 0o644


Files = Mapping[str, Held]
State = Mapping[str, Files]
Frozen = frozenset[tuple[str, frozenset[tuple[str, Held]]]]

ROOT: Final = "/skills"
INTERNAL: Final = ".kestrel-internal"
NAME: Final = SkillName("a")
OTHER: Final = "c"
"""What a person renames the skill to."""
_A_MARKER: Final = re.compile(rb"kestrel-skill-generation-v1:[0-9a-f]{64}\n")
ANY_MARKER: Final = Held(b"a marker")
_SCRIPT: Final = "tools/run.sh"


class Counted:
    """Tokens that count from the time of a disk: none is drawn twice there, and all runs alike draw alike."""

    def __init__(self, disk: CrashDisk) -> None:
        self._began = disk.volume.now
        self._next = count(1)

    def token(self) -> str:
        """One more."""
        return f"{self._began:048x}{next(self._next):016x}"


def never() -> bool:
    """Nobody goes away."""
    return False


def store_on(disk: CrashDisk) -> PosixSkillStore:
    """The store on trial."""
    return PosixSkillStore(ROOT, chance=Counted(disk), calls=disk)


def document(body: str) -> bytes:
    """A good `SKILL.md`."""
    return f"---\nname: {NAME}\ndescription: Use when something breaks.\n---\n\n{body}\n".encode()


FIRST: Final[State] = {
    "a": {
        "SKILL.md": Held(document("First.")),
        "notes/one.md": Held(b"one\n"),
        _SCRIPT: Held(b"#!/bin/sh\n", 0o755),
        MARKER: ANY_MARKER,
    },
    "b": {"SKILL.md": Held(b"---\nname: b\ndescription: Not touched.\n---\n"), MARKER: ANY_MARKER},
}
"""Two skills, of which the second is never touched."""
BLANK: Final[State] = {}


def begun(state: State) -> CrashDisk:
    """A disk on which a person has made these skills, durably."""
    disk = CrashDisk()
    for number, (name, files) in enumerate(state.items()):
        for path, held in files.items():
            content = b"kestrel-skill-generation-v1:%064x\n" % number if held == ANY_MARKER else held.content
            disk.person.put(f"{ROOT}/{name}/{path}", content, mode=held.mode)
    disk.volume.settle()
    return disk


def visible(disk: CrashDisk) -> State:
    """The skills as they are to be seen, without asking the store; any good marker is like any other."""
    found: dict[str, dict[str, Held]] = {}
    for path, inode in disk.below(ROOT):
        name, _, below = path.partition("/")
        if name != INTERNAL and not stat.S_ISDIR(inode.mode):
            marked = below == MARKER and _A_MARKER.fullmatch(inode.content)
            content = ANY_MARKER.content if marked else inode.content
            found.setdefault(name, {})[below] = Held(content, stat.S_IMODE(inode.mode))
    return found


def frozen_state(state: State) -> Frozen:
    """The same, to be compared and remembered."""
    return frozenset((name, frozenset(files.items())) for name, files in state.items() if files)


def revision(state: State) -> Revision:
    """What a caller saw of the skill."""
    files = {
        ResourcePath(path): Content(held.content, held.mode & 0o111 != 0)
        for path, held in state.get(NAME, {}).items()
        if not path.startswith(".")
    }
    return revision_of(inventory_of(files))


def approval(disk: CrashDisk, state: State) -> ApprovalBinding:
    """What a person approved the deletion of."""
    marker = disk.files(f"{ROOT}/{NAME}").get(MARKER, b"")
    return ApprovalBinding(
        operation="delete",
        agent="did:example:1",
        name=NAME,
        source=SourceId.AGENT_LOCAL,
        generation=Generation(marker.decode().rpartition(":")[2].strip()),
        revision=revision(state),
    )


@frozen
class Verb:
    """One verb: how it is asked for, what it makes of a state if it is done, and of which states it may be."""

    run: Callable[[PosixSkillStore, CrashDisk, State, str], object]
    done: Callable[[State, str], State]
    may: Callable[[State], bool]


def _with(state: State, path: str, content: bytes | None, mode: int | None = None) -> State:
    """The state in which one file of the skill holds that, or is not; it keeps its mode, unless one is given."""
    files = {**state.get(NAME, {})}
    before = files.pop(path, Held(b""))
    if content is not None:
        files[path] = Held(content, before.mode if mode is None else mode)
    return {**_without(state), NAME: files}


def _without(state: State, name: str = NAME) -> State:
    return {other: files for other, files in state.items() if other != name}


def _published(salt: str) -> Files:
    return {
        "SKILL.md": Held(document(f"Published {salt}.")),
        "deep/er/two.md": Held(f"two {salt}\n".encode()),
        MARKER: ANY_MARKER,
    }


def _publish(store: PosixSkillStore, disk: CrashDisk, state: State, salt: str) -> object:
    files = {ResourcePath(path): Content(held.content) for path, held in _published(salt).items() if path != MARKER}
    return store.publish(NAME, SkillTree(files), cancelled=never)


_ADDED: Final = "new/folder/file.md"
_BESIDE: Final = "beside.md"
_REMOVED: Final = "notes/one.md"

VERBS: Final[Mapping[str, Verb]] = {
    "publish": Verb(
        _publish, lambda state, salt: {**state, NAME: _published(salt)} if NAME not in state else state,
        lambda state: NAME not in state,
    ),
    "replace": Verb(
        lambda store, disk, state, salt: store.write(
            NAME, ResourcePath("SKILL.md"), document(salt), seen=revision(state), cancelled=never
        ),
        lambda state, salt: _with(state, "SKILL.md", document(salt)),
        lambda state: NAME in state,
    ),
    "add": Verb(
        lambda store, disk, state, salt: store.write(
            NAME, ResourcePath(_ADDED), salt.encode(), seen=revision(state), cancelled=never
        ),
        lambda state, salt: _with(state, _ADDED, salt.encode()),
        lambda state: NAME in state,
    ),
    "remove": Verb(
        lambda store, disk, state, salt: store.remove(
            NAME, ResourcePath(_REMOVED), seen=revision(state), cancelled=never
        ),
        lambda state, salt: _with(state, _REMOVED, None),
        lambda state: _REMOVED in state.get(NAME, {}),
    ),
    "retire": Verb(
        lambda store, disk, state, salt: store.retire(NAME, approved=approval(disk, state), cancelled=never),
        lambda state, salt: _without(state),
        lambda state: NAME in state,
    ),
}  # fmt: skip


_ORIGIN: Final = Provenance(kind="folder", subpath="a")

ALL_VERBS: Final[Mapping[str, Verb]] = {
    **VERBS,
    "add beside": Verb(
        lambda store, disk, state, salt: store.write(
            NAME, ResourcePath(_BESIDE), salt.encode(), seen=revision(state), cancelled=never
        ),
        lambda state, salt: _with(state, _BESIDE, salt.encode()),
        lambda state: NAME in state,
    ),
    "annotate": Verb(
        lambda store, disk, state, salt: store.annotate(
            NAME, evolve(_ORIGIN, ref=salt), seen=revision(state), cancelled=never
        ),
        lambda state, salt: _with(state, PROVENANCE, dump_provenance(evolve(_ORIGIN, ref=salt))),
        lambda state: NAME in state,
    ),
}


@frozen
class Edit:
    """What a person does: to the disk, and to the model. `wrote` are the bytes that must be found ever after."""

    act: Callable[[CrashDisk, bool], None]
    done: Callable[[State], State]
    wrote: frozenset[bytes] = frozenset()
    needs: str = ""
    """The path, below the root, without which it cannot be done; behind a `!`, the one with which it cannot."""
    path: str = ""
    """The one file that it writes, where it is so small that it may also be done without syncing."""

    of_mode: bool = False
    """Whether it changes permission bits alone. A verb that meets them puts them back; a power cut before that may not.
    """

    inside: bool = False
    """Whether it is done by who stands in the folder, and does not see that it was moved."""

    def possible(self, disk: CrashDisk) -> bool:
        """Whether there is what the doing needs."""
        if self.inside:
            return _standing(disk) is not None
        there = False
        with suppress(OSError):
            disk.volume.resolved(f"{ROOT}/{self.needs.removeprefix('!')}")
            there = True
        return there != self.needs.startswith("!")


_IN: Final = f"{ROOT}/{NAME}"


def _drop(path: str) -> Callable[[CrashDisk, bool], None]:
    return lambda disk, synced: disk.person.drop(f"{_IN}{path}", synced=synced)


def _chmod(path: str, mode: int) -> Edit:
    return Edit(
        lambda disk, synced: disk.person.chmod(f"{_IN}/{path}", mode, synced=synced),
        lambda state: _with(state, path, state[NAME][path].content, mode),
        needs=f"a/{path}",
        of_mode=True,
    )


def _rename(disk: CrashDisk, synced: bool) -> None:
    with suppress(FileNotFoundError):
        disk.person.drop(f"{ROOT}/{OTHER}", synced=synced)
    disk.person.shift(_IN, f"{ROOT}/{OTHER}", synced=synced)


def edits(mine: bytes) -> Mapping[str, Edit]:
    """What a person may do who writes these bytes."""
    wrote = frozenset({mine})
    anew: Files = {"SKILL.md": Held(mine)}

    def put(path: str) -> Callable[[CrashDisk, bool], None]:
        return lambda disk, synced: disk.person.put(f"{_IN}/{path}", mine, synced=synced)

    def save(path: str) -> Callable[[CrashDisk, bool], None]:
        return lambda disk, synced: disk.person.save(f"{_IN}/{path}", mine, synced=synced)

    def changed(path: str) -> Callable[[State], State]:
        return lambda state: _with(state, path, mine)

    def saved(path: str) -> Callable[[State], State]:
        return lambda state: _with(state, path, mine, 0o644)

    def recreate(disk: CrashDisk, synced: bool) -> None:
        disk.person.drop(_IN, synced=synced)
        put("SKILL.md")(disk, synced)

    def rename_and_recreate(disk: CrashDisk, synced: bool) -> None:
        _rename(disk, synced)
        put("SKILL.md")(disk, synced)

    def put_inside(disk: CrashDisk, synced: bool) -> None:
        disk.person.put(f"{_standing(disk)}/mine.md", mine, synced=synced)

    return {
        "writes the document in place": Edit(put("SKILL.md"), changed("SKILL.md"), wrote, "a/SKILL.md", "SKILL.md"),
        "saves the document": Edit(save("SKILL.md"), saved("SKILL.md"), wrote, "a"),
        "saves a note": Edit(save(_REMOVED), saved(_REMOVED), wrote, "a"),
        "adds a file": Edit(put("mine.md"), changed("mine.md"), wrote, "a", "mine.md"),
        "adds a file from inside": Edit(
            put_inside, lambda state: changed("mine.md")(state) if NAME in state else state, wrote, inside=True
        ),
        "adds the same file beside": Edit(put(_BESIDE), changed(_BESIDE), wrote, "a", _BESIDE),
        "adds the same file": Edit(put(_ADDED), changed(_ADDED), wrote, "a", _ADDED),
        "deletes a note": Edit(
            _drop(f"/{_REMOVED}"), lambda state: _with(state, _REMOVED, None), needs=f"a/{_REMOVED}"
        ),
        "makes a note executable": _chmod(_REMOVED, 0o755),
        "changes the mode of the document": _chmod("SKILL.md", 0o600),
        "deletes the skill": Edit(_drop(""), _without, needs="a"),
        "renames the skill": Edit(_rename, _renamed, needs="a", path="."),
        "makes the skill anew": Edit(recreate, lambda state: {**state, NAME: anew}, wrote, needs="a"),
        "renames the skill and makes another": Edit(
            rename_and_recreate, lambda state: {**_renamed(state), NAME: anew}, wrote, needs="a"
        ),
        "makes a skill of that name": Edit(put("SKILL.md"), lambda state: {**state, NAME: anew}, wrote, needs="!a"),
    }  # fmt: skip


def _standing(disk: CrashDisk) -> str | None:
    """Where the folder is now, in sight or out of it."""
    retired = f"{ROOT}/{INTERNAL}/retired"
    found = [f"{retired}/{path}" for path, _ in disk.below(retired) if path.endswith(f"-{NAME}")]
    return _IN if dict(disk.below(_IN)) else next(iter(found), None)


def _renamed(state: State) -> State:
    return {**_without(state), OTHER: state[NAME]}


EDITS: Final = edits(b"a person wrote this")
