"""What somebody who comes to contribute is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOLD = sorted((ROOT / ".github").glob("*.md"))
SHELL = re.compile(r"^```sh\n(.*?)\n```$", re.DOTALL | re.MULTILINE)


def test_the_commands_are_those_that_are_tried() -> None:
    """The README's second command to the letter, and nox as `.ci/run` installs it."""
    tests, checks = SHELL.findall((ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert tests == SHELL.findall((ROOT / "README.md").read_text(encoding="utf-8"))[1]
    install, _, ran = checks.partition(" && ")
    assert f'"{install}"' in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ran == ".venv/bin/nox"


@pytest.mark.parametrize("page", TOLD, ids=lambda page: page.stem)
def test_a_link_within_the_repository_leads_somewhere(page: Path) -> None:
    """From the folder in which the page stands."""
    linked = re.findall(r"\]\(((?!https:)[^)]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in linked if not (page.parent / link).exists()] == []


def test_one_address_is_told() -> None:
    """The repository's, wherever it is named, is the one in `pyproject.toml`."""
    source = re.search(r'^Source = "(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert source is not None
    told = [ROOT / "README.md", *TOLD, *sorted((ROOT / ".github" / "ISSUE_TEMPLATE").iterdir())]
    named = [
        each for page in told for each in re.findall(r"https://github\.com/[\w-]+/[\w-]+", page.read_text("utf-8"))
    ]
    assert set(named) == {source[1]}
    assert len(named) > 4
