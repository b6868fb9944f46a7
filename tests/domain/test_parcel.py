"""Files on their way in."""

from __future__ import annotations

import pytest

from kestrel_skills_core.domain.errors import BadPath, BadSource
from kestrel_skills_core.domain.parcel import packed
from kestrel_skills_core.domain.tree import Content

X = Content(b"x")

STAYS = [
    "con.md",
    "end.",
    "aux/n.md",
    "a:b",
    "x" * 256,
    ".GIT/x",
    "git~1",
    ".gi\u200ct",
    "__pycache__/../a",
    "con/.DS_Store",
]
"""What a folder of ours may hold, if somebody made it so, and what does not travel."""


def test_files_come_in_order_and_litter_stays_behind() -> None:
    """In order of their paths; what is litter is told once, by its path, which is safe to print."""
    litter = ["__pycache__/\x1b.pyc", "__pycache__/con", ".DS_Store", ".git/config", "a/\x1b.pyc"]
    parcel = packed([("b.md", X), ("a/c.md", X), *((path, X) for path in litter)])
    assert list(parcel.files) == ["a/c.md", "b.md"]
    assert parcel.left_out == (".DS_Store", ".git", "__pycache__", "a/\\x1b.pyc")


@pytest.mark.parametrize("path", ["/a", "../a", "a/../b", "a\\b", "a\0b", ".kestrel-provenance.json", ""])
def test_a_path_that_no_skill_may_have(path: str) -> None:
    """It is refused, and with it the whole."""
    with pytest.raises(BadPath):
        packed([("SKILL.md", X), (path, X)])


@pytest.mark.parametrize("path", STAYS)
def test_a_path_that_some_system_does_not_hold(path: str) -> None:
    """From wherever it comes; nor does it travel in litter that it leads out of."""
    with pytest.raises(BadPath):
        packed([("SKILL.md", X), (path, X)])


@pytest.mark.parametrize(
    ("paths", "why"),
    [
        (["a", "a"], "there twice"),
        (["a", "A"], "some file systems take it for `a`"),
        (["a/b", "A/c"], "some file systems take it for"),
        (["a", "a/b"], "a file and a folder"),
        (["x/a/b", "x/a"], "a file and a folder"),
    ],
)
def test_two_paths_that_are_one(paths: list[str], why: str) -> None:
    """No file hides another, on any system."""
    with pytest.raises(BadSource, match=why):
        packed((path, X) for path in paths)
