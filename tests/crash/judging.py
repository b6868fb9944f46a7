"""What may be found when the machine wakes up, and what recovery makes of it.

A disk is judged after a sweep: every skill is in a state that the model allows, nothing is left of what was under way,
what a person wrote is to be found, and a second sweep finds nothing to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from attrs import define, field, frozen

from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_adapters.memory.journal import Profile
from kestrel_skills_adapters.memory.volume import Volume
from kestrel_skills_core.domain.errors import InDoubt, SkillError

from .workload import EDITS, INTERNAL, ROOT, Edit, Frozen, State, Verb, frozen_state, revision, store_on, visible

__all__ = ["PROFILES", "Judge", "Story", "allowed", "image_of", "may_forget", "told"]

PROFILES: Final[tuple[Profile, ...]] = ("ordered", "journaled", "weak")
_ROOMS: Final = ("staging", "retired")
_THEIRS: Final = frozenset[bytes]().union(*(edit.wrote for edit in EDITS.values()))


@frozen
class Recovered:
    """What a sweep made of a disk."""

    state: Frozen
    found: frozenset[bytes]
    """The bytes of every file that is in sight, or kept."""
    left: tuple[str, ...]
    """What is left of what was under way."""
    again: bool
    """Whether a second sweep had anything to do."""
    forgotten: bool
    """Whether something that the sweep said it keeps may not be kept under that token after a power cut."""

    def wrong(self, fits: set[Frozen] | None, wrote: frozenset[bytes], ignored: str) -> str:
        """What is wrong with it, if anything."""
        if fits is not None and _apart_from(ignored, self.state) not in {_apart_from(ignored, each) for each in fits}:
            return f"a state that nobody made: {self.state}"
        if not wrote <= self.found:
            return "what a person wrote is gone"
        if self.left:
            return f"left over: {self.left}"
        if self.forgotten:
            return "what is kept is not kept for certain"
        return "a second sweep had work to do" if self.again else ""


def _apart_from(path: str, state: Frozen) -> Frozen:
    if not path:
        return state
    return frozenset((name, frozenset(file for file in files if file[0] != path)) for name, files in state)


def may_forget(disk: CrashDisk, tokens: Iterable[str]) -> bool:
    """Whether a power cut now may leave nothing kept under one of these tokens."""
    promised = set(tokens)
    return bool(promised) and any(
        not promised <= {kept.token for kept in store_on(woken).kept()}
        for profile in PROFILES
        for woken in disk.survivors(profile)
    )


def found_on(disk: CrashDisk) -> Iterator[bytes]:
    """The bytes of every file that is in sight, or kept."""
    for path, content in disk.files(ROOT).items():
        if not path.startswith(f"{INTERNAL}/") or path.startswith(f"{INTERNAL}/kept/"):
            yield content


def recovered(disk: CrashDisk) -> Recovered:
    """Sweep a disk, twice."""
    store = store_on(disk)
    forgotten = may_forget(disk, store.sweep().kept)
    below = dict(disk.below(f"{ROOT}/{INTERNAL}"))
    left = tuple(path for path in below if path.partition("/")[0] in _ROOMS and "/" in path)
    state = visible(disk)
    found = frozenset(found_on(disk))
    before = dict(disk.below(ROOT))
    swept = store.sweep()
    again = bool(swept.skipped or swept.purged or swept.restored or swept.kept) or before != dict(disk.below(ROOT))
    return Recovered(
        frozen_state(state),
        found,
        left,
        again,
        forgotten,
    )


@frozen
class Story:
    """What a person does before one call of a verb; synced at once, or not."""

    edit: Edit
    call: int
    synced: bool = True


@frozen
class Told:
    """How a verb went: what it raised, if anything, and every moment at which the power might have gone."""

    error: SkillError | None
    moments: tuple[CrashDisk, ...]
    acted: int | None
    """From which moment on the person had acted, if at all."""
    end: CrashDisk
    trace: tuple[str, ...]


def told(disk: CrashDisk, verb: Verb, state: State, salt: str, story: Story | None = None) -> Told:
    """Run a verb on a fork of a disk, and let a person act before one of its calls."""
    fork = disk.fork()
    fork.moments = moments = []
    acted: list[int] = []

    def act(disk: CrashDisk) -> None:
        assert story is not None
        if story.edit.possible(disk):
            acted.append(len(moments))
            story.edit.act(disk, story.synced)

    if story is not None:
        fork.before(story.call, act)
    error = None
    try:
        verb.run(store_on(fork), disk, state, salt)
    except SkillError as raised:
        error = raised
    assert fork.descriptors == 0, "a descriptor is left open"
    return Told(error, tuple(moments), acted[0] if acted else None, fork, tuple(fork.trace))


def allowed(state: State, verb: Verb, salt: str, edit: Edit | None, error: SkillError | None, *, ended: bool) -> States:
    """The states in which the skills may be found: (without the person's doing, with it)."""
    after = [verb.done(state, salt)] if verb.may(state) else []
    refused = ended and error is not None and not isinstance(error, InDoubt)
    without = ([] if ended and error is None else [state]) + ([] if refused else after)
    if edit is None:
        return set(map(frozen_state, without)), set()
    edited = [edit.done(state)] if _can(edit, state) else []
    with_ = [] if ended and error is None else list(edited)
    with_ += without if edit.of_mode and not ended else []
    if not refused:
        with_ += [edit.done(each) for each in after if _can(edit, each)]
    for each in edited:
        stale = ended and not isinstance(error, InDoubt) and verb.may(state) and revision(each) != revision(state)
        if verb.may(each) and not stale:  # else it was to be refused
            with_.append(verb.done(each, salt))
    return set(map(frozen_state, without)), set(map(frozen_state, with_))


States = tuple[set[Frozen], set[Frozen]]


def _can(edit: Edit, state: State) -> bool:
    if edit.inside:
        return True
    name, _, path = edit.needs.removeprefix("!").partition("/")
    there = name in state and (not path or any(each == path or each.startswith(f"{path}/") for each in state[name]))
    return there != edit.needs.startswith("!")


@define
class Judge:
    """Judges disks, each kind once, and counts."""

    seen: dict[object, Recovered] = field(factory=dict)
    states: Counter[str] = field(factory=Counter)
    cuts: int = 0
    runs: int = 0
    stories: int = 0

    @property
    def total(self) -> int:
        """How many states were judged."""
        return self.states.total()

    def __str__(self) -> str:
        each = ", ".join(f"{count:,} {profile}" for profile, count in self.states.items())
        return f"{self.cuts:,} cuts, {self.total:,} states ({each}), {len(self.seen):,} disks swept; 0 wrong"

    def hears(
        self,
        disk: CrashDisk,
        verb: Verb,
        state: State,
        salt: str,
        story: Story | None = None,
        *,
        every: int = 1,
    ) -> Told:
        """Run a verb, cut the power before and after each of its calls, and judge every disk that is left.

        If there is a story, only what comes after the person's doing is judged. What a person wrote before, is there
        for as long as the verb has not done away with it. Of the cuts within the verb, only `every` so manieth is
        judged, each time other ones.
        """
        run = told(disk, verb, state, salt, story)
        self.runs += 1
        if story is not None and run.acted is None:
            return run
        wrote = _THEIRS & set(found_on(disk))
        edit = None if story is None else story.edit
        moments = (*run.moments[run.acted or 0 :], run.end)
        for number, moment in enumerate(moments, 1):
            if number < len(moments) and (number + self.runs) % every:
                continue
            without, with_ = allowed(state, verb, salt, edit, run.error, ended=number == len(moments))
            what = (salt, story, run.error, number)
            if story is None:
                self.judge(moment, without, wrote if run.error else frozenset(), what=what)
            elif story.synced:
                self.judge(moment, with_, story.edit.wrote, what=what)
            else:
                self.judge(moment, without | with_, story.edit.wrote, ignored=story.edit.path, what=what)
        return run

    def judge(
        self, moment: CrashDisk, fits: set[Frozen] | None, wrote: frozenset[bytes], *, ignored: str = "", what: object
    ) -> None:
        """Cut the power now, under every profile, and judge every disk that the machine may wake up with.

        The bytes of a file that is `ignored` were not synced, and so may be anything; where the disk has them after
        all, wherever that is, they are to be found.
        """
        self.cuts += 1
        for profile, woken in _woken(moment, self.cuts):
            self.states[profile] += 1
            image = image_of(woken.volume)
            there = set(woken.files(ROOT).values()) if ignored else wrote
            outcome = self.seen.get(image)
            if outcome is None:
                outcome = self.seen[image] = recovered(woken)
            verdict = outcome.wrong(fits, wrote & there, ignored)
            assert not verdict, (verdict, profile, what, fits, dict(moment.below(ROOT)))


def image_of(volume: Volume) -> object:
    """All that is on a disk, to be told from any other."""
    found = []
    folders = [volume.resolved(ROOT)]
    while folders:
        folder = folders.pop()
        for name, number in volume.image[folder].entries.items():
            inode = volume.image[number]
            found.append((folder, name, number, inode.mode, inode.content, inode.modified))
            if inode.entries:
                folders.append(number)
    return frozenset(found)


def _woken(moment: CrashDisk, seed: int) -> Iterator[tuple[str, CrashDisk]]:
    yield "killed", moment.restarted()
    for profile in PROFILES:
        for woken in moment.survivors(profile, seed):
            yield profile, woken
