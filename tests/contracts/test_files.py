"""What every reader of a source root keeps, on a disk or not."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import cast

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.contracts.files import Made, SkillFilesContract
from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.memory.files import Entry, Odd
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.tree import Content
from tests.contracts.files import Disk, InMemory, Shared, Watched
from tests.disks import takes
from tests.examples import examples

MAKERS: dict[str, Made] = {
    "memory": InMemory.made,
    "posix": Disk.made,
    "posix, shared": Shared.made,
    "posix, watched": Watched.made,
}


@pytest.fixture(params=list(MAKERS))
def made(request: pytest.FixtureRequest) -> Made:
    """What makes an empty root of each kind."""
    return MAKERS[cast("str", request.param)]


TWICE = {"A", "skill.md"}
"""What is another name than one of the others where the disk tells case."""
PARTS = st.sampled_from(
    [
        name
        for name in ("a", "A", "b.md", "é", "SKILL.md", "skill.md", "x.pyc", "__pycache__", ".git", ".hg")
        if name not in TWICE or takes("a", "A")
    ]
)

ENTRIES = st.one_of(
    st.builds(Content, st.sampled_from([document("knots"), b"", b"\xff", b"text"]), st.booleans()),
    st.sampled_from([Odd("folder"), Odd("link"), Odd("other")]),
)


@st.composite
def trees(draw_: st.DrawFn) -> dict[str, Entry]:
    """Entries of one folder, by path, whose parents are folders."""
    found: dict[str, Entry] = {}
    for path in draw_(st.lists(st.lists(PARTS, min_size=1, max_size=3).map("/".join), max_size=12)):
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts))]
        if path not in found and all(found.setdefault(each, Odd("folder")) == Odd("folder") for each in above):
            found[path] = draw_(ENTRIES)
    return found


@given(trees())
@settings(max_examples=examples(150))
def test_the_fake_sees_what_the_disk_sees(entries: dict[str, Entry]) -> None:
    """The same tree gives one sighting, but for times and the sizes of what is no file."""
    seen = []
    with tempfile.TemporaryDirectory() as above:
        for make in (InMemory.made, Disk.made):
            root = make(Path(above), SourceId.HOST_SHARED, None)
            root.put("knots", Odd("folder"))
            for path, entry in entries.items():
                root.put(f"knots/{path}", entry)
            sighting = root.files.survey().sightings["knots"]
            listing = sighting.unlisted and [(entry.path, entry.kind) for entry in sighting.unlisted]
            seen.append((evolve(sighting, stamps=None, unlisted=None), listing))
    assert seen[0] == seen[1]


class TestSkillFiles(SkillFilesContract):
    """Each of them holds it."""
