"""A glance at a `SKILL.md`: is it canonical, with nothing to find in it? Most are, and need no close look.

It may only ever answer less than the close look of `document` does; a property holds the two together.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .canonical import canonical, values_of
from .limits import LIMITS
from .names import SkillName, is_skill_name
from .text import folded, is_plain, unseen

__all__ = ["CONTROLS", "LONG_BODY_LINES", "VISIBLE", "WORDY", "Head", "glance", "holds_controls"]

CONTROLS: Final = "".join(char for char in map(chr, range(32)) if char not in "\t\n\f\r")
"""The characters that no text holds."""
VISIBLE: Final = re.compile(r"\S")
"""What a body must have some of."""
WORDY: Final = 500
"""A description of more characters gets advice."""
LONG_BODY_LINES: Final = 500
"""And so does a body of more lines."""
_FENCE: Final = "---\n"


class Head(NamedTuple):
    """What the catalog keeps of a `SKILL.md`, legal by construction: made by `document.examine` only."""

    name: SkillName
    description: str


def glance(content: bytes, folder: str) -> Head | None:
    """The head of a canonical file in which there is nothing to find; nothing where that takes a closer look."""
    if len(content) > LIMITS.file_bytes:
        return None
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    fields = canonical(text, len(_FENCE)) if text.startswith(_FENCE) else None
    if fields is None or not text.startswith(_FENCE, fields.end()):
        return None
    name, description = values_of(fields)
    body_at = fields.end() + len(_FENCE)
    is_canonical = (
        name == folder
        and is_skill_name(name)
        and 0 < len(description) <= WORDY
        and (is_plain(description) or (folded(description) == description and not any(unseen(description))))
        and VISIBLE.search(text, body_at) is not None
        and text.count("\n", body_at) <= LONG_BODY_LINES
        and "\r" not in text
        and not holds_controls(text)
    )
    return Head(SkillName(name), description) if is_canonical else None


def holds_controls(text: str) -> bool:
    """Whether any of `CONTROLS` is in the text: a search for each is ten times faster than one for all."""
    return any(map(text.__contains__, CONTROLS))
