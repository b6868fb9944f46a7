"""Which lines fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.budget import Budget, Receipt

sizes = st.lists(st.integers(1, 60), max_size=20)
frames = st.integers(0, 50)
budgets = st.integers(0, 900)


def note(count: int) -> int:
    """A note that grows with its figure."""
    return 10 + count


def cost_of(sizes: list[int], frame: int, included: int) -> int:
    """What the first so many lines cost, with the note where some are out."""
    out = len(sizes) - included
    return frame + sum(sizes[:included]) + (note(out) if out else 0)


@given(sizes, frames, budgets)
def test_the_budget_is_never_crossed(lines, frame, budget):
    """And the receipt says what was spent, to the byte."""
    receipt = Budget(budget).spend(lines, len(lines), frame, note)
    assert receipt.bytes <= budget == receipt.budget
    assert receipt.included + receipt.omitted == len(lines)
    assert receipt.bytes in (0, cost_of(lines, frame, receipt.included))


@given(sizes.filter(bool), frames, budgets)
def test_it_is_the_longest_prefix_that_fits(lines, frame, budget):
    """No longer prefix would have fitted; where nothing is spent, not even an empty one would."""
    receipt = Budget(budget).spend(lines, len(lines), frame, note)
    longer = range(receipt.included + 1, len(lines) + 1)
    assert all(cost_of(lines, frame, included) > budget for included in longer)
    if receipt.bytes == 0 and frame:
        assert cost_of(lines, frame, 0) > budget


@given(sizes, frames, budgets, st.integers(0, 100))
def test_more_budget_never_includes_less(lines, frame, budget, more):
    """The number of lines grows with the budget."""
    fewer, receipt = (Budget(each).spend(lines, len(lines), frame, note) for each in (budget, budget + more))
    assert receipt.included >= fewer.included


@pytest.mark.parametrize(
    ("budget", "included", "spent"),
    [(0, 0, 0), (1, 0, 0), (22, 0, 0), (23, 0, 23), (31, 0, 23), (32, 1, 32), (39, 1, 32), (40, 3, 40), (99, 3, 40)],
)
def test_the_boundaries(budget, included, spent):
    """Three lines of ten bytes in a frame of ten: all fit in 40; one, and a note of twelve, in 32."""
    assert Budget(budget).spend([10, 10, 10], 3, 10, note) == Receipt(
        included=included, omitted=3 - included, bytes=spent, budget=budget
    )


def test_an_oversize_line_ends_the_prefix():
    """What comes after it is out too, however short: priority means priority."""
    receipt = Budget(60).spend([10, 500, 1], 3, 10, note)
    assert (receipt.included, receipt.omitted) == (1, 2)


def test_nothing_to_include_costs_nothing():
    """Not even the frame."""
    assert Budget(100).spend([], 0, 10, note) == Receipt(included=0, omitted=0, bytes=0, budget=100)


def test_a_budget_is_not_negative():
    """It is 8,192 bytes where nothing is said."""
    with pytest.raises(ValueError, match="bytes"):
        Budget(-1)
    assert Budget().bytes == 8192


@pytest.mark.parametrize("bytes_", [-1, 1.5, "8192", None])
def test_a_budget_is_a_whole_number_of_bytes(bytes_):
    """And not a negative one."""
    with pytest.raises((TypeError, ValueError)):
        Budget(bytes_)


def test_no_more_lines_are_asked_for_than_fit_and_one():
    """What is left out costs nothing, however much there is of it."""
    asked = []

    def sizes():
        for number in range(1_000):
            asked.append(number)
            yield 10

    assert Budget(60).spend(sizes(), 1_000, 10, lambda _: 10).included == 4
    assert len(asked) == 6
