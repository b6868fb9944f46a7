"""What a change of one skill costs among 4,000 skills, against the same change among ten: counted, not timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.test_costs import costs

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]


def test_a_change_costs_the_same_among_ten_and_4_000(swift_path: Path) -> None:
    """Call by call, entry by entry and row by row, as the same test asks of 400 with all other tests."""
    few, many = costs(swift_path / "few", 10), costs(swift_path / "many", 4_000)
    assert few == many
