"""The table of states in the database of a host's agent, through the handle that the host has open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol, TypeVar

from kestrel_skills_core.domain.errors import StateUnavailable

from . import statements
from .dialogue import Ask, CarriedStates, Dialogue, Step, Steps, Tell, Together
from .failures import InDoubt, Unfit, is_lost, is_unfit, told

__all__ = ["HostDatabase", "HostedStates"]

T = TypeVar("T")

_IT: Final = "the agent's database"
_DIALECTS: Final[Mapping[str, statements.Dialect]] = {"sqlite": statements.SQLITE, "postgres": statements.POSTGRES}


class HostDatabase(Protocol):
    """What is used of the host's `AsyncDatabase` (kestrel-sovereign, 0.53 to 0.55). Parameters are `?` in both.

    A statement outside a transaction is committed when its call returns. Whatever the database raises comes out
    wrapped, once or twice, with the original as its cause.
    """

    @property
    def backend_type(self) -> str:
        """`sqlite` or `postgres`."""
        ...

    async def execute(self, sql: str, params: tuple[Any, ...] = ()) -> int:
        """Change something; gives how many rows."""
        ...

    async def fetchall(self, sql: str, params: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
        """Ask something."""
        ...

    def transaction(self, *, immediate: bool = False) -> AbstractAsyncContextManager[None]:
        """All or none of what is said in it. Within another of the same task it is a part of that one."""
        ...


class HostedStates(CarriedStates):
    """A `StateTable` in a host's database, SQLite or PostgreSQL, for one agent.

    `database` is asked for the handle at each call, since a host may open it later, or lose it. Every change is one
    statement, committed by itself; only where the table is made is there a transaction. How long a call waits for
    other writers is the host's own setting. A caller that is cancelled leaves a change made or not made.
    """

    def __init__(self, database: Callable[[], HostDatabase | None], agent: str) -> None:
        self._database = database
        self._owner = statements.owner_of(agent)

    async def _carried(self, of: Callable[[Dialogue], Steps[T]]) -> T:
        try:
            database, dialect = self._opened()
            return await _carried(database, of(Dialogue(self._owner, dialect)))
        except StateUnavailable:
            raise
        except Exception as error:  # whatever a host's database raises, and its own refusals
            raise told(error, _IT) from error

    def _opened(self) -> tuple[HostDatabase, statements.Dialect]:
        database = self._database()
        if database is None:
            raise StateUnavailable("the agent has no database", "see that the host has opened it, then try again")
        dialect = _DIALECTS.get(database.backend_type)
        if dialect is None:
            raise StateUnavailable(f"{_IT} is of an unknown kind", "let the host use SQLite or PostgreSQL")
        return database, dialect


async def _carried(database: HostDatabase, steps: Steps[T]) -> T:
    """Say the steps to the host's database, one after the other."""
    try:
        step = next(steps)
        while True:
            try:
                answer = await _answered(database, step)
            except Exception as failure:  # noqa: BLE001 - which comes out again, unless it is expected
                step = steps.throw(failure)
            else:
                step = steps.send(answer)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return] # the value of StopIteration has no type of its own


async def _answered(database: HostDatabase, step: Step) -> object:
    """The answer to one step.

    Raises:
        Unfit, InDoubt: See there.
        Exception: Whatever else the host's database raises.
    """
    if isinstance(step, Ask):
        return await _said(database, step)
    if getattr(database, "owns_open_transaction", None) is True:
        # It would be told as written, and could still be undone with all that the transaction holds.
        raise StateUnavailable(f"{_IT} is in the middle of a transaction", "switch skills outside of it")
    try:
        if isinstance(step, Tell):
            return await _said(database, step)
        return await _said_together(database, step)
    except Exception as error:
        if is_lost(error):
            raise InDoubt from error
        raise


async def _said_together(database: HostDatabase, together: Together) -> object:
    answer: object = None
    try:
        async with database.transaction(immediate=True):
            for step in together.steps:
                answer = await _said(database, step)
    except Exception as error:
        if is_unfit(error):
            raise Unfit from error
        raise
    return answer


async def _said(database: HostDatabase, step: Ask | Tell) -> object:
    try:
        if isinstance(step, Ask):
            return await database.fetchall(step.text, step.parameters)
        return await database.execute(step.text, step.parameters)
    except Exception as error:
        if is_unfit(error):
            raise Unfit from error
        raise
