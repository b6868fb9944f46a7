"""What a survey of 4,000 skills costs, against the least that reading and stamping the same files could cost."""

from __future__ import annotations

import gc
import hashlib
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.names import SourceId

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
    """4,000 skills of three files, of the sizes that real ones have at the median: 4 KB, 3 KB, 1.5 KB."""
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(3000)]

    def text(size: int) -> str:
        return " ".join(chance.choices(words, k=size // 5))[:size].strip()

    root = tmp_path_factory.mktemp("survey") / "skills"
    for number in range(SKILLS):
        folder = root / f"skill-{number:04}"
        (folder / "scripts").mkdir(parents=True)
        body = "\n".join(text(75) for _ in range(48))
        head = f"---\nname: {folder.name}\ndescription: {text(160)}\n---\n"
        (folder / "SKILL.md").write_text(f"{head}\n# Skill {number}\n\n{body}\n")
        (folder / "reference.md").write_text(text(3000))
        (folder / "scripts" / "run.py").write_text(text(1500))
    return root


def files_below(root: Path) -> Iterator[os.DirEntry[str]]:
    """Every file: a bare walk."""
    folders = [str(root)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    yield entry


def read_and_digest(root: Path) -> None:
    """The floor of a first survey: every file read in one call, and its SHA-256."""
    for entry in files_below(root):
        fd = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
        content = os.read(fd, 65_536)
        os.close(fd)
        hashlib.sha256(content).digest()


def stat_all(root: Path) -> None:
    """The floor of a second survey: every file looked at."""
    for entry in files_below(root):
        entry.stat(follow_symlinks=False)


def compared(benchmark: Any, survey: Callable[[], object], floor: Callable[[], object]) -> None:
    """Run both by turns, and tell by how much the survey is dearer, in time on the processor."""
    times: dict[Callable[[], object], list[float]] = {survey: [], floor: []}
    for _ in range(ROUNDS):
        for run, taken in times.items():
            gc.collect()
            start = time.process_time()
            run()
            taken.append(time.process_time() - start)
    of_survey, of_floor = (statistics.median(taken) for taken in times.values())
    benchmark.extra_info.update(ratio=of_survey / of_floor, floor_ms=of_floor * 1000, survey_ms=of_survey * 1000)
    print(f"\nsurvey {of_survey * 1000:.0f} ms, floor {of_floor * 1000:.0f} ms: {of_survey / of_floor:.2f} x")
    benchmark.pedantic(survey, rounds=3)


def test_a_first_survey(root: Path, benchmark: Any) -> None:
    """Everything is opened, read, digested and judged; the floor reads and digests."""
    files = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Later())
    survey = files.survey()
    assert sum(sighting.head is not None for sighting in survey.sightings.values()) == SKILLS
    compared(benchmark, files.survey, lambda: read_and_digest(root))


def test_a_second_survey(root: Path, benchmark: Any) -> None:
    """Nothing changed and nothing is opened; the floor looks at every file."""
    files = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Later())
    known = files.survey()
    again = files.survey(known)
    assert all(again.sightings[name] is sighting for name, sighting in known.sightings.items())
    compared(benchmark, lambda: files.survey(known), lambda: stat_all(root))
