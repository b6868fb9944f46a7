"""What a Console is to a browser, and its host to whoever asks it, to the byte; and in what two of them differ."""

from __future__ import annotations

import json
import sys
import sysconfig
import venv
from collections.abc import Iterable, Mapping
from difflib import unified_diff
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from tests.e2e.places import API, PANEL, unlock
from tests.host.client import Client, until

if TYPE_CHECKING:
    from playwright.sync_api import Page, Response

__all__ = ["ASSETS", "Visit", "bare", "differences", "visit"]

Visit = Mapping[str, list[str]]
"""Each side of it that was looked at, in lines."""

ASSETS: Final = "/features/proceduralskillsfeature/static"
_FILES: Final = frozenset({"document", "script", "stylesheet", "image", "font"})
_STILL: Final = 400
"""Milliseconds in which nothing moves."""
_WITHOUT_OURS: Final = f"""() => {{
    const copy = document.documentElement.cloneNode(true);
    const ours = ["[data-panel={PANEL}]", "#panel-{PANEL}", "[data-feature=ProceduralSkillsFeature]",
                  "link[href*='{ASSETS}']"];
    copy.querySelectorAll(ours.join()).forEach(each => each.remove());
    return copy.outerHTML;
}}"""


def bare(folder: Path) -> Path:
    """The Python of an environment that is this one, but that this package was never installed there."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    here = Path(sysconfig.get_path("purelib"))
    (there,) = folder.glob("lib/*/site-packages")
    ours = {file.parts[0] for file in metadata.distribution("kestrel-feature-skills").files or ()}
    for each in here.iterdir():
        if each.name not in ours:
            (there / each.name).symlink_to(each)
    return folder / "bin" / Path(sys.executable).name


def visit(page: Page, client: Client) -> Visit:
    """Go once through all tabs of the Console but ours, and read what its host tells of itself."""
    requests: set[str] = set()
    files: set[str] = set()
    said: list[str] = []

    def came(response: Response) -> None:
        where = urlsplit(response.url)
        requests.add(f"{response.request.method} {where.netloc}{where.path} {response.status}")
        if response.request.resource_type in _FILES:
            files.add(f"{where.path} {sha256(response.body()).hexdigest()}")

    page.on("response", came)
    page.on("requestfailed", lambda request: requests.add(f"{request.method} {request.url} {request.failure}"))
    page.on("console", lambda told: said.append(f"{told.type}: {told.text}"))
    page.goto(f"{client.base}/")
    unlock(page, client.key).click()
    _settle(page)
    tabs = [str(each.get_attribute("data-panel")) for each in page.locator(".nav-tab:visible").all()]
    panels = {}
    for tab in tabs:
        if tab != PANEL:
            page.locator(f".nav-tab[data-panel={tab}]").click()
            panels[f"the panel {tab}"] = _settle(page).replace("><", ">\n<").splitlines()
    return {
        "the tabs": tabs,
        **panels,
        "the requests": sorted(requests),
        "the files": sorted(files),
        "the messages": sorted(said),
        "what is ours": [_status(page, client, API), _status(page, client, f"{ASSETS}/skills.js")],
        **_told(client),
    }


def _status(page: Page, client: Client, path: str) -> str:
    where = f"{client.base}/api/agents/{client.agent}{path}"
    return str(page.request.get(where, headers={"X-API-Key": client.key}).status)


def _settle(page: Page) -> str:
    """What the page is without what is ours, once it has loaded all and stands still."""
    page.wait_for_load_state("networkidle")

    def stands() -> str | None:
        before = page.evaluate(_WITHOUT_OURS)
        page.wait_for_timeout(_STILL)
        return before if page.evaluate(_WITHOUT_OURS) == before else None

    return str(until(stands))


def _told(client: Client) -> dict[str, list[str]]:
    """What the host tells of its routes, and of the agent's features, tools and commands."""
    document = client.request("GET", "/openapi.json").body
    agent = ("/api/features", "/api/skills", "/api/security/permissions/tree", "/api/ui/contributions")
    commands = client.of_agent("GET", "/api/commands").body
    return {
        "the routes": sorted(f"{method} {path}" for path, of in document["paths"].items() for method in of),
        "the document of the routes": _lines(document),
        "the commands": sorted(map(json.dumps, commands["commands"])),
        **{f"what {path} says": _lines(client.of_agent("GET", path).body) for path in agent},
    }


def _lines(told: Any) -> list[str]:
    return json.dumps(told, indent=1, sort_keys=True).splitlines()


def differences(one: Visit, other: Visit, sides: Iterable[str] = ()) -> dict[str, list[str]]:
    """Where two visits differ, or some sides of them; of each side, the first lines that one has and the other not."""
    found = {}
    for side in sides or sorted({*one, *other}):
        changed = list(unified_diff(one.get(side, []), other.get(side, []), n=0, lineterm=""))[2:]
        if lines := [line for line in changed if not line.startswith("@@")]:
            found[side] = lines[:40]
    return found
