"""The one git server that the programs of these tests can reach, and the repository on it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from attrs import frozen

from kestrel_skills_core.domain.tree import Content
from tests.git.repositories import made
from tests.git.servers import HOST, Asked, backend, serving

__all__ = ["FOLDER", "URL", "Outside", "outside"]

FOLDER: Final = Path(__file__).with_name("net")
"""What makes the server's name known to a program, once it is on its path."""
URL: Final = f"https://{HOST}/knots"
_EVIL: Final = "<img src=x onerror=document.title=1>"
_FILES: Final = {
    "skills/knots/SKILL.md": b"---\nname: knots\ndescription: Use when something has to be tied.\n---\n"
    b"# Knots\n\nOver, under, through.\n",
    "skills/knots/bends.md": b"Carrick.\n",
    "skills/splices/SKILL.md": b"---\nname: splices\ndescription: Use to splice.\nversion: 2\n---\nSplice.\n",
    "skills/snares/SKILL.md": f"---\nname: snares\ndescription: Use {_EVIL}\n---\n{_EVIL}\n".encode(),
    f"skills/snares/{_EVIL}.md": b"Snare.\n",
}


@frozen
class Outside:
    """The server: the commit that it has, what a program must be told to find it, and whether it holds its answers."""

    commit: str
    environ: Mapping[str, str]
    holds: threading.Event


@contextmanager
def outside(folder: Path) -> Iterator[Outside]:
    """A real git server behind TLS on loopback, its repository made and its certificate vouched for in a folder."""
    refs = made(folder / "served" / "knots", {"main": {path: Content(text) for path, text in _FILES.items()}})
    holds, answer = threading.Event(), backend(folder / "served")

    def script(asked: Asked) -> None:
        if holds.is_set() and asked.method == "POST":
            asked.wait(60)
        answer(asked)

    with serving(script) as served:
        trusted = served.authority.write(folder / "trusted.pem")
        environ = {"OUTSIDE_PORT": str(served.port), "SSL_CERT_FILE": str(trusted)}
        yield Outside(refs["refs/heads/main"], environ, holds)
