"""Where a command writes: exact bytes and plain lines to a pipe; tables, colour and escapes on a terminal.

Results go to stdout, everything that is said about them to stderr. Only a terminal ever makes this import rich.

Rule 1: whatever is printed, is printed here, and all of it but the exact bytes that a pipe asked for is escaped here:
        no name, path or message can end its line, drive a terminal, or hide.
Rule 2: results that cannot be written are a failure; what is said about them is lost in silence.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

import click
from attrs import frozen

from kestrel_skills_core.domain.text import escaped, unseen

from .failures import Unwritten

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Coloured", "Screen", "for_terminal", "json_text", "let_go", "writing"]

_GAP: Final = "  "


@frozen
class Coloured:
    """A part of a line that has a colour where there are colours."""

    text: str
    colour: str


@frozen
class Screen:
    """The two streams of one run."""

    out: TextIO
    err: TextIO
    colour: bool
    environ: Mapping[str, str]

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at the results."""
        return self.out.isatty()

    def line(self, *parts: str | Coloured) -> None:
        """One line of the results."""
        with writing():
            self.out.write("".join(map(self._shown, parts)) + "\n")

    def lines(self, text: str) -> None:
        """Some lines of the results, whose line ends and tabs are meant."""
        with writing():
            self.out.write(for_terminal(text) + "\n")

    def note(self, text: str) -> None:
        """One line about the results."""
        with writing():
            self.out.flush()
        self.complain(text)

    def complain(self, text: str) -> None:
        """One line about what went wrong, results or no results."""
        try:
            self.err.write(escaped(text) + "\n")
        except BrokenPipeError:
            raise
        except OSError:
            let_go(self.err)

    def members(self, members: Mapping[str, Any]) -> None:
        """One JSON object, in UTF-8 whatever the locale."""
        self.exact(json_text(members).encode() + b"\n")

    def exact(self, data: bytes) -> None:
        """These bytes and no others."""
        with writing():
            self.out.flush()
            self.out.buffer.write(data)
            self.out.buffer.flush()

    def text(self, data: bytes) -> None:
        """The bytes of a file: exactly, to a pipe; on a terminal so that they cannot drive it."""
        if self.is_terminal:
            shown = for_terminal(data.decode("utf-8", "backslashreplace"))
            with writing():
                self.out.write(shown if shown.endswith("\n") else shown + "\n")
        else:
            self.exact(data)

    def _shown(self, part: str | Coloured) -> str:
        if isinstance(part, str):
            return escaped(part)
        text = escaped(part.text)
        return click.style(text, fg=part.colour) if self.is_terminal and self.colour else text

    def rows(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        styles: Sequence[str],
        spare: Sequence[str] = (),
    ) -> None:
        """A table, the last column cut to the terminal's width; to a pipe aligned lines, whole and without a heading.

        `styles` gives the colour of each row's state, or nothing. To a pipe, no column but the last may hold a space.
        On a terminal on which the last column would be too narrow, `spare` columns are left out, the first first.
        """
        if not rows:
            return
        rows = [[*map(escaped, row)] for row in rows]
        if self.is_terminal:
            self._table(headings, rows, styles, spare)
            return
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.line(_GAP.join(cells).rstrip())

    def _table(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        styles: Sequence[str],
        spare: Sequence[str],
    ) -> None:
        from rich.cells import cell_len
        from rich.table import Table
        from rich.text import Text

        console = self._console()
        columns = dict(zip(headings, zip(*rows, strict=True), strict=True))
        widths = {heading: max(map(cell_len, (heading, *columns[heading]))) for heading in headings[:-1]}
        for heading in spare:
            if console.width - sum(width + len(_GAP) for width in widths.values()) >= _READABLE:
                break
            del widths[heading]
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, len(_GAP), 0, 0), expand=True)
        for heading, width in widths.items():
            table.add_column(heading, no_wrap=True, width=width, justify="right" if heading in _FIGURES else "left")
        table.add_column(headings[-1], no_wrap=True, overflow="ellipsis", ratio=1)
        shown = [*widths, headings[-1]]
        for style, *cells in zip(styles, *(columns[heading] for heading in shown), strict=True):
            told = zip(shown, cells, strict=True)
            table.add_row(*(Text(cell, style=style if heading == _STATE else "") for heading, cell in told))
        with writing():
            console.print(table)

    def _console(self) -> Console:
        from rich.console import Console

        colours: Literal["auto"] | None = "auto" if self.colour else None
        return Console(file=self.out, color_system=colours, highlight=False, _environ=self.environ)


_READABLE: Final = 30
"""Columns that a description needs to be told from another."""
_FIGURES: Final = ("priority", "tokens")
_STATE: Final = "state"


def for_terminal(text: str) -> str:
    """The text with its line ends and tabs, and with everything else that a terminal might obey, or hide, spelt out."""
    return "\n".join("\t".join(map(escaped, line.split("\t"))) for line in text.replace("\r\n", "\n").split("\n"))


def json_text(members: Mapping[str, Any]) -> str:
    """JSON in which everything that cannot be seen is spelt as JSON spells it, so that it reads back as it was."""
    return "\n".join(map(_spelt, json.dumps(members, ensure_ascii=False, indent=2).split("\n")))


def _spelt(line: str) -> str:
    hidden = {found.offset for found in unseen(line)}
    if not hidden:
        return line
    return "".join(json.dumps(char)[1:-1] if at in hidden else char for at, char in enumerate(line))


@contextmanager
def writing() -> Iterator[None]:
    """While results are written, what goes wrong is that they cannot be. That nobody reads them is told as ever.

    Raises:
        Unwritten: The disk is full, or has failed, or there is no stream at all.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Unwritten(error) from error


def let_go(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, instead of failing once more when the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
