"""What HTTP costs beside the library that it asks, among few skills and many."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from .beside.figures import Key
from .over_http import SIDES, WORKS, Measured, measured, page
from .pages import SIZES, tell


def test_every_request_is_answered(tmp_path: Path) -> None:
    """Each work, by each side, again and again, as each change is undone by the last."""
    found = measured(tmp_path, [3], 2)
    assert set(found.seconds) == {Key(work, side, 3) for work, side in product(WORKS, SIDES)}
    assert all(len(taken) == 2 and min(taken) > 0 for taken in found.seconds.values())


def test_what_was_measured_is_told() -> None:
    """Medians with their quartiles, what HTTP costs beside the library, and how it grows."""
    seconds = {Key(work, side, skills): [0.002] for work, side, skills in product(WORKS, SIDES, (10, 4_000))}
    seconds[Key("tree", "library", 4_000)] = [0.001]
    seconds[Key("tree", "served", 4_000)] = [0.001, 0.004, 0.003]
    first, second, last = page(Measured("Nowhere", seconds)).split("\n\n")
    title = "the files of a skill: `GET …/tree`"
    row = f"| {title} | 1.0 ms (1.0 to 1.0) | 3.0 ms (2.0 to 3.5) | 3.00 |"
    assert row in first.splitlines()
    assert f"| {title} | 2.0 ms, 2.0 ms | 1.0 ms, 3.0 ms |" in second.splitlines()
    assert last == "Nowhere."


@pytest.mark.bench
@pytest.mark.timeout(1800)
def test_over_http(tmp_path: Path) -> None:
    """Told, and written into the documents."""
    sizes, rounds = (SIZES, 5) if SIZES else ([10, 100, 1_000, 4_000], 11)
    tell("over HTTP", page(measured(tmp_path, sizes, rounds)))
