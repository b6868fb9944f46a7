"""The panel that people look at their skills in: files for a browser, served by a host or by `kestrel-skills serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["MODULES", "STATIC", "STYLES"]

STATIC: Final = Path(__file__).parent / "static"
MODULES: Final = ("skills.js",)
"""What a page imports, below `STATIC`; the rest follows from that."""
STYLES: Final = ("skills.css",)
