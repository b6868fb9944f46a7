"""Hosts that share what is on: one table, on a server or in a file, and one root of skills for all or for some."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from kestrel_skills_adapters.markdown import CmarkMarkdown
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.sql.hosted import HostedStates
from kestrel_skills_adapters.world import SystemChance, threads
from kestrel_skills_core.domain.commands import Delete, SetState
from kestrel_skills_core.domain.errors import StaleRevision
from kestrel_skills_core.domain.names import Address, SkillName, SourceId
from kestrel_skills_core.domain.record import SkillRecord
from kestrel_skills_core.service.library import SkillLibrary
from tests.hostile.disk import skill
from tests.servers.hosts import StandIn, on_postgres, on_sqlite

KNOTS, LINT = SkillName("knots"), SkillName("lint")

Open = Callable[[], StandIn]


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """What opens another handle on one database."""
    if request.param == "sqlite":
        return lambda: on_sqlite(tmp_path / "agent.db")
    url = request.getfixturevalue("cluster").url(request.getfixturevalue("database"))
    return lambda: on_postgres(url)


def library(handle: StandIn, root: Path, shared: Path) -> SkillLibrary:
    """What one host has: its own handle, and the roots as it has mounted them."""
    store = PosixSkillStore(root, chance=SystemChance())
    return SkillLibrary(
        agent="did:test:abc",
        sources=[store, PosixSkillFiles(shared, SourceId.HOST_SHARED)],
        store=store,
        states=HostedStates(lambda: handle, "did:test:abc"),
        offload=threads,
        markdown=CmarkMarkdown(),
    )


def hosts(opened: Open, root: Path, shared: Path, told: Callable[[SkillLibrary, SkillLibrary], Coroutine]) -> None:
    """Let two hosts tell a story."""

    async def both() -> None:
        async with AsyncExitStack() as stack:
            one, other = (stack.enter_context(closing(opened())) for _ in range(2))
            await told(library(one, root, shared), library(other, root, shared))

    asyncio.run(both())


async def on(library: SkillLibrary) -> list[str]:
    """The names that are on."""
    return [record.name for record in (await library.catalog()).catalog.enabled]


def test_two_hosts_on_one_root_agree(opened: Open, tmp_path: Path) -> None:
    """What one switches, the other has switched; and what one deletes is off for both."""
    root, shared = tmp_path / "skills", tmp_path / "shared"
    skill(root, KNOTS)
    skill(shared, LINT)

    async def told(one: SkillLibrary, other: SkillLibrary) -> None:
        assert await on(one) == await on(other) == []
        await one.set_state(SetState(address=Address(KNOTS), enabled=True, priority=1))
        await other.set_state(SetState(address=Address(LINT), enabled=True, priority=2))
        assert await on(one) == await on(other) == ["knots", "lint"]
        await other.set_state(SetState(address=Address(KNOTS), enabled=False))
        assert await on(one) == await on(other) == ["lint"]
        deletion = await one.deletion(Address(KNOTS))
        await one.delete(Delete(address=Address(KNOTS), delete_revision=deletion.delete_revision))
        assert [key.name for key in await other.states.rows()] == ["lint"]
        skill(root, KNOTS)
        assert await on(one) == await on(other) == ["lint"]

    hosts(opened, root, shared, told)


def test_hosts_that_switch_at_once_agree(opened: Open, tmp_path: Path) -> None:
    """Whatever two hosts switch at the same moment, afterwards both say the same, and what a row says."""
    root, shared = tmp_path / "skills", tmp_path / "shared"
    skill(root, KNOTS)
    shared.mkdir()

    async def told(one: SkillLibrary, other: SkillLibrary) -> None:
        for turn in range(10):
            await asyncio.gather(
                one.set_state(SetState(address=Address(KNOTS), enabled=True, priority=turn)),
                other.set_state(SetState(address=Address(KNOTS), enabled=turn % 2 == 0, priority=100 + turn)),
                return_exceptions=True,
            )
            ((_, state),) = (await one.states.rows()).items()
            marks = (await one.catalog()).fences
            assert await on(one) == await on(other) == (["knots"] if state.enabled and not marks else [])

    hosts(opened, root, shared, told)


def test_of_hosts_that_saw_the_same_state_one_changes_it(opened: Open, tmp_path: Path) -> None:
    """The others are told that it changed; and the row is that of the one."""
    root, shared = tmp_path / "skills", tmp_path / "shared"
    skill(root, KNOTS)
    shared.mkdir()

    async def told(one: SkillLibrary, other: SkillLibrary) -> None:
        for turn in range(10):
            found = (await one.read(Address(KNOTS))).found
            assert isinstance(found, SkillRecord)
            commands = [
                SetState(address=Address(KNOTS), enabled=enabled, priority=turn * 8 + which, expected_etag=found.etag)
                for which, enabled in enumerate([True, turn % 2 == 0] * 2)
            ]
            came = await asyncio.gather(
                *(host.set_state(command) for host, command in zip([one, other] * 2, commands, strict=True)),
                return_exceptions=True,
            )
            (winner,) = (which for which, each in enumerate(came) if not isinstance(each, StaleRevision))
            assert isinstance(came[winner], SkillRecord)
            ((_, state),) = (await other.states.rows()).items()
            assert (state.enabled, state.priority) == (commands[winner].enabled, commands[winner].priority)
            assert (await one.catalog()).fences == {}

    hosts(opened, root, shared, told)


def test_a_root_that_is_not_mounted_loses_nothing(opened: Open, tmp_path: Path) -> None:
    """A host without the shared root, or with an empty one in its place, starts, lists and switches; rows stay."""
    root, shared = tmp_path / "skills", tmp_path / "shared"
    skill(root, KNOTS)
    skill(shared, LINT)

    async def told(one: SkillLibrary, other: SkillLibrary) -> None:
        await one.set_state(SetState(address=Address(KNOTS), enabled=True, priority=1))
        await one.set_state(SetState(address=Address(LINT), enabled=True, priority=2))
        rows = await one.states.rows()
        for away in ("gone", "empty"):
            shared.rename(tmp_path / "elsewhere")
            if away == "empty":
                shared.mkdir()
            await other.start()
            assert "lint" not in await on(other)
            await other.set_state(SetState(address=Address(KNOTS), enabled=False))
            await other.set_state(SetState(address=Address(KNOTS), enabled=True, priority=1))
            assert await other.states.rows() == rows
            if away == "empty":
                shared.rmdir()
            (tmp_path / "elsewhere").rename(shared)
            assert await on(one) == await on(other) == ["knots", "lint"]

    hosts(opened, root, shared, told)
