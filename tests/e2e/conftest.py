"""A browser, the places in which the panel is met, and pages that complain when anything was said on their console."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.host.client import until
from tests.host.lab import AGENT, Home, Host, host_version
from tests.host.model import ScriptedModel

from .browsers import CHROMIUM, FLAGS
from .homes import furnish, settle
from .outside import FOLDER, Outside, outside
from .places import Console, Desktop, Pages, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OTHER: Final = "wren"
"""The host's second agent."""
HERE: Final = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the browser's driver and the host warn of is not this project's: it does not fail a test."""
    for item in items:
        if item.get_closest_marker("e2e") and HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
            item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests, to which every name below `example` is this machine."""
    api = pytest.importorskip("playwright.sync_api", reason="`nox -s e2e` brings the browser's driver")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}; install Debian's chromium, or name one in CHROMIUM")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    """The git server that all of them can reach."""
    with outside(tmp_path_factory.mktemp("outside")) as running:
        yield running


@pytest.fixture
def pages(browser: Browser) -> Iterator[Pages]:
    """Pages that are closed in the end, and that must not have complained."""
    with ExitStack() as stack:
        pages = Pages(browser, stack)
        yield pages
    assert pages.said == []


@pytest.fixture
def serve(pages: Pages, net: Outside) -> Callable[[Path], Desktop]:
    """Serves a home until the test ends."""

    def served_home(home: Path) -> Desktop:
        address = pages.stack.enter_context(served(home, net))
        skills = home / "skills"
        return Desktop(skills, home / "shared", home / "skills.state.sqlite3", address, pages, "serve")

    return served_home


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one of everything, for all tests to copy."""
    return furnish(tmp_path_factory.mktemp("furnished"))


@pytest.fixture
def page_desktop(serve: Callable[[Path], Desktop], furnished: Path, tmp_path: Path) -> Desktop:
    """A home with one of everything, in the page of `serve`."""
    shutil.copytree(furnished, tmp_path, dirs_exist_ok=True, symlinks=True)
    settle(tmp_path)
    return serve(tmp_path)


@pytest.fixture(scope="session")
def console(browser: Browser, net: Outside, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """The one host that all tests share, with two agents."""
    if host_version() is None:
        pytest.skip("no host is installed here; `nox -s e2e` makes an environment with one")
    model = ScriptedModel()
    home = Home(
        tmp_path_factory.mktemp("host"),
        model.address,
        agents=(AGENT, OTHER),
        packages=[FOLDER],
        environ=net.environ,
    )
    home.incept().shared.mkdir()  # a host has shared skills if it has a folder for them when its agents start
    host = Host(home, model)
    until(host.client.of(OTHER).is_ready)
    yield Console(host)
    host.stop()
    model.close()


@pytest.fixture
def console_desktop(console: Console, pages: Pages) -> Desktop:
    """One of everything, in the Console of the host."""
    console.furnish()
    return console.desktop(pages)


@pytest.fixture(scope="session", params=["serve", "host"])
def where(request: pytest.FixtureRequest) -> str:
    """Both places, one after the other."""
    return str(request.param)


@pytest.fixture
def desktop(where: str, request: pytest.FixtureRequest) -> Desktop:
    """One of everything, wherever it is met."""
    return request.getfixturevalue({"serve": "page_desktop", "host": "console_desktop"}[where])
