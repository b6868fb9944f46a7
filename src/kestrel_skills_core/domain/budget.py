"""Which lines fit: the longest prefix of an order, so that priority means priority."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate, takewhile

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

    def spend(self, sizes: Iterable[int], count: int, frame: int, note: Callable[[int], int]) -> Receipt:
        """Choose how many of the lines, in order, are in.

        `sizes` are the bytes of each of `count` lines, its line end included; `frame` what surrounds them costs;
        `note(n)` what it costs to say that n lines are out. A line is in whole or not at all. Where not even the frame
        and the note fit, nothing is spent. Nothing to include costs nothing. No more sizes are asked for than fit, and
        one.
        """
        used = list(takewhile(self.bytes.__ge__, accumulate(sizes, initial=frame))) if count else []
        for included in reversed(range(len(used))):
            spent = used[included] + (note(count - included) if included < count else 0)
            if spent <= self.bytes:
                return Receipt(included=included, omitted=count - included, bytes=spent, budget=self.bytes)
        return Receipt(included=0, omitted=count, bytes=0, budget=self.bytes)
