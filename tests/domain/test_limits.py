"""The caps are those that the requirement states."""

from __future__ import annotations

import attrs
import pytest

from kestrel_skills_core.domain.limits import LIMITS


def test_the_caps_are_those_of_the_requirement():
    """Each figure as it was asked for: 256 KiB, 2 MiB, 512, 32, 1024, 4096, 1024, 8 KiB, 8,192."""
    assert (LIMITS.file_bytes, LIMITS.skill_bytes, LIMITS.skill_entries, LIMITS.skill_depth) == (
        262_144,
        2_097_152,
        512,
        32,
    )
    assert (LIMITS.path_bytes, LIMITS.root_entries, LIMITS.description_chars) == (1024, 4096, 1024)
    assert LIMITS.seek_depth == 64
    assert (LIMITS.frontmatter_bytes, LIMITS.clause_bytes) == (8192, 8192)


def test_the_caps_cannot_be_changed_at_run_time():
    """There is one set, and every adapter refuses alike."""
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        LIMITS.file_bytes = 1
