"""Many looks: one by one where they are quick, several at a time where they wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pytest

from kestrel_skills_adapters.posix.abreast import ABREAST, ROUND, SLOW_NS, abreast
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.ports.world import Watcher
from tests.hostile.disk import skill

NAMES = [f"skill-{number:03}" for number in range(3 * ROUND + 5)]


def ticking(each_look: int) -> Iterator[int]:
    """A clock that is asked before and after each portion of looks."""
    return (number // 2 * 10**12 + number % 2 * ROUND * each_look for number in count())


def threads_of(each_look: int) -> list[str]:
    """In which thread each look was done, where a look takes so many nanoseconds."""
    clock = ticking(each_look)

    def look(name: str) -> tuple[str, str]:
        return name, threading.current_thread().name

    found = list(abreast(look, NAMES, lambda: next(clock)))
    assert [name for name, _ in found] == NAMES
    return [thread for _, thread in found]


def test_quick_looks_are_done_one_by_one() -> None:
    """In the thread that asks, and in order."""
    assert set(threads_of(SLOW_NS)) == {threading.current_thread().name}


def test_slow_looks_are_done_several_at_a_time() -> None:
    """After the first few, which show it, all in threads of their own; what they come to is given in order."""
    here = threading.current_thread().name
    threads = threads_of(SLOW_NS + 1)
    assert set(threads[:ROUND]) == {here}
    assert here not in threads[ROUND:]


def test_they_truly_wait_together() -> None:
    """As many as may be are under way at one time: each waits until they all are."""
    gate = threading.Barrier(ABREAST)
    clock = ticking(SLOW_NS + 1)
    first = NAMES[:ROUND]

    def look(name: str) -> str:
        if name not in first:
            gate.wait(30)
        return name

    names = NAMES[: ROUND + 2 * ABREAST]
    assert list(abreast(look, names, lambda: next(clock))) == names


@pytest.mark.parametrize("each_look", [0, SLOW_NS + 1])
def test_what_a_look_raises_is_raised_in_its_turn(each_look: int) -> None:
    """What came before it is given, and no thread is left."""
    clock = ticking(each_look)

    def look(name: str) -> str:
        if name == NAMES[ROUND + 3]:
            raise ValueError(name)
        return name

    looks = abreast(look, NAMES, lambda: next(clock))
    assert list(islice(looks, ROUND + 3)) == NAMES[: ROUND + 3]
    with pytest.raises(ValueError, match=NAMES[ROUND + 3]):
        next(looks)
    assert not [each for each in threading.enumerate() if each.name.startswith("kestrel-skills-look")]


def test_without_threads_all_is_looked_at_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system gives no thread, or the interpreter is about to end."""

    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert set(threads_of(SLOW_NS + 1)) == {threading.current_thread().name}


class Slow(Syscalls):
    """A disk on which every look takes a second, by its clock."""

    def __init__(self) -> None:
        self.clock = count(4_000_000_000_000_000_000, 10**9 * ROUND)

    def now_ns(self) -> int:
        """A time far ahead, which is later each time."""
        return next(self.clock)


def test_a_survey_of_a_slow_disk_sees_what_any_other_sees(tmp_path: Path) -> None:
    """The same skills in the same order, the broken ones among them."""
    for name in NAMES:
        skill(tmp_path, name)
    (tmp_path / NAMES[-1] / "SKILL.md").write_text("no frontmatter\n")
    slow = PosixSkillFiles(tmp_path, SourceId.HOST_SHARED, calls=Slow()).survey()
    quick = PosixSkillFiles(tmp_path, SourceId.HOST_SHARED).survey()
    assert list(slow.sightings) == list(quick.sightings) == NAMES
    assert [each.revision for each in slow.sightings.values()] == [each.revision for each in quick.sightings.values()]
    assert [each.head for each in slow.sightings.values()] == [each.head for each in quick.sightings.values()]


class Dawdling(Slow):
    """Where each folder takes a while to be opened."""

    def open(self, name: str, at: int | None = None) -> int:
        """After that while, where several are opened at a time."""
        if threading.current_thread().name.startswith("kestrel-skills-look"):
            time.sleep(0.01)
        return super().open(name, at)


class Stops(Watcher):
    """Has had enough after a while."""

    def surveying(self, source: str, done: int, total: int) -> None:
        """As after Ctrl-C."""
        if done == ROUND + ABREAST:
            raise KeyboardInterrupt


def test_a_survey_that_is_broken_off_looks_no_further(tmp_path: Path) -> None:
    """No thread goes on by itself, with a descriptor that may be another folder's by then."""
    for name in NAMES:
        skill(tmp_path, name)
    with pytest.raises(KeyboardInterrupt) as told:  # which keeps what was being done
        PosixSkillFiles(tmp_path, SourceId.HOST_SHARED, calls=Dawdling(), watcher=Stops()).survey()
    assert not [each for each in threading.enumerate() if each.name.startswith("kestrel-skills-look")]
    del told
