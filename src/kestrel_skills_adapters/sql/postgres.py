"""The table of states on a PostgreSQL server, which many machines may share."""

from __future__ import annotations

import os
import queue
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from attrs import define, field

from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.ports.world import Cancelled, Offload

from . import statements
from .address import ServerUrl
from .dialogue import Ask, CarriedStates, Dialogue, Step, Steps, Tell, Together
from .failures import (
    BAD_URL,
    LOST,
    MISSING,
    SILENT,
    Expected,
    InDoubt,
    Unfit,
    is_unfit,
    phrased,
    refused,
    sqlstate,
    told,
)

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresStates"]

T = TypeVar("T")

_IT: Final = "the database server"


_POLL: Final = 0.05
"""Seconds between two looks at whether the caller is gone."""
_GRACE: Final = 2.0
"""Seconds that a statement which was told to stop, and a commit, have to end, before the connection is cut."""
_AGAIN: Final = 0.02
"""Seconds before a transaction that met another is tried again."""


class PostgresStates(CarriedStates):
    """A `StateTable` on a PostgreSQL server, for one agent.

    A connection is opened for each call and closed with it, so that any thread, loop or process may call. `wait` is how
    long, in seconds, a call may take in all: reaching the server, waiting for other writers, and being answered.
    Whoever goes away waits no longer. A change is one transaction, which the server undoes if the connection is lost.
    """

    def __init__(self, url: ServerUrl, agent: str, *, offload: Offload, wait: float = 10.0) -> None:
        super().__init__()
        self._url = url
        self._owner = statements.owner_of(agent)
        self._offload = offload
        self._wait = wait

    async def standing(self) -> tuple[bool, bool]:
        """Whether the table is there, and whether it may be written, or made. Asks, and changes nothing.

        Raises:
            StateUnavailable: The server does not answer.
        """

        def steps(_: Dialogue) -> Steps[tuple[bool, bool]]:
            ((there, writable),) = yield Ask(statements.STANDING)
            return there, writable

        return await self._carried(steps)

    async def _carried(self, of: Callable[[Dialogue], Steps[T]]) -> T:
        return await self._offload(lambda cancelled: self._carry(of, cancelled))

    def _carry(self, of: Callable[[Dialogue], Steps[T]], cancelled: Cancelled) -> T:
        """Say the steps of a dialogue in a thread of their own, until they end, time is up, or the caller is gone."""
        try:
            import psycopg  # noqa: PLC0415 - the extra `postgres`, which only servers need
        except ImportError:
            raise StateUnavailable(*MISSING) from None
        call = Call(self._url, lambda: of(Dialogue(self._owner, statements.POSTGRES)), time.monotonic() + self._wait)
        threading.Thread(target=call.run, daemon=True).start()
        try:
            return call.outcome(cancelled)
        except (psycopg.Error, Expected) as error:
            # Without where it came from: libpq quotes URLs, and psycopg's errors hold the password.
            raise told(error, _IT) from None


@define
class Call(Generic[T]):
    """One call: a thread that speaks with the server, and one that waits for it, no longer than it may."""

    url: ServerUrl
    steps: Callable[[], Steps[T]]
    deadline: float
    _stopped: threading.Event = field(factory=threading.Event)
    _ended: queue.SimpleQueue[tuple[T | None, BaseException | None]] = field(factory=queue.SimpleQueue)
    _connection: psycopg.Connection[tuple[Any, ...]] | None = None

    def outcome(self, cancelled: Cancelled) -> T:
        """What came of it. However it ends, nothing is committed afterwards."""
        try:
            while not cancelled() and time.monotonic() < self.deadline:
                with suppress(queue.Empty):
                    return self._given(*self._ended.get(timeout=_POLL))
        finally:
            self._stopped.set()
        return self._last()

    def run(self) -> None:
        """Say all steps, as often as others came between; called in a thread of its own."""
        try:
            self._ended.put((self._said(), None))
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self._ended.put((None, error))
        finally:
            self._close()

    def _last(self) -> T:
        """What came of it after it was told to stop."""
        connection = self._connection
        if connection is not None:
            end = time.monotonic() + _GRACE
            while time.monotonic() < end:
                # Again and again, since the server forgets a request that comes between two statements.
                with suppress(Exception):  # it may just have ended
                    connection.cancel_safe(timeout=_GRACE / 2)
                with suppress(queue.Empty):
                    return self._given(*self._ended.get(timeout=_POLL))
            _cut(connection)
            with suppress(queue.Empty):
                return self._given(*self._ended.get(timeout=_GRACE))
        raise phrased(SILENT, _IT)

    def _given(self, value: T | None, error: BaseException | None) -> T:
        if error is not None:
            raise error
        return cast("T", value)

    def _said(self) -> T:
        while True:
            try:
                return self._carried()
            except Exception as error:
                if not (sqlstate(error) or "").startswith("40") or self._stopped.wait(_AGAIN):
                    raise

    def _carried(self) -> T:
        steps = self.steps()
        try:
            step = next(steps)
            while True:
                try:
                    answer = self._answered(step)
                except Exception as failure:  # noqa: BLE001 - which comes out again, unless it is expected
                    step = steps.throw(failure)
                else:
                    step = steps.send(answer)
        except StopIteration as ended:
            return cast("T", ended.value)

    def _answered(self, step: Step) -> object:
        import psycopg  # noqa: PLC0415 - see above

        connection = self._opened()
        self._go_on()
        try:
            if isinstance(step, Ask):
                return _said(connection, step)
            return self._changed(connection, step)
        except psycopg.Error as error:
            if is_unfit(error):
                raise Unfit from error
            if connection.closed and sqlstate(error) is None:
                raise phrased(LOST, _IT) from None
            raise

    def _changed(self, connection: psycopg.Connection[tuple[Any, ...]], step: Tell | Together) -> object:
        """Make a change in a transaction; nothing of it stands until it is committed."""
        import psycopg  # noqa: PLC0415 - see above

        left = max(1, int((self.deadline - time.monotonic()) * 1000))
        # The server keeps time too, for a caller that it can no longer hear. In one message, which costs one way.
        connection.execute(f"BEGIN; SET LOCAL statement_timeout = {left}".encode())
        answer: object = None
        try:
            for each in step.steps if isinstance(step, Together) else (step,):
                self._go_on()
                answer = _said(connection, each)
            self._go_on()
        except BaseException:
            with suppress(psycopg.Error):
                connection.execute(b"ROLLBACK")
            raise
        try:
            connection.execute(b"COMMIT")
        except psycopg.OperationalError as error:
            if connection.closed:
                raise InDoubt from error
            raise
        return answer

    def _opened(self) -> psycopg.Connection[tuple[Any, ...]]:
        import psycopg  # noqa: PLC0415 - see above

        if self._connection is None or self._connection.closed:
            self._go_on()
            left = max(2, int(self.deadline - time.monotonic()))
            try:
                self._connection = psycopg.connect(
                    self.url.secret,
                    autocommit=True,
                    connect_timeout=left,
                    prepare_threshold=None,  # a pooler before the server may give each statement another connection
                    fallback_application_name="kestrel-skills",
                )
            except psycopg.errors.ConnectionTimeout:
                raise phrased(SILENT, _IT) from None
            except psycopg.OperationalError as error:
                raise refused(str(error), _IT) from None
            except psycopg.Error:
                raise phrased(BAD_URL, _IT) from None
        return self._connection

    def _go_on(self) -> None:
        """Go on, unless nobody waits any longer."""
        if self._stopped.is_set():
            raise phrased(SILENT, _IT)

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(Exception):  # it may be lost, and cut besides
                self._connection.close()


def _said(connection: psycopg.Connection[tuple[Any, ...]], step: Ask | Tell) -> object:
    cursor = connection.execute(statements.psycopg_form(step.text).encode(), step.parameters or None)
    return cursor.fetchall() if isinstance(step, Ask) else cursor.rowcount


def _cut(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    """End a connection on which nothing comes any more, under whoever waits for it."""
    with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as same:
        same.shutdown(socket.SHUT_RDWR)
