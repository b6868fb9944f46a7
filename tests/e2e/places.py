"""Where the panel is met: in the page of `kestrel-skills serve`, and in the Console of the real host.

A test is written against a `Desktop`, and does not know which of the two it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from attrs import define, field, frozen

from tests.host.client import Client
from tests.host.lab import Home, Host, table_broken

from .homes import ON, PROGRAM, ROOT, SHARED_ON, environ, lay_out

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page

    from .outside import Outside

__all__ = ["API", "NARROW", "PANEL", "SHOTS", "WIDE", "Console", "Desktop", "InConsole", "Pages", "served", "unlock"]

SHOTS: Final = Path(os.environ.get("E2E_SHOTS", ROOT / "build" / "e2e"))
"""Where pictures are kept."""
WIDE, NARROW = 1400, 360
API: Final = "/api/procedural-skills"
PANEL: Final = "procedural-skills"

_OF_THE_HOST: Final = {
    "/api/auth/key": "the Console asks for the key before a person is asked, and is not given it",
    "/auth/me": "it asks who is signed in, and nobody is yet",
    "/voice/realtime/route": "it asks for a voice, and none is installed",
    "/api/restart/status-events": "it asks whether the host is being restarted, which this one cannot tell",
}
"""What the Console itself asks and is refused, by how its path ends, and why that is well."""
_OF_THE_NET: Final = frozenset({"cdn.jsdelivr.net", "cdnjs.cloudflare.com"})
"""From where the Console loads what it can do without; no test reaches them."""
_REFUSED: Final = "Failed to load resource"
"""So the browser begins what it says of each answer that is not good."""


@define(slots=False)  # the driver writes into the object of a method that it is given
class Pages:
    """Pages in windows of their own, and what they said on their consoles that they should not have."""

    browser: Browser
    stack: ExitStack
    said: list[str] = field(factory=list)

    def fresh(self, *, width: int = WIDE, scheme: str = "light", **more: Any) -> Page:
        """An empty page."""
        height = 900 if width > NARROW else 740
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **more
        )
        self.stack.callback(context.close)
        for name in _OF_THE_NET:
            context.route(f"https://{name}/**", lambda route: route.abort())
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", self._answer)
        return page

    def _answer(self, dialog: Dialog) -> None:
        if dialog.type != "beforeunload":
            self.said.append(f"{dialog.type}: {dialog.message}")
        dialog.accept()

    def _hear(self, told: ConsoleMessage) -> None:
        if told.type not in ("error", "warning"):
            return
        if told.text.startswith(_REFUSED):
            where = urlsplit(told.location["url"])
            is_asked = API in where.path  # what was refused on purpose is looked at where it is
            if is_asked or where.hostname in _OF_THE_NET or where.path.endswith(tuple(_OF_THE_HOST)):
                return
        self.said.append(f"{told.text} {told.location['url']}")


@define
class Desktop:
    """One place: where its skills lie on the disk, its server, and pages that show the panel there."""

    skills: Path
    shared: Path
    states: Path
    """The SQLite file that says what is on."""
    address: str
    pages: Pages
    name: str
    """What its pictures are called by."""
    scope: str | None = None
    """The part of the page that is ours; none is all of it."""

    def open(self, **how: Any) -> Page:
        """A page in a window of its own, as soon as it shows the skills or why it does not."""
        page = self.pages.fresh(**how)
        page.goto(self.address)
        self.enter(page)
        return page

    def reload(self, page: Page) -> None:
        """Load it again, and come back to the panel."""
        page.reload()
        self.enter(page)

    def enter(self, page: Page) -> None:
        """From what is first seen to the panel."""
        page.locator(".ksk").wait_for()

    @property
    def api(self) -> str:
        """Where its skills are asked for."""
        return f"{urljoin(self.address, '/')[:-1]}{API}"

    @property
    def key(self) -> str:
        """What lets a person in."""
        return self.address.partition("#token=")[2]

    def shot(self, page: Page, name: str) -> None:
        """Keep a picture of it."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(250)
        page.screenshot(path=SHOTS / f"{self.name}-{name}.png")

    def file(self, path: str) -> Path:
        """A file of a skill."""
        return self.skills / path

    @contextmanager
    def table_away(self) -> Iterator[None]:
        """The table of states does not answer."""
        with table_broken(self.states):
            yield

    @contextmanager
    def shared_away(self) -> Iterator[None]:
        """Where the shared skills were is no folder."""
        away = self.shared.with_name("away")
        self.shared.rename(away)
        self.shared.write_text("This is no folder.")
        try:
            yield
        finally:
            self.shared.unlink()
            away.rename(self.shared)

    @contextmanager
    def hidden(self, page: Page) -> Iterator[None]:
        """A privacy mode is on: a server of one person has none, so that here it is only told of to the page."""
        error = {"code": "hidden", "message": "the privacy mode is on", "fix": "end it"}
        nothing = {"text": "", "included": [], "omitted": [], "bytes": 0, "budget": 8192}
        catalog = {
            "skills": [], "rejected": [], "problems": [], "count": 0, "enablement_available": True,
            "enablement_error": None, "context": nothing, "hidden": error,
        }  # fmt: skip
        page.route(f"**{API}", lambda route: route.fulfill(json=catalog))
        yield
        page.unroute(f"**{API}")


@contextmanager
def served(home: Path, outside: Outside | None = None, *arguments: str) -> Iterator[str]:
    """The address of a server of a home, with its token."""
    where = ("--root", str(home / "skills"), "--shared", str(home / "shared"))
    command = [sys.executable, "-c", PROGRAM, "serve", "--no-browser", *where, *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ(home, outside), cwd=home
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield line.split(" at ")[1].strip()
    finally:
        process.kill()
        process.communicate()


def unlock(page: Page, key: str) -> Locator:
    """Let a person into the Console, where it is locked. Gives what shows all of its tabs."""
    asks, advanced = page.get_by_label("Sovereign API key"), page.locator("#advanced-toggle-btn")
    asks.or_(advanced).filter(visible=True).first.wait_for()
    if asks.is_visible():
        asks.fill(key)
        page.get_by_role("button", name="Unlock").click()
    advanced.wait_for()
    return advanced


@define
class InConsole(Desktop):
    """In the Console of the host, of one of its agents."""

    client: Client = field(kw_only=True)

    @property
    def api(self) -> str:
        """Where its skills are asked for."""
        return f"{self.client.base}/api/agents/{self.client.agent}{API}"

    @property
    def key(self) -> str:
        """What lets a person in."""
        return self.client.key

    def enter(self, page: Page) -> None:
        """Unlock the Console where it is locked, make room where there is little, and choose the panel's tab."""
        advanced = unlock(page, self.client.key)
        tab = page.locator(f".nav-tab[data-panel={PANEL}]")
        tab.wait_for(state="attached")
        if not tab.is_visible():
            advanced.click()
        collapse = page.locator("#collapse-agents-btn")
        if page.evaluate("innerWidth") <= NARROW and collapse.is_visible():
            collapse.click()
        tab.click()
        page.locator(".ksk").wait_for()

    @contextmanager
    def hidden(self, page: Page) -> Iterator[None]:
        """The agent's privacy mode is one that hides what is kept."""
        self.client.privacy("ephemeral")
        try:
            yield
        finally:
            self.client.privacy("normal")


@frozen
class Console:
    """A real host that runs, whose agents' skills can be laid out anew."""

    host: Host

    @property
    def home(self) -> Home:
        """Where it lives."""
        return self.host.home

    def skills_of(self, agent: str) -> Path:
        """The folder of an agent's own skills."""
        return self.home.data_of(agent) / "skills"

    def clear(self) -> None:
        """Take all skills away, by hand; what the store keeps among them stays."""
        for root in (*map(self.skills_of, self.home.agents), self.home.shared):
            for each in root.iterdir() if root.is_dir() else ():
                if each.name.startswith("."):
                    continue
                if each.is_dir() and not each.is_symlink():
                    shutil.rmtree(each)
                else:
                    each.unlink()

    def furnish(self) -> None:
        """Lay out one of everything for the first agent, with what is on."""
        self.clear()
        lay_out(self.skills_of(self.home.agents[0]), self.home.shared)
        catalog = self.host.client.of_agent("GET", API).body
        seen = {each["name"]: each for each in catalog["skills"]}
        for name, priority in {**ON, **SHARED_ON}.items():
            wanted = {"enabled": True, "priority": priority, "pin": None}
            mark = {"If-Match": seen[name]["etag"]}
            answer = self.host.client.of_agent("PATCH", f"{API}/{name}/state", wanted, headers=mark)
            assert answer.status == 200, answer

    def desktop(self, pages: Pages) -> InConsole:
        """The panel of the first agent."""
        return InConsole(
            skills=self.skills_of(self.home.agents[0]),
            shared=self.home.shared,
            states=self.home.database,
            address=f"{self.host.client.base}/",
            pages=pages,
            name="host",
            scope=".ksk",
            client=self.host.client,
        )
