"""The disk refuses a call, once or for ever: the skill is the old or the new, nothing stays open, a sweep mends it."""

from __future__ import annotations

import errno
from contextlib import suppress
from itertools import product
from typing import Final

import pytest

from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_core.domain.errors import Failed, SkillError

from .judging import Judge, allowed, told
from .workload import BLANK, FIRST, VERBS, State, Verb, begun, frozen_state, store_on, visible

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
    for name, verb in VERBS.items():
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
