"""Fail-closed marks, written and read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.fence import (
    FENCE_BYTES,
    Fence,
    fence_file,
    fenced_name,
    parse_fence,
    render_fence,
    unread_fence,
)
from kestrel_skills_core.domain.names import SkillName
from tests.examples import examples

KNOTS = SkillName("knots")
TOKEN = "3f" * 16
UNREADABLE = Fence(priority=100, reason="its fail-closed mark cannot be read")


def test_a_mark_is_named_for_its_skill() -> None:
    """As the 0.1.0 release names it."""
    assert fence_file(KNOTS) == ".fail-closed-state-knots.json"
    assert fenced_name(".fail-closed-state-knots.json") == KNOTS


@pytest.mark.parametrize(
    "file",
    ["knots", "knots.json", ".fail-closed-state-knots", ".fail-closed-state-.json", ".fail-closed-state-K.json", ""],
)
def test_another_file_is_nobodys_mark(file: str) -> None:
    """Nor is one for what can be no skill's name."""
    assert fenced_name(file) is None


def test_a_mark_says_why_and_which_priority() -> None:
    """In the keys of the 0.1.0 release."""
    assert json.loads(render_fence(KNOTS, Fence(priority=-5, reason="é"), TOKEN)) == {
        "version": 1,
        "name": "knots",
        "priority": -5,
        "error": f"é [{TOKEN}]",
    }
    assert parse_fence(b'{"version":1,"name":"knots","priority":-5,"error":"\\u00e9"}') == Fence(
        priority=-5, reason="é"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"priority":"1","error":""}',
        b'{"priority":true,"error":""}',
        b'{"priority":1,"error":1}',
        b'{"priority":1.5,"error":""}',
        b"[" * FENCE_BYTES,
        b" " * (FENCE_BYTES + 1),
    ],
)
def test_what_is_malformed_is_a_mark_all_the_same(content: bytes) -> None:
    """It says that it cannot be read."""
    assert parse_fence(content) == UNREADABLE


def test_a_mark_is_known_by_its_bytes() -> None:
    """Two that say the same are two, unless they are the same bytes; one that was never written is none of them."""
    mark = Fence(priority=1, reason="why")
    one, other = (parse_fence(render_fence(KNOTS, mark, token)) for token in (TOKEN, "40" * 16))
    assert one == other == mark
    assert one.is_same(parse_fence(render_fence(KNOTS, mark, TOKEN)))
    for others in (other, mark, None):
        assert not one.is_same(others)
    assert not mark.is_same(mark)


def test_a_mark_whose_bytes_cannot_be_had_is_known_by_what_else_is() -> None:
    """Where nothing else is, it is not known again, even as itself."""
    one = unread_fence("7 12")
    assert one == UNREADABLE
    assert one.is_same(unread_fence("7 12"))
    assert not one.is_same(unread_fence("8 12"))
    assert not unread_fence("").is_same(unread_fence(""))


@settings(max_examples=examples(2000))
@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: json.dumps(text).encode()))
def test_any_bytes_are_a_mark(content: bytes) -> None:
    """And nothing that they hold is an error."""
    assert isinstance(parse_fence(content), Fence)


@given(st.integers(-100_000, 100_000), st.from_regex(r"\A[ -~]{0,200}\Z"))
def test_what_is_written_is_read(priority: int, reason: str) -> None:
    """As it was, if it can be seen."""
    assert parse_fence(render_fence(KNOTS, Fence(priority=priority, reason=reason), TOKEN)) == Fence(
        priority=priority, reason=reason
    )


@given(st.text(max_size=5000))
def test_a_mark_fits_whatever_the_reason(reason: str) -> None:
    """It is ASCII, and no longer than the 0.1.0 release reads."""
    content = render_fence(KNOTS, Fence(priority=1, reason=reason), TOKEN)
    assert content.isascii()
    assert len(content) <= FENCE_BYTES
