"""Tell what the public surface lost since the last release: `nox -s api`.

The exit code is 1 where it lost something that the version in `pyproject.toml` may not take away.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from tests.api.surface import allows, broken, last_release

__all__ = ["compare"]


def compare(repository: Path) -> int:
    """Print it, for a checkout; gives the exit code."""
    version = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    release = last_release(repository, version)
    if release is None:
        print("There is no release to compare with: no tag `vX.Y.Z` leads here.")
        return 0
    try:
        breaks = list(broken(repository, release))
    except ModuleNotFoundError as error:
        print(f"There is no release to compare with: at {release} there is no package {error}.")
        return 0
    may = allows(release, version)
    print(*breaks, sep="\n", end="\n" if breaks else "")
    print(f"{len(breaks)} of what {release} promised changed; {version} {'may' if may else 'may not'} change any.")
    return 1 if breaks and not may else 0


if __name__ == "__main__":
    sys.exit(compare(Path(__file__).parents[2]))
