"""What an edit does to the bytes of one file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.edit import Append, Change, Replace, Whole, changed
from kestrel_skills_core.domain.errors import SkillAbsent, TooLarge, Unmatched
from kestrel_skills_core.domain.names import ResourcePath, SkillName
from tests.examples import examples

NAME, PATH = SkillName("lint"), ResourcePath("notes.md")
MOST = 256 * 1024


def after(before: bytes | None, change: Change) -> bytes:
    """The bytes after a change."""
    return changed(NAME, PATH, before, change)


@pytest.mark.parametrize("before", [None, b"", b"old"])
def test_a_whole_file_is_what_was_given(before: bytes | None) -> None:
    """Whatever was there, or nothing, gives way."""
    assert after(before, Whole(b"new\r\n")) == b"new\r\n"


def test_an_append_adds_to_the_last_byte() -> None:
    """Nothing is put in between, not even a line end."""
    assert after(b"one", Append(" two\n")) == b"one two\n"


def test_one_text_is_replaced() -> None:
    """The one place where the text is becomes the new text; the rest keeps its bytes."""
    assert after("é one\r\n".encode(), Replace("one", "öne")) == "é öne\r\n".encode()
    assert after(b"one two", Replace("one ", "")) == b"two"


@pytest.mark.parametrize(
    ("before", "old", "found"),
    [
        (b"one", "two", 0),
        (b"one one", "one", 2),
        (b"one one one", "one", 3),
        (b"aaa", "aa", 2),
        (b"one", "", 4),
        (b"one", "One", 0),
    ],
)
def test_a_text_that_is_not_there_once(before: bytes, old: str, found: int) -> None:
    """The refusal says how often it is there, and what to do."""
    with pytest.raises(Unmatched) as caught:
        after(before, Replace(old, "new"))
    assert (caught.value.path, caught.value.found) == (PATH, found)
    assert caught.value.fix


def test_other_line_ends_are_told_of() -> None:
    """Text quoted over a line end of the other kind is not there, and the refusal says why."""
    with pytest.raises(Unmatched) as caught:
        after(b"one\r\ntwo\r\n", Replace("one\ntwo", "new"))
    assert "CRLF" in caught.value.fix


@pytest.mark.parametrize("change", [Append("a"), Replace("a", "b")])
def test_a_file_that_is_not_there_has_no_text(change: Change) -> None:
    """There is nothing to add to, and nothing to replace."""
    with pytest.raises(SkillAbsent) as caught:
        after(None, change)
    assert (caught.value.name, caught.value.path) == (NAME, PATH)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("before", "change"),
    [(b"", Whole(b"x" * (MOST + 1))), (b"x" * MOST, Append("x")), (b"ax" + b"x" * (MOST - 2), Replace("a", "xx"))],
)
def test_a_file_does_not_grow_beyond_the_cap(before: bytes, change: Change) -> None:
    """One byte more than 256 KiB is refused, however it comes about."""
    with pytest.raises(TooLarge) as caught:
        after(before, change)
    assert (caught.value.allowed, caught.value.found) == (MOST, MOST + 1)


@pytest.mark.parametrize("change", [Append("\ud800"), Replace("a", "\udfff")])
def test_a_surrogate_is_not_an_accident(change: Change) -> None:
    """What no UTF-8 holds becomes bytes that are no text, for whoever judges them."""
    with pytest.raises(UnicodeDecodeError):
        after(b"a", change).decode()


@settings(max_examples=examples(500))
@given(st.text("ab\n"), st.text("ab\n", max_size=3), st.text("abc"))
def test_a_replacement_is_of_the_only_place(before: str, old: str, new: str) -> None:
    """A text is replaced if, and only if, it begins at exactly one place, and then there."""
    places = [at for at in range(len(before) + 1) if before.startswith(old, at)]
    try:
        text = after(before.encode(), Replace(old, new)).decode()
    except Unmatched:
        assert len(places) != 1
    else:
        (at,) = places
        assert text == before[:at] + new + before[at + len(old) :]
