"""The files that a page is made of, read once: what is not among them is not there, whatever a path says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from attrs import frozen
from fastapi import Request
from starlette.responses import Response

__all__ = ["Asset", "Pages", "assets"]

_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""What is served, and as what; the system is not asked, as its answer differs."""

_PANEL: Final = "features/proceduralskillsfeature/static"
"""Where a host has the panel, so that it finds its own parts."""


@frozen
class Asset:
    """One file: its bytes, what they are, and their tag."""

    content: bytes
    kind: str
    tag: str


def assets() -> Mapping[str, Asset]:
    """Every file by its path: the page, and below it the panel as a host has it."""
    package = files(__package__)
    panel = files(__package__.rpartition(".")[0]) / "console" / "static"
    found = dict(_below(package / "page", "")) | dict(_below(panel, f"{_PANEL}/"))
    return found | {"": found["index.html"]}


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, Asset]]:
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        kind = _TYPES.get(f".{entry.name.rpartition('.')[2]}")
        if entry.is_dir():
            yield from _below(entry, f"{path}{entry.name}/")
        elif kind is not None:
            content = entry.read_bytes()
            yield f"{path}{entry.name}", Asset(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


@frozen
class Pages:
    """Answers with one of them, each at its own path."""

    assets: Mapping[str, Asset]

    async def show(self, request: Request) -> Response:
        """One file."""
        asset = self.assets[request.scope["path"].removeprefix("/")]
        headers = {"ETag": asset.tag, "Cache-Control": "no-cache"}
        if request.headers.get("If-None-Match") == asset.tag:
            return Response(status_code=304, headers=headers)
        return Response(asset.content, headers=headers, media_type=asset.kind)
