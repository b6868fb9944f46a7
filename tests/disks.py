"""What the disk for temporary files can hold: that of macOS takes no names but text, and `a` for `A`."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pytest

__all__ = ["CASE", "NO_TEXT", "takes"]


@cache
def takes(*names: str) -> bool:
    """Whether a folder there holds all these names at once."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in names:
                Path(folder, name).touch(exist_ok=False)
        except OSError:
            return False
    return True


NO_TEXT = pytest.mark.skipif(not takes("\udcff"), reason="the disk for temporary files refuses names that are no text")
CASE = pytest.mark.skipif(not takes("a", "A"), reason="the disk for temporary files does not tell `a` from `A`")
