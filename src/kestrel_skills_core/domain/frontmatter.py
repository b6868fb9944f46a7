"""The two fields of a frontmatter: from YAML text to two raw strings, and every fault on the way.

Rule 1: YAML is only ever read as parse events of one flat mapping; no object is constructed from it.
Rule 2: the caller has capped the text at 8 KiB, and has made sure that it holds no lone carriage return.
Rule 3: reading stops at the first thing that no later text can put right, and at `Limits.findings` findings.

YAML 1.2 (https://yaml.org/spec/1.2.2/): any scalar style, comments, blank lines. The canonical two lines are read by one
regular expression; where it answers, ruamel answers the same (a property proves it). ruamel is imported for the rest only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NoReturn

from attrs import field, frozen, mutable

from . import rules
from .findings import Finding, Rule
from .limits import LIMITS
from .text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.events import Event, ScalarEvent

__all__ = ["FIELDS", "Field", "Frontmatter", "parse"]

FIELDS: Final = ("name", "description")

_VALUE: Final = (
    r'(?:"([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*)"'
    r"|(?!(?i:null|true|false)\n)([A-Za-z][^:#\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]*)(?<![ ]))\n"
)
_CANONICAL: Final = re.compile(f"name: {_VALUE}description: {_VALUE}")
"""Two lines in this order: double-quoted without escapes, or plain, beginning with a letter, without `:` and `#`."""
_INVISIBLE_BREAKS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What YAML does not allow or takes for a line end; none of it may reach ruamel, which folds some of it away."""
_CUT: Final = re.compile(r"[ \t]#")


@frozen
class Field:
    """A field's value as YAML reads it, and where the value begins (line and column of the file, from 1)."""

    value: str
    line: int
    column: int
    source: str = field(default="", eq=False)
    """The value as it is spelt, quotes included; empty where it was read by the fast path."""


@frozen
class Frontmatter:
    """What was read: the fields that are text, and all findings."""

    name: Field | None
    description: Field | None
    findings: tuple[Finding, ...] = ()


def parse(text: str, *, file: str = "SKILL.md", first_line: int = 2) -> Frontmatter:
    """Read the text between the two fences (line ends included) that begins at `first_line` of `file`.

    Never raises for any text within the cap of 8 KiB.
    """
    match = _CANONICAL.fullmatch(text)
    if match is None:
        return _Reading(text, file, first_line).result()
    quoted, plain, quoted2, plain2 = match.groups()
    return Frontmatter(
        Field(plain if quoted is None else quoted, first_line, 7),
        Field(plain2 if quoted2 is None else quoted2, first_line + 1, 14),
    )


class _Stop(Exception):
    """No later text can put right what was found."""


@mutable
class _Reading:
    """One pass over the events of one text."""

    text: str
    file: str
    first_line: int
    fields: dict[str, Field] = field(factory=dict)
    seen: set[str] = field(factory=set)
    findings: list[Finding] = field(factory=list)

    def result(self) -> Frontmatter:
        complete = False
        try:
            self._refuse_characters()
            self._read()
            complete = True
        except _Stop:
            pass
        if complete:
            self._miss_fields()
        findings = tuple(sorted(self.findings, key=lambda found: found.place))
        return Frontmatter(self.fields.get("name"), self.fields.get("description"), findings)

    def _add(self, rule: Rule, message: str, line: int, column: int, advice: str = "") -> None:
        self.findings.append(Finding(rule, self.file, message, line, column, advice))
        if len(self.findings) >= LIMITS.findings:
            raise _Stop

    def _refuse_characters(self) -> None:
        found = _INVISIBLE_BREAKS.search(self.text)
        if found is None:
            return
        before = self.text[: found.start()]
        self._add(
            rules.HIDDEN_CHARACTER,
            f"U+{ord(found.group()):04X} in the frontmatter",
            self.first_line + before.count("\n"),
            found.start() - before.rfind("\n"),
        )
        raise _Stop

    def _miss_fields(self) -> None:
        for name in FIELDS:
            if name not in self.seen:
                self._add(rules.MISSING_FIELD, f"the field `{name}` is missing", 1, 1, f"add a line `{name}: …`")

    def _read(self) -> None:
        from ruamel.yaml.error import MarkedYAMLError, YAMLError

        try:
            events = _events(self.text)
            self._begin(events)
            self._pairs(events)
            self._end(events)
        except MarkedYAMLError as error:
            self._not_yaml(error)
        except (YAMLError, ValueError, LookupError, RecursionError, AttributeError, AssertionError):
            # ruamel lets these escape for some inputs (measured: ValueError, KeyError, RecursionError).
            self._stop(rules.NOT_YAML, "this is not YAML", self.first_line, 1)

    def _stop(self, rule: Rule, message: str, line: int, column: int, advice: str = "") -> NoReturn:
        self._add(rule, message, line, column, advice)
        raise _Stop

    def _at(self, event: Event) -> tuple[int, int]:
        mark = event.start_mark
        return self.first_line + mark.line, mark.column + 1

    def _begin(self, events: Iterator[Event]) -> None:
        from ruamel.yaml.events import DocumentStartEvent, MappingStartEvent, StreamEndEvent

        next(events)
        start = next(events)
        if isinstance(start, StreamEndEvent):
            for name in FIELDS:
                self._add(rules.MISSING_FIELD, f"the field `{name}` is missing", 1, 1, f"add a line `{name}: …`")
            raise _Stop
        assert isinstance(start, DocumentStartEvent)
        if start.version or start.tags:
            self._stop(rules.YAML_FEATURE, "a YAML directive", *self._at(start), "remove the line that begins with %")
        if start.explicit:
            self._stop(rules.SECOND_DOCUMENT, "a second YAML document begins here", *self._at(start))
        root = next(events)
        if not isinstance(root, MappingStartEvent):
            self._stop(rules.NOT_FIELDS, "this is not a list of fields", *self._at(root))
        self._refuse_features(root)

    def _refuse_features(self, event: Event) -> bool:
        """Report an anchor or a tag; say whether there was one."""
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self._add(rules.YAML_FEATURE, f"the anchor &{escaped(anchor)}", *self._at(event))
            return True
        tag = getattr(event, "ctag", None)
        if tag is not None and str(tag):
            self._add(rules.YAML_FEATURE, f"the tag {escaped(str(tag))}", *self._at(event))
            return True
        return False

    def _pairs(self, events: Iterator[Event]) -> None:
        from ruamel.yaml.events import AliasEvent, MappingEndEvent, ScalarEvent

        for key in events:
            if isinstance(key, MappingEndEvent):
                return
            if isinstance(key, AliasEvent):
                self._stop(rules.YAML_FEATURE, f"the alias *{escaped(key.anchor)}", *self._at(key))
            if not isinstance(key, ScalarEvent):
                self._stop(rules.NOT_FIELDS, "a field's name is not text", *self._at(key))
            self._refuse_features(key)
            self._pair(key, next(events), events)

    def _pair(self, key: ScalarEvent, value: Event, events: Iterator[Event]) -> None:
        from ruamel.yaml.events import AliasEvent, ScalarEvent

        name, at = key.value, self._at(key)
        if name not in FIELDS:
            self._add(rules.UNKNOWN_FIELD, f"the field `{escaped(name[:80])}`", *at)
            return self._skip(value, events)
        if name in self.seen:
            self._add(rules.REPEATED_FIELD, f"the field `{name}` is given twice", *at)
            return self._skip(value, events)
        self.seen.add(name)
        if isinstance(value, AliasEvent):
            self._add(rules.YAML_FEATURE, f"the alias *{escaped(value.anchor)}", *self._at(value))
        elif not isinstance(value, ScalarEvent):
            self._add(rules.NESTED_VALUE, f"the value of `{name}` is a list or a mapping", *self._at(value))
            self._skip(value, events)
        elif not self._refuse_features(value):
            self._take(name, value)
        return None

    def _skip(self, value: Event, events: Iterator[Event]) -> None:
        """Pass over a value that is not wanted, however deep; the cap on the text bounds it."""
        from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent

        depth = 0
        event = value
        while True:
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if depth == 0:
                return
            if depth > LIMITS.skill_depth:
                self._stop(rules.NESTED_VALUE, "values nested too deeply", *self._at(event))
            event = next(events)

    def _take(self, name: str, event: ScalarEvent) -> None:
        line, column = self._at(event)
        value: str = event.value
        plain = event.style in (None, "")
        if plain and (kind := _other_type(value)) is not None:
            shown = escaped(value[:80])
            advice = f'write `{name}: "{shown}"`' if value else f"write a value after `{name}:`"
            self._add(rules.NOT_TEXT, f"YAML reads the value of `{name}` as {kind}", line, column, advice)
            return
        if any("\ud800" <= char <= "\udfff" for char in value):
            self._add(rules.HIDDEN_CHARACTER, f"half of a surrogate pair in `{name}`", line, column)
            return
        source = self.text[event.start_mark.index : event.end_mark.index]
        self.fields[name] = Field(value, line, column, source)
        if plain:
            self._warn_of_cut(name, event)

    def _warn_of_cut(self, name: str, event: ScalarEvent) -> None:
        start = event.end_mark.index
        rest = self.text[start : self.text.find("\n", start) + 1 or None]
        if _CUT.match(rest):
            self._add(
                rules.CUT_BY_COMMENT,
                f"YAML takes {escaped(rest.strip()[:40])!r} for a comment: it is not part of `{name}`",
                self.first_line + event.end_mark.line,
                event.end_mark.column + 2,
            )

    def _end(self, events: Iterator[Event]) -> None:
        from ruamel.yaml.events import DocumentEndEvent, StreamEndEvent

        end = next(events)
        if isinstance(end, DocumentEndEvent) and end.explicit:
            self._stop(rules.SECOND_DOCUMENT, "the document ends here", *self._at(end), "remove the line `...`")
        after = next(events)
        if not isinstance(after, StreamEndEvent):
            self._stop(rules.SECOND_DOCUMENT, "a second YAML document begins here", *self._at(after))

    def _not_yaml(self, error: object) -> None:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = self.first_line + (mark.line if mark else 0)
        column = (mark.column if mark else 0) + 1
        problem = str(getattr(error, "problem", None) or "this is not YAML")
        if problem.startswith("mapping values are not allowed"):
            self._bare_colon(mark, line, column)
        else:
            self._add(rules.NOT_YAML, f"this is not YAML: {escaped(problem[:120])}", line, column)
        raise _Stop

    def _bare_colon(self, mark: object, line: int, column: int) -> None:
        lines = self.text.split("\n")
        key, _, value = lines[line - self.first_line].strip().partition(": ")
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        advice = f'write `{key}: "{quoted}"`' if key in FIELDS else ""
        self._add(rules.BARE_COLON, "a colon and a space inside an unquoted value", line, column, advice)


def _events(text: str) -> Iterator[Event]:
    from ruamel.yaml import YAML

    # A new reader for each text: a shared one is not safe across threads (measured).
    events: Iterator[Event] = YAML(typ="safe", pure=True).parse(text)
    return events


def _other_type(plain: str) -> str | None:
    """What YAML 1.2 reads a plain scalar as, if not as text; ruamel's own resolver decides."""
    from ruamel.yaml.nodes import ScalarNode
    from ruamel.yaml.resolver import VersionedResolver

    tag = str(VersionedResolver().resolve(ScalarNode, plain, (True, False)))
    kind = tag.rpartition(":")[2]
    return None if kind == "str" else _KINDS.get(kind, f"a YAML {kind}")


_KINDS: Final = {
    "null": "nothing",
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "timestamp": "a date",
    "merge": "a merge",
    "value": "a default value",
}
