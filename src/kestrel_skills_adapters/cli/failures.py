"""What a failure looks like from outside: an exit code, one line with the fix, and a JSON object."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import Final

import click

from kestrel_skills_core.domain.errors import Failed, Moved, Refused, SkillError, Withheld

__all__ = [
    "BROKEN_PIPE",
    "DONE",
    "FAILED",
    "FOUND",
    "INTERRUPTED",
    "USAGE",
    "Ended",
    "Misuse",
    "Unwritten",
    "error_object",
    "exit_code",
    "one_line",
]

DONE: Final = 0
FOUND: Final = 1
"""Findings, or refused."""
USAGE: Final = 2
MOVED: Final = 3
FAILED: Final = 4
INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as shells count."""
BROKEN_PIPE: Final = 141
"""128 and the number of SIGPIPE: nobody reads any more."""

_BRANCHES: Final[Mapping[type[SkillError], int]] = {Refused: FOUND, Withheld: FOUND, Moved: MOVED, Failed: FAILED}


class Misuse(click.UsageError):
    """A mistake in the command line or the environment, with the way to mend it."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


class Ended(BaseException):
    """A signal asked the process to end; `code` is the exit code, 128 and its number, as shells count."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.code = 128 + signal


class Unwritten(Exception):
    """The results cannot be written: a failure of where they were to go, and not of what was done."""

    code = "unwritten"

    def __init__(self, why: OSError) -> None:
        super().__init__(why)
        number = why.errno or 0
        self.why, self.fix = _STREAM.get(number, (os.strerror(number).lower(), "print elsewhere"))

    def __str__(self) -> str:
        return f"what was printed could not be written: {self.why}"


_STREAM: Final = {
    errno.ENOSPC: ("no space left", "free some space, or print elsewhere"),
    errno.EDQUOT: ("no space left", "free some space, or print elsewhere"),
    errno.EBADF: ("stdout is closed", "leave it open, or send it to /dev/null"),
}


def exit_code(error: SkillError) -> int:
    """The exit code of an error, by its branch."""
    return next(code for branch, code in _BRANCHES.items() if isinstance(error, branch))


def one_line(message: str, fix: str) -> str:
    """An error as one line."""
    return f"error: {message}; fix: {fix}" if fix else f"error: {message}"


def error_object(code: str, message: str, fix: str) -> dict[str, dict[str, str]]:
    """An error as the object that `--json` prints."""
    return {"error": {"code": code, "message": message, "fix": fix}}
