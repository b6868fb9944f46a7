"""The routes that bring skills in from git: look first, then install exactly that, beside the requests."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Annotated

from attrs import frozen
from fastapi import Path, Request
from starlette.responses import Response

from kestrel_skills_core.domain.commands import Install, Preview
from kestrel_skills_core.domain.git_address import git_ref, git_url
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import Revision
from kestrel_skills_core.domain.offer import Repository

from ..records import Members, adaptation_members, installation_members, stock_members
from .answers import answer
from .desk import Desk
from .jobs import Installing as Work
from .jobs import Job as Running
from .requests import attended
from .routes import Ask, Route
from .schemas import Installation, InstallRequest, Job, PreviewRequest, Stock

__all__ = ["Installing"]

JobId = Annotated[str, Path(json_schema_extra={"pattern": "^[0-9a-f]{32}$"})]


@frozen
class Installing:
    """What brings skills in."""

    ask: Ask

    @property
    def routes(self) -> tuple[Route, ...]:
        """Each, with what it may answer."""
        job = partial(Route, path="/install/{job}", gives=Job, problems=(404,))
        return (
            Route(
                method="POST",
                path="/install/preview",
                run=self.preview,
                gives=Installation | Stock,
                problems=(502,),
            ),
            Route(method="POST", path="/install", run=self.install, gives=Job, status=HTTPStatus.ACCEPTED),
            job(method="GET", run=self.look),
            job(method="DELETE", run=self.cancel),
        )

    async def preview(self, request: Request, body: PreviewRequest) -> Response:
        """What installing would bring and meet here; without a name, the skills of the repository."""
        desk = await self.ask(request)
        source = Repository(git_url(body.source_url), git_ref(body.ref))
        with desk.jobs.transferring():
            async with attended(request):
                installer = desk.installer(lambda _bytes, _entries: None)
                if not body.skill_name:
                    return answer(stock_members(await installer.skills(source)))
                installation = await installer.preview(Preview(source=source, name=body.skill_name, adapt=body.adapt))
        return answer(installation_members(installation, await desk.shown()))

    async def install(self, request: Request, body: InstallRequest) -> Response:
        """Begin to install exactly what a preview showed this digest for; it is off then."""
        desk = await self.ask(request)
        source = Repository(git_url(body.source_url), git_ref(body.ref))
        command = Install(source=source, name=body.skill_name, adapt=body.adapt, digest=Revision(body.digest))
        with desk.library.seeing():
            job = desk.jobs.start(
                Work(
                    lambda progress: desk.installer(progress).offer(command),
                    lambda offer: desk.installer(lambda _bytes, _entries: None).land(command, offer),
                )
            )
        where = f"{request.url.path.rstrip('/')}/{job.id}"
        return answer(await _members(desk, job), status=HTTPStatus.ACCEPTED, location=where)

    async def look(self, request: Request, job: JobId) -> Response:
        """How far an installation has come."""
        desk = await self.ask(request)
        with desk.library.seeing():
            return answer(await _members(desk, desk.jobs.find(job)))

    async def cancel(self, request: Request, job: JobId) -> Response:
        """End an installation; what is being published is waited for, and is then done."""
        desk = await self.ask(request)
        with desk.library.seeing():
            running = desk.jobs.find(job)
            await running.cancel()
            return answer(await _members(desk, running))


async def _members(desk: Desk, job: Running) -> Members:
    members: Members = {
        "job": job.id,
        "state": job.state,
        "received": job.received,
        "received_limit": LIMITS.git_received_bytes,
        "entries": job.entries,
        "entries_limit": LIMITS.git_entries,
    }
    if job.problem is not None:
        members["problem"] = job.problem.members
    if job.arrival is not None:
        members["installed"] = await _arrival(desk, job)
    return members


async def _arrival(desk: Desk, job: Running) -> Members:
    arrival, shown = job.arrival, await desk.shown()
    assert arrival is not None
    offer = arrival.offer
    return {
        "found": shown.record(arrival.found),
        "then": None if arrival.then is None else shown.found(arrival.then),
        "commit": offer.origin.commit,
        "digest": offer.digest,
        "adaptation": None if offer.adaptation is None else adaptation_members(offer.adaptation),
    }
