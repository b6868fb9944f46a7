"""Pointers of git LFS."""

from __future__ import annotations

import pytest

from kestrel_skills_core.domain.document import examine
from kestrel_skills_core.domain.pointer import is_pointer

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%b\nsize 12345\n" % (b"ab" * 32)


@pytest.mark.parametrize(
    ("content", "is_one"),
    [
        (POINTER, True),
        (POINTER.replace(b"git-lfs", b"hawser"), True),
        (POINTER.replace(b"oid", b"ext-0-x sha256:12\noid"), True),
        (POINTER.replace(b"oid", b"aid"), False),
        (POINTER.replace(b"v1", b"v2"), False),
        (b"\n" + POINTER, False),
        (POINTER + b"x" * 1_024, False),
        (b"The line `version https://git-lfs.github.com/spec/v1` begins a pointer.\n", False),
    ],
)
def test_what_a_pointer_is(content: bytes, is_one: bool) -> None:
    """The first line and an object id, in less than 1,024 bytes."""
    assert is_pointer(content) is is_one


def test_a_document_that_is_one_is_named_as_one() -> None:
    """Else its author would be told of a line that is not in the file that they see."""
    head, (found,) = examine(POINTER, "knots")
    assert head is None
    assert (found.code, found.message) == ("KS101", "this is a git LFS pointer, and not the file itself")
    assert found.fix == "put the file itself in its place, as `git lfs pull` does, or ask its author to"
