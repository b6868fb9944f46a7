"""What is found of a host's agent, under which names, and what is said of what is not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kestrel_skills_adapters.sovereign.host import Host, HostPrivacy, Unpublished
from kestrel_skills_core.domain.errors import Busy, Hidden
from tests.sovereign.agent import HIDING, Agent, PrivacyConfig, TransitionLock, host_modules


class Guarded:
    """As the host's storage that guards privacy: the database is in what it wraps, and its own names only warn."""

    def __init__(self, wrapped: Any) -> None:
        self._storage = wrapped

    @property
    def db(self) -> Any:
        """Only warns."""
        raise AssertionError("the wrapper's own property is asked")


def found(**agent: Any) -> Host:
    """A host with such an agent."""
    return Host(SimpleNamespace(**agent))


@pytest.mark.parametrize(
    ("agent", "did"),
    [
        ({"did": "did:a"}, "did:a"),
        ({"did": "", "agent_id": "did:b"}, "did:b"),
        ({"did": None}, ""),
        ({"did": 7, "agent_id": []}, ""),
        ({}, ""),
    ],
)
def test_who_the_agent_is(agent: dict[str, Any], did: str) -> None:
    """Its DID, by either name; nothing but a text is one."""
    assert found(**agent).did == did


def test_where_its_skills_are(tmp_path: Path) -> None:
    """In the first place that is named, of those that 0.1.0 looked into."""
    named = SimpleNamespace(agent_data_path=str(tmp_path / "data"))
    agent: dict[str, Any] = {"storage_path": str(tmp_path / "db" / "kestrel.db")}
    assert found(**agent).root == tmp_path / "db" / "skills"
    agent["context_builder"] = named
    assert found(**agent).root == tmp_path / "data" / "skills"
    agent["bootstrap_service"] = SimpleNamespace(agent_data_path=tmp_path / "first")
    assert found(**agent).root == tmp_path / "first" / "skills"
    agent["procedural_skills_root"] = tmp_path / "own"
    assert found(**agent).root == tmp_path / "own"
    for nowhere in ("", ":memory:", None, 7):
        assert found(storage_path=nowhere).root is None


def test_its_database() -> None:
    """In the raw storage, in what is wrapped, or in a storage that wraps nothing."""
    database = object()
    bare = SimpleNamespace(db=database)
    for agent in (
        {"_raw_storage": bare},
        {"storage": Guarded(bare)},
        {"storage": SimpleNamespace(database=database)},
        {"storage": SimpleNamespace(_db=database)},
        {"_raw_storage": SimpleNamespace(db=None), "storage": Guarded(bare)},
    ):
        assert found(**agent).database() is database
    for agent in ({}, {"storage": Guarded(None)}, {"storage": object()}, {"storage": SimpleNamespace(db=None)}):
        assert found(**agent).database() is None


@pytest.mark.parametrize(
    ("database", "file"),
    [
        (SimpleNamespace(backend_type="sqlite", backend=SimpleNamespace(db_path="/srv/a.db")), "/srv/a.db"),
        (SimpleNamespace(backend_type="sqlite", backend=SimpleNamespace(db_path=Path("/srv/a.db"))), "/srv/a.db"),
        (SimpleNamespace(backend_type="postgres", backend=SimpleNamespace(_dsn="postgresql://")), None),
        (SimpleNamespace(backend_type="sqlite"), ""),
        (None, ""),
    ],
)
def test_the_file_of_its_database(database: Any, file: str | None) -> None:
    """Nothing where it has a server, and empty where nobody can tell."""
    assert found(_raw_storage=SimpleNamespace(db=database)).database_file == file


@pytest.mark.parametrize("mode", [*HIDING, "anonymous", "normal", "public"])
def test_which_modes_hide(mode: str) -> None:
    """As the host itself has it; the refusal names the mode."""
    agent = SimpleNamespace(privacy_config=PrivacyConfig(mode), privacy_mode=SimpleNamespace(value=mode))
    hidden = HostPrivacy(agent).hidden()
    assert (hidden is not None) is (mode in HIDING)
    assert hidden is None or hidden.mode == mode


@pytest.mark.parametrize(
    "agent",
    [
        SimpleNamespace(),
        SimpleNamespace(privacy_config=None, storage=SimpleNamespace(privacy_config=None)),
        SimpleNamespace(privacy_config=object()),
        SimpleNamespace(privacy_config=SimpleNamespace(is_ephemeral=lambda: 1 / 0)),
        SimpleNamespace(privacy_config=SimpleNamespace(is_ephemeral=False)),
    ],
)
def test_a_mode_that_nobody_can_say_hides(agent: Any) -> None:
    """None, one that is asked in another way, and one that fails."""
    hidden = HostPrivacy(agent).hidden()
    assert isinstance(hidden, Hidden)
    assert hidden.mode == ""


def test_the_mode_may_be_told_by_a_storage() -> None:
    """Where the agent itself does not know it."""
    for holder in ("storage", "_raw_storage"):
        agent = SimpleNamespace(**{holder: SimpleNamespace(privacy_config=PrivacyConfig("normal"))})
        assert HostPrivacy(agent).hidden() is None


def test_a_mode_without_a_lock_is_entered_at_once() -> None:
    """That a change of it may overtake a write is said instead."""

    async def test() -> None:
        agent = SimpleNamespace(privacy_config=PrivacyConfig("normal"))
        async with HostPrivacy(agent).held(), HostPrivacy(agent).unchanged(0):
            pass
        agent.privacy_config = PrivacyConfig("isolated")
        async with HostPrivacy(agent).unchanged(0):
            with pytest.raises(Hidden):
                await HostPrivacy(agent).held().__aenter__()

    asyncio.run(test())


def test_a_lock_that_cannot_be_had_is_busy() -> None:
    """Nothing is written beside a lock that is there, and broken."""

    def broken() -> Any:
        raise RuntimeError("/srv/kite")

    async def test() -> None:
        agent = SimpleNamespace(privacy_config=PrivacyConfig("normal"), _get_privacy_transition_lock=broken)
        with pytest.raises(Busy) as caught:
            await HostPrivacy(agent).held().__aenter__()
        assert "/srv" not in f"{caught.value}{caught.value.fix}"

    asyncio.run(test())


def test_it_is_held_without_waiting_where_that_is_possible() -> None:
    """Free, or one's own: at once, though no time is given; another's: not at all."""

    async def test() -> None:
        lock = TransitionLock()
        privacy = HostPrivacy(SimpleNamespace(_get_privacy_transition_lock=lambda: lock))

        async def enter() -> None:
            async with privacy.unchanged(0):
                assert lock.locked()

        await enter()
        async with lock:
            await enter()
            with pytest.raises(Busy):
                await asyncio.create_task(enter())
        assert not lock.locked()

    asyncio.run(test())


def test_whoever_holds_it_does_first_what_is_to_be_done_first() -> None:
    """While it is held, which that may do once more; not in a mode that hides; what fails lets it go."""

    async def test() -> None:
        lock, done = TransitionLock(), list[bool]()
        agent = SimpleNamespace(privacy_config=PrivacyConfig("normal"), _get_privacy_transition_lock=lambda: lock)

        async def first() -> None:
            async with HostPrivacy(agent).held():
                done.append(lock.locked())

        async def fails() -> None:
            raise LookupError

        async with HostPrivacy(agent, first=first).held():
            assert done == [True]
        with pytest.raises(LookupError):
            await HostPrivacy(agent, first=fails).held().__aenter__()
        agent.privacy_config = PrivacyConfig("isolated")
        with pytest.raises(Hidden):
            await HostPrivacy(agent, first=first).held().__aenter__()
        assert (done, lock.locked()) == ([True], False)

    asyncio.run(test())


def test_what_a_host_lacks_is_said(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a whole one; of one that has nothing all of it, each with what it means."""
    assert Host(agent).lacks == ()
    assert len(found().lacks) == 3
    assert all(", so that " in lack for lack in (*found().lacks, *found(did="did:a").lacks))
    host_modules(monkeypatch, agent.home, cap=500)
    (lack,) = Host(agent).lacks
    assert "7,000 characters" in lack


@pytest.mark.parametrize(("cap", "room"), [(8_000, 8_000), (20_000, 20_000), (500, 7_000), (None, 8_000)])
def test_how_long_an_answer_may_be(agent: Agent, monkeypatch: pytest.MonkeyPatch, cap: Any, room: int) -> None:
    """What the host says; below what an answer needs, that; and where it does not say, what hosts do."""
    assert Host(agent).room == 8_000
    host_modules(monkeypatch, agent.home, cap=cap)
    assert Host(agent).room == room


def test_what_the_prompt_has_is_asked_of_the_host(agent: Agent) -> None:
    """Nothing of a feature that is not active, nor of a host that fails; a refusal is one phrase."""
    host = Host(agent)
    assert host.published(object()) is None
    with pytest.raises(Unpublished) as caught:
        host.publish(object())
    assert str(caught.value) == "ContributionError"

    class Failing:
        def is_active(self, feature: Any) -> bool:
            raise RuntimeError("/srv")

        active_context_clauses = is_active

    agent.feature_contribution_runtime = Failing()
    assert host.published(object()) is None
    agent.feature_contribution_runtime = SimpleNamespace()
    assert host.published(object()) is None
    assert not host.publishes
