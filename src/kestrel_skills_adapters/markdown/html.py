"""Markdown as HTML, by the same parser, with the two extensions that procedures use: tables, and text struck through.

In safe mode: raw HTML is left out, a destination that would run is blanked, and all text is escaped. What is made of
hostile text may be deep and twenty times as long; whoever shows it sees to that.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Final

from cmarkgfm import _cmark

__all__ = ["html_of"]

_EXTENSIONS: Final = (b"table", b"strikethrough")


def html_of(text: str) -> str:
    """The HTML of a text. Linear in it, and in what is made of it."""
    ffi, lib = _cmark.ffi, _cmark.lib
    free_text, free_tree = _frees()
    content = text.encode()
    parser = lib.cmark_parser_new(lib.CMARK_OPT_DEFAULT)
    try:
        for name in _EXTENSIONS:
            lib.cmark_parser_attach_syntax_extension(parser, lib.cmark_find_syntax_extension(name))
        lib.cmark_parser_feed(parser, content, len(content))
        tree = lib.cmark_parser_finish(parser)
        extensions = lib.cmark_parser_get_syntax_extensions(parser)
        html = lib.cmark_render_html(tree, lib.CMARK_OPT_DEFAULT, extensions)
        try:
            return bytes(ffi.string(html)).decode()
        finally:
            free_text(int(ffi.cast("uintptr_t", html)))
            free_tree(int(ffi.cast("uintptr_t", tree)))
    finally:
        lib.cmark_parser_free(parser)


@cache
def _frees() -> tuple[Callable[[int], None], Callable[[int], None]]:
    """What gives back a string and a tree, which the package never does; and what registers the extensions, once."""
    _cmark.lib.cmark_gfm_core_extensions_ensure_registered()
    of_text, of_tree = ctypes.CDLL(None).free, ctypes.CDLL(_cmark.__file__).cmark_node_free
    for free in (of_text, of_tree):
        free.argtypes, free.restype = (ctypes.c_void_p,), None
    return of_text, of_tree
