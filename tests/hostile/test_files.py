"""Folders that were made to be read wrongly: no byte from outside, no hang, nothing cut, and the sibling untouched."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.errors import SkillAbsent, SkillError, SourceUnavailable, TooLarge
from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.tree import Content, SkillTree
from tests.contracts.files import Later
from tests.disks import NO_TEXT
from tests.hostile.disk import CALLS, Meddling, crowd, failing, once, open_descriptors, skill

KNOTS = SkillName("knots")
SECRET = b"outside every skill"
KIB = 1024


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one good skill, beside a file that nobody may read through it."""
    (tmp_path / "secret").write_bytes(SECRET)
    path = tmp_path / "skills"
    skill(path, "zz-good")
    return path


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    """Every test, whatever it meets, leaves as many descriptors open as it found."""
    before = open_descriptors()
    yield
    assert open_descriptors() == before


def reader(root: Path, calls: Syscalls | None = None, *, own: bool = False) -> PosixSkillFiles:
    """A reader of the root: of a shared one, or of the agent's own, which it marks."""
    if own:
        return PosixSkillFiles(root, SourceId.AGENT_LOCAL, chance=CountedChance(), calls=calls or Later())
    return PosixSkillFiles(root, SourceId.HOST_SHARED, calls=calls or Later())


def surveyed(root: Path, calls: Syscalls | None = None) -> Sighting:
    """What is seen of `knots`, the good sibling being there as ever."""
    survey = reader(root, calls).survey()
    good = survey.sightings["zz-good"]
    assert good.head is not None
    assert good.findings == ()
    return survey.sightings["knots"]


def codes(sighting: Sighting) -> list[tuple[str, str]]:
    """Which rule is broken where."""
    return [(finding.code, finding.file) for finding in sighting.findings]


# Links (T8).


@pytest.mark.parametrize(
    ("name", "target"),
    [("references", "/"), ("loop", "."), ("dangling", "nowhere"), ("up", "../../secret"), ("a", "b")],
)
def test_a_link_in_a_skill_is_told_of_and_not_followed(root: Path, name: str, target: str) -> None:
    """Out, round, to nowhere or to a neighbour: it is a fault, and nothing is read through it."""
    folder = skill(root, "knots")
    (folder / "b").write_bytes(b"b")
    (folder / name).symlink_to(target)
    assert codes(surveyed(root)) == [("KS303", name)]
    published = reader(root).read(KNOTS)
    assert [path for path in published.tree.files if path != "b"] == ["SKILL.md"]
    for path in (name, f"{name}/secret", f"{name}/SKILL.md"):
        with pytest.raises(SkillAbsent):
            reader(root).read_resource(KNOTS, ResourcePath(path))


def test_a_document_that_is_a_link_is_not_followed(root: Path, tmp_path: Path) -> None:
    """Not even to a good document."""
    (tmp_path / "SKILL.md").write_bytes(document("knots"))
    (root / "knots").mkdir()
    (root / "knots" / "SKILL.md").symlink_to("../../SKILL.md")
    sighting = surveyed(root)
    assert codes(sighting) == [("KS303", "SKILL.md")]
    assert sighting.inventory == ()


def test_an_alias_of_a_skill_is_rejected(root: Path) -> None:
    """One folder by two names is one skill, and one link that is told of."""
    (root / "knots").symlink_to("zz-good")
    assert codes(surveyed(root)) == [("KS303", ".")]
    assert reader(root).read(KNOTS).tree.files == {}
    with pytest.raises(SkillAbsent):
        reader(root).read_resource(KNOTS, ResourcePath("SKILL.md"))


def test_a_hard_link_is_an_ordinary_file(root: Path, tmp_path: Path) -> None:
    """Whoever could make it could have copied the file."""
    os.link(tmp_path / "secret", skill(root, "knots") / "copy.md")
    assert surveyed(root).findings == ()
    assert reader(root).read_resource(KNOTS, ResourcePath("copy.md")) == SECRET


def test_a_root_that_is_a_link_is_refused_and_one_below_a_link_is_not(root: Path, tmp_path: Path) -> None:
    """The last part of its path must be the folder itself; what lies above is the operator's."""
    (tmp_path / "alias").symlink_to(root)
    survey = reader(tmp_path / "alias").survey()
    assert str(survey.problem) == "the host-shared skills cannot be read: it is a symbolic link"
    (tmp_path / "above").symlink_to(tmp_path)
    assert list(reader(tmp_path / "above" / "skills").survey().sightings) == ["zz-good"]


# Special files (T8).


def test_a_fifo_and_a_socket_are_told_of_and_never_opened(root: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Nobody waits for a writer that never comes."""
    folder = skill(root, "knots")
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert codes(surveyed(root)) == [("KS304", "pipe"), ("KS304", "socket")]
        for path in ("pipe", "socket"):
            with pytest.raises(SkillAbsent):
                reader(root).read_resource(KNOTS, ResourcePath(path))


@pytest.mark.parametrize("name", ["SKILL.md", ".kestrel-generation", ".kestrel-provenance.json"])
def test_a_fifo_in_place_of_a_file_that_matters_is_told_of(root: Path, name: str) -> None:
    """Neither survey nor minting waits for it."""
    folder = skill(root, "knots")
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    assert codes(reader(root, own=True).survey().sightings["knots"]) == [("KS304", name)]


# Sizes (T13).


def test_a_sparse_file_of_10_gb_is_not_read(root: Path) -> None:
    """Its size is told, and is all that was asked."""
    folder = skill(root, "knots")
    with (folder / "huge.md").open("wb") as file:
        file.truncate(10_000_000_000)
    sighting = surveyed(root)
    assert codes(sighting) == [("KS305", "huge.md")]
    assert sighting.findings[0].message == "10,000,000,000 bytes where 262,144 are allowed"
    with pytest.raises(TooLarge) as caught:
        reader(root).read_resource(KNOTS, ResourcePath("huge.md"))
    assert caught.value.found == 10_000_000_000


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_a_file_of_256_kib_on_the_disk(root: Path, over: int) -> None:
    """The limit itself is within."""
    (skill(root, "knots") / "big.md").write_bytes(b"x" * (256 * KIB + over))
    assert codes(surveyed(root)) == ([("KS305", "big.md")] if over > 0 else [])


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_a_skill_of_2_mib_on_the_disk(root: Path, over: int) -> None:
    """The limit itself is within."""
    folder = skill(root, "knots")
    for number in range(7):
        (folder / str(number)).write_bytes(b"x" * (256 * KIB))
    (folder / "7").write_bytes(b"x" * (256 * KIB - len(document("knots")) + over))
    assert codes(surveyed(root)) == ([("KS307", ".")] if over > 0 else [])


@pytest.mark.parametrize(("files", "fits"), [(511, True), (512, False)])
def test_a_skill_of_512_entries_on_the_disk(root: Path, files: int, fits: bool) -> None:
    """The limit itself is within."""
    folder = skill(root, "knots")
    for number in range(files):
        (folder / str(number)).touch()
    assert codes(surveyed(root)) == ([] if fits else [("KS308", ".")])


@pytest.mark.parametrize(("folders", "fits"), [(31, True), (32, False)])
def test_folders_32_deep_on_the_disk(root: Path, folders: int, fits: bool) -> None:
    """One more is a fault."""
    deep = skill(root, "knots").joinpath(*["d"] * folders)
    deep.mkdir(parents=True)
    (deep / "f").touch()
    assert [code for code, _ in codes(surveyed(root))] == ([] if fits else ["KS309"])


def test_folders_a_hundred_deep_are_left_where_it_is_too_deep(root: Path) -> None:
    """The walk ends; it holds no more descriptors than levels."""
    at = os.open(skill(root, "knots"), os.O_RDONLY)
    for _ in range(100):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    sighting = surveyed(root)
    assert [code for code, _ in codes(sighting)] == ["KS309"]
    assert sighting.unlisted is None


def test_a_file_name_may_hold_255_bytes(root: Path) -> None:
    """The disk's own limit is within ours."""
    (skill(root, "knots") / ("x" * 255)).touch()
    assert surveyed(root).findings == ()


def test_binary_files_are_refused_whole(root: Path) -> None:
    """A picture, and text in another encoding; as bytes each can still be had."""
    folder = skill(root, "knots")
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (folder / "old.txt").write_bytes("text".encode("utf-16"))
    assert codes(surveyed(root)) == [("KS306", "logo.png"), ("KS306", "old.txt")]
    assert reader(root).read_resource(KNOTS, ResourcePath("logo.png")) == b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


# Numbers.


class Counting(Later):
    """Counts the entries that were listed and the files that were opened."""

    def __init__(self) -> None:
        self.entries = 0
        self.opened = 0

    def listed(self, fd: int, most: int) -> Any:
        """List, and count."""
        found = super().listed(fd, most)
        self.entries += len(found)
        return found

    def read(self, name: str, at: int, most: int) -> Any:
        """Read, and count."""
        self.opened += 1
        return super().read(name, at, most)


class Stamping(Later):
    """Counts, at each folder that is looked into for stamps, how many entries were stamped so far."""

    def __init__(self, stamped: list[int]) -> None:
        self.stamped = stamped

    def stamps(self, path: str, most: int, found: Any) -> Any:
        """Stamp, and count."""
        folders = super().stamps(path, most, found)
        self.stamped.append(len(found) // 5)
        return folders


def test_a_skill_of_60_000_entries_is_not_listed_to_the_end(root: Path) -> None:
    """It is refused as soon as there are too many, this library's own folder aside; nothing of it is opened."""
    crowd(skill(root, "knots"), map(".{}".format, range(60_000)))
    calls = Counting()
    assert codes(surveyed(root, calls)) == [("KS308", ".")]
    assert calls.entries == 2 + 1 + 4097
    assert calls.opened == 1


def test_a_root_of_60_000_entries_is_not_listed_to_the_end(root: Path) -> None:
    """It is refused at the 4,097th, and nothing of it is opened."""
    crowd(root, map(".{}".format, range(60_000)))
    calls = Counting()
    survey = reader(root, calls).survey()
    assert str(survey.problem) == "entries of the host-shared root: more where 4,096 are allowed"
    assert (calls.entries, calls.opened) == (4098, 0)


def test_a_folder_that_grew_to_60_000_entries_is_not_compared_to_the_end(root: Path) -> None:
    """A second survey stats no more entries than the first one saw, and one."""
    folder = skill(root, "knots")
    files = reader(root)
    first = files.survey()
    crowd(folder, map(".{}".format, range(60_000)))
    stamped: list[int] = []

    second = reader(root, Stamping(stamped)).survey(first)
    assert codes(second.sightings["knots"]) == [("KS308", ".")]
    assert max(stamped) < 10


def test_a_folder_that_grew_many_folders_is_not_compared_to_the_end(root: Path) -> None:
    """Nor are more of them looked into than there were entries before, and one."""
    folder = skill(root, "knots")
    files = reader(root)
    first = files.survey()
    for number in range(300):
        (folder / f"{number}" / "a").mkdir(parents=True)
    stamped: list[int] = []
    second = reader(root, Stamping(stamped)).survey(first)
    assert codes(second.sightings["knots"]) == [("KS308", ".")]
    assert len(stamped) < 10


# Names.


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(b"\xff\xfe", marks=NO_TEXT),
        b"new\nline",
        b"\x1b[31mred",
        b"back\\slash",
        "\u202egnp".encode(),
    ],
)
def test_names_that_are_not_text_are_spelt_out(root: Path, name: bytes) -> None:
    """In a skill they are faults, in the root they are folders to rename; nothing raw is printed."""
    folder = skill(root, "knots")
    (root / os.fsdecode(name)).mkdir()
    (folder / os.fsdecode(name)).touch()
    survey = reader(root).survey()
    unnamed = survey.sightings[os.fsdecode(name)]
    assert [finding.code for finding in unnamed.findings] == ["KS316"]
    sighting = survey.sightings["knots"]
    assert [finding.code for finding in sighting.findings] == ["KS310"]
    for finding in (*unnamed.findings, *sighting.findings):
        assert f"{finding}".isprintable()
    assert survey.sightings["zz-good"].head is not None


# What cannot be read.


@pytest.mark.usefixtures("permissions_bind")
def test_what_the_user_may_not_read_is_told_of(root: Path) -> None:
    """A file and a folder without permission, on a real disk."""
    folder = skill(root, "knots")
    (folder / "a.md").touch(0)
    (folder / "b").mkdir(0)
    assert codes(surveyed(root)) == [("KS313", "a.md"), ("KS313", "b")]
    folder.chmod(0)
    assert codes(surveyed(root)) == [("KS313", ".")]


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.EACCES, "permission is denied"),
        (errno.EIO, "the disk reports an error"),
        (errno.EMFILE, "too many files are open"),
        (errno.ENODEV, "the system says ENODEV"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_of_with_a_safe_phrase(root: Path, number: int, why: str) -> None:
    """The rest of the folder is read, and the folder is looked at again next time."""
    (skill(root, "knots") / "a.md").touch()
    sighting = surveyed(root, failing("read", "a.md", number))
    assert codes(sighting) == [("KS313", "a.md")]
    assert sighting.findings[0].message == f"it cannot be read: {why}"
    assert [item.path for item in sighting.inventory] == ["SKILL.md"]
    assert sighting.stamps is None
    with pytest.raises(SourceUnavailable) as caught:
        reader(root, failing("read", "a.md", number)).read_resource(KNOTS, ResourcePath("a.md"))
    assert str(caught.value) == f"the host-shared skills cannot be read: {why}"


def test_a_folder_in_a_skill_that_cannot_be_opened_is_told_of(root: Path) -> None:
    """What else is there is read, by survey and by read."""
    (skill(root, "knots") / "closed").mkdir()
    calls = failing("open", "closed")
    assert codes(surveyed(root, calls)) == [("KS313", "closed")]


def test_a_skill_that_cannot_be_opened_is_told_of(root: Path) -> None:
    """It keeps its name; to read it fails."""
    skill(root, "knots")
    calls = failing("open", "knots")
    assert codes(surveyed(root, calls)) == [("KS313", ".")]
    with pytest.raises(SourceUnavailable):
        reader(root, calls).read(KNOTS)
    with pytest.raises(SourceUnavailable):
        reader(root, calls).read_resource(KNOTS, ResourcePath("SKILL.md"))


def test_an_entry_that_cannot_even_be_looked_at_is_told_of(root: Path) -> None:
    """A link whose stamp cannot be had is unreadable, and no more is said of it."""
    (skill(root, "knots") / "link").symlink_to("x")
    assert codes(surveyed(root, failing("stat", "link", errno.EIO))) == [("KS313", "link")]


def test_a_skill_of_which_nothing_can_be_told_keeps_its_name(root: Path) -> None:
    """Where neither opening nor looking works, it is still an entry and no gap that another could fill."""
    skill(root, "knots")

    def act(called: str, *arguments: Any) -> None:
        if arguments[0] == "knots":
            raise OSError(errno.EIO, "")

    assert codes(surveyed(root, Meddling(act))) == [("KS313", ".")]


# What changes under our hands.


def always(call: str, name: str, change: Callable[[], object]) -> Meddling:
    """A disk that changes before each call of that kind for that name."""

    def act(called: str, *arguments: Any) -> None:
        if called == call and arguments[0] == name:
            change()

    return Meddling(act)


def swapped(path: Path, target: Path) -> Callable[[], None]:
    """Put a link in a file's or folder's place."""

    def swap() -> None:
        path.rename(path.with_name("aside"))
        path.symlink_to(target)

    return swap


def test_a_folder_swapped_for_a_link_is_not_followed(root: Path, tmp_path: Path) -> None:
    """Between the listing and the opening of a folder in a skill."""
    inner = skill(root, "knots") / "a"
    inner.mkdir()
    for look in (lambda files: files.survey().sightings["knots"], lambda files: files.read(KNOTS).sighting):
        calls = once("open", "a", swapped(inner, tmp_path))
        assert ("KS303", "a") in codes(look(reader(root, calls)))
        inner.unlink()
        inner.with_name("aside").rename(inner)


def test_a_file_swapped_for_a_link_is_not_followed(root: Path, tmp_path: Path) -> None:
    """Between the listing and the opening of a file; no byte from outside is ever taken."""
    file = skill(root, "knots") / "a.md"
    file.write_bytes(b"inside")
    published = reader(root, once("read", "a.md", swapped(file, tmp_path / "secret"))).read(KNOTS)
    assert codes(published.sighting) == [("KS303", "a.md")]
    assert {path: content.data for path, content in published.tree.files.items()} == {
        "SKILL.md": document("knots"),
        "aside": b"inside",
    }


def test_a_file_swapped_for_a_fifo_is_not_waited_for(root: Path) -> None:
    """It opens at once, is seen to be no file, and is told of at the next try."""
    file = skill(root, "knots") / "a.md"
    file.write_bytes(b"inside")

    def swap() -> None:
        file.unlink()
        os.mkfifo(file)

    assert codes(surveyed(root, once("read", "a.md", swap))) == [("KS304", "a.md")]


def test_a_skill_swapped_for_a_link_while_it_is_read(root: Path, tmp_path: Path) -> None:
    """After it was opened: what was read is thrown away, and the link is told of."""
    folder = skill(root, "knots")
    calls = once("read", "SKILL.md", swapped(folder, tmp_path))
    published = reader(root, calls).read(KNOTS)
    assert codes(published.sighting) == [("KS303", ".")]
    assert published.tree.files == {}


def test_a_skill_that_vanishes_is_absent(root: Path) -> None:
    """From the survey, and to a reader."""
    folder = skill(root, "knots")
    survey = reader(root, once("open", "knots", lambda: shutil.rmtree(folder))).survey()
    assert list(survey.sightings) == ["zz-good"]
    folder = skill(root, "knots")
    with pytest.raises(SkillAbsent):
        reader(root, once("read", "SKILL.md", lambda: shutil.rmtree(folder))).read(KNOTS)


def test_a_skill_swapped_for_another_while_it_is_read_is_read_again(root: Path) -> None:
    """One folder's files are never mixed with another's."""
    folder = skill(root, "knots")
    (folder / "old.md").write_bytes(b"old")

    def swap() -> None:
        folder.rename(root / "gone")
        (skill(root, "knots") / "new.md").write_bytes(b"new")

    published = reader(root, once("read", "SKILL.md", swap)).read(KNOTS)
    assert list(published.tree.files) == ["SKILL.md", "new.md"]


@pytest.mark.parametrize("name", ["SKILL.md", "a.md", "b.md"])
def test_a_skill_written_while_it_is_read_is_read_again(root: Path, name: str) -> None:
    """Two files that were changed together are seen both old or both new."""
    folder = skill(root, "knots")
    (folder / "a.md").write_bytes(b"one")
    (folder / "b.md").write_bytes(b"one")

    def write() -> None:
        (folder / "a.md").write_bytes(b"two!")
        (folder / "b.md").write_bytes(b"two!")

    files = reader(root, once("read", name, write)).read(KNOTS).tree.files
    assert files[ResourcePath("a.md")] == files[ResourcePath("b.md")]


def test_a_skill_that_never_rests_is_given_up(root: Path) -> None:
    """After a few tries, without waiting: a read fails, a survey tells of it, a resource cannot be had."""
    folder = skill(root, "knots")
    number = iter(range(100))

    def write() -> None:
        (folder / f"{next(number)}.md").touch()

    with pytest.raises(SourceUnavailable) as caught:
        reader(root, always("read", "SKILL.md", write)).read(KNOTS)
    assert str(caught.value) == "the host-shared skills cannot be read: the folder kept changing while it was read"
    assert next(number) == 3


class Growing(Later):
    """A disk on which one file is longer by a byte each time it was read than when it was looked at."""

    def read(self, name: str, at: int, most: int) -> Any:
        """Read, with one byte that came meanwhile."""
        content, before = super().read(name, at, most)
        return (content + b"x" if name == "log" and content is not None else content), before


def test_a_file_that_grows_while_it_is_read_is_never_cut(root: Path) -> None:
    """The folder is told of as restless, its sibling is not touched, and no half of the file is given."""
    (skill(root, "knots") / "log").write_bytes(b"line\n")
    assert codes(surveyed(root, Growing())) == [("KS315", ".")]
    with pytest.raises(SourceUnavailable):
        reader(root, Growing()).read(KNOTS)
    with pytest.raises(SourceUnavailable):
        reader(root, Growing()).read_resource(KNOTS, ResourcePath("log"))


def test_no_more_is_read_than_a_file_had_and_one_byte(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much is written between the look and the read."""
    folder = skill(root, "knots")
    (folder / "log").write_bytes(b"line\n")
    fstat = os.fstat

    def grow(fd: int) -> os.stat_result:
        found = fstat(fd)
        (folder / "log").write_bytes(b"x" * 1_000_000)
        return found

    at = os.open(folder, os.O_RDONLY)
    try:
        monkeypatch.setattr(os, "fstat", grow)
        content, before = Syscalls().read("log", at, 1000)
        monkeypatch.undo()
        assert (before.st_size, content) == (5, b"xxxxxx")
    finally:
        os.close(at)


# A disk that fails.


@pytest.mark.parametrize("own", [False, True], ids=["shared", "own"])
@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.ENOENT, errno.ENOSPC])
def test_whichever_call_fails_nothing_else_does(root: Path, own: bool, number: int) -> None:
    """Each call in turn fails once: only a `SkillError` comes out, nothing stays open, and the skills are as before."""
    folder = skill(root, "knots")
    (folder / "a").mkdir()
    (folder / "a" / "b.md").write_bytes(b"b")
    (folder / "link").symlink_to("x")
    uses: list[Callable[[PosixSkillFiles], object]] = [
        lambda files: files.survey(),
        lambda files: files.survey(files.survey()),
        lambda files: files.read(KNOTS),
        lambda files: files.read_resource(KNOTS, ResourcePath("a/b.md")),
    ]
    for use in uses:
        before = open_descriptors()
        for failed in range(1000):
            calls = iter(range(1000))

            def act(_: str, *__: Any, calls: Iterator[int] = calls, failed: int = failed) -> None:
                if next(calls) == failed:
                    raise OSError(number, "")

            shutil.rmtree(root / ".kestrel-internal", ignore_errors=True)
            (folder / ".kestrel-generation").unlink(missing_ok=True)
            with suppress(SkillError):
                use(reader(root, Meddling(act), own=own))
            assert open_descriptors() == before
            if next(calls) <= failed:
                break
        else:
            pytest.fail("there is no end of calls")
        assert failed > 3
    assert sorted(path.name for path in folder.iterdir() if path.name[0] != ".") == ["SKILL.md", "a", "link"]
    staged = root / ".kestrel-internal"
    assert not staged.exists() or [path.name for path in staged.iterdir()] == ["locks"]


@pytest.mark.parametrize("call", ["open", "fstat", "read", "scandir", "write", "fsync"])
def test_a_failing_system_leaves_no_descriptor_open(root: Path, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the seam, too."""
    skill(root, "knots")
    before = open_descriptors()

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.EIO, "")

    files = reader(root, own=True)
    known = files.survey()
    (root / "knots" / ".kestrel-generation").unlink()
    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        files.survey(known)
        for use in (lambda: files.read(KNOTS), lambda: files.read_resource(KNOTS, ResourcePath("SKILL.md"))):
            with suppress(SkillError):
                use()
    assert open_descriptors() == before


def test_every_call_of_the_seam_is_meddled_with() -> None:
    """A call that is added to the seam is added to these tests."""
    public = {name for name in vars(Syscalls) if not name.startswith("_")}
    assert public - CALLS == {"now_ns", "close", "folder"}


# Old times (T12).


@pytest.mark.parametrize("content", [b"TWO", b"longer"])
def test_a_change_whose_times_were_put_back_is_noticed(root: Path, content: bytes) -> None:
    """Size and time of modification can be forged; the time of change cannot."""
    file = skill(root, "knots") / "a.md"
    file.write_bytes(b"one")
    files = reader(root)
    first = files.survey()
    assert files.survey(first).sightings["knots"] is first.sightings["knots"]
    before = file.stat()
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    second = files.survey(first)
    assert second.sightings["knots"].revision != first.sightings["knots"].revision
    assert second.sightings["zz-good"] is first.sightings["zz-good"]


def test_two_files_that_changed_places_are_noticed(root: Path) -> None:
    """Even where both have one size and one time."""
    folder = skill(root, "knots")
    for name in ("a.md", "b.md"):
        (folder / name).write_bytes(name.encode())
        os.utime(folder / name, ns=(10**18, 10**18))
    files = reader(root)
    first = files.survey()
    (folder / "a.md").rename(folder / "c")
    (folder / "b.md").rename(folder / "a.md")
    (folder / "c").rename(folder / "b.md")
    assert files.survey(first).sightings["knots"].revision != first.sightings["knots"].revision


class Saving(Syscalls):
    """Another saves both files of a folder, each whole, as soon as the first of them was read."""

    def __init__(self, folder: Path) -> None:
        self.where = folder
        self.saved = False

    def read(self, name: str, at: int, most: int) -> Any:
        """Read; then, once, let the other save."""
        found = super().read(name, at, most)
        if not self.saved:
            self.saved = True
            for file, content in (("SKILL.md", document("knots") + b"two"), ("run.md", b"two")):
                (self.where / ".new").write_bytes(content)
                (self.where / ".new").replace(self.where / file)
        return found


def test_a_survey_never_mixes_two_states_of_a_folder(root: Path) -> None:
    """Files that were saved while the folder was read are all of the old state or all of the new."""
    folder = skill(root, "knots")
    (folder / "run.md").write_bytes(b"one")
    sighting = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Saving(folder)).survey().sightings["knots"]
    new = {ResourcePath("SKILL.md"): Content(document("knots") + b"two"), ResourcePath("run.md"): Content(b"two")}
    assert sighting.revision == SkillTree(new).revision


class Meanwhile(Syscalls):
    """Another changes the folder when its subfolder is opened; only what it does then is young."""

    def __init__(self, change: Callable[[], object]) -> None:
        time.sleep(0.02)  # so that the clock of the file system ticks
        self.change: Callable[[], object] | None = change
        self.began = time.time_ns()

    def now_ns(self) -> int:
        """The moment at which what was there before is no longer young: two seconds on."""
        return self.began + 2_000_000_000

    def open(self, name: str, at: int | None = None) -> int:
        """Open, after the other's doing."""
        if name == "deep" and self.change is not None:
            time.sleep(0.02)
            self.change()
            self.change = None
        return super().open(name, at)


def test_a_survey_never_mixes_what_was_removed_with_what_was_not_yet(root: Path) -> None:
    """Two files that go one after the other leave no young file behind, and yet never go in the other order."""
    folder = skill(root, "knots")
    (folder / "first.md").write_bytes(b"first")
    (folder / "deep").mkdir()
    (folder / "deep" / "second.md").write_bytes(b"second")

    def remove() -> None:
        (folder / "first.md").unlink()
        (folder / "deep" / "second.md").unlink()

    found = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Meanwhile(remove)).survey().sightings["knots"]
    assert [item.path for item in found.inventory] == ["SKILL.md"]


def test_a_survey_never_mixes_an_old_folder_that_came_with_what_went_before(root: Path) -> None:
    """A folder that is moved into a skill keeps the times of its files."""
    folder = skill(root, "knots")
    (folder / "first.md").write_bytes(b"first")
    (folder / "deep").mkdir()
    (root.parent / "old").mkdir()
    (root.parent / "old" / "second.md").write_bytes(b"second")

    def move() -> None:
        (folder / "first.md").unlink()
        (root.parent / "old").rename(folder / "deep" / "old")

    found = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Meanwhile(move)).survey().sightings["knots"]
    assert [item.path for item in found.inventory] == ["SKILL.md", "deep/old/second.md"]


@pytest.mark.parametrize("bit", [0o100, 0o010, 0o001])
def test_executable_for_anybody_is_executable(root: Path, bit: int) -> None:
    """A file that its group or others may run counts as one that may be run."""
    folder = skill(root, "knots")
    (folder / "run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "run.sh").chmod(0o644 | bit)
    (script,) = [item for item in surveyed(root).inventory if item.path == "run.sh"]
    assert script.executable
