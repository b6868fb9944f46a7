"""Packs, read in memory as they come: nothing is inflated, copied or kept before the figure that declares it was checked.

Format: git's documentation, `gitformat-pack`, version 2 (and 3, which is the same).
"""

from __future__ import annotations

from collections.abc import Iterable

from kestrel_skills_core.domain.limits import LIMITS, Limits

from .objects import Objects

__all__ = ["read_pack"]


def read_pack(pieces: Iterable[bytes], limits: Limits = LIMITS) -> Objects:
    """Every object of one complete pack, by the id computed of it.

    `pieces` are the pack's bytes in order, cut anywhere (a side band's packets); they are asked for one at a time, and
    no further ones once something is wrong. After the pack there must be none. What raises in `pieces` comes through.

    Raises:
        GitFailed: Stage `pack`: these bytes are no pack, are cut short, or hold a delta that leads nowhere.
        TooLarge: More bytes or objects than a transfer may have, or an object that is too large, told before it is
            inflated.
    """
    raise NotImplementedError
