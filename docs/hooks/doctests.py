"""Examples in docstrings, which Markdown would take for quotations, as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Docstring, Extension, Object

_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Doctests(Extension):
    """Puts every example of a docstring between fences."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """As the docstring of an object is known."""
        if isinstance(obj.docstring, Docstring):
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
