"""The routes that look: the catalog, and of one skill its files, its text, its checks and where it came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Final

from attrs import frozen
from fastapi import Header, Query, Request
from fastapi import Path as Part
from starlette.responses import Response

from kestrel_skills_core.domain.errors import BadDocument, BadPath, SkillAbsent, TooLarge
from kestrel_skills_core.domain.findings import faults_of
from kestrel_skills_core.domain.folder import illegible
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.lint import Target, target_of
from kestrel_skills_core.domain.names import DOCUMENT, NAME_PATTERN, Address, ResourcePath, SourceId, resource_path
from kestrel_skills_core.domain.tree import folders_of
from kestrel_skills_core.service.observed import Observed
from kestrel_skills_core.service.queries import Reading

from ..records import Members, Shown, finding_members, inventory_members, verification_members
from .answers import answer, encoded, sent
from .desk import Desk
from .rendering import rendered
from .routes import Ask, Route
from .schemas import Catalog, Checks, FileText, Preview, Tree, Verification

__all__ = ["IfNoneMatch", "Looking", "Name", "Path", "named"]

# What a name and a path must at least be like stands in the document; refused they are by the rules themselves, which
# say why.
_ADDRESS: Final = f"{NAME_PATTERN.removesuffix('$')}(?:@(?:{'|'.join(SourceId)}))?$"
_PATH: Final[dict[str, Any]] = {"pattern": r"^[^/\\]+(?:/[^/\\]+)*$", "minLength": 1, "maxLength": LIMITS.path_bytes}


def named(*others: str) -> Any:
    """How the name in a path is documented; with the words that would make another path of it."""
    schema = {"pattern": _ADDRESS} | ({"not": {"enum": [*others]}} if others else {})
    return Part(description="`name`, or `name@source` for one copy.", json_schema_extra=schema)


Name = Annotated[str, named()]
Path = Annotated[
    str, Query(description="A file of the skill: a relative path with forward slashes.", json_schema_extra=_PATH)
]
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match", description="The tags that the asker has.")]

_MARKDOWN: Final = (".md", ".markdown")


@frozen
class Looking:
    """What changes nothing."""

    ask: Ask

    @property
    def routes(self) -> tuple[Route, ...]:
        """Each, with what it may answer."""
        one = partial(Route, method="GET", problems=(404, 413))
        return (
            Route(method="GET", path="", run=self.catalog, gives=Catalog, is_tagged=True, is_known=True),
            Route(method="POST", path="/reload", run=self.reload, gives=Catalog),
            one(path="/{name}/tree", run=self.tree, gives=Tree, is_tagged=True),
            one(path="/{name}/file", run=self.file, gives=FileText, is_tagged=True),
            one(path="/{name}/preview", run=self.preview, gives=Preview, is_tagged=True, problems=(404, 405, 413)),
            one(path="/{name}/checks", run=self.checks, gives=Checks),
            one(path="/{name}/verify", run=self.verify, gives=Verification),
        )

    async def catalog(self, request: Request, _: IfNoneMatch = None) -> Response:
        """Every skill and every rejected folder, in catalog order, and the context clause."""
        desk = await self.ask(request)
        return sent(request, await _catalog(desk, await desk.library.catalog()))

    async def reload(self, request: Request) -> Response:
        """The same, for which every folder is opened again."""
        desk = await self.ask(request)
        return answer(await _catalog(desk, await desk.library.reload()))

    async def tree(self, request: Request, name: Name) -> Response:
        """The files of a skill or rejected folder."""
        reading = await _read(await self.ask(request), name)
        found, revision = reading.found, reading.tree.revision
        members: Members = {
            "name": name,
            "source": found.source.value,
            "editable": found.source is not SourceId.HOST_SHARED,
            "revision": revision,
            "files": inventory_members(reading.tree.inventory),
        }
        return answer(members, tag=revision)

    async def file(self, request: Request, name: Name, path: Path) -> Response:
        """The text of one file."""
        desk = await self.ask(request)
        address, wanted = await desk.address(name), resource_path(path)
        try:
            reading = await desk.library.read(address)
        except TooLarge:
            content, revision = (await desk.library.read_file(address, wanted)).content, None
        else:
            content, revision = reading.content(wanted), reading.tree.revision
        members: Members = {"name": name, "path": wanted, "content": _text(content, address, wanted)}
        return answer(members | {"bytes": len(content), "revision": revision}, tag=revision)

    async def preview(
        self, request: Request, name: Annotated[str, named("install")], path: Path = DOCUMENT
    ) -> Response:
        """A Markdown file as HTML; of a good `SKILL.md`, the procedure alone."""
        desk = await self.ask(request)
        wanted = resource_path(path)
        if not wanted.lower().endswith(_MARKDOWN):
            raise BadPath(wanted, "it is not Markdown", "look at the file as text")
        reading = await _read(desk, name)
        text, leads = _procedure(reading, wanted), _leads(reading, wanted)
        html = await desk.library.offload(lambda _: rendered(text, desk.html, leads))
        members: Members = {"name": name, "path": wanted, "html": html, "revision": reading.tree.revision}
        return answer(members, tag=reading.tree.revision)

    async def checks(self, request: Request, name: Name) -> Response:
        """Everything wrong with a skill, and all advice on it."""
        desk = await self.ask(request)
        findings = await desk.library.checks(await desk.address(name))
        return answer(
            {"name": name, "ok": not faults_of(findings), "findings": [finding_members(each) for each in findings]}
        )

    async def verify(self, request: Request, name: Name) -> Response:
        """Whether a skill is as it was installed, file by file."""
        desk = await self.ask(request)
        verification = await desk.library.verify(await desk.address(name))
        return answer({"name": name} | verification_members(verification))


async def _catalog(desk: Desk, observed: Observed) -> bytes:
    """The whole catalog, which may be long: made beside the loop, and only where it is not what was sent last."""
    notes = list(desk.notes(observed))
    made_of = observed, notes
    sent = desk.catalog.of(made_of)
    return sent or desk.catalog.keep(made_of, await desk.library.offload(lambda _: _made(desk, observed, notes)))


def _made(desk: Desk, observed: Observed, notes: Sequence[str]) -> bytes:
    clause = observed.clause(desk.library.budget)
    shown = Shown(desk.library.agent, frozenset(clause.included))
    return encoded(shown.catalog(observed, clause) | {"notes": notes})


async def _read(desk: Desk, name: str) -> Reading:
    return await desk.library.read(await desk.address(name))


def _text(content: bytes, address: Address, path: ResourcePath) -> str:
    fault = illegible(path, content)
    if fault is not None:
        raise BadDocument(address.name, (fault,))
    return content.decode()


def _procedure(reading: Reading, path: ResourcePath) -> str:
    text = _text(reading.content(path), Address(reading.name), path)
    if path != DOCUMENT:
        return text
    try:
        return reading.document.body
    except (BadDocument, SkillAbsent):
        return text


def _leads(reading: Reading, path: ResourcePath) -> Callable[[str], Target]:
    """Where a link in one file of a skill leads."""
    files = reading.tree.files
    folders = folders_of(files)
    return lambda link: target_of(link, path, files, folders)
