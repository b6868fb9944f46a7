"""Where a command writes: exact bytes and plain lines to a pipe; tables, colour and escapes on a terminal.

Results go to stdout, everything that is said about them to stderr. Only a terminal ever makes this import rich.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

import click
from attrs import frozen

from kestrel_skills_core.domain.text import escaped

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Screen", "for_terminal"]

_GAP: Final = "  "


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

    def line(self, text: str = "") -> None:
        """One line of the results."""
        self.out.write(text + "\n")

    def note(self, text: str) -> None:
        """One line about the results."""
        self.out.flush()
        self.err.write(text + "\n")

    def members(self, members: Mapping[str, Any]) -> None:
        """One JSON object, in UTF-8 whatever the locale."""
        self.exact(json.dumps(members, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n")

    def exact(self, data: bytes) -> None:
        """These bytes and no others."""
        self.out.flush()
        self.out.buffer.write(data)
        self.out.buffer.flush()

    def text(self, data: bytes) -> None:
        """The bytes of a file: exactly, to a pipe; on a terminal so that they cannot drive it."""
        if self.is_terminal:
            shown = for_terminal(data.decode("utf-8", "backslashreplace"))
            self.out.write(shown if shown.endswith("\n") else shown + "\n")
        else:
            self.exact(data)

    def styled(self, text: str, style: str) -> str:
        """The text in a colour, where there is colour."""
        return click.style(text, fg=style) if self.is_terminal and self.colour else text

    def rows(self, headings: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[str]) -> None:
        """A table, the last column cut to the terminal's width; to a pipe aligned lines, whole and without a heading.

        `styles` gives the colour of each row's state, or nothing. To a pipe, no column but the last may hold a space.
        """
        if not rows:
            return
        if self.is_terminal:
            self._table(headings, rows, styles)
            return
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.line(_GAP.join(cells).rstrip())

    def _table(self, headings: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[str]) -> None:
        from rich.cells import cell_len
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0), expand=True)
        for heading, column in zip(headings[:-1], zip(*rows, strict=True), strict=False):
            width = max(map(cell_len, (heading, *column)))
            table.add_column(heading, no_wrap=True, width=width, justify="right" if heading in _FIGURES else "left")
        table.add_column(headings[-1], no_wrap=True, overflow="ellipsis", ratio=1)
        for row, style in zip(rows, styles, strict=True):
            told = zip(headings, row, strict=True)
            table.add_row(*(Text(cell, style=style if heading == _STATE else "") for heading, cell in told))
        self._console().print(table)

    def _console(self) -> Console:
        from rich.console import Console

        colours: Literal["auto"] | None = "auto" if self.colour else None
        return Console(file=self.out, color_system=colours, highlight=False, _environ=self.environ)


_FIGURES: Final = ("priority", "tokens")
_STATE: Final = "state"


def for_terminal(text: str) -> str:
    """The text with its line ends and tabs, and with everything else that a terminal might obey, or hide, spelt out."""
    return "\n".join("\t".join(map(escaped, line.split("\t"))) for line in text.replace("\r\n", "\n").split("\n"))
