"""What was written and what is observed: why a skill that was switched on is not in effect."""

from __future__ import annotations

import pytest
from attrs import evolve

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import SourceUnavailable, StateUnavailable, TooLarge
from kestrel_skills_core.domain.names import Generation, SkillName, parse_address
from kestrel_skills_core.domain.record import SkillRecord, SkillState, Subject
from kestrel_skills_core.ports.store import Fence
from kestrel_skills_core.service.observed import Observed

from .shelf import Shelf, from_git, shelf, skill

BROKEN = skill("lint", "")
LINT = SkillName("lint")
AWAY = SourceUnavailable("agent-local", "it is away", "bring it back")


def switched_on(on: Shelf, address: str) -> SkillRecord:
    """A skill, switched on, as it was written."""
    written = finish(on.library.set_state(SetState(address=parse_address(address), enabled=True)))
    assert isinstance(written, SkillRecord)
    return written


def hindrance(on: Shelf, written: SkillRecord) -> str:
    """Why it is not in effect now."""
    return finish(on.library.catalog()).hindrance(written)


@pytest.mark.parametrize("address", ["lint", "lint@agent-local"])
def test_nothing_hinders_what_resolves(address: str) -> None:
    """A skill that is on and resolves is in effect, whatever it shadows."""
    on = shelf({"lint": skill("lint")}, {"lint": skill("lint")})
    assert hindrance(on, switched_on(on, address)) == ""


def test_a_root_that_cannot_be_read_hinders_what_it_outranks() -> None:
    """Nobody knows what it holds; a root of lower rank hinders nothing."""
    on = shelf({}, {"lint": skill("lint")})
    written = switched_on(on, "lint@host-shared")
    on.local.problem = AWAY
    assert hindrance(on, written) == (
        "the agent-local skills cannot be read: it is away, and what they may hold comes first"
    )
    on = shelf({"lint": skill("lint")})
    written = switched_on(on, "lint")
    on.shared.problem = TooLarge("entries", 4096)
    assert hindrance(on, written) == ""


@pytest.mark.parametrize(
    ("local", "told"),
    [
        (skill("lint"), "it is shadowed by a skill, lint@agent-local"),
        (BROKEN, "it is held back by a rejected folder, lint@agent-local"),
    ],
)
def test_what_comes_first_hinders(local: dict, told: str) -> None:
    """A skill of a higher source shadows, a rejected folder holds back."""
    on = shelf({"lint": local}, {"lint": skill("lint")})
    assert hindrance(on, switched_on(on, "lint@host-shared")) == told


def test_the_host_comes_before_what_was_installed() -> None:
    """An install is shadowed by what the host shares."""
    on = shelf({"lint": from_git("lint")}, {"lint": skill("lint")})
    assert hindrance(on, switched_on(on, "lint@git")) == "it is shadowed by a skill, lint@host-shared"


def test_what_changed_meanwhile_is_not_what_was_switched_on() -> None:
    """Another birth, a fault, or nothing at all under the name."""
    on = shelf({"lint": skill("lint")})
    written = switched_on(on, "lint")
    on.local.folders["lint"] = dict(BROKEN)
    assert hindrance(on, written) == "it changed since it was switched on"
    on.local.folders["lint"] = skill("lint")
    assert hindrance(on, written) == "it changed since it was switched on"
    del on.local.folders["lint"]
    assert hindrance(on, written) == "it is not there any more"


def test_what_was_switched_off_meanwhile_is_told() -> None:
    """By a mark, since the table did not answer; whether it changed too, does not matter then."""
    on = shelf({"lint": skill("lint")})
    written = switched_on(on, "lint")
    on.local.fence(written.name, Fence(priority=1, reason="it was turned off"), cancelled=never)
    assert hindrance(on, written) == "it was switched off again"


def test_a_table_that_no_longer_answers_is_told() -> None:
    """Then nothing is known to be on."""
    on = shelf({"lint": skill("lint")})
    written = switched_on(on, "lint")
    observed = evolve(finish(on.library.catalog()), unavailable=StateUnavailable("it is away", "bring it back"))
    assert observed.hindrance(written) == "what is enabled cannot be read or written: it is away"


def test_a_pin_that_was_left_is_known() -> None:
    """Only what is on for certain bytes, and has others, has left its pin."""
    on = shelf({"lint": skill("lint")})
    record = switched_on(on, "lint")
    assert not record.has_left_pin
    subject = Subject(generation=Generation("ab" * 32))
    for state, left in (
        (SkillState(enabled=True, subject=subject, pin=record.revision), False),
        (SkillState(enabled=True, subject=subject, pin="0" * 64), True),
        (SkillState(enabled=False, subject=subject, pin="0" * 64), False),
    ):
        assert record.in_state(state).has_left_pin is left


def test_a_catalog_in_which_nothing_changed_is_that_very_value() -> None:
    """A folder, a row or a mark makes another one; each of them once."""
    on = shelf({"lint": skill("lint")}, {"knots": skill("knots")})
    steps = (
        lambda: None,
        lambda: on.local.folders.update({"new": skill("new")}),
        lambda: on.shared.folders.update({"knots": skill("knots", "Use to tie.")}),
        lambda: switched_on(on, "lint"),
        lambda: on.local.fence(LINT, Fence(priority=1, reason="it was turned off"), cancelled=never),
    )
    seen: list[Observed] = []
    for step in steps:
        step()
        seen.append(finish(on.library.catalog()))
        assert finish(on.library.catalog()) is seen[-1]
    assert len({id(each.catalog) for each in seen}) == len(steps)
    assert [[record.name for record in each.catalog.enabled] for each in seen] == [[], [], [], ["lint"], []]
    assert finish(on.library.reload()) is seen[-1]


def test_a_catalog_is_resolved_anew_while_the_table_is_silent() -> None:
    """What is wrong is told as it is now."""
    on = shelf({"lint": skill("lint")})
    for why in ("it is away", "it is full"):
        on.states.unavailable = StateUnavailable(why, "bring it back")
        assert [str(each) for each in finish(on.library.catalog()).problems] == [
            f"what is enabled cannot be read or written: {why}"
        ]
