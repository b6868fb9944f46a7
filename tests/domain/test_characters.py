"""What a character is does not depend on the Python that reads."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from kestrel_skills_core.domain.characters import category, has_later, name, without_later
from kestrel_skills_core.domain.text import hidden_text, unseen

HERE = tuple(map(int, unicodedata.unidata_version.split(".")))
KNOWN = [char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char) != "Cn"]
LATER = [char for char in map(chr, range(sys.maxunicode + 1)) if has_later(char)]


def test_the_table_has_every_character_of_unicode_15_and_16() -> None:
    """Unicode 15.0, 15.1 and 16.0 tell of 4,489, 627 and 5,185 new characters."""
    assert len(LATER) == 4_489 + 627 + 5_185


def test_where_this_python_knows_a_character_the_table_says_the_same() -> None:
    """Of what the table holds, all that is known here has that category."""
    known = [char for char in LATER if unicodedata.category(char) != "Cn"]
    assert [char for char in known if category(char) != unicodedata.category(char)] == []
    assert len(known) == {14: 0, 15: 4_489 + (627 if HERE >= (15, 1) else 0), 16: len(LATER)}[HERE[0]]


def test_what_the_table_does_not_hold_is_as_old_as_unicode_14() -> None:
    """Unicode 14 has 144,697 characters, besides 65 controls, 66 that are none and those for private use and halves."""
    private_and_halves = 6_400 + 2 * 65_534 + 2_048
    older = [char for char in KNOWN if not has_later(char)]
    assert len(older) - private_and_halves - 65 == 144_697


@pytest.mark.parametrize(
    ("char", "kind"),
    [
        ("a", "Ll"),
        ("\u0897", "Mn"),  # 16.0
        ("\U0001fae8", "So"),  # 15.0, an emoji
        ("\U0002ebf0", "Lo"),  # 15.1, an ideograph
        ("\U0001c890", "Cn"),
        ("\U0001343f", "Cf"),  # 15.0, a format character
        ("\U0010ffff", "Cn"),
    ],
)
def test_categories(char: str, kind: str) -> None:
    """Unicode 16 tells them."""
    assert category(char) == kind


def test_names_are_those_of_unicode_14() -> None:
    """What is newer or has none is told by its number."""
    assert [name("\u200b"), name("\U0001fae8"), name("\x07")] == ["ZERO WIDTH SPACE", "U+1FAE8", "U+0007"]


def test_what_is_newer_can_be_left_out_of_account() -> None:
    """An outlined letter, which Unicode 16 takes for a plain one, is not read as such."""
    assert without_later("\U0001ccd6b") == "\ufffdb"
    assert without_later("ab") == "ab"


def test_the_verdict_does_not_depend_on_the_python() -> None:
    """An emoji, a letter after a joiner and a format character of Unicode 15 are seen as they are on every Python."""
    assert list(unseen("\U0001fae8\ufe0f \u0915\u200d\U00011f12")) == []
    assert [str(found) for found in unseen("a\U0001343f")] == ["a format character, U+1343F"]
    assert [run.decoded for run in hidden_text("a\U0001343f")] == ["<u+1343f>"]
