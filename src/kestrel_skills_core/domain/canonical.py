"""The canonical head of a `SKILL.md`, in which most are written: how it is spelt, and how it is read at a glance.

It is read by one regular expression. Where that answers, ruamel answers the same (a property proves it); where it does
not, nothing is said of the text.
"""

from __future__ import annotations

import json
import re
from typing import Final

from .names import SkillName

__all__ = ["canonical", "order_of", "render_head", "values_of"]

_NEVER: Final = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_SPELT: Final = (
    rf'"[^"\\{_NEVER}]*(?:\\["\\][^"\\{_NEVER}]*)*"'
    rf"|'[^'{_NEVER}]*(?:''[^'{_NEVER}]*)*'"
    rf"|(?!(?i:null|true|false) *\r?\n)[A-Za-z][^:#{_NEVER}]*(?<! )"
)
_CANONICAL: Final = re.compile(
    rf"(?P<key>name|description): (?P<first>{_SPELT}) *\r?\n"
    rf"(?!(?P=key):)(?:name|description): (?P<second>{_SPELT}) *\r?\n"
)
"""The two fields, a line each: double-quoted with no escapes but of `"` and `\\`, single-quoted, or plain, beginning
with a letter and without `:` and `#`."""


def canonical(text: str, at: int = 0) -> re.Match[str] | None:
    """The canonical two lines, if they stand at that place of a text."""
    return _CANONICAL.match(text, at)


def values_of(canonical: re.Match[str]) -> tuple[str, str]:
    """What the canonical two lines say."""
    name, description = order_of(canonical)
    return _unquoted(canonical[name]), _unquoted(canonical[description])


def order_of(canonical: re.Match[str]) -> tuple[str, str]:
    """Which group of a match is the name, and which the description: `first` or `second`."""
    return ("first", "second") if canonical["key"] == "name" else ("second", "first")


def _unquoted(spelt: str) -> str:
    if spelt[0] == '"':
        return spelt[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if spelt[0] == "'":
        return spelt[1:-1].replace("''", "'")
    return spelt


def render_head(name: SkillName, description: str, eol: str = "\n") -> str:
    """The canonical head: two fences, and between them both values in double quotes."""
    name_line, description_line = (
        f"{field}: {json.dumps(value, ensure_ascii=False)}"
        for field, value in (("name", name), ("description", description))
    )
    return eol.join(["---", name_line, description_line, "---", ""])
