"""The disk refuses a call, once or for ever: the skill is the old or the new, nothing stays open, a sweep mends it."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Final

import pytest

from kestrel_skills_adapters.contracts.roots import discard
from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_adapters.memory.journal import Profile
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_core.domain.errors import Failed, InDoubt, SkillError
from kestrel_skills_core.domain.fence import Fence
from kestrel_skills_core.domain.names import SkillName

from .judging import PROFILES, Judge, allowed, told
from .workload import (
    ALL_VERBS,
    BLANK,
    FIRST,
    INTERNAL,
    NAME,
    ROOT,
    VERBS,
    State,
    Verb,
    begun,
    frozen_state,
    never,
    store_on,
    visible,
)

OTHER: Final = SkillName("b")
NUMBERS: Final = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.EACCES, errno.EROFS)


def refused(verb: Verb, state: State, call: int, number: int, *, forever: bool) -> tuple[CrashDisk, SkillError | None]:
    """The disk after a verb one or all of whose later calls were refused, and what the verb said."""
    disk = begun(state)
    disk.fail_at, disk.fail_errno, disk.fail_forever = call, number, forever
    error = None
    try:
        verb.run(store_on(disk), disk, state, "new")
    except Failed as raised:
        error = raised
    assert disk.descriptors == 0, "a descriptor is left open"
    return disk, error


def tell_errors(judge: Judge, state: State, numbers: tuple[int, ...]) -> int:
    """Let every call of every verb fail, with each error, once and for ever; gives how often that was."""
    tried = 0
    for name, verb in ALL_VERBS.items():
        if not verb.may(state):
            continue
        for call in range(len(told(begun(state), verb, state, "new").trace)):
            for number in numbers:
                for forever in (False, True):
                    disk, error = refused(verb, state, call, number, forever=forever)
                    what = (name, call, disk.trace[call], errno.errorcode[number], forever, error)
                    fits, _ = allowed(state, verb, "new", None, error, ended=True)
                    assert frozen_state(visible(disk)) in fits, what
                    disk.fail_at = None
                    judge.judge(disk, fits, frozenset(), what=what)
                    tried += 1
    return tried


def test_every_call_fails_once_or_for_ever() -> None:
    """As a full disk does: each in its way, with a power cut after it."""
    assert tell_errors(Judge(), FIRST, (errno.ENOSPC,)) > 250


@pytest.mark.crash
@pytest.mark.parametrize("state", [FIRST, BLANK], ids=["two skills", "no skill"])
def test_every_call_fails_with_every_error(state: State) -> None:
    """With a power cut after it, under every profile."""
    judge = Judge()
    tried = tell_errors(judge, state, NUMBERS)
    print(f"\n{tried:,} refused calls: {judge}")


def tell_failing_sweeps(judge: Judge, numbers: tuple[int, ...]) -> int:
    """Let every call of a sweep fail over what each verb leaves at some power cuts; gives how often that was."""
    tried = 0
    for verb in VERBS.values():
        state = FIRST if verb.may(FIRST) else BLANK
        fits, _ = allowed(state, verb, "new", None, None, ended=False)
        for moment in told(begun(state), verb, state, "new").moments[::3]:
            whole = moment.restarted()
            store_on(whole).sweep()
            for call, number, forever in product(range(len(whole.trace)), numbers, (False, True)):
                disk = moment.restarted()
                disk.fail_at, disk.fail_errno, disk.fail_forever = call, number, forever
                with suppress(SkillError):
                    store_on(disk).sweep()
                assert disk.descriptors == 0
                disk.fail_at = None
                judge.judge(disk, fits, frozenset(), what=(call, disk.trace[call], number, forever))
                tried += 1
    return tried


def test_every_call_of_a_sweep_fails() -> None:
    """And the next sweep mends what it left."""
    assert tell_failing_sweeps(Judge(), (errno.EIO,)) > 500


@pytest.mark.crash
def test_every_call_of_a_sweep_fails_with_every_error() -> None:
    """With a power cut after it, under every profile."""
    judge = Judge()
    tried = tell_failing_sweeps(judge, NUMBERS)
    print(f"\n{tried:,} refused calls of a sweep: {judge}")


TOKEN: Final = "ab" * 16
MARK: Final = Fence(priority=3, reason="it was turned off")
ASIDE: Final[Mapping[str, Callable[[PosixSkillStore], object]]] = {
    "fence": lambda store: store.fence(NAME, MARK, cancelled=never),
    "fence again": lambda store: store.fence(OTHER, MARK, cancelled=never),
    "unfence": lambda store: store.unfence(OTHER, seen=seen_mark(), cancelled=never),
    "restore": lambda store: store.restore(TOKEN, cancelled=never),
    "discard": lambda store: discard(store, TOKEN),
}
"""The verbs that concern marks, and what is kept."""


def aside() -> CrashDisk:
    """A disk with a skill in sight, a mark, and a folder that is kept."""
    disk = begun({OTHER: FIRST[OTHER]})
    store_on(disk).fence(OTHER, Fence(priority=1, reason="before"), cancelled=never)
    for path, held in FIRST[NAME].items():
        disk.person.put(f"{ROOT}/{INTERNAL}/kept/{TOKEN}-{NAME}/{path}", held.content, mode=held.mode)
    disk.volume.settle()
    return disk.fork()


def seen_mark() -> Fence:
    """The mark that is there at first."""
    return (store_on(aside()).fenced() or {})[OTHER]


def standing(disk: CrashDisk) -> tuple[object, ...]:
    """What is in sight, what is kept, under whatever token, and what is marked."""
    files = disk.files(f"{ROOT}/{INTERNAL}/kept")
    kept = frozenset((path.partition("/")[2], content) for path, content in files.items())
    return frozen_state(visible(disk)), kept, store_on(disk.fork()).fenced()


def is_swept(disk: CrashDisk) -> bool:
    """Sweep; whether nothing is left of what was under way."""
    store_on(disk).sweep()
    below = [path for path, _ in disk.below(f"{ROOT}/{INTERNAL}")]
    return not [path for path in below if path.startswith(("staging/", "retired/"))]


def tell_errors_aside(numbers: tuple[int, ...], profiles: Sequence[Profile]) -> int:
    """Let every call of these verbs fail, with each error, once and for ever; gives how often that was."""
    tried = 0
    for name, run in ASIDE.items():
        whole, before = aside(), standing(aside())
        run(store_on(whole))
        after = standing(whole)
        assert after != before
        for call, number, forever in product(range(len(whole.trace)), numbers, (False, True)):
            disk = aside()
            disk.fail_at, disk.fail_errno, disk.fail_forever = call, number, forever
            fits = [after]
            try:
                run(store_on(disk))
            except InDoubt:
                fits = [before, after]
            except Failed:
                fits = [before]
            what = (name, call, disk.trace[call], errno.errorcode[number], forever)
            assert disk.descriptors == 0, what
            disk.fail_at = None
            assert standing(disk) in fits, what
            for woken in (disk.restarted(), *(each for profile in profiles for each in disk.survivors(profile))):
                assert is_swept(woken), what
                assert standing(woken) in fits, what
            tried += 1
    return tried


def test_every_call_of_what_is_done_aside_fails() -> None:
    """Marks are as before, or as they should be, and what is kept is kept, in sight, or gone."""
    assert tell_errors_aside((errno.ENOSPC,), ["weak"]) > 100


@pytest.mark.crash
def test_every_call_of_what_is_done_aside_fails_with_every_error() -> None:
    """With a power cut after it, under every profile."""
    tried = tell_errors_aside(NUMBERS, PROFILES)
    print(f"\n{tried:,} refused calls of marks, and of what is kept; 0 wrong")
