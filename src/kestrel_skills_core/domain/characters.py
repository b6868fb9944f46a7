"""What a character is by Unicode 16, on every supported Python: 3.11 knows Unicode 14, and 3.14 knows Unicode 16.

What Unicode assigned between the two stands in a table, so that a verdict does not depend on who reads. Only the
category is known of these characters, not how they fold or compose.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

__all__ = ["category", "has_later", "name", "without_later"]

_LATER: Final = {
    "Cf": "13439-1343F",
    "Ll": "1C8A A7CD A7DB 10D70-10D85 1DF25-1DF2A",
    "Lm": "10D4E 10D6F 16D40-16D42 16D6B-16D6C 1E030-1E06D 1E4EB",
    "Lo": (
        "105C0-105F3 10D4A-10D4D 10D4F 10EC2-10EC4 1123F-11240 11380-11389 1138B 1138E 11390-113B5 113B7 113D1 "
        "113D3 11BC0-11BE0 11F02 11F04-11F10 11F12-11F33 1342F 13441-13446 13460-143FA 16100-1611D 16D43-16D6A "
        "18CFF 1B132 1B155 1E4D0-1E4EA 1E5D0-1E5ED 1E5F0 2B739 2EBF0-2EE5D 31350-323AF"
    ),
    "Lu": "1C89 A7CB-A7CC A7DA A7DC 10D50-10D65",
    "Mc": "CF3 113B8-113BA 113C2 113C5 113C7-113CA 113CC-113CD 113CF 11F03 11F34-11F35 11F3E-11F3F 11F41 1612A-1612C",
    "Mn": (
        "897 ECE 10D69-10D6D 10EFC-10EFF 11241 113BB-113C0 113CE 113D0 113D2 113E1-113E2 11F00-11F01 11F36-11F3A "
        "11F40 11F42 11F5A 13440 13447-13455 1611E-16129 1612D-1612F 1E08F 1E4EC-1E4EF 1E5EE-1E5EF"
    ),
    "Nd": (
        "10D40-10D49 116D0-116E3 11BF0-11BF9 11F50-11F59 16130-16139 16D70-16D79 1CCF0-1CCF9 1E4F0-1E4F9 1E5F1-1E5FA"
    ),
    "No": "1D2C0-1D2D3",
    "Pd": "10D6E",
    "Po": "1B4E-1B4F 1B7F 113D4-113D5 113D7-113D8 11B00-11B09 11BE1 11F43-11F4F 16D6D-16D6F 1E5FF",
    "Sm": "10D8E-10D8F",
    "So": (
        "2427-2429 2FFC-2FFF 31E4-31E5 31EF 1CC00-1CCEF 1CD00-1CEB3 1F6DC 1F774-1F776 1F77B-1F77F 1F7D9 "
        "1F8B2-1F8BB 1F8C0-1F8C1 1FA75-1FA77 1FA87-1FA89 1FA8F 1FAAD-1FAAF 1FABB-1FABF 1FAC6 1FACE-1FACF "
        "1FADA-1FADC 1FADF 1FAE8-1FAE9 1FAF7-1FAF8 1FBCB-1FBEF"
    ),
}
"""Assigned after Unicode 14.0.0 and up to 16.0.0, by category (DerivedGeneralCategory.txt): hexadecimal ranges."""


def category(char: str) -> str:
    """The general category of a character in Unicode 16, such as `Lu`; `Cn` for what is assigned in none up to it."""
    found = unicodedata.category(char)
    if found == "Cn" and (later := _later().match(char)):
        return str(later.lastgroup)
    return found


def name(char: str) -> str:
    """The name of a character in Unicode 14, or `U+` and its number for one that has none there."""
    number = f"U+{ord(char):04X}"
    return number if has_later(char) else unicodedata.name(char, number)


def has_later(text: str) -> bool:
    """Whether a text holds a character that Unicode 14 does not have and 16 does.

    How such a one folds, composes or decomposes depends on the Python that reads.
    """
    return not text.isascii() and _later().search(text) is not None


def without_later(text: str) -> str:
    """The text with U+FFFD in place of each such character: it folds, composes and decomposes alike on every Python."""
    return text if text.isascii() else _later().sub("\ufffd", text)


@cache
def _later() -> re.Pattern[str]:
    """One group for each category; made when first needed, because most texts need none."""
    return re.compile("|".join(f"(?P<{kind}>[{_class_of(ranges)}])" for kind, ranges in _LATER.items()))


def _class_of(ranges: str) -> str:
    return "".join("-".join(f"\\U{end:0>8}" for end in each.split("-")) for each in ranges.split())
