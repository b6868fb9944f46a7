"""What every privacy mode keeps, real or not.

A host's adapter joins with a `Bed` of its own: how its agent's mode is changed, and who is known to hold it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from kestrel_skills_adapters.contracts.privacy import Bed, PrivacyContract, entered
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.sovereign.host import HostPrivacy
from kestrel_skills_core.ports.privacy import Privacy
from tests.sovereign.agent import PrivacyConfig, TransitionLock


def memory(patience: float) -> Bed:
    """The fake."""
    privacy = MemoryPrivacy(patience=patience)

    def enter(mode: str | None) -> None:
        privacy.mode = mode

    return Bed(privacy, lambda: enter("ephemeral"), lambda: enter(None), lambda: privacy.is_held_here)


def host(patience: float) -> Bed:
    """The mode of a host's agent, and its lock."""
    agent = SimpleNamespace(privacy_config=PrivacyConfig("normal"), lock=TransitionLock())
    agent._get_privacy_transition_lock = lambda: agent.lock

    def enter(mode: str) -> None:
        agent.privacy_config = PrivacyConfig(mode)

    return Bed(
        HostPrivacy(agent, patience),
        lambda: enter("ephemeral"),
        lambda: enter("normal"),
        lambda: agent.lock.owner is asyncio.current_task(),
    )


BEDS: dict[str, Callable[[float], Bed]] = {"memory": memory, "host": host}


@pytest.fixture(params=BEDS)
def bed_of(request: pytest.FixtureRequest) -> Callable[[float], Bed]:
    """Each kind of privacy mode, by how long it waits."""
    return BEDS[request.param]


def test_where_there_is_no_mode_nothing_is_hidden() -> None:
    """The port itself hides nothing, is entered at once by anybody, and waits for nobody."""

    async def test() -> None:
        privacy = Privacy()
        assert privacy.hidden() is None
        async with privacy.held():
            await asyncio.create_task(entered(Bed(privacy, lambda: None, lambda: None, lambda: True)))

    asyncio.run(test())


class TestPrivacy(PrivacyContract):
    """Each of them holds it."""
