"""How many examples a test looks at that asks for so many: fewer where it only counts which lines they reach."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["FEW", "examples"]

FEW: Final = 50
"""What the profile `few` looks at, at most."""


def examples(many: int) -> int:
    """So many; or few, by the profile of Hypothesis that is in use."""
    return min(many, FEW) if os.environ.get("HYPOTHESIS_PROFILE") == "few" else many
