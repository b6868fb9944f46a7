"""What stands between a library and its ports, and interrupts what it asks of them."""

from __future__ import annotations

from asyncio import CancelledError
from inspect import iscoroutinefunction
from typing import Any, Literal

from attrs import define, evolve

from kestrel_skills_core.domain.errors import InDoubt, SourceUnavailable, StateUnavailable, StoreFailed
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.service.library import SkillLibrary

from .shelf import Shelf

How = Literal["raises", "in doubt", "cancelled before", "cancelled after"]

NAME = SkillName("lint")
CHANGES = {"sweep", "claim", "publish", "write", "remove", "annotate", "retire", "fence", "unfence"}
CHANGES |= {"restore", "discard"}
"""What a store is asked to change."""
WRITES = {"put", "replace", "drop"}
"""What a table is."""
LOOKS = {"kept", "kept_listing", "kept_bytes"}


@define
class Trap:
    """Interrupts the call of that number, in that way; if it is a call of one method only, where it is one."""

    at: int
    how: How
    only: str = ""
    called: int = 0
    sprung: bool = False

    def before(self, method: str, port: Any) -> Any:
        """Meet a call; gives what is to be answered instead, if anything."""
        self.called += 1
        if not self._is_met(method) or self.how in ("in doubt", "cancelled after"):
            return None
        self.sprung = True
        if self.how == "cancelled before":
            raise CancelledError
        if method == "survey":
            return Survey(source=port.source, root=port.root, problem=SourceUnavailable(port.source, "it is away"))
        if method in ("read", "read_resource"):
            raise SourceUnavailable(port.source, "it is away")
        if method in CHANGES | LOOKS:
            raise StoreFailed(method, "the disk is full")
        if method in {"rows", *WRITES}:
            raise StateUnavailable("it is away")
        assert method in ("fenced", "owner")
        return Unread

    def after(self, method: str) -> None:
        """Meet the end of a call."""
        if not self._is_met(method) or self.sprung:
            return
        if self.how == "cancelled after":
            self.sprung = True
            raise CancelledError
        if self.how == "in doubt" and method in CHANGES:
            self.sprung = True
            raise InDoubt(NAME)

    def _is_met(self, method: str) -> bool:
        return self.called == self.at and self.only in ("", method)


Unread = object()
"""The answer of a store whose marks, or owner, cannot be read."""


class Trapped:
    """A port whose calls go through a trap; where a call gives the port itself, it gives the trapped one."""

    def __init__(self, port: Any, trap: Trap) -> None:
        self._port, self._trap = port, trap

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **more: Any) -> Any:
            instead = self._trap.before(name, self._port)
            if instead is not None:
                return None if instead is Unread else instead
            result = found(*arguments, **more)
            self._trap.after(name)
            return self if result is self._port else result

        async def wait(*arguments: Any, **more: Any) -> Any:
            self._trap.before(name, self._port)
            result = await found(*arguments, **more)
            self._trap.after(name)
            return result

        return wait if iscoroutinefunction(found) else call


def trapped(on: Shelf, trap: Trap) -> SkillLibrary:
    """The library of a shelf, behind a trap."""
    local, shared = Trapped(on.local, trap), Trapped(on.shared, trap)
    return evolve(on.library, sources=[local, shared], store=local, states=Trapped(on.states, trap))
