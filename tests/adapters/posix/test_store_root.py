"""A root, or this library's own folder in it, that is not what it was a moment ago."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_core.domain.errors import InDoubt, SkillError, StoreFailed
from kestrel_skills_core.domain.fence import Fence
from tests.contracts.store import OnDisk
from tests.hostile.disk import Meddling, open_descriptors

from .stores import KNOTS, TREE, VERBS, Verb, made, on
from .test_store_meets_person import copied, entries

FENCE = Fence(priority=1, reason="why")


def root_elsewhere(root: Path) -> None:
    """Moves the root aside, and puts a link to a folder of somebody else in its place."""
    root.rename(root.parent / "aside")
    root.symlink_to(root.parent / "theirs")


def root_anew(root: Path) -> None:
    """Moves the root aside, and puts a copy of it in its place."""
    root.rename(root.parent / "aside")
    shutil.copytree(root.parent / "aside", root, symlinks=True)


def own_elsewhere(root: Path) -> None:
    """Puts a link to a folder of somebody else in the place of this library's own."""
    (root / ".kestrel-internal").rename(root.parent / "own")
    (root / ".kestrel-internal").symlink_to(root.parent / "theirs")


def own_anew(root: Path) -> None:
    """Moves this library's own folder aside."""
    (root / ".kestrel-internal").rename(root.parent / "own")


def rooms_elsewhere(root: Path) -> None:
    """Puts links to a folder of somebody else in the place of every room."""
    for room in (root / ".kestrel-internal").iterdir():
        room.rename(root.parent / f"was-{room.name}")
        room.symlink_to(root.parent / "theirs")


Sight = dict[str, Entry]


def tried(root: OnDisk, verb: Verb, meddle: Callable[..., None], old: Sight, new: Sight) -> list[Sight]:
    """What may be in sight, by how the verb ended."""
    try:
        verb.run(on(root, Meddling(meddle)))
    except InDoubt:
        return [old, new]
    except SkillError:
        return [old]
    return [new]


def in_sight(root: OnDisk) -> list[Sight]:
    """What is in sight: of the root, and of the one that was moved aside while it was worked in."""
    roots = [root, OnDisk(root.path.parent / "aside", root.source, calls=root.calls)]
    return [entries(each) for each in roots if each.path.exists() and not each.path.is_symlink()]


@pytest.mark.parametrize(
    "deed", [root_elsewhere, root_anew, own_elsewhere, own_anew, rooms_elsewhere], ids=lambda deed: deed.__name__
)
@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_what_takes_the_place_of_a_folder_is_left_alone(
    swift_path: Path, verb: Verb, deed: Callable[[Path], None]
) -> None:
    """Before every call in turn: nothing is written through a link, no skill is lost, and no descriptor either."""
    template = made(swift_path)
    (swift_path / "theirs").mkdir()
    (swift_path / "theirs" / "SKILL.md").write_bytes(b"Not ours.\n")
    with copied(template, swift_path) as root:
        indices = count()
        verb.run(on(root, Meddling(lambda *_: next(indices))))
        many = next(indices)
        new = entries(root)
    old = entries(template)
    for index in range(many):
        above = swift_path / str(index)
        above.mkdir()
        (above / "theirs").symlink_to("../theirs")
        with copied(template, above) as root:
            indices = count()

            def meddle(*_: Any, at: int = index, root: OnDisk = root, indices: count[int] = indices) -> None:
                if next(indices) == at:
                    deed(root.path)

            descriptors = open_descriptors()
            allowed = tried(root, verb, meddle, old, new)
            assert open_descriptors() == descriptors
            assert [path.name for path in (swift_path / "theirs").iterdir()] == ["SKILL.md"]
            assert any(sight in allowed for sight in in_sight(root)), index
            assert all(sight in (old, new) for sight in in_sight(root)), index
            if root.path.is_symlink():
                root.path.unlink()
                root.path.mkdir()


def test_a_root_that_cannot_be_written_can_be_read(tmp_path: Path) -> None:
    """Every change is refused in words; marks are read, and a sweep says why it could not be."""
    root = made(tmp_path)
    root.store.fence(KNOTS, FENCE, cancelled=never)
    before = root.entries()

    def act(call: str, *_: Any) -> None:
        if call in ("create", "make_folder", "locked", "unlink", "move", "exchange", "rename"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    store = on(root, Meddling(act))
    for verb in VERBS:
        with pytest.raises(StoreFailed, match="the file system cannot be written"):
            verb.run(store)
    with pytest.raises(StoreFailed, match=r"sweep.*the file system cannot be written"):
        store.sweep()
    assert root.entries() == before
    assert store.read(KNOTS).tree.revision == TREE.revision
    assert store.fenced() == {KNOTS: FENCE}
