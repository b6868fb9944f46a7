"""The rules of the format, each with its stable code. `docs/errors.md` shows an example of each.

KS1xx speak of `SKILL.md`, KS2xx of names, KS3xx of the folder, KS5xx are advice. A code is never reused.
"""

from __future__ import annotations

from typing import Final

from .findings import Rule, Severity

__all__ = ["RULES"]

RULES: dict[str, Rule] = {}
"""Every rule, by code."""


def _rule(code: str, title: str, fix: str, severity: Severity = "error") -> Rule:
    rule = RULES[code] = Rule(code, severity, title, fix)
    return rule


NO_FRONTMATTER: Final = _rule(
    "KS101",
    "no frontmatter",
    "begin the file with a line of three hyphens, the two fields, and a line of three hyphens",
)
UNCLOSED_FRONTMATTER: Final = _rule(
    "KS102", "the frontmatter is not closed", "end the frontmatter with a line of exactly three hyphens"
)
LONG_FRONTMATTER: Final = _rule(
    "KS103", "the frontmatter is too long", "move everything but name and description into the body"
)
NOT_YAML: Final = _rule("KS104", "the frontmatter cannot be read as YAML", "put the value in double quotes")
BARE_COLON: Final = _rule(
    "KS105", "a colon and a space inside an unquoted value", "put the whole value in double quotes"
)
NOT_FIELDS: Final = _rule("KS106", "the frontmatter is not a list of fields", "write `name: …` and `description: …`")
MISSING_FIELD: Final = _rule("KS107", "a required field is missing", "add the field")
UNKNOWN_FIELD: Final = _rule(
    "KS108", "a field beyond name and description", "remove the field, or move what it says into the body"
)
REPEATED_FIELD: Final = _rule("KS109", "a field is given twice", "keep one of them")
NOT_TEXT: Final = _rule("KS110", "a value is not text", "put the value in double quotes")
NESTED_VALUE: Final = _rule("KS111", "a value is a list or a mapping", "write the value as one text")
YAML_FEATURE: Final = _rule(
    "KS112", "anchors, aliases, tags and directives are not allowed", "write the value out, in double quotes"
)
SECOND_DOCUMENT: Final = _rule(
    "KS113", "more than one YAML document", "keep one document: two fields between two lines of three hyphens"
)
EMPTY_DESCRIPTION: Final = _rule("KS114", "the description is empty", "say in one line when to use the skill")
LONG_DESCRIPTION: Final = _rule(
    "KS115", "the description is too long", "say when to use the skill, and move the rest into the body"
)
HIDDEN_CHARACTER: Final = _rule(
    "KS116", "a character that cannot be seen, or is seen as another", "remove the character"
)
EMPTY_BODY: Final = _rule("KS117", "there is no procedure", "write the procedure below the frontmatter")
CONTROL_CHARACTER: Final = _rule("KS118", "a control character", "remove the character")
LONE_RETURN: Final = _rule("KS119", "a carriage return without a line feed", "save the file with LF or CRLF line ends")
NOT_UTF8: Final = _rule("KS120", "the file is not UTF-8 text", "save the file as UTF-8")

BAD_NAME: Final = _rule(
    "KS201",
    "the name is not a skill name",
    "use 1 to 64 of a-z, 0-9, hyphen and underscore, with a letter or digit at both ends",
)
NAME_DIFFERS: Final = _rule(
    "KS202", "the name differs from its folder's", "give the folder and the field the same name"
)
DEVICE_NAME: Final = _rule("KS203", "the name is a device on Windows", "choose another name")

NO_DOCUMENT: Final = _rule("KS301", "the folder has no SKILL.md", "add a SKILL.md, or move the folder elsewhere")
MISSPELT_DOCUMENT: Final = _rule("KS302", "SKILL.md is spelt otherwise", "rename the file to SKILL.md")
LINK: Final = _rule("KS303", "a symbolic link", "replace the link by a copy of what it points to")
SPECIAL_FILE: Final = _rule("KS304", "not a regular file", "remove it from the skill's folder")
LARGE_FILE: Final = _rule("KS305", "a file is too large", "split the file, or move it out of the skill")
BINARY_FILE: Final = _rule(
    "KS306", "a resource is not UTF-8 text", "save it as UTF-8 text, or move it out of the skill"
)
LARGE_SKILL: Final = _rule("KS307", "the skill is too large", "move what the procedure does not need out of the folder")
MANY_ENTRIES: Final = _rule(
    "KS308", "too many files and folders", "move what the procedure does not need out of the folder"
)
DEEP_FOLDER: Final = _rule("KS309", "folders nested too deeply", "flatten the folders")
BAD_PATH: Final = _rule("KS310", "a path that does not travel", "rename the file")
CLASHING_PATHS: Final = _rule(
    "KS311",
    "paths that are one on other systems",
    "rename one of them so that they differ in more than case or accents",
)
RESERVED_PATH: Final = _rule("KS312", "a name that this library keeps for itself", "rename the file")
UNREADABLE: Final = _rule(
    "KS313", "it cannot be read", "see that the agent's user may read it, and that the disk is well"
)
BAD_PROVENANCE: Final = _rule(
    "KS314",
    "the record of where the skill came from cannot be read",
    "restore .kestrel-provenance.json, or delete it if the skill is your own",
)
RESTLESS: Final = _rule("KS315", "the folder kept changing while it was read", "let the writer finish, then reload")
UNNAMED_FOLDER: Final = _rule("KS316", "the folder's name is not a skill name", "rename the folder by hand")

BROKEN_LINK: Final = _rule("KS501", "a link to a file that is not there", "add the file, or mend the link", "warning")
LEAVING_LINK: Final = _rule("KS502", "a link that leaves the skill", "copy the file into the skill's folder", "warning")
CASE_LINK: Final = _rule("KS503", "a link that differs in case only", "spell the link as the file is spelt", "warning")
HIDDEN_TEXT: Final = _rule("KS504", "text that cannot be seen", "remove it, or write it visibly", "warning")
BYTE_ORDER_MARK: Final = _rule("KS505", "a byte order mark", "save the file as UTF-8 without a byte order mark", "info")
LEFT_OUT: Final = _rule("KS506", "left out of the skill", "delete it from the folder", "info")
LONG_BODY: Final = _rule(
    "KS507", "a long procedure", "move the details into resources that the procedure names", "info"
)
CUT_BY_COMMENT: Final = _rule(
    "KS508", "a comment cuts an unquoted value", "put the whole value in double quotes", "warning"
)
WORDY_DESCRIPTION: Final = _rule(
    "KS509", "a long description", "shorten it: every enabled skill's description is in the prompt", "info"
)
BAD_MARKER: Final = _rule(
    "KS510",
    "the generation marker is malformed",
    "delete .kestrel-generation; the next listing writes a new one",
    "warning",
)
NESTED_SKILL: Final = _rule(
    "KS511", "a skill inside a skill", "move it beside this one if it should be a skill of its own", "info"
)
