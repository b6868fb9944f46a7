"""`SKILL.md`: a frontmatter of two fields between two fences, then the procedure.

A fence is a whole line of three hyphens; spaces and tabs after it are accepted. Line ends are LF or CRLF and kept byte for
byte, and so is one leading byte order mark. Everything wrong with one file is reported together.
"""

from __future__ import annotations

import json
import re
from typing import Final

from attrs import frozen

from . import frontmatter, rules
from .errors import BadDocument
from .findings import Finding, Rule, faults_of
from .frontmatter import Field
from .limits import LIMITS
from .names import DOCUMENT, SkillName, is_device_name, is_skill_name
from .text import escaped, folded, unseen

__all__ = ["Head", "SkillDocument", "examine", "parse", "render"]

_BOM: Final = b"\xef\xbb\xbf"
_OPENING: Final = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
_CLOSING: Final = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_CONTROLS: Final = bytes(code for code in range(32) if chr(code) not in "\t\n\f\r")
_CONTROL: Final = re.compile(f"[{re.escape(_CONTROLS.decode())}]")
_VISIBLE: Final = re.compile(r"\S")
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_WORDY: Final = 500
_LONG_BODY_LINES: Final = 500


@frozen
class Head:
    """What the catalog keeps of a `SKILL.md`, legal by construction: made by `examine` only."""

    name: SkillName
    description: str


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
        BadDocument: With every fault of the file, in reading order.
    """
    reading = _Reading(content, folder)
    faults = faults_of(reading.findings)
    if faults or reading.head is None:
        raise BadDocument(escaped(folder[:80]), faults)
    text = reading.text
    line = text.count("\n", 0, reading.body_at) + 1
    return SkillDocument(reading.head, text[reading.body_at :], line, tuple(reading.findings))


def examine(content: bytes, folder: str) -> tuple[Head | None, tuple[Finding, ...]]:
    """The head of the `SKILL.md` in a folder of that name, or nothing where there is a fault; and every finding."""
    reading = _Reading(content, folder)
    return reading.head, tuple(sorted(reading.findings, key=lambda found: found.place))


def render(name: SkillName, description: str, body: str) -> bytes:
    """The canonical form of a `SKILL.md`, as the 0.1.0 release writes it: both values in double quotes."""
    fields = "".join(
        f"{field}: {json.dumps(value, ensure_ascii=False)}\n"
        for field, value in (("name", name), ("description", description))
    )
    return f"---\n{fields}---\n\n{body.strip(chr(10))}\n".encode()


class _Reading:
    """One pass over one file. Afterwards `head` is set if, and only if, `findings` holds no fault."""

    def __init__(self, content: bytes, folder: str) -> None:
        self.content = content
        self.folder = folder
        self.findings: list[Finding] = []
        self.head: Head | None = None
        self.body_at = 0
        self.text = ""
        if self._decode():
            self._check_characters()
            fields = self._split()
            if fields is not None:
                self._check_fields(fields)

    def _add(self, rule: Rule, message: str, line: int = 1, column: int = 1, advice: str = "") -> None:
        self.findings.append(Finding(rule, DOCUMENT, message, line, column, advice))

    def _add_at(self, rule: Rule, message: str, offset: int) -> None:
        line = self.text.count("\n", 0, offset) + 1
        self._add(rule, message, line, offset - self.text.rfind("\n", 0, offset))

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
            before = content[: error.start]
            line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
            self._add(rules.NOT_UTF8, f"the byte 0x{content[error.start]:02x} is not UTF-8", line, column)
            return False
        return True

    def _check_characters(self) -> None:
        if len(self.content.translate(None, _CONTROLS)) != len(self.content):
            found = _CONTROL.search(self.text)
            assert found is not None
            self._add_at(rules.CONTROL_CHARACTER, f"the control character U+{ord(found.group()):04X}", found.start())
        if "\r" in self.text and (lone := _LONE_RETURN.search(self.text)):
            self._add_at(rules.LONE_RETURN, "a carriage return without a line feed", lone.start())

    def _split(self) -> frontmatter.Frontmatter | None:
        """Find the fences, check the body, and read what stands between."""
        opening = _OPENING.match(self.text)
        if opening is None:
            self._add(rules.NO_FRONTMATTER, "the first line is not `---`")
            return None
        start = opening.end()
        closing = _CLOSING.search(self.text, start)
        if closing is None:
            self._add(rules.UNCLOSED_FRONTMATTER, "no later line is `---`")
            return None
        self.body_at = min(closing.end() + 1, len(self.text))
        if _VISIBLE.search(self.text, self.body_at) is None:
            self._add_at(rules.EMPTY_BODY, "nothing stands below the frontmatter", closing.start())
        between = self.text[start : closing.start()]
        size = len(between) if between.isascii() else len(between.encode())
        if size > LIMITS.frontmatter_bytes:
            self._add(rules.LONG_FRONTMATTER, f"{size:,} bytes where {LIMITS.frontmatter_bytes:,} are allowed", 2)
            return None
        if "\r" in between and _LONE_RETURN.search(between):
            return None
        return frontmatter.parse(between)

    def _check_fields(self, found: frontmatter.Frontmatter) -> None:
        self.findings += found.findings
        if found.name is not None:
            self._check_name(found.name)
        description = None if found.description is None else self._description(found.description)
        self._advise()
        if found.name is None or description is None or any(f.severity == "error" for f in self.findings):
            return
        self.head = Head(SkillName(found.name.value), description)

    def _check_name(self, field: Field) -> None:
        name, shown = field.value, escaped(field.value[:80])
        if not is_skill_name(name):
            rule = rules.DEVICE_NAME if is_device_name(name) else rules.BAD_NAME
            self._add(rule, f"`{shown}`: {rule.title}", field.line, field.column)
        if name != self.folder:
            folder = escaped(self.folder[:80])
            self._add(rules.NAME_DIFFERS, f"the name is `{shown}` and the folder `{folder}`", field.line, field.column)

    def _description(self, field: Field) -> str | None:
        text = folded(field.value)
        if not text:
            self._add(rules.EMPTY_DESCRIPTION, "the description is empty", field.line, field.column)
            return None
        if len(text) > LIMITS.description_chars:
            message = f"{len(text):,} characters where {LIMITS.description_chars:,} are allowed"
            self._add(rules.LONG_DESCRIPTION, message, field.line, field.column)
            return None
        for hidden in unseen(text):
            line, column = self._place_of(hidden.char, field)
            self._add(rules.HIDDEN_CHARACTER, f"{hidden} in the description", line, column)
            return None
        if len(text) > _WORDY:
            self._add(rules.WORDY_DESCRIPTION, f"{len(text):,} characters", field.line, field.column)
        return text

    def _place_of(self, char: str, field: Field) -> tuple[int, int]:
        """Where a character of a value stands in the file; the value's begin if it is spelt by an escape."""
        at = field.source.find(char)
        if at < 0:
            return field.line, field.column
        line_start = field.source.rfind("\n", 0, at)
        column = field.column + at if line_start < 0 else at - line_start
        return field.line + field.source.count("\n", 0, at), column

    def _advise(self) -> None:
        lines = self.text.count("\n", self.body_at)
        if lines > _LONG_BODY_LINES:
            self._add(rules.LONG_BODY, f"{lines:,} lines", self.text.count("\n", 0, self.body_at) + 1)
