"""The immediate entries of a root: which of them a survey tells of."""

from __future__ import annotations

import pytest

from kestrel_skills_core.domain.errors import TooLarge
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.root import candidates, linked, refused, unopened
from kestrel_skills_core.domain.rules import RESTLESS


def test_folders_and_links_that_look_like_folders_are_candidates_in_order() -> None:
    """Files, special files, what is hidden, and links with a dot in their names are passed over."""
    entries = [
        ("zeta", "folder"),
        ("alpha", "link"),
        ("Mixed Case", "folder"),
        ("notes.md", "link"),
        ("README", "file"),
        ("pipe", "other"),
        (".kestrel-internal", "folder"),
        (".hidden", "link"),
    ]
    assert candidates(SourceId.AGENT_LOCAL, entries) == [
        ("Mixed Case", "folder"),
        ("alpha", "link"),
        ("zeta", "folder"),
    ]


def test_4096_entries_are_the_most_and_hidden_ones_count() -> None:
    """One more is refused, before anything is sorted out."""
    entries = [(f".{number}", "file") for number in range(4096)]
    assert candidates(SourceId.HOST_SHARED, entries) == []
    with pytest.raises(TooLarge) as caught:
        candidates(SourceId.HOST_SHARED, [*entries, ("a", "folder")])
    assert str(caught.value) == "entries of the host-shared root: more where 4,096 are allowed"
    assert caught.value.fix


def test_a_link_is_not_opened() -> None:
    """It is a fault of its own, whatever it points to."""
    sighting = unopened("alpha", "link")
    assert sighting is not None
    assert sighting == linked("alpha")
    assert [(found.code, found.file) for found in sighting.findings] == [("KS303", ".")]
    assert (sighting.head, sighting.inventory, sighting.unlisted, sighting.stamps) == (None, (), None, None)


@pytest.mark.parametrize("name", ["Mixed Case", "con", "a-", "é", "\udcff", "x" * 300])
def test_a_folder_without_a_skill_name_is_not_opened(name: str) -> None:
    """It is told of, spelt safely and short."""
    sighting = unopened(name, "folder")
    assert sighting is not None
    assert [found.code for found in sighting.findings] == ["KS316"]
    assert sighting.folder == name
    assert sighting.findings[0].message.isprintable()
    assert len(sighting.findings[0].message) < 120


def test_a_folder_with_a_skill_name_is_opened() -> None:
    """There is nothing to say of it yet."""
    assert unopened("alpha", "folder") is None


def test_a_refused_folder_has_nothing_but_its_fault() -> None:
    """Nothing of it can be shown, turned on, or approved to be deleted."""
    sighting = refused("alpha", RESTLESS, "it moved")
    assert [(found.code, found.message) for found in sighting.faults] == [("KS315", "it moved")]
    assert (sighting.head, sighting.inventory, sighting.generation, sighting.unlisted) == (None, (), None, None)
