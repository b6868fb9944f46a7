"""A home that 0.1.0 left, on this host with this release."""

from __future__ import annotations

import pytest

from .conftest import HomeOf, HostOf
from .homes.old import ON, unpack
from .lab import Host
from .model import Call

pytestmark = pytest.mark.host


@pytest.fixture
def host(home_of: HomeOf, host_of: HostOf) -> Host:
    """The agent's own skills, the shared ones and the rows are those of the old home; a start has adopted them."""
    home = home_of()
    old = unpack(home.skills, home.shared)
    old.fill(home.data / "kestrel_prime.db", home.did)
    return host_of(home)


def test_the_agent_has_all_that_it_had(host: Host) -> None:
    """Everything is listed, what was on is on and in the prompt, nothing else is; what was recovered is still there."""
    (answer,) = host.play([Call("skill_list")])
    shown = {each["name"]: each["enabled"] for each in answer["data"]["skills"]}
    assert set(shown) == {"sow", "dig", "mow", "bud", "burn", "graft", "idle", "prune", "rake", "vine"}
    assert {name for name, enabled in shown.items() if enabled} == set(ON)
    assert answer["data"]["rejected"] == []
    prompt = host.prompt()
    assert [name for name in sorted(shown) if f"Use to {name}." in prompt] == sorted(ON)
    places = [prompt.index(f"Use to {name}.") for name in ON]
    assert places == sorted(places)
    assert list(host.home.skills.glob(".kestrel-internal/.kestrel-skill-recovery-*/SKILL.md"))
    host.restart()
    assert all(f"Use to {name}." in host.prompt() for name in ON)
