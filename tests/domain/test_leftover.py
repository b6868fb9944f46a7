"""The names of what a crash leaves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.leftover import FolderName, KeptName, PartName
from kestrel_skills_core.domain.names import SkillName
from tests.examples import examples

SEEN, NEW, TOKEN = "ab" * 32, "cd" * 32, "ef" * 16
KNOTS = SkillName("k-n_o-t-s")
FORMS = (PartName, FolderName, KeptName)


def test_a_name_says_what_it_should_be() -> None:
    """In one line, longest for the longest name, and short enough for a file."""
    assert str(PartName(SEEN, NEW, TOKEN, KNOTS)) == f"{SEEN}-{NEW}-{TOKEN}-k-n_o-t-s"
    assert str(FolderName(SEEN, TOKEN, KNOTS)) == f"{SEEN}-{TOKEN}-k-n_o-t-s"
    assert str(FolderName(SEEN, TOKEN, KNOTS, final=True)) == f"{SEEN}-{TOKEN}-k-n_o-t-s.final"
    assert str(KeptName(TOKEN, KNOTS)) == f"{TOKEN}-k-n_o-t-s"
    assert len(str(PartName(SEEN, NEW, TOKEN, SkillName("k" * 64)))) <= 255


def test_a_name_is_read_back() -> None:
    """Also that of a folder that went for good."""
    assert PartName.parse(f"{SEEN}-{NEW}-{TOKEN}-k-n_o-t-s") == PartName(SEEN, NEW, TOKEN, KNOTS)
    assert FolderName.parse(f"{SEEN}-{TOKEN}-k-n_o-t-s") == FolderName(SEEN, TOKEN, KNOTS)
    assert FolderName.parse(f"{SEEN}-{TOKEN}-k-n_o-t-s.final") == FolderName(SEEN, TOKEN, KNOTS, final=True)
    assert KeptName.parse(f"{TOKEN}-k-n_o-t-s") == KeptName(TOKEN, KNOTS)


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "knots",
        f"{SEEN}",
        f"{SEEN}-{NEW}-{TOKEN}",
        f"{SEEN}-{NEW}-{TOKEN}-",
        f"{SEEN}-{NEW}-{TOKEN}-Knots",
        f"{SEEN}-{NEW}-{TOKEN}-knots-",
        f"{SEEN}-{NEW}-{TOKEN}-con",
        f"{SEEN}-{NEW}-{TOKEN}-knots\n",
        f"{SEEN.upper()}-{NEW}-{TOKEN}-knots",
        f"{SEEN}-{TOKEN}-{'k' * 65}",
        f"{TOKEN}-con",
    ],
)
def test_what_is_not_ours_is_not_read(entry: str) -> None:
    """Nobody knows what it should be."""
    assert PartName.parse(entry) is None
    assert FolderName.parse(entry) is None
    assert KeptName.parse(entry) is None


@settings(max_examples=examples(2000))
@given(st.text(max_size=40) | st.from_regex(r"([0-9a-f]{64}-){0,2}[0-9a-f]{32}-[a-z0-9_-]{0,70}(\.final)?"))
def test_whatever_is_read_is_written_the_same(entry: str) -> None:
    """A name is of one form at most, and says all that was in it."""
    found = [parsed for form in FORMS if (parsed := form.parse(entry)) is not None]
    assert len(found) <= 1
    for each in found:
        assert entry == str(each)
