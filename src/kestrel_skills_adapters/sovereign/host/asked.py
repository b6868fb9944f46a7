"""Asking something of the host's that may be missing, or raise."""

from __future__ import annotations

from typing import Any

__all__ = ["asked"]


def asked(holder: object, name: str) -> Any:
    """What something of the host has under a name; nothing where it has none, or raises instead."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - a property of the host may raise what it likes
        return None
