"""Installations that run beside the requests that ask for them, with how far each has come.

Rule 1: what is cancelled while it is fetched has left nothing. What is about to be published is published, as nobody
        could say afterwards whether it was; whoever cancels too late is told that it is done.
Rule 2: there are never more transfers at once than `RUNNING`, nor more jobs remembered than `REMEMBERED`, nor any for
        longer than `AGE_SECONDS` after it ended.
Rule 3: once they were told to stop, none begins.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final, Literal

from attrs import define, field, frozen

from kestrel_skills_core.domain.errors import Busy, SkillError
from kestrel_skills_core.domain.offer import Offer
from kestrel_skills_core.service.installer import Arrival

from .statuses import Improper, Problem, ending, problem_of

__all__ = ["AGE_SECONDS", "DEFECT", "REMEMBERED", "RUNNING", "Installing", "Job", "Jobs"]

RUNNING: Final = 2
REMEMBERED: Final = 32
AGE_SECONDS: Final = 600.0

DEFECT: Final = Improper(
    HTTPStatus.INTERNAL_SERVER_ERROR, "defect", "something went wrong that should not", "look at the log, and report it"
)
_log = logging.getLogger(__name__)

State = Literal["running", "done", "failed", "cancelled"]


@frozen
class Installing:
    """The two halves of one installation: what may take long and changes nothing, and what publishes."""

    fetch: Callable[[Callable[[int, int], None]], Awaitable[Offer]]
    land: Callable[[Offer], Awaitable[Arrival]]


@define(eq=False)
class Job:
    """One installation."""

    id: str
    state: State = "running"
    received: int = 0
    entries: int = 0
    arrival: Arrival | None = None
    problem: Problem | None = None
    ended: float | None = None
    _task: asyncio.Task[None] | None = field(default=None, init=False)
    _is_landing: bool = field(default=False, init=False)

    def progress(self, received: int, entries: int) -> None:
        """So many bytes came in, and so many files and folders are asked for; told from any thread."""
        self.received, self.entries = received, entries

    def begin(self, work: Installing, clock: Callable[[], float]) -> None:
        """Run it, in a task of its own; the clock says when it has ended."""
        self._task = asyncio.create_task(self._run(work))
        self._task.add_done_callback(lambda task: self._end(clock(), is_cancelled=task.cancelled()))

    async def cancel(self) -> None:
        """End it, if nothing is being published yet; wait until it has ended."""
        task = self._task
        assert task is not None
        if not self._is_landing:
            task.cancel()
        await asyncio.wait([task])

    def _end(self, now: float, *, is_cancelled: bool) -> None:
        self.ended = now
        if is_cancelled:
            self.state = "cancelled"

    async def _run(self, work: Installing) -> None:
        try:
            offer = await work.fetch(self.progress)
            self._is_landing = True
            self.arrival = await work.land(offer)
            self.state = "done"
        except SkillError as error:
            self.state, self.problem = "failed", problem_of(error)
        except Exception as error:  # noqa: BLE001 - a defect ends this one, and is told like all else
            _log.error("an installation ended with an unexpected %s", type(error).__name__)
            _log.debug("", exc_info=True)
            self.state, self.problem = "failed", problem_of(DEFECT)


@define(eq=False)
class Jobs:
    """The installations of one agent; `clock` tells seconds."""

    clock: Callable[[], float] = time.monotonic
    _jobs: dict[str, Job] = field(factory=dict, init=False)
    _previews: int = field(default=0, init=False)
    _has_stopped: bool = field(default=False, init=False)

    def start(self, work: Installing) -> Job:
        """Begin one.

        Raises:
            Busy: As many run as may.
            Improper: They were told to stop.
        """
        self._refuse_more()
        self._forget(REMEMBERED - 1)
        job = Job(secrets.token_hex(16))
        self._jobs[job.id] = job
        job.begin(work, self.clock)
        return job

    def find(self, job: str) -> Job:
        """One that runs, or has not long ended.

        Raises:
            Improper: There is none.
        """
        self._forget(REMEMBERED)
        if job not in self._jobs:
            why = "there is no such installation, or it ended long ago"
            raise Improper(HTTPStatus.NOT_FOUND, "job_absent", why, "list the skills to see whether it came")
        return self._jobs[job]

    @contextmanager
    def transferring(self) -> Iterator[None]:
        """Count a transfer that no job makes.

        Raises:
            Busy: As many run as may.
            Improper: They were told to stop.
        """
        self._refuse_more()
        self._previews += 1
        try:
            yield
        finally:
            self._previews -= 1

    async def stop(self) -> None:
        """Let none begin any more, end all that are still fetched, and wait for what is being published."""
        self._has_stopped = True
        await asyncio.gather(*(job.cancel() for job in self._jobs.values()))

    def _refuse_more(self) -> None:
        if self._has_stopped:
            raise ending()
        if self._previews + sum(job.state == "running" for job in self._jobs.values()) >= RUNNING:
            raise Busy("the way to repositories", by="other installations")

    def _forget(self, most: int) -> None:
        """Forget what ended long ago, and the eldest of what ended where there are more than so many."""
        oldest = self.clock() - AGE_SECONDS
        over = [job for job in self._jobs.values() if job.ended is not None]
        surplus = len(self._jobs) - most
        for number, job in enumerate(over):
            if number < surplus or (job.ended or 0.0) < oldest:
                del self._jobs[job.id]
