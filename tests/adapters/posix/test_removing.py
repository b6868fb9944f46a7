"""Removing what was seen, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.removing import purge
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.removal import Manifest, manifest_of
from tests.hostile.disk import skill


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A skill with a file beside it that an editor left there."""
    folder = skill(tmp_path, "knots")
    (folder / "notes.md~").write_bytes(b"seen")
    return folder


def seen(folder: Path) -> Manifest:
    """Everything in a folder."""
    manifest = manifest_of(*PosixSkillFiles(folder.parent, SourceId.AGENT_LOCAL).look(folder.name))
    assert manifest is not None
    return manifest


def purged(folder: Path, manifest: Manifest) -> bool:
    """Remove what is listed; whether all of it is gone."""
    calls = Syscalls()
    with calls.folder(str(folder.parent)) as at:
        return purge(calls, folder.name, at, manifest)


def test_what_is_as_it_was_seen_is_removed(folder: Path) -> None:
    """What was read, and what was not."""
    assert purged(folder, seen(folder))
    assert not folder.exists()


@pytest.mark.parametrize("content", [b"mine", b"longer"])
def test_a_file_that_was_not_read_stays_if_it_changed(folder: Path, content: bytes) -> None:
    """Though its time of modification was put back, and be it as large as before."""
    manifest, litter = seen(folder), folder / "notes.md~"
    before = litter.stat()
    while litter.stat().st_ctime_ns == before.st_ctime_ns:
        litter.write_bytes(content)
        os.utime(litter, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not purged(folder, manifest)
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("notes.md~", content)]
