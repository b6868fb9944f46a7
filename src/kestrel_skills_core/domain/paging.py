"""What fits into one result: pages of a text, windows of a list, and members that are cut until they fit.

A host shows a result to a model as the text that `json.dumps` makes of it, and where that is longer than the host
allows (Kestrel Sovereign: 8,000 characters, unless its operator says otherwise), it shows a head and a tail instead,
and the model never sees the middle. It measures what it wrapped: the members of the tool's result, and its own `tool`
and `success` beside them. So everything here is told a *room*, and gives what costs at most that much of it.

Rule 1: what counts is the host's own measure, `cost`. It is ASCII: of a text, most characters cost one, a quote or a
        line end two, others outside ASCII and controls six, and those beyond the basic plane twelve.
Rule 2: a page ends after the last line end, LF or CRLF, that fits. Only where none does, because a line is longer than
        a page, it ends between any two characters, though not within a CRLF. So two pages in a row cost more than one
        room, but for a character, and a text has at most about twice as many pages as it has to have.
Rule 3: nothing is left out in silence. What goes on says where, `next_offset`; what was cut says how long it was.

Whoever builds a result takes `room = allowed - cost(frame)`, the frame being the whole result, wrapped, with `""`, `[]`
and `FIGURE` for what is not known yet. However many parts then share the room, the result is never longer than allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import Any, Final, Generic, TypeVar

from attrs import frozen

from .errors import OutOfRange
from .text import visible

__all__ = ["FIGURE", "Page", "Window", "clipped", "cost", "first_page", "fitted", "page", "window"]

T = TypeVar("T")
V = TypeVar("V")

FIGURE: Final = 9_999_999
"""Stands in a frame for a figure that is not known yet: as wide as any offset or total, and wider than `null`."""

_MORE: Final = "…"
_BETWEEN: Final = len(", ")
_ENDS: Final = len("[]")
"""What a text or a list costs beside what is in it."""


@frozen
class Page:
    """A piece of a text: where it begins, and where the next one does, if there is one; in characters."""

    content: str
    offset: int
    next_offset: int | None
    total_chars: int


@frozen
class Window(Generic[V]):
    """A piece of a list as it is shown: the offset of what comes next, if anything does, and how many there are."""

    items: tuple[V, ...]
    next_offset: int | None
    total: int


def cost(value: object) -> int:
    """How many characters a JSON value has where a host measures it. Linear."""
    return len(json.dumps(value))


def page(text: str, offset: int, room: int) -> Page:
    """The longest piece of a text, from an offset on, that costs at most `room` and ends as rule 2 says.

    The page is empty at the end only. Pages, each from the `next_offset` of the one before, are together the text. Each
    takes the time that its room does, however long the text is.

    Raises:
        OutOfRange: The offset is not in the text, nor its end.
        ValueError: Not even the next character fits; 14 is always enough.
    """
    _refuse_outside(offset, len(text))
    rest = text[offset : offset + room]
    fits = _longest(rest, room)
    if offset + fits < len(text):
        fits = rest.rfind("\n", 0, fits) + 1 or fits - rest.startswith("\r\n", fits - 1)
        if not fits:
            raise ValueError(f"a room of {room} is too small for a character")
    end = offset + fits
    return Page(rest[:fits], offset, end if end < len(text) else None, len(text))


def window(items: Sequence[T], show: Callable[[T], V], *, offset: int, limit: int, room: int) -> Window[V]:
    """As many of the items, from an offset on, as cost at most `room` as a list: at least one, and at most `limit`.

    `show` makes a JSON value of an item, of a cost within `room - 2`; it is asked for those in the window and one more.
    The window is empty at the end only. Windows, each from the `next_offset` of the one before, are together the list.

    Raises:
        OutOfRange: The offset is not in the list, nor its end; or the limit is not positive.
        ValueError: An item alone does not fit.
    """
    _refuse_outside(offset, len(items))
    if limit < 1:
        raise OutOfRange("limit", limit, 1)
    asked = items[offset : offset + limit]
    shown = tuple(_fitting(map(show, asked), room))
    if asked and not shown:
        raise ValueError(f"an item does not fit into a room of {room}")
    end = offset + len(shown)
    return Window(shown, end if end < len(items) else None, len(items))


def first_page(text: str, beside: Iterable[V], room: int) -> tuple[Page, list[V]]:
    """The first page of a text and, in the same room, as many JSON values from the first as may stand beside it.

    These take at most a quarter of the room, or what the whole text leaves if that is more; the text gets the rest.

    Raises:
        ValueError: Not even the first character fits; 19 is always enough.
    """
    shown = _fitting(beside, max(room // 4, room - cost(text)))
    return page(text, 0, room - cost(shown)), shown


def clipped(line: str, room: int) -> str:
    """A line of visible text, cut to cost at most `room`, and then with an ellipsis at its end.

    No half of an emoji stays behind as something hidden. Where not even an ellipsis fits, it is empty.
    """
    if cost(line) <= room:
        return line
    if room < cost(_MORE):
        return ""
    kept = line[: _longest(line, room - cost(_MORE) + _ENDS)]
    return visible(kept).rstrip() + _MORE


def fitted(members: Mapping[str, Any], room: int, *names: str) -> dict[str, Any]:
    """The members of an object, the named ones cut until all cost at most `room`: the first to nothing, then the next.

    A line of text is clipped, and a list loses its end. Beside each that was cut stands, as `NAME_total`, how many
    characters or items it had, also where it was cut before. A name that is not there, or of what would not become
    shorter by it, is passed over.

    Raises:
        ValueError: The others alone do not fit.
    """
    fits = dict(members)
    for name in names:
        if (whole := members.get(name)) and cost(fits) > room:
            total = f"{name}_total"
            emptied = fits | {name: whole[:0], total: members.get(total, len(whole))}
            left = room - cost(emptied) + _ENDS
            if cost(emptied) < cost(fits):
                fits = emptied | {name: clipped(whole, left) if isinstance(whole, str) else _fitting(whole, left)}
    if cost(fits) > room:
        raise ValueError(f"a room of {room} is too small for {', '.join(members)}")
    return fits


def _refuse_outside(offset: int, end: int) -> None:
    if not 0 <= offset <= end:
        raise OutOfRange("offset", offset, 0, end, "begin at 0, and go on at the `next_offset` of each answer")


def _longest(text: str, room: int) -> int:
    """How many of a text's characters, from the first, cost at most `room` as a text."""
    spent = accumulate(map(_cost_within, text), initial=_ENDS)
    return max(sum(1 for _ in takewhile(room.__ge__, spent)) - 1, 0)


@lru_cache(maxsize=4096)
def _cost_within(char: str) -> int:
    """What a character adds to the cost of a text, whatever stands around it."""
    return cost(char) - _ENDS


def _fitting(values: Iterable[V], room: int) -> list[V]:
    """As many of the values, from the first, as cost at most `room` as a list; none where none does."""
    fits: list[V] = []
    left = room - _ENDS
    for value in values:
        left -= cost(value) + (_BETWEEN if fits else 0)
        if left < 0:
            break
        fits.append(value)
    return fits
