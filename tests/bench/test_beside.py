"""This library beside the published 0.1.0 and beside bare calls: the same work, by turns, in one run."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from tests.bench.beside.bars import BARS
from tests.bench.beside.figures import Figures, dumped
from tests.bench.beside.plots import draw
from tests.bench.beside.run import CONTENDERS, WORKS, Plan, measured
from tests.bench.beside.table import page
from tests.bench.pages import DOCS, SIZES, tell

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

KEPT = DOCS.parent / ".benchmarks"
"""Where the figures themselves are left."""
PEER = os.environ.get("BESIDE_PEER", "")


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """All that is measured; told, and written into the documents."""
    if not PEER:
        pytest.skip("0.1.0 has no environment here: `nox -s bench` makes one, and names it in $BESIDE_PEER")
    plan = Plan(Path(PEER))
    if SIZES:
        plan = Plan(Path(PEER), sizes=SIZES, shared=SIZES[-1] // 2, rounds=7, calm_rounds=11, seconds=5)
    figures = measured(plan, tmp_path_factory.mktemp("beside"))
    KEPT.mkdir(exist_ok=True)
    (KEPT / "beside.json").write_text(dumped(figures))
    draw(figures, KEPT if SIZES else DOCS / "images")
    tell("beside 0.1.0", page(figures))
    return figures


def test_everybody_did_everything(figures: Figures) -> None:
    """Each work, each contender, each size."""
    assert all(figures.median(*each) is not None for each in product(WORKS, CONTENDERS, figures.sizes))


@pytest.mark.parametrize("name", BARS)
def test_a_promise(figures: Figures, name: str) -> None:
    """It is kept, in this run on this machine."""
    if SIZES:
        pytest.skip("promises are made of all sizes")
    bar = BARS[name]
    assert bar.is_met(figures), f"{bar.measure(figures)}, where {bar.aim} was promised"
