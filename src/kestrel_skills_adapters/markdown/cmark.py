"""The Markdown port on cmark, GitHub's CommonMark parser in C, as the `cmarkgfm` package ships it.

The package renders HTML and gives no syntax tree, so the destinations are read from the HTML. That is exact: in cmark's
safe mode raw HTML is left out and all text is escaped, so the renderer wrote every `<a href="` and `<img src="`.
Neither extensions nor source positions are asked for, because both are many times slower on hostile text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from html import unescape
from typing import Final

from kestrel_skills_core.ports.markdown import Markdown

__all__ = ["CmarkMarkdown"]

_OPENERS: Final = ("](", "]:", "<")
"""An inline link, a reference definition, an autolink: without one of them there is no destination."""
_DESTINATION: Final = re.compile(b'<(?:a href|img src)="([^"]+)"')
_FILE: Final = re.compile("file(?=:)", re.IGNORECASE)
_SHIELD: Final = "-as-written"
"""Safe mode blanks a destination whose scheme is `file`; longer by this it is a scheme still, and comes through."""


class CmarkMarkdown(Markdown):
    """Linear in the text: some 30 ms for the worst 256 KiB known."""

    def links(self, text: str) -> Sequence[str]:
        """The destinations in document order; the parser is only loaded for a text that may hold one."""
        if not any(opener in text for opener in _OPENERS):
            return ()
        found = _DESTINATION.findall(_render()(_FILE.sub(rf"\g<0>{_SHIELD}", text).encode()))
        # All at once, as there may be tens of thousands; a line end cannot stand in one, percent-encoded as they are.
        together = unescape(b"\n".join(found).decode()).replace(f"{_SHIELD}:", ":")
        return tuple(together.split("\n")) if found else ()


@cache
def _render() -> Callable[[bytes], bytes]:
    """The renderer, in safe mode."""
    import ctypes  # noqa: PLC0415 - the parser is loaded when it is first needed

    from cmarkgfm import _cmark  # noqa: PLC0415 - as above

    ffi, lib = _cmark.ffi, _cmark.lib
    free = ctypes.CDLL(None).free
    free.argtypes, free.restype = (ctypes.c_void_p,), None

    def render(text: bytes) -> bytes:
        # cmark gives the caller a string to free. The package's own functions never do, and lose as much memory as
        # the HTML takes at every call.
        html = lib.cmark_markdown_to_html(text, len(text), lib.CMARK_OPT_DEFAULT)
        try:
            return bytes(ffi.string(html))
        finally:
            free(int(ffi.cast("uintptr_t", html)))

    return render
