"""A process is killed while it changes a real disk: every skill is as it was, or as was asked for.

What a kill leaves depends on the moment. Which steps the process takes and how long it is let live, a seed says; where
in a step that is, the machine.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from kestrel_skills_adapters.world import finish
from kestrel_skills_core.ports.store import Swept

from .killed import Skills, found, mutate, steps
from .siblings import Sibling
from .sight import library_at


def left_over(root: Path) -> list[str]:
    """Every file below this library's own folder, apart from its locks and its marks, which say that a skill is off."""
    internal = root / ".kestrel-internal"
    return [
        path.relative_to(internal).as_posix()
        for path in internal.rglob("*")
        if not path.is_dir() and path.parent.name != "locks" and not path.name.startswith(".fail-closed-state-")
    ]


def tell_kills(above: Path, kills: int) -> None:
    """Kill one process after the other on one root; judge after each what is there, and let the next go on with it."""
    root = above / "skills"
    root.mkdir()
    skills: Skills = {}
    cut = told = purged = 0
    for number in range(kills):
        seed, chance = f"kill {number}", Random(number)
        sibling = Sibling(mutate, above, seed, skills)
        done = len(sibling.killed(chance.randrange(12), chance.uniform(0, 0.02)))
        ((step, before),) = islice(steps(seed, skills), done, done + 1)
        library = library_at(above)
        swept = finish(library.sweep())
        assert (swept.skipped, swept.kept, swept.left) == (False, (), ()), (number, step, swept)
        assert finish(library.sweep()) == Swept(), (number, step)
        assert left_over(root) == [], (number, step)
        skills = found(library)
        assert skills in step.outcomes(before), (number, step)
        assert {path.name for path in root.iterdir()} - {".kestrel-internal"} == set(skills)
        purged += swept.purged
        cut += skills == before
        told += done
    print(f"\n{kills} kills, {told:,} changes acknowledged; {cut} of the last were not made, {purged} residues swept")
    assert purged > 0 or kills < 50


def test_a_process_that_is_killed_leaves_every_skill_old_or_new(tmp_path: Path) -> None:
    """What was acknowledged is there, nothing is that was not asked for, and nothing is left after a sweep."""
    tell_kills(tmp_path, 4)


@pytest.mark.race
def test_fifty_processes_that_are_killed_leave_every_skill_old_or_new(tmp_path: Path) -> None:
    """Each goes on where the one before it was killed."""
    tell_kills(tmp_path, 50)
