"""What every module has, what it may be called, and what the packages carry."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# Words that say that a thing has no one job.
VAGUE = {"manager", "handler", "helper", "helpers", "util", "utils", "data", "info", "process", "do", "impl", "misc"}
# Terms of the field: the bytes of a file, and the folder that systems name so; and a method that FastAPI names.
PLAIN = {"data", "_user_data", "get_route_handler"}


def words(name: str) -> set[str]:
    """The words that a name is made of, lower case."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def defined(tree: ast.Module) -> Iterator[str]:
    """The names of the classes, functions and parameters of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def vague_names(source: str) -> list[str]:
    """The names in a source text that hold a vague word."""
    return [name for name in defined(ast.parse(source)) if words(name) & VAGUE and name not in PLAIN]


def relative(source: Path) -> str:
    """How to name a module in a report."""
    return source.relative_to(ROOT / "src").as_posix()


@pytest.mark.parametrize("source", SOURCES, ids=relative)
def test_a_module_says_what_it_is_for_and_what_it_offers(source: Path) -> None:
    """Every module has a docstring, and every module that defines something public has `__all__`, sorted by ruff."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), f"{relative(source)} has no docstring"
    offers = any(
        isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
        for node in tree.body
    )
    assigned = {ast.unparse(target) for node in tree.body if isinstance(node, ast.Assign) for target in node.targets}
    assert not offers or "__all__" in assigned, f"{relative(source)} has no __all__"


@pytest.mark.parametrize("source", SOURCES, ids=relative)
def test_no_name_is_vague(source: Path) -> None:
    """Classes, functions, parameters and modules are named for what they are."""
    assert vague_names(source.read_text(encoding="utf-8")) == []
    assert not words(source.stem) & VAGUE


def test_vague_names_are_found() -> None:
    """The look at names sees each kind of place where a vague one can stand."""
    source = "class SkillManager:\n def do_it(self, file_info): ...\ndef parse_util(): ...\ndef redo(dataset): ..."
    assert sorted(vague_names(source)) == ["SkillManager", "do_it", "file_info", "parse_util"]


@pytest.mark.parametrize("package", ["kestrel_skills_core", "kestrel_skills_adapters"])
def test_the_packages_are_typed(package: str) -> None:
    """Each package carries the mark that tells type checkers to read it."""
    assert (Path(importlib.import_module(package).__path__[0]) / "py.typed").is_file()


def test_the_version_stands_in_one_place() -> None:
    """No module repeats the version that `pyproject.toml` states."""
    stated = PROJECT["project"]["version"]
    assert [relative(source) for source in SOURCES if stated in source.read_text(encoding="utf-8")] == []


def test_the_classifiers_name_the_pythons_that_are_required() -> None:
    """A Python is classified if, and only if, it is in the required range."""
    named = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["project"]["classifiers"]), re.MULTILINE)
    assert named == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["project"]["requires-python"] == ">=3.11,<3.15"


@pytest.mark.parametrize("marker", PROJECT["tool"]["pytest"]["ini_options"]["markers"])
def test_every_marker_marks_a_test_and_has_a_session(marker: str) -> None:
    """What the default run leaves out is there, and `nox` runs it; a run that selects nothing would fail."""
    name, _, told = marker.partition(":")
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert f"mark.{name}\n" in tests or f"mark.{name}," in tests
    assert f"(nox -s {name})" in told
    runners = [ROOT / "noxfile.py", ROOT / "tests" / "e2e" / "live" / "__main__.py"]
    assert any(re.search(rf'"-m",\s+"{name}\b', runner.read_text(encoding="utf-8")) for runner in runners)
    assert f"not {name}" in PROJECT["tool"]["pytest"]["ini_options"]["addopts"][-1]


def test_every_error_is_one_that_occurs() -> None:
    """Each code that the library may give is given somewhere: programs are not told to expect what never comes."""
    from kestrel_skills_core.domain import errors

    made = {
        ast.unparse(node.func).rpartition(".")[2]
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    }
    assert {name for name in errors.__all__ if hasattr(getattr(errors, name), "code")} - made == set()
