"""What every disk does: the real one on a temporary folder, and the one in memory that tests let crash."""

from __future__ import annotations

import errno
import inspect
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from kestrel_skills_adapters.memory.disk import CHANGING, CrashDisk
from kestrel_skills_adapters.posix.syscalls import Syscalls
from tests.hostile.disk import CALLS

Change = Callable[[Syscalls, int], object]


class Place:
    """A folder on a disk: `a` holds `1`, `b` holds `2`; `full/` holds `c`; `empty/`; `link` to `a`."""

    def __init__(self, calls: Syscalls, path: str) -> None:
        self.calls, self.path = calls, path
        with calls.folder(path) as root:
            for name, content in (("a", b"1"), ("b", b"2")):
                new(calls, root, name, content)
            for name in ("full", "empty"):
                calls.make_folder(name, root)
            with calls.folder("full", root) as full:
                new(calls, full, "c", b"3")
        if isinstance(calls, CrashDisk):
            calls.person.odd(f"{path}/link", "link", "a")
            calls.person.odd(f"{path}/pipe", "other")
        else:
            Path(path, "link").symlink_to("a")
            os.mkfifo(Path(path, "pipe"))

    def seen(self, below: str = "") -> dict[str, bytes | None]:
        """Every entry that is no folder, by path, with its bytes where it is a file; empty folders with a slash."""
        found: dict[str, bytes | None] = {}
        with self.calls.folder(f"{self.path}/{below}".rstrip("/")) as fd:
            for name, kind in self.calls.listed(fd, 100):
                if kind == "folder":
                    found |= self.seen(f"{below}{name}/") or {f"{below}{name}/": None}
                else:
                    found[below + name] = self.calls.read(name, fd, 100)[0] if kind == "file" else None
        return found


FIRST = {"a": b"1", "b": b"2", "full/c": b"3", "empty/": None, "link": None, "pipe": None}


def new(calls: Syscalls, at: int, name: str, content: bytes) -> None:
    """Make a file."""
    fd = calls.create(name, at)
    calls.append(fd, content)
    calls.close(fd)


@pytest.fixture(params=["posix", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """The folder, on each disk."""
    return Place(Syscalls(), str(tmp_path)) if request.param == "posix" else Place(CrashDisk(), "/skills")


@pytest.fixture
def root(place: Place) -> Iterator[int]:
    """It, open."""
    with place.calls.folder(place.path) as fd:
        yield fd


@contextmanager
def refused(*numbers: int) -> Iterator[None]:
    """What is done meanwhile is refused, with one of these numbers."""
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its number is looked at
        yield
    assert caught.value.errno in numbers


@contextmanager
def within(place: Place, root: int, *names: str) -> Iterator[list[int]]:
    """Hold some of its folders open."""
    with ExitStack() as held:
        yield [held.enter_context(place.calls.folder(name, root)) for name in names]


def test_a_folder_is_seen_as_it_is(place: Place) -> None:
    """With files, folders, links and others."""
    assert place.seen() == FIRST


CHANGES: dict[str, tuple[Change, dict[str, bytes | None], set[str]]] = {
    "rename to a free name": (lambda c, r: c.rename("a", r, "x", r), {"x": b"1"}, {"a"}),
    "rename over a file": (lambda c, r: c.rename("a", r, "b", r), {"b": b"1"}, {"a"}),
    "exchange with itself": (lambda c, r: c.exchange("a", r, "a", r), {}, set()),
    "rename onto itself": (lambda c, r: c.rename("a", r, "a", r), {}, set()),
    "rename over a folder": (lambda c, r: c.rename("full", r, "empty", r), {"empty/c": b"3"}, {"full/c", "empty/"}),
    "move a file": (lambda c, r: c.move("a", r, "x", r), {"x": b"1"}, {"a"}),
    "move a folder": (lambda c, r: c.move("full", r, "x", r), {"x/c": b"3"}, {"full/c"}),
    "move a link": (lambda c, r: c.move("link", r, "x", r), {"x": None}, {"link"}),
    "exchange two files": (lambda c, r: c.exchange("a", r, "b", r), {"a": b"2", "b": b"1"}, set()),
    "exchange two kinds": (lambda c, r: c.exchange("a", r, "full", r), {"a/c": b"3", "full": b"1"}, {"a", "full/c"}),
    "exchange with a link": (lambda c, r: c.exchange("a", r, "link", r), {"link": b"1", "a": None}, set()),
    "link": (lambda c, r: c.link("a", r, "x", r), {"x": b"1"}, set()),
    "unlink a file": (lambda c, r: c.unlink("a", r), {}, {"a"}),
    "unlink a link": (lambda c, r: c.unlink("link", r), {}, {"link"}),
    "unlink a pipe": (lambda c, r: c.unlink("pipe", r), {}, {"pipe"}),
    "remove a folder": (lambda c, r: c.remove_folder("empty", r), {}, {"empty/"}),
    "make a folder": (lambda c, r: c.make_folder("x", r), {"x/": None}, set()),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_changes_what_it_names(place: Place, root: int, name: str) -> None:
    """And nothing else."""
    change, come, gone = CHANGES[name]
    change(place.calls, root)
    assert place.seen() == {path: content for path, content in FIRST.items() if path not in gone} | come


REFUSALS: dict[str, tuple[Change, set[int]]] = {
    "open nothing": (lambda c, r: c.open("x", r), {errno.ENOENT}),
    "open a file": (lambda c, r: c.open("a", r), {errno.ENOTDIR}),
    "open a link": (lambda c, r: c.open("link", r), {errno.ENOTDIR, errno.ELOOP}),
    "read nothing": (lambda c, r: c.read("x", r, 9), {errno.ENOENT}),
    "read a link": (lambda c, r: c.read("link", r, 9), {errno.ELOOP}),
    "a piece of nothing": (lambda c, r: c.piece("x", r, 0, 9), {errno.ENOENT}),
    "a piece of a link": (lambda c, r: c.piece("link", r, 0, 9), {errno.ELOOP}),
    "stat nothing": (lambda c, r: c.stat("x", r), {errno.ENOENT}),
    "a name too long": (lambda c, r: c.stat("x" * 256, r), {errno.ENAMETOOLONG}),
    "make a name too long": (lambda c, r: c.make_folder("x" * 256, r), {errno.ENAMETOOLONG}),
    "create over a file": (lambda c, r: c.create("a", r), {errno.EEXIST}),
    "create over a link": (lambda c, r: c.create("link", r), {errno.EEXIST}),
    "make a folder over a folder": (lambda c, r: c.make_folder("empty", r), {errno.EEXIST}),
    "remove nothing": (lambda c, r: c.remove_folder("x", r), {errno.ENOENT}),
    "remove a full folder": (lambda c, r: c.remove_folder("full", r), {errno.ENOTEMPTY, errno.EEXIST}),
    "remove a file as a folder": (lambda c, r: c.remove_folder("a", r), {errno.ENOTDIR}),
    "unlink nothing": (lambda c, r: c.unlink("x", r), {errno.ENOENT}),
    "unlink a folder": (lambda c, r: c.unlink("empty", r), {errno.EISDIR, errno.EPERM}),
    "link nothing": (lambda c, r: c.link("x", r, "y", r), {errno.ENOENT}),
    "link over a file": (lambda c, r: c.link("a", r, "b", r), {errno.EEXIST}),
    "link a folder": (lambda c, r: c.link("full", r, "x", r), {errno.EPERM}),
    "rename nothing": (lambda c, r: c.rename("x", r, "y", r), {errno.ENOENT}),
    "rename a file over a folder": (lambda c, r: c.rename("a", r, "empty", r), {errno.EISDIR}),
    "rename a folder over a file": (lambda c, r: c.rename("empty", r, "a", r), {errno.ENOTDIR}),
    "rename a folder over a full one": (lambda c, r: c.rename("empty", r, "full", r), {errno.ENOTEMPTY, errno.EEXIST}),
    "move nothing": (lambda c, r: c.move("x", r, "y", r), {errno.ENOENT}),
    "move over a file": (lambda c, r: c.move("a", r, "b", r), {errno.EEXIST}),
    "move over a link": (lambda c, r: c.move("a", r, "link", r), {errno.EEXIST}),
    "move over an empty folder": (lambda c, r: c.move("full", r, "empty", r), {errno.EEXIST}),
    "exchange with nothing": (lambda c, r: c.exchange("a", r, "x", r), {errno.ENOENT}),
    "exchange nothing": (lambda c, r: c.exchange("x", r, "a", r), {errno.ENOENT}),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_cannot_be_is_refused_and_changes_nothing(place: Place, root: int, name: str) -> None:
    """With the number that the system gives."""
    change, numbers = REFUSALS[name]
    with refused(*numbers):
        change(place.calls, root)
    assert place.seen() == FIRST


@pytest.mark.parametrize("move", ["rename", "move", "exchange"])
def test_no_folder_is_moved_into_itself(place: Place, root: int, move: str) -> None:
    """However it is moved."""
    with within(place, root, "full") as [full], refused(errno.EINVAL):
        getattr(place.calls, move)("full", root, "c" if move == "exchange" else "x", full)


def test_a_link_to_a_folder_is_no_folder(place: Place, root: int) -> None:
    """Nobody is led elsewhere by it."""
    if isinstance(place.calls, CrashDisk):
        place.calls.person.odd(f"{place.path}/x", "link", "full")
    else:
        Path(place.path, "x").symlink_to("full")
    with refused(errno.ENOTDIR, errno.ELOOP):
        place.calls.open("x", root)


def test_two_names_of_one_file_do_not_change_places(place: Place, root: int) -> None:
    """They would be as before."""
    place.calls.link("a", root, "x", root)
    place.calls.exchange("a", root, "x", root)
    place.calls.rename("a", root, "x", root)
    assert place.seen() == FIRST | {"x": b"1"}


def test_nothing_is_found_in_a_file(place: Place, root: int) -> None:
    """By path or by descriptor."""
    with refused(errno.ENOTDIR):
        place.calls.stat(f"{place.path}/a/x")
    fd = place.calls.create("x", root)
    for ask in (place.calls.stat, place.calls.make_folder, place.calls.create):
        with refused(errno.ENOTDIR):
            ask("y", fd)
    place.calls.close(fd)


def test_entries_move_between_folders(place: Place, root: int) -> None:
    """By each kind of move."""
    with within(place, root, "full", "empty") as [full, empty]:
        place.calls.move("a", root, "a", empty)
        place.calls.rename("c", full, "b", root)
        place.calls.exchange("b", root, "a", empty)
    assert place.seen() == {"b": b"1", "empty/a": b"3", "full/": None, "link": None, "pipe": None}


def test_a_descriptor_follows_its_folder_and_not_its_name(place: Place, root: int) -> None:
    """A renamed folder is written to as before."""
    with within(place, root, "full") as [full]:
        place.calls.move("full", root, "x", root)
        new(place.calls, full, "d", b"4")
        assert place.calls.fstat(full).st_ino == place.calls.stat("x", root).st_ino
    assert place.seen("x/") == {"x/c": b"3", "x/d": b"4"}


@pytest.mark.parametrize("covered", [False, True])
def test_nothing_is_made_in_a_folder_that_was_removed(place: Place, root: int, covered: bool) -> None:
    """Though it is still open."""
    with within(place, root, "empty") as [empty]:
        if covered:
            place.calls.rename("full", root, "empty", root)
        else:
            place.calls.remove_folder("empty", root)
        for change in (place.calls.create, place.calls.make_folder):
            with pytest.raises(FileNotFoundError):
                change("x", empty)
        with pytest.raises(FileNotFoundError):
            place.calls.move("a", root, "x", empty)


def test_a_closed_descriptor_is_none(place: Place) -> None:
    """Whatever is asked of it."""
    fd = place.calls.open(place.path)
    place.calls.close(fd)
    for ask in (place.calls.fstat, place.calls.close, place.calls.sync, place.calls.sync_disk):
        with refused(errno.EBADF):
            ask(fd)


def test_a_file_grows_at_its_end_and_keeps_its_mode(place: Place, root: int) -> None:
    """And both can be synced, as can the folder, and the disk."""
    fd = place.calls.create("x", root, 0o600)
    place.calls.append(fd, b"one")
    place.calls.append(fd, b"")
    place.calls.append(fd, b" two")
    place.calls.set_mode(fd, 0o751)
    place.calls.sync(fd)
    place.calls.close(fd)
    place.calls.sync(root)
    place.calls.sync_disk(root)
    content, found = place.calls.read("x", root, 7)
    assert (content, found.st_size, stat.S_IMODE(found.st_mode)) == (b"one two", 7, 0o751)
    assert stat.S_ISREG(found.st_mode)


def test_no_more_is_read_than_asked_for_and_files_only(place: Place, root: int) -> None:
    """Of others it is told what they are."""
    new(place.calls, root, "x", b"one two")
    assert [place.calls.read("x", root, most)[0] for most in (6, 7)] == [None, b"one two"]
    for name, is_it in (("full", stat.S_ISDIR), ("pipe", stat.S_ISFIFO)):
        content, found = place.calls.read(name, root, 100)
        assert (content, is_it(found.st_mode)) == (None, True)
    assert stat.S_ISLNK(place.calls.stat("link", root).st_mode)
    assert place.calls.stat(f"{place.path}/full").st_ino == place.calls.stat("full", root).st_ino


def test_a_piece_is_what_lies_between(place: Place, root: int) -> None:
    """As far as there is anything; and only files have pieces."""
    new(place.calls, root, "x", b"one two")
    pieces = [place.calls.piece("x", root, start, most) for start, most in ((0, 3), (4, 3), (4, 9), (7, 9), (9, 9))]
    assert pieces == [b"one", b"two", b"two", b"", b""]
    assert [place.calls.piece(name, root, 0, 9) for name in ("full", "pipe")] == [None, None]


def test_no_more_entries_are_listed_than_asked_for(place: Place, root: int) -> None:
    """Nor stamped."""
    assert sorted(place.calls.listed(root, 10)) == [
        ("a", "file"),
        ("b", "file"),
        ("empty", "folder"),
        ("full", "folder"),
        ("link", "link"),
        ("pipe", "other"),
    ]
    assert len(place.calls.listed(root, 2)) == 2
    found: list[str | int | None] = []
    assert sorted(place.calls.stamps(place.path, 10, found)) == ["empty", "full"]
    assert sorted(str(name) for name in found[::5]) == ["a", "b", "link", "pipe"]
    some: list[str | int | None] = []
    assert len(place.calls.stamps(place.path, 1, some)) * 5 + len(some) == 5
    with pytest.raises(NotADirectoryError):
        place.calls.stamps(f"{place.path}/a", 10, found)


def test_stamps_are_what_stat_says(place: Place, root: int) -> None:
    """Inode, size, and both times."""
    found: list[str | int | None] = []
    place.calls.stamps(f"{place.path}/full", 10, found)
    with within(place, root, "full") as [full]:
        said = place.calls.stat("c", full)
        assert place.calls.read("c", full, 9)[1].st_ino == said.st_ino
    assert found == ["c", said.st_ino, 1, said.st_mtime_ns, said.st_ctime_ns]
    assert said.st_uid == os.geteuid()


def test_a_file_that_took_anothers_name_has_another_inode(place: Place, root: int) -> None:
    """And a moved one keeps its own."""
    mine, other = (place.calls.stat(name, root).st_ino for name in ("a", "b"))
    place.calls.exchange("a", root, "b", root)
    assert [place.calls.stat(name, root).st_ino for name in ("a", "b")] == [other, mine]


def test_a_lock_is_held_alone_or_shared(place: Place, root: int) -> None:
    """Whoever waits no longer is told so; the file is left."""
    calls = place.calls
    for held, wanted, let in ((False, False, False), (False, True, False), (True, False, False), (True, True, True)):
        with calls.locked("x", root, 0, shared=held):
            if let:
                with calls.locked("x", root, 0, shared=wanted):
                    pass
            else:
                with pytest.raises(BlockingIOError), calls.locked("x", root, 0, shared=wanted):
                    pass
    with calls.locked("x", root, 0):
        assert place.seen()["x"] == b""


def test_a_wait_for_a_lock_can_be_cancelled(place: Place, root: int) -> None:
    """However long it would have been."""
    with (
        place.calls.locked("x", root, 0),
        pytest.raises(BlockingIOError),
        place.calls.locked("x", root, 60, cancelled=lambda: True),
    ):
        pass


def test_a_lock_file_that_is_a_link_is_not_followed(place: Place, root: int) -> None:
    """It might be anyone's file."""
    with refused(errno.ELOOP), place.calls.locked("link", root, 0):
        pass


def test_a_change_moves_the_stamps_on(place: Place, root: int) -> None:
    """The time of its last change is never after the clock's."""
    before = place.calls.stat("full", root)
    with within(place, root, "full") as [full]:
        new(place.calls, full, "d", b"4")
    after = place.calls.stat("full", root)
    assert before.st_mtime_ns <= after.st_mtime_ns <= place.calls.now_ns() + 10_000_000


def test_no_call_of_the_disk_in_memory_reaches_a_real_one() -> None:
    """Every public call of the seam is its own, with the same parameters; all but `folder`, which is made of two."""
    seam = {name for name, _ in inspect.getmembers(Syscalls, inspect.isfunction) if not name.startswith("_")}
    assert {name for name in seam if name not in vars(CrashDisk)} == {"folder"}
    for name in seam:
        mine, theirs = (inspect.signature(getattr(kind, name)).parameters for kind in (CrashDisk, Syscalls))
        assert [(each.name, each.kind) for each in mine.values()] == [
            (each.name, each.kind) for each in theirs.values()
        ]
    assert seam - {"folder", "close", "now_ns"} == CALLS
    assert seam >= CHANGING
