"""What a change of one skill costs among 4,000 skills, against the same change among ten."""

from __future__ import annotations

import gc
import os
import sqlite3
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from attrs import frozen

from kestrel_skills_adapters.sql.statements import CREATE, UPSERT, owner_of, upsert_values
from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Create, Delete, Edit, SetState
from kestrel_skills_core.domain.edit import Append
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import Address, Generation, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.service.library import SkillLibrary
from tests.adapters.test_costs import costs
from tests.hostile.disk import skill

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]

AGENT = "did:test:abc"
FEW, MANY = 10, 4_000
MOST = 1.2
"""So many times what it costs among few may a change cost among many, by the processor's clock."""
WARM, ROUNDS = 5, 101
VERBS = ("create", "edit", "enable", "disable", "delete")
HERE = Address(SkillName("one-more"))
BORN = Generation("a1" * 32)
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


@frozen
class Shelf:
    """One root, and the library over it that lives as long as an agent."""

    library: SkillLibrary

    def change(self, verb: str) -> Callable[[], object]:
        """One change of the one skill; what a person looks at before it is no part of it."""
        library, on = self.library, SetState(address=HERE, enabled=True)
        if verb == "create":
            work = library.create(Create.written(HERE.name, "Use when it is time.", "Do it.\n"))
        elif verb == "edit":
            work = library.edit(Edit(address=HERE, change=Append("Again.\n")))
        elif verb == "delete":
            token = finish(library.deletion(HERE)).delete_revision
            work = library.delete(Delete(address=HERE, delete_revision=token))
        else:
            work = library.set_state(on if verb == "enable" else SetState(address=HERE, enabled=False))
        return partial(finish, work)


def shelf(above: Path, skills: int) -> Shelf:
    """A root of so many skills, each marked and on; surveyed once, as an agent does at its first turn."""
    root = above / f"{skills}" / "skills"
    library = library_of(settings_of({"HOME": str(above)}, root=root, agent=AGENT))
    state = SkillState(enabled=True, subject=Subject(generation=BORN))
    root.mkdir(parents=True)
    with closing(sqlite3.connect(root.with_name("skills.state.sqlite3"))) as database, database:
        for statement in CREATE:
            database.execute(statement)
        for number in range(skills):
            name = SkillName(f"skill-{number:04}")
            (skill(root, name) / ".kestrel-generation").write_bytes(render_marker(BORN))
            database.execute(UPSERT, upsert_values(owner_of(AGENT), StateKey(name), state))
    assert len(finish(library.catalog()).catalog.enabled) == skills
    return Shelf(library)


def test_a_change_among_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Medians of interleaved rounds and their ratio, by both clocks; that of the processor's time is at most 1.2."""
    shelves = [(skills, shelf(tmp_path, skills)) for skills in (FEW, MANY)]
    os.sync()
    times: dict[tuple[str, str, int], list[float]] = {}
    for turn in range(WARM + ROUNDS):
        gc.collect()
        for verb in VERBS:
            for skills, on in shelves[:: 1 if turn % 2 else -1]:
                work = on.change(verb)
                starts = {clock: now() for clock, now in CLOCKS.items()}
                work()
                for clock, now in CLOCKS.items():
                    times.setdefault((clock, verb, skills), []).append(now() - starts[clock])
    medians = {key: statistics.median(taken[WARM:]) * 1000 for key, taken in times.items()}
    assert all(len(taken) == WARM + ROUNDS for taken in times.values())
    with capsys.disabled():
        for (clock, verb, skills), few in medians.items():
            if skills == FEW:
                many = medians[clock, verb, MANY]
                print(
                    f"\n{clock}, {verb}: {few:.2f} ms among {FEW}, {many:.2f} among {MANY:,}: {many / few:.2f} x",
                    end="",
                )
    ratios = {verb: medians["processor", verb, MANY] / medians["processor", verb, FEW] for verb in VERBS}
    assert {verb: ratio for verb, ratio in ratios.items() if ratio > MOST} == {}


def test_a_change_costs_the_same_among_ten_and_4_000(swift_path: Path) -> None:
    """Call by call, entry by entry and row by row, as the same test asks of 400 with all other tests."""
    few, many = costs(swift_path / "few", FEW), costs(swift_path / "many", MANY)
    assert few == many
