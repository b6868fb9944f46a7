"""What the fake of a source root can be told to be, beyond what the contract asks."""

from __future__ import annotations

import doctest

import pytest

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.memory import files as module
from kestrel_skills_adapters.memory.files import MemorySkillFiles, Odd
from kestrel_skills_core.domain.errors import SourceUnavailable
from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId
from kestrel_skills_core.domain.tree import Content

KNOTS = SkillName("knots")


def test_the_example_in_its_documentation_runs() -> None:
    """A newcomer can copy it."""
    assert doctest.testmod(module).attempted == 7
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("path", "entry"), [("a.md", Odd("file", "permission is denied")), ("a", Odd("folder", "permission is denied"))]
)
def test_an_entry_that_cannot_be_read(path: str, entry: Odd) -> None:
    """It is a fault of the folder, whose other files are read; to read it alone fails."""
    files = MemorySkillFiles(SourceId.HOST_SHARED, {"knots": {"SKILL.md": Content(document("knots")), path: entry}})
    published = files.read(KNOTS)
    assert [(found.code, found.file) for found in published.sighting.findings] == [("KS313", path)]
    assert list(published.tree.files) == ["SKILL.md"]
    with pytest.raises(SourceUnavailable):
        files.read_resource(KNOTS, ResourcePath(path))


def test_a_folder_that_cannot_be_opened() -> None:
    """It is told of by a survey; to read it fails."""
    files = MemorySkillFiles(SourceId.HOST_SHARED, {"knots": Odd("folder", "permission is denied")})
    sighting = files.survey().sightings["knots"]
    assert [(found.code, found.message) for found in sighting.findings] == [
        ("KS313", "it cannot be read: permission is denied")
    ]
    with pytest.raises(SourceUnavailable):
        files.read(KNOTS)


def test_a_litter_file_that_cannot_be_read_is_litter() -> None:
    """It is not opened anyway."""
    files = MemorySkillFiles(
        SourceId.HOST_SHARED, {"knots": {"SKILL.md": Content(document("knots")), "x.pyc": Odd("file", "denied")}}
    )
    assert [found.code for found in files.survey().sightings["knots"].findings] == ["KS506"]
