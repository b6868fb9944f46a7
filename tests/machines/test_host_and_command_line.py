"""A host that has its database open, and the command line on the same file: each sees what the other wrote."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from kestrel_skills_adapters.markdown import CmarkMarkdown
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.sql.hosted import HostedStates
from kestrel_skills_adapters.world import SystemChance, inline
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import StaleRevision
from kestrel_skills_core.domain.names import Address, SkillName
from kestrel_skills_core.domain.record import SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.service.library import SkillLibrary
from tests.cli.running import run
from tests.examples import examples
from tests.hostile.disk import skill
from tests.servers.hosts import on_sqlite, real_on_sqlite

AGENT = "did:test:abc"
NAMES = st.sampled_from(["knots", "lint"])
PRIORITIES = st.integers(-3, 3)

Opened = Callable[[Path], Coroutine[Any, Any, Any]]


async def stand_in(path: Path) -> Any:
    """What stands for a host's handle."""
    return on_sqlite(path)


class Machine(RuleBasedStateMachine):
    """Two skills in a root, a database that a host has open, and a dictionary that is told the same."""

    def __init__(self, opened: Opened) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.above = Path(self.folder.name)
        for name in ("knots", "lint"):
            skill(self.above / "skills", name)
        self.runner = asyncio.Runner()
        self.handle = self.runner.run(opened(self.above / "agent.db"))
        self.hosted = HostedStates(lambda: self.handle, AGENT)
        store = PosixSkillStore(self.above / "skills", chance=SystemChance())
        self.library = SkillLibrary(
            agent=AGENT,
            sources=[store],
            store=store,
            states=self.hosted,
            offload=inline,
            markdown=CmarkMarkdown(),
        )
        self.seen: dict[str, tuple[str, SkillState]] = {}
        self.where = ("--root", self.above / "skills", "--state", self.above / "agent.db", "--agent", AGENT)
        records = self.said("list", "--json").json["skills"]
        assert [record["name"] for record in records] == ["knots", "lint"]
        self.model: dict[str, SkillState] = {}

    def teardown(self) -> None:
        """Close everything."""

        async def closed() -> None:
            if (ending := self.handle.close()) is not None:
                await ending

        self.runner.run(closed())
        self.runner.close()
        self.folder.cleanup()

    def said(self, *arguments: str | Path) -> Any:
        """What one command prints."""
        ran = run(*arguments, *self.where)
        assert ran.code == 0, ran.said
        return ran

    def subject(self, name: str) -> Subject:
        """The birth of a folder, as its marker has it."""
        marker = (self.above / "skills" / name / ".kestrel-generation").read_text()
        return Subject(generation=marker.strip().rpartition(":")[2])

    @rule(name=NAMES, priority=PRIORITIES)
    def a_person_enables(self, name: str, priority: int) -> None:
        """On the command line."""
        self.said("enable", name, "--priority", str(priority))
        self.model[name] = SkillState(enabled=True, priority=priority, subject=self.subject(name))

    @rule(name=NAMES)
    def a_person_disables(self, name: str) -> None:
        """On the command line."""
        self.said("disable", name)
        self.model[name] = evolve(self.model.get(name, SkillState()), enabled=False)

    @rule(name=NAMES, priority=PRIORITIES, enabled=st.booleans())
    def the_host_puts(self, name: str, priority: int, enabled: bool) -> None:
        """Through its handle."""
        self.model[name] = SkillState(enabled=enabled, priority=priority, subject=self.subject(name))
        self.runner.run(self.hosted.put(StateKey(SkillName(name)), self.model[name]))

    @rule(name=NAMES, priority=PRIORITIES)
    def the_host_replaces(self, name: str, priority: int) -> None:
        """Through its handle, what it sees."""
        key, new = StateKey(SkillName(name)), SkillState(priority=priority, subject=self.subject(name))
        assert self.runner.run(self.hosted.replace(key, new, seen=self.model.get(name)))
        self.model[name] = new

    @rule(name=NAMES)
    def the_host_drops(self, name: str) -> None:
        """Through its handle, what it sees."""
        if name in self.model:
            self.runner.run(self.hosted.drop(StateKey(SkillName(name)), seen=self.model.pop(name)))

    @rule(name=NAMES)
    def the_host_looks(self, name: str) -> None:
        """At one skill, of which it keeps what it saw."""
        found = self.runner.run(self.library.read(Address(SkillName(name)))).found
        assert isinstance(found, SkillRecord)
        self.seen[name] = found.etag, self.model.get(name, SkillState())

    @rule(name=NAMES, priority=PRIORITIES, enabled=st.booleans())
    def the_host_switches_what_it_saw(self, name: str, priority: int, enabled: bool) -> None:
        """It does, if neither has changed it since."""
        if name not in self.seen:
            return
        etag, seen = self.seen[name]
        now = self.model.get(name, SkillState())
        command = SetState(address=Address(SkillName(name)), enabled=enabled, priority=priority, expected_etag=etag)
        try:
            self.runner.run(self.library.set_state(command))
        except StaleRevision:
            assert (now.enabled, now.priority) != (seen.enabled, seen.priority)
        else:
            assert (now.enabled, now.priority) == (seen.enabled, seen.priority)
            subject = self.subject(name) if enabled else now.subject
            self.model[name] = SkillState(enabled=enabled, priority=priority, subject=subject)

    @invariant()
    def both_see_the_same(self) -> None:
        """The host reads the rows that the dictionary has, and a listing shows them."""
        found = self.runner.run(self.hosted.rows())
        assert found == {StateKey(SkillName(name)): state for name, state in self.model.items()}
        rows = {name: (state.enabled, state.priority) for name, state in self.model.items()}
        listed = {
            each["name"]: (each["enabled"], each["priority"]) for each in self.said("list", "--json").json["skills"]
        }
        assert listed == {name: rows.get(name, (False, 100)) for name in ("knots", "lint")}


STEPS = settings(max_examples=examples(10), stateful_step_count=12, deadline=None)


def test_a_host_and_the_command_line_see_the_same() -> None:
    """On what stands for a host, in WAL mode."""
    run_state_machine_as_test(lambda: Machine(stand_in), settings=STEPS)


@pytest.mark.host
def test_a_real_host_and_the_command_line_see_the_same() -> None:
    """On a real one."""
    pytest.importorskip("kestrel_sovereign", reason="no host is installed here")
    run_state_machine_as_test(lambda: Machine(real_on_sqlite), settings=STEPS)
