"""Advice that never refuses: what a reviewer would say of a skill that is legal.

Links are found by a CommonMark parser behind a port (`ports/markdown.py`); what they mean is judged here. The cost of
every check grows linearly with the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Literal
from urllib.parse import unquote

from attrs import frozen

from . import rules
from .document import SkillDocument
from .findings import Finding, Rule, capped
from .limits import LIMITS
from .names import DOCUMENT, ResourcePath, portable_key
from .text import escaped, hidden_text
from .tree import SkillTree, folders_of

__all__ = ["Target", "lint", "lint_links", "lint_text", "target_of"]

_SHOWN: Final = 80
_ENOUGH: Final = LIMITS.findings + 1
"""One more than are reported, so that it can be said that there are more."""
_ELSEWHERE: Final = re.compile(r"//|(?!file:)[a-z][a-z0-9+.-]+:", re.IGNORECASE)
"""Not a path: another host, or a scheme other than `file:`. One letter and a colon is a drive, and no scheme."""
_ABSOLUTE: Final = re.compile(r"[/\\]|[a-z]:|file:", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(r"(?<!\$)\{[^{}]*\}|<[^<>]*>|\A(?:url|link|path|…|\.{3})\Z", re.IGNORECASE)
"""What a reader is to fill in, such as `url` or `{{name}}`. `${NAME}` is a path that some other host would expand."""
_SPELT: Final = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+|[0-9]+[.)][ \t]+)?(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
    r".*(?:\n(?![ \t>]*(?P=fence)).*)*+(?:\n[ \t>]*(?P=fence))?"
    r"|(?<!`)`++[^`\n]++`++"
    r"|\][(:]\s*(?:<[ \t]*+(?P<angled>[^<>\n]*+)>|(?P<bare>[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*+))"
    r"|<(?P<auto>[a-z][a-z0-9+.-]+:[^<>\s]*)>",
    re.IGNORECASE | re.MULTILINE,
)
"""Fenced code, a code span, or a place where a destination may be spelt. It only tells where, never whether.

Every repetition that may have to be given up is possessive or bounded by what follows, so that no byte is read often.
"""
_BACKSLASHED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")


def lint(document: SkillDocument, tree: SkillTree, links: Sequence[str]) -> tuple[Finding, ...]:
    """Advice on a skill that parsed, in reading order; `links` are the destinations in its procedure, in order.

    At most `LIMITS.findings`, as `findings.capped` chooses them.
    """
    found = [*document.advice, *lint_links(document, tree.files, links), *_nested(tree.files)]
    for path, content in tree.files.items():
        found += lint_text(path, content.data)
    return capped(found)


def lint_links(document: SkillDocument, paths: Iterable[ResourcePath], links: Sequence[str]) -> Iterator[Finding]:
    """Links that lead nowhere, out of the skill, or to a file of the system: each once, one more than are reported."""
    there: dict[str, str] = {path: path for path in paths}
    there |= {folder: folder for folder in folders_of(there)}
    by_key = {portable_key(path): path for path in there}
    judged = ((link, _judge(link, there, by_key)) for link in dict.fromkeys(links))
    wrong = dict(islice(((unquote(link), verdict) for link, verdict in judged if verdict), _ENOUGH))
    places = _spelt(document, wrong)
    for shown, (rule, message) in wrong.items():
        line, column = places.get(shown, (document.body_line, 1))
        yield Finding(rule, DOCUMENT, f"`{escaped(shown[:_SHOWN])}` {message}", line, column)


@frozen
class Target:
    """Where a link leads: to a `file` of the skill by its path, `elsewhere` on the net, `nowhere`, or to no file.

    The last are places in the text itself, folders, and what a reader is to fill in.
    """

    kind: Literal["file", "elsewhere", "nowhere", "none"]
    path: str = ""


def target_of(link: str, at: ResourcePath, files: Collection[str], folders: Collection[str]) -> Target:
    """Where a link in the file `at` leads, in a skill that has these files, and folders."""
    target = unquote(link.partition("#")[0].partition("?")[0])
    if not target or _PLACEHOLDER.search(target):
        return Target("none")
    if _ELSEWHERE.match(target):
        return Target("elsewhere")
    path = None if _ABSOLUTE.match(target) else _inside(f"{at.rpartition('/')[0]}/{target}")
    if path is None:
        return Target("nowhere")
    if path in files:
        return Target("file", path)
    return Target("none" if not path or path in folders else "nowhere")


def _judge(link: str, there: Mapping[str, str], by_key: Mapping[str, str]) -> tuple[Rule, str] | None:
    target = unquote(link.partition("#")[0].partition("?")[0])
    if not target or _ELSEWHERE.match(target) or _PLACEHOLDER.search(target):
        return None
    if _ABSOLUTE.match(target):
        return rules.LEAVING_LINK, "is not a path in the skill"
    path = _inside(target)
    if path is None:
        return rules.LEAVING_LINK, "leads out of the skill"
    if not path or path in there:
        return None
    if (other := by_key.get(portable_key(path))) is not None:
        return rules.CASE_LINK, f"is spelt `{escaped(other)}` on the disk"
    return rules.BROKEN_LINK, "is not in the skill"


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


def _spelt(document: SkillDocument, wanted: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Line and column at which each destination is first spelt; those spelt by entities may be missing."""
    missing, offsets = set(wanted), dict[str, int]()
    spots = _SPELT.finditer(document.body)
    while missing and (spot := next(spots, None)) is not None:
        group = spot.lastgroup
        if group is None or group == "fence":
            continue
        destination = unquote(_BACKSLASHED.sub(r"\1", spot[group].rstrip()))
        if destination in missing:
            missing.remove(destination)
            offsets[destination] = spot.start(group)
    return dict(zip(offsets, _places(document.body, offsets.values(), document.body_line), strict=True))


def _places(text: str, offsets: Iterable[int], line: int = 1) -> Iterator[tuple[int, int]]:
    """Line and column of ascending offsets in a text that begins in that line."""
    counted = 0
    for offset in offsets:
        line += text.count("\n", counted, offset)
        counted = offset
        yield line, offset - text.rfind("\n", 0, offset)


def lint_text(path: ResourcePath, data: bytes) -> Iterator[Finding]:
    """Text that a person does not see and a model reads: the first runs of it. Nothing for what is not UTF-8 text."""
    try:
        text = "" if data.isascii() else data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return
    found = tuple(islice(hidden_text(text), _ENOUGH))
    for hidden, (line, column) in zip(found, _places(text, (each.offset for each in found)), strict=True):
        shown = escaped(hidden.decoded[:_SHOWN])
        yield Finding(rules.HIDDEN_TEXT, path, f"{hidden.what}: reads as `{shown}`", line, column)


def _nested(paths: Iterable[ResourcePath]) -> Iterator[Finding]:
    for path in paths:
        if path.endswith(f"/{DOCUMENT}"):
            yield Finding(rules.NESTED_SKILL, path, "this file is a resource here, and no skill of its own")
