"""A test that a document names, to show what it claims, is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
SUITES = sorted((ROOT / "src" / "kestrel_skills_adapters" / "contracts").glob("*.py"))
NAMED = re.compile(r"`(tests/[\w./-]+::[^`]+)`")


def named(path: Path) -> list[str]:
    """The ids of tests that a document names."""
    return NAMED.findall(path.read_text(encoding="utf-8"))


def is_there(node_id: str) -> bool:
    """Whether the file of an id defines that test, in those classes."""
    file, *names = node_id.split("::")
    if not (ROOT / file).is_file():
        return False
    body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    for name in names:
        kind = (ast.FunctionDef, ast.AsyncFunctionDef) if name.startswith("test_") else (ast.ClassDef,)
        found = next((node for node in body if isinstance(node, kind) and node.name == name), None)
        if found is None:
            return False
        body = found.body + [node for base in getattr(found, "bases", ()) for node in suite(ast.unparse(base))]
    return names[-1].startswith("test_")


@cache
def suite(name: str) -> list[ast.stmt]:
    """The tests of a suite that an adapter must pass; of any other class, none."""
    nodes = [node for path in SUITES for node in ast.parse(path.read_text(encoding="utf-8")).body]
    return next((node.body for node in nodes if isinstance(node, ast.ClassDef) and node.name == name), [])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_test_that_a_document_names_is_there(path: Path) -> None:
    """Each id is one that pytest would collect."""
    assert [node_id for node_id in named(path) if not is_there(node_id)] == []


@pytest.mark.parametrize("page", ["security.md", "track-record.md"])
def test_every_row_names_a_test(page: str) -> None:
    """What is defended against, and what was once wrong, is shown to be so."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    rows = [line for line, after in pairwise([*lines, ""]) if line.startswith("| ") and not after.startswith("|--")]
    assert len(rows) > 10
    assert [row for row in rows if not NAMED.search(row.rpartition(" | ")[2])] == []


def test_a_test_that_is_not_there_is_found() -> None:
    """A name that is misspelt, in another class, no test at all, or in no file, is not taken for one."""
    here = "tests/docs/test_named_tests.py"
    assert is_there(f"{here}::test_a_test_that_is_not_there_is_found")
    assert is_there("tests/docs/test_examples.py::TestConsole::test_silence_is_compared_too")
    assert is_there("tests/contracts/test_world.py::TestClock::test_the_time_is_utc")
    for wrong in (
        f"{here}::test_a_test",
        f"{here}::is_there",
        f"{here}::TestConsole::test_silence_is_compared_too",
        "tests/docs/test_examples.py::test_silence_is_compared_too",
        "tests/docs/test_examples.py::TestConsole",
        "tests/docs/test_nothing.py::test_nothing",
        "tests/contracts/test_world.py::TestClock::test_a_token_is_256_bits",
    ):
        assert not is_there(wrong)
