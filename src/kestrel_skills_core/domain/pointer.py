"""Pointers of git LFS: small texts that stand where a file is kept elsewhere.

Format: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["POINTER", "is_pointer"]

POINTER: Final = "a git LFS pointer, and not the file itself"
"""What one is called."""

_POINTER: Final = re.compile(
    rb"version https://(?:git-lfs|hawser)\.github\.com/spec/v1\n(?=.*^oid )", re.DOTALL | re.MULTILINE
)
_POINTER_BYTES: Final = 1024


def is_pointer(content: bytes) -> bool:
    """Whether a file is a pointer of git LFS, and not what its author sees in its place."""
    return len(content) < _POINTER_BYTES and _POINTER.match(content) is not None
