from __future__ import annotations

from kestrel_skills_core.domain.census import Census, astray, census_of
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.names import Generation, Revision, SkillName, SourceId
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.domain.rules import NO_DOCUMENT
from kestrel_skills_core.domain.state_row import StateKey
from tests.domain.given import REVISION, record

BIRTH = Generation("a" * 64)
ROOT = "c" * 64
ON = SkillState(enabled=True, subject=Subject(generation=BIRTH))
SHARED_ON = SkillState(enabled=True, subject=Subject(root=ROOT))


def local(name: str, shadowed: tuple[SkillRecord, ...] = ()) -> SkillRecord:
    """A skill of the agent's own."""
    return record(name, generation=BIRTH, root=None, shadowed=shadowed)


def shared(name: str) -> SkillRecord:
    """A skill that the host shares."""
    return record(name, source=SourceId.HOST_SHARED, generation=None, root=ROOT)


def key(name: str, *, of_host: bool = False) -> StateKey:
    """Whose row."""
    return StateKey(SkillName(name), of_host)


def test_every_row_is_of_one_kind() -> None:
    """On for what is there, off, on for something else, and on for nothing."""
    rows = {
        key("tea"): ON,
        key("milk"): SkillState(),
        key("cake"): SkillState(enabled=True, subject=Subject(generation=Generation("d" * 64))),
        key("bread"): SkillState(enabled=True),
        key("gone"): ON,
    }
    catalog = Catalog((local("tea"), local("milk"), local("cake"), local("bread"), local("new")))
    assert census_of(rows, catalog) == Census(on=1, off=1, inert=2, astray=1)
    assert astray(rows, catalog) == ["gone@agent-local"]


def test_a_pin_is_to_the_bytes() -> None:
    """A row that is pinned to another revision is inert."""
    pinned = SkillState(enabled=True, subject=Subject(generation=BIRTH), pin=REVISION)
    other = SkillState(enabled=True, subject=Subject(generation=BIRTH), pin=Revision("e" * 64))
    assert census_of({key("tea"): pinned}, Catalog((local("tea"),))) == Census(on=1)
    assert census_of({key("tea"): other}, Catalog((local("tea"),))) == Census(inert=1)


def test_what_is_shadowed_or_held_back_is_there() -> None:
    """A row of the shared skill counts by that skill, whatever stands before it."""
    rejection = Rejection(
        label="cake",
        name=SkillName("cake"),
        source=SourceId.AGENT_LOCAL,
        faults=(Finding(NO_DOCUMENT, "SKILL.md", "the folder has no SKILL.md"),),
        holds_back=shared("cake"),
    )
    rows = {key("tea", of_host=True): SHARED_ON, key("cake", of_host=True): SHARED_ON, key("cake"): ON}
    catalog = Catalog((local("tea", shadowed=(shared("tea"),)),), (rejection,))
    assert census_of(rows, catalog) == Census(on=2, astray=1)
    assert astray(rows, catalog) == ["cake"]
    assert astray({key("milk", of_host=True): SHARED_ON}, catalog) == ["milk@host-shared"]


def test_a_record_knows_whether_its_row_lapsed() -> None:
    """A row that says on, but not of what is there, has lapsed; one that says off, or means it, has not."""
    assert not local("tea").lapsed
    assert not local("tea").in_state(ON).lapsed
    assert local("tea").in_state(SHARED_ON).lapsed


def test_what_the_host_shares_is_not_for_editing() -> None:
    """The agent's own folders may be edited here, the host's may not."""
    assert local("tea").editable
    assert not shared("tea").editable
