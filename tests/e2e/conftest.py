"""A browser, servers of homes, and pages that complain when anything at all was said on their console."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from attrs import define, frozen

from .homes import ROOT, environ, furnish, settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM: Final = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SHOTS: Final = Path(os.environ.get("E2E_SHOTS", ROOT / "build" / "e2e"))
WIDE, NARROW = 1400, 360
_FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SAID_BY_THE_BROWSER: Final = "Failed to load resource"
"""Of each answer that is not good. What was refused on purpose is looked at where it is."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    api = pytest.importorskip("playwright.sync_api", reason="`nox -s e2e` brings the browser's driver")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}; install Debian's chromium, or name one in CHROMIUM")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        yield browser
        browser.close()


@contextmanager
def served(home: Path, *arguments: str) -> Iterator[str]:
    """The address of a server of a home, with its token."""
    where = ("--root", str(home / "skills"), "--shared", str(home / "shared"))
    command = [sys.executable, "-m", "tests.e2e.serving", "serve", "--no-browser", *where, *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ(home), cwd=ROOT
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield line.split(" at ")[1].strip()
    finally:
        process.kill()
        process.communicate()


@frozen
class Desktop:
    """Opens pages of one server; `said` is what they said on their consoles."""

    home: Path
    address: str
    open: Callable[..., Page]

    def file(self, path: str) -> Path:
        """A file of a skill."""
        return self.home / "skills" / path


@define
class _Pages:
    browser: Browser
    stack: ExitStack
    said: list[str]

    def open(self, address: str, *, width: int = WIDE, scheme: str = "light", **more: Any) -> Page:
        """A page in a window of its own, as soon as it shows the skills or why it does not."""
        height = 900 if width > NARROW else 740
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **more
        )
        self.stack.callback(context.close)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("console", lambda told: self._hear(told.type, told.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.goto(address)
        page.locator(".ksk").wait_for()
        return page

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not text.startswith(_SAID_BY_THE_BROWSER):
            self.said.append(text)


@pytest.fixture
def pages(browser: Browser) -> Iterator[_Pages]:
    """Pages that are closed in the end, and that must not have complained."""
    with ExitStack() as stack:
        pages = _Pages(browser, stack, [])
        yield pages
    assert pages.said == []


@pytest.fixture
def serve(pages: _Pages) -> Callable[[Path], Desktop]:
    """Serves a home until the test ends."""

    def served_home(home: Path, *arguments: str) -> Desktop:
        address = pages.stack.enter_context(served(home, *arguments))
        return Desktop(home, address, lambda **how: pages.open(address, **how))

    return served_home


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one of everything, for all tests to copy."""
    return furnish(tmp_path_factory.mktemp("furnished"))


@pytest.fixture
def desktop(serve: Callable[[Path], Desktop], furnished: Path, tmp_path: Path) -> Desktop:
    """A home with one of everything."""
    shutil.copytree(furnished, tmp_path, dirs_exist_ok=True, symlinks=True)
    settle(tmp_path)
    return serve(tmp_path)
