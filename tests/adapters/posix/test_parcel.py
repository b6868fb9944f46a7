"""A folder of this machine, read to be brought in."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.errors import BadPath, BadSource, SkillError, SourceUnavailable, TooLarge
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.domain.tree import Content
from tests.disks import CASE, NO_TEXT
from tests.hostile.disk import Meddling, crowd, once, open_descriptors, skill
from tests.permissions import bound


def parcel(root: Path, name: str = "knots", calls: Syscalls | None = None) -> Parcel:
    """Read one folder; no descriptor stays open."""
    before = open_descriptors()
    try:
        return PosixSkillFiles(root, SourceId.AGENT_LOCAL, calls=calls or Syscalls()).parcel(name)
    finally:
        assert open_descriptors() == before


def test_every_file_comes_with_its_bytes_and_mode(tmp_path: Path) -> None:
    """Also what no skill could hold: to leave it out is not for the reader. Nothing is written."""
    folder = skill(tmp_path, "knots")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "run.sh").write_bytes(b"#!")
    (folder / "scripts" / "run.sh").chmod(0o755)
    (folder / "model.bin").write_bytes(b"\0" * 3_000_000)
    (folder / ".DS_Store").touch()
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.pyc").touch()
    before = sorted(tmp_path.rglob("*"))
    found = parcel(tmp_path)
    assert list(found.files) == ["SKILL.md", "model.bin", "scripts/run.sh"]
    assert found.files["scripts/run.sh"] == Content(b"#!", executable=True)  # type: ignore[index]  # a legal path
    assert found.left_out == (".DS_Store", "__pycache__")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_of_any_name(tmp_path: Path) -> None:
    """How it shall be called is said later."""
    skill(tmp_path, "My Knots 1.2")
    assert list(parcel(tmp_path, "My Knots 1.2").files) == ["SKILL.md"]


def put_socket(folder: Path) -> None:
    """A socket."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(folder / "socket"))


HOSTILE: dict[str, tuple[type[SkillError], str, Callable[[Path], object]]] = {
    "a link to a file": (BadSource, "symbolic link", lambda at: (at / "link").symlink_to("/etc/passwd")),
    "a link to a folder": (BadSource, "symbolic link", lambda at: (at / "link").symlink_to("/")),
    "a link to itself": (BadSource, "symbolic link", lambda at: (at / "link").symlink_to("link")),
    "a FIFO": (BadSource, "neither a file nor a folder", lambda at: os.mkfifo(at / "fifo")),
    "a socket": (BadSource, "neither a file nor a folder", put_socket),
    "our marker": (BadPath, "kept for this library", lambda at: (at / ".kestrel-generation").touch()),
    "our provenance": (BadPath, "kept for this library", lambda at: (at / ".kestrel-provenance.json").touch()),
    "our folder": (BadPath, "kept for this library", lambda at: (at / ".kestrel-internal").mkdir()),
    "a name with an escape": (BadPath, "control", lambda at: (at / "a\x1b").touch()),
    "a name that is not UTF-8": (BadPath, "UTF-8", lambda at: (at / "\udcff").touch()),
    "other capitals": (BadSource, "some file systems", lambda at: ((at / "a").touch(), (at / "A").touch())),
    "too deep": (BadPath, "deeper than 32 levels", lambda at: (at / "/".join("d" * 40)).mkdir(parents=True)),
    "too many": (TooLarge, "files and folders", lambda at: crowd(at, (str(number) for number in range(4096)))),
    "too large": (TooLarge, "bytes of one folder", lambda at: os.truncate(_touched(at / "large"), 32 << 20)),
    "huge": (TooLarge, "bytes of one folder", lambda at: os.truncate(_touched(at / "huge"), 1 << 40)),
}

NEEDS: dict[str, pytest.MarkDecorator] = {"a name that is not UTF-8": NO_TEXT, "other capitals": CASE}


def _touched(path: Path) -> Path:
    path.touch()
    return path


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS.get(name, ())) for name in HOSTILE])
def test_what_is_refused(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its named error, at once, and nothing of the machine is told."""
    error, why, make = HOSTILE[name]
    monkeypatch.chdir(tmp_path)
    make(skill(tmp_path, "knots"))
    with pytest.raises(error, match=why) as refused:
        parcel(tmp_path)
    assert str(tmp_path) not in f"{refused.value} {refused.value.fix}"
    assert refused.value.fix


def test_the_folder_is_no_link_and_is_there(tmp_path: Path) -> None:
    """Else it is refused."""
    skill(tmp_path, "knots")
    (tmp_path / "link").symlink_to("knots")
    (tmp_path / "file").touch()
    for name in ("link", "file", "nothing"):
        with pytest.raises(BadSource, match="it cannot be read as a folder"):
            parcel(tmp_path, name)
    with pytest.raises(SourceUnavailable):
        parcel(tmp_path / "nothing")


def test_what_may_not_be_read(tmp_path: Path) -> None:
    """It is told, and nothing is brought in without it."""
    folder = skill(tmp_path, "knots")
    (folder / "secret.md").write_text("x")
    (folder / "secret.md").chmod(0)
    with bound(), pytest.raises(BadSource, match="permission is denied"):
        parcel(tmp_path)


def test_what_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    """All that comes is of one instant."""
    folder = skill(tmp_path, "knots")
    (folder / "a.md").write_text("one")
    (folder / "b.md").write_text("one")

    def change() -> None:
        (folder / "a.md").write_text("two")
        (folder / "b.md").write_text("two")

    found = parcel(tmp_path, calls=once("read", "b.md", change))
    assert [found.files[path].data for path in sorted(found.files)[1:]] == [b"two", b"two"]


def test_what_never_rests(tmp_path: Path) -> None:
    """After some times it is given up."""
    folder = skill(tmp_path, "knots")

    def act(call: str, *arguments: object) -> None:
        if call == "stamps":
            (folder / "SKILL.md").write_text(f"{os.urandom(9).hex()}")

    with pytest.raises(SourceUnavailable, match="kept changing"):
        parcel(tmp_path, calls=Meddling(act))
