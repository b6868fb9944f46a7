"""Which characters may be seen in names and descriptions.

A description stands in the system prompt, so nothing in it may be invisible, reorder what surrounds it, or look
like something else. The classes are those of the Unicode general categories; what a category cannot tell is listed.
"Unassigned" is what the running Python's `unicodedata` does not know.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from attrs import frozen

__all__ = ["HiddenText", "Unseen", "escaped", "folded", "hidden_text", "unseen"]

FLAGS: Final = (
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
)
"""England, Scotland, Wales: the tag sequences recommended for general interchange (Unicode TR51, RGI)."""

_CATEGORIES: Final = {
    "Cc": "a control character",
    "Cf": "a format character",
    "Cn": "an unassigned character",
    "Co": "a private-use character",
    "Cs": "half of a surrogate pair",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
_BLANKS: Final = {
    "\u034f": "a combining grapheme joiner",
    "\u115f": "a Hangul filler",
    "\u1160": "a Hangul filler",
    "\u2800": "a braille blank",
    "\u3164": "a Hangul filler",
    "\uffa0": "a Hangul filler",
}
_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = "\ufe0e\ufe0f"
_KEYCAP: Final = "\u20e3"
# Emoji that are not symbols (So) by category: Unicode emoji-data.txt, property Emoji, ASCII left to the keycaps.
_EMOJI_ELSEWHERE: Final = frozenset("‼⁉ℹ↔↕↖↗↘↙⤴⤵〰〽◾◽▪▫▶◀©®™")
_SKIN_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_WHITE: Final = re.compile(r"[\t\n\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_SUSPECT: Final = re.compile(
    "[^\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u0384-\u038a\u0391-\u03a1\u03a3-\u052f"
    "\u2010-\u2027\u2030-\u205e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]"
)
"""A quick way past what every Unicode version since 6.0 calls a letter, mark, digit or sign; the rest is looked at."""


@frozen
class Unseen:
    """One character that may not stand in a description: where it is and what it is."""

    offset: int
    char: str
    what: str

    def __str__(self) -> str:
        return f"{self.what}, U+{ord(self.char):04X}"


@frozen
class HiddenText:
    """A run of characters that a reader cannot see, with what a machine would read there."""

    offset: int
    length: int
    what: str
    decoded: str


def folded(text: str) -> str:
    """The text on one line: each run of white space, line ends included, as one space, and none at either end."""
    return _WHITE.sub(" ", text).strip(" ")


def escaped(text: str) -> str:
    """The text with everything that cannot be seen spelt as `\\xNN`, `\\uNNNN` or `\\UNNNNNNNN`: safe to print."""
    if text.isascii() and text.isprintable():
        return text
    bad = {found.offset for found in unseen(text)}
    return "".join(_spelt(char) if at in bad else char for at, char in enumerate(text))


def hidden_text(text: str) -> Iterator[HiddenText]:
    """Runs of characters in a longer text that a reader cannot see, with what a machine would read there.

    Laxer than `unseen`, for bodies and resources: line ends, tabs, form feeds, private-use and unassigned characters
    are let through.
    """
    if text.isascii():
        return
    run: list[Unseen] = []
    for found in unseen(text):
        if found.char in "\t\n\f\r" or unicodedata.category(found.char) in ("Co", "Cn"):
            continue
        if run and found.offset != run[-1].offset + 1:
            yield _hidden(run)
            run = []
        run.append(found)
    if run:
        yield _hidden(run)


def _hidden(run: list[Unseen]) -> HiddenText:
    decoded = "".join(_meant(found.char) for found in run)
    return HiddenText(run[0].offset, len(run), run[0].what, decoded)


def _meant(char: str) -> str:
    code = ord(char)
    if 0xE0020 <= code <= 0xE007E:
        return chr(code - 0xE0000)
    return f"<{unicodedata.name(char, f'U+{code:04X}').lower()}>"


def _spelt(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def unseen(text: str) -> Iterator[Unseen]:
    """Every character that may not stand in a name or description, in order.

    Allowed among the format characters: a joiner between letters or emoji, one variation selector 15 or 16 after an
    emoji, and the three flags of `FLAGS`, literally.
    """
    if text.isascii() and text.isprintable():
        return
    allowed_until = 0
    for match in _SUSPECT.finditer(text):
        at = match.start()
        if at < allowed_until:
            continue
        flag = next((flag for flag in FLAGS if text.startswith(flag, at)), None)
        if flag is not None:
            allowed_until = at + len(flag)
        elif (what := _why_not(text, at)) is not None:
            yield Unseen(at, text[at], what)


def _why_not(text: str, at: int) -> str | None:
    char = text[at]
    if char in _BLANKS:
        return _BLANKS[char]
    if char in _JOINERS:
        return None if _joins(text, at) else "a joiner that joins nothing"
    if char in _SELECTORS:
        return None if _selects(text, at) else "a variation selector without an emoji"
    if unicodedata.category(char) == "Mn" and unicodedata.name(char, "").startswith(
        ("VARIATION SELECTOR", "MONGOLIAN FREE VARIATION")
    ):
        return "a variation selector"
    return _CATEGORIES.get(unicodedata.category(char))


def _joins(text: str, at: int) -> bool:
    before = text[max(at - 2, 0) : at].rstrip(_SELECTORS)[-1:]
    return _is_joinable(before) and _is_joinable(text[at + 1 : at + 2])


def _is_joinable(char: str) -> bool:
    return bool(char) and (unicodedata.category(char)[0] in "LM" and char not in _BLANKS or _is_emoji(char))


def _selects(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if before and before in "0123456789#*":
        return text.startswith(_KEYCAP, at + 1)
    return _is_emoji(before)


def _is_emoji(char: str) -> bool:
    return bool(char) and (
        char in _EMOJI_ELSEWHERE
        or char in _SKIN_TONES
        or (unicodedata.category(char) == "So" and char not in _BLANKS and char != "\ufffc")
    )
