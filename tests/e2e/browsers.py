"""The browser that these tests use, wherever it is, and how it is started."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["CHROMIUM", "FLAGS"]

CHROMIUM: Final = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP *.example 127.0.0.1",
)
