"""What a person decides about what is kept holds, wherever the power goes; and until then nothing of it is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_core.domain.names import SkillName

from .judging import PROFILES
from .workload import INTERNAL, ROOT, begun, never, store_on, visible

TOKEN = "ab" * 16
FILES = {"SKILL.md": b"A person's.\n", "notes/one.md": b"one\n"}


@pytest.fixture
def disk() -> CrashDisk:
    """A disk on which a person's folder is kept, durably, and which remembers every power cut from now on."""
    disk = begun({})
    for path, content in FILES.items():
        disk.person.put(f"{ROOT}/{INTERNAL}/kept/{TOKEN}-a/{path}", content)
    disk.volume.settle()
    disk.moments = []
    return disk


def swept(*moments: CrashDisk) -> Iterator[CrashDisk]:
    """Every disk that the machine may wake up with, after the start of an agent."""
    for moment in moments:
        for profile in PROFILES:
            for woken in moment.survivors(profile):
                store_on(woken).sweep()
                yield woken


def test_what_was_brought_back_stays(disk: CrashDisk) -> None:
    """A folder whose restoring returned is in sight, whole, whatever the power does then."""
    assert store_on(disk).restore(TOKEN, cancelled=never) == SkillName("a")
    assert all(visible(woken) == {"a": FILES} for woken in swept(disk))


def test_what_is_being_brought_back_is_kept_or_in_sight(disk: CrashDisk) -> None:
    """At no cut is it half there, or nowhere."""
    store_on(disk).restore(TOKEN, cancelled=never)
    for woken in swept(*disk.moments or ()):
        if visible(woken) != {"a": FILES}:
            assert visible(woken) == {}
            assert store_on(woken).kept_files(TOKEN) == FILES


def test_what_was_discarded_stays_away(disk: CrashDisk) -> None:
    """What a person no longer wants is not told of again, nor is anything of it left."""
    store_on(disk).discard(TOKEN, cancelled=never)
    for woken in swept(disk):
        assert store_on(woken).kept() == ()
        assert [path for path in woken.files(ROOT) if TOKEN in path or "one.md" in path] == []


def test_what_is_being_discarded_is_kept_whole_or_gone(disk: CrashDisk) -> None:
    """No cut leaves a part of it to be told of."""
    store_on(disk).discard(TOKEN, cancelled=never)
    for woken in swept(*disk.moments or ()):
        if store_on(woken).kept():
            assert store_on(woken).kept_files(TOKEN) == FILES
