"""Runs a scenario in a process of its own, whose mounts nobody else sees: full, read-only and layered disks, for real.

A scenario is a function at the top of a test module that takes an empty folder and asserts what it has to. If it is to
mount, it runs in a mount namespace of its own; whoever is not the superuser gets one together with a user namespace.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

__all__ = ["Unmounted", "alone", "apart", "bind", "mount", "unmount"]

Scenario = Callable[[Path], None]

_CHECKOUT: Final = Path(__file__).parents[2]
_ANYBODY: Final = ("unshare", "--map-root-user", "--mount")
_SUPERUSER: Final = ("unshare", "--mount")
_SKIPPED: Final = 77


class Unmounted(Exception):
    """Something cannot be mounted here, and so nothing be said about it."""


@cache
def _works(way: tuple[str, ...]) -> bool:
    try:
        return subprocess.run([*way, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def apart(scenario: Scenario, place: Path, *, superuser: bool = False) -> None:
    """Run a scenario where it may mount; skip the test, and say why, where this system does not let it.

    `superuser` is whether it takes the superuser of the whole system.
    """
    ways = [way for way in ([_SUPERUSER] if superuser else [_ANYBODY, _SUPERUSER]) if _works(way)]
    if not ways or (superuser and os.geteuid() != 0):
        pytest.skip(f"`{' '.join(_SUPERUSER if superuser else _ANYBODY)}` is refused to this user, or is not here")
    _run(ways[0], scenario, place)


def alone(scenario: Scenario, place: Path) -> None:
    """Run a scenario in a process that has one thread, so that it may fork."""
    _run((), scenario, place)


def _run(way: tuple[str, ...], scenario: Scenario, place: Path) -> None:
    ran = subprocess.run(
        [*way, sys.executable, "-m", __name__, f"{scenario.__module__}:{scenario.__name__}", place],
        cwd=_CHECKOUT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode == _SKIPPED:
        pytest.skip(ran.stdout.strip())
    assert ran.returncode == 0, ran.stderr


def mount(kind: str, at: Path, options: str) -> None:
    """Mount a file system, or with `remount` among the options, change how it is mounted.

    Raises:
        Unmounted: This system does not let it be.
    """
    at.mkdir(exist_ok=True)
    ran = subprocess.run(["mount", "-t", kind, "-o", options, "tests", at], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise Unmounted(f"{kind} with {options} cannot be mounted: {ran.stderr.strip()}")


def bind(source: Path, at: Path) -> None:
    """Let a folder be seen in another place, or over itself.

    Raises:
        Unmounted: This system does not let it be.
    """
    ran = subprocess.run(["mount", "--bind", source, at], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise Unmounted(f"no folder can be bound: {ran.stderr.strip()}")


def unmount(at: Path) -> None:
    """Take a mounted file system away, with all that is on it if it is one in memory."""
    subprocess.run(["umount", at], check=True)


def _main() -> int:
    (module, _, name), place = sys.argv[1].partition(":"), Path(sys.argv[2])
    try:
        getattr(import_module(module), name)(place)
    except Unmounted as why:
        sys.stdout.write(str(why))
        return _SKIPPED
    return 0


if __name__ == "__main__":
    # As `python -m` runs it, this module is another than the one that scenarios import `Unmounted` from.
    sys.exit(import_module("tests.hostile.apart")._main())
