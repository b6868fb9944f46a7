"""The URL of a PostgreSQL server: what libpq reads, and what of it may be shown."""

from __future__ import annotations

import re
from typing import Final

from attrs import field, frozen

__all__ = ["ServerUrl", "is_url", "server_url"]

_URL: Final = re.compile(
    r"postgres(?:ql)?://"
    r"(?:(?P<user>[^@/?#:]*)(?::(?P<password>[^@/?#]*))?@)?"
    r"(?P<place>[^@/?#]*)"
    r"(?P<database>/[^@/?#]*)?"
    r"(?:\?(?P<query>[^@#]*))?"
)
"""As section 34.1.1.2 of PostgreSQL's manual has it. What could be read in two ways, `@` and `#`, is to be encoded."""

_SHOWN: Final = frozenset(
    {"application_name", "connect_timeout", "host", "hostaddr", "port", "dbname", "options", "sslmode", "user"}
)
"""Parameters that hold no secret. What is not here is not shown: libpq learns new ones."""


@frozen(repr=False)
class ServerUrl:
    """A server, a database and a user of it; `secret` is the URL as it was given. Only what may be shown is printed."""

    secret: str
    shown: str = field(eq=False)

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return f"<{self.shown}>"


def is_url(text: str) -> bool:
    """Whether somebody means a server, and not a file."""
    return "://" in text


def server_url(text: str) -> ServerUrl:
    """A URL as it was given.

    Raises:
        ValueError: It is none of PostgreSQL's. The error does not hold it.
    """
    found = _URL.fullmatch(text)
    if found is None or not text.isprintable() or " " in text or re.search(r"%(?![0-9A-Fa-f]{2})|%00", text):
        raise ValueError("not the URL of a PostgreSQL server")
    user = "" if found["user"] is None else f"{found['user']}@"
    pairs = [pair for pair in (found["query"] or "").split("&") if pair.partition("=")[0] in _SHOWN]
    query = f"?{'&'.join(pairs)}" if pairs else ""
    return ServerUrl(text, f"postgresql://{user}{found['place']}{found['database'] or ''}{query}")
