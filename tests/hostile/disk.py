"""A disk on which something happens between two calls, and what is left open afterwards."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from kestrel_skills_adapters.contracts.roots import document
from tests.contracts.files import Later
from tests.watched import is_of_a_watch

__all__ = [
    "CALLS",
    "WRITING",
    "Meddling",
    "Swift",
    "crowd",
    "failing",
    "failing_once",
    "once",
    "open_descriptors",
    "skill",
]

_READING: Final = frozenset({"open", "listed", "read", "piece", "stat", "fstat", "stamps", "is_idle"})
WRITING: Final = frozenset(
    {"make_folder", "remove_folder", "create", "append", "set_mode", "set_owner", "sync", "sync_disk", "link", "rename"}
    | {"move", "exchange", "unlink", "locked"}
)
"""The calls that change the disk, or wait for it, or for others."""
CALLS: Final = _READING | WRITING
"""The calls that touch the disk."""
_NAMES: Final = 10_000
"""By how many names one file is known at most: on macOS it may be 32,767."""


class Swift(Later):
    """A disk that is not waited for; for tests in which the power stays on."""

    def sync(self, fd: int) -> None:
        """Do nothing."""

    def sync_disk(self, fd: int) -> None:
        """Do nothing."""


class Meddling(Swift):
    """Tells `act` of every call before it is made, by its name and arguments; what `act` raises, the call raises."""

    def __init__(self, act: Callable[..., None]) -> None:
        self.act = act

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in CALLS:
            return found
        act = super().__getattribute__("act")

        def call(*arguments: Any, **named: Any) -> Any:
            act(name, *arguments)
            return found(*arguments, **named)

        return call


def failing(call: str, name: str | None = None, number: int = errno.EACCES) -> Meddling:
    """A disk that refuses one kind of call, for entries of that name or for all."""

    def act(called: str, *arguments: Any) -> None:
        if called == call and name in (None, arguments[0]):
            raise OSError(number, os.strerror(number))

    return Meddling(act)


def failing_once(call: str, name: str, number: int = errno.EIO) -> Meddling:
    """A disk that refuses the first call of that kind for that name, and no other."""

    def fail() -> None:
        raise OSError(number, os.strerror(number))

    return once(call, name, fail)


def once(call: str, name: str, change: Callable[[], object]) -> Meddling:
    """A disk that changes before the first call of that kind for that name."""
    left = [change]

    def act(called: str, *arguments: Any) -> None:
        if called == call and arguments[0] == name and left:
            left.pop()()

    return Meddling(act)


def crowd(folder: Path, names: Iterable[str]) -> None:
    """Put few empty files there by all these names, which takes a fraction of the time of as many files."""
    at = os.open(folder, os.O_RDONLY)
    first = ""
    for number, name in enumerate(names):
        if number % _NAMES:
            os.link(first, name, src_dir_fd=at, dst_dir_fd=at)
        else:
            first = name
            (folder / first).touch()
    os.close(at)


def open_descriptors() -> int:
    """How many files this process holds open, but for those of watches, which close some time after."""
    return sum(not is_of_a_watch(fd) and _is_open(fd) for fd in map(int, os.listdir("/dev/fd")))  # noqa: PTH208


def _is_open(fd: int) -> bool:
    """Whether it is; that by which all were listed is not any more."""
    with suppress(OSError):
        os.fstat(fd)
        return True
    return False


def skill(root: Path, name: str) -> Path:
    """A good skill of one file."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(document(name))
    return folder
