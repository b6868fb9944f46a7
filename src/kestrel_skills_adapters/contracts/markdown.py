"""The contract of the Markdown port: what every adapter answers, and what only a whole parser can."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.ports.markdown import Markdown

__all__ = ["MarkdownContract", "marked"]

marked = st.text(st.sampled_from("ab [](){}<>!`~*_#&;:/.\\\n\t -=|\"'é漢"), max_size=60)
"""Texts of little but what CommonMark gives a meaning."""


class MarkdownContract:
    """Every reader of Markdown. The fixture `markdown` is one."""

    @pytest.mark.parametrize(
        ("text", "links"),
        [
            ("", []),
            ("Nothing to see.", []),
            ("See [the map](map.md).", ["map.md"]),
            ("![a bird](img/bird.png)", ["img/bird.png"]),
            ("[a](a.md) and [b](b.md)\n\n[c](c.md)", ["a.md", "b.md", "c.md"]),
            ("[a](a.md) [a](a.md)", ["a.md", "a.md"]),
            ("[up](../x.md) [abs](/etc/x) [frag](#top) [both](a.md#top)", ["../x.md", "/etc/x", "#top", "a.md#top"]),
            ("[web](https://example.org/a?b=c)", ["https://example.org/a?b=c"]),
            ("[mail](mailto:a@example.org)", ["mailto:a@example.org"]),
            ("[](empty.md)", ["empty.md"]),
            ("[half](", []),
            ("[no] (no.md)", []),
        ],
    )
    def test_inline_links_are_found(self, markdown: Markdown, text: str, links: Sequence[str]) -> None:
        """All destinations, in document order, with repetitions."""
        assert list(markdown.links(text)) == links

    def test_any_text_is_read(self, markdown: Markdown) -> None:
        """Whatever the text, there are destinations, and none of them is empty."""

        @given(marked)
        def read(text: str) -> None:
            assert all(markdown.links(text))

        read()
