"""Markdown, read by the compiled CommonMark parser of cmarkgfm."""

from __future__ import annotations

from .cmark import CmarkMarkdown

__all__ = ["CmarkMarkdown"]
