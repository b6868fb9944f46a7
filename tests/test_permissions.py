"""The superuser is bound by permissions where a test asks for it."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from tests.permissions import bound


def test_what_is_closed_is_closed_to_everybody(tmp_path: Path) -> None:
    """Neither a file nor a folder of mode 0 opens, here or in a thread; afterwards all is as it was."""
    (tmp_path / "file").touch(0)
    (tmp_path / "folder").mkdir(0)
    before = os.access(tmp_path / "file", os.R_OK, effective_ids=True)
    refused: list[str] = []

    def look() -> None:
        for name, use in (("file", Path.read_bytes), ("folder", os.listdir)):
            try:
                use(tmp_path / name)
            except PermissionError:
                refused.append(name)

    with bound():
        look()
        thread = Thread(target=look)
        thread.start()
        thread.join()
    assert refused == ["file", "folder"] * 2
    assert os.access(tmp_path / "file", os.R_OK, effective_ids=True) is before
    (tmp_path / "folder").chmod(0o700)


def test_it_ends_where_a_test_fails(tmp_path: Path) -> None:
    """Whatever is raised, the next test may do what it could do before."""
    (tmp_path / "file").touch(0)
    before = os.access(tmp_path / "file", os.R_OK, effective_ids=True)
    with pytest.raises(ZeroDivisionError), bound():
        raise ZeroDivisionError
    assert os.access(tmp_path / "file", os.R_OK, effective_ids=True) is before


@pytest.mark.usefixtures("permissions_bind")
def test_it_is_one_fixture(tmp_path: Path) -> None:
    """Which opens again what a test closed."""
    (tmp_path / "closed").mkdir(0)
    with pytest.raises(PermissionError):
        list((tmp_path / "closed").iterdir())
