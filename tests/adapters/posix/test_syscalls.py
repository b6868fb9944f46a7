"""The system calls in their portions: what they give where the system gives less than it was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_adapters.posix.writing import write


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    """An open folder."""
    with Syscalls().folder(str(tmp_path)) as fd:
        yield fd


def test_a_file_that_comes_in_pieces_is_read_to_its_end(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some disks answer a read with less than there is."""
    (tmp_path / "a").write_bytes(b"0123456789")
    read = os.read
    monkeypatch.setattr(os, "read", lambda fd, size: read(fd, min(size, 3)))
    content, before = Syscalls().read("a", folder, 10)
    assert (content, before.st_size) == (b"0123456789", 10)


def test_a_file_that_is_written_in_pieces_is_written_to_its_end(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so with a write."""
    whole = os.write
    monkeypatch.setattr(os, "write", lambda fd, content: whole(fd, content[:3]))
    write(Syscalls(), "a", folder, b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_file_that_shrinks_gives_fewer_bytes_than_its_size(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever compares them knows."""
    (tmp_path / "a").write_bytes(b"0123456789")
    fstat = os.fstat

    def shrink(fd: int) -> os.stat_result:
        found = fstat(fd)
        os.truncate(tmp_path / "a", 4)
        return found

    monkeypatch.setattr(os, "fstat", shrink)
    content, before = Syscalls().read("a", folder, 10)
    assert (content, before.st_size) == (b"0123", 10)


def test_no_more_entries_are_listed_than_asked_for(tmp_path: Path, folder: int) -> None:
    """Each with what it is."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    os.mkfifo(tmp_path / "pipe")
    assert sorted(Syscalls().listed(folder, 10)) == [
        ("file", "file"),
        ("folder", "folder"),
        ("link", "link"),
        ("pipe", "other"),
    ]
    assert len(Syscalls().listed(folder, 2)) == 2
    found: list[str | int | None] = []
    Syscalls().stamps(str(tmp_path), 4, found)
    assert sorted(found[::5]) == ["file", "link", "pipe"]


def test_a_new_file_is_never_written_over_another(tmp_path: Path, folder: int) -> None:
    """Nor through a link."""
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").symlink_to("c")
    for name in ("a", "b"):
        with pytest.raises(FileExistsError):
            write(Syscalls(), name, folder, b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert not (tmp_path / "c").exists()
