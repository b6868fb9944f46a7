"""The two fields of a frontmatter: from YAML text to two raw strings, and every fault on the way.

Rule 1: YAML is only ever read as parse events of one flat mapping; no object is constructed from it.
Rule 2: the caller has capped the text at 8 KiB, and has made sure that it holds no lone carriage return.
Rule 3: reading stops at the first thing that no later text can put right, and beyond `Limits.findings` findings.

YAML 1.2 (https://yaml.org/spec/1.2.2/): any scalar style, comments, blank lines. Two canonical lines are read by
`domain.canonical`; ruamel is imported for the rest only. What it refuses or reads otherwise than YAML 1.2, tabs and
numbers, is put right here.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from attrs import evolve, field, frozen, mutable

from . import rules
from .canonical import canonical, order_of, values_of
from .diagnosis import Draft
from .findings import Finding, Rule
from .limits import LIMITS
from .text import escaped

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.events import Event, ScalarEvent
    from ruamel.yaml.scanner import Scanner
    from ruamel.yaml.tokens import Token

__all__ = ["FIELDS", "UNREADABLE", "Field", "Frontmatter", "events", "parse", "restricts"]

FIELDS: Final = ("name", "description")

UNREADABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""What YAML does not allow or takes for a line end; none of it may reach ruamel, which folds some of it away."""
_DIRECTIVE: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*%")
_UNKNOWN: Final = re.compile(r"\\U|^%", re.MULTILINE)
_APART: Final = re.compile(r"(?<=\S)[ \t]+|^[ \t]+(?=\r?$)", re.MULTILINE)
"""White space that indents nothing: YAML 1.2 (6.1, 6.2) allows tabs there, and ruamel does not."""
_CUT: Final = re.compile(r"[ \t]+#")
_FLOW_DEPTH: Final = 8
_SKIPPED_EVENTS: Final = 256
_APART_IN_NAMES: Final = re.compile("[^a-z0-9]+")
_RESTRICTION: Final = re.compile(
    "(?:dis)?allow(?:ed)?|den(?:y|ied)|forbid(?:den)?|restrict(?:ed|ions?)?"
    "|(?:(?:(?:dis)?allow(?:ed)?|den(?:y|ied)|block(?:ed)?|exclu(?:de[ds]?|sive)|forbid(?:den)?|restrict(?:ed)?"
    "|available|enabled?|disabled?|required?|permitted)(?:mcp|bash|shell)?)?tools?"
    "|(?:(?:dis)?allow(?:ed)?|den(?:y|ied)|block(?:ed)?|forbid(?:den)?|restrict(?:ed)?)"
    "(?:commands?|domains?|hosts?|paths?|files?|directories|urls?|agents?|models?|skills?)"
    "|(?:disable|allow)(?:model|implicit|auto|user)?invocation|(?:disable|allow)autoinvo(?:ke|cation)"
    "|(?:user|model)invo[ck]able"
    "|permissions?(?:mode)?|sandbox(?:ed|mode|policy)?|read(?:ing)?only"
    "|approval(?:mode|policy)?|(?:requires?|needs)(?:human|user)?(?:approval|confirmation)"
    "|network(?:access)?|hooks?|context|paths|globs?|applyto|alwaysapply"
)
"""Names by which readers take something away from the model, or say when it may act; of lower-case letters and digits
alone. To ignore such a field would be to drop a restriction.

Of Agent Skills, Claude Code's skills and agents, Copilot's instructions, Cursor's rules, and what resembles them.
"""


class Field(NamedTuple):
    """A field's value as YAML reads it; its line and column in the file, from 1; and where the text spells it.

    A tuple, because a survey makes eight thousand of them.
    """

    value: str
    line: int
    column: int
    start: int
    end: int


@frozen
class Frontmatter:
    """What was read: the fields that are text, and all findings in reading order."""

    name: Field | None
    description: Field | None
    findings: tuple[Finding, ...] = ()


def parse(text: str, *, file: str = "SKILL.md", first_line: int = 2, folder: str = "") -> Frontmatter:
    """Read the text between the two fences (line ends included) that begins at `first_line` of `file`.

    `folder` is the name that the skill ought to have, for the advice. At most one finding more than `Limits.findings`
    is made. Never raises for any text within the cap of 8 KiB.
    """
    match = canonical(text)
    if match is None or match.end() < len(text):
        return _Reading(Draft(text, folder), file, first_line).result()
    (name, description), values = order_of(match), values_of(match)
    return Frontmatter(
        Field(values[0], first_line + (name == "second"), 7, *match.span(name)),
        Field(values[1], first_line + (description == "second"), 14, *match.span(description)),
    )


def restricts(field: str) -> bool:
    """Whether other readers take a field of that name for a restriction, however it is spelt."""
    return _RESTRICTION.fullmatch(_APART_IN_NAMES.sub("", field.casefold())) is not None


class _Stop(Exception):
    """No later text can put right what was found."""


@mutable
class _Reading:
    """One pass over the events of one text."""

    draft: Draft
    file: str
    first_line: int
    fields: dict[str, Field] = field(factory=dict)
    seen: set[str] = field(factory=set)
    meant: set[str] = field(factory=set)
    findings: list[Finding] = field(factory=list)

    def result(self) -> Frontmatter:
        try:
            self._refuse_characters()
            self._read()
            self._miss_fields()
        except _Stop:
            pass
        findings = tuple(sorted(self.findings, key=lambda found: found.place))
        return Frontmatter(self.fields.get("name"), self.fields.get("description"), findings)

    def _add(self, rule: Rule, message: str, line: int, column: int, advice: str = "") -> None:
        self.findings.append(Finding(rule, self.file, message, line, column, advice))
        if len(self.findings) > LIMITS.findings:
            raise _Stop

    def _stop(self, rule: Rule, message: str, line: int, column: int, advice: str = "") -> NoReturn:
        self._add(rule, message, line, column, advice)
        raise _Stop

    def _place(self, offset: int) -> tuple[int, int]:
        text = self.draft.text
        return self.first_line + text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset)

    def _at(self, event: Event) -> tuple[int, int]:
        mark = event.start_mark
        return self.first_line + mark.line, mark.column + 1

    def _refuse_characters(self) -> None:
        """Report what YAML may not see, each once, and read on as if something visible stood there."""
        for char, offset in _first_places(UNREADABLE, self.draft.text):
            rule = rules.CONTROL_CHARACTER if char < " " else rules.HIDDEN_CHARACTER
            self._add(rule, f"U+{ord(char):04X} in the frontmatter", *self._place(offset))
        if self.findings:
            self.draft = evolve(self.draft, text=UNREADABLE.sub("\ufffd", self.draft.text))

    def _miss_fields(self) -> None:
        for name in FIELDS:
            if name not in self.seen | self.meant:
                value = self.draft.name or "…" if name == "name" else "Use when …"
                advice = f'add the line `{name}: "{value}"`'
                self._add(rules.MISSING_FIELD, f"the field `{name}` is missing", self.first_line - 1, 1, advice)

    def _read(self) -> None:
        from ruamel.yaml.error import MarkedYAMLError

        text = self.draft.text
        if directive := _DIRECTIVE.match(text):
            advice = "remove the line that begins with %"
            self._stop(rules.YAML_FEATURE, "a YAML directive", *self._place(directive.end() - 1), advice)
        found = events(text)
        try:
            if self._begin(found):
                self._pairs(found)
                self._end(found)
        except MarkedYAMLError as error:
            self._not_yaml(error)
        except (ValueError, ArithmeticError, AssertionError):
            # ruamel lets these escape for characters beyond U+10FFFF, and for versions of YAML that it does not know.
            spot = _UNKNOWN.search(text)
            message = "an escape or a directive that YAML does not know"
            self._stop(rules.NOT_YAML, message, *self._place(spot.start() if spot else 0))
        finally:
            found.close()  # else its own end is run when it is freed, where an interrupt would be lost

    def _begin(self, events: Iterator[Event]) -> bool:
        """Read up to the first field; say whether there is any text at all."""
        from ruamel.yaml.events import DocumentStartEvent, MappingStartEvent

        next(events)
        start = next(events)
        if not isinstance(start, DocumentStartEvent):
            return False
        if start.explicit:
            self._second_document(start)
        root = next(events)
        if not isinstance(root, MappingStartEvent):
            self._no_fields(root)
        self._refuse_features(root)
        return True

    def _no_fields(self, root: Event) -> NoReturn:
        found = self.draft.unspaced(root.start_mark.index)
        if found is None:
            self._stop(rules.NOT_FIELDS, "this is not a list of fields", *self._at(root))
        self._stop(found.rule, found.message, *self._place(found.at), found.advice)

    def _second_document(self, start: Event) -> NoReturn:
        advice = "remove the line, or what follows the three hyphens if they are meant to end the frontmatter"
        self._stop(rules.SECOND_DOCUMENT, "a YAML document begins here", *self._at(start), advice)

    def _refuse_features(self, event: Event) -> bool:
        """Report an alias, anchor or tag; say whether there was one."""
        from ruamel.yaml.events import AliasEvent

        if isinstance(event, AliasEvent):
            what = "alias"
        elif getattr(event, "anchor", None) is not None:
            what = "anchor"
        elif (tag := getattr(event, "ctag", None)) is not None and str(tag):
            what = "tag"
        else:
            return False
        at = event.start_mark.index
        spelt = escaped(self.draft.text[at:].split(maxsplit=1)[0][:40])
        self._add(rules.YAML_FEATURE, f"the {what} `{spelt}`", *self._at(event), self.draft.mended_at(at))
        return True

    def _pairs(self, events: Iterator[Event]) -> None:
        from ruamel.yaml.events import MappingEndEvent, ScalarEvent

        for key in events:
            if isinstance(key, MappingEndEvent):
                return
            self._refuse_features(key)
            if not isinstance(key, ScalarEvent):
                self._stop(rules.NOT_FIELDS, "a field's name is not text", *self._at(key))
            if key.value not in FIELDS:
                self._refuse_field(key)
                self._skip(next(events), events)
            elif key.value in self.seen:
                self._add(rules.REPEATED_FIELD, f"the field `{key.value}` is given twice", *self._at(key))
                self._skip(next(events), events)
            else:
                self.seen.add(key.value)
                self._value(key, next(events), events)

    def _refuse_field(self, key: ScalarEvent) -> None:
        if (found := self.draft.unspaced(key.start_mark.index)) is not None:
            self.meant.add(key.value.partition(":")[0])
            self._add(found.rule, found.message, *self._place(found.at), found.advice)
            return
        shown, meant = escaped(key.value[:80]), key.value.lower()
        advice = ""
        if meant in FIELDS and not self.draft.holds(meant):
            self.meant.add(meant)
            advice = f"spell it `{meant}`"
        elif restricts(key.value):
            advice = "remove the field: nothing here enforces it; say in the body what the procedure may use"
        self._add(rules.UNKNOWN_FIELD, f"the field `{shown}`", *self._at(key), advice)

    def _value(self, key: ScalarEvent, value: Event, events: Iterator[Event]) -> None:
        from ruamel.yaml.events import AliasEvent, ScalarEvent

        if self._refuse_features(value):
            if not isinstance(value, AliasEvent):
                self._skip(value, events)
        elif isinstance(value, ScalarEvent):
            self._take(key, value)
        else:
            advice = self.draft.mended_at(value.start_mark.index) if getattr(value, "flow_style", False) else ""
            if key.value == "name":
                advice = advice or self.draft.line_to_write("name", "")
            message = f"the value of `{key.value}` is a list or a mapping"
            self._add(rules.NESTED_VALUE, message, *self._at(value), advice)
            self._skip(value, events)

    def _skip(self, event: Event, events: Iterator[Event]) -> None:
        """Pass over a value that was refused. What cannot be passed over needs no fault of its own."""
        from ruamel.yaml.error import MarkedYAMLError
        from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent

        depth = 0
        try:
            for _ in range(_SKIPPED_EVENTS):
                depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
                if depth == 0:
                    return
                event = next(events)
        except MarkedYAMLError:
            pass
        raise _Stop

    def _take(self, key: ScalarEvent, event: ScalarEvent) -> None:
        name, value = str(key.value), str(event.value)
        line, column = self._at(event)
        plain = event.style in (None, "")
        if plain and not value:
            rule = rules.NOT_TEXT if name == "name" else rules.EMPTY_DESCRIPTION
            place = self._place(key.end_mark.index)
            self._add(rule, f"nothing stands after `{name}:`", *place, self.draft.line_to_write(name, ""))
        elif plain and (kind := _other_type(value)) is not None:
            message = f"YAML reads the value of `{name}` as {kind}"
            self._add(rules.NOT_TEXT, message, line, column, self.draft.line_to_write(name, value))
        elif _SURROGATE.search(value):
            self._add(rules.HIDDEN_CHARACTER, f"half of a surrogate pair in `{name}`", line, column)
        else:
            if name == "name" and event.style in (">", "|"):
                value = value.removesuffix("\n")  # the one line end that a block keeps
            self.fields[name] = Field(value, line, column, event.start_mark.index, event.end_mark.index)
            if plain and name == "description":
                self._warn_of_cut(event)

    def _warn_of_cut(self, event: ScalarEvent) -> None:
        text = self.draft.text
        if comment := _CUT.match(text, event.end_mark.index):
            cut = escaped(text[comment.end() - 1 :].partition("\n")[0].rstrip()[:40])
            message = f"YAML takes `{cut}` for a comment: it is not part of the description"
            advice = self.draft.mended_at(event.start_mark.index)
            self._add(rules.CUT_BY_COMMENT, message, *self._place(comment.end() - 1), advice)

    def _end(self, events: Iterator[Event]) -> None:
        from ruamel.yaml.events import DocumentEndEvent, StreamEndEvent

        end = next(events)
        if isinstance(end, DocumentEndEvent) and end.explicit:
            self._stop(rules.SECOND_DOCUMENT, "a YAML document ends here", *self._at(end), "remove the line `...`")
        after = next(events)
        if not isinstance(after, StreamEndEvent):
            self._second_document(after)

    def _not_yaml(self, error: MarkedYAMLError) -> NoReturn:
        """Say what the author did, unless the line has a fault already that explains it."""
        # Of empty lines in a block that are indented more than its first one, ruamel tells by a context alone.
        mark = error.problem_mark or error.context_mark
        opened = error.context_mark or mark
        found = self.draft.diagnose(str(error.problem or error.context), mark.index, opened.index)
        self._forget_cut_block(found.at)
        line, column = self._place(found.at)
        if all(each.line != line for each in self.findings):
            self._add(found.rule, found.message, line, column, found.advice)
        raise _Stop

    def _forget_cut_block(self, at: int) -> None:
        """Do not judge a block that is empty because what was meant to stand in it is the fault."""
        text = self.draft.text
        for name, cut in list(self.fields.items()):
            if not cut.value.strip() and text.startswith((">", "|"), cut.start) and not text[cut.end : at].strip():
                del self.fields[name]


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _first_places(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, int]]:
    """Each character that a pattern finds, with the place of its first occurrence."""
    places: dict[str, int] = {}
    for match in pattern.finditer(text):
        places.setdefault(match[0], match.start())
    return iter(places.items())


def events(text: str) -> Generator[Event]:
    """The parse events of a text, in which tabs may part what spaces may.

    The text is within the cap, and holds nothing that is `UNREADABLE`. Whoever stops early closes the generator.
    """
    from ruamel.yaml import YAML

    # A new reader for each text: a shared one is not safe across threads (measured).
    yaml = YAML(typ="safe", pure=True)
    yaml.Scanner = _flat_scanner()
    found: Generator[Event] = yaml.parse(_APART.sub(_spaces, text) if "\t" in text else text)
    return found


def _spaces(white: re.Match[str]) -> str:
    return " " * len(white[0])


@functools.cache
def _flat_scanner() -> type[Scanner]:
    """A scanner that gives up on deeply nested brackets, which cost ruamel the square of their depth."""
    from ruamel.yaml.scanner import Scanner, ScannerError

    class FlatScanner(Scanner):
        def fetch_flow_collection_start(self, TokenClass: type[Token], to_push: str) -> None:  # noqa: N803 - ruamel's name
            if self.flow_level >= _FLOW_DEPTH:
                mark = self.reader.get_mark()
                raise ScannerError(None, None, "brackets are nested too deeply", mark)
            super().fetch_flow_collection_start(TokenClass, to_push)

    return FlatScanner


def _other_type(plain: str) -> str | None:
    """What a plain scalar is read as, if not as text."""
    return next((kind for kind, spelt in _OTHER_TYPES.items() if re.fullmatch(spelt, plain)), None)


_OTHER_TYPES: Final = {
    "nothing": "null|Null|NULL|~",
    "true or false": "true|True|TRUE|false|False|FALSE",
    "a number": (
        r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    ),
    "a date": (
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
        r"|[0-9]{4}(?:-[0-9]{1,2}){2}(?:[Tt]|[ \t]+)[0-9]{1,2}(?::[0-9]{2}){2}(?:\.[0-9]*)?"
        r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?"
    ),
}
"""The core schema of YAML 1.2 (10.3.2); and dates, since most readers take them for what they look like."""
