"""`SKILL.md`: a frontmatter of two fields between two fences, then the procedure.

A fence is a whole line of three hyphens; spaces and tabs after it are accepted. Line ends are LF or CRLF and kept byte
for byte, and so is one leading byte order mark. Everything wrong with one file is reported together.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from attrs import frozen

from . import frontmatter, rules
from .canonical import render_head
from .errors import BadDocument
from .findings import Finding, Rule, capped, faults_of
from .frontmatter import Field
from .glance import CONTROLS, LONG_BODY_LINES, VISIBLE, WORDY, Head, glance, holds_controls
from .limits import LIMITS
from .names import DOCUMENT, SkillName, is_device_name, is_skill_name
from .pointer import POINTER, is_pointer
from .text import HiddenText, escaped, folded, hidden_runs, place_in

__all__ = ["Head", "SkillDocument", "examine", "parse", "render"]

_BOM: Final = b"\xef\xbb\xbf"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_OPENING: Final = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
_CLOSING: Final = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_ALMOST_CLOSING: Final = re.compile(r"^[ \t]*---?.*$", re.MULTILINE)
_CONTROL: Final = re.compile(f"[{re.escape(CONTROLS)}]")
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_RETURNED_OPENING: Final = re.compile(r"---[ \t]*\r(?!\n)")
_BLANK: Final = re.compile(r"\s+")
_SHOWN: Final = 80


@frozen
class SkillDocument:
    """A whole `SKILL.md`: its head, its procedure, and the line of the file that the procedure begins in."""

    head: Head
    body: str
    body_line: int
    advice: tuple[Finding, ...] = ()


def parse(content: bytes, folder: str) -> SkillDocument:
    """Read the bytes of the `SKILL.md` in a folder of that name.

    Raises:
        BadDocument: With every fault of the file, in reading order, `Limits.findings` at most.
    """
    reading = _Reading(content, folder)
    findings = capped(reading.findings)
    if reading.head is None:
        raise BadDocument(escaped(folder[:80]), faults_of(findings))
    text = reading.text
    line = text.count("\n", 0, reading.body_at) + 1
    return SkillDocument(reading.head, text[reading.body_at :], line, findings)


def examine(content: bytes, folder: str) -> tuple[Head | None, tuple[Finding, ...]]:
    """The head of the `SKILL.md` in a folder of that name, or nothing where there is a fault; and every finding.

    The findings are in reading order, `Limits.findings` at most.
    """
    if (head := glance(content, folder)) is not None:
        return head, ()
    reading = _Reading(content, folder)
    return reading.head, capped(reading.findings)


def render(name: SkillName, description: str, body: str) -> bytes:
    """The canonical form of a `SKILL.md`, as the 0.1.0 release writes it: both values in double quotes.

    The body stands between an empty line and one line end. What is rendered is legal where its three parts are; a
    surrogate, which no UTF-8 holds, becomes bytes that `parse` refuses.
    """
    return f"{render_head(name, description)}\n{body.strip(chr(10))}\n".encode("utf-8", "surrogatepass")


class _Reading:
    """One pass over one file. Afterwards `head` is set if, and only if, `findings` holds no fault."""

    def __init__(self, content: bytes, folder: str) -> None:
        self.content = content
        self.folder = folder
        self.findings: list[Finding] = []
        self.head: Head | None = None
        self.text = ""
        self.fields_at = 0
        self.fields_end = 0
        self.body_at = 0
        if self._decode():
            self._check_characters()
            if self._split():
                self._check_body()
                self._check_fields()

    def _add(self, rule: Rule, message: str, line: int = 1, column: int = 1, advice: str = "") -> None:
        self.findings.append(Finding(rule, DOCUMENT, message, line, column, advice))

    def _add_at(self, rule: Rule, message: str, offset: int, advice: str = "") -> None:
        line = self.text.count("\n", 0, offset) + 1
        self._add(rule, message, line, offset - self.text.rfind("\n", 0, offset), advice)

    def _decode(self) -> bool:
        content = self.content
        if len(content) > LIMITS.file_bytes:
            self._add(rules.LARGE_FILE, f"{len(content):,} bytes where {LIMITS.file_bytes:,} are allowed", 0, 0)
            return False
        if content.startswith(_BOM):
            self._add(rules.BYTE_ORDER_MARK, "the file begins with a byte order mark")
            content = content[len(_BOM) :]
        try:
            self.text = content.decode()
        except UnicodeDecodeError as error:
            self._refuse_bytes(content, error.start)
            return False
        if self.text.startswith("\ufeff"):
            advice = "save the file as UTF-8 without byte order marks"
            self._add(rules.NO_FRONTMATTER, "a second byte order mark stands before the first line", advice=advice)
            self.text = self.text[1:]
        return True

    def _refuse_bytes(self, content: bytes, at: int) -> None:
        message = f"the byte 0x{content[at]:02x} is not UTF-8"
        advice = "save the file as UTF-8: it looks like UTF-16" if content.startswith(_UTF16) else ""
        self._add(rules.NOT_UTF8, message, *place_in(content, at), advice)

    def _check_characters(self) -> None:
        if holds_controls(self.text) and (found := _CONTROL.search(self.text)):
            others = sum(map(self.text.count, CONTROLS)) - 1
            message = f"the control character U+{ord(found[0]):04X}{_and_more(others)}"
            self._add_at(rules.CONTROL_CHARACTER, message, found.start())
        if "\r" in self.text and (lone := _LONE_RETURN.search(self.text)):
            more = _and_more(self.text.count("\r") - self.text.count("\r\n") - 1)
            self._add_at(rules.LONE_RETURN, f"a carriage return without a line feed{more}", lone.start())

    def _split(self) -> bool:
        """Find the two fences."""
        opening = _OPENING.match(self.text) or self._late_opening()
        if opening is None:
            return False
        closing = _CLOSING.search(self.text, opening.end())
        if closing is None:
            self._miss_closing(opening.end())
            return False
        self.fields_at, self.fields_end = opening.end(), closing.start()
        self.body_at = min(closing.end() + 1, len(self.text))
        return True

    def _late_opening(self) -> re.Match[str] | None:
        """The opening fence behind white space, which is a fault, but lets the rest be judged."""
        if _RETURNED_OPENING.match(self.text):
            return None  # the carriage return is what is wrong, and was reported
        late = _BLANK.match(self.text)
        opening = _OPENING.match(self.text, late.end()) if late else None
        if opening is None and is_pointer(self.content):
            advice = "put the file itself in its place, as `git lfs pull` does, or ask its author to"
            self._add(rules.NO_FRONTMATTER, f"this is {POINTER}", advice=advice)
        elif opening is None:
            self._add(rules.NO_FRONTMATTER, "the first line is not `---`" if self.text else "the file is empty")
        else:
            advice = "remove what stands before the `---`"
            self._add(rules.NO_FRONTMATTER, "white space stands before the first line", advice=advice)
        return opening

    def _miss_closing(self, start: int) -> None:
        almost = _ALMOST_CLOSING.search(self.text, start)
        if almost is None:
            self._add(rules.UNCLOSED_FRONTMATTER, "no later line is `---`")
        else:
            shown = escaped(almost[0].rstrip()[:40])
            message = f"no later line is `---`, but one is `{shown}`"
            self._add_at(rules.UNCLOSED_FRONTMATTER, message, almost.start(), "make the line three hyphens and no more")

    def _check_body(self) -> None:
        if VISIBLE.search(self.text, self.body_at) is None:
            self._add_at(rules.EMPTY_BODY, "nothing stands below the frontmatter", self.fields_end)
        lines = self.text.count("\n", self.body_at)
        if lines > LONG_BODY_LINES:
            self._add_at(rules.LONG_BODY, f"{lines:,} lines", self.body_at)

    def _check_fields(self) -> None:
        between = self.text[self.fields_at : self.fields_end]
        size = len(between) if between.isascii() else len(between.encode())
        first_line = self.text.count("\n", 0, self.fields_at) + 1
        if size > LIMITS.frontmatter_bytes:
            message = f"{size:,} bytes where {LIMITS.frontmatter_bytes:,} are allowed"
            self._add(rules.LONG_FRONTMATTER, message, first_line)
            return
        if "\r" in between and _LONE_RETURN.search(between):
            return
        fields = frontmatter.parse(between, first_line=first_line, folder=self.folder)
        if fields.findings:
            self._add_new(fields.findings)
        if fields.name is not None:
            self._check_name(fields.name)
        description = None if fields.description is None else self._description(fields.description)
        if fields.name is None or description is None:
            return
        if not self.findings or not faults_of(self.findings):
            self.head = Head(SkillName(fields.name.value), description)

    def _add_new(self, findings: tuple[Finding, ...]) -> None:
        """Take what the frontmatter's reader found, but not what a look at the whole file had found already."""
        known = {(found.rule, found.line, found.column) for found in self.findings}
        self.findings += (found for found in findings if (found.rule, found.line, found.column) not in known)

    def _check_name(self, field: Field) -> None:
        name, legal = field.value, is_skill_name(field.value)
        if legal and name == self.folder:
            return
        shown = escaped(name[:_SHOWN])
        advice = f'write `name: "{self.folder}"`' if is_skill_name(self.folder) else ""
        if not legal:
            rule = rules.DEVICE_NAME if is_device_name(name) else rules.BAD_NAME
            self._add(rule, f"`{shown}`: {rule.title}", field.line, field.column, advice)
        if name != self.folder:
            if legal:
                advice = f"{advice}, or rename the folder to `{name}`" if advice else f"rename the folder to `{name}`"
            message = f"the name is `{shown}` and the folder `{escaped(self.folder[:_SHOWN])}`"
            self._add(rules.NAME_DIFFERS, message, field.line, field.column, advice)

    def _description(self, field: Field) -> str | None:
        """The description on one line; nothing where it has a fault."""
        text = folded(field.value)
        before = len(self.findings)
        if not text:
            self._add(rules.EMPTY_DESCRIPTION, "the description is empty", field.line, field.column)
        if len(text) > LIMITS.description_chars:
            message = f"{len(text):,} characters where {LIMITS.description_chars:,} are allowed"
            self._add(rules.LONG_DESCRIPTION, message, field.line, field.column)
        for run in islice(hidden_runs(text), LIMITS.findings):
            self._refuse_hidden(run, text, field)
        if len(self.findings) > before:
            return None
        if len(text) > WORDY:
            self._add(rules.WORDY_DESCRIPTION, f"{len(text):,} characters", field.line, field.column)
        return text

    def _refuse_hidden(self, run: HiddenText, text: str, field: Field) -> None:
        char = text[run.offset]
        message = f"{run.what}, U+{ord(char):04X}, in the description"
        if run.length > 1:
            message = f"{run.length:,} characters that cannot be seen, first {message}"
        message = f"{message}: reads as {escaped(run.decoded[:_SHOWN])!r}"
        self._add_at(rules.HIDDEN_CHARACTER, message, self._place_of(char, text.count(char, 0, run.offset), field))

    def _place_of(self, char: str, earlier: int, field: Field) -> int:
        """Where a character of a value stands in the file, by how many of its kind come before it.

        Where some are spelt by escapes, the value's begin.
        """
        start, end = self.fields_at + field.start, self.fields_at + field.end
        if self.text.count(char, start, end) != field.value.count(char):
            return start
        at = self.text.find(char, start)
        for _ in range(earlier):
            at = self.text.find(char, at + 1)
        return at


def _and_more(count: int) -> str:
    return f", and {count:,} more" if count else ""
