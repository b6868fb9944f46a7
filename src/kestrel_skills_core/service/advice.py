"""Advice on the text of one folder, whatever else is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable

from ..domain.document import parse
from ..domain.errors import BadDocument
from ..domain.findings import Finding, capped
from ..domain.lint import lint
from ..domain.names import DOCUMENT
from ..domain.tree import SkillTree
from ..ports.markdown import Markdown

__all__ = ["with_advice"]


def with_advice(findings: Iterable[Finding], folder: str, tree: SkillTree, markdown: Markdown) -> tuple[Finding, ...]:
    """The findings on a folder of that name, and all advice on its text, in reading order, `Limits.findings` at most.

    Advice is given as soon as `SKILL.md` itself can be read. Blocks for as long as the parser of Markdown takes.
    """
    content = tree.files.get(DOCUMENT)
    advice: Iterable[Finding] = ()
    if content is not None:
        try:
            parsed = parse(content.data, folder)
        except BadDocument:
            pass
        else:
            advice = lint(parsed, tree, markdown.links(parsed.body))
    return capped([*dict.fromkeys([*findings, *advice])])
