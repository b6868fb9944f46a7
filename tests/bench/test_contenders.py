"""What is compared does what it says: each program answers, and the least waits as often as ours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from tests.adapters.test_costs import waits
from tests.bench.beside.contender import named
from tests.bench.beside.floor import Bare
from tests.bench.beside.run import CHANGES, CONTENDERS, WORKS, Child, Plan, child, switch_on
from tests.bench.beside.trees import grow

SKILLS: Final = 3
PLAN: Final = Plan(Path(sys.executable))
IN_OUR_WORDS: Final = {
    "create": "create",
    "edit": "replace a file",
    "enable": "turn on",
    "disable": "turn off",
    "delete": "delete",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three skills, all on."""
    grow(tmp_path / "skills", SKILLS, marked=True)
    for table in {each.table for each in CONTENDERS.values()}:
        switch_on(tmp_path / table, SKILLS)
    return tmp_path


@pytest.mark.parametrize("name", ["floor", "library", pytest.param("feature", marks=pytest.mark.host)])
def test_a_contender_answers_with_its_own_seconds(home: Path, name: str) -> None:
    """Twice each, as each change is undone by the last; and a look of several agents at one root."""
    with child(PLAN, name, home) as asked:
        assert asked.ask("load", home=str(home), skills=SKILLS)["most"] > 0
        asked.ask("settle")
        answers = [asked.ask(work) for work in WORKS[1:] * 2]
        looked = asked.ask("agents", shared=str(home / "skills"), home=str(home / "agents"), count=2)
    assert all(answer["wall"] > 0 and answer["processor"] > 0 for answer in answers)
    assert len(looked["walls"]) == (1 if name == "floor" else 2)


@pytest.mark.parametrize(("skills", "turns"), [(3, 3), (10, 10), (4_000, 10)])
def test_as_many_skills_take_turns_among_few_and_many(skills: int, turns: int) -> None:
    """Ten, if there are so many, and each as often; all of them are there."""
    names = [named(number, skills) for number in range(skills * 10)]
    assert {names.count(name) for name in set(names)} == {len(names) // turns}
    assert len(set(names)) == turns
    assert max(names) < f"skill-{skills:04}"


def test_the_memory_of_what_skills_say_is_a_part_of_all(home: Path) -> None:
    """More than their descriptions and digests, less than what is alive."""
    with child(PLAN, "library", home) as asked:
        said = asked.ask("load", home=str(home), skills=SKILLS, trace=True)
    assert SKILLS * (150 + 3 * 32) < said["own"] < said["live"]


def test_a_contender_that_fails_is_told_of(home: Path) -> None:
    """With what it said last."""
    with child(PLAN, "library", home) as asked, pytest.raises(RuntimeError, match=r"(?s)library could not fly.*'fly'"):
        asked.ask("fly")
    assert isinstance(asked, Child)


def test_the_least_waits_for_the_disk_as_often_as_ours(tmp_path: Path) -> None:
    """Change by change; the document says how often ours does, and other tests hold it to that."""
    synced: list[int] = []
    (tmp_path / "skills").mkdir()
    bare = Bare(tmp_path, synced.append)
    found = {}
    for change in CHANGES:
        synced.clear()
        bare.transactions = 0
        getattr(bare, change)()
        found[IN_OUR_WORDS[change]] = (len(synced), bare.transactions)
    bare.purge()
    bare.close()
    assert found == {change: waits()[change] for change in IN_OUR_WORDS.values()}


def test_skills_are_the_same_each_time(tmp_path: Path) -> None:
    """All their bytes, and each with a marker of its own."""
    for folder in ("one", "other"):
        grow(tmp_path / folder, 2, marked=True)
    one, other = (
        {path.relative_to(tmp_path / folder): path.read_bytes() for path in (tmp_path / folder).rglob("*.*")}
        for folder in ("one", "other")
    )
    assert one == other
    assert len(set(one.values())) == len(one) == 2 * 4
