"""A procedure as HTML that can be put into a page: no script, no style, nothing that loads, and every link marked.

The HTML comes from a parser of Markdown that writes no element of an author's; what it wrote is marked, and cleaned by
a list of what may be there. A link to a file of the skill has its path in `data-path`, one that leads nowhere has
`data-broken`; both stay on the page. An image is its text, and what it would show.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html import escape, unescape
from typing import Final

from kestrel_skills_core.domain.lint import Target

__all__ = ["rendered"]

_LINK: Final = re.compile(r'<a href="([^"]*)"')
_IMAGE: Final = re.compile(r'<img src="([^"]*)" alt="([^"]*)"(?: title="[^"]*")? />')
_ELEMENT: Final = re.compile(r"<(/?)(?:a|blockquote|del|em|li|ol|p|strong|table|ul)\b")
_DEPTH: Final = 100
"""Elements in one another; more cost a reader of HTML time that grows with their square."""
_CHARS: Final = 2 * 1024 * 1024
"""Of HTML: a table may be written so that it is twenty times as long as its text."""

_BLOCKS: Final = {"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"}
_TABLES: Final = {"table", "tbody", "td", "th", "thead", "tr"}
_TAGS: Final = {"a", "br", "code", "del", "em", "span", "strong", *_BLOCKS, *_TABLES}
_ATTRIBUTES: Final = {
    "a": {"data-broken", "data-path", "href", "target", "title"},
    "ol": {"start"},
    "span": {"data-image"},
    "td": {"align"},
    "th": {"align"},
}
_SCHEMES: Final = {"http", "https", "mailto"}


def rendered(text: str, html: Callable[[str], str], leads: Callable[[str], Target]) -> str:
    """The HTML of a text; `html` is the parser, and `leads` says where a link leads.

    A text of which too much would become is shown as it is written.
    """
    import nh3  # noqa: PLC0415 - only who looks at a procedure pays for it

    found = html(text)
    if len(found) > _CHARS or _depth(found) > _DEPTH:
        return f"<pre>{escape(text, quote=False)}</pre>"
    return nh3.clean(
        _LINK.sub(_marked(cache(leads)), _IMAGE.sub(_described, found)),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )


def _marked(leads: Callable[[str], Target]) -> Callable[[re.Match[str]], str]:
    def mark(link: re.Match[str]) -> str:
        target = leads(unescape(link[1]))
        if target.kind == "file":
            return f'<a href="#" data-path="{escape(target.path)}"'
        if target.kind == "elsewhere":
            return f'{link[0]} target="_blank"'
        return "<a data-broken=''" if target.kind == "nowhere" else "<a"

    return mark


def _described(image: re.Match[str]) -> str:
    return f'<span data-image="{image[1]}">{image[2] or image[1]}</span>'


def _depth(html: str) -> int:
    depth = deepest = 0
    for element in _ELEMENT.finditer(html):
        depth += -1 if element[1] else 1
        deepest = max(deepest, depth)
    return deepest
