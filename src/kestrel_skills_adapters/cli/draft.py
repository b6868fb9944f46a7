"""A text while a person writes it: in a private file of its own, in their editor, and never lost.

Rule: however a command ends, a text that is not where it belongs is in a file that is named, with the command to go on.
      A draft that nobody touched is removed.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

import click
from attrs import frozen

from kestrel_skills_core.domain.limits import LIMITS

from .failures import Ended, Misuse
from .screen import Screen

__all__ = ["STDIN", "Draft", "drafted", "given_text"]

STDIN: Final = "-"
_MOST: Final = LIMITS.file_bytes + 1
"""One byte more than is allowed is enough to be told so."""
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)


@frozen
class Draft:
    """A file in a folder that only its owner can enter; `before` is what it held when it was made."""

    path: str
    before: bytes

    def edited(self, environ: Mapping[str, str]) -> bytes:
        """What the person leaves in it: `$VISUAL` is run, or `$EDITOR`, or `vi`.

        Raises:
            Misuse: The editor cannot be run, or says that it failed.
            KeyboardInterrupt: It was interrupted. What it does not end of is its own: in many it is a key like others.
        """
        editor = environ.get("VISUAL") or environ.get("EDITOR") or "vi"
        with _signals(_pass_by, signal.SIGINT):
            try:
                # Not `run`, which kills the editor when it is itself ended, and with it what was not saved yet.
                ran = subprocess.Popen([*shlex.split(editor), self.path])  # noqa: S603  # it is the person's own
            except (OSError, ValueError):
                fix = "set $EDITOR, or give the text with --from"
                raise Misuse(f"the editor `{editor}` cannot be run", fix) from None
            ended = ran.wait()
        if ended == -signal.SIGINT:
            raise KeyboardInterrupt
        if ended:
            raise Misuse(f"the editor `{editor}` ended with {ended}", "see what it says, or give the text with --from")
        return given_text(self.path)

    def drop(self) -> None:
        """Remove it: its text is where it belongs, or is what was there before."""
        shutil.rmtree(os.path.dirname(self.path), ignore_errors=True)

    @property
    def is_there(self) -> bool:
        """Whether it was not dropped yet."""
        return os.path.lexists(os.path.dirname(self.path))

    @property
    def is_touched(self) -> bool:
        """Whether anything but what it held at first is in its folder: another text, or what an editor keeps of one."""
        try:
            if os.listdir(os.path.dirname(self.path)) != [os.path.basename(self.path)]:
                return True
            return given_text(self.path) != self.before
        except (OSError, Misuse):
            return True


@contextmanager
def drafted(screen: Screen, name: str, content: bytes, go_on: Callable[[str], str]) -> Iterator[Draft]:
    """A new draft of a file of that name, so that an editor knows what it is. Who ends well drops it, or names it.

    Where anything is raised it is dropped if it is untouched, and named if it is not, with the command that `go_on`
    gives for its path; a signal that asks the process to end is raised too, as `Ended`.

    Raises:
        Misuse: It cannot be made.
    """
    draft = _made(name, content)
    with _signals(_end, *_ENDING):
        try:
            yield draft
        except BaseException as error:
            # An editor that goes on when we are ended still needs the file, touched or not.
            if draft.is_there and (draft.is_touched or isinstance(error, Ended)):
                screen.complain(f"your text is in {draft.path}; to go on with it:")
                screen.complain(f"  {go_on(draft.path)}")
            else:
                draft.drop()
            raise


def _made(name: str, content: bytes) -> Draft:
    folder = None
    try:
        folder = tempfile.mkdtemp(prefix="kestrel-skills-")
        draft = Draft(os.path.join(folder, os.path.basename(name)), content)
        with open(draft.path, "xb") as file:
            file.write(content)
    except OSError as error:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        why = os.strerror(error.errno or 0).lower()
        raise Misuse(f"no file for your text can be made: {why}", "set $TMPDIR, or give the text with --from") from None
    return draft


@contextmanager
def _signals(reaction: Callable[[int, FrameType | None], None], *numbers: signal.Signals) -> Iterator[None]:
    """Meanwhile, let this follow on these, but for those that whoever started us ignores, or reacts to beyond Python.

    Only what is ignored is still ignored in a program that is started meanwhile; the rest is as ever there.
    """
    before = {number: signal.getsignal(number) for number in numbers}
    mine = {number: old for number, old in before.items() if old not in (signal.SIG_IGN, None)}
    for number in mine:
        signal.signal(number, reaction)
    try:
        yield
    finally:
        for number, old in mine.items():
            signal.signal(number, old)


def _pass_by(_: int, __: FrameType | None) -> None:
    """The editor gets it too, and decides."""


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise Ended(number)


def given_text(source: str) -> bytes:
    """The bytes of a file, or of stdin for `-`; not much more of them than one file of a skill may hold.

    Raises:
        Misuse: It cannot be read.
    """
    if source == STDIN:
        return sys.stdin.buffer.read(_MOST)
    try:
        with open(source, "rb") as file:
            return file.read(_MOST)
    except OSError as error:
        why = os.strerror(error.errno or 0).lower()
        raise Misuse(
            f"{click.format_filename(source)} cannot be read: {why}", "name a file that you can read, or - for stdin"
        ) from None
