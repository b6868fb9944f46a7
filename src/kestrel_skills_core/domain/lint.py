"""Advice that never refuses: what a reviewer would say of a skill that is legal.

Links are found by a CommonMark parser behind a port (`ports/markdown.py`); what they mean is judged here. Every check grows
linearly with the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import unquote

from . import rules
from .document import SkillDocument
from .findings import Finding, Rule
from .limits import LIMITS
from .names import DOCUMENT, ResourcePath, portable_key
from .text import escaped, hidden_text
from .tree import SkillTree, folders_of

__all__ = ["lint", "lint_links", "lint_text"]

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_WEB: Final = ("http:", "https:", "mailto:")
_SHOWN: Final = 80


def lint(document: SkillDocument, tree: SkillTree, links: Sequence[str]) -> tuple[Finding, ...]:
    """All advice on a skill that parsed, in reading order; `links` are the destinations in its procedure, in order."""
    found = [*document.advice, *lint_links(document, tree.files, links), *_nested(tree.files)]
    for path, content in tree.files.items():
        found += lint_text(path, content.data)
    found.sort(key=lambda finding: finding.place)
    return tuple(found[: LIMITS.findings])


def lint_links(document: SkillDocument, paths: Iterable[ResourcePath], links: Sequence[str]) -> Iterator[Finding]:
    """Links that lead nowhere, out of the skill, or to a file on this system only; each destination once."""
    there = set(paths)
    there |= {ResourcePath(folder) for folder in folders_of(there)}
    by_key = {portable_key(path): path for path in there}
    for link in dict.fromkeys(links):
        verdict = _judge(link, there, by_key)
        if verdict is not None:
            rule, message = verdict
            line, column = _place(document, link)
            yield Finding(rule, DOCUMENT, message, line, column)


def _judge(link: str, there: set[ResourcePath], by_key: dict[str, ResourcePath]) -> tuple[Rule, str] | None:
    target = link.partition("#")[0].partition("?")[0]
    shown = escaped(link[:_SHOWN])
    if not target or link.startswith("//") or link.lower().startswith(_WEB):
        return None
    if _SCHEME.match(target) or target.startswith(("/", "\\")):
        return rules.LEAVING_LINK, f"`{shown}` is not a path in the skill"
    path = _inside(unquote(target))
    if path is None:
        return rules.LEAVING_LINK, f"`{shown}` leads out of the skill"
    if not path or path in there:
        return None
    if (other := by_key.get(portable_key(path))) is not None:
        return rules.CASE_LINK, f"`{shown}` is spelt `{escaped(other)}` on the disk"
    return rules.BROKEN_LINK, f"`{shown}` is not in the skill"


def _inside(target: str) -> str | None:
    """The path that a relative link means, empty for the skill itself; nothing where it leads out."""
    parts: list[str] = []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _place(document: SkillDocument, link: str) -> tuple[int, int]:
    """Where the destination is spelt in the file; the procedure's first line where it is spelt by escapes."""
    body = document.body
    at = max(
        (body.find(f"{before}{link}") + len(before) for before in _BEFORE if f"{before}{link}" in body), default=-1
    )
    if at < 0:
        at = max(body.find(link), 0)
    return document.body_line + body.count("\n", 0, at), at - body.rfind("\n", 0, at)


_BEFORE: Final = ("](", "](<", "]: ")


def lint_text(path: ResourcePath, data: bytes) -> Iterator[Finding]:
    """Text that a person does not see and a model reads."""
    if data.isascii():
        return
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    line, counted = 1, 0
    for hidden in hidden_text(text):
        line += text.count("\n", counted, hidden.offset)
        counted = hidden.offset
        column = hidden.offset - text.rfind("\n", 0, hidden.offset)
        shown = escaped(hidden.decoded[:_SHOWN])
        yield Finding(rules.HIDDEN_TEXT, path, f"{hidden.what}: reads as {shown!r}", line, column)


def _nested(paths: Iterable[ResourcePath]) -> Iterator[Finding]:
    for path in paths:
        if path.endswith(f"/{DOCUMENT}"):
            yield Finding(rules.NESTED_SKILL, path, "this file is a resource here, and no skill of its own")
