"""What a survey of 4,000 skills costs, against the least that reading and stamping the same files could cost."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.names import SourceId
from tests.bench.beside.floor import read_and_digest, read_plainly, stat_all
from tests.bench.beside.trees import grow

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

SKILLS = 4_000
ROUNDS = 9


class Later(Syscalls):
    """The disk of ten seconds from now, so that what was just written is old enough to be stamped."""

    def now_ns(self) -> int:
        """Ten seconds from now."""
        return time.time_ns() + 10_000_000_000


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4,000 skills of three files."""
    root = tmp_path_factory.mktemp("survey") / "skills"
    grow(root, SKILLS)
    return root


def compared(benchmark: Any, survey: Callable[[], object], **floors: Callable[[], object]) -> None:
    """Run all by turns, and tell by how much the survey is dearer than each, in time on the processor."""
    times: dict[Callable[[], object], list[float]] = {survey: [], **{floor: [] for floor in floors.values()}}
    for _ in range(ROUNDS):
        for run, taken in times.items():
            gc.collect()
            start = time.process_time()
            run()
            taken.append(time.process_time() - start)
    of_survey = statistics.median(times[survey])
    for name, floor in floors.items():
        of_floor = statistics.median(times[floor])
        benchmark.extra_info[name] = of_survey / of_floor
        print(f"\nsurvey {of_survey * 1000:.0f} ms, {name} {of_floor * 1000:.0f} ms: {of_survey / of_floor:.2f} x")
    benchmark.pedantic(survey, rounds=3)


def test_a_first_survey(root: Path, benchmark: Any) -> None:
    """Everything is opened, read, digested and judged; the floors read and digest."""
    files = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Later())
    survey = files.survey()
    assert sum(sighting.head is not None for sighting in survey.sightings.values()) == SKILLS
    compared(benchmark, files.survey, bare=lambda: read_and_digest(root), plain=lambda: read_plainly(root))


def test_a_second_survey(root: Path, benchmark: Any) -> None:
    """Nothing changed and nothing is opened; the floor looks at every file."""
    files = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Later())
    known = files.survey()
    again = files.survey(known)
    assert all(again.sightings[name] is sighting for name, sighting in known.sightings.items())
    compared(benchmark, lambda: files.survey(known), bare=lambda: stat_all(root))
