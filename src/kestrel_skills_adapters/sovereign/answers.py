"""What a tool answers, below the length at which the host would show a model its head and tail only."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen
from kestrel_sdk.tools.result import ToolResult

from kestrel_skills_core.domain import errors
from kestrel_skills_core.domain.errors import BadDocument, SkillError
from kestrel_skills_core.domain.paging import clipped, cost, fitted

from ..records import Members, finding_members
from .arguments import BadArgument
from .entries import bounded

__all__ = ["INTERNAL", "REASONS", "Frame", "failed"]

INTERNAL: Final = "internal"
"""The reason code of what should not happen."""

REASONS: Final = frozenset(
    {BadArgument.code, INTERNAL}
    | {leaf.code for name in errors.__all__ if hasattr(leaf := getattr(errors, name), "code")}
)
"""Every reason code that a tool's failure may have."""

_SAID: Final = 800
"""What a line of an answer may cost."""


@frozen(kw_only=True)
class Frame:
    """An answer in the making: what is said, and how much room is left for the rest.

    `problem` is what is true beside it: the answer is then a partial one.
    """

    tool: str
    allowed: int
    said: str
    problem: str = ""

    def room(self, data: Members) -> int:
        """What is left beside these data."""
        return self.allowed - cost({**self._members(), "data": data, "tool": self.tool, "success": True})

    def result(self, data: Members, *cut: str) -> ToolResult:
        """The answer; the members named by `cut` are cut as far as need be, the first first."""
        data = fitted(data, self.room({}) + len("{}"), *cut)
        members = self._members()
        if self.problem:
            return ToolResult.partial(members["confirmation"], members["error"], data=data)
        return ToolResult.ok(members["confirmation"], data=data)

    def about(self, found: Members | None, **more: Any) -> ToolResult:
        """The answer with the record or rejection of what was changed, if there still is one."""
        data = ({} if found is None else bounded(found)) | more
        return self.result(data, "warnings", "faults", "shadowed", "description")

    def _members(self) -> Members:
        said = {"status": "ok", "confirmation": clipped(self.said, _SAID)}
        return said | ({"status": "partial", "error": clipped(self.problem, _SAID)} if self.problem else {})


def failed(tool: str, allowed: int, error: SkillError | BadArgument) -> ToolResult:
    """Why nothing was done, what to do about it, and the code of the reason; of a document all its faults."""
    told = clipped(f"{error}; {error.fix}" if error.fix else str(error), _SAID)
    data: dict[str, Any] = {"reason_code": error.code, "fix": clipped(error.fix, _SAID)}
    if isinstance(error, BadDocument):
        data["faults"] = [finding_members(fault) for fault in error.faults]
    envelope = {"status": "error", "error": told, "data": {}, "tool": tool, "success": True}
    return ToolResult.failed(told, data=fitted(data, allowed - cost(envelope) + len("{}"), "faults"))
