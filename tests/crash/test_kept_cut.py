"""What a person decides about what is kept holds, wherever the power goes; and until then nothing of it is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import product

import pytest

from kestrel_skills_adapters.contracts.roots import discard, kept_files
from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_core.domain.errors import Failed, InDoubt, NotEditable, StaleRevision
from kestrel_skills_core.domain.names import SkillName

from .judging import PROFILES
from .workload import INTERNAL, ROOT, Held, begun, never, store_on, visible

TOKEN = "ab" * 16
UNSEEN = b"what nobody saw"
FILES = {"SKILL.md": b"A person's.\n", "notes/one.md": b"one\n"}
IN_SIGHT = {"a": {path: Held(content) for path, content in FILES.items()}}


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
    assert all(visible(woken) == IN_SIGHT for woken in swept(disk))


def test_what_is_being_brought_back_is_kept_or_in_sight(disk: CrashDisk) -> None:
    """At no cut is it half there, or nowhere."""
    store_on(disk).restore(TOKEN, cancelled=never)
    for woken in swept(*disk.moments or ()):
        if visible(woken) != IN_SIGHT:
            assert visible(woken) == {}
            assert kept_files(store_on(woken), TOKEN) == FILES


def test_what_was_discarded_stays_away(disk: CrashDisk) -> None:
    """What a person no longer wants is not told of again, nor is anything of it left."""
    discard(store_on(disk), TOKEN)
    for woken in swept(disk):
        assert store_on(woken).kept() == ()
        assert [path for path in woken.files(ROOT) if TOKEN in path or "one.md" in path] == []


def test_what_is_being_discarded_is_kept_whole_or_gone(disk: CrashDisk) -> None:
    """No cut leaves a part of it to be told of, under whatever token."""
    discard(store_on(disk), TOKEN)
    for woken in swept(*disk.moments or ()):
        assert [kept_files(store_on(woken), each.token) for each in store_on(woken).kept()] in ([], [FILES])


@pytest.mark.parametrize("added", ["mine.md", ".git/HEAD", "SKILL.md"])
def test_what_a_person_puts_into_what_is_being_discarded_is_not_lost(disk: CrashDisk, added: str) -> None:
    """At whichever call they do, and wherever the power goes then; and who discards is told."""
    place = f"{ROOT}/{INTERNAL}/kept/{TOKEN}-a"
    seen = store_on(disk).kept_listing(TOKEN)
    calm = disk.fork()
    store_on(calm).discard(TOKEN, seen=seen, cancelled=never)
    met = 0

    def writes(now: CrashDisk) -> None:
        if now.files(place):
            now.person.put(f"{place}/{added}", UNSEEN)

    for call in range(len(calm.trace)):
        trial = disk.fork()
        trial.moments = []
        trial.before(call, writes)
        with suppress(StaleRevision, NotEditable):
            store_on(trial).discard(TOKEN, seen=seen, cancelled=never)
        if trial.files(place):
            assert all(woken.files(place) for woken in swept(trial.fork())), call
        moments = [moment for moment in (*trial.moments, trial.fork()) if is_kept(UNSEEN, moment)]
        assert bool(moments) == bool(trial.files(place)), call
        assert all(is_kept(UNSEEN, woken) for woken in swept(*moments)), call
        met += bool(moments)
    assert met > 5


def is_kept(content: bytes, disk: CrashDisk) -> bool:
    """Whether a file with these bytes is kept."""
    return content in disk.files(f"{ROOT}/{INTERNAL}/kept").values()


def test_a_disk_that_fails_loses_nothing_of_what_was_to_be_discarded(disk: CrashDisk) -> None:
    """Each call, once and for ever: all of it is kept, under whatever token, or it is gone as was wished."""
    seen = store_on(disk).kept_listing(TOKEN)
    calm = disk.fork()
    store_on(calm).discard(TOKEN, seen=seen, cancelled=never)
    for call, forever in product(range(len(calm.trace)), (False, True)):
        trial = disk.fork()
        trial.fail_at, trial.fail_forever = call, forever
        error = None
        try:
            store_on(trial).discard(TOKEN, seen=seen, cancelled=never)
        except Failed as raised:
            error = raised
        assert trial.descriptors == 0
        trial.fail_at = None
        store_on(trial).sweep()
        kept = [kept_files(store_on(trial), each.token) for each in store_on(trial).kept()]
        allowed = [[]] if error is None else [[], [FILES]] if isinstance(error, InDoubt) else [[FILES]]
        assert kept in allowed, (call, forever, error)
