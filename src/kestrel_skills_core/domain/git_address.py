"""Addresses of repositories, and what is asked for in them."""

from __future__ import annotations

from typing import NewType

__all__ = ["CommitId", "GitRef", "GitUrl"]

GitUrl = NewType("GitUrl", str)
"""An address that `git_url` minted."""

GitRef = NewType("GitRef", str)
"""What `git_ref` minted: `HEAD`, a branch, a tag, a full ref, or a full commit id."""

CommitId = NewType("CommitId", str)
"""The full id of a commit, 40 lower-case hex digits."""
