"""The power goes at any call of any verb, whatever a person does meanwhile: every skill is the old or the new.

A part of it runs with all other tests; the whole (`nox -s crash`) is what the marker `crash` stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import combinations, product
from typing import Final

import pytest

from kestrel_skills_adapters.contracts.roots import kept_files
from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_core.domain.errors import Busy, InDoubt, Moved, SkillError, StaleRevision

from .judging import PROFILES, Judge, Story, allowed, image_of, may_forget, told
from .workload import (
    ALL_VERBS,
    BLANK,
    EDITS,
    FIRST,
    NAME,
    ROOT,
    VERBS,
    Edit,
    State,
    Verb,
    begun,
    edits,
    store_on,
    visible,
)

_SOME: Final = 6
"""Of sequences of several verbs and a person's doing, every so manieth power cut within a verb is judged."""


def tell(judge: Judge, disk: CrashDisk, state: State, depth: int, salt: str = "") -> int:
    """Judge every power cut of every sequence of so many verbs; gives how many sequences there were."""
    sequences = 0
    for name, verb in VERBS.items():
        run = judge.hears(disk, verb, state, f"{salt}/{name}")
        assert (run.error is None) == verb.may(state), (salt, name, run.error)
        sequences += 1
        if depth > 1:
            after = verb.done(state, f"{salt}/{name}") if run.error is None else state
            sequences += tell(judge, run.end.fork(), after, depth - 1, f"{salt}/{name}")
    return sequences


def tell_edited(judge: Judge, disk: CrashDisk, state: State, depth: int, before: int = 1, salt: str = "") -> int:
    """Judge every sequence of up to so many verbs, before one of which, by its number, a person does something."""
    if before == 1:
        sequences = 0
        for doing, edit in EDITS.items():
            if edit.possible(disk):
                edited = disk.fork()
                edit.act(edited, True)
                every = _SOME if salt else 1
                after = edit.done(state)
                sequences += tell_after(judge, edited, after, depth, f"{salt}/{doing}", every=every)
        return sequences
    sequences = 0
    for name, verb in VERBS.items():
        if verb.may(state):
            run = told(disk, verb, state, f"{salt}/{name}")
            after = verb.done(state, f"{salt}/{name}")
            sequences += tell_edited(judge, run.end.fork(), after, depth - 1, before - 1, f"{salt}/{name}")
    return sequences


def tell_after(judge: Judge, disk: CrashDisk, state: State, depth: int, salt: str, *, every: int = _SOME) -> int:
    """Judge every sequence of up to so many verbs, of the first at `every` so manieth power cut, then at some.

    Nothing follows a verb that was refused and left no trace: what would, is judged without it.
    """
    sequences = 0
    for name, verb in VERBS.items():
        run = judge.hears(disk, verb, state, f"{salt}/{name}", every=every)
        sequences += 1
        if depth > 1 and (run.error is None or image_of(run.end.volume) != image_of(disk.volume)):
            sequences += tell_after(judge, run.end.fork(), visible(run.end), depth - 1, f"{salt}/{name}")
    return sequences


def tell_within(judge: Judge, disk: CrashDisk, state: State, depth: int, salt: str = "", *, every: int) -> int:
    """Judge sequences of up to so many verbs within one of which a person does something: of all stories, some.

    Of the stories, `every` so manieth is told.
    """
    stories = 0
    for name, verb in VERBS.items():
        calls = len(told(disk, verb, state, f"{salt}/{name}").trace)
        for (doing, edit), call in product(EDITS.items(), range(calls)):
            judge.stories += 1
            if judge.stories % every == 0:
                said = f"{salt}/{name}, {doing} before {call}"
                run = judge.hears(disk, verb, state, said, Story(edit, call))
                stories += run.acted is not None
                if run.acted is not None and depth > 1:
                    if isinstance(run.error, InDoubt):  # who cannot know how it went looks again, after a start
                        store_on(run.end).sweep()
                    tell_after(judge, run.end.fork(), visible(run.end), depth - 1, said)
        if depth > 1 and verb.may(state):
            end = told(disk, verb, state, f"{salt}/{name}").end
            after = verb.done(state, f"{salt}/{name}")
            stories += tell_within(judge, end.fork(), after, depth - 1, f"{salt}/{name}", every=every)
    return stories


def tell_disturbed(judge: Judge, disk: CrashDisk, state: State, *, every: int = 1) -> int:
    """Judge every power cut of every verb during which, before each of its calls, a person does something."""
    stories = 0
    for name, verb in VERBS.items():
        calls = len(told(disk, verb, state, "untouched").trace)
        for number, (doing, edit) in enumerate(EDITS.items()):
            for synced in (True, False) if edit.path else (True,):
                for call in range(number % every, calls, every):
                    judge.hears(disk, verb, state, f"{name}, {doing}", Story(edit, call, synced))
                    stories += 1
    return stories


def tell_disturbed_twice(judge: Judge, disk: CrashDisk, state: State, *, every: int = 1) -> int:
    """Let a person act before two calls of a verb; whatever they leave in sight or out of it is there ever after."""
    stories = 0
    for name in ("replace", "remove", "retire"):
        verb = VERBS[name]
        calls = len(told(disk, verb, state, "untouched").trace)
        for first, second in product(edits(b"first").values(), edits(b"second").values()):
            if not (first.wrote and second.wrote):
                continue
            for one, other in combinations(range(stories % every, calls, every), 2):
                twice(judge, disk.fork(), verb, state, [(one, first), (other, second)])
                stories += 1
    return stories


def twice(judge: Judge, disk: CrashDisk, verb: Verb, state: State, doings: list[tuple[int, Edit]]) -> None:
    """One story of two doings."""
    disk.moments = moments = []
    there: set[bytes] = set()
    acted = 0

    def do(edit: Edit) -> Callable[[CrashDisk], None]:
        def act(disk: CrashDisk) -> None:
            nonlocal acted
            assert there <= set(disk.files(ROOT).values()), "what a person wrote is gone"
            if edit.possible(disk):
                edit.act(disk, True)
                there.clear()
                there.update({b"first", b"second"} & set(disk.files(ROOT).values()))
                acted = len(moments)

        return act

    for call, edit in doings:
        disk.before(call, do(edit))
    with suppress(SkillError):
        verb.run(store_on(disk), disk.fork(), state, "new")
    for moment in (*moments[acted::3], disk):
        judge.judge(moment, None, frozenset(there), what=doings)


def tell_met(judge: Judge, disk: CrashDisk, state: State) -> int:
    """Let a person do something before every call of every verb, and judge what is there when both are done."""
    stories = 0
    for name, verb in ALL_VERBS.items():
        for call in range(len(told(disk, verb, state, "untouched").trace)):
            for doing, edit in EDITS.items():
                run = told(disk, verb, state, name, Story(edit, call))
                if run.acted is not None:
                    _, fits = allowed(state, verb, name, edit, run.error, ended=True)
                    judge.judge(run.end.restarted(), fits, edit.wrote, what=(name, doing, call, run.error))
                    if isinstance(run.error, StaleRevision) and run.error.kept is not None:
                        assert not may_forget(run.end, [run.error.kept]), (name, doing, call)
                    stories += 1
    return stories


def test_a_person_meets_a_verb() -> None:
    """Before every call of it; the power stays on."""
    judge = Judge()
    assert tell_met(judge, begun(FIRST), FIRST) > 2_000
    assert tell_met(judge, begun(BLANK), BLANK) > 40


def moved_away(disk: CrashDisk) -> None:
    """A person renames the root, and makes another."""
    disk.person.shift(ROOT, "/elsewhere")
    disk.person.put(f"{ROOT}/b/SKILL.md", b"another root")


@pytest.mark.parametrize(
    ("verb", "commit", "what"),
    [
        ("publish", "move", "root"),
        *((verb, "move", what) for verb in ("add", "remove", "retire") for what in ("root", "skill")),
        *(("replace", "exchange", what) for what in ("root", "skill")),
    ],
)
def test_what_was_moved_away_just_before_the_move_is_not_told_as_done(verb: str, commit: str, what: str) -> None:
    """Nobody finds the change under the name that was given."""
    state = FIRST if VERBS[verb].may(FIRST) else BLANK
    disk = begun(state)
    call = told(disk, VERBS[verb], state, "new").trace.index(commit)
    disk.before(call, moved_away if what == "root" else lambda disk: EDITS["renames the skill"].act(disk, True))
    with pytest.raises((InDoubt, Moved)):
        VERBS[verb].run(store_on(disk), disk.fork(), state, "new")


def _last(trace: tuple[str, ...], name: str) -> int:
    return max(call for call, each in enumerate(trace) if each == name)


def is_busy(disk: CrashDisk) -> None:
    """Another process writes to the same skill, and is told that it is busy."""
    with pytest.raises(Busy):
        VERBS["replace"].run(store_on(disk), disk, FIRST, "other")


@pytest.mark.parametrize("verb", ["replace", "add", "remove", "retire"])
def test_two_writers_of_one_name_do_not_meet(verb: str) -> None:
    """The second, who comes at any call between the first one's locks and its move, is told to come again."""
    run = told(begun(FIRST), VERBS[verb], FIRST, "new")
    for call in range(_last(run.trace, "locked") + 1, run.trace.index("move" if verb != "replace" else "exchange") + 1):
        disk = begun(FIRST)
        disk.before(call, is_busy)
        VERBS[verb].run(store_on(disk), disk.fork(), FIRST, "new")


@pytest.mark.parametrize(("verb", "commit"), [("replace", "exchange"), ("remove", "move")])
def test_who_was_faster_twice_is_told_where_the_second_bytes_are(verb: str, commit: str) -> None:
    """What moving back brought out is kept, and stays kept when the power goes."""
    disk = begun(FIRST)
    call = told(disk, VERBS[verb], FIRST, "new").trace.index(commit)
    doing = "saves the document" if verb == "replace" else "saves a note"
    for later, mine in enumerate((b"first", b"second")):
        disk.before(call + later, partial(edits(mine)[doing].act, synced=True))
    with pytest.raises(StaleRevision) as stale:
        VERBS[verb].run(store_on(disk), disk.fork(), FIRST, "new")
    for profile in PROFILES:
        for woken in disk.survivors(profile):
            (kept,) = store_on(woken).kept()
            assert kept.token == stale.value.kept
            found = {*woken.files(f"{ROOT}/{NAME}").values(), *kept_files(store_on(woken), kept.token).values()}
            assert found >= {b"first", b"second"}


@pytest.mark.parametrize(
    ("verb", "commit", "doing"),
    [
        ("replace", "exchange", "writes the document in place"),
        ("publish", "move", "writes the document in place"),
        ("publish", "move", "adds a file"),
        ("add", "move", "adds the same file"),
        ("add beside", "move", "adds the same file beside"),
    ],
)
@pytest.mark.parametrize("later", [1, 2, 3, 4])
def test_what_a_person_writes_into_what_just_came_into_sight_is_found(
    verb: str, commit: str, doing: str, later: int
) -> None:
    """Whether or not the names go back that came with it, wherever the disk has the bytes."""
    state = FIRST if verb != "publish" else BLANK
    call = told(begun(state), ALL_VERBS[verb], state, "new").trace.index(commit)
    judge = Judge()
    judge.hears(begun(state), ALL_VERBS[verb], state, "new", Story(EDITS[doing], call + later, synced=False))
    assert judge.total > 10


def test_who_puts_the_old_text_back_finds_it() -> None:
    """A person saves before our exchange, and then, before we move back, saves what we had seen: that is theirs too."""
    disk = begun(FIRST)
    call = told(disk, VERBS["replace"], FIRST, "new").trace.index("exchange")
    seen = FIRST[NAME]["SKILL.md"].content
    for later, mine in enumerate((b"first", seen)):
        disk.before(call + later, partial(edits(mine)["saves the document"].act, synced=True))
    with pytest.raises(StaleRevision) as stale:
        VERBS["replace"].run(store_on(disk), disk.fork(), FIRST, "new")
    assert stale.value.kept is not None
    found = {disk.files(f"{ROOT}/{NAME}")["SKILL.md"], *kept_files(store_on(disk), stale.value.kept).values()}
    assert found == {b"first", seen}


def test_the_power_goes_in_one_verb() -> None:
    """At any of its calls, on a disk that was never changed by us before."""
    judge = Judge()
    assert tell(judge, begun(FIRST), FIRST, 1) == 5
    assert tell(judge, begun(BLANK), BLANK, 1) == 5
    assert judge.total > 2_000


def test_the_power_goes_in_one_verb_beside_a_person() -> None:
    """Who does something before, or meanwhile."""
    judge = Judge()
    tell_edited(judge, begun(FIRST), FIRST, 1)
    tell_edited(judge, begun(BLANK), BLANK, 1)
    tell_disturbed(judge, begun(FIRST), FIRST, every=29)
    assert judge.total > 10_000


def test_the_power_goes_in_one_verb_beside_a_person_who_comes_twice() -> None:
    """Whose bytes are found, both times."""
    judge = Judge()
    tell_disturbed_twice(judge, begun(FIRST), FIRST, every=17)
    assert judge.total > 1_000


@pytest.mark.crash
@pytest.mark.parametrize("first", [FIRST, BLANK], ids=["two skills", "no skill"])
def test_the_power_goes_in_three_verbs(first: State) -> None:
    """In all sequences of up to three."""
    judge = Judge()
    assert tell(judge, begun(first), first, 3) == 5 + 25 + 125
    print(f"\n155 sequences: {judge}")
    assert judge.total >= 35_000


@pytest.mark.crash
@pytest.mark.parametrize("before", [1, 2, 3])
def test_the_power_goes_in_three_verbs_and_a_person_was_there(before: int) -> None:
    """Before any one of them, and whatever came before that is not settled any further."""
    judge = Judge()
    sequences = tell_edited(judge, begun(FIRST), FIRST, 3, before)
    print(f"\n{sequences} sequences with an edit before verb {before}: {judge}")
    assert judge.total >= 35_000


@pytest.mark.crash
def test_the_power_goes_in_three_verbs_and_a_person_comes_within_one() -> None:
    """Within any one of them, before every 251st of its calls."""
    judge = Judge()
    stories = tell_within(judge, begun(FIRST), FIRST, 3, every=251)
    print(f"\n{stories} sequences with an edit within a verb: {judge}")
    assert judge.total >= 35_000


@pytest.mark.crash
def test_the_power_goes_while_a_person_is_there() -> None:
    """Before every ninth call of any verb, for each doing other ones."""
    judge = Judge()
    stories = tell_disturbed(judge, begun(FIRST), FIRST, every=9)
    retired = told(begun(FIRST), VERBS["retire"], FIRST, "")
    stories += tell_disturbed(judge, retired.end.fork(), VERBS["retire"].done(FIRST, ""), every=3)
    print(f"\n{stories} edits within a verb: {judge}")
    assert judge.total >= 35_000


@pytest.mark.crash
def test_the_power_goes_while_a_person_comes_twice() -> None:
    """Before any two of some calls of a verb that takes bytes away."""
    judge = Judge()
    stories = tell_disturbed_twice(judge, begun(FIRST), FIRST, every=11)
    print(f"\n{stories} pairs of edits within a verb: {judge}")
