"""Console examples of a document: what a person types after `$ `, and what the terminal then shows.

A block runs in one bash, from the folder and with the variables that `Console` was given. Lines that begin with `>`
continue a command. Below a command stands what it prints on both outputs; `...` stands for any text, over lines too,
but is never all that is shown: a failure would fit as well. Empty lines at the end of an output do not count, since
one in a block may be there to set two commands apart.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from doctest import ELLIPSIS, OutputChecker
from doctest import Example as Comparison
from pathlib import Path

from attrs import field, frozen
from sybil import Example

__all__ = ["Console", "commands"]

_END = "@@ the end of a command @@"


@frozen
class Console:
    """Evaluates `console` blocks for Sybil."""

    folder: Path
    variables: Mapping[str, str]
    shell: str = "bash"
    timeout: float = field(default=60, kw_only=True)

    def __call__(self, example: Example) -> str | None:
        """What differs from what the example shows; nothing where it is the same."""
        typed, shown = zip(*commands(example.parsed), strict=True)
        # The exit code of a command is still there for an `echo $?` that follows it.
        script = "".join(f"{command}\n_code=$?; echo; echo '{_END}'; (exit $_code)\n" for command in typed)
        ran = subprocess.run(
            [self.shell, "-c", script],
            stdin=subprocess.DEVNULL,
            cwd=self.folder,
            env=dict(self.variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=self.timeout,
            check=False,
        )
        printed = ran.stdout.split(f"\n{_END}\n")
        if len(printed) <= len(typed):
            return f"the shell ended with:\n{ran.stdout}"
        return next(filter(None, map(_differs, typed, shown, printed)), None)


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, with the output that is shown below it."""
    if not block.startswith("$ "):
        raise ValueError("a console block begins with `$ ` and a command")
    for part in f"\n{block}".split("\n$ ")[1:]:
        typed, _, shown = part.partition("\n")
        while shown.startswith((">\n", "> ")):
            more, _, shown = shown.partition("\n")
            typed = f"{typed}\n{more[2:]}"
        if shown.strip() == "...":
            raise ValueError(f"the example shows nothing of what `{typed}` prints")
        yield typed, shown


def _differs(typed: str, shown: str, printed: str) -> str:
    expected, got = (f"{text.rstrip()}\n" if text.strip() else "" for text in (shown, printed))
    if OutputChecker().check_output(expected, got, ELLIPSIS):
        return ""
    return f"$ {typed}\n{OutputChecker().output_difference(Comparison(typed, expected), got, ELLIPSIS)}"
