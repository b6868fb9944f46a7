"""One root, looked at by many agents of a process."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import define, field
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.memory.files import MemorySkillFiles
from kestrel_skills_adapters.memory.world import RecordingWatcher
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.together import LookersWatcher, SharedFiles, Together, together
from kestrel_skills_adapters.watching.watched import WatchedFiles
from kestrel_skills_adapters.wiring import hosted_library, library_of, settings_of
from kestrel_skills_adapters.world import finish, threads
from kestrel_skills_core.domain.errors import SourceUnavailable
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.files import SkillFiles
from kestrel_skills_core.ports.privacy import Privacy
from tests.contracts.files import Later
from tests.examples import examples

SHARED = SourceId.HOST_SHARED

Meanwhile = Sequence[tuple[str, str]]
"""What happens to which skill while somebody looks."""


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


def test_agents_that_start_at_once_cost_one_survey() -> None:
    """Whoever never looked before and comes while a survey is made is given that one, where no name changed since."""
    root = gated()
    put(root, "knots")
    shared = Together(root, lambda: tuple(root.folders))
    with asking(*(SharedFiles(shared) for _ in range(50))) as asked:
        assert root.begun.acquire(timeout=30)
        waiting(shared, 49)
        root.leave.release(50)
    assert len(root.knew) == 1
    assert len({id(each.result()) for each in asked}) == 1


def test_who_looked_before_is_given_no_survey_that_began_before_they_asked() -> None:
    """A second look that meets the survey of another is made, however little time has passed."""
    root = gated()
    shared = Together(root, lambda: 1)
    one, other = SharedFiles(shared), SharedFiles(shared)
    root.leave.release()
    known = one.survey()
    assert other.survey() is known
    root.leave.release()
    assert one.survey(known) is not known
    root.leave.release()
    other.survey(known)
    assert len(root.knew) == 3


def test_agents_that_start_within_a_second_cost_one_survey() -> None:
    """Each is given that very one, at a second still; who comes later makes another, which then holds for a second."""
    root, now = MemorySkillFiles(SHARED, root="f" * 64), [7.0]
    shared = Together(root, lambda: 1, lambda: now[0])
    known = SharedFiles(shared).survey()
    now[0] = 8.0
    assert SharedFiles(shared).survey() is known
    now[0] = 8.25
    later = SharedFiles(shared).survey()
    assert later is not known
    now[0] = 9.25
    assert SharedFiles(shared).survey() is later


def test_all_who_come_while_a_survey_is_made_share_the_next() -> None:
    """Where nothing tells whether a name changed, fifty cost two surveys: the first one's, and one for all others."""
    root = gated()
    shared = Together(root)
    with asking(*(SharedFiles(shared) for _ in range(50))) as asked:
        assert root.begun.acquire(timeout=30)
        waiting(shared, 49)
        root.leave.release(2)
    surveys = [each.result() for each in asked]
    assert len(root.knew) == 2
    assert len({id(survey) for survey in surveys}) == 2


@pytest.mark.parametrize("can_tell", [True, False])
def test_nobody_is_told_what_was_so_before_they_asked(*, can_tell: bool) -> None:
    """A skill that is there when an agent asks is in its survey, though another survey began before it was there."""
    root = gated()
    shared = Together(root, lambda: tuple(root.folders) if can_tell else None)
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
    assert isinstance(one._together.files, PosixSkillFiles)
    assert one._together._stamps == one._together.files.root_stamps


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


def test_each_agent_is_told_of_the_looks_that_it_makes() -> None:
    """Progress goes to the watcher of whoever's look makes the survey; who is given one is told nothing."""

    class Telling(MemorySkillFiles):
        def survey(self, known: Survey | None = None) -> Survey:
            watcher = LookersWatcher()
            watcher.surveying(self.source, 0, 1)
            watcher.surveyed(self.source, 1, 1)
            return super().survey(known)

    told = [("surveying", "host-shared", 0, 1), ("surveyed", "host-shared", 1, 1)]
    root = Telling(SHARED, root="f" * 64)
    shared = Together(root, lambda: 1)
    one, other = RecordingWatcher(), RecordingWatcher()
    here, there = SharedFiles(shared, one), SharedFiles(shared, other)
    known = here.survey()
    there.survey()
    assert (one.told, other.told) == (told, [])
    there.survey(known)
    assert (one.told, other.told) == (told, told)
    root.survey()
    assert (one.told, other.told) == (told, told)


@pytest.mark.unwatched
def test_agents_of_one_folder_are_told_of_their_own_looks(tmp_path: Path) -> None:
    """Two libraries of a process, each with a watcher of its own, and one folder on a disk."""
    for name in ("one", "other", "shared"):
        (tmp_path / name).mkdir()
    watchers = RecordingWatcher(), RecordingWatcher()
    libraries = [
        library_of(settings_of({}, root=tmp_path / name, shared=tmp_path / "shared"), watcher=watcher)
        for name, watcher in zip(("one", "other"), watchers, strict=True)
    ]
    for library, watcher in zip(libraries, watchers, strict=True):
        finish(library.catalog())
        finish(library.catalog())
        assert ("surveyed", "host-shared", 0, 0) in watcher.told
    assert libraries[0].sources[1]._together is libraries[1].sources[1]._together  # type: ignore[attr-defined]


@define
class Skills:
    """A folder of skills on a disk, long untouched."""

    path: Path
    files: PosixSkillFiles = field(init=False)

    @files.default
    def _reader(self) -> PosixSkillFiles:
        return PosixSkillFiles(self.path, SHARED, calls=Later())

    @classmethod
    def made(cls, path: Path) -> Skills:
        """One that holds `knots` and `ropes`, whose time is so old that any change moves it."""
        for name in ("knots", "ropes"):
            (path / name).mkdir(parents=True)
            (path / name / "SKILL.md").write_bytes(document(name))
        os.utime(path, (0, 0))
        return cls(path)


CHANGES_OF_NAMES: Mapping[str, Callable[[Path], object]] = {
    "one came": lambda root: (root / "sails").mkdir(),
    "one went": lambda root: shutil.rmtree(root / "ropes"),
    "one got another name": lambda root: (root / "ropes").rename(root / "sails"),
    "one was put in the place of another": lambda root: put_in_place(root / "ropes"),
    "one was moved away": lambda root: (root / "ropes").rename(root.parent / "ropes"),
    "another root was put in its place": lambda root: (root.rename(root.parent / "away"), root.mkdir()),
}


def put_in_place(folder: Path) -> None:
    """Let another folder, made elsewhere, have a folder's place."""
    other = folder.parent.parent / "other"
    shutil.copytree(folder, other)
    with Later().folder(str(folder.parent)) as root, Later().folder(str(other.parent)) as above:
        Later().exchange("other", above, folder.name, root)


@pytest.mark.parametrize("change", CHANGES_OF_NAMES.values(), ids=CHANGES_OF_NAMES)
def test_a_name_that_changes_moves_the_stamps_of_a_root(tmp_path: Path, change: Callable[[Path], object]) -> None:
    """Whatever comes, goes or is put in another's place; then nothing that was seen before is given to anybody."""
    root = Skills.made(tmp_path / "skills")
    before, shared = root.files.root_stamps(), Together(root.files, root.files.root_stamps)
    known = SharedFiles(shared).survey()
    assert before is not None
    assert SharedFiles(shared).survey() is known
    change(root.path)
    assert root.files.root_stamps() not in (before, None)
    found = SharedFiles(shared).survey()
    assert found is not known
    assert found.sightings.keys() == {path.name for path in root.path.iterdir()}


def test_an_edit_inside_a_folder_is_seen_by_the_next_look(tmp_path: Path) -> None:
    """It does not move the root's stamps: who starts within the second is given what was so, and then sees it."""
    root = Skills.made(tmp_path / "skills")
    now = [0.0]
    shared = Together(root.files, root.files.root_stamps, lambda: now[0])
    known = SharedFiles(shared).survey()
    (root.path / "knots" / "SKILL.md").write_bytes(document("knots") + b"More.\n")
    (root.path / "knots" / "notes.md").write_bytes(b"More.\n")
    agent = SharedFiles(shared)
    assert agent.survey() is known
    assert agent.survey(known).sightings["knots"] != known.sightings["knots"]
    now[0] = 1.5
    assert SharedFiles(shared).survey().sightings["knots"] != known.sightings["knots"]


def test_a_root_has_no_stamps_where_they_would_not_tell(tmp_path: Path) -> None:
    """Not where it is not there, nor where something changed in it a moment ago, which the next change may not move."""
    path = tmp_path / "skills"
    assert PosixSkillFiles(path, SHARED).root_stamps() is None
    path.mkdir()
    assert PosixSkillFiles(path, SHARED).root_stamps() is None
    os.utime(path, (0, 0))
    assert PosixSkillFiles(path, SHARED).root_stamps() is None, "its time of change is still young"
    assert PosixSkillFiles(path, SHARED, calls=Later()).root_stamps() is not None


@define(eq=False)
class Dated(MemorySkillFiles):
    """A root in memory, and a clock; it is stamped as by a disk that ticks every two seconds, the coarsest there is."""

    now: float = 1000.0
    moved: float = 0.0
    knew: list[Survey | None] = field(factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def survey(self, known: Survey | None = None) -> Survey:
        """Look; then something happens before it ends."""
        self.knew.append(known)
        survey = super().survey(known)
        self.meanwhile()
        return survey

    def root_stamps(self) -> float | None:
        """When it or a name in it changed, rounded down to a tick; nothing where that was a tick ago or less."""
        return None if self.moved > self.now - 2 else self.moved


NAMES = st.sampled_from(("knots", "ropes", "sails"))
STEPS = st.sampled_from((0.0, 0.25, 0.5, 1.0, 1.25, 2.0, 5.0))
MEANWHILE = st.lists(st.tuples(st.sampled_from(("write", "delete")), NAMES), max_size=2)


class Agents(RuleBasedStateMachine):
    """Agents look at a root in which skills come, go and are edited, also while one looks.

    The model is plain: which text each skill has, which ones it had since the last survey began, and when that was.
    """

    def __init__(self) -> None:
        super().__init__()
        self.root = Dated(SHARED, root="f" * 64)
        self.shared = Together(self.root, self.root.root_stamps, lambda: self.root.now)
        self.agents: list[tuple[SharedFiles, Survey]] = []
        self.texts: dict[str, str] = {}
        self.since: dict[str, set[str]] = {}
        self.written = 0
        self.named_at = self.began_at = self.ended_at = 0.0
        self.was_told = False

    @rule(seconds=STEPS)
    def time_passes(self, seconds: float) -> None:
        """Nothing else happens."""
        self.root.now += seconds

    @rule(name=NAMES)
    def write(self, name: str) -> None:
        """A text changes; or a skill comes, of which nothing that was so before tells."""
        self.written += 1
        text = f"Use when {self.written}."
        if name not in self.texts:
            self.since[name] = set()
            self.name_changes()
        self.texts[name] = text
        self.since[name].add(text)
        head = f"---\nname: {name}\ndescription: {text}\n---\n"
        self.root.folders[name] = {"SKILL.md": Content(f"{head}\nDo it.\n".encode())}

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        """A skill goes."""
        if self.texts.pop(name, None) is not None:
            del self.root.folders[name]
            self.name_changes()

    def name_changes(self) -> None:
        """As the disk and the model date it."""
        self.root.moved = self.root.now // 2 * 2
        self.named_at = self.root.now

    @rule()
    def goes_or_comes_back(self) -> None:
        """The whole root, which is dated by that, too."""
        self.name_changes()
        away = SourceUnavailable(SHARED, "it is away", "bring it back")
        self.root.problem = away if self.root.problem is None else None

    @rule(meanwhile=MEANWHILE, seconds=STEPS)
    def comes(self, meanwhile: Meanwhile, seconds: float) -> None:
        """An agent that never looked before does: it may be given what another was told."""
        agent = SharedFiles(self.shared)
        texts, looks = dict(self.texts), len(self.root.knew)
        is_fresh = self.was_told and self.root.problem is None and self.root.now - self.ended_at <= 1
        is_still = is_fresh and self.named_at < self.began_at - 4
        survey = self.look(agent, None, meanwhile, seconds)
        self.agents.append((agent, survey))
        if len(self.root.knew) > looks:
            assert not is_still, "it need not have looked"
            self.tells(survey, texts)
            return
        assert is_fresh
        shown = told(survey)
        assert shown.keys() == texts.keys()
        assert all(text in self.since[name] for name, text in shown.items())

    @precondition(lambda self: self.agents)
    @rule(which=st.integers(0, 99), meanwhile=MEANWHILE, seconds=STEPS)
    def looks_again(self, which: int, meanwhile: Meanwhile, seconds: float) -> None:
        """An agent that looked before sees what is there."""
        agent, known = self.agents[which % len(self.agents)]
        self.looks(agent, known, meanwhile, seconds)

    @precondition(lambda self: self.agents)
    @rule(which=st.integers(0, 99), meanwhile=MEANWHILE, seconds=STEPS)
    def forgets(self, which: int, meanwhile: Meanwhile, seconds: float) -> None:
        """An agent that wants everything opened anew gets that."""
        agent, _ = self.agents[which % len(self.agents)]
        self.looks(agent, None, meanwhile, seconds)
        assert self.root.knew[-1] is None

    @precondition(lambda self: self.agents)
    @rule(which=st.integers(0, 99))
    def breaks_off(self, which: int) -> None:
        """A look raises: nothing of it is given to anybody, nor is what was seen before."""
        agent, known = self.agents[which % len(self.agents)]

        def fails() -> None:
            self.was_told = False
            raise RuntimeError

        self.root.meanwhile = fails
        with pytest.raises(RuntimeError):
            agent.survey(known)

    def looks(self, agent: SharedFiles, known: Survey | None, meanwhile: Meanwhile, seconds: float) -> None:
        """A look that is not the first: it is made, and tells what was there as it began."""
        texts, looks = dict(self.texts), len(self.root.knew)
        self.tells(self.look(agent, known, meanwhile, seconds), texts)
        assert len(self.root.knew) == looks + 1

    def look(self, agent: SharedFiles, known: Survey | None, meanwhile: Meanwhile, seconds: float) -> Survey:
        """A look that takes its time, during which something happens."""

        def happens() -> None:
            self.began_at, self.since = self.root.now, {name: {text} for name, text in self.texts.items()}
            self.root.now += seconds / 2
            for what, name in meanwhile:
                getattr(self, what)(name)
            self.root.now += seconds / 2
            self.ended_at, self.was_told = self.root.now, self.root.problem is None

        self.root.meanwhile = happens
        return agent.survey(known)

    def tells(self, survey: Survey, texts: Mapping[str, str]) -> None:
        """It tells these texts, or that there is no root."""
        assert (survey.problem is None) == (self.root.problem is None)
        assert told(survey) == ({} if self.root.problem else texts)


def told(survey: Survey) -> Mapping[str, str]:
    """The text of each skill."""
    return {name: seen.head.description for name, seen in survey.sightings.items() if seen.head is not None}


TestAgents = Agents.TestCase
TestAgents.settings = settings(max_examples=examples(300), stateful_step_count=40)
