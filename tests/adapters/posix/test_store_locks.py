"""Who waits for whom, how long, and what is never waited for."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.world import SystemChance
from kestrel_skills_core.domain.errors import Busy, StaleRevision
from kestrel_skills_core.domain.fence import Fence
from kestrel_skills_core.domain.names import ResourcePath, SkillName
from kestrel_skills_core.ports.store import Swept
from tests.contracts.files import Later
from tests.race.stopped import held

from .stores import CHANGING, KNOTS, TREE, VERBS, Verb, leftovers, made, on

TOKEN = "ab" * 16


@pytest.mark.parametrize("verb", CHANGING, ids=str)
def test_a_stopped_sibling_that_holds_a_name_stops_only_who_would_change_it(tmp_path: Path, verb: Verb) -> None:
    """The answer names the skill; readers, marks and other names go on; nothing was changed."""
    root = made(tmp_path)
    before = root.entries()
    with held(root.internal / "locks", "name-knots.lock"):
        with pytest.raises(Busy, match="the skill `knots`"):
            verb.run(on(root, Later()))
        assert root.entries() == before
        assert root.store.read(KNOTS).tree.revision == TREE.revision
        assert list(root.store.survey().sightings) == ["knots"]
        root.store.publish(SkillName("shells"), TREE, cancelled=never)
        seen, _ = root.store.fence(KNOTS, Fence(priority=1, reason="why"), cancelled=never)
        root.store.unfence(KNOTS, seen=seen, cancelled=never)
    verb.run(on(root, Later()))


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb.name != "unfence"], ids=str)
def test_a_stopped_sibling_that_sweeps_stops_every_change(tmp_path: Path, verb: Verb) -> None:
    """But no reader, and not the taking away of a mark."""
    root = made(tmp_path)
    before = root.entries()
    seen, _ = root.store.fence(KNOTS, Fence(priority=1, reason="why"), cancelled=never)
    with held(root.internal / "locks", "store.lock"):
        with pytest.raises(Busy, match="the skills folder"):
            verb.run(on(root, Later()))
        assert root.entries() == before
        assert root.store.read(KNOTS).tree.revision == TREE.revision
        root.store.unfence(KNOTS, seen=seen, cancelled=never)
        assert root.store.fenced() == {}


@pytest.mark.parametrize("name", ["fence", "unfence"])
def test_a_stopped_sibling_that_holds_a_mark_stops_only_who_would_change_it(tmp_path: Path, name: str) -> None:
    """The answer names it; marks of other names, and all else, go on; an hour's patience ends with who goes away."""
    root = made(tmp_path)
    seen, _ = root.store.fence(KNOTS, Fence(priority=1, reason="why"), cancelled=never)
    patient = PosixSkillStore(root.path, chance=CountedChance(), patience=3600)
    gone = {
        "fence": lambda: patient.fence(KNOTS, seen, cancelled=cancelled),
        "unfence": lambda: patient.unfence(KNOTS, seen=seen, cancelled=cancelled),
    }
    verb = next(verb for verb in VERBS if verb.name == name)
    asked: list[bool] = []

    def cancelled() -> bool:
        asked.append(True)
        return len(asked) > 3

    with held(root.internal / "locks", "mark-knots.lock"):
        with pytest.raises(Busy, match="the mark of `knots`"):
            verb.run(on(root, Later()))
        with pytest.raises(Busy):
            gone[name]()
        assert seen.is_same((root.store.fenced() or {})[KNOTS])
        other, _ = root.store.fence(SkillName("shells"), Fence(priority=1, reason="why"), cancelled=never)
        root.store.unfence(SkillName("shells"), seen=other, cancelled=never)
        root.store.write(KNOTS, ResourcePath("new.md"), b"new", seen=TREE.revision, cancelled=never)
    assert len(asked) == 4
    assert leftovers(root) == []


@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_changes_share_the_store(tmp_path: Path, verb: Verb) -> None:
    """A sibling that is changing another skill is not waited for."""
    root = made(tmp_path)
    with held(root.internal / "locks", "store.lock", shared=True):
        verb.run(on(root, Later()))


@pytest.mark.parametrize("shared", [True, False])
def test_a_sweep_never_waits(tmp_path: Path, shared: bool) -> None:
    """Where anybody is at work, it does nothing, and says so; what is staged there stays."""
    root = made(tmp_path)
    (root.internal / "staging" / TOKEN).write_bytes(b"half")
    with held(root.internal / "locks", "store.lock", shared=shared):
        assert root.store.sweep() == Swept(skipped=True)
    assert (root.internal / "staging" / TOKEN).exists()
    assert root.store.sweep() == Swept(purged=1)


@pytest.mark.parametrize("lock", ["store.lock", "name-knots.lock"])
def test_whoever_goes_away_waits_no_longer(tmp_path: Path, lock: str) -> None:
    """Though there was patience for an hour."""
    root = made(tmp_path)
    asked: list[bool] = []

    def cancelled() -> bool:
        asked.append(True)
        return len(asked) > 3

    store = PosixSkillStore(root.path, chance=CountedChance(), patience=3600)
    with held(root.internal / "locks", lock), pytest.raises(Busy):
        store.write(KNOTS, ResourcePath("SKILL.md"), b"new", seen=TREE.revision, cancelled=cancelled)
    assert len(asked) == 4


@pytest.mark.parametrize("lock", ["store.lock", "name-knots.lock"])
def test_a_wait_ends_when_the_other_is_killed(tmp_path: Path, lock: str) -> None:
    """What a process held goes with it, and its lock file stays."""
    root = made(tmp_path)
    store = PosixSkillStore(root.path, chance=CountedChance(), patience=3600)
    with held(root.internal / "locks", lock) as pid:
        inode = (root.internal / "locks" / lock).stat().st_ino
        threading.Timer(0.05, os.kill, (pid, signal.SIGKILL)).start()
        store.write(KNOTS, ResourcePath("SKILL.md"), b"new", seen=TREE.revision, cancelled=never)
    assert (root.internal / "locks" / lock).stat().st_ino == inode


def test_a_wait_has_an_end(tmp_path: Path) -> None:
    """Which does not depend on anybody's going away."""
    root = made(tmp_path)
    store = PosixSkillStore(root.path, chance=CountedChance(), patience=0.03)
    with held(root.internal / "locks", "name-knots.lock"), pytest.raises(Busy):
        store.write(KNOTS, ResourcePath("SKILL.md"), b"new", seen=TREE.revision, cancelled=never)


def test_threads_of_one_process_wait_for_each_other(tmp_path: Path) -> None:
    """The edits of one file, each on what the one before gave, are one path: none is lost."""
    root = made(tmp_path)
    done: list[int] = []

    def edit(number: int) -> None:
        store = PosixSkillStore(root.path, chance=SystemChance(), calls=Later())
        for _ in range(10):
            while True:
                found = store.read(KNOTS)
                text = found.tree.files[ResourcePath("a/b/deep.md")].data + b"%d\n" % number
                try:
                    seen = found.sighting.revision
                    store.write(KNOTS, ResourcePath("a/b/deep.md"), text, seen=seen, cancelled=never)
                except StaleRevision:
                    continue
                done.append(number)
                break

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = (root.path / "knots/a/b/deep.md").read_bytes().splitlines()[1:]
    assert len(done) == len(lines) == 40
    assert sorted(lines) == sorted(b"%d" % number for number in done)
