"""The layers and the core's budget hold, and each contract of import-linter fails where it is broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the project, or a copy of it, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", LINT],
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of what import-linter reads."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests" / "architecture").mkdir(parents=True)
    for part in ("__init__.py", "architecture/budget.py"):
        shutil.copy(ROOT / "tests" / part, tmp_path / "tests" / part)
    return tmp_path


def test_every_contract_is_kept() -> None:
    """The project keeps its own contracts."""
    ran = lint_imports(ROOT)
    assert ran.returncode == 0, ran.stdout
    assert "0 broken" in ran.stdout


@pytest.mark.parametrize(
    ("place", "statement", "broken"),
    [
        ("core/domain/names.py", "import os", "core.domain.names -> os (line"),
        ("core/domain/names.py", "from pathlib import (", "core.domain.names -> pathlib (line"),
        ("core/domain/names.py", "import re, time", "core.domain.names -> time (line"),
        ("core/domain/lint.py", "from urllib.request import urlopen", "core.domain.lint -> urllib.request"),
        ("core/domain/lint.py", "import urllib", "core.domain.lint -> urllib (line"),
        ("core/domain/document.py", "from ruamel.yaml import YAML", "core.domain.document -> ruamel.yaml"),
        ("core/domain/document.py", "def _late():\n    import asyncio", "core.domain.document -> asyncio"),
        ("core/domain/names.py", "import kestrel_skills_adapters", "core.domain.names -> kestrel_skills_adapters"),
        ("core/domain/names.py", "from ..ports import files", "core.domain is not allowed to import"),
        ("core/ports/files.py", "from ..service import decide", "core.ports is not allowed to import"),
        ("core/stray.py", "", "core.stray (Since this contract is"),
        ("adapters/stray.py", "", "adapters.stray (Since this contract"),
        ("adapters/posix/planted.py", "from .. import sql", "adapters.posix is not allowed to import"),
        ("adapters/memory/planted.py", "from .. import wiring", "adapters.memory is not allowed to import"),
        ("adapters/cli/planted.py", "from .. import contracts", "adapters.cli is not allowed to import"),
        ("adapters/memory/planted.py", "import pytest", "kestrel_skills_adapters is not allowed to import pytest"),
        ("adapters/wiring.py", "from . import cli", "adapters.wiring is not allowed to import"),
        (
            "adapters/cli/planted.py",
            "from ..sql import given",
            "adapters.cli.planted -> kestrel_skills_adapters.sql.given",
        ),
    ],
)
def test_a_planted_import_breaks_its_contract(copied: Path, place: str, statement: str, broken: str) -> None:
    """An import against the rules, put into a copy, fails the run and is named."""
    for adapter in ("posix", "sql", "memory", "cli"):
        (copied / "src" / "kestrel_skills_adapters" / adapter).mkdir(exist_ok=True)
        (copied / "src" / "kestrel_skills_adapters" / adapter / "__init__.py").touch()
    for module in ("wiring.py", "sql/given.py"):
        (copied / "src" / "kestrel_skills_adapters" / module).touch()
    planted = copied / "src" / f"kestrel_skills_{place}"
    ending = "\n    PurePath,\n)\n" if statement.endswith("(") else "\n"
    with planted.open("a") as source:
        source.write(f"\n{statement}{ending}")
    ran = lint_imports(copied)
    assert ran.returncode == 1
    assert broken in " ".join(ran.stdout.split())


def test_the_core_loads_ruamel_only_when_it_is_needed() -> None:
    """Every public name of the core can be had, and a canonical file read, without the YAML library."""
    program = (
        "import sys\n"
        "from kestrel_skills_core import *\n"
        "from kestrel_skills_core.domain.document import parse\n"
        "parse(b'---\\nname: tidy\\ndescription: Use when it is untidy.\\n---\\nTidy up.\\n', 'tidy')\n"
        "assert 'ruamel' not in sys.modules\n"
        "parse(b'---\\nname: tidy\\ndescription: >\\n  Use when it is untidy.\\n---\\nTidy up.\\n', 'tidy')\n"
        "assert 'ruamel.yaml' in sys.modules\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
