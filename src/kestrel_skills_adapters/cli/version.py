"""Which release this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

__all__ = ["installed_version"]


def installed_version() -> str:
    """The version of the installed distribution; `0` where the source is run as it lies."""
    try:
        return version("kestrel-feature-skills")
    except PackageNotFoundError:
        return "0"
