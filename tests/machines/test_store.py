"""Any history of a store, its disk, and a person, against a plain dict.

Verbs succeed, are refused, meet a person's doing, fail at a call, or are cut off by the power; the machine wakes up
with any disk that it may, and sweeps, cut off again or not. Whatever is done for certain is there ever after.
"""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from kestrel_skills_adapters.contracts.roots import discard
from kestrel_skills_adapters.memory.disk import CrashDisk, PowerCut
from kestrel_skills_adapters.memory.journal import Profile
from kestrel_skills_core.domain.errors import InDoubt, NotEditable, SkillError, SkillExists
from kestrel_skills_core.domain.fence import Fence
from kestrel_skills_core.domain.names import SkillName
from tests.crash.judging import PROFILES, Story, allowed
from tests.crash.test_errors import NUMBERS
from tests.crash.workload import (
    ALL_VERBS,
    BLANK,
    EDITS,
    FIRST,
    INTERNAL,
    ROOT,
    Frozen,
    State,
    begun,
    edits,
    frozen_state,
    never,
    store_on,
    visible,
)
from tests.examples import examples

_CALLS = st.integers(0, 70)


class StoreHistory(RuleBasedStateMachine):
    """What the disk holds, and what it should."""

    @initialize(first=st.sampled_from([FIRST, BLANK]))
    def begin(self, first: State) -> None:
        """Two skills, or none."""
        self.disk, self.state = begun(first), first
        self.fenced: dict[SkillName, Fence] = {}
        self.kept: dict[str, bytes] = {}
        self.steps = 0

    @rule(verb=st.sampled_from(sorted(ALL_VERBS)))
    def does(self, verb: str) -> None:
        """A verb is done if it may be, and else is refused."""
        self._run(verb)
        assert (self.error is None) == ALL_VERBS[verb].may(self.before), self.error

    @rule(edit=st.sampled_from(sorted(EDITS)))
    def edits(self, edit: str) -> None:
        """A person does something, durably."""
        self.steps += 1
        doing = edits(b"%d" % self.steps)[edit]
        if doing.possible(self.disk):
            doing.act(self.disk, True)
            self.state = doing.done(self.state)

    @rule(verb=st.sampled_from(sorted(ALL_VERBS)), edit=st.sampled_from(sorted(EDITS)), call=_CALLS)
    def meets(self, verb: str, edit: str, call: int) -> None:
        """A person does something during a verb."""
        self._run(verb, Story(edits(b"%d" % -self.steps)[edit], call))

    @rule(verb=st.sampled_from(sorted(ALL_VERBS)), call=_CALLS)
    def is_swept_beside(self, verb: str, call: int) -> None:
        """Another process sweeps during a verb: it makes no difference."""
        self.disk.before(call, lambda disk: store_on(disk).sweep())
        self.does(verb)

    @rule(which=st.integers(0, 9), restored=st.booleans())
    def takes_back(self, which: int, restored: bool) -> None:
        """What is kept is brought back, or discarded, and then nowhere else."""
        store = store_on(self.disk)
        kept = store.kept()
        if not kept:
            return
        one = kept[which % len(kept)]
        files = self.disk.files(f"{ROOT}/{INTERNAL}/kept/{one.token}-{one.name}")
        if not restored:
            discard(store, one.token)
        elif one.kind == "folder" and one.name not in self.state:
            assert store.restore(one.token, cancelled=never) == one.name
            self.state = {**self.state, one.name: visible(self.disk)[one.name]}
            assert set(files.values()) <= set(self.disk.files(f"{ROOT}/{one.name}").values())
        else:
            with pytest.raises(SkillExists if one.kind == "folder" else NotEditable):
                store.restore(one.token, cancelled=never)
            return
        assert one not in store.kept()
        self.kept = self.disk.files(f"{ROOT}/{INTERNAL}/kept")
        self.disk = self.disk.fork()

    @rule(verb=st.sampled_from(sorted(ALL_VERBS)), call=_CALLS, number=st.sampled_from(NUMBERS), forever=st.booleans())
    def fails(self, verb: str, call: int, number: int, forever: bool) -> None:
        """The disk refuses a call of a verb, or all from then on."""
        self.disk.fail_at, self.disk.fail_errno, self.disk.fail_forever = call, number, forever
        self._run(verb)

    @rule(
        verb=st.sampled_from(sorted(ALL_VERBS)),
        call=_CALLS,
        profile=st.sampled_from(PROFILES),
        which=st.integers(0, 1_000),
        again=st.none() | _CALLS,
    )
    def is_cut_off(self, verb: str, call: int, profile: Profile, which: int, again: int | None) -> None:
        """The power goes in a verb, and perhaps in the sweep after it."""
        self.disk.cut_at = call
        try:
            self._run(verb)
        except PowerCut:
            fits, _ = allowed(self.state, ALL_VERBS[verb], self.salt, None, None, ended=False)
        else:
            fits = {frozen_state(self.state)}
        self._wake(profile, which)
        if again is not None:
            self.disk.cut_at = again
            with suppress(PowerCut):
                store_on(self.disk).sweep()
            self._wake(profile, which // 7)
        self._swept(fits)

    @rule(profile=st.sampled_from(PROFILES), which=st.integers(0, 1_000))
    def restarts(self, profile: Profile, which: int) -> None:
        """The power goes when nothing is under way."""
        self._wake(profile, which)
        self._swept({frozen_state(self.state)})

    @rule(call=_CALLS, number=st.sampled_from(NUMBERS), forever=st.booleans())
    def sweeps(self, call: int, number: int, forever: bool) -> None:
        """A sweep, which may fail, changes nothing that is to be seen."""
        self.disk = self.disk.fork()
        self.disk.fail_at, self.disk.fail_errno, self.disk.fail_forever = call, number, forever
        with suppress(SkillError):
            store_on(self.disk).sweep()
        self.disk = self.disk.fork()

    @rule(
        name=st.sampled_from(["a", "b", "zz"]),
        fence=st.none() | st.builds(Fence, priority=st.integers(-3, 3), reason=st.sampled_from(["one", "two"])),
        call=st.none() | st.integers(0, 20),
        profile=st.sampled_from(PROFILES),
        which=st.integers(0, 1_000),
    )
    def fences(self, name: str, fence: Fence | None, call: int | None, profile: Profile, which: int) -> None:
        """A mark is put up or taken away, and then it is so, or, if the power goes meanwhile, as before."""
        before, after = self.fenced, {each: mark for each, mark in self.fenced.items() if each != name}
        if fence is not None:
            after[SkillName(name)] = fence
        self.disk = self.disk.fork()
        self.disk.cut_at = call
        try:
            store = store_on(self.disk)
            if fence is not None:
                store.fence(SkillName(name), fence, cancelled=never)
            elif (seen := (store.fenced() or {}).get(SkillName(name))) is not None:
                store.unfence(SkillName(name), seen=seen, cancelled=never)
        except PowerCut:
            self._wake(profile, which)
            self._swept({frozen_state(self.state)})
            assert store_on(self.disk).fenced() in (before, after)
            self.fenced = dict(store_on(self.disk).fenced() or {})
        else:
            self._wake(profile, which)
            self._swept({frozen_state(self.state)})
            self.fenced = after

    @invariant()
    def is_as_it_should_be(self) -> None:
        """What is to be seen is what the model says, what was kept is kept, and what was fenced is fenced."""
        if not hasattr(self, "disk"):
            return
        assert frozen_state(visible(self.disk)) == frozen_state(self.state)
        kept = self.disk.files(f"{ROOT}/{INTERNAL}/kept")
        assert kept.items() >= self.kept.items()
        self.kept = kept
        assert store_on(self.disk).fenced() == self.fenced

    def _run(self, verb: str, story: Story | None = None) -> None:
        """Run a verb, and learn which of the states that it may leave is there."""
        self.steps += 1
        self.salt = f"{verb} {self.steps}"
        self.before = self.state
        disk, acted = self.disk, []

        def act(disk: CrashDisk) -> None:
            assert story is not None
            if story.edit.possible(disk):
                acted.append(True)
                story.edit.act(disk, True)

        if story is not None:
            disk.before(len(disk.trace) + story.call, act)
        self.error = None
        try:
            ALL_VERBS[verb].run(store_on(disk), disk.fork(), self.state, self.salt)
        except SkillError as error:
            self.error = error
        self.disk = disk.fork()
        edit = story.edit if story is not None and acted else None
        without, with_ = allowed(self.state, ALL_VERBS[verb], self.salt, edit, self.error, ended=True)
        if isinstance(self.error, InDoubt):
            store_on(self.disk).sweep()
        self._learn(without if edit is None else with_)
        assert edit is None or edit.wrote <= set(self.disk.files(ROOT).values())

    def _learn(self, fits: set[Frozen]) -> None:
        state = visible(self.disk)
        assert frozen_state(state) in fits, (self.salt, self.error)
        self.state = state

    def _wake(self, profile: Profile, which: int) -> None:
        woken = list(self.disk.survivors(profile, which))
        self.disk = woken[which % len(woken)]

    def _swept(self, fits: set[Frozen]) -> None:
        store = store_on(self.disk)
        store.sweep()
        below = [path for path, _ in self.disk.below(f"{ROOT}/{INTERNAL}")]
        assert not [path for path in below if path.startswith(("staging/", "retired/"))]
        self._learn(fits)


_SETTINGS = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def test_a_store_is_a_dict() -> None:
    """In a hundred histories of up to fifty steps, the same each time."""
    run_state_machine_as_test(
        StoreHistory, settings=settings(_SETTINGS, max_examples=examples(100), stateful_step_count=50)
    )


@pytest.mark.property
def test_a_store_is_a_dict_in_any_history() -> None:
    """In other and longer ones each time."""
    run_state_machine_as_test(
        StoreHistory,
        settings=settings(_SETTINGS, derandomize=False, max_examples=examples(1_000), stateful_step_count=100),
    )
