"""The power goes, or the disk refuses, while a root is claimed: it is said to be the old one's, or the new one's.

What is said is one of these to the byte, whatever the disk does; skills do not change, and a sweep ends what is left.
"""

from __future__ import annotations

import errno
from typing import Final

import pytest

from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_core.domain.errors import Failed
from kestrel_skills_core.domain.owner import Owner, render_owner

from .judging import PROFILES
from .workload import FIRST, INTERNAL, ROOT, begun, never, store_on, visible

KITE: Final = Owner(agent="did:example:kite", table="sqlite", file="kestrel.db")
WREN: Final = Owner(agent="did:example:wren", table="postgres")
BEFORE: Final[tuple[Owner | None, ...]] = (None, KITE)


def owned(before: Owner | None) -> CrashDisk:
    """A disk with two skills, in a root that is whose it is."""
    disk = begun(FIRST)
    if before is not None:
        store_on(disk).claim(before, cancelled=never)
        disk.volume.settle()
    return disk.fork()


def judge(woken: CrashDisk, fits: tuple[Owner | None, ...]) -> None:
    """One of these is said, in whole, now and after a sweep; nothing else is left, and no skill has changed."""
    for _ in range(2):
        content = woken.files(f"{ROOT}/{INTERNAL}").get("owner.json")
        assert content in [None if owner is None else render_owner(owner) for owner in fits]
        assert store_on(woken).owner() in fits
        assert visible(woken) == FIRST
        swept = store_on(woken).sweep()
        assert (swept.left, swept.kept) == ((), ())
    assert not [path for path, _ in woken.below(f"{ROOT}/{INTERNAL}") if path.startswith("staging/")]


@pytest.mark.parametrize("before", BEFORE)
def test_the_power_goes_during_a_claim(before: Owner | None) -> None:
    """At any of its calls, under every profile; when it has returned, the new one stands."""
    disk, judged = owned(before), 0
    disk.moments = moments = []
    store_on(disk).claim(WREN, cancelled=never)
    for number, moment in enumerate(moments):
        for profile in PROFILES:
            for woken in moment.survivors(profile, number):
                judge(woken, (before, WREN))
                judged += 1
    for profile in PROFILES:
        for woken in disk.survivors(profile):
            judge(woken, (WREN,))
    assert judged > 40


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_every_call_of_a_claim_fails(before: Owner | None, number: int) -> None:
    """Once or for ever: it fails softly, and the next one, on a disk that is well, says what it should."""
    whole = owned(before)
    store_on(whole).claim(WREN, cancelled=never)
    for call in range(len(whole.trace)):
        for forever in (False, True):
            disk = owned(before)
            disk.fail_at, disk.fail_errno, disk.fail_forever = call, number, forever
            try:
                store_on(disk).claim(WREN, cancelled=never)
            except Failed:
                fits: tuple[Owner | None, ...] = (before, WREN)
            else:
                fits = (WREN,)
            assert disk.descriptors == 0
            disk.fail_at = None
            for woken in disk.survivors("weak"):
                judge(woken, fits)
            store_on(disk).claim(WREN, cancelled=never)
            judge(disk, (WREN,))
