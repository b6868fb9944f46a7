"""Which characters may be seen in names and descriptions.

A description stands in the system prompt, so nothing in it may be invisible, reorder what surrounds it, or look
like something else. The classes are those of the Unicode general categories; what a category cannot tell is listed.
"Unassigned" is what Unicode 16 does not assign, whichever Python reads: see `characters`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from attrs import frozen

from .characters import category, name

__all__ = [
    "FLAGS",
    "HiddenText",
    "Unseen",
    "counted",
    "escaped",
    "folded",
    "hidden_runs",
    "hidden_text",
    "is_plain",
    "place_in",
    "unseen",
    "visible",
]

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
    "\u17b4": "a Khmer vowel that is never shown",
    "\u17b5": "a Khmer vowel that is never shown",
    "\u2800": "a braille blank",
    "\u3164": "a Hangul filler",
    "\uffa0": "a Hangul filler",
    "\U00013441": "a hieroglyphic blank",
    "\U00013442": "a hieroglyphic blank",
}
_JOINERS: Final = "\u200c\u200d"
_IDLE_JOINER: Final = re.compile(f"(?<=[\\x00-\\x7f])[{_JOINERS}]|[{_JOINERS}](?=[\\x00-\\x7f])")
_SELECTORS: Final = "\ufe0e\ufe0f"
_MISPLACED: Final = {
    "\u200c": "a joiner that joins nothing",
    "\u200d": "a joiner that joins nothing",
    "\ufe0e": "a variation selector without an emoji",
    "\ufe0f": "a variation selector without an emoji",
}
_SELECTOR_NAMES: Final = ("VARIATION SELECTOR", "MONGOLIAN FREE VARIATION SELECTOR")
_KEYCAP: Final = "\u20e3"
_TAG_G: Final = FLAGS[0][1]
_SOMETIMES: Final = frozenset((*_JOINERS, *_SELECTORS, *(tag for flag in FLAGS for tag in flag[1:])))
# Emoji that are not symbols (So) by category: Unicode emoji-data.txt, property Emoji, ASCII left to the keycaps.
_EMOJI_ELSEWHERE: Final = frozenset("\u203c\u2049\u2139\u2194\u25fb\u25fc\u25fd\u25fe\u2934\u2935\u3030\u303d")
_SKIN_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_WHITE: Final = re.compile(r"[\t\n\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_DECODED: Final = 200
_UNUSUAL: Final = re.compile(
    "[^\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u0384-\u038a\u0391-\u03a1\u03a3-\u052f"
    "\u2010-\u2027\u2030-\u205e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]"
)
"""A quick way past what every Unicode version since 6.0 calls a letter, mark, digit or sign; the rest is looked at."""


class Unseen(NamedTuple):
    """One character that may not stand in a description: where it is and what it is."""

    offset: int
    char: str
    what: str

    def __str__(self) -> str:
        return f"{self.what}, U+{ord(self.char):04X}"


@frozen
class HiddenText:
    """A run of characters that a reader cannot see, with what a machine would read there (of a long run, its begin)."""

    offset: int
    length: int
    what: str
    decoded: str


def is_plain(text: str) -> bool:
    """Whether it is printable ASCII that `folded` leaves as it is; then there is nothing `unseen` in it."""
    return text.isascii() and text.isprintable() and "  " not in text and text[:1] != " " != text[-1:]


def folded(text: str) -> str:
    """The text on one line: each run of white space, line ends included, as one space, and none at either end."""
    if "  " in text or not text.isprintable():  # the one white space that is printable is the plain space
        text = _WHITE.sub(" ", text)
    return text.strip(" ")


def escaped(text: str) -> str:
    r"""The text with everything that cannot be seen spelt as `\xNN`, `\uNNNN` or `\UNNNNNNNN`: safe to print.

    A joiner or selector that a writing system or an emoji needs can be seen in what it does, and stays; beside a
    character of ASCII, which nothing joins, a joiner does nothing.
    """
    if text.isascii() and text.isprintable():
        return text
    bad = {found.offset for found in unseen(text)}
    shown = "".join(_spelt(char) if at in bad else char for at, char in enumerate(text))
    return _IDLE_JOINER.sub(lambda joiner: _spelt(joiner[0]), shown)


def counted(count: int, one: str, many: str = "") -> str:
    """A number of things, in words that agree with it; `many` is for what does not just take an `s`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def place_in(content: bytes, at: int) -> tuple[int, int]:
    """The line of a byte and its column in characters, both from 1; what comes before it is UTF-8."""
    line_at = content.rfind(b"\n", 0, at) + 1
    return content.count(b"\n", 0, at) + 1, len(content[line_at:at].decode()) + 1


def visible(text: str) -> str:
    """The text without what may not stand in a description."""
    bad = {found.offset for found in unseen(text)}
    return "".join(char for at, char in enumerate(text) if at not in bad) if bad else text


def unseen(text: str) -> Iterator[Unseen]:
    """Every character that may not stand in a name or description, in order.

    Allowed among the format characters: a joiner between letters or emoji, one variation selector 15 or 16 after an
    emoji, and the three flags of `FLAGS`, literally.
    """
    if text.isascii() and text.isprintable():
        return iter(())
    suspects = _suspects(text)
    return (Unseen(at, text[at], suspects[text[at]]) for at in _offsets(text, suspects))


def hidden_runs(text: str) -> Iterator[HiddenText]:
    """What `unseen` finds, neighbours together, with what a machine would read there."""
    if text.isascii() and text.isprintable():
        return iter(())
    return _runs(text, _suspects(text))


def hidden_text(text: str) -> Iterator[HiddenText]:
    """Runs of characters in a longer text that a reader cannot see, with what a machine would read there.

    Laxer than `hidden_runs`, for bodies and resources: line ends, tabs, form feeds, private-use and unassigned
    characters are let through.
    """
    if text.isascii():
        return iter(())
    suspects = {char: what for char, what in _suspects(text).items() if not _is_lawful_in_bodies(char)}
    return _runs(text, suspects)


def _suspects(text: str) -> dict[str, str]:
    """The characters of a text that may be seen nowhere, or in some places only, and what each is."""
    return {char: what for char in set(text) if _UNUSUAL.match(char) and (what := _what(char))}


def _what(char: str) -> str:
    """What a character is that may not be seen everywhere; nothing for any other."""
    if (named := _BLANKS.get(char) or _MISPLACED.get(char)) is not None:
        return named
    kind = category(char)
    if kind == "Mn" and name(char).startswith(_SELECTOR_NAMES):
        return "a variation selector"
    return _CATEGORIES.get(kind, "")


def _is_lawful_in_bodies(char: str) -> bool:
    return char in "\t\n\f\r" or category(char) in ("Co", "Cn")


def _offsets(text: str, suspects: dict[str, str]) -> Iterator[int]:
    """Where the suspects stand that are out of place."""
    if not suspects:
        return
    allowed_until = 0
    for match in _UNUSUAL.finditer(text):
        char = match[0]
        if char not in suspects:
            continue
        at = match.start()
        if char in _SOMETIMES:
            if at < allowed_until or _is_in_place(text, at, char):
                continue
            if char == _TAG_G and (flag := next((flag for flag in FLAGS if text.startswith(flag, at - 1)), None)):
                allowed_until = at - 1 + len(flag)
                continue
        yield at


def _is_in_place(text: str, at: int, char: str) -> bool:
    """Whether a joiner or variation selector stands where one may."""
    return (char in _JOINERS and _joins(text, at)) or (char in _SELECTORS and _selects(text, at))


def _runs(text: str, suspects: dict[str, str]) -> Iterator[HiddenText]:
    begin = end = 0
    for at in _offsets(text, suspects):
        if at != end:
            if begin < end:
                yield _hidden(text, begin, end, suspects)
            begin = at
        end = at + 1
    if begin < end:
        yield _hidden(text, begin, end, suspects)


def _hidden(text: str, begin: int, end: int, suspects: dict[str, str]) -> HiddenText:
    decoded = "".join(map(_meant, text[begin : min(end, begin + _DECODED)]))
    return HiddenText(begin, end - begin, suspects[text[begin]], decoded)


def _meant(char: str) -> str:
    code = ord(char)
    if 0xE0020 <= code <= 0xE007E:
        return chr(code - 0xE0000)
    return f"<{name(char).lower()}>"


def _spelt(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _joins(text: str, at: int) -> bool:
    if not _is_joinable(text[at + 1 : at + 2]):
        return False
    before = text[at - 1 : at]
    if before in _SELECTORS:
        before = text[max(at - 2, 0) : at].rstrip(_SELECTORS)[-1:]
    return _is_joinable(before)


@lru_cache(maxsize=256)
def _is_joinable(char: str) -> bool:
    if not char or char in _BLANKS:
        return False
    return category(char)[0] in "LM" or _is_emoji(char)


def _selects(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if before and before in "0123456789#*":
        return text.startswith(_KEYCAP, at + 1)
    return _is_emoji(before)


def _is_emoji(char: str) -> bool:
    return bool(char) and (
        char in _EMOJI_ELSEWHERE or char in _SKIN_TONES or (category(char) == "So" and char not in "\u2800\ufffc")
    )
