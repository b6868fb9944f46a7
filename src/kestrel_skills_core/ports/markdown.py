"""Port: reading Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

__all__ = ["Markdown"]


class Markdown(Protocol):
    """A CommonMark parser."""

    def links(self, text: str) -> Sequence[str]:
        """The destinations of all links and images, in document order, with repetitions.

        As a browser would follow them: entities decoded, reference definitions resolved, what a URL cannot hold
        percent-encoded, what stands in code or raw HTML left out. None is empty. Linear in the text, for any text
        without NUL. A destination that the parser deems unsafe may be left out, but not one of scheme `file`.
        """
        ...
