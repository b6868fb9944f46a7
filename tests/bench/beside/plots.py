"""How the time of each piece of work grows with the number of skills, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .figures import Figures, Key, spread
from .run import CHANGES, WORKS
from .table import NAMES, PICTURES, TITLES

__all__ = ["draw"]

OF_EACH = ([work for work in WORKS if work not in CHANGES], CHANGES)
"""The works that each picture shows."""
COLOURS = {"floor": "#888888", "library": "#0072b2", "feature": "#009e73", "peer": "#d55e00"}
ACROSS = 4


def draw(figures: Figures, folder: Path) -> None:
    """Write the pictures: medians, and the quartiles around them, both axes in powers of ten."""
    for name, works in zip(PICTURES, OF_EACH, strict=True):
        _draw(figures, works, folder / name)


def _draw(figures: Figures, works: Sequence[str], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    down = -(-len(works) // ACROSS)
    picture, places = plt.subplots(down, ACROSS, figsize=(12, 2.8 * down), sharex=True, sharey=True, squeeze=False)
    spare = places.flat[len(works) :]
    for work, place in zip(works, places.flat, strict=False):
        for contender, colour in COLOURS.items():
            sizes = [skills for skills in figures.sizes if figures.walls.get(Key(work, contender, skills))]
            said = [spread(figures.walls[Key(work, contender, skills)]) for skills in sizes]
            place.plot(
                sizes, [each.median for each in said], color=colour, marker="o", markersize=3, label=NAMES[contender]
            )
            place.fill_between(
                sizes, [each.low for each in said], [each.high for each in said], color=colour, alpha=0.2, linewidth=0
            )
        place.set(title=TITLES[work], xscale="log", yscale="log")
        place.set_xticks(figures.sizes, labels=[f"{skills:,}" for skills in figures.sizes])
        place.minorticks_off()
        place.grid(visible=True, linewidth=0.3)
    for place in spare:
        place.set_axis_off()
    picture.supxlabel("skills")
    picture.supylabel("seconds")
    handles, labels = places.flat[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="upper center", ncols=len(COLOURS), frameon=False)
    picture.tight_layout(rect=(0, 0, 1, 0.95))
    picture.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(picture)
