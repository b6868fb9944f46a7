"""The start of an agent on a real disk and a real table, whatever happens beside it."""

from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from attrs import define

from kestrel_skills_adapters.markdown import CmarkMarkdown
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.world import SystemChance, finish, inline
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import Generation, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.ports.store import Swept
from kestrel_skills_core.service.library import SkillLibrary
from tests.hostile.disk import Meddling, Swift, open_descriptors, skill

NAMES = ("knots", "lint")
BORN = Generation("b1" * 32)
LEFT_ON = SkillState(enabled=True)
OURS = SkillState(enabled=True, subject=Subject(generation=BORN))
KEYS = [StateKey(SkillName(name)) for name in NAMES]
RETIRED = "cd" * 32 + "-" + "ab" * 16


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """As the 0.1.0 release left it, with two skills that are on; then changes of ours were cut short."""
    root = tmp_path / "skills"
    for name in NAMES:
        (skill(root, name) / ".kestrel-generation").write_bytes(render_marker(BORN))
        finish(library(root).states.put(StateKey(SkillName(name)), LEFT_ON))
    staging, retired = (root / ".kestrel-internal" / room for room in ("staging", "retired"))
    staging.mkdir(parents=True)
    for number in range(3):
        (staging / f"{number:032x}").write_bytes(b"half a file")
    retired.mkdir()
    (root / "knots").rename(retired / f"{RETIRED}-knots")
    return root


def library(root: Path, calls: Syscalls | None = None) -> SkillLibrary:
    """A library of a root, as a process of its own would have it."""
    store = PosixSkillStore(root, chance=SystemChance(), calls=calls or Swift())
    return SkillLibrary(
        agent="did:test:abc",
        sources=[store],
        store=store,
        states=SqliteStates(root.with_name("states"), "did:test:abc", offload=inline, wait=30),
        offload=inline,
        markdown=CmarkMarkdown(),
    )


def test_a_start_ends_what_was_left_before_it_adopts(root: Path) -> None:
    """A skill whose deletion had met a change is back, and on as it was."""
    started = finish(library(root).start())
    assert started.swept == Swept(purged=3, restored=(SkillName("knots"),))
    assert started.adopted == dict.fromkeys(KEYS, OURS)
    assert [record.name for record in finish(library(root).catalog()).catalog.enabled] == list(NAMES)


def test_many_starts_at_once_do_it_once(root: Path) -> None:
    """One of them sweeps at a time, and each row is adopted by one of them."""
    with ThreadPoolExecutor(6) as pool:
        started = list(pool.map(lambda _: finish(library(root).start()), range(12)))
    assert [each.problems for each in started] == [()] * 12
    swept = [each.swept for each in started if isinstance(each.swept, Swept)]
    assert sum(each.purged for each in swept) == 3
    assert [name for each in swept for name in each.restored] == ["knots"]
    adopted = [key for each in started if not isinstance(each.adopted, SkillError) for key in each.adopted]
    assert sorted(key.name for key in adopted) == list(NAMES)
    finish(library(root).start())
    assert not any((root / ".kestrel-internal" / "staging").iterdir())


@define
class Refusing:
    """Counts the calls of a disk, and refuses the one of that number, or also all after it."""

    number: int
    at: int | None = None
    forever: bool = False
    made: int = 0

    def __call__(self, call: str, *_: Any) -> None:
        """Meet a call."""
        self.made += 1
        if self.at is not None and (self.made == self.at or (self.forever and self.made > self.at)):
            raise OSError(self.number, "refused")


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("forever", [False, True], ids=["once", "for ever"])
def test_a_disk_that_fails_is_told(root: Path, number: int, forever: bool) -> None:
    """Whatever call of a start is refused, it ends, tells, and leaves nothing open; the next one does the rest."""
    whole = Refusing(number)
    finish(library(root, Meddling(whole)).start())
    staging = root / ".kestrel-internal" / "staging"
    for at in range(1, whole.made + 1, 3):
        before = open_descriptors()
        (staging / ("ef" * 16)).write_bytes(b"half a file")
        finish(library(root).states.put(KEYS[0], LEFT_ON))
        started = finish(library(root, Meddling(Refusing(number, at, forever))).start())
        assert all("refused" not in str(problem) for problem in started.problems)
        assert open_descriptors() == before
        finish(library(root).start())
        assert finish(library(root).states.rows())[KEYS[0]] == OURS
        assert not any(staging.iterdir())
