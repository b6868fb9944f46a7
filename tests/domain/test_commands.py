"""Commands are legal by construction."""

from __future__ import annotations

import pytest

from kestrel_skills_core.domain.commands import Adapt, Create, Edit, Install, RemoveFile, SetState, Unadapt
from kestrel_skills_core.domain.edit import Append
from kestrel_skills_core.domain.names import ResourcePath, Revision, SkillName, parse_address
from kestrel_skills_core.domain.offer import Package
from kestrel_skills_core.domain.parcel import Parcel

LINT = parse_address("lint")
NAME = SkillName("lint")
REVISION = Revision("c3" * 32)


@pytest.mark.parametrize("priority", [None, 0, -100_000, 100_000])
def test_priorities_in_range(priority: int | None) -> None:
    """Whole numbers from -100,000 to 100,000 are priorities, and so is none."""
    assert SetState(address=LINT, enabled=True, priority=priority).priority == priority


@pytest.mark.parametrize("priority", [-100_001, 100_001, 2**70, True, 1.0, "1"])
def test_other_priorities_are_refused(priority: object) -> None:
    """Nothing else is, and the message gives the range."""
    with pytest.raises(ValueError, match=r"priority must be a whole number from -100,000 to 100,000"):
        SetState(address=LINT, enabled=True, priority=priority)  # type: ignore[arg-type]


def test_a_pin_goes_with_turning_on() -> None:
    """Turning on may name the revision that is meant."""
    assert SetState(address=LINT, enabled=True, pin=REVISION).pin == REVISION


def test_a_pin_does_not_go_with_turning_off() -> None:
    """There is nothing to pin in what is off."""
    with pytest.raises(ValueError, match="cannot go with turning off"):
        SetState(address=LINT, enabled=False, pin=REVISION)


@pytest.mark.parametrize("pin", ["", "c3", "C3" * 32, "c3" * 33, f"{REVISION}\n"])
def test_a_pin_is_a_revision(pin: str) -> None:
    """A pin that is not 64 lower-case hex digits is refused, so that no row is written that would be inert."""
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        SetState(address=LINT, enabled=True, pin=Revision(pin))


def test_a_skill_is_made_of_its_text() -> None:
    """The whole document is kept to the byte; made of its parts, it is in the canonical form."""
    assert Create(name=NAME, document=b"---\r\n").document == b"---\r\n"
    made = Create.written(NAME, 'Use when "it" rains.', "Run.\n", enabled=True, priority=-3)
    text = b'---\nname: "lint"\ndescription: "Use when \\"it\\" rains."\n---\n\nRun.\n'
    assert made == Create(name=NAME, document=text, enabled=True, priority=-3)


@pytest.mark.parametrize("priority", [-100_001, 100_001, True, None, "1"])
def test_a_skill_is_made_at_a_priority(priority: object) -> None:
    """A new skill has a place in the order, and it is in range."""
    with pytest.raises(ValueError, match=r"priority must be a whole number from -100,000 to 100,000"):
        Create(name=NAME, document=b"", priority=priority)  # type: ignore[arg-type]


@pytest.mark.parametrize("revision", ["", "c3", "C3" * 32])
def test_what_was_seen_is_a_revision(revision: str) -> None:
    """An edit or removal that says what it saw says a revision."""
    path = ResourcePath("notes.md")
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        Edit(address=LINT, change=Append("a"), expected_revision=Revision(revision))
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        RemoveFile(address=LINT, path=path, expected_revision=Revision(revision))
    for command in (Adapt, Unadapt):
        with pytest.raises(ValueError, match="64 lower-case hex digits"):
            command(address=LINT, expected_revision=Revision(revision))


def test_an_edit_is_of_the_document_if_nothing_else_is_said() -> None:
    """The file most often edited need not be named."""
    assert Edit(address=LINT, change=Append("a")).path == "SKILL.md"


@pytest.mark.parametrize("digest", ["", "c3", "C3" * 32, "c3" * 33])
def test_what_is_installed_may_be_bound_to_a_digest(digest: str) -> None:
    """A digest that is none is refused, so that nobody believes it was looked at."""
    package = Package(kind="folder", parcel=Parcel({}))
    assert Install(source=package, digest=REVISION).digest == REVISION
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        Install(source=package, digest=Revision(digest))
