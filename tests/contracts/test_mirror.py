"""What every mirror keeps, whatever it shows the catalog in: it shows what it was told last, and fails nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from collections.abc import Set as AbstractSet

import pytest
from attrs import frozen

from kestrel_skills_adapters.memory.graph import MemoryGraph
from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.memory.world import MemoryClock
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName, parse_address
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.ports.mirror import Mirror, Mirrors
from kestrel_skills_core.service.indexing import Indexed
from tests.service.shelf import shelf, skill

A, B = SkillName("a"), SkillName("b")


@frozen
class Kind:
    """A mirror, and the names that it shows to be on."""

    mirror: Mirror
    on: Callable[[], AbstractSet[SkillName]]


def memory() -> Kind:
    """The fake."""
    mirror = MemoryMirror()
    return Kind(mirror, lambda: mirror.enabled)


def indexed() -> Kind:
    """What keeps a graph index."""
    graph = MemoryGraph("did:test:abc")

    def on() -> AbstractSet[SkillName]:
        return {name for name, entry in finish(graph.entries()).items() if entry is not None and entry.enabled}

    return Kind(Indexed(index=graph, clock=MemoryClock()), on)


def several() -> Kind:
    """Two as one: they show the same."""
    one, two = MemoryMirror(), MemoryMirror()

    def on() -> AbstractSet[SkillName]:
        assert one.told == two.told
        assert one.enabled == two.enabled
        return one.enabled

    return Kind(Mirrors([one, two]), on)


@pytest.fixture(params=[memory, indexed, several])
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each kind of mirror, told nothing yet."""
    return request.param()


def catalog(*on: SkillName, rejected: bool = False) -> Catalog:
    """Two skills, of which these are on; or a rejected folder that holds back what is on under it."""
    shelved = shelf(
        {"a": skill("a") if not rejected else skill("a", "")},
        {"a": skill("a"), "b": skill("b")},
    )
    for name in on:
        finish(shelved.library.set_state(SetState(address=parse_address(name), enabled=True)))
    return finish(shelved.library.catalog()).catalog


def found(name: SkillName, *, enabled: bool) -> SkillRecord | Rejection:
    """One of them."""
    return next(record for record in catalog(*([name] if enabled else [])).records if record.name == name)


def test_it_shows_what_a_catalog_has_on(kind: Kind) -> None:
    """Nothing before it was told; then the last catalog, and nothing of one before."""
    assert kind.on() == set()
    finish(kind.mirror.shown(catalog(A, B), hidden=False))
    assert kind.on() == {A, B}
    finish(kind.mirror.shown(catalog(B), hidden=False))
    assert kind.on() == {B}


def test_it_shows_what_has_become_of_one_name(kind: Kind) -> None:
    """On, off, or nothing at all; others stay, and being told twice changes nothing."""
    finish(kind.mirror.shown(catalog(B), hidden=False))
    for _ in range(2):
        finish(kind.mirror.changed(A, found(A, enabled=True)))
        assert kind.on() == {A, B}
    for _ in range(2):
        finish(kind.mirror.changed(A, found(A, enabled=False)))
        assert kind.on() == {B}
    for _ in range(2):
        finish(kind.mirror.changed(B, None))
        assert kind.on() == set()


def test_a_name_that_is_lost_comes_back(kind: Kind) -> None:
    """While nobody knows what it means a mirror shows what it likes of what it showed; of the others it shows all."""
    finish(kind.mirror.shown(catalog(A, B), hidden=False))
    for _ in range(2):
        finish(kind.mirror.lost(A))
        assert {B} <= kind.on() <= {A, B}
    finish(kind.mirror.changed(A, found(A, enabled=True)))
    assert kind.on() == {A, B}
    finish(kind.mirror.lost(A))
    finish(kind.mirror.changed(A, None))
    assert kind.on() == {B}
    finish(kind.mirror.lost(A))
    finish(kind.mirror.shown(catalog(A), hidden=False))
    assert kind.on() == {A}


def test_what_is_lost_altogether_comes_back(kind: Kind) -> None:
    """While nobody knows what is on a mirror shows nothing that it did not; the next catalog holds."""
    finish(kind.mirror.shown(catalog(A), hidden=False))
    for _ in range(2):
        finish(kind.mirror.lost_all(StateUnavailable("it is away")))
        assert kind.on() <= {A}
    finish(kind.mirror.shown(catalog(A, B), hidden=False))
    assert kind.on() == {A, B}
    finish(kind.mirror.lost_all(StateUnavailable("it is away")))
    finish(kind.mirror.shown(catalog(B), hidden=False))
    assert kind.on() == {B}


def test_nothing_is_on_that_was_not(kind: Kind) -> None:
    """Of what was never on, it is not known later either."""
    finish(kind.mirror.shown(catalog(B), hidden=False))
    finish(kind.mirror.lost(A))
    assert kind.on() == {B}


def test_it_may_be_told_of_a_name_before_all_else(kind: Kind) -> None:
    """Then it shows that name, until it is told of all."""
    finish(kind.mirror.changed(A, found(A, enabled=True)))
    assert kind.on() == {A}
    finish(kind.mirror.shown(catalog(B), hidden=False))
    assert kind.on() == {B}


def test_a_rejected_folder_is_not_on(kind: Kind) -> None:
    """Nor is what it holds back."""
    broken = catalog(B, rejected=True)
    finish(kind.mirror.shown(catalog(A, B), hidden=False))
    finish(kind.mirror.changed(A, broken.rejected[0]))
    assert kind.on() == {B}
    finish(kind.mirror.shown(broken, hidden=False))
    assert kind.on() == {B}


def test_what_is_hidden_comes_back(kind: Kind) -> None:
    """While it is hidden a mirror shows what it likes of what it showed; what it is told then holds."""
    finish(kind.mirror.shown(catalog(A), hidden=False))
    finish(kind.mirror.shown(Catalog(()), hidden=True))
    assert kind.on() <= {A}
    finish(kind.mirror.shown(catalog(B), hidden=False))
    assert kind.on() == {B}


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
