"""Ranking over names and descriptions: what a person who types a few words expects first."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from .record import SkillRecord

__all__ = ["search"]

_WORDS: Final = re.compile(r"[^\W_]+")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_NAME_IS, _NAME_WORD, _NAME_PART, _TEXT_WORD, _TEXT_START, _TEXT_PART = 1024, 16, 8, 4, 2, 1


def search(records: Iterable[SkillRecord], query: str) -> tuple[SkillRecord, ...]:
    """The records in which every word of the query occurs, best first; none for a query without a word.

    A word that is a name, or a word of one, counts more than a word of a description, and whole words more than
    parts. Neither case nor accents count, nor how a character is composed. Equal scores come in the order of names.
    """
    terms = _WORDS.findall(_plain(query))
    scored = [(_score(record, terms), record) for record in records] if terms else []
    found = [(score, record) for score, record in scored if score]
    return tuple(record for _, record in sorted(found, key=lambda pair: (-pair[0], pair[1].name)))


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text).casefold()))


def _score(record: SkillRecord, terms: list[str]) -> int:
    """The sum over the terms; 0 if any occurs nowhere, which most do not: what costs more is done after."""
    text = _plain(record.description)
    if not all(term in record.name or term in text for term in terms):
        return 0
    name_words, text_words = _WORDS.findall(record.name), set(_WORDS.findall(text))
    total = _NAME_IS if terms == name_words else 0
    for term in terms:
        in_name = _NAME_WORD if term in name_words else _NAME_PART * (term in record.name)
        in_text = _TEXT_WORD if term in text_words else _in_part(term, text, text_words)
        total += in_name + in_text
    return total


def _in_part(term: str, text: str, words: set[str]) -> int:
    if term not in text:
        return 0
    return _TEXT_START if any(word.startswith(term) for word in words) else _TEXT_PART
