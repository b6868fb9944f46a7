"""Which files can be carried."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.carry import Omitted, carried
from kestrel_skills_core.domain.names import DOCUMENT, resource_path
from kestrel_skills_core.domain.tree import Content, SkillTree
from tests.domain.given import paths
from tests.domain.test_pointer import POINTER


def carry(files: dict[str, bytes]) -> tuple[list[str], list[str]]:
    """The paths that are kept, and what is said of the others."""
    kept, omitted = carried({resource_path(path): Content(data) for path, data in files.items()})
    return sorted(kept), [*map(str, omitted)]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"text\n", None),
        (b"", None),
        ("é\u202e".encode(), None),
        (b"\x89PNG", "not text, the byte 0x89 at offset 0 is not UTF-8"),
        (b"a\0b", "not text, a NUL at offset 1"),
        (b"x" * 262_144, None),
        (b"x" * 262_145, "262,145 bytes where 262,144 are allowed"),
        (POINTER, "a git LFS pointer, and not the file itself"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_each_file_is(content: bytes, why: str | None) -> None:
    """Text of no more than is allowed is carried, byte for byte; all else is left out by name, with the reason."""
    kept, omitted = carried({resource_path("a.bin"): Content(content, executable=True)})
    if why is None:
        assert (kept, omitted) == ({"a.bin": Content(content, executable=True)}, ())
    else:
        assert (kept, omitted) == ({}, (Omitted(resource_path("a.bin"), why),))
        assert str(omitted[0]) == f"`a.bin` is left out: {why}"


def test_the_document_is_never_left_out() -> None:
    """What is wrong with it is for its own reader to say."""
    assert carry({"SKILL.md": b"\xff" * 300_000}) == (["SKILL.md"], [])


def test_a_skill_of_too_many_bytes() -> None:
    """Files are kept from the document outwards, the smaller first, as long as they fit."""
    big, small = b"x" * 262_144, b"y"
    files = {f"{number}.md": big for number in range(8)} | {"SKILL.md": small, "a/b.md": small, "z.md": small}
    kept, omitted = carry(files)
    assert kept == [*(f"{number}.md" for number in range(7)), "SKILL.md", "a/b.md", "z.md"]
    assert omitted == ["`7.md` is left out: the skill would hold more than 2,097,152 bytes"]


def test_a_skill_of_too_many_entries() -> None:
    """Folders count; those that are there already count once."""
    files = {f"{number:03}.md": b"a" for number in range(509)} | {"SKILL.md": b"a"}
    kept, omitted = carry(files | {"a/b/c.md": b"a", "d/e.md": b"b", "d/f.md": b"c"})
    assert len(kept) == 511
    assert omitted == [
        "`a/b/c.md` is left out: the skill would hold more than 512 files and folders",
        "`d/f.md` is left out: the skill would hold more than 512 files and folders",
    ]


def test_what_is_left_out_is_told_by_a_name_that_is_safe_to_print() -> None:
    """A path may hold what cannot be seen."""
    assert str(Omitted(resource_path("a\ue000"), "why")) == "`a\\ue000` is left out: why"


@given(st.dictionaries(paths, st.binary(max_size=5) | st.just(b"x" * 262_145), max_size=8))
def test_what_is_kept_can_be_a_tree_and_nothing_is_forgotten(files):
    """Every file is kept as it is or named, once."""
    given_files = {path: Content(data) for path, data in files.items()}
    kept, omitted = carried(given_files)
    assert SkillTree(kept).files == kept
    assert kept.items() <= given_files.items()
    assert sorted([*kept, *(each.path for each in omitted)]) == sorted(files)
    assert DOCUMENT not in {each.path for each in omitted}
