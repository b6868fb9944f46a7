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
)
from kestrel_skills_core.domain.names import SkillName

KNOTS = SkillName("knots")
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
    assert json.loads(render_fence(KNOTS, Fence(priority=-5, reason="é"))) == {
        "version": 1,
        "name": "knots",
        "priority": -5,
        "error": "é",
    }
    assert parse_fence(b'{"version":1,"name":"knots","priority":-5,"error":"\\u00e9"}') == Fence(
        priority=-5, reason="é"
    )


@pytest.mark.parametrize(
    "content",
    [
        None,
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
def test_what_is_malformed_is_a_mark_all_the_same(content: bytes | None) -> None:
    """It says that it cannot be read."""
    assert parse_fence(content) == UNREADABLE


@settings(max_examples=2000)
@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: json.dumps(text).encode()))
def test_any_bytes_are_a_mark(content: bytes) -> None:
    """And nothing that they hold is an error."""
    assert isinstance(parse_fence(content), Fence)


@given(st.integers(-100_000, 100_000), st.from_regex(r"\A[ -~]{0,200}\Z"))
def test_what_is_written_is_read(priority: int, reason: str) -> None:
    """As it was, if it can be seen."""
    assert parse_fence(render_fence(KNOTS, Fence(priority=priority, reason=reason))) == Fence(
        priority=priority, reason=reason
    )


@given(st.text(max_size=5000))
def test_a_mark_fits_whatever_the_reason(reason: str) -> None:
    """It is ASCII, and no longer than the 0.1.0 release reads."""
    content = render_fence(KNOTS, Fence(priority=1, reason=reason))
    assert content.isascii()
    assert len(content) <= FENCE_BYTES
