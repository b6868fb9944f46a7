"""A procedure as HTML: what it may hold, and that nothing of an author's gets out of it."""

from __future__ import annotations

import mmap
from html.parser import HTMLParser
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.http.rendering import rendered
from kestrel_skills_adapters.markdown.html import html_of
from kestrel_skills_core.domain.lint import target_of
from kestrel_skills_core.domain.names import DOCUMENT
from tests.examples import examples

STATM = Path("/proc/self/statm")

FILES = {"SKILL.md", "references/a.md", 'a"b&c.md'}
BLOCKS = {"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"}
TABLES = {"table", "tbody", "td", "th", "thead", "tr"}
TAGS = {"a", "br", "code", "del", "em", "span", "strong"} | BLOCKS | TABLES
ATTRIBUTES = {"align", "data-broken", "data-image", "data-path", "href", "rel", "start", "target", "title"}


class Elements(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        """Keep a start tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        """Keep a text."""
        self.texts.append(data)

    def handle_comment(self, data):
        """There are none."""
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def page(text: str) -> str:
    """The HTML of a text, in a skill of these files."""
    return rendered(text, html_of, lambda link: target_of(link, DOCUMENT, FILES, {"references"}))


def is_harmless(html: str) -> Elements:
    """See that it holds nothing but what is shown: nothing runs, loads, or looks otherwise than the page says."""
    seen = Elements(html)
    for tag, attributes in seen.tags:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
        href = attributes.get("href") or "#"
        assert href == "#" or href.lower().startswith(("http://", "https://", "mailto:", "//"))
    return seen


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# A\n\nb *c* **d** `e`", "<h1>A</h1>\n<p>b <em>c</em> <strong>d</strong> <code>e</code></p>\n"),
        ("```sh\nls <x>\n```", "<pre><code>ls &lt;x&gt;\n</code></pre>\n"),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>\n'),
        ("~~a~~", "<p><del>a</del></p>\n"),
        ("![a map](map.png)", '<p><span data-image="map.png">a map</span></p>\n'),
        ("![](map.png)", '<p><span data-image="map.png">map.png</span></p>\n'),
    ],
)
def test_what_a_procedure_is_written_in(text: str, html: str) -> None:
    """Headings, code, lists and marks are there; an image is what it says, and is not loaded."""
    assert page(text) == html


def test_a_table() -> None:
    """With its alignment, and no style."""
    seen = is_harmless(page("| a | b |\n|---|--:|\n| 1 | 2 |\n"))
    assert [tag for tag, _ in seen.tags].count("td") == 2
    assert ("td", {"align": "right"}) in seen.tags


@pytest.mark.parametrize(
    ("link", "attributes"),
    [
        ("references/a.md", {"href": "#", "data-path": "references/a.md"}),
        ("a%22b&c.md", {"href": "#", "data-path": 'a"b&c.md'}),
        ("none.md", {"data-broken": ""}),
        ("../../etc/passwd", {"data-broken": ""}),
        ("https://example.org/a?b=c&d", {"href": "https://example.org/a?b=c&d", "target": "_blank"}),
        ("mailto:a@example.org", {"href": "mailto:a@example.org", "target": "_blank"}),
        ("#part", {}),
        ("javascript:alert(1)", {}),
        ("ftp://example.org/", {"target": "_blank"}),
    ],
)
def test_where_a_link_leads_is_marked(link: str, attributes: dict[str, str]) -> None:
    """To a file of the skill, nowhere, or elsewhere in a window that knows nothing of this one."""
    ((tag, found),) = is_harmless(page(f"[x]({link})")).tags[1:]
    assert (tag, found.pop("rel")) == ("a", "noopener noreferrer nofollow")
    assert found == attributes


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<style>*{display:none}</style>",
        "<iframe src='https://evil.example'></iframe>",
        '<a href="javascript:alert(1)" data-path="x">x</a>',
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:msgbox(1))",
        "![x](https://evil.example/pixel.png)",
        '![x](https://evil.example/"onerror=alert(1))',
        '[x](<a.md" onclick="alert(1)>)',
        '[x](a.md "t\\" onmouseover=\\"alert(1)")',
        '<https://evil.example/"><script>alert(1)</script>>',
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "<!-- --><script>alert(1)</script>",
        "<form action=https://evil.example><input name=a></form>",
        "<base href=https://evil.example><meta http-equiv=refresh content=0>",
        "| a |\n|---|\n| <script>alert(1)</script> |",
        '```"><script>alert(1)</script>\nx\n```',
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
        "\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    ],
)
def test_nothing_of_an_author_runs_or_loads(text: str) -> None:
    """Whatever a text tries, it is text."""
    is_harmless(page(text))


MARKS = "<>[]()!\"'`*_~|#-=:/\\&; \n\tabcjs.0"


@settings(max_examples=examples(2000))
@given(st.text(st.sampled_from(MARKS), max_size=80) | st.text(max_size=40))
def test_any_text_is_harmless(text: str) -> None:
    """And comes through to its end."""
    is_harmless(page(text))


@pytest.mark.parametrize(
    "text",
    [">" * 250_000, "*a **b " * 30_000 + "** c*" * 15_000, "- " * 500 + "x", "a|b\n-|-\n" * 32_000 + "x" * 1_000_000],
    ids=["quotes", "marks", "lists", "tables"],
)
def test_what_would_be_too_much_is_shown_as_it_is_written(text: str) -> None:
    """Deep, or many times as long as it is: nothing is left out."""
    seen = Elements(page(text))
    assert [tag for tag, _ in seen.tags] == ["pre"]
    assert "".join(seen.texts) == text


def test_a_deep_text_is_not_a_page() -> None:
    """A hundred elements in one another are; one more are not."""
    assert page(">" * 98 + "a").startswith("<blockquote>")
    assert page(">" * 101 + "a").startswith("<pre>")


def test_four_times_the_text_costs_at_most_six_times_the_time() -> None:
    """Of links, the dearest."""

    def cost(count: int) -> float:
        text = "".join(f"[a](b{number}.md) " for number in range(count))
        begun = perf_counter()
        page(text)
        return perf_counter() - begun

    page("warm")
    assert any(cost(8_000) < 6 * max(cost(2_000), 0.01) for _ in range(4))


@pytest.mark.skipif(not STATM.exists(), reason="only Linux tells a process what it holds now")
def test_memory_is_given_back() -> None:
    """The parser's package never does: a hundred pages would cost it what they hold, which is ten times as much."""
    text = "word *word* [a](b.md)\n\n" * 4_000
    for _ in range(20):
        html_of(text)
    before = resident()
    for _ in range(100):
        html_of(text)
    assert resident() - before < 40_000 * 1024


def resident() -> int:
    """The bytes of memory that this process has now, whatever it had before."""
    return int(STATM.read_text().split()[1]) * mmap.PAGESIZE
