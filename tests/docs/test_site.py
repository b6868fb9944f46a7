"""The built site: whole, strict, and nothing in it comes from elsewhere. `nox -s docs` has the tools to build it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from urllib.parse import unquote, urlsplit

import pytest
from attrs import define, field

import kestrel_skills_core
from tests.api.surface import PUBLIC

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
LOADS = {**dict.fromkeys(("audio", "iframe", "img", "script", "source", "video"), "src"), "form": "action"}
FOREIGN = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^)"']+""")


@define(slots=False)
class Page(HTMLParser):
    """What a page loads, where it leads, and the places in it."""

    loads: list[str] = field(factory=list)
    links: list[str] = field(factory=list)
    places: set[str] = field(factory=set)

    def __attrs_pre_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one element loads, leads to, and is called."""
        told = {name: value or "" for name, value in attrs}
        self.places |= {told[name] for name in ("id", "name") if name in told}
        if tag == "a" and "href" in told:
            self.links.append(told["href"])
        if tag == "link" and told.get("rel") not in {"canonical", "next", "prev"}:
            self.loads.append(told["href"])
        if LOADS.get(tag, "") in told:
            self.loads.append(told[LOADS[tag]])


@cache
def parsed(path: Path) -> Page:
    """One page of the site."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly."""
    for tool in ("material", "mkdocstrings"):
        pytest.importorskip(tool, reason="what builds the site is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return folder


def pages(site: Path) -> Iterator[Path]:
    """Every page but the one for what is not found, which is the host's to place."""
    yield from (path for path in site.rglob("*.html") if path.name != "404.html")


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No script, style, font or image has another origin, so that nobody learns who reads what."""
    foreign = {(path.name, url) for path in pages(site) for url in parsed(path).loads if urlsplit(url).netloc}
    assert foreign == set()
    assert all(parsed(path).loads for path in pages(site))
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert styles
    assert [found for style in styles for found in FOREIGN.findall(style)] == []


def test_every_link_within_the_site_leads_somewhere(site: Path) -> None:
    """To a page that is there, and a place that is in it; in what was generated too."""
    broken = []
    for path in pages(site):
        for link in parsed(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            place = unquote(parts.fragment)
            is_page = target.suffix == ".html" and target.is_file()
            if not target.is_file() or (place and is_page and place not in parsed(target).places):
                broken.append((path.relative_to(site).as_posix(), link))
    assert broken == []


def test_the_references_have_what_they_are_of(site: Path) -> None:
    """Every route, every tool and every public name has its place."""
    routes = (site / "http-reference" / "index.html").read_text(encoding="utf-8")
    assert len(re.findall(r"<h3[^>]*>(?:GET|POST|PUT|PATCH|DELETE) <code>/", routes)) == 20
    tools = {place for place in parsed(site / "tool-reference" / "index.html").places if place.startswith("skill_")}
    assert len(tools) == 10
    places = {place for path in (site / "reference").rglob("*.html") for place in parsed(path).places}
    public = {f"{name}.{each}" for name in modules() for each in import_module(name).__all__}
    public |= {f"kestrel_skills_core.{name}" for name in kestrel_skills_core.__all__}
    assert public - places == set()


def test_every_public_name_stands_in_one_reference() -> None:
    """The pages of the Python reference tell of each name of the core once."""
    told = [
        name
        for path in sorted((DOCS / "reference").glob("*.md"))
        for name in re.findall(r"^::: kestrel_skills_core\.(\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(told) == sorted(kestrel_skills_core.__all__)


def modules() -> Iterator[str]:
    """The public modules but the core itself; of a package that names nothing, those within."""
    for name in PUBLIC:
        module = import_module(name)
        if hasattr(module, "__all__"):
            yield from () if name == "kestrel_skills_core" else (name,)
        else:
            yield from (f"{name}.{inner.name}" for inner in iter_modules(module.__path__))


def test_every_public_module_stands_in_one_reference() -> None:
    """And none that is not public, so that what the reference shows is what is promised."""
    told = [
        name
        for path in sorted((DOCS / "reference").glob("*.md"))
        for name in re.findall(r"^::: (kestrel_skills_\w+\..+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        if not re.fullmatch(r"kestrel_skills_core\.\w+", name)
    ]
    assert sorted(told) == sorted(modules())


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_to_elsewhere_are_well_formed(path: Path) -> None:
    """Each is an address of https with the name of a host: whether it answers, no test asks the net."""
    links = re.findall(r"\]\((\w+:[^)]*)\)", path.read_text(encoding="utf-8"))
    wrong = [link for link in links if not re.fullmatch(r"https://[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#]\S*)?", link)]
    assert wrong == []
