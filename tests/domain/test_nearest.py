"""Names that somebody may have meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.nearest import nearest

NAMES = ("code-review", "lint", "make-slides", "pdf", "pdf-forms", "release-notes", "review-code")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("relase-notes", ["release-notes"]),
        ("release_notes", ["release-notes"]),
        ("notes-release", ["release-notes"]),
        ("lnit", []),
        ("lit", ["lint"]),
        ("lints", ["lint"]),
        ("pdf", ["pdf", "pdf-forms"]),
        ("slides", ["make-slides"]),
        ("code", ["code-review", "review-code"]),
        ("review-cod", ["review-code", "code-review"]),
        ("docker", []),
    ],
)
def test_what_was_meant(typed: str, meant: list[str]) -> None:
    """One slip, another separator, words turned round, a part of the name: the likest comes first."""
    assert nearest(typed, NAMES) == meant


@given(st.text("ab-", min_size=1, max_size=6), st.lists(st.text("ab-", min_size=1, max_size=6)))
def test_at_most_three_of_the_names(typed: str, names: list[str]) -> None:
    """Whatever is typed, up to three of the names are given, whatever their order."""
    found = nearest(typed, names)
    assert len(found) <= 3
    assert set(found) <= set(names)
    assert nearest(typed, names[::-1]) == found


@given(st.lists(st.text("abcdef-", min_size=1, max_size=6), min_size=1, max_size=3, unique=True))
def test_a_name_that_is_there_is_near(names: list[str]) -> None:
    """A name is always near itself: it was looked for in another source."""
    assert names[0] in nearest(names[0], names)
