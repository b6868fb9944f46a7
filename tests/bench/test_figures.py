"""What is said of measured times: medians, spread, ratios, promises, tables."""

from __future__ import annotations

import pytest
from attrs import evolve

from tests.bench.beside.bars import BARS, bytes_a_skill
from tests.bench.beside.figures import Figures, Key, Memory, Spread, dumped, goes_on, loaded, ratio, spread
from tests.bench.beside.run import WORKS
from tests.bench.beside.table import page
from tests.bench.pages import between, duration, marks

MANY, FEW = 4_000, 10
FIGURES = Figures(
    machine="Nowhere, 2 processors",
    walls={
        Key("read", "floor", MANY): [0.001, 0.003, 0.002],
        Key("read", "library", MANY): [0.004],
        Key("read", "feature", MANY): [0.005, 0.005],
        Key("read", "peer", MANY): [4.0, 6.0],
        Key("read", "library", MANY, calm=True): [0.0044],
        Key("read", "library", FEW, calm=True): [0.004],
        Key("read", "floor", MANY, calm=True): [0.0011],
        Key("read", "floor", FEW, calm=True): [0.001],
    },
    processors={
        Key("read", "library", MANY, calm=True): [0.0021],
        Key("read", "library", FEW, calm=True): [0.002],
    },
    memories={
        ("library", FEW): Memory(20 << 20, 50_000, 8_000),
        ("library", MANY): Memory(30 << 20, 50_000 + 3_990 * 3_000, 8_000 + 3_990 * 1_000),
        **{(name, skills): Memory(9 << 20, 0) for name in ("floor", "feature", "peer") for skills in (FEW, MANY)},
        ("library, agents", 2_000): Memory(40 << 20, 0),
    },
    agents={"library": [0.2, 0.008, 0.012]},
    at_once={"library": 0.3},
    shared=2_000,
)


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        ([3.0], Spread(3.0, 3.0, 3.0, 1)),
        ([5.0, 1.0], Spread(3.0, 2.0, 4.0, 2)),
        ([9.0, 1.0, 5.0, 3.0, 7.0], Spread(5.0, 3.0, 7.0, 5)),
    ],
)
def test_a_spread_is_the_median_and_the_quartiles(taken: list[float], said: Spread) -> None:
    """In whatever order they came; one value is all of them."""
    assert spread(taken) == said


def test_rounds_end_with_their_number_or_with_the_time() -> None:
    """But not before there are the least of them."""
    some = {"rounds": 5, "least": 2, "seconds": 10.0}
    assert goes_on([], **some)
    assert goes_on([60.0], **some)
    assert not goes_on([60.0, 60.0], **some)
    assert goes_on([1.0, 1.0, 1.0, 1.0], **some)
    assert not goes_on([1.0, 1.0, 1.0, 1.0, 1.0], **some)


@pytest.mark.parametrize(
    ("one", "other", "said"), [(3.0, 2.0, 1.5), (None, 2.0, None), (3.0, None, None), (3.0, 0.0, None)]
)
def test_a_ratio_of_what_is_not_known_is_not_known(one: float | None, other: float | None, said: float | None) -> None:
    """Nor one to nothing."""
    assert ratio(one, other) == said


def test_figures_are_kept_as_json() -> None:
    """Nothing is lost."""
    figures = evolve(FIGURES, processors=FIGURES.walls)
    assert loaded(dumped(figures)) == figures


class TestBars:
    @pytest.mark.parametrize(
        ("name", "measured", "is_met"),
        [
            ("read, among the most skills against among the fewest, by the same of bare calls", 1.0, True),
            ("read, against bare calls", 4.0, True),
            ("read, 0.1.0 against this", 1000.0, True),
            ("another agent's first load, against the first agent's", 0.05, True),
            ("live bytes a skill, beyond its description and inventory", 2000.0, True),
        ],
    )
    def test_a_bar_compares_medians(self, name: str, measured: float, is_met: bool) -> None:
        """Among the most skills; growth, and what bare calls take, in calm."""
        assert BARS[name].measure(FIGURES) == pytest.approx(measured)
        assert BARS[name].is_met(FIGURES) is is_met

    def test_a_bar_is_missed(self) -> None:
        """From above, or from below, or where nothing was measured."""
        slow = evolve(FIGURES, walls={**FIGURES.walls, Key("read", "library", MANY, calm=True): [0.02]})
        assert not BARS["read, against bare calls"].is_met(slow)
        quick = evolve(FIGURES, walls={**FIGURES.walls, Key("read", "peer", MANY): [0.2]})
        assert not BARS["read, 0.1.0 against this"].is_met(quick)
        assert not BARS["delete, against bare calls"].is_met(FIGURES)

    def test_what_has_no_aim_is_no_promise(self) -> None:
        """It is told, and cannot be missed."""
        assert BARS["first load, against bare calls that do"].is_met(FIGURES)

    def test_what_there_is_anyway_is_no_memory_of_a_skill(self) -> None:
        """Nor is what was not asked for."""
        assert bytes_a_skill(FIGURES, "library") == 3000
        assert bytes_a_skill(FIGURES, "peer", beyond_own=True) is None
        assert bytes_a_skill(FIGURES, "nobody") is None


class TestTable:
    @pytest.mark.parametrize(
        ("seconds", "said"),
        [
            ((5.43,), "5.4 s"),
            ((71.6,), "72 s"),
            ((0.0123,), "12 ms"),
            ((0.00123,), "1.2 ms"),
            ((0.0000456,), "46 µs"),
            ((0.0000000456,), "0.0 µs"),
            ((0.0123, 0.0099, 0.9), "12 ms (9.9 to 900)"),
        ],
    )
    def test_a_time_has_two_figures(self, seconds: tuple[float, ...], said: str) -> None:
        """In the largest unit of which there is one; the quartiles in the same."""
        assert duration(*seconds) == said

    def test_a_row_tells_medians_spread_and_how_many_rounds_there_were(self) -> None:
        """Where there were fewer of them than others had."""
        row = (
            "| read a procedure | 2.0 ms (1.5 to 2.5) | 4.0 ms (4.0 to 4.0), 1 round | 5.0 ms (5.0 to 5.0), 2 rounds "
            "| 5.0 s (4.5 to 5.5), 2 rounds | 1,000 |"
        )
        assert row in page(FIGURES).splitlines()

    def test_each_size_has_its_column(self) -> None:
        """Ours, then that of 0.1.0; a dash where nothing was measured."""
        lines = page(FIGURES).splitlines()
        assert "| this, 0.1.0, among so many skills | 10 | 4,000 |" in lines
        assert "| read a procedure | -, - | 5.0 ms, 5.0 s |" in lines
        assert all(any(line.startswith(f"| {title}") for line in lines) for title in ("first load", "the clause"))
        assert "| library | 3 | 200 ms | 10 ms | 100 ms | 40 MiB |" in lines
        assert "| library | 20 MiB | 30 MiB | 3,000 bytes |" in lines

    def test_growth_is_told_beside_that_of_bare_calls(self) -> None:
        """Both clocks; what was not done in calm has no row."""
        row = "| read a procedure | 4.0 ms | 4.4 ms | 1.10 / 1.05 | 1.0 ms | 1.1 ms | 1.10 / - | - | - | - / - |"
        lines = page(FIGURES).splitlines()
        assert row in lines
        (at,) = [number for number, line in enumerate(lines) if line.startswith("| in calm | library: among 10 | ")]
        assert lines[at + 2] == row
        assert lines[at + 3] == ""

    def test_a_missed_bar_is_marked(self) -> None:
        """And a kept one is not."""
        lines = page(FIGURES).splitlines()
        assert "| read, 0.1.0 against this | ≥ 500 | 1,000 |  |" in lines
        assert "| delete, against bare calls | ≤ 5 | - | missed |" in lines

    def test_pictures_and_the_machine_are_told_of(self) -> None:
        """After all tables."""
        *_, looks, changes, machine = page(FIGURES).split("\n\n")
        assert looks.endswith("(images/beside-looks.png)")
        assert changes.endswith("(images/beside-changes.png)")
        assert machine == "Nowhere, 2 processors."

    def test_every_work_has_a_row(self) -> None:
        """In the order in which they are told."""
        head, rule, *rows = page(FIGURES).split("\n\n")[0].splitlines()
        assert len(rows) == len(WORKS)
        assert head.count("|") == rule.count("|") == rows[0].count("|")

    def test_a_text_goes_between_the_marks(self) -> None:
        """In place of what was there; a document without the marks, or with two of one, is not written."""
        (begin, end), other = marks("this"), "".join(marks("that"))
        assert between(f"a{other}\n{begin}\nold\n{end}\nb", "this", "new") == f"a{other}\n{begin}\n\nnew\n\n{end}\nb"
        for wrong in ("a", begin, end, f"{end}{begin}", f"{begin}{begin}{end}", f"{begin}{end}{end}", other):
            with pytest.raises(ValueError, match="marks of this"):
                between(wrong, "this", "new")
