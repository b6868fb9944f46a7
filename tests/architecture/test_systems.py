"""What Linux alone has is asked for in few places: all else runs on macOS too, on every change."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ON_LINUX_ALONE = {"bench", "crash", "e2e", "host", "mutants"}
"""What the workflows let run there and nowhere else."""
GUARDED = {
    "adapters/http/test_rendering.py": {"/proc/self/statm"},  # skipped where it is not
    "adapters/watching/test_folders.py": {"/proc/self"},  # nothing is there, or nothing to watch
    "adapters/watching/test_notified.py": {"/proc/self", "/proc/self/fd"},  # skipped where nothing can be watched
    "cli/test_serve.py": {"prlimit"},  # skipped but on Linux
    "cli/test_streams.py": {"/dev/full"},  # skipped where it is not
    "conftest.py": {"/dev/shm"},  # another folder is taken where it is not
    "hostile/resident.py": {"/proc/self/clear_refs", "/proc/self/status"},  # not asked on macOS
}
PATHS = re.compile(r"/proc\b(?:/[a-z]\w*)*(?![-\w])|/dev/(?:shm|full)\b")
CALLS = re.compile(r"O_PATH|O_TMPFILE|F_SETLEASE|prlimit|prctl|posix_fallocate|(?:memfd_create|pidfd|sched|eventfd)\w*")


def of_linux(source: str) -> Iterator[str]:
    """What a text asks for that macOS has not."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from PATHS.findall(node.value)
        elif isinstance(node, ast.Attribute) and CALLS.fullmatch(node.attr):
            yield node.attr


def test_what_linux_alone_has_is_guarded() -> None:
    """Each place that asks for it is listed here, with what becomes of it elsewhere."""
    found = {
        path.relative_to(TESTS).as_posix(): set(of_linux(path.read_text(encoding="utf-8")))
        for path in TESTS.rglob("*.py")
        if path.relative_to(TESTS).parts[0] not in ON_LINUX_ALONE and path != Path(__file__)
    }
    assert {path: asked for path, asked in found.items() if asked} == GUARDED


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ('Path("/proc/self/fd").iterdir()', ["/proc/self/fd"]),
        ("\"print(open('/proc/1/stat'))\"", ["/proc"]),
        ('open("/dev/shm/x")', ["/dev/shm"]),
        ("os.memfd_create(name)", ["memfd_create"]),
        ('"/procedural-skills", "/api/proc-x", "/dev/null"', []),
    ],
)
def test_it_is_seen(source: str, asked: list[str]) -> None:
    """As a path, in the text of a program too, and as a call; and nothing else is."""
    assert list(of_linux(source)) == asked
