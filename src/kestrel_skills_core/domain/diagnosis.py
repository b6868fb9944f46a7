"""What to write instead of a frontmatter line that cannot be read.

YAML's own words for a fault ("expected <block end>") say what the parser missed, not what the author did. Each case
here is one thing that people do; what none of them explains keeps YAML's words. All offsets are characters of the text
between the fences.
"""

from __future__ import annotations

import json
import re
from typing import Final

from attrs import frozen

from . import rules
from .findings import Rule
from .limits import LIMITS
from .text import escaped, folded

__all__ = ["Diagnosis", "Entry", "diagnose", "entry_at", "line_to_write", "rewritten", "unspaced"]

_ENTRY: Final = re.compile(r"(name|description)[ \t]*:(?:[ \t\r]+|\Z)")
_MISALIGNED: Final = re.compile(r"[ \t]+(?:name|description)[ \t]*:(?:\s|\Z)")
_UNSPACED: Final = re.compile(r"[ \t]*(name|description):([^ \t\r\n].*)")
_BLOCK: Final = re.compile(r"[>|][-+0-9]*(?:[ \t]+|\Z)")
_TYPE_TAG: Final = re.compile(r"!(?:!|<)\S*[ \t]*")
_STARTERS: Final = "@`%-?,]}&*!:"
"""What a plain value may not begin with; a hyphen, question mark or colon only before a space."""
_OVERLONG: Final = "put the whole value in double quotes, with a backslash before each double quote and backslash in it"


@frozen
class Entry:
    """A field's value as it is spelt: on one line, with its quotes, and where it begins."""

    field: str
    value: str
    at: int


@frozen
class Diagnosis:
    """What the author did, where, and what to write instead (empty: see the rule)."""

    rule: Rule
    message: str
    at: int
    advice: str = ""


def entry_at(text: str, at: int) -> Entry | None:
    """The field in whose lines an offset lies: its own, and the indented or empty ones below it."""
    lines = text.split("\n")
    for number in range(text.count("\n", 0, at), -1, -1):
        line = lines[number]
        if found := _ENTRY.match(line):
            below = number + 1
            while below < len(lines) and lines[below][:1] in ("", " ", "\t"):
                below += 1
            start = sum(len(before) + 1 for before in lines[:number]) + found.end()
            return Entry(found[1], folded("\n".join([line[found.end() :], *lines[number + 1 : below]])), start)
        if line[:1] not in ("", " ", "\t", "#"):
            return None
    return None


def line_to_write(field: str, value: str) -> str:
    """The advice to write a value in double quotes: the exact line, or how to make it where it would be too long."""
    if len(value) > LIMITS.description_chars:
        return _OVERLONG
    return f"write `{field}: {escaped(json.dumps(value, ensure_ascii=False))}`"


def rewritten(entry: Entry) -> str:
    """The advice to write what an entry is meant to say in double quotes."""
    value = _BLOCK.sub("", _TYPE_TAG.sub("", entry.value, count=1), count=1)
    return line_to_write(entry.field, _without_quotes(value))


def _without_quotes(value: str) -> str:
    """What stands between a value's first and last character where these are meant as its quotes."""
    quote, inside = value[:1], value[1:-1]
    if quote not in ('"', "'") or value[-1:] != quote or len(value) == 1:
        return value
    inside = inside.replace("''", "'") if quote == "'" else inside.replace('\\"', '"')
    closing = inside.find(quote)
    return value if closing >= 0 and inside[closing + 1 : closing + 2].isspace() else inside


def diagnose(text: str, problem: str, at: int, opened: int) -> Diagnosis:
    """What the author did where YAML found a problem at an offset, in what it had opened at another."""
    entry = entry_at(text, at)
    line_at = text.rfind("\n", 0, at) + 1
    line = text[line_at:].partition("\n")[0]
    if problem.startswith("mapping values are not allowed"):
        return _colon(text, entry, at, line_at)
    if text.startswith("\t", at):
        return Diagnosis(rules.NOT_YAML, "a tab where YAML allows spaces only", at, "replace the tab by spaces")
    if problem.startswith("could not find expected ':'"):
        return _no_field(text, opened)
    if problem.startswith("found unexpected"):
        return _unclosed(text, opened)
    if entry is None or at < entry.at:
        return _out_of_place(problem, line, at, line_at)
    return _in_value(entry, problem, at)


def _colon(text: str, entry: Entry | None, at: int, line_at: int) -> Diagnosis:
    """A colon followed by a space, where no field can begin."""
    if _MISALIGNED.match(text, line_at):
        return Diagnosis(
            rules.NOT_YAML, "a field that does not begin in the first column", line_at, "remove the spaces before it"
        )
    advice = rewritten(entry) if entry is not None and at >= entry.at else ""
    return Diagnosis(rules.BARE_COLON, rules.BARE_COLON.title, at, advice)


def unspaced(text: str, at: int) -> Diagnosis | None:
    """What to say of a line that begins at an offset, if it is a field but for the space after its colon."""
    found = _UNSPACED.match(text, at)
    if found is None:
        return None
    advice = f"write `{found[1]}: {escaped(found[2].rstrip()[: LIMITS.description_chars])}`"
    return Diagnosis(rules.NOT_YAML, f"no space after the colon of `{found[1]}`", found.start(2), advice)


def _no_field(text: str, at: int) -> Diagnosis:
    if (found := unspaced(text, at)) is not None:
        return found
    line = text[at:].partition("\n")[0]
    advice = "indent the line by two spaces if it belongs to the value above, else remove it"
    return Diagnosis(rules.NOT_YAML, f"the line `{escaped(line[:40])}` is no field", at, advice)


def _unclosed(text: str, at: int) -> Diagnosis:
    entry = entry_at(text, at)
    quote = text[at : at + 1]
    if entry is None:
        return Diagnosis(rules.NOT_YAML, "a quote that is never closed", at, f"close it with {quote}")
    line = text[at + 1 :].partition("\n")[0].rstrip()
    return Diagnosis(rules.NOT_YAML, "a quote that is never closed", at, line_to_write(entry.field, line))


def _out_of_place(problem: str, line: str, at: int, line_at: int) -> Diagnosis:
    if problem.startswith("expected '<document start>'") or _MISALIGNED.match(line):
        advice = "begin each field in the first column, and write nothing else there"
        return Diagnosis(rules.NOT_YAML, "a line that does not stand under the others", line_at, advice)
    advice = "write nothing here but `name: …` and `description: …`"
    return Diagnosis(rules.NOT_YAML, f"this is not YAML: {escaped(problem[:120])}", at, advice)


def _in_value(entry: Entry, problem: str, at: int) -> Diagnosis:
    first = entry.value[:1]
    if first and first in "\"'":
        message = "an escape that YAML does not know" if "escape" in problem else "text after the closing quote"
    elif first and first in ">|":
        message = f"text beside `{first}`, or lines below it that are not indented alike"
    elif first and first in _STARTERS:
        message, at = f"an unquoted value cannot begin with `{first}`", entry.at
    elif "#" in entry.value:
        message = "a comment inside an unquoted value"
    else:
        message = f"this is not YAML: {escaped(problem[:120])}"
    return Diagnosis(rules.NOT_YAML, message, at, rewritten(entry))
