"""How a benchmark tells what it measured: as tables, printed, and put into the document between two marks."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["DOCS", "NONE", "SIZES", "between", "duration", "machine", "marks", "table", "tell", "times"]

DOCS = Path(__file__).parents[2] / "docs"
SIZES = [int(size) for size in os.environ.get("BENCH_SIZES", "").split(",") if size]
"""Fewer numbers of skills than all, and fewer rounds, to see that it works; the documents are left alone then."""
NONE = "-"
"""What was not measured."""
_UNITS = ((1, "s"), (1_000, "ms"), (1_000_000, "µs"))


def marks(part: str) -> tuple[str, str]:
    """What stands before and after the part of a document that one benchmark writes."""
    return f"<!-- nox -s bench writes what follows: {part} -->", f"<!-- and nothing below: {part} -->"


def between(document: str, part: str, text: str) -> str:
    """A document with a text between the marks of a part, in place of what was there.

    Raises:
        ValueError: They are not there once each, in this order.
    """
    begin, end = marks(part)
    before, begun, rest = document.partition(begin)
    _, ended, after = rest.partition(end)
    if not (begun and ended) or begin in rest or end in after:
        raise ValueError(f"the document does not have the marks of {part}")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def tell(part: str, text: str) -> None:
    """Print what came of a benchmark and, if it was a whole one, put it into the document."""
    print(f"\n{text}\n")
    if not SIZES:
        document = DOCS / "performance.md"
        document.write_text(between(document.read_text(encoding="utf-8"), part, text), encoding="utf-8")


def machine(load: float) -> str:
    """On what, and how busy it was when this began, which is given, and when it ended, which is now."""
    return (
        f"{platform.system()}, {os.cpu_count()} processors, Python {platform.python_version()}, "
        f"at a load of {load:.1f} when it began and {os.getloadavg()[0]:.1f} when it ended"
    )


def duration(*seconds: float) -> str:
    """A time in two figures, or all that stand before the point; with two more, these around it, in the same unit."""
    factor, unit = next((each for each in _UNITS if seconds[0] * each[0] >= 1), _UNITS[-1])
    middle, *around = (f"{value:.1f}" if value < 9.95 else f"{value:,.0f}" for value in (x * factor for x in seconds))
    return f"{middle} {unit} ({' to '.join(around)})" if around else f"{middle} {unit}"


def times(value: float | None) -> str:
    """A ratio in three figures, or all that stand before the point."""
    return NONE if value is None else f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    first, *others = (f"| {' | '.join(row)} |" for row in (head, *rows))
    return "\n".join((first, f"|{'---|' * len(head)}", *others))
