"""How a method becomes a tool, and what every tool has in common."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar, cast

from kestrel_sdk.features.base import tool
from kestrel_sdk.tools.base import ToolCategory
from kestrel_sdk.tools.result import ToolResult

from kestrel_skills_core.domain.errors import Hidden, SkillError

from .answers import INTERNAL, failed
from .arguments import BadArgument
from .desk import Desk

__all__ = ["Tools", "told"]

F = TypeVar("F", bound=Callable[..., Any])

_log = logging.getLogger(__name__)
_BROKEN: Final = "the skills feature failed on its own account, and nothing more is known here; its log says why"


def told(verb: str, description: str) -> Callable[[F], F]:
    """Make a method the tool of its own name, with the command `!skill VERB`; its docstring describes the arguments."""

    def declare(method: F) -> F:
        decorated = tool(method.__name__, description, ToolCategory.UTILITY, f"!skill {verb}")(method)
        return cast("F", decorated)

    return declare


class Tools:
    """What a tool needs: somebody who has, or makes, the desk it works on."""

    @abstractmethod
    async def desk(self) -> Desk:
        """The agent's skills.

        Raises:
            SkillError: There is no way to them.
        """

    @abstractmethod
    def allowed(self) -> int:
        """How many characters of JSON an answer may have."""

    async def answered(self, name: str, answer: Callable[[Desk], Awaitable[ToolResult]]) -> ToolResult:
        """Answer, or say why not: nothing that goes wrong in a tool reaches the model as an exception's text.

        While all is hidden, that is why, whatever else is wrong.
        """
        hidden: Hidden | None = None
        try:
            desk = await self.desk()
            hidden = desk.library.privacy.hidden()
            return await answer(desk)
        except (SkillError, BadArgument) as error:
            return failed(name, self.allowed(), hidden or error)
        except Exception:  # noqa: BLE001 - it is logged, and the model is told that much
            _log.exception("the tool %s failed", name)
            return ToolResult.failed(_BROKEN, data={"reason_code": INTERNAL})
