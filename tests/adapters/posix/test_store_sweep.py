"""What a crash leaves out of sight, and how it ends."""

from __future__ import annotations

import errno
import hashlib
import sys
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.roots import kept_files
from kestrel_skills_core.domain.leftover import FolderName
from kestrel_skills_core.domain.removal import Manifest
from kestrel_skills_core.ports.store import Kept, Swept
from tests.contracts.store import OnDisk
from tests.hostile.disk import Meddling, failing, failing_once

from .stores import KNOTS, leftovers, made, on

TOKEN, OTHER = "ab" * 16, "cd" * 16
OLD, NEW = hashlib.sha256(b"old").hexdigest(), hashlib.sha256(b"new").hexdigest()


@pytest.fixture
def root(swift_path: Path) -> OnDisk:
    """A root that holds knots, and whose rooms are there and empty."""
    return made(swift_path)


def sight(root: OnDisk) -> list[str]:
    """The names in sight."""
    return sorted(path.name for path in root.path.iterdir() if not path.name.startswith("."))


def kept(root: OnDisk) -> list[dict[str, bytes]]:
    """What is kept."""
    return [kept_files(root.store, each.token) for each in root.store.kept()]


def test_whatever_is_unfinished_goes(root: OnDisk) -> None:
    """Half files and whole folders; what a link there leads to stays."""
    staging = root.internal / "staging"
    (staging / TOKEN).write_bytes(b"ha")
    (staging / OTHER / "a" / "b").mkdir(parents=True)
    (staging / OTHER / "a" / "b" / "SKILL.md").write_bytes(b"")
    (staging / OTHER / "link").symlink_to(root.path / "knots")
    before = root.entries()
    assert root.store.sweep() == Swept(purged=2)
    assert leftovers(root) == []
    assert root.entries() == before


@pytest.mark.parametrize("content", [b"old", b"new"])
def test_a_file_that_was_seen_or_is_ours_goes(root: OnDisk, content: bytes) -> None:
    """Whichever half of the exchange was made."""
    (root.internal / "staging" / f"{OLD}-{NEW}-{TOKEN}-knots").write_bytes(content)
    assert root.store.sweep() == Swept(purged=1)
    assert leftovers(root) == []
    assert kept(root) == []


@pytest.mark.parametrize("content", [b"", b"ol", b"a person's", bytes(300 * 1024)], ids=len)
def test_a_file_that_is_neither_is_kept(root: OnDisk, content: bytes) -> None:
    """It is a person's, who met an exchange that a crash cut short."""
    (root.internal / "staging" / f"{OLD}-{NEW}-{TOKEN}-knots").write_bytes(content)
    swept = root.store.sweep()
    (found,) = root.store.kept()
    assert found == Kept(token=found.token, name=KNOTS, kind="file")
    assert swept == Swept(kept=(found.token,))
    assert (root.internal / "kept" / f"{found.token}-knots").read_bytes() == content
    assert leftovers(root) == []
    assert root.store.sweep() == Swept()


def test_a_folder_or_link_that_was_exchanged_is_kept(root: OnDisk) -> None:
    """A person put it in the place of the file."""
    (root.internal / "staging" / f"{OLD}-{NEW}-{TOKEN}-knots").mkdir()
    (root.internal / "staging" / f"{OLD}-{NEW}-{OTHER}-knots").symlink_to("/nowhere")
    assert len(root.store.sweep().kept) == 2
    assert sorted(each.kind for each in root.store.kept()) == ["folder", "link"]
    assert kept(root) == [{}, {}]


def chain(root: OnDisk) -> Path:
    """New folders with a file in them, on their way into knots."""
    folder = root.internal / "staging" / f"{NEW}-{NEW}-{TOKEN}-knots" / "deep"
    folder.mkdir(parents=True)
    (folder / "new.md").write_bytes(b"new")
    return folder


def test_new_folders_with_a_file_go(root: OnDisk) -> None:
    """They did not come into sight, or went back; so do folders from which the file was removed already."""
    folder = chain(root)
    assert root.store.sweep() == Swept(purged=1)
    folder.mkdir(parents=True)
    assert root.store.sweep() == Swept(purged=1)
    assert leftovers(root) == []
    assert kept(root) == []


@pytest.mark.parametrize("path", ["deep/new.md", "deep/mine.md", "mine.md", "mine/mine.md"])
def test_what_a_person_put_into_new_folders_is_kept(root: OnDisk, path: str) -> None:
    """They had come into sight, and the power took them back."""
    mine = chain(root).parent / path
    mine.parent.mkdir(exist_ok=True)
    mine.write_bytes(b"mine")
    assert len(root.store.sweep().kept) == 1
    assert kept(root) == [{path: b"mine"}]
    assert leftovers(root) == []
    assert root.store.sweep() == Swept()


def retired(root: OnDisk, *, room: str = "retired", final: bool = False) -> Path:
    """Knots out of sight as they are, looked at there or not; all of it made by hand but the digest."""
    manifest = Manifest(
        {
            path.relative_to(root.path / "knots").as_posix(): (
                hashlib.sha256(path.read_bytes()).hexdigest(),
                path.stat().st_mode & 0o111 != 0,
            )
            for path in (root.path / "knots").rglob("*")
            if path.is_file()
        },
        frozenset(),
    )
    entry = FolderName(manifest.whole, TOKEN, KNOTS, final)
    return (root.path / "knots").rename(root.internal / room / str(entry))


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("room", ["retired", "staging"])
def test_a_folder_that_is_as_it_was_seen_goes(root: OnDisk, room: str, final: bool) -> None:
    """Its deletion was made, or its creation was not, whether or not anybody was told of it."""
    retired(root, room=room, final=final)
    assert root.store.sweep() == Swept(purged=1)
    assert sight(root) == []
    assert leftovers(root) == []
    assert root.store.sweep() == Swept()


@pytest.mark.parametrize("room", ["retired", "staging"])
def test_a_folder_that_cannot_be_read_for_a_moment_does_not_come_back(root: OnDisk, room: str) -> None:
    """Nobody can tell whether a person changed it; the next sweep can."""
    folder = retired(root, room=room)
    place = f"{room}/{folder.name}"
    swept = on(root, failing_once("read", "SKILL.md")).sweep()
    assert swept == Swept(left=(place,), why={place: "the disk reports an error"})
    assert sight(root) == []
    assert root.store.sweep() == Swept(purged=1)


@pytest.mark.parametrize("room", ["retired", "staging"])
def test_a_folder_that_a_person_changed_comes_back(root: OnDisk, room: str) -> None:
    """They were faster than the move out of sight, or met the folder before the power took it out of sight again."""
    before = root.entries()
    (retired(root, room=room) / "mine.md").write_bytes(b"mine")
    assert root.store.sweep() == Swept(restored=(KNOTS,))
    assert {path for path in root.entries() if path not in before} == {"knots/mine.md"}
    assert leftovers(root) == []
    assert root.store.sweep() == Swept()


@pytest.mark.parametrize("room", ["retired", "staging"])
def test_a_folder_that_cannot_come_back_is_kept(root: OnDisk, room: str) -> None:
    """Another has its name."""
    (retired(root, room=room) / "mine.md").write_bytes(b"mine")
    (root.path / "knots").mkdir()
    swept = root.store.sweep()
    (found,) = kept(root)
    assert len(swept.kept) == 1
    assert found["mine.md"] == b"mine"
    assert "SKILL.md" in found
    assert leftovers(root) == []


def test_a_folder_that_went_for_good_does_not_come_back(root: OnDisk) -> None:
    """Its deletion was told as done; what a person wrote into it since is kept, and with it all that it was in."""
    (retired(root, final=True) / "mine.md").write_bytes(b"mine")
    swept = root.store.sweep()
    (found,) = kept(root)
    assert (swept.purged, swept.restored, len(swept.kept)) == (0, (), 1)
    assert found["mine.md"] == b"mine"
    assert "SKILL.md" in found
    assert sight(root) == []
    assert leftovers(root) == []


def test_what_a_crash_left_of_a_removal_is_kept(root: OnDisk) -> None:
    """Nobody can tell any more what it was."""
    folder = retired(root)
    (folder / "SKILL.md").unlink()
    folder.rename(folder.parent / f"{TOKEN}-knots")
    assert len(root.store.sweep().kept) == 1
    assert ["SKILL.md" in files for files in kept(root)] == [False]
    assert sight(root) == []
    assert leftovers(root) == []


def test_empty_folders_that_a_crash_left_of_a_removal_go(root: OnDisk) -> None:
    """They are nobody's."""
    (root.internal / "retired" / f"{TOKEN}-knots" / "a" / "b").mkdir(parents=True)
    assert root.store.sweep() == Swept(purged=1)
    assert leftovers(root) == []


@pytest.mark.parametrize("path", ["mine.md", "a/b/mine.md", "a/b/deep.md"])
def test_what_a_person_puts_into_a_folder_that_is_being_removed_is_kept(root: OnDisk, path: str) -> None:
    """That, and no more of it."""
    folder = retired(root)

    def act(call: str, *arguments: object) -> None:
        if call == "unlink" and not mine:
            mine.append(folder.parent / f"{TOKEN}-knots" / path)
            mine[0].write_bytes(b"mine")

    mine: list[Path] = []
    swept = on(root, Meddling(act)).sweep()
    assert (swept.purged, len(swept.kept)) == (1, 1)
    assert kept(root) == [{path: b"mine"}]
    assert sight(root) == []
    assert leftovers(root) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whether a file is open")
def test_what_somebody_has_open_is_not_removed(root: OnDisk) -> None:
    """They may yet write to it; when they have closed it, it is looked at again."""
    part = root.internal / "staging" / f"{OLD}-{NEW}-{TOKEN}-knots"
    part.write_bytes(b"old")
    folder = retired(root)
    with part.open("r+b") as one, (folder / "SKILL.md").open("ab") as other:
        assert root.store.sweep() == Swept()
        one.write(b"mine")
        other.write(b"mine")
    swept = root.store.sweep()
    assert (len(swept.kept), swept.restored) == (1, (KNOTS,))
    assert kept(root) == [{".": b"mine"}]
    assert (root.path / "knots" / "SKILL.md").read_bytes().endswith(b"mine")
    assert leftovers(root) == []


def test_a_system_that_does_not_tell_is_not_waited_for(root: OnDisk) -> None:
    """Nor a file of which it does not."""
    (root.internal / "staging" / f"{OLD}-{NEW}-{TOKEN}-knots").write_bytes(b"old")
    assert root.calls.is_idle("SKILL.md", root.calls.open(str(root.path / "knots")))
    assert root.store.sweep() == Swept(purged=1)


def test_deep_folders_are_told_of_and_stop_nothing(root: OnDisk) -> None:
    """Ours are not so deep; only a person can have made them."""
    (root.internal / "staging" / TOKEN / "/".join("d" * 300)).mkdir(parents=True)
    (root.internal / "staging" / OTHER).write_bytes(b"")
    place = f"staging/{TOKEN}"
    assert root.store.sweep() == Swept(purged=1, left=(place,), why={place: "folders are nested too deeply"})


def test_what_is_nobodys_is_told_of_and_stays(root: OnDisk) -> None:
    """Only a person can judge it."""
    (root.internal / "staging" / "what").write_bytes(b"?")
    (root.internal / "retired" / "what").mkdir()
    (root.internal / "kept" / "what").mkdir()
    for _ in range(2):
        assert root.store.sweep() == Swept(left=("staging/what", "retired/what", "kept/what"))
    assert root.store.kept() == ()


def test_recovery_folders_of_the_earlier_release_are_told_of_and_stay(root: OnDisk) -> None:
    """They may hold a person's work; its staged markers go."""
    names = (
        ".kestrel-skill-git-aa",
        ".kestrel-skill-publication-create-aa",
        ".kestrel-skill-recovery-aa",
        ".kestrel-skill-trash-aa",
        ".tmp.aa",
    )
    for name in names:
        (root.internal / name).mkdir()
    for name in (".kestrel-generation.tmp.aa", ".kestrel-generation.reap.aa"):
        (root.internal / name).write_bytes(b"")
    (root.internal / ".mutation-bucket-001.lock").write_bytes(b"")
    (root.internal / "owner.json").write_bytes(b"{}")
    assert root.store.sweep() == Swept(purged=2, left=names)
    assert root.store.sweep() == Swept(left=names)
    assert (root.internal / ".mutation-bucket-001.lock").exists()


def test_markers_are_left_to_whoever_is_placing_them(root: OnDisk) -> None:
    """The next sweep takes them."""
    (root.internal / ".kestrel-generation.tmp.aa").write_bytes(b"")
    calls = root.calls
    with (
        calls.folder(str(root.internal / "locks")) as locks,
        calls.locked("markers.lock", locks, 0),
    ):
        assert root.store.sweep() == Swept()
    assert root.store.sweep() == Swept(purged=1)


@pytest.mark.parametrize(
    ("number", "why"), [(errno.EACCES, "permission is denied"), (errno.EIO, "the disk reports an error")]
)
def test_what_cannot_be_removed_is_told_of_and_stops_nothing(root: OnDisk, number: int, why: str) -> None:
    """It is said why; the rest is swept."""
    (root.internal / "staging" / TOKEN).write_bytes(b"")
    (root.internal / "staging" / OTHER).write_bytes(b"")
    store = on(root, failing("unlink", TOKEN, number))
    place = f"staging/{TOKEN}"
    assert store.sweep() == Swept(purged=1, left=(place,), why={place: why})
    assert root.store.sweep() == Swept(purged=1)


def test_a_full_disk_is_made_emptier(root: OnDisk) -> None:
    """Removing takes no room, so that deleting gives some."""
    retired(root)
    store = on(root, Meddling(lambda call, *_: refuse_writing(call)))
    assert store.sweep() == Swept(purged=1)
    assert leftovers(root) == []


def refuse_writing(call: str) -> None:
    """Say that the disk is full."""
    if call in ("create", "append", "make_folder", "link"):
        raise OSError(errno.ENOSPC, "")


def test_the_disk_is_settled_before_anything_is_ended(root: OnDisk) -> None:
    """What a reader may have seen is then there to stay."""
    (root.internal / "staging" / TOKEN).write_bytes(b"")
    made_calls: list[str] = []
    on(root, Meddling(lambda call, *_: made_calls.append(call))).sweep()
    changing = [call for call in made_calls if call in ("sync", "sync_disk", "unlink", "move", "rename")]
    assert changing == ["sync_disk", "unlink"]


def test_so_many_are_ended_at_once(root: OnDisk) -> None:
    """The rest is left to the next time; what cannot be ended counts for none, and is told of at last."""
    staging = root.internal / "staging"
    for number in range(150):
        (staging / f"{number:032x}").write_bytes(b"ha")
    (staging / "0-of-nobody").write_bytes(b"")
    for left in (150, 86):
        assert len(leftovers(root)) == left + 1
        swept = root.store.sweep()
        assert (swept.purged, swept.unfinished) == (64, True)
    assert root.store.sweep() == Swept(purged=22, left=("staging/0-of-nobody",))
