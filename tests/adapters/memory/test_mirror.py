"""What the fake of a mirror keeps, beyond what the contract asks."""

from __future__ import annotations

from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from tests.service.shelf import shelf, skill

A, B = SkillName("a"), SkillName("b")


def test_it_keeps_what_each_name_means() -> None:
    """A record, or the rejected folder that has the name; a folder that has no skill's name is of none."""
    broken = skill("a", "")
    on = shelf({"a": broken, "No Name": broken, "b": skill("b")}, {"a": broken, "b": broken})
    mirror = MemoryMirror()
    finish(mirror.shown(finish(on.library.catalog()).catalog, hidden=False))
    assert set(mirror.found) == {A, B}
    assert isinstance(mirror.found[A], Rejection)
    assert mirror.found[A].source is SourceId.AGENT_LOCAL
    assert isinstance(mirror.found[B], SkillRecord)


def test_it_keeps_what_it_was_told_in_order() -> None:
    """Of all, and whether that was hidden; of one; or that nobody knows of any."""
    catalog = finish(shelf({"a": skill("a")}).library.catalog()).catalog
    mirror = MemoryMirror()
    finish(mirror.shown(catalog, hidden=False))
    finish(mirror.changed(A, None))
    finish(mirror.shown(catalog, hidden=True))
    assert mirror.hidden
    finish(mirror.lost(A))
    assert (mirror.told, mirror.unknown, mirror.found) == ([False, A, True, A], {A}, {})
    finish(mirror.shown(catalog, hidden=False))
    assert (mirror.unknown, set(mirror.found)) == (set(), {A})
    finish(mirror.lost(A))
    finish(mirror.lost_all(why := StateUnavailable("it is away")))
    assert (mirror.told[-1], mirror.unknown, mirror.found, mirror.why_lost) == (None, set(), {}, why)
    finish(mirror.shown(catalog, hidden=False))
    assert (mirror.why_lost, set(mirror.found)) == (None, {A})
    finish(mirror.lost(A))
    finish(mirror.changed(A, None))
    assert (mirror.unknown, mirror.found) == (set(), {})
