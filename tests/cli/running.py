"""Runs one command line in this process, as a pipe or a terminal would see it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

from attrs import frozen

from kestrel_skills_adapters.cli.main import main
from kestrel_skills_adapters.cli.session import Connect

__all__ = ["Ran", "Stream", "run", "skill"]


class Stream(TextIOWrapper):
    """A stream like the standard ones, over bytes that are kept; a terminal if so told."""

    def __init__(self, *, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__(BytesIO(), encoding, write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._terminal

    @property
    def written(self) -> bytes:
        """Everything that was written so far."""
        self.flush()
        kept = self.buffer
        assert isinstance(kept, BytesIO)
        return kept.getvalue()


@frozen
class Ran:
    """How a command line ended, and what it wrote."""

    code: int
    written: bytes
    said: str

    @property
    def out(self) -> str:
        """What was written to stdout."""
        return self.written.decode()

    @property
    def lines(self) -> list[str]:
        """The lines of stdout."""
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        """The JSON that stdout holds."""
        return json.loads(self.written)


def run(
    *arguments: str | Path,
    environ: Mapping[str, str] | None = None,
    terminal: bool = False,
    encoding: str = "utf-8",
    connect: Connect | None = None,
) -> Ran:
    """Run `kestrel-skills` with these arguments, and with nothing in the environment but what is given.

    `connect` is how git is reached, if not as usual.
    """
    out, err = Stream(terminal=terminal, encoding=encoding), Stream(terminal=terminal)
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments], environ or {}, connect)
    return Ran(code, out.written, err.written.decode())


def skill(root: Path, name: str, description: str = "Use when it is time.", body: str = "Do it.\n") -> Path:
    """Write a small skill into a root; gives its folder."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}", encoding="utf-8")
    return folder
