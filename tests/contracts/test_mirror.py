"""What every mirror keeps, whatever it shows the catalog in: it shows what it was told last, and fails nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Set as AbstractSet

import pytest

from kestrel_skills_adapters.contracts.mirror import A, B, Bed, MirrorContract, catalog
from kestrel_skills_adapters.memory.graph import MemoryGraph
from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.memory.world import MemoryClock
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.ports.mirror import Mirrors
from kestrel_skills_core.service.indexing import Indexed


def memory() -> Bed:
    """The fake."""
    mirror = MemoryMirror()
    return Bed(mirror, lambda: mirror.enabled)


def indexed() -> Bed:
    """What keeps a graph index."""
    graph = MemoryGraph("did:test:abc")

    def on() -> AbstractSet[SkillName]:
        return {name for name, entry in finish(graph.entries()).items() if entry is not None and entry.enabled}

    return Bed(Indexed(index=graph, clock=MemoryClock()), on)


def several() -> Bed:
    """Two as one: they show the same."""
    one, two = MemoryMirror(), MemoryMirror()

    def on() -> AbstractSet[SkillName]:
        assert one.told == two.told
        assert one.enabled == two.enabled
        return one.enabled

    return Bed(Mirrors([one, two]), on)


@pytest.fixture(params=[memory, indexed, several])
def bed(request: pytest.FixtureRequest) -> Bed:
    """Each kind of mirror, told nothing yet."""
    return request.param()


def test_of_several_each_is_told_though_who_tells_is_cancelled() -> None:
    """One that waits then keeps none of the others from the truth; they are told in order."""
    told: list[str] = []

    class Waits(MemoryMirror):
        async def shown(self, catalog: Catalog, *, hidden: bool) -> None:
            told.append("first")
            raise asyncio.CancelledError

        async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:
            await self.shown(Catalog(()), hidden=False)

        async def lost(self, name: SkillName) -> None:
            await self.shown(Catalog(()), hidden=False)

        async def lost_all(self, why: StateUnavailable) -> None:
            await self.shown(Catalog(()), hidden=False)

    last = MemoryMirror()
    both = Mirrors([Waits(), last])
    with pytest.raises(asyncio.CancelledError):
        finish(both.shown(catalog(A), hidden=False))
    assert last.enabled == {A}
    with pytest.raises(asyncio.CancelledError):
        finish(both.changed(A, None))
    with pytest.raises(asyncio.CancelledError):
        finish(both.lost(B))
    assert (last.enabled, last.unknown, told) == (set(), {B}, ["first"] * 3)
    with pytest.raises(asyncio.CancelledError):
        finish(both.lost_all(why := StateUnavailable("it is away")))
    assert (last.why_lost, told) == (why, ["first"] * 4)


class TestMirror(MirrorContract):
    """Each of them holds it."""
