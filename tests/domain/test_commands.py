"""Commands are legal by construction."""

from __future__ import annotations

import pytest

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import Revision, parse_address

LINT = parse_address("lint")
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
