"""The power goes again, while a sweep mends what the first power cut left: the next sweep mends both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kestrel_skills_adapters.memory.disk import CrashDisk

from .judging import PROFILES, Judge, Story, allowed, image_of, told
from .workload import EDITS, FIRST, VERBS, State, begun, store_on


def tell_twice(judge: Judge, disk: CrashDisk, state: State, stories: list[Story | None], *, every: int = 1) -> None:
    """Cut the power in each verb, under each profile, and then at each call of the sweep that follows."""
    for name, verb in VERBS.items():
        woken: set[object] = set()
        for story in stories if verb.may(state) else ():
            run = told(disk, verb, state, name, story)
            if story is not None and run.acted is None:
                continue
            edit = None if story is None else story.edit
            without, with_ = allowed(state, verb, name, edit, None, ended=False)
            fits, wrote = (without, frozenset[bytes]()) if edit is None else (with_, edit.wrote)
            for moment in (*run.moments, run.end)[run.acted or 0 :: every]:
                for again in cuts_of_sweeps(moment, woken):
                    judge.judge(again, fits, wrote, what=(name, story))


def cuts_of_sweeps(moment: CrashDisk, woken: set[object]) -> Iterator[CrashDisk]:
    """Every moment of the sweep of every disk that the machine may wake up with, but those it woke up with before."""
    for profile in PROFILES:
        for disk in moment.survivors(profile):
            if (image := image_of(disk.volume)) not in woken:
                woken.add(image)
                disk.moments = moments = []
                store_on(disk).sweep()
                yield from moments


def test_the_power_goes_again_in_the_sweep() -> None:
    """At any of its calls, after any of the first cuts."""
    judge = Judge()
    tell_twice(judge, begun(FIRST), FIRST, [None], every=1)
    assert judge.cuts > 80


@pytest.mark.crash
def test_the_power_goes_again_at_any_call_of_a_sweep() -> None:
    """After any of the first cuts, beside a person or not."""
    judge = Judge()
    stories = [Story(edit, call) for edit in EDITS.values() for call in range(12, 54, 6)]
    tell_twice(judge, begun(FIRST), FIRST, [None, *stories])
    retired = told(begun(FIRST), VERBS["retire"], FIRST, "").end
    retired.volume.settle()
    tell_twice(judge, retired.fork(), VERBS["retire"].done(FIRST, ""), [None, *stories])
    print(f"\nduring recovery: {judge}")
    assert judge.cuts >= 5_000
