"""Stores on a disk, and the verbs to try on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from kestrel_skills_adapters.contracts.roots import approval, document, never
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.fence import Fence
from kestrel_skills_core.domain.names import ResourcePath, SkillName
from kestrel_skills_core.domain.provenance import Provenance
from kestrel_skills_core.domain.tree import Content, SkillTree
from tests.contracts.files import Later
from tests.contracts.store import OnDisk
from tests.hostile.disk import Meddling, Swift

__all__ = ["CHANGING", "KNOTS", "ROOMS", "TREE", "VERBS", "Verb", "leftovers", "made", "on", "syncs", "tree_of"]

KNOTS: Final = SkillName("knots")
ROOMS: Final = ("staging", "retired")
"""What is in these after a sweep is too much."""
TREE: Final = SkillTree(
    {
        ResourcePath("SKILL.md"): Content(document("knots")),
        ResourcePath("bin/tie.sh"): Content(b"#!/bin/sh\n", executable=True),
        ResourcePath("a/b/deep.md"): Content(b"deep\n"),
    }
)


def tree_of(files: int) -> SkillTree:
    """A good skill of so many files."""
    more = {ResourcePath(f"more/{number}.md"): Content(b"more") for number in range(files - 1)}
    return SkillTree({ResourcePath("SKILL.md"): Content(document("knots")), **more})


def made(above: Path) -> OnDisk:
    """A root that holds knots, and whose rooms are all there."""
    root = OnDisk.of(above, Swift())
    generation = root.store.publish(KNOTS, TREE, Provenance(kind="folder", url="there"), cancelled=never)
    for room in ("kept", *ROOMS):
        (root.internal / room).mkdir(exist_ok=True)
    assert generation
    return root


def on(root: OnDisk, calls: Syscalls) -> PosixSkillStore:
    """Another store on the same root, through other system calls; it has no patience."""
    chance = CountedChance()
    for _ in range(100):  # tokens that the first store never used
        chance.token()
    return PosixSkillStore(root.path, chance=chance, calls=calls, patience=0)


def leftovers(root: OnDisk) -> list[str]:
    """What is in the rooms that should be empty."""
    return sorted(
        path.relative_to(root.internal).as_posix() for room in ROOMS for path in (root.internal / room).iterdir()
    )


@frozen
class Verb:
    """One change of a root that holds knots."""

    name: str
    run: Callable[[PosixSkillStore], object]

    def __str__(self) -> str:
        return self.name


def _unfence(store: PosixSkillStore) -> None:
    plain = PosixSkillStore(store.path, chance=store.chance, calls=Later())
    seen = (plain.fenced() or {}).get(KNOTS, Fence(priority=1, reason="nobody's"))
    store.unfence(KNOTS, seen=seen, cancelled=never)


def _retire(store: PosixSkillStore) -> None:
    plain = PosixSkillStore(store.path, chance=store.chance, calls=Later())
    store.retire(KNOTS, approved=approval(plain, KNOTS), cancelled=never)


VERBS: Final = (
    Verb("publish", lambda store: store.publish(SkillName("shells"), TREE, cancelled=never)),
    Verb(
        "replace",
        lambda store: store.write(
            KNOTS, ResourcePath("SKILL.md"), document("knots") + b"More.\n", seen=TREE.revision, cancelled=never
        ),
    ),
    Verb(
        "replace deep",
        lambda store: store.write(KNOTS, ResourcePath("a/b/deep.md"), b"x", seen=TREE.revision, cancelled=never),
    ),
    Verb("add", lambda store: store.write(KNOTS, ResourcePath("new.md"), b"x", seen=TREE.revision, cancelled=never)),
    Verb(
        "add deep",
        lambda store: store.write(KNOTS, ResourcePath("a/new/x/new.md"), b"x", seen=TREE.revision, cancelled=never),
    ),
    Verb(
        "remove",
        lambda store: store.remove(KNOTS, ResourcePath("bin/tie.sh"), seen=TREE.revision, cancelled=never),
    ),
    Verb(
        "annotate",
        lambda store: store.annotate(KNOTS, Provenance(kind="archive"), seen=TREE.revision, cancelled=never),
    ),
    Verb("retire", _retire),
    Verb("fence", lambda store: store.fence(KNOTS, Fence(priority=1, reason="why"), cancelled=never)),
    Verb("unfence", _unfence),
)
CHANGING: Final = [verb for verb in VERBS if verb.name not in ("publish", "fence", "unfence")]
"""Those that change knots."""


def syncs(root: OnDisk, verb: Verb) -> int:
    """How often a verb waits for the disk."""
    count = 0

    def act(call: str, *_: Any) -> None:
        nonlocal count
        count += call in ("sync", "sync_disk")

    verb.run(on(root, Meddling(act)))
    return count
