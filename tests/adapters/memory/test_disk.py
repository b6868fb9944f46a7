"""The disk that crashes: what it may lose, what it never does, and when."""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import suppress

import pytest

from kestrel_skills_adapters.memory.disk import CHANGING, CrashDisk, PowerCut
from kestrel_skills_adapters.memory.journal import Profile

PROFILES: tuple[Profile, ...] = ("ordered", "journaled", "weak")


def written(disk: CrashDisk, at: int, name: str, content: bytes = b"new bytes", *, synced: bool = True) -> None:
    """A new file, its bytes synced or not; its name is not."""
    fd = disk.create(name, at)
    disk.append(fd, content)
    if synced:
        disk.sync(fd)
    disk.close(fd)


def left(disk: CrashDisk, profile: Profile) -> set[frozenset[tuple[str, bytes]]]:
    """What files may be there after a power cut."""
    return {frozenset(woken.files("/skills").items()) for woken in disk.survivors(profile)}


def states(*each: dict[str, bytes]) -> set[frozenset[tuple[str, bytes]]]:
    """The same, written down."""
    return {frozenset(state.items()) for state in each}


@pytest.mark.parametrize("profile", PROFILES)
def test_what_was_synced_is_never_lost(profile: Profile) -> None:
    """Bytes and name."""
    disk = CrashDisk()
    with disk.folder("/skills") as root:
        written(disk, root, "a")
        disk.sync(root)
        assert left(disk, profile) == states({"a": b"new bytes"})


@pytest.mark.parametrize("profile", PROFILES)
def test_synced_bytes_need_a_synced_name(profile: Profile) -> None:
    """A file that was synced may be nowhere."""
    disk = CrashDisk()
    with disk.folder("/skills") as root:
        written(disk, root, "a")
        assert left(disk, profile) == states({}, {"a": b"new bytes"})


def test_bytes_that_were_not_synced_are_missing_torn_or_zeros() -> None:
    """Where names are in order and bytes with them, whole or missing."""
    disk = CrashDisk()
    with disk.folder("/skills") as root:
        written(disk, root, "a", b"1234", synced=False)
        disk.sync(root)
    assert left(disk, "ordered") == states({"a": b""}, {"a": b"1234"})
    assert left(disk, "journaled") == states({"a": b""}, {"a": b"12"}, {"a": b"\0\0\0\0"}, {"a": b"1234"})
    assert left(disk, "weak") == left(disk, "journaled")


def test_bytes_written_in_place_may_be_the_old_ones() -> None:
    """Or nothing at all, because the file was cut to nothing first."""
    disk = CrashDisk()
    disk.person.put("/skills/a", b"old")
    disk.person.put("/skills/a", b"1234", synced=False)
    assert left(disk, "ordered") == states({"a": b"old"}, {"a": b"1234"})
    assert left(disk, "weak") == states(
        *({"a": content} for content in (b"old", b"", b"12", b"\0\0\0\0", b"1234"))
    )  # fmt: skip


def test_names_last_in_order_or_in_none() -> None:
    """The weak disk may keep the second of two and lose the first."""
    disk = CrashDisk()
    with disk.folder("/skills") as root:
        for name in ("a", "b"):
            written(disk, root, name, b"1")
    in_order = states({}, {"a": b"1"}, {"a": b"1", "b": b"1"})
    assert left(disk, "ordered") == in_order
    assert left(disk, "journaled") == in_order
    assert left(disk, "weak") == in_order | states({"b": b"1"})


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("synced", ["", "a", "b", "ab"])
def test_a_move_between_two_folders_is_whole_and_certain_once_both_are_synced(profile: Profile, synced: str) -> None:
    """What it moves is never in both, and never in neither."""
    disk = CrashDisk()
    disk.person.put("/skills/a/x", b"1")
    disk.person.put("/skills/b/y", b"2")
    with disk.folder("/skills") as root, disk.folder("a", root) as a, disk.folder("b", root) as b:
        disk.exchange("x", a, "y", b)
        disk.move("x", a, "z", b)
        for name in synced:
            disk.sync({"a": a, "b": b}[name])
    first, second, third = ({"a/x": b"1", "b/y": b"2"}, {"a/x": b"2", "b/y": b"1"}, {"b/z": b"2", "b/y": b"1"})
    assert left(disk, profile) == (states(third) if synced == "ab" else states(first, second, third))


def test_what_is_certain_makes_certain_what_it_stands_on() -> None:
    """A name that was synced was not free for nothing."""
    disk = CrashDisk()
    disk.person.put("/skills/a/x", b"1")
    with disk.folder("/skills") as root, disk.folder("a", root) as a:
        disk.move("x", a, "x", root)
        written(disk, a, "x", b"2")
        disk.sync(a)
        assert left(disk, "weak") == states({"x": b"1", "a/x": b"2"})


def test_an_operation_that_lost_its_ground_is_lost_with_it() -> None:
    """A file that was never made is not renamed."""
    disk = CrashDisk()
    with disk.folder("/skills") as root:
        written(disk, root, "a", b"1")
        disk.rename("a", root, "b", root)
    assert left(disk, "weak") == states({}, {"a": b"1"}, {"b": b"1"})


def test_where_there_is_too_much_to_lose_in_all_ways_some_are_tried() -> None:
    """All first ones, all but one, one alone; and what the seed says, the same each time."""
    disk = CrashDisk()
    names = "abcdefghij"
    with disk.folder("/skills") as root:
        for name in names:
            written(disk, root, name, b"1")
    found = {"".join(sorted(woken.files("/skills"))) for woken in disk.survivors("weak", seed=1)}
    assert found >= {names[:n] for n in range(11)} | set(names) | {names.replace(name, "") for name in names}
    assert 40 < len(found) < 2**10
    assert found == {"".join(sorted(woken.files("/skills"))) for woken in disk.survivors("weak", seed=1)}
    assert found != {"".join(sorted(woken.files("/skills"))) for woken in disk.survivors("weak", seed=2)}


def test_modes_can_be_lost_until_their_file_is_synced() -> None:
    """Like names."""
    disk = CrashDisk()
    with disk.folder("/skills") as root:
        fd = disk.create("a", root, 0o600)
        disk.sync(root)
        disk.set_mode(fd, 0o755)
        assert {inode.mode & 0o777 for woken in disk.survivors("ordered") for _, inode in woken.below("/skills")} == {
            0o600,
            0o755,
        }
        disk.sync(fd)
        disk.close(fd)
    assert [inode.mode & 0o777 for woken in disk.survivors("weak") for _, inode in woken.below("/skills")] == [0o755]


def test_syncing_the_disk_makes_everything_certain() -> None:
    """Names and bytes."""
    disk = CrashDisk()
    with disk.folder("/skills") as root:
        written(disk, root, "a", synced=False)
        disk.sync_disk(root)
    assert left(disk, "weak") == states({"a": b"new bytes"})
    assert disk.synced == 1


@pytest.mark.parametrize("profile", PROFILES)
def test_what_a_person_did_is_certain_with_the_way_to_it(profile: Profile) -> None:
    """Unless it was not to be."""
    disk = CrashDisk()
    with disk.folder("/skills") as root:
        disk.make_folder("a", root)
        written(disk, root, "b", b"1")
        disk.person.save("/skills/a/x", b"2")
    assert all(woken.files("/skills/a") == {"x": b"2"} for woken in disk.survivors(profile))
    assert any("b" not in woken.files("/skills") for woken in disk.survivors(profile)) == (profile == "weak")
    disk.person.drop("/skills/a", synced=False)
    assert any(woken.files("/skills/a") == {"x": b"2"} for woken in disk.survivors(profile))
    assert any(woken.files("/skills/a") == {} for woken in disk.survivors(profile))


def test_a_program_writes_to_what_it_holds_open() -> None:
    """Wherever the file's name went, and when it has none any more; a person changes modes by path."""
    disk = CrashDisk()
    disk.person.put("/skills/a", b"1")
    held = disk.person.opened("/skills/a")
    disk.person.shift("/skills/a", "/skills/b")
    disk.person.write(held, b"2")
    disk.person.chmod("/skills/b", 0o600)
    assert disk.files("/skills") == {"b": b"2"}
    assert [oct(inode.mode) for _, inode in disk.below("/skills")] == ["0o100600"]
    assert all(woken.files("/skills") == {"b": b"2"} for woken in disk.survivors("weak"))
    disk.person.write(held, b"3", synced=False)
    assert {woken.files("/skills")["b"] for woken in disk.survivors("ordered")} == {b"2", b"3"}
    disk.person.drop("/skills/b")
    disk.person.write(held, b"4")
    assert disk.files("/skills") == {}


def test_the_power_goes_before_a_call_and_stays_away() -> None:
    """Whatever is tried in a `finally`."""
    disk = CrashDisk()
    disk.cut_at = 1

    def tidy() -> None:
        with disk.folder("/skills") as root:
            try:
                disk.make_folder("a", root)
            finally:
                disk.make_folder("b", root)

    with pytest.raises(PowerCut):
        tidy()
    assert disk.trace == ["open", "make_folder"]
    assert disk.descriptors == 0
    assert not list(disk.below("/skills"))
    assert next(disk.survivors("weak")).open("/skills") > 0


def test_one_run_shows_every_power_cut() -> None:
    """A moment is what a cut before the same call would have left."""
    disk = CrashDisk()
    disk.moments = []
    replaced(disk)
    changing = [call for call, name in enumerate(disk.trace) if name in CHANGING]
    assert len(changing) == len(disk.moments) == 5
    for call, moment in zip(changing, disk.moments, strict=True):
        cut = CrashDisk()
        cut.cut_at = call
        with suppress(PowerCut):
            replaced(cut)
        assert left(moment, "weak") == left(cut, "weak")


@pytest.mark.parametrize(("forever", "fails"), [(False, [1]), (True, [1, 2])])
def test_a_call_fails_once_or_for_ever(forever: bool, fails: list[int]) -> None:
    """With the error that was asked for, and changes nothing."""
    disk = CrashDisk()
    disk.fail_at, disk.fail_errno, disk.fail_forever = 1, errno.ENOSPC, forever
    failed = []
    with disk.folder("/skills") as root:
        for call in (1, 2):
            try:
                disk.make_folder(f"f{call}", root)
            except OSError as error:
                failed.append((call, error.errno))
    assert failed == [(call, errno.ENOSPC) for call in fails]
    assert [name for name, _ in disk.below("/skills")] == [f"f{call}" for call in (1, 2) if call not in fails]


def test_somebody_acts_between_two_calls() -> None:
    """What they do is not counted."""
    disk = CrashDisk()
    disk.before(1, lambda disk: disk.person.put("/skills/a", b"1"))
    with disk.folder("/skills") as root:
        assert disk.listed(root, 9) == [("a", "file")]
    assert disk.trace == ["open", "listed"]


def test_another_process_acts_between_two_calls() -> None:
    """And meets the locks that are held."""
    disk = CrashDisk()

    def other(disk: CrashDisk) -> None:
        with disk.folder("/skills") as root:
            with disk.locked("l", root, 9, shared=True):
                disk.make_folder("a", root)
            with pytest.raises(BlockingIOError), disk.locked("l", root, 9):
                pass

    disk.before(2, other)
    with disk.folder("/skills") as root, disk.locked("l", root, 9, shared=True):
        assert sorted(disk.listed(root, 9)) == [("a", "folder"), ("l", "file")]
    assert len(disk.trace) == 3


def test_a_fork_goes_its_own_way() -> None:
    """And neither knows of the other; nothing of the plan goes with it."""
    disk = CrashDisk()
    disk.cut_at, disk.fail_at = 5, 4
    fork = disk.fork()
    fork.person.put("/skills/a", b"1")
    disk.person.put("/skills/b", b"2")
    assert (disk.files(), fork.files()) == ({"skills/b": b"2"}, {"skills/a": b"1"})
    assert (fork.cut_at, fork.fail_at, fork.trace) == (None, None, [])


def test_a_restart_loses_nothing_but_what_was_open() -> None:
    """Whatever was not synced is there."""
    disk = CrashDisk()
    root = disk.open("/skills")
    written(disk, root, "a", synced=False)
    again = disk.restarted()
    assert again.files("/skills") == {"a": b"new bytes"}
    assert (disk.descriptors, again.descriptors) == (1, 0)
    assert all(woken.files("/skills") == {"a": b"new bytes"} for woken in again.survivors("weak"))


def test_a_lock_file_is_never_lost() -> None:
    """It says nothing."""
    disk = CrashDisk()
    with disk.folder("/skills") as root, disk.locked("l", root, 0):
        pass
    assert left(disk, "weak") == states({"l": b""})


def replaced(disk: CrashDisk, *, file: bool = True, folder: bool = True) -> None:
    """The protocol of every editor that means it: write beside, sync, rename over, sync the folder."""
    with disk.folder("/skills") as root:
        written(disk, root, "new", synced=file)
        disk.rename("new", root, "a", root)
        if folder:
            disk.sync(root)


def found(act: Callable[[CrashDisk], None], profile: Profile) -> tuple[set[bytes], set[bytes]]:
    """What `a` may hold after a power cut at any change, and after one when all is done."""
    disk = CrashDisk()
    disk.person.put("/skills/a", b"old")
    whole = disk.fork()
    act(whole)
    during: set[bytes] = set()
    for call, name in enumerate(whole.trace):
        if name in CHANGING:
            cut = disk.fork()
            cut.cut_at = call
            with suppress(PowerCut):
                act(cut)
            during |= {woken.files("/skills").get("a", b"none") for woken in cut.survivors(profile)}
    return during, {woken.files("/skills").get("a", b"none") for woken in whole.survivors(profile)}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_sound_protocol_leaves_the_old_or_the_new(profile: Profile) -> None:
    """And, when it is done, the new."""
    assert found(replaced, profile) == ({b"old", b"new bytes"}, {b"new bytes"})


@pytest.mark.parametrize("profile", PROFILES)
def test_an_unsound_protocol_is_found_out(profile: Profile) -> None:
    """A missing sync of the file leaves an empty one; a missing sync of the folder leaves the old one."""
    assert b"" in found(lambda disk: replaced(disk, file=False), profile)[1]
    assert b"old" in found(lambda disk: replaced(disk, folder=False), profile)[1]
