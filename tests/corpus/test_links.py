"""Advice on the links of real skills."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from kestrel_skills_adapters.markdown import CmarkMarkdown
from kestrel_skills_core.domain.document import parse
from kestrel_skills_core.domain.errors import BadDocument
from kestrel_skills_core.domain.lint import lint_links
from kestrel_skills_core.domain.names import DOCUMENT

HEAD = b"---\nname: a\ndescription: b\n---\n"
FRONTMATTER = re.compile(rb"---.*?\n---[ \t]*\n", re.DOTALL)

pytestmark = pytest.mark.corpus


def test_every_link_is_judged_at_its_place(corpus: Path):
    """In every real procedure, whatever its frontmatter: each finding stands where its destination is spelt."""
    markdown, codes = CmarkMarkdown(), Counter[str]()
    for path in sorted(corpus.rglob(DOCUMENT)):
        content = path.read_bytes()
        match = FRONTMATTER.match(content)
        content = HEAD + content[match.end() if match else 0 :]
        try:
            document = parse(content, "a")
        except BadDocument:
            continue
        there = [each.relative_to(path.parent).as_posix() for each in path.parent.rglob("*") if each.is_file()]
        lines = content.decode().split("\n")
        for finding in lint_links(document, there, markdown.links(document.body)):
            codes[finding.code] += 1
            destination = finding.message.split("`")[1]
            assert unquote(lines[finding.line - 1][finding.column - 1 :]).startswith(destination), (path, finding)
    assert codes == {"KS501": 34, "KS502": 33}
