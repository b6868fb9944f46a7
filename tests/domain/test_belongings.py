"""What belongs in this library's own folder."""

from __future__ import annotations

import pytest

from kestrel_skills_core.domain.belongings import belongs, is_lock
from kestrel_skills_core.domain.folder import Kind


@pytest.mark.parametrize(
    ("entry", "kind", "expected"),
    [
        ("staging", "folder", True),
        ("staging", "link", False),
        ("exchange", "folder", False),
        ("owner.json", "file", True),
        ("owner.json", "folder", False),
        ("notes.txt", "file", False),
        (".kestrel-generation.tmp.ab", "file", True),
        (".kestrel-generation.tmp.ab", "folder", False),
        (".kestrel-generation.reap.ab", "file", True),
        (".fail-closed-state-tea.json", "file", True),
        (".fail-closed-state-tea.json", "folder", True),
        (".fail-closed-state-TEA.json", "file", False),
        (".generation-marker.lock", "file", True),
        (".source-publication.lock", "file", True),
        (".skill-trash.lock", "file", True),
        (".mutation-bucket-255.lock", "file", True),
        (".publication-state-bucket-000.lock", "file", True),
        (".mutation-bucket-0.lock", "file", False),
        (".kestrel-skill-recovery-ab", "folder", False),
        (".kestrel-skill-git-ab", "folder", False),
        (".tmp.ab", "file", False),
    ],
)
def test_what_belongs_there(entry: str, kind: Kind, expected: bool) -> None:  # a row of the table
    """Rooms, marks, markers on their way, the owner, and the locks of 0.1.0; not what that release left of work."""
    assert belongs(entry, kind) is expected


@pytest.mark.parametrize(
    ("entry", "kind", "expected"),
    [
        ("store.lock", "file", True),
        ("markers.lock", "file", True),
        ("name-tea.lock", "file", True),
        ("mark-tea.lock", "file", True),
        ("name-con.lock", "file", False),
        ("name-.lock", "file", False),
        ("name-tea", "file", False),
        ("tea.lock", "file", False),
        ("name-tea.lock", "link", False),
        ("store.lock", "folder", False),
    ],
)
def test_what_is_a_lock(entry: str, kind: Kind, expected: bool) -> None:  # a row of the table
    """Of the store, of the markers, and of each name; a file, and nothing else."""
    assert is_lock(entry, kind) is expected
