"""Which host is installed beside this."""

from __future__ import annotations

from importlib import metadata

__all__ = ["host_version"]


def host_version() -> str | None:
    """The release of the host that is installed beside this, if one is."""
    try:
        return metadata.version("kestrel-sovereign")
    except metadata.PackageNotFoundError:
        return None
