"""What HTTP costs beside what it asks for: requests to the real application, and the same calls of the library."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx
from attrs import define, field, frozen

from kestrel_skills_adapters.http.app import standalone
from kestrel_skills_adapters.wiring import library_of, served_desk, settings_of
from kestrel_skills_adapters.world import threads
from kestrel_skills_core.domain.commands import Create, Delete, Edit, SetState
from kestrel_skills_core.domain.edit import Whole
from kestrel_skills_core.domain.names import Address, SkillName
from kestrel_skills_core.domain.record import SkillRecord
from kestrel_skills_core.service.library import SkillLibrary

from .beside.contender import named
from .beside.figures import Key, ratio, spread
from .beside.run import AGENT, switch_on
from .beside.trees import grow
from .pages import duration, machine, table, times

__all__ = ["SIDES", "WORKS", "Measured", "measured", "page"]

ONE: Final = SkillName("one-more")
HERE: Final = Address(ONE)
DESCRIPTION, BODY = "Use when it is time.", "Do it.\n"
WRITTEN: Final = f"---\nname: {ONE}\ndescription: Use when it is time again.\n---\n\nDo it again.\n"

WORKS: Final[Mapping[str, str]] = {
    "catalog": "the catalog: `GET`",
    "known": "the catalog, which the asker has: `GET`, 304",
    "tree": "the files of a skill: `GET …/tree`",
    "file": "the text of one: `GET …/file`",
    "create": "create: `POST`",
    "edit": "edit: `PUT …/file`",
    "enable": "switch on: `PATCH …/state`",
    "disable": "switch off: `PATCH …/state`",
    "delete": "delete: `DELETE`",
}
SIDES: Final[Mapping[str, str]] = {"library": "library", "served": "HTTP"}

_HOST: Final = "127.0.0.1:8765"
_TOKEN: Final = "t0ken"
_BASE: Final = f"http://{_HOST}/api/procedural-skills"

Work = Callable[[], Awaitable[object]]
"""Something to do, for which all is ready: what is looked at before it is no part of it."""


@define
class Library:
    """Whoever calls the library itself, in an event loop, as the application does."""

    library: SkillLibrary
    skills: int
    number: int = 0

    def _named(self) -> SkillName:
        self.number += 1
        return SkillName(named(self.number, self.skills))

    async def catalog(self) -> Work:
        """Look again; nothing changed."""
        return self.library.catalog

    known = catalog

    async def tree(self) -> Work:
        """Read one skill."""
        address = Address(self._named())
        return lambda: self.library.read(address)

    file = tree

    async def create(self) -> Work:
        """Make a skill, and look for advice on it."""

        async def work() -> None:
            await self.library.create(Create.written(ONE, DESCRIPTION, BODY))
            await self.library.checks(HERE)

        return work

    async def edit(self) -> Work:
        """Write the whole of its document, and look for advice on it."""
        change = Edit(address=HERE, change=Whole(WRITTEN.encode()), expected_revision=await self._revision())

        async def work() -> None:
            await self.library.edit(change)
            await self.library.checks(HERE)

        return work

    async def enable(self, *, enabled: bool = True) -> Work:
        """Switch it on."""
        change = SetState(address=HERE, enabled=enabled, expected_etag=await self._etag())
        return lambda: self.library.set_state(change)

    async def disable(self) -> Work:
        """Switch it off."""
        return await self.enable(enabled=False)

    async def delete(self) -> Work:
        """Delete it."""
        change = Delete(address=HERE, delete_revision=await self._token())
        return lambda: self.library.delete(change)

    async def _revision(self) -> str:
        return (await self.library.read(HERE)).tree.revision

    async def _etag(self) -> str:
        found = (await self.library.read(HERE)).found
        assert isinstance(found, SkillRecord)
        return found.etag

    async def _token(self) -> str:
        return (await self.library.deletion(HERE)).delete_revision


@define
class Http(Library):
    """Whoever asks the application, in the same process: what a server and a socket cost is no part of it."""

    transport: httpx.ASGITransport = field(kw_only=True)
    tag: str = ""

    def _asks(self, method: str, path: str, body: object = None, **headers: str) -> Work:
        told = {"Authorization": f"Bearer {_TOKEN}", "X-Kestrel-Request": "a benchmark"}
        told |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            told["Content-Type"] = "application/json"
        request = httpx.Request(method, _BASE + path, headers=told, content=content)

        async def work() -> None:
            answer = await self.transport.handle_async_request(request)
            told = await answer.aread()
            assert answer.is_success or answer.status_code == (304 if "If_None_Match" in headers else 200), told
            self.tag = answer.headers.get("ETag", "")

        return work

    async def catalog(self) -> Work:
        """The whole catalog, as a page asks for it first."""
        return self._asks("GET", "")

    async def known(self) -> Work:
        """The same, as a page asks again, with the tag that it has."""
        await self._asks("GET", "")()
        return self._asks("GET", "", If_None_Match=self.tag)

    async def tree(self) -> Work:
        """The files of one skill."""
        return self._asks("GET", f"/{self._named()}/tree")

    async def file(self) -> Work:
        """The text of one of them."""
        return self._asks("GET", f"/{self._named()}/file?path=SKILL.md")

    async def create(self) -> Work:
        """Make a skill."""
        return self._asks("POST", "", {"name": ONE, "description": DESCRIPTION, "body": BODY})

    async def edit(self) -> Work:
        """Write the whole of its document."""
        seen = await self._revision()
        return self._asks("PUT", f"/{ONE}/file?path=SKILL.md", {"content": WRITTEN}, If_Match=seen)

    async def enable(self, *, enabled: bool = True) -> Work:
        """Switch it on."""
        return self._asks("PATCH", f"/{ONE}/state", {"enabled": enabled}, If_Match=await self._etag())

    async def delete(self) -> Work:
        """Delete it."""
        return self._asks("DELETE", f"/{ONE}", If_Match=await self._token())


@frozen
class Measured:
    """The seconds that each work took by the clock on the wall, by who did it, among how many skills."""

    machine: str
    seconds: Mapping[Key, Sequence[float]]

    @property
    def sizes(self) -> Sequence[int]:
        """The numbers of skills, ascending."""
        return sorted({key.skills for key in self.seconds})


def measured(above: Path, sizes: Sequence[int], rounds: int) -> Measured:
    """All of it by turns, in one process. In each turn all is done twice, and the second time counts."""
    load, seconds = os.getloadavg()[0], dict[Key, list[float]]()
    for skills in sizes:
        with asyncio.Runner() as runner:
            runner.run(_measure(seconds, above / str(skills), skills, rounds))
        shutil.rmtree(above / str(skills))
    return Measured(machine(load), seconds)


async def _measure(seconds: dict[Key, list[float]], above: Path, skills: int, rounds: int) -> None:
    grow(above / "original", skills, marked=True)
    async with _sides(above, skills) as sides:
        for turn in range(rounds):
            for name, side in list(sides.items())[:: 1 if turn % 2 else -1]:
                gc.collect()
                for work in WORKS:
                    await (await getattr(side, work)())()
                for work in WORKS:
                    ready = await getattr(side, work)()
                    begun = time.perf_counter()
                    await ready()
                    seconds.setdefault(Key(work, name, skills), []).append(time.perf_counter() - begun)


@asynccontextmanager
async def _sides(above: Path, skills: int) -> AsyncIterator[Mapping[str, Library]]:
    sides: dict[str, Library] = {}
    jobs = []
    for name in SIDES:
        home = above / name
        shutil.copytree(above / "original", home / "skills")
        switch_on(home / "skills.state.sqlite3", skills)
        settings = settings_of({"HOME": str(home)}, root=home / "skills", agent=AGENT)
        if name == "library":
            sides[name] = Library(library_of(settings, offload=threads), skills)
        else:
            desk = served_desk(settings, connect=None)
            transport = httpx.ASGITransport(standalone(desk, token=_TOKEN, hosts={_HOST}).gated)
            sides[name] = Http(desk.library, skills, transport=transport)
            jobs.append(desk.jobs)
    yield sides
    for each in jobs:
        await each.stop()


def page(measured: Measured) -> str:
    """All of it, as Markdown."""
    most = measured.sizes[-1]
    rows = []
    for work, title in WORKS.items():
        said = {name: spread(measured.seconds[Key(work, name, most)]) for name in SIDES}
        cells = [duration(each.median, each.low, each.high) for each in said.values()]
        rows.append([title, *cells, times(ratio(said["served"].median, said["library"].median))])
    first = table([f"among {most:,} skills", *SIDES.values(), "ratio"], rows)
    rows = []
    for work, title in WORKS.items():
        cells = [
            ", ".join(duration(spread(measured.seconds[Key(work, name, skills)]).median) for name in SIDES)
            for skills in measured.sizes
        ]
        rows.append([title, *cells])
    head = [f"{', '.join(SIDES.values())}, among so many skills", *(f"{skills:,}" for skills in measured.sizes)]
    return "\n\n".join((first, table(head, rows), f"{measured.machine}."))
