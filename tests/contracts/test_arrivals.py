"""What may come in does not depend on the door: a folder, a zip, a tar, and git take, leave out and refuse alike."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.git import text
from kestrel_skills_adapters.wiring import package
from kestrel_skills_core.domain.errors import BadPath, SkillError
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.domain.tree import Content
from tests.contracts.git import behind_git, in_memory

Files = Mapping[str, bytes]
Door = Callable[[Path, Files], Parcel]


def folder(at: Path, files: Files) -> Parcel:
    """A folder of this machine."""
    for path, content in files.items():
        (at / "k" / path).parent.mkdir(parents=True, exist_ok=True)
        (at / "k" / path).write_bytes(content)
    return package(str(at / "k")).parcel


def a_zip(at: Path, files: Files) -> Parcel:
    """A zip of it."""
    with zipfile.ZipFile(at / "k.zip", "w") as made:
        for path, content in files.items():
            made.writestr(path, content)
    return package(str(at / "k.zip")).parcel


def a_tar(at: Path, files: Files) -> Parcel:
    """A tar of it."""
    with tarfile.open(at / "k.tar", "w") as made:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return package(str(at / "k.tar")).parcel


def from_git(at: Path, files: Files, bed: Callable = behind_git) -> Parcel:
    """A folder of a repository, behind git's own server."""
    drawn = {f"k/{path}": Content(content) for path, content in files.items()}
    with ExitStack() as stack:
        served = stack.enter_context(bed(at, {"main": drawn}))
        return served.git.fetch(served.url, served.main, ResourcePath("k"), cancelled=lambda: False)


def from_memory(at: Path, files: Files) -> Parcel:
    """The same, of the fake."""
    return from_git(at, files, in_memory)


DOORS: Mapping[str, Door] = {
    "folder": folder,
    "zip": a_zip,
    "tar": a_tar,
    "git": from_git,
    "git in memory": from_memory,
}


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Files], Parcel]:
    """Brings some files in, beside a `SKILL.md`."""

    def brought(files: Files) -> Parcel:
        return DOORS[request.param](tmp_path, {"SKILL.md": text("k").data, **files})

    return brought


@pytest.mark.parametrize(
    "path",
    [
        "con.md",
        "aux/n.md",
        "end.",
        "end./a",
        "a /b",
        "a:b",
        ".GIT/config",
        "git~1",
        ".git./config",
        ".gi\u200ct/config",
        "a\x1b[31m",
        "a\\b",
        ".kestrel-generation",
        "x/.Kestrel-Internal/a",
        "/".join("d" * 40),
    ],
    ids=ascii,
)
def test_a_name_that_does_not_travel(door: Callable[[Files], Parcel], path: str) -> None:
    """It is refused by name, as the same error."""
    with pytest.raises(BadPath):
        door({path: b"x"})


def test_litter_stays_behind(door: Callable[[Files], Parcel]) -> None:
    """It is told once, whatever lies in it, and under whatever name."""
    parcel = door(
        {
            ".DS_Store": b"x",
            "__pycache__/a.pyc": b"x",
            "__pycache__/con": b"x",
            "__pycache__/b/c.md": b"x",
            "docs/a.md~": b"x",
            "docs/a.md": b"a",
        }
    )
    assert list(parcel.files) == ["SKILL.md", "docs/a.md"]
    assert parcel.left_out == (".DS_Store", "__pycache__", "docs/a.md~")


@pytest.mark.parametrize("name", DOORS)
def test_a_repository_of_git_is_litter_but_in_git_itself(name: str, tmp_path: Path) -> None:
    """Git never lets a commit hold one, so that one that does was made to deceive."""
    brought: Parcel | SkillError
    try:
        brought = DOORS[name](tmp_path, {"SKILL.md": b"x", ".git/config": b"x"})
    except SkillError as error:
        brought = error
    if name.startswith("git"):
        assert isinstance(brought, BadPath)
        assert "means `.git`" in str(brought)
    else:
        assert isinstance(brought, Parcel)
        assert (list(brought.files), brought.left_out) == (["SKILL.md"], (".git",))
