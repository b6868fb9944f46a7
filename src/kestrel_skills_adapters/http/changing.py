"""The routes that change one skill, and those that say what a change would come to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from attrs import field, frozen
from fastapi import Header, Request
from starlette.responses import Response

from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.commands import KEEP, Adapt, Create, Delete, Edit, RemoveFile, SetState, Unadapt
from kestrel_skills_core.domain.edit import Whole
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.names import (
    Address,
    Revision,
    SkillName,
    SourceId,
    is_skill_name,
    resource_path,
    skill_name,
)
from kestrel_skills_core.domain.proposal import Proposal, judged
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.service.library import Outcome

from ..records import Members, adaptation_members, context_members, error_members, finding_members
from .answers import answer
from .desk import Desk
from .looking import Name, Path, named
from .requests import revision_seen, tag_seen
from .routes import Ask, Route
from .schemas import Changed, Content, Context, Creation, Fitting, StateChange, Validated, ValidationRequest

__all__ = ["Changing"]

Deleted = Annotated[str, named("fit", "install", "reload", "validate")]
IfMatch = Annotated[str | None, Header(alias="If-Match", include_in_schema=False)]
"""Documented as what a request must have; one that has none is told what it is for."""


@frozen
class Changing:
    """What changes a skill. `guards` are asked before one is deleted."""

    ask: Ask
    guards: Sequence[Any] = field(factory=tuple)

    @property
    def routes(self) -> tuple[Route, ...]:
        """Each, with what it may answer."""
        seen = partial(Route, gives=Changed, problems=(404, 412, 428), is_tagged=True)
        return (
            Route(
                method="POST", path="", run=self.create, gives=Changed, problems=(409,), status=HTTPStatus.CREATED,
                is_tagged=True,
            ),
            Route(method="POST", path="/validate", run=self.validate, gives=Validated),
            Route(method="POST", path="/fit", run=self.fit, gives=Context, problems=(404,)),
            seen(method="PUT", path="/{name}/file", run=self.write),
            seen(method="DELETE", path="/{name}/file", run=self.remove),
            seen(method="POST", path="/{name}/adapt", run=self.adapt),
            seen(method="POST", path="/{name}/unadapt", run=self.unadapt),
            seen(method="PATCH", path="/{name}/state", run=self.set_state, problems=(404, 409, 412, 428)),
            seen(
                method="DELETE", path="/{name}", run=self.delete, problems=(404, 405, 412, 428), is_tagged=False,
                dependencies=self.guards,
            ),
        )  # fmt: skip

    async def create(self, request: Request, body: Creation) -> Response:
        """Make a skill of its parts; it is off, unless it is asked to be on."""
        desk = await self.ask(request)
        name = skill_name(body.name)
        command = Create.written(name, body.description, body.body, enabled=body.enabled, priority=body.priority)
        outcome = await desk.library.create(command)
        more = {"warnings": await _warnings(desk, Address(name, SourceId.AGENT_LOCAL))}
        where = f"{request.url.path.rstrip('/')}/{quote(name)}/tree"
        return await _changed(desk, outcome, more, status=HTTPStatus.CREATED, location=where)

    async def validate(self, request: Request, body: ValidationRequest) -> Response:
        """What is wrong with a name, a description or the text of a `SKILL.md`; nothing is written."""
        desk = await self.ask(request)
        with desk.library.seeing():
            found = await desk.library.offload(lambda _: judged(body.name, body.description, body.text))
        return answer(
            {
                "ok": not found.has_faults,
                "name": [finding_members(each) for each in found.name],
                "description": [finding_members(each) for each in found.description],
                "text": [finding_members(each) for each in found.text],
                "taken": await _taken(desk, body.name),
            }
        )

    async def fit(self, request: Request, body: Fitting) -> Response:
        """The context clause as it would be in these states; nothing is written."""
        desk = await self.ask(request)
        proposals = {
            skill_name(each.name): Proposal(enabled=each.enabled, priority=each.priority) for each in body.states
        }
        budget = desk.library.budget if body.budget is None else Budget(body.budget)
        return answer(context_members(await desk.library.fit(proposals, budget)))

    async def write(
        self, request: Request, name: Name, path: Path, body: Content, if_match: IfMatch = None
    ) -> Response:
        """Write one file whole, be it new."""
        desk = await self.ask(request)
        wanted, address = resource_path(path), await desk.address(name)
        command = Edit(
            address=address,
            path=wanted,
            change=Whole(body.content.encode("utf-8", "surrogatepass")),  # what is no UTF-8 is told where it is
            expected_revision=revision_seen(if_match),
        )
        found = await desk.library.edit(command)
        return await _changed(desk, found, {"warnings": await _warnings(desk, address)})

    async def remove(self, request: Request, name: Name, path: Path, if_match: IfMatch = None) -> Response:
        """Take one file out."""
        desk = await self.ask(request)
        wanted, address = resource_path(path), await desk.address(name)
        command = RemoveFile(address=address, path=wanted, expected_revision=revision_seen(if_match))
        return await _changed(desk, await desk.library.remove_file(command))

    async def adapt(self, request: Request, name: Name, if_match: IfMatch = None) -> Response:
        """Bring the `SKILL.md` of a folder into the two-field form."""
        desk = await self.ask(request)
        address = await desk.address(name)
        command = Adapt(address=address, expected_revision=revision_seen(if_match))
        adapting = await desk.library.adapt(command)
        return await _changed(desk, adapting.found, {"adaptation": adaptation_members(adapting.adaptation)})

    async def unadapt(self, request: Request, name: Name, if_match: IfMatch = None) -> Response:
        """Put back what it was before."""
        desk = await self.ask(request)
        address = await desk.address(name)
        command = Unadapt(address=address, expected_revision=revision_seen(if_match))
        return await _changed(desk, await desk.library.unadapt(command))

    async def set_state(self, request: Request, name: str, body: StateChange, if_match: IfMatch = None) -> Response:
        """Switch a skill on or off, move it in the order, or pin it to the revision that was looked at."""
        desk = await self.ask(request)
        address, seen = await desk.address(name), tag_seen(if_match)
        pin = body.pin if "pin" in body.model_fields_set else KEEP
        command = SetState(
            address=address,
            enabled=body.enabled,
            priority=body.priority,
            pin=Revision(pin) if isinstance(pin, str) else pin,
            expected_etag=seen,
        )
        found = await desk.library.set_state(command)
        assert found is not None, "what has an etag was seen"
        tag = found.etag if isinstance(found, SkillRecord) else found.revision
        return await _changed(desk, found, tag=tag)

    async def delete(self, request: Request, name: Deleted, if_match: IfMatch = None) -> Response:
        """Delete a folder of the agent's own, exactly as it was when its `delete_revision` was shown."""
        desk = await self.ask(request)
        command = Delete(address=await desk.address(name), delete_revision=tag_seen(if_match))
        outcome = await desk.library.delete(command)
        shown = await desk.shown()
        problem = None if outcome.problem is None else error_members(outcome.problem)
        return answer({"found": outcome.found and shown.found(outcome.found), "problem": problem})


async def _changed(
    desk: Desk,
    came: Outcome | SkillRecord | Rejection,
    more: Members | None = None,
    **how: Any,
) -> Response:
    """What a change came to, with the revision that its files then have."""
    found = came.found if isinstance(came, Outcome) else came
    problem = came.problem if isinstance(came, Outcome) else None
    assert found is not None, "what was made or changed is there"
    shown = await desk.shown()
    members: Members = {
        "found": shown.found(found),
        "revision": found.revision,
        "problem": None if problem is None else error_members(problem),
    }
    return answer(members | (more or {}), **{"tag": found.revision, **how})


async def _warnings(desk: Desk, address: Address) -> list[Members]:
    """The advice on a skill; none where it cannot be read whole."""
    try:
        findings = await desk.library.checks(address)
    except SkillError:
        return []
    return [finding_members(each) for each in findings if each.severity != "error"]


async def _taken(desk: Desk, name: str | None) -> Members | None:
    """What has a name in the agent's own folder, so that nothing can be made under it; nothing where nothing has."""
    if name is None or not is_skill_name(name):
        return None
    found = await desk.library.occupant(SkillName(name))
    return None if found is None else (await desk.shown()).found(found)
