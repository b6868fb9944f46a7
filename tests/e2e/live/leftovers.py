"""What a program on a leash would leave: processes that are told of its folder, and the folder itself."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from .leash import PREFIX, descendants

__all__ = ["folders", "keeper_of", "processes", "running"]


def folders(room: Path) -> list[Path]:
    """The folders that are there."""
    return sorted(room.glob(f"{PREFIX}*"))


def processes(room: Path) -> dict[int, str]:
    """The processes that run and are told of a folder in that room, by their environment or their command lines.

    Of one that has ended, and that nobody has asked for its status, both are empty.
    """
    found = {}
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            words = (each / "cmdline").read_bytes()
            if f"{room}/{PREFIX}".encode() in words + (each / "environ").read_bytes():
                found[int(each.name)] = words.replace(b"\0", b" ").decode()
    return found


def running(processes: list[int]) -> list[int]:
    """Those of some processes that have not ended."""
    return [each for each in processes if _words(each)]


def keeper_of(process: int) -> int:
    """The one child of a process that runs a program on a leash."""
    return descendants(process)[0]


def _words(process: int) -> bytes:
    """A command line; of a process that has ended, nothing."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""
