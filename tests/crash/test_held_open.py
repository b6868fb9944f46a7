"""A program that holds a file open writes to it whenever it likes, also when the file is out of sight by then.

What it wrote is found after the verb that took the file away, and after the next sweep, in sight or kept.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations

import pytest

from kestrel_skills_core.domain.errors import SkillError

from .judging import Judge, Story, told
from .workload import FIRST, NAME, ROOT, VERBS, Edit, State, Verb, begun, store_on

TAKEN = {"replace": "SKILL.md", "remove": "notes/one.md", "retire": "tools/run.sh"}
"""By verb, a file that it takes out of sight."""
MINE = b"written by who had it open\n"
LATER = b"written later by who had it open\n"


def unchanged(state: State) -> State:
    """The model knows of no open files."""
    return state


def writes(path: str, mine: bytes) -> Edit:
    """What the program does that opened this file of the first skill before anything else was done."""
    number = begun(FIRST).person.opened(f"{ROOT}/{NAME}/{path}")
    return Edit(
        lambda disk, synced: disk.person.write(number, mine, synced=synced),
        unchanged,
        frozenset({mine}),
        needs="b",  # which is always there
    )


def calls_of(verb: Verb) -> int:
    """How many calls it makes when nobody is in its way."""
    return len(told(begun(FIRST), verb, FIRST, "new").trace)


@pytest.mark.parametrize("synced", [True, False], ids=["synced", "not synced"])
@pytest.mark.parametrize("name", TAKEN)
def test_what_is_written_during_a_verb_is_found(name: str, synced: bool) -> None:
    """Before any of its calls; the power goes at any later one, or stays."""
    judge, verb, edit = Judge(), VERBS[name], writes(TAKEN[name], MINE)
    for call in range(calls_of(verb)):
        run = told(begun(FIRST), verb, FIRST, "new", Story(edit, call, synced))
        assert run.acted is not None
        assert MINE in run.end.files(ROOT).values(), (call, run.error)
        for moment in (*run.moments[run.acted :], run.end):
            judge.judge(moment, None, edit.wrote, ignored="" if synced else TAKEN[name], what=(name, call, run.error))
    assert judge.cuts > 100


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_written_after_a_verb_is_found(name: str) -> None:
    """A program may hold on to a file for as long as it likes; what it writes before a sweep, the sweep finds."""
    run = told(begun(FIRST), VERBS[name], FIRST, "new")
    writes(TAKEN[name], MINE).act(run.end, True)
    assert MINE in run.end.files(ROOT).values()
    Judge().judge(run.end, None, frozenset({MINE}), what=name)


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_written_last_is_found(name: str) -> None:
    """A program that writes twice to one file is owed its last bytes."""
    judge, verb = Judge(), VERBS[name]
    first, last = writes(TAKEN[name], MINE), writes(TAKEN[name], LATER)
    for one, other in combinations(range(0, calls_of(verb) + 2, 2), 2):
        disk = begun(FIRST)
        disk.before(one, lambda disk: first.act(disk, True))
        disk.before(other, lambda disk: last.act(disk, True))
        with suppress(SkillError):
            verb.run(store_on(disk), disk.fork(), FIRST, "new")
        if len(disk.trace) <= other:  # the verb had ended before that
            last.act(disk, True)
        judge.judge(disk, None, last.wrote, what=(name, one, other))
    assert judge.cuts > 50
