"""Which lines fit: the longest prefix of an order, so that priority means priority."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from attrs import field, frozen, validators

from .limits import LIMITS

__all__ = ["Budget", "Receipt"]


@frozen(kw_only=True)
class Receipt:
    """What was spent: how many lines are in, how many are out, the bytes used, and the bytes allowed."""

    included: int
    omitted: int
    bytes: int
    budget: int


@frozen
class Budget:
    """So many bytes of UTF-8 for everything together."""

    bytes: int = field(default=LIMITS.clause_bytes, validator=[validators.instance_of(int), validators.ge(0)])

    def spend(self, sizes: Sequence[int], frame: int, note: Callable[[int], int]) -> Receipt:
        """Choose how many of the lines, in order, are in.

        `sizes` are the bytes of each line, its line end included; `frame` what surrounds them costs; `note(n)` what it
        costs to say that n lines are out. A line is in whole or not at all. Where not even the frame and the note fit,
        nothing is spent. Nothing to include costs nothing.
        """
        if not sizes:
            return Receipt(included=0, omitted=0, bytes=0, budget=self.bytes)
        total = frame + sum(sizes)
        if total <= self.bytes:
            return Receipt(included=len(sizes), omitted=0, bytes=total, budget=self.bytes)
        best, spent = 0, 0
        for included, used in enumerate(accumulate(sizes[:-1], initial=frame)):
            cost = used + note(len(sizes) - included)
            if cost <= self.bytes:
                best, spent = included, cost
        return Receipt(included=best, omitted=len(sizes) - best, bytes=spent, budget=self.bytes)
