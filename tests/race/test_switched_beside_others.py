"""A process that switches a skill off and on, twenty times a second, beside one that refreshes and reads."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import Address

from .siblings import together
from .sight import KNOTS, library_at, store_at, tree
from .switching import refreshing, switching


def tell_switches(above: Path, times: int) -> None:
    """Every refresh and read is answered, costs what it costs when nobody switches, and says on or off."""
    (above / "skills").mkdir()
    store_at(above).publish(KNOTS, tree("first"), cancelled=never)
    finish(library_at(above).set_state(SetState(address=Address(KNOTS), enabled=True)))
    (switched,), (noticed,) = together([partial(switching, above, times)], [partial(refreshing, above)])
    print(f"\n{switched} switches, refreshes {dict(noticed.refreshed)}, calls of one read {dict(noticed.calls)}")
    assert switched == times
    assert noticed.refreshed.keys() | noticed.read.keys() == {"on", "off"}
    assert noticed.last == "on"
    assert noticed.refreshed.total() > times  # it is not one refresh for each switch, at least
    assert noticed.surveys.keys() == {1}
    assert noticed.opened.keys() == {0}
    assert max(noticed.calls) - min(noticed.calls) <= 1  # the mark is read, if it stands there at the moment


def test_a_sibling_that_switches_a_skill_hinders_no_reader(tmp_path: Path) -> None:
    """For a second."""
    tell_switches(tmp_path, 20)


@pytest.mark.race
def test_a_sibling_that_switches_a_skill_for_twenty_seconds_hinders_no_reader(tmp_path: Path) -> None:
    """400 times, every 50 ms."""
    tell_switches(tmp_path, 400)
