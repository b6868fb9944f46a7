"""How a folder gets its generation marker: whole or not at all, whoever comes first."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.names import SourceId
from tests.contracts.files import Later
from tests.hostile.disk import Meddling, failing, once, skill

OWN = ".kestrel-internal"


def survey(root: Path, calls: Syscalls | None = None) -> dict[str, str | None]:
    """The generation of each folder, after a survey of the agent's own root."""
    files = PosixSkillFiles(root, SourceId.AGENT_LOCAL, chance=CountedChance(), calls=calls or Later())
    found = files.survey()
    assert found.problem is None
    return {name: sighting.generation for name, sighting in found.sightings.items()}


def recorded(root: Path) -> list[str]:
    """The calls that a survey makes to write."""
    made: list[str] = []

    def act(call: str, *_: Any) -> None:
        if call in ("locked", "create", "append", "link", "rename", "unlink", "sync"):
            made.append(call)

    survey(root, Meddling(act))
    return made


def test_this_librarys_own_folder_is_private(tmp_path: Path) -> None:
    """Only its owner may enter it; afterwards nothing is staged in it, and the marker has one name."""
    skill(tmp_path, "knots")
    assert survey(tmp_path)["knots"] is not None
    own = tmp_path / ".kestrel-internal"
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    assert [path.name for path in own.iterdir()] == ["locks"]
    assert (tmp_path / "knots" / ".kestrel-generation").stat().st_nlink == 1


def test_a_marker_is_on_the_disk_before_it_is_in_its_folder(tmp_path: Path) -> None:
    """It is written and synced, linked, the folder is synced; the lock is taken once for all folders.

    This library's own folders are made first, and on the disk, where they are not there yet.
    """
    skill(tmp_path, "knots")
    skill(tmp_path, "shells")
    one = ["create", "append", "sync", "link", "unlink", "sync"]
    assert recorded(tmp_path) == ["sync", "sync", "locked", *one, "locked", *one]
    assert recorded(tmp_path) == []


def test_a_malformed_marker_is_replaced_in_one_move(tmp_path: Path) -> None:
    """At no moment is there none, or half of one."""
    (skill(tmp_path, "knots") / ".kestrel-generation").write_bytes(b"half")
    assert recorded(tmp_path)[2:] == ["locked", "create", "append", "sync", "rename", "unlink", "sync"]


def test_whoever_comes_first_wins(tmp_path: Path) -> None:
    """A marker that appears between the look and the link stands, and is what the survey tells."""
    folder = skill(tmp_path, "knots")
    theirs = b"kestrel-skill-generation-v1:" + b"ab" * 32 + b"\n"

    def act(call: str, *_: Any) -> None:
        if call == "link":
            (folder / ".kestrel-generation").write_bytes(theirs)

    assert survey(tmp_path, Meddling(act)) == {"knots": "ab" * 32}
    assert (folder / ".kestrel-generation").read_bytes() == theirs


def test_a_marker_that_was_mended_meanwhile_is_kept(tmp_path: Path) -> None:
    """What is malformed is read again under the lock before it is replaced."""
    marker = skill(tmp_path, "knots") / ".kestrel-generation"
    marker.write_bytes(b"half")
    theirs = b"kestrel-skill-generation-v1:" + b"ab" * 32 + b"\n"
    assert survey(tmp_path, once("locked", "markers.lock", lambda: marker.write_bytes(theirs))) == {"knots": "ab" * 32}


def test_many_at_once_give_each_folder_one_marker(tmp_path: Path) -> None:
    """And each tells of the same marker at once: whoever waits, waits for one folder."""
    for number in range(20):
        skill(tmp_path, f"s{number}")

    def look(_: int) -> dict[str, str | None]:
        files = PosixSkillFiles(tmp_path, SourceId.AGENT_LOCAL, chance=Random())
        return {name: sighting.generation for name, sighting in files.survey().sightings.items()}

    class Random:
        def token(self) -> str:
            return os.urandom(32).hex()

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(look, range(8)))
    final = look(0)
    assert None not in final.values()
    assert len(set(final.values())) == 20
    for each in told:
        assert each == final


def test_who_cannot_have_the_lock_goes_without(tmp_path: Path) -> None:
    """It is no failure; the next survey tries again."""
    skill(tmp_path, "knots")
    survey(tmp_path)
    (tmp_path / "knots" / ".kestrel-generation").unlink()
    with (tmp_path / ".kestrel-internal" / "locks" / "markers.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert survey(tmp_path) == {"knots": None}
    assert survey(tmp_path)["knots"] is not None


@pytest.mark.parametrize("name", [OWN, f"{OWN}/locks", f"{OWN}/locks/markers.lock"])
@pytest.mark.parametrize("kind", ["link", "file", "FIFO"])
def test_what_stands_in_the_way_is_not_followed(tmp_path: Path, name: str, kind: str) -> None:
    """In place of this library's own folders and lock: nothing is written through it, and nothing waits.

    Whatever is no link can be locked.
    """
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "skills"
    skill(root, "knots")
    place = root / name
    place.parent.mkdir(parents=True, exist_ok=True)
    make: dict[str, Callable[[], None]] = {
        "link": lambda: place.symlink_to(outside),
        "file": place.touch,
        "FIFO": lambda: os.mkfifo(place),
    }
    make[kind]()
    marked = survey(root)["knots"] is not None
    assert marked is (name.endswith(".lock") and kind != "link")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSPC, errno.EROFS, errno.EOPNOTSUPP])
def test_a_disk_that_makes_no_links_is_asked_once(tmp_path: Path, number: int) -> None:
    """What is staged is taken away again, and no other folder is tried."""
    for name in ("knots", "shells", "stones"):
        skill(tmp_path, name)
    writes: list[str] = []

    def act(call: str, *_: Any) -> None:
        if call == "append":
            writes.append(call)
        if call == "link":
            raise OSError(number, "")

    assert set(survey(tmp_path, Meddling(act)).values()) == {None}
    assert len(writes) == 1
    assert [path.name for path in (tmp_path / ".kestrel-internal").iterdir()] == ["locks"]


def test_one_folder_that_cannot_be_marked_does_not_keep_the_others_from_it(tmp_path: Path) -> None:
    """A folder of another disk, say."""
    for name in ("knots", "shells"):
        skill(tmp_path, name)
    left = [errno.EXDEV]

    def act(call: str, *_: Any) -> None:
        if call == "link" and left:
            raise OSError(left.pop(), "")

    generations = survey(tmp_path, Meddling(act))
    assert generations["knots"] is None
    assert generations["shells"] is not None


def test_what_a_crash_left_staged_is_in_nobodys_way(tmp_path: Path) -> None:
    """Neither in a survey nor in the next minting."""
    skill(tmp_path, "knots")
    own = tmp_path / ".kestrel-internal"
    own.mkdir(0o700)
    (own / ".kestrel-generation.tmp.x").write_bytes(b"half")
    assert list(survey(tmp_path)) == ["knots"]


def test_a_survey_goes_on_where_a_marker_cannot_be_read(tmp_path: Path) -> None:
    """The folder is told of as unreadable in that place, and is not marked anew."""
    marker = skill(tmp_path, "knots") / ".kestrel-generation"
    marker.write_bytes(b"half")
    assert survey(tmp_path, failing("read", ".kestrel-generation")) == {"knots": None}
    assert marker.read_bytes() == b"half"
