"""What is said of a folder on a disk, until it is a parcel."""

from __future__ import annotations

import pytest

from kestrel_skills_core.domain.errors import BadPath, BadSource, TooLarge
from kestrel_skills_core.domain.intake import Intake
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.tree import Content


def test_a_folder_of_plain_files() -> None:
    """Every file is taken with its bytes, and whether it can be run."""
    intake = Intake()
    intake.looks(2)
    assert intake.enters("scripts")
    assert intake.reads("scripts/run.sh") == LIMITS.parcel_bytes
    intake.file("scripts/run.sh", b"#!", executable=True)
    assert intake.reads("SKILL.md") == LIMITS.parcel_bytes - 2
    intake.file("SKILL.md", b"x", executable=False)
    assert intake.parcel().files == {"SKILL.md": Content(b"x"), "scripts/run.sh": Content(b"#!", executable=True)}


def test_litter_is_told_once_and_never_opened() -> None:
    """Folders of litter are walked as ever, but no file in them is read, and nothing in them is a fault."""
    intake = Intake()
    assert not intake.enters(".git")
    assert intake.enters("__pycache__")
    assert intake.reads("__pycache__/a.pyc") is None
    intake.aside("__pycache__/a.pyc", "file", size=9, mtime_ns=0, ctime_ns=0)
    intake.aside("__pycache__/link", "link", size=0, mtime_ns=0, ctime_ns=0)
    intake.unreadable("__pycache__/b.pyc", "permission is denied")
    intake.aside(".DS_Store", "file", size=9, mtime_ns=0, ctime_ns=0)
    assert intake.enters("__pycache__/deep")
    assert intake.parcel().left_out == (".DS_Store", ".git", "__pycache__")


def test_what_is_not_taken() -> None:
    """A link, a special file, what cannot be read, a folder or file whose name does not travel."""
    with pytest.raises(BadSource, match="'a' cannot be used as a source: it is a symbolic link"):
        Intake().aside("a", "link", size=0, mtime_ns=0, ctime_ns=0)
    with pytest.raises(BadSource, match="neither a file nor a folder"):
        Intake().aside("a", "other", size=0, mtime_ns=0, ctime_ns=0)
    with pytest.raises(BadSource, match="it cannot be read: permission is denied"):
        Intake().unreadable("a", "permission is denied")
    with pytest.raises(BadPath, match="kept for this library"):
        Intake().enters(".kestrel-internal")
    with pytest.raises(BadPath, match="deeper than 32 levels"):
        Intake().enters("/".join("a" * 33))
    intake = Intake()
    intake.file(".kestrel-generation", b"", executable=False)
    with pytest.raises(BadPath, match="kept for this library"):
        intake.parcel()


def test_more_than_a_parcel_may_hold() -> None:
    """Bytes and entries are counted before they are read."""
    intake = Intake()
    intake.looks(4000)
    intake.looks(96)
    with pytest.raises(TooLarge, match="files and folders of one folder: more where 4,096 are allowed"):
        intake.looks(1)
    with pytest.raises(TooLarge, match="bytes of one folder: more where 33,554,432 are allowed"):
        intake.large("a", 1 << 40)
