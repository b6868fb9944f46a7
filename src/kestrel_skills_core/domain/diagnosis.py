"""What to write instead of a frontmatter line that cannot be read.

Where a line to write is advised, it is one that is read: following the advice leads to no other fault of that field.
YAML's own words for a fault ("expected <block end>") say what the parser missed, not what the author did. Each case
here is one thing that people do; what none of them explains keeps YAML's words. All offsets are characters of the text
between the fences.
"""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import Final

from attrs import frozen

from . import rules
from .findings import Rule
from .limits import LIMITS
from .names import is_skill_name
from .text import escaped, folded, visible

__all__ = ["Diagnosis", "Draft", "Entry"]

_ENTRY: Final = re.compile(r"(name|description)[ \t]*:(?:[ \t\r]+|(?=\n)|\Z)")
_MISALIGNED: Final = re.compile(r"[ \t]+(?:name|description)[ \t]*:(?:\s|\Z)")
_UNSPACED: Final = re.compile(r"[ \t]*(name|description):([^ \t\r\n].*)")
_BLOCK: Final = re.compile(r"[>|][-+0-9]*(?:[ \t]+|\Z)")
_TYPE_TAG: Final = re.compile(r"!(?:!|<)\S*[ \t]*")
_INDENTED: Final = ("", " ", "\t", "\r")
"""How the lines begin that belong to the field above them."""
_BELOW: Final = (" ", "\t", "\r", "\n", "#")
_STARTERS: Final = "@`%-?,]}&*!:"
"""What a plain value may not begin with; a hyphen, question mark or colon only before a space."""
_OVERLONG: Final = (
    "put the whole value in double quotes, with a backslash before each double quote and backslash in it, "
    f"and shorten it to {LIMITS.description_chars:,} characters"
)


@frozen
class Entry:
    """A field's value as it is spelt: on one line, with its quotes, and where it begins."""

    field: str
    value: str
    at: int

    @property
    def meant(self) -> str:
        """What its author means, whatever YAML makes of it: without tag, block sign and quotes."""
        return _without_quotes(_BLOCK.sub("", _TYPE_TAG.sub("", self.value, count=1), count=1))


@frozen
class Diagnosis:
    """What the author did, where, and what to write instead (empty: see the rule)."""

    rule: Rule
    message: str
    at: int
    advice: str = ""


@frozen
class Draft:
    """The text between the fences as its author left it, and the name of the folder that it stands in."""

    text: str
    folder: str = ""

    @property
    def name(self) -> str:
        """The name that the skill ought to have; empty where the folder's is no skill name."""
        return self.folder if is_skill_name(self.folder) else ""

    def line_to_write(self, field: str, value: str) -> str:
        """The advice to write a value in double quotes: the exact line, or what it lacks where none would be read."""
        if field == "name":
            value = self.name or value
            if not is_skill_name(value):
                return rules.BAD_NAME.fix
        value = visible(value)
        if not folded(value):
            return rules.EMPTY_DESCRIPTION.fix
        if len(value) > LIMITS.description_chars:
            return _OVERLONG
        return f"write `{field}: {escaped(json.dumps(value, ensure_ascii=False))}`"

    def mended(self, entry: Entry) -> str:
        """The advice to write what an entry is meant to say in double quotes."""
        return self.line_to_write(entry.field, entry.meant)

    def mended_at(self, at: int) -> str:
        """The same for the entry whose value begins at an offset; empty where none does."""
        entry = self.entry_at(at)
        return "" if entry is None or self.text[entry.at : at].strip() or at < entry.at else self.mended(entry)

    def entry_at(self, at: int) -> Entry | None:
        """The field in whose lines an offset lies: its own, and the indented or empty ones below it."""
        begin = self.text.rfind("\n", 0, at) + 1
        while (found := _ENTRY.match(self.text, begin)) is None:
            if begin == 0 or not self.text.startswith(_BELOW, begin, begin + 1):
                return None
            begin = self.text.rfind("\n", 0, begin - 1) + 1
        return Entry(found[1], self._spelt_from(found.end()), found.end())

    def unspaced(self, at: int) -> Diagnosis | None:
        """What to say of a line that begins at an offset, if it is a field but for the space after its colon."""
        found = _UNSPACED.match(self.text, at)
        if found is None:
            return None
        entry = Entry(found[1], self._spelt_from(found.start(2)), found.start(2))
        message = f"no space after the colon of `{entry.field}`"
        return Diagnosis(rules.NOT_YAML, message, entry.at, self.mended(entry))

    def holds(self, field: str) -> bool:
        """Whether a line begins with that field."""
        return re.search(rf"^{field}[ \t]*:\s", self.text, re.MULTILINE) is not None

    def diagnose(self, problem: str, at: int, opened: int) -> Diagnosis:
        """What the author did where YAML found a problem at an offset, in what it had opened at another."""
        entry = self.entry_at(at)
        line_at = self.text.rfind("\n", 0, at) + 1
        if problem.startswith("mapping values are not allowed"):
            return self._colon(entry, at, line_at)
        if self.text.startswith("\t", at):
            return Diagnosis(rules.NOT_YAML, "a tab where YAML allows spaces only", at, "replace the tab by spaces")
        if problem.startswith("could not find expected ':'"):
            return self.unspaced(opened) or self._no_field(opened)
        if problem.startswith("found unexpected"):
            return self._unclosed(opened)
        if entry is None or at < entry.at:
            return self._out_of_place(problem, at, line_at)
        return self._in_value(entry, problem, at)

    def _spelt_from(self, at: int) -> str:
        """What stands from an offset on, to the end of its line and in the lines below, as one line."""
        first, *below = self.text[at:].split("\n")
        return folded("\n".join([first, *takewhile(lambda line: line[:1] in _INDENTED, below)]))

    def _line_from(self, at: int) -> str:
        return self.text[at:].partition("\n")[0].rstrip()

    def _colon(self, entry: Entry | None, at: int, line_at: int) -> Diagnosis:
        """A colon followed by a space, where no field can begin."""
        if _MISALIGNED.match(self.text, line_at):
            message = "a field that does not begin in the first column"
            return Diagnosis(rules.NOT_YAML, message, line_at, "remove the spaces before it")
        advice = self.mended(entry) if entry is not None and at >= entry.at else ""
        return Diagnosis(rules.BARE_COLON, rules.BARE_COLON.title, at, advice)

    def _no_field(self, at: int) -> Diagnosis:
        advice = "indent the line by two spaces if it belongs to the value above, else remove it"
        return Diagnosis(rules.NOT_YAML, f"the line `{escaped(self._line_from(at)[:40])}` is no field", at, advice)

    def _unclosed(self, at: int) -> Diagnosis:
        entry, quote = self.entry_at(at), self.text[at : at + 1]
        if entry is None:
            advice = f"close it with {quote}"
        else:
            inside = entry.value[1:] if at == entry.at else self._line_from(at + 1)
            advice = self.line_to_write(entry.field, _unescaped(inside, quote))
        return Diagnosis(rules.NOT_YAML, "a quote that is never closed", at, advice)

    def _out_of_place(self, problem: str, at: int, line_at: int) -> Diagnosis:
        if problem.startswith("expected '<document start>'") or _MISALIGNED.match(self.text, line_at):
            advice = "begin each field in the first column, and write nothing else there"
            return Diagnosis(rules.NOT_YAML, "a line that does not stand under the others", line_at, advice)
        advice = "write nothing here but `name: …` and `description: …`"
        return Diagnosis(rules.NOT_YAML, f"this is not YAML: {escaped(problem[:120])}", at, advice)

    def _in_value(self, entry: Entry, problem: str, at: int) -> Diagnosis:
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
        return Diagnosis(rules.NOT_YAML, message, at, self.mended(entry))


def _without_quotes(value: str) -> str:
    """What stands between a value's first and last character where these are meant as its quotes."""
    quote = value[:1]
    if quote not in ('"', "'") or value[-1:] != quote or len(value) == 1:
        return value
    inside = _unescaped(value[1:-1], quote)
    closing = inside.find(quote)
    return value if closing >= 0 and inside[closing + 1 : closing + 2].isspace() else inside


def _unescaped(inside: str, quote: str) -> str:
    return inside.replace("''", "'") if quote == "'" else inside.replace('\\"', '"')
