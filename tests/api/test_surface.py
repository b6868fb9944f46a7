"""What a change of the public surface breaks is found, and the promise in words is the one that is kept."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

pytest.importorskip("griffe", reason="griffe is not installed")

from tests.api.__main__ import compare
from tests.api.surface import PUBLIC, allows

ROOT = Path(__file__).parents[2]

CORE = """
from attrs import frozen
from .names import Late, Moved, Name, first
__all__ = ["Late", "Moved", "Name", "first"]
"""
NAMES = """
from attrs import field, frozen

class Refused(Exception): ...

class Moved(Refused): ...

class _Told(Moved): ...

class Late(_Told): ...

@frozen
class Name:
    text: str
    rank: int = 0
    length: int = field(init=False)

    @property
    def short(self) -> str: ...

    async def read(self) -> str: ...

    @staticmethod
    def parse(text: str) -> Name: ...

def first(names: list[Name], *, reverse: bool = False) -> Name: ...

def inner(names: list[Name]) -> None: ...
"""


def git(folder: Path, *words: str) -> None:
    """Run git there, as nobody."""
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
        cwd=folder,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two small packages of those names, released as 0.2.0."""
    if shutil.which("git") is None:
        pytest.skip("the git command line is not here")
    core, adapters = (tmp_path / "src" / name for name in ("kestrel_skills_core", "kestrel_skills_adapters"))
    core.mkdir(parents=True)
    adapters.mkdir()
    (core / "__init__.py").write_text(CORE)
    (core / "names.py").write_text(NAMES)
    (adapters / "__init__.py").touch()
    (adapters / "world.py").write_text('__all__ = ["now"]\ndef now(zone: str) -> int: ...\n')
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.1.dev0"\n')
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "Release")
    git(tmp_path, "tag", "v0.2.0")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("core/__init__.py", '"Name", ', "", "kestrel_skills_core.Name: it is public no more"),
        ("core/names.py", "reverse: bool = False", "reverse: bool", "first(reverse): Parameter is now required"),
        ("core/names.py", ", *, reverse: bool = False", "", "first(reverse): Parameter was removed"),
        ("core/names.py", "text: str", "words: str", "Name.text: Public object was removed"),
        ("core/names.py", "    text: str", "    text: str\n    kind: str", "Name.__init__(kind): Parameter was added"),
        ("core/names.py", "    @property\n    def short", "    def _short", "Name.short: Public object was removed"),
        ("core/names.py", "Late(_Told)", "Late(Refused)", "kestrel_skills_core.Late: it is no Moved any more"),
        ("core/names.py", "Moved(Refused)", "Moved(Exception)", "kestrel_skills_core.Moved: it is no Refused any more"),
        ("core/names.py", "_Told(Moved)", "_Told", "kestrel_skills_core.Late: it is no Exception any more"),
        ("core/names.py", "async def read", "def read", "Name.read: it is async no more"),
        ("core/names.py", "    @staticmethod\n", "    @classmethod\n", "Name.parse: it is classmethod now"),
        ("adapters/world.py", "def now", "async def now", "kestrel_skills_adapters.world.now: it is async now"),
        ("adapters/world.py", "zone: str", "place: str", "now(zone): Parameter was removed"),
    ],
)
def test_a_planted_break_is_found(
    repository: Path, capsys: pytest.CaptureFixture[str], file: str, old: str, new: str, told: str
) -> None:
    """It is named, and a version that may not break refuses it; the next minor one may."""
    path = repository / "src" / f"kestrel_skills_{file}"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert compare(repository) == 1
    assert told in capsys.readouterr().out
    (repository / "pyproject.toml").write_text('[project]\nversion = "0.3.0.dev0"\n')
    assert compare(repository) == 0
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("inner(names: list[Name])", "inner()"),
        ("def inner", "async def inner"),
        ("Late(_Told)", "Late(Moved, ValueError)"),
        ("rank: int = 0", "rank: int = 0\n    more: int = 0"),
        ("reverse: bool = False", "reverse: bool = False, most: int = 1"),
    ],
)
def test_what_breaks_nobody_is_no_break(
    repository: Path, capsys: pytest.CaptureFixture[str], old: str, new: str
) -> None:
    """What is not public may go, and what need not be given may come."""
    path = repository / "src" / "kestrel_skills_core" / "names.py"
    path.write_text(path.read_text().replace(old, new))
    assert compare(repository) == 0
    assert capsys.readouterr().out == "0 of what v0.2.0 promised changed; 0.2.1.dev0 may not change any.\n"


def test_without_a_release_nothing_is_compared(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor with a release of other packages; it says so."""
    git(repository, "mv", "src/kestrel_skills_core", "src/another")
    git(repository, "commit", "--quiet", "-m", "Another code base")
    git(repository, "tag", "--force", "v0.2.0")
    assert compare(repository) == 0
    assert "at v0.2.0 there is no package kestrel_skills_core" in capsys.readouterr().out
    git(repository, "tag", "--delete", "v0.2.0")
    assert compare(repository) == 0
    assert capsys.readouterr().out.startswith("There is no release to compare with")


def test_a_release_is_compared_with_the_one_before(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On its own tag too, and whatever candidates there were."""
    path = repository / "src" / "kestrel_skills_core" / "names.py"
    path.write_text(path.read_text().replace("text: str", "words: str"))
    (repository / "pyproject.toml").write_text('[project]\nversion = "0.2.1"\n')
    git(repository, "commit", "--quiet", "--all", "-m", "Another release")
    for tag in ("v0.2.1rc1", "v0.2.1", "v0.2"):
        git(repository, "tag", tag)
    assert compare(repository) == 1
    assert "promised changed; 0.2.1 may not change any" in capsys.readouterr().out


def test_the_version_after_a_release_may_not_break() -> None:
    """What is set once a release is out: whoever breaks raises it, in the change that breaks."""
    page = (ROOT / "docs" / "releasing.md").read_text(encoding="utf-8")
    released = re.findall(r"git tag (v\S+)", page)[0]
    (after,) = re.findall(r"^6\. Set the version to the next patch, `(\S+)`", page, re.MULTILINE)
    assert not allows(released, after)


@pytest.mark.parametrize(
    ("release", "version", "may"),
    [
        ("v0.2.0", "0.2.1.dev0", False),
        ("v0.2.0", "0.3.0.dev0", True),
        ("v0.9.0", "0.10.0", True),
        ("v0.9.0", "1.0.0", True),
        ("v1.2.0", "1.3.0", False),
        ("v1.2.0", "2.0.0rc1", True),
    ],
)
def test_which_version_may_break(release: str, version: str, may: bool) -> None:
    """Before 1.0.0 a minor one, from then on a major one."""
    assert allows(release, version) is may


def test_what_is_promised_is_what_is_compared() -> None:
    """The table of the page names these modules, and each can be imported and says what it offers."""
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(kestrel_skills_[\w.]+)` \|", page, re.MULTILINE) == list(PUBLIC)
    for name in PUBLIC:
        module = import_module(name)
        assert hasattr(module, "__all__") or hasattr(module, "__path__")


def not_public(code: str) -> Iterator[str]:
    """The imports of a text that no public module offers, but for those that say so of themselves."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
        if not module.startswith("kestrel_skills") or "# not public" in code.splitlines()[node.lineno - 1]:
            continue
        package = module.rpartition(".")[0]
        if module not in PUBLIC and (package not in PUBLIC or hasattr(import_module(package), "__all__")):
            yield module
        elif isinstance(node, ast.ImportFrom):
            offered = getattr(import_module(module), "__all__", ())
            yield from (f"{module}.{alias.name}" for alias in node.names if alias.name not in offered)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from kestrel_skills_core import Resolver", []),
        ("from kestrel_skills_core import Resolver, glance", ["kestrel_skills_core.glance"]),
        ("from kestrel_skills_core.domain.folder import Folder", []),
        ("from kestrel_skills_core.domain import rules", ["kestrel_skills_core.domain"]),
        ("import kestrel_skills_core.domain.names", ["kestrel_skills_core.domain.names"]),
        (
            "def f():\n    from kestrel_skills_core.service.queries import Reading",
            ["kestrel_skills_core.service.queries"],
        ),
        ("from kestrel_skills_core.domain.text import escaped  # not public", []),
        ("from kestrel_skills_adapters.memory.states import MemoryStates", []),
        ("from kestrel_skills_adapters.memory.states import Rows", ["kestrel_skills_adapters.memory.states.Rows"]),
        ("from kestrel_skills_adapters.sovereign.desk import x", ["kestrel_skills_adapters.sovereign.desk"]),
        ("import attrs", []),
    ],
)
def test_what_is_not_public_is_found(code: str, found: list[str]) -> None:
    """By the module that it comes from, and by its name."""
    assert list(not_public(code)) == found


DOWNSTREAM = sorted((ROOT / "tests" / "downstream").rglob("*.py"))


@pytest.mark.parametrize("path", DOWNSTREAM, ids=lambda path: path.name)
def test_the_consumer_uses_public_names_alone(path: Path) -> None:
    """Each name that it imports is one that a public module offers."""
    text = path.read_text(encoding="utf-8")
    assert list(not_public(text)) == []
    assert "# not public" not in text


DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_an_example_uses_what_is_public_or_says_that_it_does_not(path: Path) -> None:
    """Whoever begins with an example has nothing in hand that may change at any time, unseen."""
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^( *)```python\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL)
    assert [name for _, block in blocks for name in not_public(dedent(block))] == []
    if path.name in {"README.md", "adapter.md", "embedding.md"}:
        assert blocks
        assert "# not public" not in text


def test_the_consumer_uses_what_the_promise_is_about() -> None:
    """Resolving, the budget, approvals, fakes, and a suite on an adapter of its own."""
    text = "".join(path.read_text(encoding="utf-8") for path in DOWNSTREAM)
    for name in ("Resolver", "Budget", "Delete", "MemorySkillStore", "StateTableContract", "PosixSkillStore"):
        assert re.search(rf"import .*\b{name}\b|^    {name},$", text, re.MULTILINE)
