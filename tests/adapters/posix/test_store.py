"""What a store on a disk costs, leaves alone, and survives."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.contracts.roots import approval, never
from kestrel_skills_adapters.posix.renames import UNSUPPORTED
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_core.domain.errors import Failed, InDoubt, StoreFailed, TooLarge
from kestrel_skills_core.domain.names import ResourcePath, SkillName
from tests.contracts.files import Later
from tests.contracts.store import OnDisk
from tests.hostile.disk import Meddling, Swift, failing, open_descriptors

from .stores import KNOTS, ROOMS, TREE, VERBS, Verb, leftovers, made, on, syncs, tree_of

VERB = {verb.name: verb for verb in VERBS}
COSTS = {
    # every file and folder of the tree, with its marker, and staging; then, after the move, root and staging
    "publish": 4 + 4 + 1 + 2,
    "replace": 4,  # the file, staging; its folder, staging
    "replace deep": 4,
    "add": 4,  # the file, staging; its folder, staging
    "add deep": 6,  # and two new folders
    "remove": 2,  # the folder, staging
    "annotate": 4,
    "retire": 2,  # root, retired
    "fence": 3,  # the mark, its folder, staging
    "unfence": 1,  # its folder
}


# What it costs.


@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_a_verb_waits_for_the_disk_so_often_and_no_oftener(tmp_path: Path, verb: Verb) -> None:
    """A budget: each wait is one that some crash suite needs."""
    assert syncs(made(tmp_path), verb) == COSTS[verb.name]


@pytest.mark.parametrize("files", [1, 250])
def test_the_waits_do_not_grow_with_the_skill(tmp_path: Path, files: int) -> None:
    """Edit, addition, removal and deletion wait as often for a skill of one file as for one of 250."""
    root = OnDisk.of(tmp_path)
    tree = tree_of(files)
    root.store.publish(KNOTS, tree, cancelled=never)
    seen = tree.revision

    def edit(path: str) -> Callable[[PosixSkillStore], object]:
        return lambda store: store.write(KNOTS, ResourcePath(path), b"x", seen=seen, cancelled=never)

    for room in ROOMS:
        (root.internal / room).mkdir(exist_ok=True)
    assert syncs(root, Verb("replace", edit("SKILL.md"))) == 4
    seen = root.store.read(KNOTS).sighting.revision
    assert syncs(root, Verb("add", edit("new.md"))) == 4
    seen = root.store.read(KNOTS).sighting.revision
    gone = ResourcePath("new.md")
    assert syncs(root, Verb("remove", lambda store: store.remove(KNOTS, gone, seen=seen, cancelled=never))) == 2
    assert syncs(root, VERB["retire"]) == 2


def test_a_root_is_counted_again_only_where_somebody_else_changed_it(swift_path: Path) -> None:
    """So that publishing costs the same beside ten skills and beside four thousand."""
    root = made(swift_path)
    counted: list[str] = []

    def act(call: str, *arguments: Any) -> None:
        if call == "listed" and os.path.samestat(os.fstat(arguments[0]), root.path.stat()):
            counted.append(call)

    store = on(root, Meddling(act))
    for name in ("a", "b", "c"):
        store.publish(SkillName(name), TREE, cancelled=never)
    store.retire(KNOTS, approved=approval(root.store, KNOTS), cancelled=never)
    store.publish(SkillName("d"), TREE, cancelled=never)
    assert len(counted) == 1
    os.utime(root.path)
    store.publish(SkillName("e"), TREE, cancelled=never)
    assert len(counted) == 2


def test_a_root_is_full_by_what_was_published_too(swift_path: Path) -> None:
    """The count of a root that nobody else changed goes up and down with what is published and retired."""
    root = made(swift_path)
    for number in range(4096 - 3):  # with knots, and this library's own folder, there is room for one
        (root.path / f"file-{number}").touch()
    store = on(root, Swift())
    store.publish(SkillName("last"), TREE, cancelled=never)
    with pytest.raises(TooLarge):
        store.publish(SkillName("more"), TREE, cancelled=never)
    store.retire(KNOTS, approved=approval(root.store, KNOTS), cancelled=never)
    store.publish(SkillName("more"), TREE, cancelled=never)


# What it leaves alone.


def stamps(root: Path) -> dict[str, tuple[int, int, int, int]]:
    """Inode, mode, size and time of every file and folder in sight."""
    found = {}
    for path in sorted(root.rglob("*")):
        now = path.stat()
        if ".kestrel-internal" not in path.parts:
            found[path.relative_to(root).as_posix()] = (now.st_ino, now.st_mode, now.st_size, now.st_mtime_ns)
    return found


@pytest.mark.parametrize(
    ("name", "touched"),
    [
        ("replace", {"knots", "knots/SKILL.md"}),
        ("replace deep", {"knots/a/b", "knots/a/b/deep.md"}),
        ("add", {"knots", "knots/new.md"}),
        ("add deep", {"knots/a", "knots/a/new", "knots/a/new/x", "knots/a/new/x/new.md"}),
        ("remove", {"knots/bin", "knots/bin/tie.sh"}),
        ("annotate", {"knots", "knots/.kestrel-provenance.json"}),
        ("fence", set()),
    ],
)
def test_a_verb_touches_what_it_changes_and_nothing_else(tmp_path: Path, name: str, touched: set[str]) -> None:
    """All other files and folders keep inode, mode and times, and every folder but a new one its inode and mode."""
    root = made(tmp_path)
    for number, path in enumerate(sorted(root.path.rglob("*"))):
        os.utime(path, ns=(10**18 + number, 10**18 + number))
    before = stamps(root.path)
    VERB[name].run(root.store)
    after = stamps(root.path)
    assert {path for path in {*before, *after} if before.get(path) != after.get(path)} <= touched
    for path in {*before, *after} - touched:
        assert before[path] == after[path]
    assert before["knots"][:2] == after["knots"][:2]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755, 0o400, 0o777])
def test_an_edited_file_keeps_its_permission_bits(tmp_path: Path, mode: int) -> None:
    """Exactly, whatever the umask."""
    root = made(tmp_path)
    file = root.path / "knots" / "SKILL.md"
    file.chmod(mode)
    seen = root.store.read(KNOTS).sighting.revision
    before = os.umask(0o077)
    try:
        root.store.write(KNOTS, ResourcePath("SKILL.md"), b"new", seen=seen, cancelled=never)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_what_is_new_has_the_modes_that_the_umask_leaves(tmp_path: Path) -> None:
    """As if a person had made it."""
    before = os.umask(0o027)
    try:
        root = made(tmp_path)
        VERB["add deep"].run(root.store)
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(mode) for path, (_, mode, _, _) in stamps(root.path).items()}
    assert modes["knots"] == modes["knots/a"] == modes["knots/a/new/x"] == modes["knots/bin/tie.sh"] == 0o750
    assert modes["knots/SKILL.md"] == modes["knots/a/new/x/new.md"] == modes["knots/.kestrel-generation"] == 0o640


def test_this_librarys_own_rooms_are_private(tmp_path: Path) -> None:
    """And its locks stay."""
    root = OnDisk.of(tmp_path)
    root.store.publish(KNOTS, TREE, cancelled=never)
    VERB["retire"].run(root.store)
    root.store.sweep()
    assert stat.S_IMODE(root.internal.stat().st_mode) == 0o700
    assert all(stat.S_IMODE((root.internal / room).stat().st_mode) == 0o700 for room in ("locks", "retired"))
    assert sorted(path.name for path in (root.internal / "locks").iterdir()) == ["name-knots.lock", "store.lock"]


@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_nothing_is_left_over(tmp_path: Path, verb: Verb) -> None:
    """But for what was taken out of sight: one entry, which the next sweep removes."""
    root = made(tmp_path)
    verb.run(root.store)
    assert len(leftovers(root)) == (verb.name in {"replace", "replace deep", "remove", "annotate", "retire"})
    root.store.sweep()
    assert leftovers(root) == []
    assert root.store.kept() == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser may give files away")
def test_an_edited_file_keeps_its_owner(tmp_path: Path) -> None:
    """And its group, and the permission bits that changing these takes away."""
    root = made(tmp_path)
    document = root.path / "knots" / "SKILL.md"
    os.chown(document, 65534, 65533)
    document.chmod(0o4604)
    VERB["replace"].run(root.store)
    found = document.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (65534, 65533, 0o4604)


def test_a_file_that_may_not_be_given_away_is_edited_all_the_same(tmp_path: Path) -> None:
    """Its group is tried by itself."""
    root = made(tmp_path)
    asked: list[tuple[object, ...]] = []

    class Another(Later):
        def fstat(self, fd: int) -> os.stat_result:
            found = super().fstat(fd)
            return os.stat_result((*found[:4], 1, 1, *found[6:])) if stat.S_ISREG(found.st_mode) else found

        def set_owner(self, fd: int, user: int, group: int) -> None:
            asked.append((user, group))
            raise PermissionError(errno.EPERM, "")

    VERB["replace"].run(on(root, Another()))
    found = (root.path / "knots" / "SKILL.md").stat()
    assert asked == [(found.st_uid, found.st_gid), (-1, found.st_gid)]


# A disk that fails at each call.


def outcome(root: OnDisk, name: str) -> tuple[object, object]:
    """What is in sight, generations apart, and the marks."""
    markers = ("knots/.kestrel-generation", "shells/.kestrel-generation")
    entries = {path: entry for path, entry in root.entries().items() if path not in markers}
    return entries, root.store.fenced()


@contextmanager
def copied(template: OnDisk, above: Path) -> Iterator[OnDisk]:
    """A copy of a root, for one try."""
    path = above / "try"
    shutil.copytree(template.path, path, symlinks=True)
    yield OnDisk(path, template.source, calls=template.calls)
    shutil.rmtree(path)


def calls_of(root: OnDisk, verb: Verb) -> int:
    """How many calls a verb makes that may fail."""
    made_calls: list[str] = []
    verb.run(on(root, Meddling(lambda call, *_: made_calls.append(call))))
    return len(made_calls)


def failing_at(index: int, number: int, *, forever: bool) -> Meddling:
    """A disk whose call of that index fails, or every one from there on."""
    calls = iter(range(10**9))

    def act(*_: Any) -> None:
        at = next(calls)
        if at == index or (forever and at > index):
            raise OSError(number, os.strerror(number))

    return Meddling(act)


ERRORS = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.EACCES, errno.EROFS]


@pytest.mark.parametrize("number", ERRORS, ids=lambda number: errno.errorcode[number])
@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_a_call_that_fails_leaves_the_old_or_the_new(swift_path: Path, verb: Verb, number: int) -> None:
    """Each call, once and forever: nothing else in sight, no descriptor open, and after a sweep nothing left over.

    The disk is what failed, and never told as a person's change, or as something that may not be done.
    """
    template = made(swift_path)
    if verb.name == "unfence":
        VERB["fence"].run(template.store)
    old = outcome(template, verb.name)
    with copied(template, swift_path) as root:
        many = calls_of(root, verb)
        new = outcome(root, verb.name)
    assert many > 2
    for index, forever in ((index, forever) for index in range(many) for forever in (False, True)):
        with copied(template, swift_path) as root:
            held = open_descriptors()
            try:
                verb.run(on(root, failing_at(index, number, forever=forever)))
            except InDoubt:
                allowed = [old, new]
            except Failed:
                allowed = [old]
            else:
                allowed = [new]
            assert outcome(root, verb.name) in allowed, (index, forever)
            assert open_descriptors() == held, (index, forever)
            root.store.sweep()
            assert outcome(root, verb.name) in allowed, (index, forever)
            assert leftovers(root) == [], (index, forever)
            assert root.store.kept() == (), (index, forever)


@pytest.mark.parametrize("number", sorted(UNSUPPORTED))
@pytest.mark.parametrize(("call", "name"), [("move", "publish"), ("exchange", "replace"), ("move", "retire")])
def test_a_file_system_without_the_moves_is_told_of(tmp_path: Path, call: str, name: str, number: int) -> None:
    """The refusal says what is missing; reading goes on."""
    root = made(tmp_path)
    before = root.entries()
    store = on(root, failing(call, None, number))
    with pytest.raises(StoreFailed, match="the file system cannot move without replacing"):
        VERB[name].run(store)
    assert root.entries() == before
    assert store.read(KNOTS).tree.revision == TREE.revision
