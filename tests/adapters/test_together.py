"""One root, looked at by many agents of a process."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import define, field

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.memory.files import MemorySkillFiles
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.together import SharedFiles, Together, together
from kestrel_skills_adapters.watching.watched import WatchedFiles
from kestrel_skills_adapters.wiring import hosted_library, settings_of
from kestrel_skills_adapters.world import threads
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.files import SkillFiles
from kestrel_skills_core.ports.privacy import Privacy

SHARED = SourceId.HOST_SHARED


@define(eq=False)
class Gated(MemorySkillFiles):
    """A root of which each survey waits for leave before it looks, and says what was known to it."""

    begun: threading.Semaphore = field(factory=lambda: threading.Semaphore(0))
    leave: threading.Semaphore = field(factory=lambda: threading.Semaphore(0))
    knew: list[Survey | None] = field(factory=list)
    fails: int = 0

    def survey(self, known: Survey | None = None) -> Survey:
        """Look, once there is leave."""
        self.knew.append(known)
        self.begun.release()
        assert self.leave.acquire(timeout=30)
        if self.fails:
            self.fails -= 1
            raise RuntimeError
        return super().survey(known)


def gated() -> Gated:
    """An empty shared root of that kind."""
    return Gated(SHARED, root="f" * 64)


def put(root: MemorySkillFiles, name: str) -> None:
    """Put a good skill into a root."""
    root.folders[name] = {"SKILL.md": Content(document(name))}


@contextmanager
def asking(*files: SharedFiles) -> Iterator[list[Future[Survey]]]:
    """Ask each, in a thread of its own and in this order, for a survey."""
    with ThreadPoolExecutor(len(files)) as pool:
        yield [pool.submit(each.survey) for each in files]


def waiting(root: Together, count: int) -> None:
    """Wait until so many wait for their turn."""
    for _ in range(3_000):
        with root._turn:
            if len(root._turn._waiters) >= count:  # type: ignore[attr-defined] # nothing public tells who waits
                return
        threading.Event().wait(0.01)
    pytest.fail("they do not wait")


def test_all_who_come_while_a_survey_is_made_share_the_next() -> None:
    """Fifty agents that start at once cost two surveys: the one of the first, and one for all the others."""
    root = gated()
    shared = Together(root)
    with asking(*(SharedFiles(shared) for _ in range(50))) as asked:
        assert root.begun.acquire(timeout=30)
        waiting(shared, 49)
        root.leave.release(2)
    surveys = [each.result() for each in asked]
    assert len(root.knew) == 2
    assert len({id(survey) for survey in surveys}) == 2


def test_nobody_is_told_what_was_so_before_they_asked() -> None:
    """A skill that is there when an agent asks is in its survey, though another survey began before it was there."""
    root = gated()
    shared = Together(root)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(SharedFiles(shared).survey)
        assert root.begun.acquire(timeout=30)
        put(root, "knots")
        second = pool.submit(SharedFiles(shared).survey)
        waiting(shared, 1)
        root.leave.release(2)
    assert "knots" in second.result().sightings
    assert first.result() is not second.result()


def test_what_one_agent_knows_the_next_need_not_open() -> None:
    """The first survey of a second agent is made with what the first one's came to."""
    root = gated()
    shared = Together(root)
    root.leave.release(2)
    first = SharedFiles(shared).survey()
    SharedFiles(shared).survey()
    assert root.knew == [None, first]


def test_who_wants_everything_anew_gets_it_even_together() -> None:
    """An agent that forgets what it knew has everything opened, and so have those who wait beside it."""
    root = gated()
    shared = Together(root)
    agents = [SharedFiles(shared) for _ in range(3)]
    root.leave.release(1)
    known = agents[0].survey()
    assert root.begun.acquire(timeout=30)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(agents[1].survey, known)]
        assert root.begun.acquire(timeout=30)
        asked += [pool.submit(agents[0].survey, None), pool.submit(agents[2].survey, known)]
        waiting(shared, 2)
        root.leave.release(2)
    assert root.knew == [None, known, None]
    assert asked[1].result() is asked[2].result()


def test_a_survey_that_is_broken_off_is_nobody_elses() -> None:
    """Where a survey raises, only who made it is told; whoever waits makes their own."""
    root = gated()
    root.fails = 1
    shared = Together(root)
    with asking(*(SharedFiles(shared) for _ in range(2))) as asked:
        assert root.begun.acquire(timeout=30)
        waiting(shared, 1)
        root.leave.release(2)
    assert sorted(type(each.exception()).__name__ for each in asked) == ["NoneType", "RuntimeError"]


def test_a_root_that_cannot_be_read_is_known_as_it_was(tmp_path: Path) -> None:
    """A problem is told, and what was known of the folders before is still known when it is over."""
    root = MemorySkillFiles(SHARED, root="f" * 64)
    put(root, "knots")
    files = PosixSkillFiles(tmp_path / "skills", SHARED)
    shared = Together(files)
    (tmp_path / "skills" / "knots").mkdir(parents=True)
    (tmp_path / "skills" / "knots" / "SKILL.md").write_bytes(document("knots"))
    known = SharedFiles(shared).survey()
    (tmp_path / "skills").rename(tmp_path / "away")
    assert SharedFiles(shared).survey().problem is not None
    (tmp_path / "away").rename(tmp_path / "skills")
    assert SharedFiles(shared).survey().sightings.keys() == known.sightings.keys() == {"knots"}


def test_agents_share_a_root_by_its_path(tmp_path: Path) -> None:
    """Two agents on one path look together, those on another path do not, and the last one to go forgets it."""
    here, there = (PosixSkillFiles(tmp_path / name, SHARED) for name in ("here", "there"))
    one, two, other = together(here), together(PosixSkillFiles(tmp_path / "here", SHARED)), together(there)
    assert one._together is two._together is not other._together
    del one, two
    gc.collect()
    renewed = PosixSkillFiles(tmp_path / "here", SHARED)
    assert together(renewed)._together.files is renewed


def test_agents_of_many_loops_look_together() -> None:
    """Agents whose event loops run in threads of their own share a survey, and none of the loops is held up."""
    root = gated()
    shared = Together(root)
    beats: list[int] = []

    async def agent(files: SharedFiles) -> Survey:
        look = asyncio.ensure_future(threads(lambda _: files.survey()))
        while not look.done():
            beats.append(1)
            await asyncio.sleep(0.01)
        return await look

    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(asyncio.run, agent(SharedFiles(shared))) for _ in range(3)]
        assert root.begun.acquire(timeout=30)
        waiting(shared, 2)
        before = len(beats)
        while len(beats) < before + 9:
            threading.Event().wait(0.01)
        root.leave.release(2)
    assert len({id(each.result()) for each in asked}) == 2


def test_agents_of_a_host_look_together(tmp_path: Path) -> None:
    """What the host puts together for two agents that share a folder is one root of that folder."""
    (tmp_path / "shared").mkdir()

    def sources(agent: str) -> Sequence[SkillFiles]:
        root = tmp_path / agent
        root.mkdir()
        settings = settings_of({"KESTREL_SHARED_SKILLS_DIR": str(tmp_path / "shared")}, root=root, agent=agent)
        return hosted_library(settings, database=lambda: None, privacy=Privacy(), mirrors=()).sources

    (_, one), (_, two) = sources("one"), sources("two")
    assert isinstance(one, SharedFiles)
    assert isinstance(two, SharedFiles)
    assert one._together is two._together


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_process_that_is_forked_during_a_look_looks_by_itself(tmp_path: Path) -> None:
    """The thread that was looking is not in it."""
    root = gated()
    put(root, "knots")
    files = together(root)
    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(files.survey)
        assert root.begun.acquire(timeout=30)
        child = os.fork()
        if not child:
            signal.alarm(20)  # where it waits for ever
            root.leave.release()
            os._exit(0 if set(files.survey().sightings) == {"knots"} else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        root.leave.release()
        assert set(looking.result(30).sightings) == {"knots"}


def test_who_watches_and_who_does_not_do_not_look_together(tmp_path: Path) -> None:
    """One is told at once what the other has to look for."""
    files = PosixSkillFiles(tmp_path, SHARED)
    watched = WatchedFiles(files, lambda: None)
    assert together(files)._together is not together(watched)._together
