"""How a browser is told an address that nobody else may know: by a file that its user alone can read.

What a program is started with can be seen by everybody on the machine, and the address holds a token. So the browser is
started with the file, which leads on to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

__all__ = ["leading_to"]

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Skills</title>
<p><a href="{address}">To the skills</a></p>
"""


@contextmanager
def leading_to(address: str) -> Iterator[str]:
    """The address of a file that leads to an address; the file is gone in the end.

    Raises:
        OSError: It cannot be written.
    """
    with TemporaryDirectory(prefix="kestrel-skills-") as folder:
        path = Path(folder, "open.html")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_PAGE.format(address=escape(address)))
        yield path.as_uri()
