"""A text while a person writes it: in a private file of its own, in their editor, and never lost."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Final

import click
from attrs import frozen

from kestrel_skills_core.domain.limits import LIMITS

from .failures import Misuse

__all__ = ["STDIN", "Draft", "given_text"]

STDIN: Final = "-"
_MOST: Final = LIMITS.file_bytes + 1
"""One byte more than is allowed is enough to be told so."""


@frozen
class Draft:
    """A file in a folder that only its owner can enter. It stays until it is dropped."""

    path: str

    @classmethod
    def of(cls, name: str, content: bytes) -> Draft:
        """A new one, of a file of that name, so that an editor knows what it is."""
        path = os.path.join(tempfile.mkdtemp(prefix="kestrel-skills-"), os.path.basename(name))
        with open(path, "xb") as file:
            file.write(content)
        return cls(path)

    def edited(self, environ: Mapping[str, str]) -> bytes:
        """What the person leaves in it: `$VISUAL` is run, or `$EDITOR`, or `vi`.

        Raises:
            Misuse: The editor cannot be run, or says that it failed.
        """
        editor = environ.get("VISUAL") or environ.get("EDITOR") or "vi"
        try:
            ran = subprocess.run([*shlex.split(editor), self.path], check=False)  # noqa: S603  # it is the person's own
        except (OSError, ValueError):
            raise Misuse(f"the editor `{editor}` cannot be run", "set $EDITOR, or give the text with --from") from None
        if ran.returncode:
            raise Misuse(
                f"the editor `{editor}` ended with {ran.returncode}, and nothing was changed",
                f"go on with the text in {self.path}, and give it with --from",
            )
        return given_text(self.path)

    def drop(self) -> None:
        """Remove it: its text is where it belongs, or is what was there before."""
        shutil.rmtree(os.path.dirname(self.path), ignore_errors=True)


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
