"""Where blocking work runs, and what becomes of it when its caller is cancelled."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import subprocess
import sys
import threading

import pytest

from kestrel_skills_adapters.world import finish, inline, threads
from kestrel_skills_core.ports.world import Cancelled


class Work:
    """Blocking work that ends when its caller is gone, or when it is let."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.begun = threading.Event()
        self.told = threading.Event()
        self.let = threading.Event()
        self.stop = threading.Event()
        self.ended = False

    def __call__(self, cancelled: Cancelled) -> str:
        """Block."""
        self.begun.set()
        while not cancelled() and not self.stop.wait(0.001):
            pass
        self.told.set()
        self.let.wait(10)
        self.ended = True
        if self.error is not None:
            raise self.error
        return "dropped"


async def _cancel(work: Work, times: int = 1) -> list[object]:
    """Cancel a caller so many times while the work runs, then let the work end; give what the loop reports as lost."""
    loop = asyncio.get_running_loop()
    lost: list[object] = []
    loop.set_exception_handler(lambda _, context: lost.append(context))
    caller = asyncio.ensure_future(threads(work))
    try:
        assert await loop.run_in_executor(None, work.begun.wait, 10)
        for _ in range(times):
            caller.cancel()
            assert await loop.run_in_executor(None, work.told.wait, 10)
            assert not caller.done()
            assert not work.ended
    finally:
        work.let.set()
        work.stop.set()
    await asyncio.wait([caller])
    assert work.ended
    assert caller.cancelled()
    del caller
    gc.collect()
    await asyncio.sleep(0)
    return lost


def test_a_cancelled_caller_waits_for_the_end() -> None:
    """The work is told that its caller was cancelled, ends, and only then the caller learns of it."""
    assert asyncio.run(_cancel(Work())) == []


def test_cancelling_again_changes_nothing() -> None:
    """However often the caller is cancelled, the work runs to its end."""
    assert asyncio.run(_cancel(Work(), times=3)) == []


def test_an_exception_after_the_cancellation_is_dropped() -> None:
    """What the work raises after its caller was cancelled is neither given nor reported as lost."""
    assert asyncio.run(_cancel(Work(OSError("nobody is left to tell")))) == []


def test_a_deadline_ends_the_work() -> None:
    """A deadline of asyncio's own tells the work, which may end early, and becomes a timeout."""

    async def hurry() -> None:
        work = Work()
        work.let.set()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await threads(work)
        assert work.ended

    asyncio.run(hurry())


def test_threads_leave_the_loop_free() -> None:
    """The work runs in another thread, and the loop goes on meanwhile."""

    async def meet() -> bool:
        there = threading.Event()
        running = asyncio.ensure_future(threads(lambda _: there.wait(10)))
        await asyncio.sleep(0)
        there.set()
        return await running

    assert asyncio.run(meet())


def test_threads_see_the_context() -> None:
    """Context variables of the caller are seen by the work, and what it sets is not seen by the caller."""
    who = contextvars.ContextVar("who", default="nobody")

    async def ask() -> tuple[str, str]:
        who.set("caller")

        def work(_: Cancelled) -> str:
            seen = who.get()
            who.set("work")
            return seen

        return await threads(work), who.get()

    assert asyncio.run(ask()) == ("caller", "caller")


def test_inline_runs_here() -> None:
    """The work runs in the calling thread."""
    assert finish(inline(lambda _: threading.get_ident())) == threading.get_ident()


def test_finish_gives_the_result_and_the_exception() -> None:
    """Finishing a coroutine gives what it returns, or raises what it raises."""

    async def add() -> int:
        return await inline(lambda _: 1) + 1

    async def fail() -> None:
        raise LookupError("lost")

    assert finish(add()) == 2
    with pytest.raises(LookupError, match="lost"):
        finish(fail())


def test_finish_does_not_wait() -> None:
    """A coroutine that waits for something is refused, and closed, not left hanging."""
    closed = []

    async def wait() -> None:
        try:
            await asyncio.sleep(1)
        finally:
            closed.append(True)

    with pytest.raises(RuntimeError, match="event loop"):
        finish(wait())
    assert closed == [True]


def test_inline_work_needs_no_asyncio() -> None:
    """A program that runs its work inline never imports asyncio."""
    code = (
        "import sys; from kestrel_skills_adapters.world import finish, inline; "
        "sys.exit(finish(inline(lambda _: 'asyncio' in sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
