"""What came of a run, as Markdown. Pure."""

from __future__ import annotations

import statistics

from kestrel_skills_core.domain.text import counted
from tests.bench.pages import NONE, duration, table, times

from .bars import BARS, bytes_a_skill
from .figures import Figures, Key, growth, ratio, spread

__all__ = ["PICTURES", "page"]

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


def page(figures: Figures) -> str:
    """All of it."""
    tables = (_at_most(figures), _by_size(figures), _calm(figures), _shared(figures), _memory(figures), _bars(figures))
    pictures = (f"![{says}](images/{name})" for name, says in PICTURES.items())
    return "\n\n".join((*tables, *pictures, f"{figures.machine}."))


def _at_most(figures: Figures) -> str:
    most = figures.sizes[-1]
    head = [f"among {most:,} skills", *NAMES.values(), "0.1.0 against this"]
    rows = []
    for work, title in TITLES.items():
        faster = ratio(figures.median(work, "peer", most), figures.median(work, "feature", most))
        rows.append([title, *(_cell(figures, work, name, most) for name in NAMES), times(faster)])
    return table(head, rows)


def _cell(figures: Figures, work: str, contender: str, skills: int) -> str:
    taken = figures.walls.get(Key(work, contender, skills))
    if not taken:
        return NONE
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
            cells.append(", ".join(NONE if median is None else duration(median) for median in medians))
        rows.append([title, *cells])
    return table(["this, 0.1.0, among so many skills", *(f"{skills:,}" for skills in figures.sizes)], rows)


def _calm(figures: Figures) -> str:
    few, many = figures.sizes[0], figures.sizes[-1]
    rows = []
    for work, title in TITLES.items():
        if Key(work, "library", many, calm=True) not in figures.walls:
            continue
        cells = []
        for name in CALM:
            among = (figures.median(work, name, skills, calm=True) for skills in (few, many))
            cells += [NONE if median is None else duration(median) for median in among]
            cells.append(" / ".join(times(growth(figures, work, name, clock)) for clock in ("wall", "processor")))
        rows.append([title, *cells])
    columns = (f"{NAMES[name]}: among {few:,}" for name in CALM)
    head = [part for column in columns for part in (column, f"among {many:,}", "ratio / of processor time")]
    return table(["in calm", *head], rows)


def _shared(figures: Figures) -> str:
    rows = []
    for name, (first, *others) in figures.agents.items():
        rest = duration(statistics.median(others)) if others else NONE
        known = figures.memories.get((f"{name}, agents", figures.shared))
        most = NONE if known is None else f"{known.most / MIB:.0f} MiB"
        count, each = len(others) + 1, NONE
        if name in figures.at_once:
            each = duration(figures.at_once[name] / count)
        title, *watched = name.split(", ")
        rows.append([", ".join([NAMES[title], *watched]), str(count), duration(first), rest, each, most])
    head = [
        f"agents at one root of {figures.shared:,}",
        "agents",
        "the first",
        "each other",
        "all at once, a share",
        "memory at most",
    ]
    return table(head, rows)


def _memory(figures: Figures) -> str:
    rows = []
    for name, title in NAMES.items():
        known = [figures.memories[name, skills] for skills in figures.sizes]
        peaks = [f"{each.most / MIB:.0f} MiB" for each in known]
        a_skill = None if name == "floor" else bytes_a_skill(figures, name)
        rows.append([title, *peaks, NONE if a_skill is None else f"{a_skill:,.0f} bytes"])
    head = ["memory at most, after a first load", *(f"{skills:,}" for skills in figures.sizes), "live, each more skill"]
    return table(head, rows)


def _bars(figures: Figures) -> str:
    rows = [
        [
            name,
            "-" if bar.aim is None else f"{'≥' if bar.at_least else '≤'} {bar.aim:,g}",
            times(bar.measure(figures)),
            "" if bar.is_met(figures) else "missed",
        ]
        for name, bar in BARS.items()
    ]
    return table(["bar", "aim", "measured", ""], rows)
