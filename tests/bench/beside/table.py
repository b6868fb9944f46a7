"""What came of a run, as Markdown. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from kestrel_skills_core.domain.text import counted

from .bars import BARS, bytes_a_skill
from .figures import Figures, Key, Ratio, growth, ratio, spread

__all__ = ["BEGIN", "END", "PICTURES", "between", "duration", "page"]

BEGIN = "<!-- nox -s bench writes what follows -->"
END = "<!-- and nothing below -->"

TITLES = {
    "load": "first load",
    "refresh": "look again, nothing changed",
    "change": "look again, one file changed",
    "read": "read a procedure",
    "resource": "read another file",
    "list": "list",
    "search": "search",
    "clause": "the clause",
    "create": "create",
    "edit": "edit",
    "enable": "enable",
    "disable": "disable",
    "delete": "delete",
}
NAMES = {"floor": "bare calls", "library": "library", "feature": "feature in a host", "peer": "0.1.0 in a host"}
PICTURES = {
    "beside-looks.png": "How the time of each look grows with the number of skills",
    "beside-changes.png": "How the time of each change grows with the number of skills",
}
CALM = ("library", "floor", "feature")
"""Who is measured in calm, too: first whose growth was promised, then who shows what growth is the machine's."""
MIB = 1 << 20
_NONE = "-"
"""What was not measured."""
_UNITS = ((1, "s"), (1_000, "ms"), (1_000_000, "µs"))


def page(figures: Figures) -> str:
    """All of it."""
    tables = (_at_most(figures), _by_size(figures), _calm(figures), _shared(figures), _memory(figures), _bars(figures))
    pictures = (f"![{says}](images/{name})" for name, says in PICTURES.items())
    return "\n\n".join((*tables, *pictures, f"{figures.machine}."))


def between(document: str, text: str) -> str:
    """A document with a text between its two marks, in place of what was there.

    Raises:
        ValueError: They are not there once each, in this order.
    """
    before, begun, rest = document.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (begun and ended) or BEGIN in rest or END in after:
        raise ValueError("the document does not have the marks")
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def duration(*seconds: float) -> str:
    """A time in two figures, or all that stand before the point; with two more, these around it, in the same unit."""
    factor, unit = next((each for each in _UNITS if seconds[0] * each[0] >= 1), _UNITS[-1])
    middle, *around = (f"{value:.1f}" if value < 9.95 else f"{value:,.0f}" for value in (x * factor for x in seconds))
    return f"{middle} {unit} ({' to '.join(around)})" if around else f"{middle} {unit}"


def _times(value: Ratio) -> str:
    return _NONE if value is None else f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    first, *others = (f"| {' | '.join(row)} |" for row in (head, *rows))
    return "\n".join((first, f"|{'---|' * len(head)}", *others))


def _at_most(figures: Figures) -> str:
    most = figures.sizes[-1]
    head = [f"among {most:,} skills", *NAMES.values(), "0.1.0 against this"]
    rows = []
    for work, title in TITLES.items():
        faster = ratio(figures.median(work, "peer", most), figures.median(work, "feature", most))
        rows.append([title, *(_cell(figures, work, name, most) for name in NAMES), _times(faster)])
    return _table(head, rows)


def _cell(figures: Figures, work: str, contender: str, skills: int) -> str:
    taken = figures.walls.get(Key(work, contender, skills))
    if not taken:
        return _NONE
    rounds = max(len(figures.walls.get(Key(work, name, skills), ())) for name in NAMES)
    said = spread(taken)
    fewer = f", {counted(said.count, 'round')}" if said.count < rounds else ""
    return duration(said.median, said.low, said.high) + fewer


def _by_size(figures: Figures) -> str:
    rows = []
    for work, title in TITLES.items():
        cells = []
        for skills in figures.sizes:
            medians = (figures.median(work, name, skills) for name in ("feature", "peer"))
            cells.append(", ".join(_NONE if median is None else duration(median) for median in medians))
        rows.append([title, *cells])
    return _table(["this, 0.1.0, among so many skills", *(f"{skills:,}" for skills in figures.sizes)], rows)


def _calm(figures: Figures) -> str:
    few, many = figures.sizes[0], figures.sizes[-1]
    rows = []
    for work, title in TITLES.items():
        if Key(work, "library", many, calm=True) not in figures.walls:
            continue
        cells = []
        for name in CALM:
            among = (figures.median(work, name, skills, calm=True) for skills in (few, many))
            cells += [_NONE if median is None else duration(median) for median in among]
            cells.append(" / ".join(_times(growth(figures, work, name, clock)) for clock in ("wall", "processor")))
        rows.append([title, *cells])
    columns = (f"{NAMES[name]}: among {few:,}" for name in CALM)
    head = [part for column in columns for part in (column, f"among {many:,}", "ratio / of processor time")]
    return _table(["in calm", *head], rows)


def _shared(figures: Figures) -> str:
    rows = []
    for name, (first, *others) in figures.agents.items():
        rest = duration(statistics.median(others)) if others else _NONE
        most = figures.memories[f"{name}, agents", figures.shared].most
        count, each = len(others) + 1, _NONE
        if name in figures.at_once:
            each = duration(figures.at_once[name] / count)
        rows.append([NAMES[name], str(count), duration(first), rest, each, f"{most / MIB:.0f} MiB"])
    head = [
        f"agents at one root of {figures.shared:,}",
        "agents",
        "the first",
        "each other",
        "all at once, a share",
        "memory at most",
    ]
    return _table(head, rows)


def _memory(figures: Figures) -> str:
    rows = []
    for name, title in NAMES.items():
        known = [figures.memories[name, skills] for skills in figures.sizes]
        peaks = [f"{each.most / MIB:.0f} MiB" for each in known]
        a_skill = None if name == "floor" else bytes_a_skill(figures, name)
        rows.append([title, *peaks, _NONE if a_skill is None else f"{a_skill:,.0f} bytes"])
    head = ["memory at most, after a first load", *(f"{skills:,}" for skills in figures.sizes), "live, each more skill"]
    return _table(head, rows)


def _bars(figures: Figures) -> str:
    rows = [
        [
            name,
            f"{'≥' if bar.at_least else '≤'} {bar.aim:,g}",
            _times(bar.measure(figures)),
            "" if bar.is_met(figures) else "missed",
        ]
        for name, bar in BARS.items()
    ]
    return _table(["bar", "aim", "measured", ""], rows)
