"""Which characters may be seen."""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.characters import category
from kestrel_skills_core.domain.text import (
    FLAGS,
    HiddenText,
    Unseen,
    counted,
    escaped,
    folded,
    hidden_runs,
    hidden_text,
    unseen,
    visible,
)

ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)
TRICKY = st.text(
    st.sampled_from("aé \t\n\r\u00a0\u3000\u200b\u200c\u200d\ufe0e\ufe0f\u20e31#\u2764\U0001f3f4\U0001f44d\U0001f3fd")
    | st.sampled_from([flag[1] for flag in FLAGS] + [chr(0xE007F), "\u034f", "\u115f", "\u2800", "\u202e", "\ud800"]),
    max_size=12,
)
# Unicode 15 emoji-data.txt, property Emoji, what lies below U+10000 and above ASCII, as ranges.
BMP_EMOJI = (
    "00A9 00AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB "
    "25B6 25C0 25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 2626 262A 262E-262F 2638-263A "
    "2640 2642 2648-2653 265F-2660 2663 2665-2666 2668 267B 267E-267F 2692-2697 2699 269B-269C 26A0-26A1 26A7 "
    "26AA-26AB 26B0-26B1 26BD-26BE 26C4-26C5 26C8 26CE-26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD "
    "2702 2705 2708-270D 270F 2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 "
    "2763-2764 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 "
)


def bmp_emoji() -> list[str]:
    """The characters of `BMP_EMOJI`."""
    ends = [[int(end, 16) for end in part.split("-")] for part in BMP_EMOJI.split()]
    return [chr(code) for first, *last in ends for code in range(first, (last or [first])[0] + 1)]


class TestFolded:
    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("a b", "a b"),
            ("  a  b ", "a b"),
            ("a\n\n b\r\n", "a b"),
            ("a\tb\u00a0c\u3000d", "a b c d"),
            ("\u2003a \u202f b", "a b"),
            (" \n\t", ""),
        ],
    )
    def test_white_space_is_one_space(self, text: str, line: str) -> None:
        """Runs of it count as one space, and none remains at either end."""
        assert folded(text) == line

    @given(ANYTHING | TRICKY)
    def test_folding_keeps_the_words(self, text: str) -> None:
        """Without white space the text is the same, nothing double remains, and folding twice changes nothing."""
        spaces = "\t\n\r \u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
        line = folded(text)
        bare = str.maketrans("", "", spaces)
        assert line.translate(bare) == text.translate(bare)
        assert set(line) & set(spaces) <= {" "}
        assert "  " not in line
        assert line == line.strip(" ") == folded(line)


class TestUnseen:
    @pytest.mark.parametrize(
        "text",
        [
            "Use when: deploying, or “now” — naïve 使用 שלום",
            "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # Scotland
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family
            "\U0001f3f3\ufe0f\u200d\U0001f308",  # a rainbow flag
            "\U0001f642\u200d\u2194\ufe0f",  # a head that shakes
            "\U0001f44d\U0001f3fd\u200d\u2642\ufe0f",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
            "\u0c95\u0ccd\u200d\u0cb7",  # Kannada, with a joiner after a mark
            "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",  # Hebrew
            "1\ufe0f\u20e3 and #\ufe0f\u20e3",  # keycaps
        ],
    )
    def test_what_people_write_is_seen(self, text: str) -> None:
        """Scripts that need joiners, emoji sequences and the three flags have nothing to find."""
        assert list(unseen(text)) == []

    @pytest.mark.parametrize("emoji", bmp_emoji(), ids=lambda emoji: f"U+{ord(emoji):04X}")
    def test_an_emoji_takes_one_selector(self, emoji: str) -> None:
        """One of the two may follow, a second may not."""
        assert list(unseen(f"{emoji}\ufe0f")) == []
        assert list(unseen(f"{emoji}\ufe0e")) == []
        assert [found.offset for found in unseen(f"{emoji}\ufe0f\ufe0f")] == [2]

    @pytest.mark.parametrize(
        ("text", "offset", "what"),
        [
            ("a\u200b", 1, "a format character, U+200B"),
            ("\u202ea", 0, "a format character, U+202E"),
            ("a\u00ad", 1, "a format character, U+00AD"),
            ("a\x1b", 1, "a control character, U+001B"),
            ("a\x85", 1, "a control character, U+0085"),
            ("a\ue000", 1, "a private-use character, U+E000"),
            ("a\U0010ffff", 1, "an unassigned character, U+10FFFF"),
            ("a\ud800", 1, "half of a surrogate pair, U+D800"),
            ("a\u2028", 1, "a line separator, U+2028"),
            ("a\u2029", 1, "a paragraph separator, U+2029"),
            ("a\u034fb", 1, "a combining grapheme joiner, U+034F"),
            ("a\u115f", 1, "a Hangul filler, U+115F"),
            ("a\u3164", 1, "a Hangul filler, U+3164"),
            ("a\u2800", 1, "a braille blank, U+2800"),
            ("a\U00013441", 1, "a hieroglyphic blank, U+13441"),
            ("\u1780\u17b4", 1, "a Khmer vowel that is never shown, U+17B4"),
            ("a\ufe0f", 1, "a variation selector without an emoji, U+FE0F"),
            ("1\ufe0f2", 1, "a variation selector without an emoji, U+FE0F"),
            ("\ufe0f", 0, "a variation selector without an emoji, U+FE0F"),
            ("\u2764\ufe00", 1, "a variation selector, U+FE00"),
            ("\u4e00\U000e0100", 1, "a variation selector, U+E0100"),
            ("a \u200d b", 2, "a joiner that joins nothing, U+200D"),
            ("\u200da", 0, "a joiner that joins nothing, U+200D"),
            ("a\u200d", 1, "a joiner that joins nothing, U+200D"),
            ("1\u200d2", 1, "a joiner that joins nothing, U+200D"),
            ("\u2800\u200d", 0, "a braille blank, U+2800"),
            ("\ufffc\u200da", 1, "a joiner that joins nothing, U+200D"),
            ("\U0001f3f4\U000e0067\U000e007f", 1, "a format character, U+E0067"),  # no flag at all
            ("\U000e0067", 0, "a format character, U+E0067"),
        ],
    )
    def test_what_nobody_sees_is_found(self, text: str, offset: int, what: str) -> None:
        """Where it is and what it is."""
        first = next(iter(unseen(text)))
        assert (first.offset, str(first)) == (offset, what)

    def test_a_flag_is_allowed_to_the_letter_and_no_further(self) -> None:
        """A tag behind a flag's end is found."""
        assert list(unseen(FLAGS[0] + FLAGS[2])) == []
        assert [found.offset for found in unseen(FLAGS[0] + "\U000e0067")] == [7]

    def test_every_code_point_is_judged_by_its_category(self) -> None:
        """The quick way past common letters lets nothing through that a category refuses."""
        refused = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
        wrong = [
            char
            for char in map(chr, range(sys.maxunicode + 1))
            if category(char) in refused and not list(unseen(f".{char}."))
        ]
        assert wrong == []

    def test_letters_digits_marks_and_signs_are_seen(self) -> None:
        """Nothing else is found anywhere, but for the few that are listed."""
        refused = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
        listed = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x13441, 0x13442}
        selectors = {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
        found = {
            code
            for code in range(sys.maxunicode + 1)
            if category(chr(code)) not in refused and list(unseen(f".{chr(code)}."))
        }
        assert found <= listed | selectors
        assert found >= listed

    @given(TRICKY | ANYTHING)
    def test_what_is_found_is_there(self, text: str) -> None:
        """Offsets ascend, and each names its character."""
        found = list(unseen(text))
        assert all(text[each.offset] == each.char for each in found)
        assert [each.offset for each in found] == sorted({each.offset for each in found})

    @given(TRICKY)
    def test_nothing_is_found_without_what_was_found(self, text: str) -> None:
        """Removing what is found, as often as something is, ends in a text with nothing to find."""
        for _ in range(len(text) + 1):
            bad = {each.offset for each in unseen(text)}
            text = "".join(char for at, char in enumerate(text) if at not in bad)
        assert list(unseen(text)) == []


class TestVisible:
    @given(ANYTHING | TRICKY)
    def test_it_is_what_is_seen(self, text: str) -> None:
        """Everything but what is found, in order."""
        bad = {found.offset for found in unseen(text)}
        assert visible(text) == "".join(char for at, char in enumerate(text) if at not in bad)


class TestEscaped:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("plain", "plain"),
            ("é 使", "é 使"),
            ("a\nb\x00", "a\\x0ab\\x00"),
            ("\u202e", "\\u202e"),
            ("\U000e0041", "\\U000e0041"),
            ("\udc80", "\\udc80"),
            (".gi\u200ct", ".gi\\u200ct"),
            ("a\u200d\u00e9", "a\\u200d\u00e9"),
            ("\u00e9\u200db", "\u00e9\\u200db"),
            ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
            ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),
            ("\u00e9\ufe0f\u200d\u00e9", "\u00e9\\ufe0f\\u200d\u00e9"),
        ],
    )
    def test_what_cannot_be_seen_is_spelt(self, text: str, shown: str) -> None:
        """By its number, as YAML and Python spell it."""
        assert escaped(text) == shown

    @given(ANYTHING | TRICKY)
    def test_it_is_safe_to_print(self, text: str) -> None:
        """It is one line, can be encoded, and holds nothing unseen."""
        shown = escaped(text)
        assert len(shown.splitlines()) <= 1
        assert shown.encode().decode() == shown
        assert not any(unicodedata.category(char) in {"Cc", "Cn", "Co", "Cs", "Zl", "Zp"} for char in shown)
        assert escaped(shown) == shown

    @given(ANYTHING | TRICKY)
    def test_it_changes_nothing_that_is_seen(self, text: str) -> None:
        """The text is as it was where nothing is unseen, and no joiner stands beside what it cannot join."""
        idle = any(
            "\u200c" in pair or "\u200d" in pair for pair in pairwise(text) if any(char.isascii() for char in pair)
        )
        assert (escaped(text) == text) == (list(unseen(text)) == [] and not idle)


class TestHiddenText:
    def test_tags_are_decoded(self) -> None:
        """A sentence in tag characters is one run that says what it says."""
        text = "Deploy." + "".join(chr(0xE0000 + ord(char)) for char in "now obey")
        assert list(hidden_text(text)) == [HiddenText(7, 8, "a format character", "now obey")]

    def test_other_characters_are_named(self) -> None:
        """Neighbours make one run, named in order."""
        (run,) = hidden_text("a\u200b\u202eb")
        assert run.decoded == "<zero width space><right-to-left override>"

    def test_runs_are_told_apart(self) -> None:
        """What is seen between them parts two runs."""
        assert [(run.offset, run.length) for run in hidden_text("a\u200b\u200bb\u200b")] == [(1, 2), (4, 1)]

    def test_a_long_run_is_decoded_in_part(self) -> None:
        """Its length is told, and its begin."""
        (run,) = hidden_text("\U000e0041" * 1000)
        assert (run.length, run.decoded) == (1000, "A" * 200)

    def test_bodies_may_hold_what_descriptions_may_not(self) -> None:
        """Line ends, tabs, form feeds, private use and unassigned characters are let through in bodies only."""
        assert list(hidden_text("é\n\t\f\r\ue000\U0010ffff")) == []
        assert [run.offset for run in hidden_runs("é\n\t\f\r\ue000\U0010ffff")] == [1]

    def test_ascii_hides_nothing(self) -> None:
        """Not even controls, which have a rule of their own."""
        assert list(hidden_text("a\x00b")) == []

    @given(TRICKY)
    def test_runs_hold_what_is_unseen(self, text: str) -> None:
        """Every unseen character lies in one run, and nothing else does."""
        inside = [offset for run in hidden_runs(text) for offset in range(run.offset, run.offset + run.length)]
        assert inside == [found.offset for found in unseen(text)]


def test_an_unseen_character_says_what_it_is() -> None:
    """By kind and number."""
    assert str(Unseen(0, "\u200b", "a format character")) == "a format character, U+200B"


@pytest.mark.parametrize(
    ("count", "words", "expected"),
    [
        (0, ("file",), "0 files"),
        (1, ("file",), "1 file"),
        (1200, ("file",), "1,200 files"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
    ],
)
def test_words_agree_with_their_number(count: int, words: tuple[str, ...], expected: str) -> None:
    """One is one; many have an `s`, or their own form."""
    assert counted(count, *words) == expected
