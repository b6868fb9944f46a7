"""The `SKILL.md` of a skill that was written for other readers: where its frontmatter ends, and what that says.

Read leniently, since nothing that is read here is believed: what is made of it is judged like any other text.

Rule 1: YAML is read as parse events, as everywhere here; no alias is expanded, and no object constructed.
Rule 2: what is no YAML is read by its lines, as its author must have meant them: a field begins in the first column.
Rule 3: where several fields of one name differ, nobody can say which is meant, and none is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from attrs import frozen

from .diagnosis import Draft
from .frontmatter import FIELDS, UNREADABLE, events
from .limits import LIMITS
from .provenance import HEAD_BYTES
from .text import folded

if TYPE_CHECKING:
    from ruamel.yaml.events import Event, ScalarEvent

__all__ = ["Entry", "Foreign", "opened"]

_HEAD: Final = re.compile(
    r"(?P<bom>\ufeff*)\s*---[ \t]*(?P<eol>\r?\n)(?P<fields>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_LINE: Final = re.compile(
    r"""^(?P<key>"[^"\n]*"|'[^'\n]*'|[^\s#"'\-?:,\[\]{}&*!|>%@`][^:\n]*?)[ \t]*:(?=\s|\Z)""", re.MULTILINE
)
_NOTHING: Final = ("", "~", "null", "Null", "NULL")


class _NoFields(Exception):
    """A text is YAML, but no list of fields."""


class Entry(NamedTuple):
    """A field as its author wrote it: its name, its value where that is a text, and all of its lines.

    `verbatim` ends with the field's last visible character.
    """

    key: str
    value: str | None
    verbatim: str


@frozen
class Foreign:
    """A `SKILL.md` in two: the head, up to the line end of its closing fence, and the body, each to the byte.

    `eol` is the line end of its opening fence, and `mark` the byte order mark, if there is one.
    """

    head: str
    body: bytes
    mark: str
    eol: str
    entries: tuple[Entry, ...]

    def values(self, field: str) -> Sequence[Entry]:
        """The entries of that name; where there is none, those that are spelt with other capitals."""
        exact = [entry for entry in self.entries if entry.key == field]
        return exact or [entry for entry in self.entries if entry.key.lower() == field]

    def said(self, field: str) -> str | None:
        """The one value of that name; nothing where there is none, or where several differ."""
        values = {None if entry.value is None else folded(entry.value) for entry in self.values(field)}
        return values.pop() if len(values) == 1 else None


def opened(content: bytes) -> Foreign | None:
    """Take a `SKILL.md` apart.

    Nothing where that cannot be done: it is not UTF-8, has no two fences, or too much stands between or before them.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    found = _HEAD.match(text[: HEAD_BYTES + 1])
    if found is None:
        return None
    head, fields = found[0].encode(), found["fields"]
    if len(head) > HEAD_BYTES or len(fields.encode()) > LIMITS.frontmatter_bytes:
        return None
    return Foreign(
        head=found[0],
        body=content[len(head) :],
        mark=found["bom"][:1],
        eol=found["eol"],
        entries=tuple(_entries(UNREADABLE.sub("\ufffd", _LONE_RETURN.sub("\n", fields)))),
    )


def _entries(text: str) -> Iterator[Entry]:
    """The fields of a text that holds nothing that YAML may not see, and is within the cap."""
    entries, end = _by_events(text)
    yield from entries
    # What follows a document that ends too early would be dropped in silence.
    yield from _by_lines(text, end)


def _by_events(text: str) -> tuple[Sequence[Entry], int]:
    """The fields of a mapping, as YAML reads them, and where it ends; none, and the beginning, where there is none."""
    from ruamel.yaml.error import MarkedYAMLError

    found = events(text)
    try:
        return _of_mapping(text, found)
    except (_NoFields, MarkedYAMLError, ValueError, ArithmeticError, AssertionError):
        return (), 0  # see the strict reader for what ruamel lets escape
    finally:
        found.close()


def _of_mapping(text: str, found: Iterator[Event]) -> tuple[Sequence[Entry], int]:
    """The fields of the first document, and where it ends.

    Raises:
        _NoFields: It is no mapping whose fields are named by texts.
    """
    from ruamel.yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent

    if not isinstance(next(islice(found, 2, None), None), MappingStartEvent):
        raise _NoFields
    entries: list[Entry] = []
    texts: dict[str, str | None] = {}
    key = next(found)
    while not isinstance(key, MappingEndEvent):
        if not isinstance(key, ScalarEvent):
            raise _NoFields
        value = _value(found, texts)
        after = next(found)
        verbatim = text[key.start_mark.index : after.start_mark.index].rstrip()
        entries.append(Entry(str(key.value), value, verbatim))
        key = after
    return entries, key.end_mark.index


def _value(found: Iterator[Event], texts: dict[str, str | None]) -> str | None:
    """Read one value whole; gives it where it is a text. `texts` has those that an alias may mean."""
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent

    event = next(found)
    if isinstance(event, AliasEvent):
        return texts.get(event.anchor)
    depth = 0
    while True:
        if isinstance(event, ScalarEvent) and event.anchor is not None:
            texts[event.anchor] = _text(event)
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth == 0:
            return _text(event) if isinstance(event, ScalarEvent) else None
        event = next(found)


def _text(event: ScalarEvent) -> str | None:
    """A scalar's value as it is spelt, whatever type readers take it for; nothing where it says that there is none."""
    plain = event.style in (None, "")
    return None if plain and event.value in _NOTHING else str(event.value)


def _by_lines(text: str, begin: int) -> Iterator[Entry]:
    """The fields that begin in the first column from an offset on, each up to where the next one begins."""
    found = [match for match in _LINE.finditer(text) if match.start() >= begin]
    ends = [*(match.start() for match in found[1:]), len(text)]
    for match, end in zip(found, ends, strict=False):
        key, verbatim = match["key"].strip("\"'"), text[match.start() : end].rstrip()
        yield Entry(key, _meant(text, match.start(), verbatim) if key.lower() in FIELDS else None, verbatim)


def _meant(text: str, at: int, verbatim: str) -> str | None:
    """The value of a field of a text that is no YAML as a whole."""
    alone, _ = _by_events(f"{verbatim}\n")
    if len(alone) == 1:
        return alone[0].value
    entry = Draft(text).entry_at(at)
    return None if entry is None else entry.meant
