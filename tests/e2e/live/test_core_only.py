"""`run-live-suite.sh core-only`: the Console without this feature is what it is without this package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import frozen

from tests.e2e.places import API, PANEL, Pages
from tests.host.lab import FEATURE

from .conftest import HomeOf
from .visits import ASSETS, Visit, bare, differences, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("no_model_is_asked")]

STEADY = {"PYTHONHASHSEED": "0"}
"""The host names some of its routes by the first element of a set."""
SEEN_FROM = """\
from importlib.metadata import entry_points
from importlib.util import find_spec
print(find_spec("kestrel_skills_core"), [each.name for each in entry_points(group="kestrel_sovereign.features")])
"""


@frozen
class Visits:
    """The same agent's Console, three times."""

    never: Visit
    """Where this package was not installed."""
    off: Visit
    """Where it is installed, and not among the features that the agent loads."""
    on: Visit


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an environment without this package."""
    return bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def visits(browser: Browser, home_of: HomeOf, bare_python: Path) -> Iterator[Visits]:
    """One server after the other; none of their pages complains."""
    here = Path(sys.executable)
    with ExitStack() as stack:
        pages = Pages(browser, stack)

        def to(python: Path, *features: str) -> Visit:
            with home_of(python=python, features=features, environ=STEADY).serving() as client:
                page = pages.fresh()
                seen = visit(page, client)
                page.context.close()
                return seen

        yield Visits(never=to(bare_python), off=to(here), on=to(here, FEATURE))
        assert pages.said == []


def test_the_bare_environment_is_bare(bare_python: Path) -> None:
    """A Python there finds no module of this package, and nothing that a host could load."""
    seen = subprocess.run([bare_python, "-c", SEEN_FROM], capture_output=True, text=True, check=True)
    assert seen.stdout == "None []\n"


def test_a_feature_that_is_not_enabled_changes_nothing(visits: Visits) -> None:
    """Not one byte of a page or a file, no request, no message, no route, no command: as if it was not installed."""
    assert differences(visits.never, visits.off) == {}


def test_what_was_looked_at_is_a_console(visits: Visits) -> None:
    """So that two visits that saw nothing are not taken for two that saw the same."""
    assert {"chat", "identity", "features", "security"} <= set(visits.never["the tabs"])
    assert len(visits.never["the panel security"]) > 1_000
    assert len(visits.never["the files"]) > 50
    assert "post /api/agent/invoke" in visits.never["the routes"]
    assert visits.never["what is ours"] == ["404", "404"]
    assert not [line for side in visits.never.values() for line in side if PANEL in line or FEATURE in line]


def panels(visit: Visit) -> Visit:
    """The panels, without the white space that is around elements, and was around ours."""
    of_panels = {side: lines for side, lines in visit.items() if side.startswith("the panel")}
    return {side: [line.strip() for line in lines if line.strip()] for side, lines in of_panels.items()}


def test_a_feature_that_is_on_adds_what_is_its_own(visits: Visits) -> None:
    """One tab, its files, its routes and its commands; all else of the Console is there as before."""
    assert differences(panels(visits.off), panels(visits.on)) == {}
    assert differences(visits.off, visits.on, ["the tabs"]) == {"the tabs": [f"+{PANEL}"]}
    added = differences(visits.off, visits.on, ["the requests", "the files", "the routes", "the commands"])
    assert len(added) == 4
    lines = [line for side in added.values() for line in side]
    assert [line for line in lines if not line.startswith("+")] == []
    assert [line for line in lines if API not in line and ASSETS not in line and "!skill" not in line] == []
    assert visits.on["what is ours"] == ["200", "200"]
