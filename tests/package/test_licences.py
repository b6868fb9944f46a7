"""What is installed with the package may be used with it, and the page that lists it is right."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("http", "postgres", "watch")
"""Those that are used when the program runs."""

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "PSF-2.0",
}
"""May be used in, and passed on with, what is under Apache-2.0, for the mere mention."""

APART = {"psycopg": "LGPL-3.0-only", "psycopg-binary": "LGPL-3.0-only"}
"""May be used by it as a library of its own, that anybody can replace: with the extra `postgres` alone."""

SPELT = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
}
"""How those that tell it by a classifier alone spell it."""


def licence(found: Distribution) -> str:
    """The SPDX expression of a licence; empty where nobody can tell."""
    told = found.metadata
    classified = [each.rpartition(" :: ")[2] for each in told.get_all("Classifier", [])]
    short = told.get("License") or ""
    return (
        told.get("License-Expression")
        or next((SPELT[each] for each in classified if each in SPELT), "")
        or (short if short in ALLOWED else "")
    )


def is_allowed(name: str, expression: str) -> bool:
    """Whether one may use what has that licence: one of several to choose from will do."""
    return any(
        all(part.strip("() ") in ALLOWED or APART.get(name) == part for part in choice.split(" AND "))
        for choice in expression.split(" OR ")
    )


def installed(name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]) -> Iterator[Distribution]:
    """A distribution, and all that it needs here, those that are not for this machine left out."""
    if (canonicalize_name(name), extras) in seen:
        return
    seen.add((canonicalize_name(name), extras))
    found = distribution(name)
    yield found
    for line in found.requires or []:
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield from installed(wanted.name, frozenset(wanted.extras), seen)


def stated() -> dict[str, tuple[str, str]]:
    """The direct requirements of what runs: the range and the extra of each, as `pyproject.toml` states them."""
    lists = [("", PROJECT["dependencies"]), *((extra, PROJECT["optional-dependencies"][extra]) for extra in EXTRAS)]
    wanted = [(Requirement(line), line, extra) for extra, lines in lists for line in lines]
    return {each.name: (line.removeprefix(each.name), extra) for each, line, extra in wanted}


@pytest.fixture(scope="module")
def everything() -> dict[str, str]:
    """The licence of all that is installed for it, by name."""
    try:
        found = list(installed("kestrel-feature-skills", frozenset(EXTRAS), set()))
    except PackageNotFoundError as absent:
        pytest.skip(f"{absent.name} is not installed here")
    return {canonicalize_name(each.metadata["Name"]): licence(each) for each in found}


def test_every_licence_is_allowed(everything: dict[str, str]) -> None:
    """Of what is needed, and of what that needs."""
    assert {*map(canonicalize_name, stated())} < everything.keys()
    assert {name: told for name, told in everything.items() if not is_allowed(name, told)} == {}


def test_what_is_apart_is_asked_for(everything: dict[str, str]) -> None:
    """Nobody gets a licence with a condition unless they name the extra."""
    needed = installed("kestrel-feature-skills", frozenset(), set())
    plain = {canonicalize_name(each.metadata["Name"]) for each in needed}
    assert plain & APART.keys() == set()
    assert everything.keys() > plain


def test_the_page_lists_every_dependency_with_its_licence(everything: dict[str, str]) -> None:
    """Its range, the extra that it comes with, and the licence that it states."""
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.-]+)` \| `(.*?)` \| (?:`(\w+)`)? ?\| .+ \| (.+) \|$", page, re.MULTILINE)
    listed = {name: (span, extra, told) for name, span, extra, told in rows}
    assert listed == {
        name: (re.sub(r"^\[\w+\]", "", span), extra, everything[canonicalize_name(name)])
        for name, (span, extra) in stated().items()
    }


def test_the_pages_tell_of_every_extra() -> None:
    """Whoever runs or builds on it reads what it brings; the others are named as those of the work on the project."""
    pages = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("dependencies.md", "operating.md")}
    offered = re.findall(r"^\| `([a-z]+)` \| [^|]+ \|$", pages["operating.md"], re.MULTILINE)
    (own,) = re.findall(r"The extras (.+) are for work on this project", pages["dependencies.md"])
    assert sorted(offered + re.findall(r"`(\w+)`", own)) == sorted(PROJECT["optional-dependencies"])
    assert {*offered} == {*EXTRAS, "contracts"}


def test_the_bill_of_materials_is_of_every_extra_that_runs() -> None:
    """The session installs the wheel with all of them."""
    assert f"{{built}}[{','.join(EXTRAS)}]" in (ROOT / "noxfile.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "expression", "allowed"),
    [
        ("a", "MIT", True),
        ("a", "Apache-2.0 OR GPL-2.0-or-later", True),
        ("a", "MIT AND PSF-2.0", True),
        ("a", "MIT AND GPL-3.0-only", False),
        ("a", "GPL-3.0-only", False),
        ("a", "LGPL-3.0-only", False),
        ("psycopg", "LGPL-3.0-only", True),
        ("a", "", False),
    ],
)
def test_a_licence_that_is_not_allowed_is_found(name: str, expression: str, allowed: bool) -> None:
    """And one that nobody can tell."""
    assert is_allowed(name, expression) is allowed
