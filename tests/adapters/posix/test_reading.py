"""What only a reader of a real disk does: roots that cannot be opened, stamps, and how little is opened."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.errors import SkillAbsent
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.ports.world import Watcher
from tests.contracts.files import Later
from tests.hostile.disk import Meddling, failing, skill

KNOTS = SkillName("knots")
SHARED, LOCAL = SourceId.HOST_SHARED, SourceId.AGENT_LOCAL


class At(Syscalls):
    """A disk at a fixed time."""

    def __init__(self, now_ns: int) -> None:
        self.now = now_ns

    def now_ns(self) -> int:
        """That time."""
        return self.now


# The root.


def test_a_shared_root_is_named_by_the_digest_of_its_absolute_path(tmp_path: Path, monkeypatch: Any) -> None:
    """However it was spelt."""
    monkeypatch.chdir(tmp_path)
    expected = hashlib.sha256(os.fsencode(str(tmp_path)) + b"/skills").hexdigest()
    for spelt in ("skills", "./skills/", tmp_path / "skills", "x/../skills"):
        assert PosixSkillFiles(spelt, SHARED).root == expected
    assert PosixSkillFiles("skills", LOCAL).root is None


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("nothing", "it does not exist"),
        ("file", "it is not a folder"),
        ("below a file", "it is not a folder"),
        ("link", "it is a symbolic link"),
        ("dangling link", "it is a symbolic link"),
        ("FIFO", "it is not a folder"),
    ],
)
def test_a_root_that_is_no_folder_is_told_in_one_line(tmp_path: Path, kind: str, why: str) -> None:
    """With a fix, and without the path of it."""
    root = tmp_path / "skills"
    if kind == "file":
        root.touch()
    elif kind == "below a file":
        root.touch()
        root = root / "skills"
    elif kind == "link":
        root.symlink_to(tmp_path)
    elif kind == "dangling link":
        root.symlink_to("nowhere")
    elif kind == "FIFO":
        os.mkfifo(root)
    problem = PosixSkillFiles(root, LOCAL, chance=CountedChance()).survey().problem
    assert str(problem) == f"the agent-local skills cannot be read: {why}"
    assert problem is not None
    assert problem.fix
    assert str(tmp_path) not in f"{problem!r} {problem.fix}"


@pytest.mark.parametrize("call", ["open", "listed"])
@pytest.mark.parametrize(
    ("number", "why"), [(errno.EACCES, "permission is denied"), (errno.EIO, "the disk reports an error")]
)
def test_a_root_that_cannot_be_read_is_told_in_one_line(tmp_path: Path, call: str, number: int, why: str) -> None:
    """Whether it cannot be opened, or not listed."""
    skill(tmp_path, "knots")
    survey = PosixSkillFiles(tmp_path, SHARED, calls=failing(call, number=number)).survey()
    assert str(survey.problem) == f"the host-shared skills cannot be read: {why}"
    assert dict(survey.sightings) == {}


# Stamps.


@pytest.mark.parametrize(("age", "kept"), [(1.9, False), (2.1, True), (-3600.0, False)])
def test_what_was_written_within_two_seconds_is_looked_at_again(tmp_path: Path, age: float, kept: bool) -> None:
    """A clock that ticks slowly may give the next write the same time; so too for times in the future."""
    file = skill(tmp_path, "knots") / "SKILL.md"
    calls = At(file.stat().st_ctime_ns + int(age * 1_000_000_000))
    files = PosixSkillFiles(tmp_path, SHARED, calls=calls)
    first = files.survey()
    assert (first.sightings["knots"].stamps is not None) is kept
    assert (files.survey(first).sightings["knots"] is first.sightings["knots"]) is kept


def test_a_time_of_modification_in_the_future_is_looked_at_again(tmp_path: Path) -> None:
    """Even where the time of change is old."""
    file = skill(tmp_path, "knots") / "SKILL.md"
    os.utime(file, (time.time() + 3600, time.time() + 3600))
    assert PosixSkillFiles(tmp_path, SHARED, calls=Later()).survey().sightings["knots"].stamps is None


class Recording(Later):
    """Remembers which calls were made, and for what."""

    def __init__(self) -> None:
        self.made: list[tuple[str, str]] = []

    def open(self, name: str, at: int | None = None) -> int:
        """Open, and remember."""
        self.made.append(("open", Path(name).name))
        return super().open(name, at)

    def read(self, name: str, at: int, most: int) -> Any:
        """Read, and remember."""
        self.made.append(("read", name))
        return super().read(name, at, most)


@pytest.mark.unwatched
def test_a_survey_reads_each_file_once_and_a_second_one_reads_none(tmp_path: Path) -> None:
    """Nor does the second open a folder but the root."""
    for name in ("knots", "shells"):
        (skill(tmp_path, name) / "a.md").touch()
    calls = Recording()
    files = PosixSkillFiles(tmp_path, SHARED, calls=calls)
    first = files.survey()
    assert sorted(made for made in calls.made if made[0] == "read") == [
        ("read", "SKILL.md"),
        ("read", "SKILL.md"),
        ("read", "a.md"),
        ("read", "a.md"),
    ]
    calls.made.clear()
    files.survey(first)
    assert calls.made == [("open", tmp_path.name)]
    (tmp_path / "shells" / "b.md").touch()
    calls.made.clear()
    files.survey(first)
    assert calls.made[:2] == [("open", tmp_path.name), ("open", "shells")]
    assert len(calls.made) == 5


def test_reading_one_skill_opens_no_other(tmp_path: Path) -> None:
    """However many there are."""
    for name in ("knots", "shells", "stones"):
        skill(tmp_path, name)
    calls = Recording()
    PosixSkillFiles(tmp_path, SHARED, calls=calls).read(KNOTS)
    assert calls.made == [("open", tmp_path.name), ("open", "knots"), ("read", "SKILL.md")]


def test_stamps_that_cannot_be_had_are_as_good_as_changed(tmp_path: Path) -> None:
    """The folder is then opened."""
    skill(tmp_path, "knots")
    first = PosixSkillFiles(tmp_path, SHARED, calls=Later()).survey()
    second = PosixSkillFiles(tmp_path, SHARED, calls=failing("stamps")).survey(first)
    assert second.sightings["knots"] == first.sightings["knots"]
    assert second.sightings["knots"] is not first.sightings["knots"]


def test_a_survey_that_opened_nothing_is_the_known_one_itself(tmp_path: Path) -> None:
    """So whatever was worked out of it need not be again; anything else is another."""
    skill(tmp_path, "knots")
    files = PosixSkillFiles(tmp_path, SHARED, calls=Later())
    first = files.survey()
    assert files.survey(first) is first
    (tmp_path / "notes.txt").touch()
    second = files.survey(first)
    assert (second.entries, second.sightings["knots"] is first.sightings["knots"]) == (2, True)
    skill(tmp_path, "shells")
    assert set(files.survey(second).sightings) == {"knots", "shells"}


def test_a_survey_of_another_root_opens_everything(tmp_path: Path) -> None:
    """What is known of one root is not taken for another's."""
    skill(tmp_path / "one", "knots")
    (skill(tmp_path / "two", "knots") / "a.md").touch()
    first = PosixSkillFiles(tmp_path / "one", SHARED, calls=Later()).survey()
    second = PosixSkillFiles(tmp_path / "two", SHARED, calls=Later()).survey(first)
    assert len(second.sightings["knots"].inventory) == 2


# The watcher.


class Telling(Watcher):
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def surveying(self, source: str, done: int, total: int) -> None:
        """One entry more."""
        self.told.append((source, done, total))

    def surveyed(self, source: str, skills: int, opened: int) -> None:
        """The end."""
        self.told.append((source, "end", skills, opened))


@pytest.mark.unwatched
def test_the_watcher_is_told_of_each_entry_and_of_the_end(tmp_path: Path) -> None:
    """How far the survey is, how many folders there are, and how many had to be opened."""
    for name in ("knots", "shells", "Odd Name"):
        skill(tmp_path, name)
    watcher = Telling()
    files = PosixSkillFiles(tmp_path, SHARED, watcher=watcher, calls=Later())
    first = files.survey()
    files.survey(first)
    entries = [("host-shared", done, 3) for done in range(3)]
    assert watcher.told == [*entries, ("host-shared", "end", 3, 2), *entries, ("host-shared", "end", 3, 0)]


# One folder of any name.


def test_a_folder_of_any_name_can_be_looked_at(tmp_path: Path) -> None:
    """As a survey would see it if it opened it; every byte that was read is given, and nothing is written."""
    folder = skill(tmp_path, "Odd Name")
    (folder / "a.md").write_bytes(b"a")
    files = PosixSkillFiles(tmp_path, LOCAL, chance=CountedChance())
    sighting, contents = files.look("Odd Name")
    assert "KS201" in [found.code for found in sighting.findings]
    assert [item.path for item in sighting.inventory] == ["SKILL.md", "a.md"]
    assert {path: content.data for path, content in contents.items()} == {
        "SKILL.md": document("Odd Name"),
        "a.md": b"a",
    }
    assert sorted(path.name for path in folder.iterdir()) == ["SKILL.md", "a.md"]
    with pytest.raises(SkillAbsent):
        files.look("nothing")


# The agent's own root.


def test_a_root_that_cannot_be_written_is_read_all_the_same(tmp_path: Path) -> None:
    """Its folders go without markers, and nothing else is tried."""
    skill(tmp_path, "knots")
    skill(tmp_path, "shells")
    tried: list[str] = []

    def act(call: str, *_: Any) -> None:
        if call in ("make_folder", "create", "link", "locked"):
            tried.append(call)
            raise OSError(errno.EROFS, "")

    survey = PosixSkillFiles(tmp_path, LOCAL, chance=CountedChance(), calls=Meddling(act)).survey()
    assert survey.problem is None
    assert [sighting.generation for sighting in survey.sightings.values()] == [None, None]
    assert tried == ["make_folder"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["knots", "shells"]
