"""How a method becomes a tool, and what every tool has in common."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Final, TypeVar, cast

from attrs import field, frozen
from kestrel_sdk.features.base import parse_docstring_params, tool
from kestrel_sdk.tools.base import ToolCategory
from kestrel_sdk.tools.result import ToolResult

from kestrel_skills_core.domain.errors import Failed, Hidden, SkillError
from kestrel_skills_core.domain.record import Rejection, SkillRecord

from ..records import Members
from .answers import INTERNAL, Frame, failed
from .arguments import BadArgument, fitting
from .desk import Desk

__all__ = ["Made", "Tools", "told"]

F = TypeVar("F", bound=Callable[..., Any])

_log = logging.getLogger(__name__)
_BROKEN: Final = "the skills feature failed on its own account, and nothing more is known here; its log says why"


def told(verb: str, description: str) -> Callable[[F], F]:
    """Make a method the tool of its own name, with the command `!skill VERB`; its docstring describes the arguments.

    A model is told of the arguments that the method takes. Called with others than those, or without one that is
    needed, the tool answers so.
    """

    def declare(method: F) -> F:
        decorated = tool(method.__name__, description, ToolCategory.UTILITY, f"!skill {verb}")(method)
        _, *taken = signature(method).parameters.values()
        meant = parse_docstring_params(method.__doc__)
        purposes = {each.name: meant[each.name] for each in taken}
        needed = [each.name for each in taken if each.default is Parameter.empty]

        @wraps(decorated)
        async def called(self: Tools, *args: Any, **given: Any) -> ToolResult:
            try:
                fitting(purposes, needed, [*list(purposes)[: len(args)], *given])
            except BadArgument as error:
                return await self.answered(method.__name__, _raising(error))
            return cast("ToolResult", await method(self, *args, **given))

        return cast("F", called)

    return declare


@frozen(kw_only=True)
class Made:
    """A change that was made: what is said of it, and what else is told while what is kept may be seen.

    That is what came of it, in words and as the record or rejection that there is then, if any; what is true beside it,
    for which the answer is a partial one; and further members.
    """

    said: str
    then: str = ""
    found: SkillRecord | Rejection | None
    problem: str = ""
    more: Members = field(factory=dict)


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

    async def answered(self, name: str, answer: Callable[[Desk], Awaitable[ToolResult | Made]]) -> ToolResult:
        """Answer, or say why not: nothing that goes wrong in a tool reaches the model as an exception's text.

        While all is hidden, that is why, whatever else is wrong. What was hidden meanwhile is not told: who only looked
        looks again; of a change that was made, it is told that it was.
        """
        try:
            return await self._answered(name, answer)
        except (SkillError, BadArgument) as error:
            return failed(name, self.allowed(), error)
        except Exception:  # noqa: BLE001 - it is logged, and the model is told that much
            _log.exception("the tool %s failed", name)
            return ToolResult.failed(_BROKEN, data={"reason_code": INTERNAL})

    async def _answered(self, name: str, answer: Callable[[Desk], Awaitable[ToolResult | Made]]) -> ToolResult:
        desk = await self.desk()
        hidden = desk.library.privacy.hidden
        before = hidden()
        try:
            given = await answer(desk)
        except Failed as error:  # who changed something may be told here that it is in doubt
            raise before or error from None
        except (SkillError, BadArgument) as error:
            raise before or hidden() or error from None
        if isinstance(given, Made):
            return _of(given, name, desk, hidden())
        return given if before is not None or hidden() is None else await self._answered(name, answer)


def _raising(error: BadArgument) -> Callable[[Desk], Awaitable[ToolResult]]:
    async def answer(_: Desk) -> ToolResult:
        raise error

    return answer


def _of(made: Made, tool: str, desk: Desk, hidden: Hidden | None) -> ToolResult:
    """The answer to a change, which says also where the prompt does not show it yet."""
    if hidden is not None:
        problem = f"{hidden}, so that no more is told of it; {hidden.fix}"
        return Frame(tool=tool, allowed=desk.room, said=made.said, problem=problem).result({})
    said = "; ".join(filter(None, (made.said, made.then)))
    problem = "; ".join(filter(None, (made.problem, desk.clause.problem)))
    found = None if made.found is None else desk.shown().found(made.found)
    return Frame(tool=tool, allowed=desk.room, said=said, problem=problem).about(found, **made.more)
