"""Fail-closed marks: a skill that is off whatever the table of states says.

Format, the 0.1.0 release's own, so that each release honours the other's: a file `.fail-closed-state-<name>.json`, of
at most 16,384 ASCII bytes, holding a JSON object of `version` (1), `name`, `priority` and `error`. Its presence alone
turns the skill off; what it holds only says why. The `error` of ours ends in a token, ` [32 hex digits]`, so that no
two marks are the same bytes: each can be told from one that was written in its place.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Final

from attrs import evolve, field, frozen

from .names import SkillName, is_skill_name
from .text import escaped

__all__ = ["FENCE_BYTES", "Fence", "fence_file", "fenced_name", "parse_fence", "render_fence", "unread_fence"]

FENCE_BYTES: Final = 16_384
_BEFORE, _AFTER = ".fail-closed-state-", ".json"
_REASON: Final = 2_000
"""Characters of a reason that are kept; escaped as JSON, each may take six bytes."""
_TOKEN: Final = re.compile(r" \[[0-9a-f]{32}\]\Z")


@frozen(kw_only=True)
class Fence:
    """A durable fail-closed mark: which priority the skill is to have when it is on again, and why it is off.

    `seal` says which mark it is, of all that were ever written; it is empty until it is written. Marks that say the
    same are equal, and two marks nevertheless.
    """

    priority: int
    reason: str
    seal: str = field(default="", eq=False)

    def is_same(self, other: Fence | None) -> bool:
        """Whether that is this very mark, and no other that says the same."""
        return other is not None and self.seal != "" and self.seal == other.seal


_UNREADABLE: Final = Fence(priority=100, reason="its fail-closed mark cannot be read")


def fence_file(name: SkillName) -> str:
    """What the mark of a skill is named."""
    return f"{_BEFORE}{name}{_AFTER}"


def fenced_name(file: str) -> SkillName | None:
    """Whose mark a file of that name is; nothing where it is none."""
    name = file.removeprefix(_BEFORE).removesuffix(_AFTER)
    return SkillName(name) if is_skill_name(name) and file == f"{_BEFORE}{name}{_AFTER}" else None


def render_fence(name: SkillName, fence: Fence, token: str) -> bytes:
    """The content of a new mark; `token`, 32 hex digits, was never given to another.

    What nobody could see in the reason is escaped, and a very long one is cut.
    """
    reason = f"{escaped(fence.reason)[:_REASON]} [{token}]"
    return json.dumps({"version": 1, "name": name, "priority": fence.priority, "error": reason}).encode()


def parse_fence(content: bytes) -> Fence:
    """A mark that holds these bytes, which are its seal; a malformed one says that it is so."""
    return evolve(_said(content), seal=hashlib.sha256(content).hexdigest())


def unread_fence(evidence: str) -> Fence:
    """A mark whose bytes cannot be had; its seal is whatever else tells it from another, nothing where nothing does."""
    return evolve(_UNREADABLE, seal=evidence)


def _said(content: bytes) -> Fence:
    if len(content) > FENCE_BYTES:
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
    return Fence(priority=priority, reason=escaped(_TOKEN.sub("", reason)[:_REASON]))
