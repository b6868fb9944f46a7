"""Which names somebody may have meant who typed one that is not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["nearest", "suggestion"]

_ALIKE: Final = 0.5
"""Two names are alike from half of their letter pairs on: one slip in four letters, two in eight."""
_SHOWN: Final = 3


def nearest(name: str, names: Iterable[str]) -> Sequence[str]:
    """Up to three of the names, the likest first: alike in their letter pairs, or holding the name whole.

    Likeness is Dice's: twice the pairs in common, over the pairs of both. Linear in the letters of all names.
    """
    wanted = _pairs(name)
    scored = ((_likeness(wanted, _pairs(other)), other) for other in names)
    near = [(score, other) for score, other in scored if score >= _ALIKE or name in other]
    return [other for _, other in sorted(near, key=lambda each: (-each[0], each[1]))[:_SHOWN]]


def suggestion(name: str, names: Iterable[str]) -> str:
    """What to do about a name that is not there: the names that are near it, or where to see all."""
    near = nearest(name, names)
    return f"did you mean {', '.join(near)}?" if near else "list the skills to see their names"


def _pairs(name: str) -> set[str]:
    """Every two neighbouring letters; the beginning and the end are letters too."""
    framed = f" {name} "
    return {framed[at : at + 2] for at in range(len(framed) - 1)}


def _likeness(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))
