"""The table of states in the database of a host's agent, through the handle that the host has open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol, TypeVar

from kestrel_skills_core.domain.errors import StateUnavailable

from . import statements
from .dialogue import Ask, CarriedStates, Dialogue, Step, Steps, Tell
from .failures import SILENT, InDoubt, Unanswered, Unfit, is_lost, is_unfit, phrased, told

__all__ = ["HostDatabase", "HostedStates"]

T = TypeVar("T")

_IT: Final = "the agent's database"
_WAIT: Final = 10.0
"""Seconds that a call waits for its answers, as long as `PostgresStates` does."""
_GRACE: Final = 1.0
"""Seconds that a caller who goes away stays for what was said already."""
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
    statement, committed by itself; only where the table is made is there a transaction. A caller that is cancelled
    leaves a change made or not made.

    `wait` is how long, in seconds, a call may take in all. A host's handle knows no such limit, and may not come out of
    what it waits for: each statement is said in a task of its own, which the caller leaves when time is up. It is not
    cancelled, since what becomes of a handle then is the driver's own. It may end later, and a change be made later. So
    nothing more is said until it has: no older change is ever made after a newer one, and nothing piles up.
    """

    def __init__(self, database: Callable[[], HostDatabase | None], agent: str, *, wait: float = _WAIT) -> None:
        super().__init__()
        self._database = database
        self._owner = statements.owner_of(agent)
        self._wait = wait
        self._owed: set[asyncio.Task[object]] = set()

    async def _carried(self, of: Callable[[Dialogue], Steps[T]]) -> T:
        try:
            database, dialect = self._opened()
            return await self._carry(database, of(Dialogue(self._owner, dialect)))
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

    async def _carry(self, database: HostDatabase, steps: Steps[T]) -> T:
        """Say the steps to the host's database, one after the other."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._wait
        try:
            step = next(steps)
            while True:
                try:
                    answer = await self._answer(database, step, deadline - clock())
                except Exception as failure:  # noqa: BLE001 - which comes out again, unless it is expected
                    step = steps.throw(failure)
                else:
                    step = steps.send(answer)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return] # the value of StopIteration has no type of its own

    async def _answer(self, database: HostDatabase, step: Step, left: float) -> object:
        """The answer to one step, if it comes in so many seconds.

        Raises:
            Unfit, InDoubt: See there.
            StateUnavailable: There is no answer, or nothing may be said now.
            Exception: Whatever else the host's database raises.
        """
        is_change = not isinstance(step, Ask)
        if getattr(database, "owns_open_transaction", None) is True:
            if is_change:
                # It would be told as written, and could still be undone with all that the transaction holds.
                raise StateUnavailable(f"{_IT} is in the middle of a transaction", "switch skills outside of it")
            return await _said(database, step)  # which another task would not be a part of
        if left <= 0 or self._owed:
            raise phrased(SILENT, _IT)
        try:
            return await self._in_time(step, _said(database, step), left)
        except Exception as error:
            if is_change and is_lost(error):
                raise InDoubt from error
            raise

    async def _in_time(self, step: Step, saying: Coroutine[Any, Any, object], left: float) -> object:
        """The answer to a step. It is left alone when time is up, or the caller has gone away."""
        task = asyncio.create_task(saying)
        task.add_done_callback(self._ended)
        try:
            await asyncio.wait([task], timeout=left)
        except asyncio.CancelledError:
            # What the caller holds meanwhile is to hold for what it said, too.
            await asyncio.wait([task], timeout=_GRACE)
            raise
        finally:
            if not task.done():
                self._owed.add(task)
        if task.done() and not task.cancelled():
            return task.result()
        if isinstance(step, Ask):
            raise phrased(SILENT, _IT)
        raise Unanswered

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._owed.discard(task)
        if not task.cancelled():
            task.exception()  # nobody may be left to hear it


async def _said(database: HostDatabase, step: Step) -> object:
    """What the host's database says to a step.

    Raises:
        Unfit: See there.
        Exception: Whatever else the host's database raises.
    """
    try:
        if isinstance(step, Ask):
            return await database.fetchall(step.text, step.parameters)
        if isinstance(step, Tell):
            return await database.execute(step.text, step.parameters)
        answer: object = None
        async with database.transaction(immediate=True):
            for each in step.steps:
                answer = await _said(database, each)
    except Exception as error:
        if is_unfit(error):
            raise Unfit from error
        raise
    return answer
