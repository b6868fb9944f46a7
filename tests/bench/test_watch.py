"""What a look costs where nothing changed, of 4,000 skills, with the watch on and off."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.watching.notified import watched
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.resolver import Survey
from kestrel_skills_core.ports.files import SkillFiles
from tests.contracts.files import Later

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

SKILLS = 4_000
ROUNDS = 15


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4,000 skills of three files."""
    path = tmp_path_factory.mktemp("skills")
    for number in range(SKILLS):
        folder = path / f"skill-{number}"
        folder.mkdir()
        (folder / "SKILL.md").write_bytes(document(folder.name))
        for name in ("a.md", "b.md"):
            (folder / name).write_bytes(os.urandom(30).hex().encode())
    return path


def timed(*works: Callable[[], object]) -> list[float]:
    """How many milliseconds each takes, by turns; medians."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, taken in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            taken.append((time.perf_counter() - start) * 1000)
    return [statistics.median(taken) for taken in times]


def both(root: Path) -> tuple[SkillFiles, SkillFiles, Survey]:
    """The reader of a root, the same one watched, and what both know."""
    plain = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Later())
    files = watched(plain, str(root))
    known = plain.survey()
    for _ in range(3):
        known = files.survey(known)
    return plain, files, known


def test_a_look_where_nothing_changed(root: Path, benchmark: Any) -> None:
    """Watched, it is the very survey of the last time."""
    plain, files, known = both(root)
    assert files.survey(known) is known
    off, on = timed(lambda: plain.survey(known), lambda: files.survey(known))
    print(f"\nunchanged: {off:.1f} ms, watched {on:.3f} ms")
    benchmark.pedantic(lambda: files.survey(known), rounds=3)


def test_a_look_after_one_file_changed(root: Path, benchmark: Any) -> None:
    """Watched, it looks as without a watch, and pays for hearing."""
    plain, files, known = both(root)

    def changed(ask: Callable[[], object]) -> Callable[[], object]:
        def look() -> None:
            (root / "skill-7" / "a.md").write_bytes(os.urandom(8))
            ask()

        return look

    off, on = timed(changed(lambda: plain.survey(known)), changed(lambda: files.survey(known)))
    print(f"\none file changed: {off:.1f} ms, watched {on:.1f} ms")
    benchmark.pedantic(changed(lambda: files.survey(known)), rounds=3)


def test_a_watch_is_made(root: Path, benchmark: Any) -> None:
    """What the second look pays beside looking, and the first one after a folder came or went."""
    plain = PosixSkillFiles(root, SourceId.HOST_SHARED, calls=Later())
    known = plain.survey()

    def placed() -> None:
        files = watched(plain, str(root))
        files.survey(known)
        files.survey(known)

    off, on = timed(lambda: (plain.survey(known), plain.survey(known)), placed)
    print(f"\ntwo looks: {off:.1f} ms, the second of which makes a watch {on:.1f} ms")
    benchmark.pedantic(placed, rounds=3)
