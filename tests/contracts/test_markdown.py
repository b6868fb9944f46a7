"""The contract of the Markdown port: what every adapter answers, and what only a whole parser can."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.contracts.markdown import MarkdownContract, marked
from kestrel_skills_adapters.markdown import CmarkMarkdown
from kestrel_skills_adapters.memory.markdown import InlineLinks
from kestrel_skills_core.ports.markdown import Markdown
from tests.examples import examples

ADAPTERS = [CmarkMarkdown(), InlineLinks()]


@pytest.fixture(params=ADAPTERS, ids=lambda adapter: type(adapter).__name__)
def markdown(request: pytest.FixtureRequest) -> Markdown:
    """Each adapter."""
    return request.param


@pytest.mark.parametrize(
    ("text", "links"),
    [
        # links
        ("[a](a.md \"title\") [b](b.md 't')", ["a.md", "b.md"]),
        ("[a](<b c.md>)", ["b%20c.md"]),
        ("[a](b%20c.md)", ["b%20c.md"]),
        ("[a](b(c).md)", ["b(c).md"]),
        ("[a](b\\(c.md)", ["b(c.md"]),
        ("[a](ü.md)", ["%C3%BC.md"]),
        ("[e](a&amp;b.md) [f](c&#46;md)", ["a&b.md", "c.md"]),
        ("[q](a.md?x=1&y=2#f)", ["a.md?x=1&y=2#f"]),
        ('["](a"b.md)', ["a%22b.md"]),
        ("['](a'b.md)", ["a'b.md"]),
        ("[[b](b.md)](a.md)", ["b.md"]),
        ("[![i](i.png)](l.md)", ["l.md", "i.png"]),
        ("[a\nb](c.md)", ["c.md"]),
        ("[x](C:\\a\\b.md)", ["C:%5Ca%5Cb.md"]),
        ("- [a](a.md)\n  > [b](b.md)\n\n# [c](c.md)", ["a.md", "b.md", "c.md"]),
        # definitions and autolinks
        ("[a][r] [r] [r][]\n\n[r]: z.md 'title'", ["z.md", "z.md", "z.md"]),
        ("[r]: unused.md", []),
        ("[a][r]\n\n[r]:\n  <z y.md>", ["z%20y.md"]),
        ("<https://example.org> <a@example.org>", ["https://example.org", "mailto:a@example.org"]),
        ("https://example.org", []),
        # what is no link
        ("`[a](a.md)` ``[b](b.md)``", []),
        ("```\n[a](a.md)\n```\n\n~~~\n[b](b.md)\n~~~", []),
        ("    [a](a.md)", []),
        ('<a href="a.md">a</a> <img src="b.png">', []),
        ('<div>\n[a](a.md)\n<a href="b.md">\n</div>', []),
        ("<!-- [a](a.md) -->", []),
        ("\\[a](a.md) [b]\\(b.md)", []),
        ("[a](b c.md)", []),
        ("[a]()", []),
        ('`<a href="a.md">` &lt;a href="b.md"&gt; "<img src="', []),
        # schemes that a renderer blanks
        ("[a](file:///etc/x) <FILE:///y> ![z](file:z.png)", ["file:///etc/x", "FILE:///y", "file:z.png"]),
        ("[a](profile:x) [b](b.md?file:y)", ["profile:x", "b.md?file:y"]),
        ("[a](javascript:x) [b](b.md)", ["b.md"]),
        ("![p](data:image/png;base64,AA)", ["data:image/png;base64,AA"]),
    ],
)
def test_a_parser_sees_what_commonmark_says(text: str, links: Sequence[str]) -> None:
    """References resolved, escapes and entities decoded, code and raw HTML left out, the rest percent-encoded."""
    assert list(CmarkMarkdown().links(text)) == links


@settings(max_examples=examples(2000))
@given(marked)
def test_destinations_fit_a_url(text: str) -> None:
    """What comes out is printable ASCII without spaces, whatever goes in."""
    for link in CmarkMarkdown().links(text):
        assert link.isascii()
        assert link.isprintable()
        assert " " not in link


@given(st.lists(st.text("abcxyz./-_09", min_size=1, max_size=8), max_size=5))
def test_both_adapters_agree_on_plain_links(destinations: list[str]) -> None:
    """Where a text holds nothing but inline links, the fake answers as the parser does."""
    text = "\n\n".join(f"Go [there]({destination}) now." for destination in destinations)
    assert list(InlineLinks().links(text)) == list(CmarkMarkdown().links(text)) == destinations


def test_a_text_without_links_never_loads_the_parser() -> None:
    """Most procedures need none, and pay nothing."""
    code = (
        "import sys; from kestrel_skills_adapters.markdown import CmarkMarkdown\n"
        "assert CmarkMarkdown().links('plain [text] (and) *more*') == ()\n"
        "assert 'cmarkgfm' not in sys.modules\n"
        "assert CmarkMarkdown().links('[a](b)') == ('b',)\n"
        "assert 'cmarkgfm' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_reading_does_not_grow_the_process() -> None:
    """What the parser allocates is freed: 200 readings of 256 KiB, 110 MB of HTML, leave less than 16 MB behind."""
    code = (
        "import resource, sys\n"
        "from kestrel_skills_adapters.markdown import CmarkMarkdown\n"
        "text = ('word [a](b.md) ' * 18_000)[:262_144]\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for _ in range(20): CmarkMarkdown().links(text)\n"
        "before = peak()\n"
        "for _ in range(200): CmarkMarkdown().links(text)\n"
        "print((peak() - before) // (1024 * 1024 if sys.platform == 'darwin' else 1024))\n"
    )
    grown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(grown.stdout) < 16


class TestMarkdown(MarkdownContract):
    """Each of them holds it."""
