"""Whatever the package imports comes with it: with a plain installation, but for what these few places ask for."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
DEPENDENCIES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
SPELT = {"kestrel-sovereign-sdk": "kestrel_sdk", "ruamel.yaml": "ruamel"}
"""The modules of those whose name is another."""
BROUGHT = {SPELT.get(name, name) for name in (Requirement(line).name for line in DEPENDENCIES)}

ELSEWHERE = {
    ("contracts/", "hypothesis"),  # the extra `contracts`
    ("contracts/", "pytest"),
    ("http/", "fastapi"),  # every host has it, and what it stands on; else the extra `http`
    ("http/", "pydantic"),
    ("http/", "starlette"),
    ("http/serving.py", "uvicorn"),  # the extra `http`: a host serves by itself
    ("sql/postgres.py", "psycopg"),  # the extra `postgres`
    ("watching/", "watchfiles"),  # the extra `watch`
}
"""What a plain installation does not bring, and where alone it is imported."""


def imported(path: Path) -> set[str]:
    """The packages that a module imports, wherever in it; but for what only a type checker reads."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
        waiting += ast.iter_child_nodes(node)
    return found


@pytest.fixture(scope="module")
def wanted() -> set[tuple[str, str]]:
    """Each module of the sources, with each package of others that it imports."""
    own = {path.name for path in SRC.iterdir()} | sys.stdlib_module_names
    return {(path.relative_to(SRC).as_posix(), name) for path in SRC.rglob("*.py") for name in imported(path) - own}


def test_a_plain_installation_brings_all_that_is_imported(wanted: set[tuple[str, str]]) -> None:
    """So that the feature is whole beside a host; what it does not bring is imported in the one place alone."""
    more = {(path, name) for path, name in wanted if name not in BROUGHT}
    known = {
        (path, name, place)
        for path, name in more
        for place, what in ELSEWHERE
        if name == what and path.startswith(f"kestrel_skills_adapters/{place}")
    }
    assert more - {(path, name) for path, name, _ in known} == set()
    assert {(place, name) for _, name, place in known} == ELSEWHERE


def test_nothing_is_brought_that_is_not_imported(wanted: set[tuple[str, str]]) -> None:
    """Each dependency has its use."""
    assert {name for _, name in wanted} >= BROUGHT
