"""What every mirror keeps, whatever it shows the catalog in: it shows what it was told last, and fails nothing."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from attrs import frozen

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName, SourceId, parse_address
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.mirror import Mirror
from kestrel_skills_core.service.library import SkillLibrary

from ..memory.files import Entry, MemorySkillFiles
from ..memory.markdown import InlineLinks
from ..memory.states import MemoryStates
from ..memory.world import CountedChance, MemoryOffload
from ..world import finish

__all__ = ["A", "B", "Bed", "MirrorContract", "catalog"]

A: Final = SkillName("a")
"""One skill."""
B: Final = SkillName("b")
"""And another."""


@frozen
class Bed:
    """A mirror, and the names that it shows to be on."""

    mirror: Mirror
    on: Callable[[], AbstractSet[SkillName]]


def catalog(*on: SkillName, rejected: bool = False) -> Catalog:
    """Two skills, of which these are on; or a rejected folder that holds back what is on under it."""
    local: dict[str, dict[str, Entry] | Entry] = {"a": skill("a", "" if rejected else "Use it.")}
    library = SkillLibrary(
        agent="did:test:abc",
        sources=[
            MemorySkillFiles(SourceId.AGENT_LOCAL, local, chance=CountedChance()),
            MemorySkillFiles(SourceId.HOST_SHARED, {"a": skill("a"), "b": skill("b")}, root="5e" * 32),
        ],
        states=MemoryStates(),
        offload=MemoryOffload(),
        markdown=InlineLinks(),
    )
    for name in on:
        finish(library.set_state(SetState(address=parse_address(name), enabled=True)))
    return finish(library.catalog()).catalog


def skill(name: str, description: str = "Use it.") -> dict[str, Entry]:
    """The folder of a skill."""
    return {"SKILL.md": Content(f"---\nname: {name}\ndescription: {description}\n---\n\nDo it.\n".encode())}


def found(name: SkillName, *, enabled: bool) -> SkillRecord | Rejection:
    """One of them."""
    return next(record for record in catalog(*([name] if enabled else [])).records if record.name == name)


class MirrorContract:
    """Every mirror. The fixture `bed` is one that was told nothing yet."""

    def test_it_shows_what_a_catalog_has_on(self, bed: Bed) -> None:
        """Nothing before it was told; then the last catalog, and nothing of one before."""
        assert bed.on() == set()
        finish(bed.mirror.shown(catalog(A, B), hidden=False))
        assert bed.on() == {A, B}
        finish(bed.mirror.shown(catalog(B), hidden=False))
        assert bed.on() == {B}

    def test_it_shows_what_has_become_of_one_name(self, bed: Bed) -> None:
        """On, off, or nothing at all; others stay, and being told twice changes nothing."""
        finish(bed.mirror.shown(catalog(B), hidden=False))
        for _ in range(2):
            finish(bed.mirror.changed(A, found(A, enabled=True)))
            assert bed.on() == {A, B}
        for _ in range(2):
            finish(bed.mirror.changed(A, found(A, enabled=False)))
            assert bed.on() == {B}
        for _ in range(2):
            finish(bed.mirror.changed(B, None))
            assert bed.on() == set()

    def test_a_name_that_is_lost_comes_back(self, bed: Bed) -> None:
        """While nobody knows what it means a mirror shows what it likes of it, if it did; the others it shows all."""
        finish(bed.mirror.shown(catalog(A, B), hidden=False))
        for _ in range(2):
            finish(bed.mirror.lost(A))
            assert {B} <= bed.on() <= {A, B}
        finish(bed.mirror.changed(A, found(A, enabled=True)))
        assert bed.on() == {A, B}
        finish(bed.mirror.lost(A))
        finish(bed.mirror.changed(A, None))
        assert bed.on() == {B}
        finish(bed.mirror.lost(A))
        finish(bed.mirror.shown(catalog(A), hidden=False))
        assert bed.on() == {A}

    def test_what_is_lost_altogether_comes_back(self, bed: Bed) -> None:
        """While nobody knows what is on a mirror shows nothing that it did not; the next catalog holds."""
        finish(bed.mirror.shown(catalog(A), hidden=False))
        for _ in range(2):
            finish(bed.mirror.lost_all(StateUnavailable("it is away")))
            assert bed.on() <= {A}
        finish(bed.mirror.shown(catalog(A, B), hidden=False))
        assert bed.on() == {A, B}
        finish(bed.mirror.lost_all(StateUnavailable("it is away")))
        finish(bed.mirror.shown(catalog(B), hidden=False))
        assert bed.on() == {B}

    def test_nothing_is_on_that_was_not(self, bed: Bed) -> None:
        """Of what was never on, it is not known later either."""
        finish(bed.mirror.shown(catalog(B), hidden=False))
        finish(bed.mirror.lost(A))
        assert bed.on() == {B}

    def test_it_may_be_told_of_a_name_before_all_else(self, bed: Bed) -> None:
        """Then it shows that name, until it is told of all."""
        finish(bed.mirror.changed(A, found(A, enabled=True)))
        assert bed.on() == {A}
        finish(bed.mirror.shown(catalog(B), hidden=False))
        assert bed.on() == {B}

    def test_a_rejected_folder_is_not_on(self, bed: Bed) -> None:
        """Nor is what it holds back."""
        broken = catalog(B, rejected=True)
        finish(bed.mirror.shown(catalog(A, B), hidden=False))
        finish(bed.mirror.changed(A, broken.rejected[0]))
        assert bed.on() == {B}
        finish(bed.mirror.shown(broken, hidden=False))
        assert bed.on() == {B}

    def test_what_is_hidden_comes_back(self, bed: Bed) -> None:
        """While it is hidden a mirror shows what it likes of what it showed; what it is told then holds."""
        finish(bed.mirror.shown(catalog(A), hidden=False))
        finish(bed.mirror.shown(Catalog(()), hidden=True))
        assert bed.on() <= {A}
        finish(bed.mirror.shown(catalog(B), hidden=False))
        assert bed.on() == {B}
