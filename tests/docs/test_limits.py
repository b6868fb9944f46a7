"""The page on limits says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from attrs import asdict

from kestrel_skills_core import LIMITS

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"


def test_the_table_of_limits_is_the_code() -> None:
    """Every limit stands in the table with its figure, and no other does."""
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: int(figure) for name, figure in rows} == asdict(LIMITS)
    assert len(rows) == len(asdict(LIMITS))


def test_every_limit_has_a_reason() -> None:
    """No row leaves a column empty."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert all(re.fullmatch(r"\| `\w+` \| \d+ \| [^|]{5,} \| [^|]{10,} \|", row) for row in rows), rows
