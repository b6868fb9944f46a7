"""The `SKILL.md` of a skill that was written for other readers: where its frontmatter ends, and what that says.

Read leniently, since nothing that is read here is believed: what is made of it is judged like any other text.

Rule 1: YAML is read as parse events, as everywhere here; no alias is expanded, and no object constructed.
Rule 2: what is no YAML is read by its lines, as its author must have meant them: a field begins in the first column.
Rule 3: where several fields of one name differ, nobody can say which is meant, and none is taken.
Rule 4: a value in which something stands that YAML may not see is none: what is read is told as it stands, or not.
Rule 5: of every field it is known which names it holds, however deep, so that no restriction is overlooked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from attrs import frozen

from .diagnosis import Draft
from .frontmatter import FIELDS, UNREADABLE, events, restricts
from .limits import LIMITS
from .provenance import HEAD_BYTES
from .text import folded

if TYPE_CHECKING:
    from ruamel.yaml.events import Event

__all__ = ["Entry", "Foreign", "opened"]

_HEAD: Final = re.compile(
    r"(?P<bom>\ufeff*)\s*---[ \t]*(?P<eol>\r?\n)(?P<fields>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_LINE: Final = re.compile(
    r"""^(?P<key>"[^"\n]*"|'[^'\n]*'|(?:[-?:](?=\S)|[^\s#"'\-?:,\[\]{}&*!|>%@`])[^:\n]*?)[ \t]*:(?=\s|\Z)""",
    re.MULTILINE,
)
_NAMED: Final = re.compile(r"""(?:^:?|[-?{\[,])[ \t]*["']?([A-Za-z][\w \t-]{0,63}?)["']?[ \t]*:""", re.MULTILINE)
"""What looks like the name of a field, wherever one may begin in what is no YAML, a space after its colon or none."""
_NOTHING: Final = ("", "~", "null", "Null", "NULL")


class _NoFields(Exception):
    """A text is YAML, but no list of fields."""


class Entry(NamedTuple):
    """A field as its author wrote it: its name, its value where that is a text, and all of its lines.

    `verbatim` ends with the field's last visible character. `names` are those of the fields in it, however deep, an
    alias read as what it stands for; and, where it is no YAML, whatever looks like one. What belongs to no field has
    no name of its own, and is there only for what it holds.
    """

    key: str
    value: str | None
    verbatim: str
    names: frozenset[str] = frozenset()


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
        entries=tuple(_entries(fields)),
    )


class _Found(NamedTuple):
    """An entry of a text of which every character is in its place, but some of them replaced."""

    key: str
    value: str | None
    start: int
    key_end: int
    end: int
    names: frozenset[str]

    def as_written(self, text: str, *, replaced: bool) -> Entry:
        """The entry, of the text as it was. Where something was replaced, nobody can say where a U+FFFD came from."""
        key, value = self.key, self.value
        if replaced and "\ufffd" in key:
            key = text[self.start : self.key_end]
        if replaced and value is not None and "\ufffd" in value:
            value = None
        return Entry(key, value, text[self.start : self.end].rstrip(), self.names)


def _entries(fields: str) -> Iterator[Entry]:
    """The fields of a text that is within the cap."""
    text, replacements = UNREADABLE.subn("\ufffd", _LONE_RETURN.sub("\n", fields))
    entries, end = _by_events(text)
    # What follows a document that ends too early would be dropped in silence.
    for found in (*entries, *_by_lines(text, end)):
        yield found.as_written(fields, replaced=replacements > 0)


def _by_events(text: str) -> tuple[Sequence[_Found], int]:
    """The fields of a mapping, as YAML reads them, and where it ends; none, and the beginning, where there is none."""
    from ruamel.yaml.error import MarkedYAMLError

    found = events(text)
    try:
        return _of_mapping(found)
    except (_NoFields, MarkedYAMLError, ValueError, ArithmeticError, AssertionError):
        return (), 0  # see the strict reader for what ruamel lets escape
    finally:
        found.close()


def _of_mapping(found: Iterator[Event]) -> tuple[Sequence[_Found], int]:
    """The fields of the first document, and where it ends.

    Raises:
        _NoFields: It is no mapping whose fields are named by texts.
    """
    from ruamel.yaml.events import MappingEndEvent, MappingStartEvent

    if not isinstance(next(islice(found, 2, None), None), MappingStartEvent):
        raise _NoFields
    entries: list[_Found] = []
    values = _Values(found)
    key = next(found)
    while not isinstance(key, MappingEndEvent):
        name = values.name(key)
        if name is None:
            raise _NoFields
        names = {name}
        value = values.value(names)
        after = next(found)
        start, key_end, end = key.start_mark.index, key.end_mark.index, after.start_mark.index
        entries.append(_Found(name, value, start, key_end, end, frozenset(names)))
        key = after
    return entries, key.end_mark.index


class _Values:
    """Reads one node after the other of the events of a text, each whole; keeps the texts that an alias may mean."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._texts: dict[str, str | None] = {}

    def name(self, event: Event) -> str | None:
        """What a field is called whose name is that event; nothing where it is no text."""
        from ruamel.yaml.events import ScalarEvent

        text = self._text(event)
        return str(event.value) if isinstance(event, ScalarEvent) else text

    def value(self, names: set[str]) -> str | None:
        """Read the next node; gives it where it is a text. The names of the fields in it join the others."""
        from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent, MappingStartEvent

        event = next(self._events)
        value = self._text(event)
        turns: list[bool | None] = []  # of each collection that is open: whether a name comes next; nothing in a list
        while True:
            if isinstance(event, CollectionEndEvent):
                turns.pop()
            else:
                if turns and turns[-1] and (name := self.name(event)) is not None:
                    names.add(name)
                if turns and turns[-1] is not None:
                    turns[-1] = not turns[-1]
                if isinstance(event, CollectionStartEvent):
                    turns.append(True if isinstance(event, MappingStartEvent) else None)
            if not turns:
                return value
            event = next(self._events)
            self._text(event)

    def _text(self, event: Event) -> str | None:
        """A text as it is spelt, whatever type readers take it for; nothing where it says that there is none."""
        from ruamel.yaml.events import AliasEvent, ScalarEvent

        if isinstance(event, AliasEvent):
            return self._texts.get(event.anchor)
        if not isinstance(event, ScalarEvent):
            return None
        plain = event.style in (None, "")
        text = None if plain and event.value in _NOTHING else str(event.value)
        if event.anchor is not None:
            self._texts[event.anchor] = text
        return text


def _by_lines(text: str, begin: int) -> Iterator[_Found]:
    """The fields that begin in the first column from an offset on, each up to where the next one begins.

    What stands before them is told too, if it looks as if it restricts.
    """
    found = [match for match in _LINE.finditer(text) if match.start() >= begin]
    starts = [*(match.start() for match in found), len(text)]
    before = _names_in(text[begin : starts[0]])
    if any(map(restricts, before)):
        yield _Found("", None, begin, begin, starts[0], before)
    for match, end in zip(found, starts[1:], strict=True):
        key, verbatim = match["key"].strip("\"'"), text[match.start() : end].rstrip()
        value, names = None, _names_in(verbatim) | {key}
        if key.lower() in FIELDS:
            value, names = _meant(text, match.start(), verbatim)
        yield _Found(key, value, match.start(), match.end("key"), end, names)


def _meant(text: str, at: int, verbatim: str) -> tuple[str | None, frozenset[str]]:
    """The value of a field of a text that is no YAML as a whole, and the names that the field holds."""
    alone, _ = _by_events(f"{verbatim}\n")
    if len(alone) == 1:
        return alone[0].value, alone[0].names
    entry = Draft(text).entry_at(at)
    return None if entry is None else entry.meant, _names_in(verbatim)


def _names_in(text: str) -> frozenset[str]:
    """Whatever looks like the name of a field, in a text that is no YAML."""
    return frozenset(match[1] for match in _NAMED.finditer(text))
