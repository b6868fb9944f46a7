"""The Markdown port without a parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kestrel_skills_core.ports.markdown import Markdown

__all__ = ["InlineLinks"]

_LINK: Final = re.compile(r"!?\[[^\]\n]*\]\(([^()<>\s]+)\)")


class InlineLinks(Markdown):
    """Sees plain inline links and images, `[text](destination)`, and nothing else: no code, no references."""

    def links(self, text: str) -> Sequence[str]:
        """The destinations as they are spelt, in order."""
        return tuple(_LINK.findall(text))
