"""Fail-closed marks: a skill that is off whatever the table of states says.

Format, the 0.1.0 release's own, so that each release honours the other's: a file `.fail-closed-state-<name>.json`, of
at most 16,384 ASCII bytes, holding a JSON object of `version` (1), `name`, `priority` and `error`. Its presence alone
turns the skill off; what it holds only says why.
"""

from __future__ import annotations

import json
from typing import Final

from attrs import frozen

from .names import SkillName, is_skill_name
from .text import escaped

__all__ = ["FENCE_BYTES", "Fence", "fence_file", "fenced_name", "parse_fence", "render_fence"]

FENCE_BYTES: Final = 16_384
_BEFORE, _AFTER = ".fail-closed-state-", ".json"
_REASON: Final = 2_000
"""Characters of a reason that are kept; escaped as JSON, each may take six bytes."""


@frozen(kw_only=True)
class Fence:
    """A durable fail-closed mark: which priority the skill is to have when it is on again, and why it is off."""

    priority: int
    reason: str


_UNREADABLE: Final = Fence(priority=100, reason="its fail-closed mark cannot be read")


def fence_file(name: SkillName) -> str:
    """What the mark of a skill is named."""
    return f"{_BEFORE}{name}{_AFTER}"


def fenced_name(file: str) -> SkillName | None:
    """Whose mark a file of that name is; nothing where it is none."""
    name = file.removeprefix(_BEFORE).removesuffix(_AFTER)
    return SkillName(name) if is_skill_name(name) and file == f"{_BEFORE}{name}{_AFTER}" else None


def render_fence(name: SkillName, fence: Fence) -> bytes:
    """The content of a mark. What nobody could see in the reason is escaped, and a very long one is cut."""
    reason = escaped(fence.reason)[:_REASON]
    return json.dumps({"version": 1, "name": name, "priority": fence.priority, "error": reason}).encode()


def parse_fence(content: bytes | None) -> Fence:
    """What a mark says; of a malformed or unreadable one, that it is so."""
    if content is None or len(content) > FENCE_BYTES:
        return _UNREADABLE
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return _UNREADABLE
    if not isinstance(found, dict):
        return _UNREADABLE
    priority, reason = found.get("priority"), found.get("error")
    if not isinstance(priority, int) or isinstance(priority, bool) or not isinstance(reason, str):
        return _UNREADABLE
    return Fence(priority=priority, reason=escaped(reason[:_REASON]))
