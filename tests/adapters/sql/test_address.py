"""The URL of a server: what of it may be shown."""

from __future__ import annotations

import pytest

from kestrel_skills_adapters.sql.address import is_url, server_url


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("postgresql://", "postgresql://"),
        ("postgres://db.example", "postgresql://db.example"),
        ("postgresql://ada@db.example:5433/skills", "postgresql://ada@db.example:5433/skills"),
        ("postgresql://ada:secret@db.example/skills", "postgresql://ada@db.example/skills"),
        ("postgresql://ada:@db.example/skills", "postgresql://ada@db.example/skills"),
        ("postgresql://:secret@db.example/skills", "postgresql://@db.example/skills"),
        ("postgresql://ada:se%40cret@[::1]:5432/skills", "postgresql://ada@[::1]:5432/skills"),
        ("postgresql://one.example:1,two.example:2/skills", "postgresql://one.example:1,two.example:2/skills"),
        ("postgresql:///skills?host=/run/pg&password=secret", "postgresql:///skills?host=/run/pg"),
        ("postgresql:///?sslpassword=secret&user=ada&x=secret", "postgresql:///?user=ada"),
        ("postgresql:///?PASSWORD=secret", "postgresql:///"),
    ],
)
def test_what_is_shown(given: str, shown: str) -> None:
    """All that says which server and whose it is, and nothing that could be a secret; the URL itself is kept."""
    url = server_url(given)
    assert str(url) == shown
    assert "secret" not in repr(url)
    assert url.secret == given


@pytest.mark.parametrize(
    "given",
    [
        "mysql://ada:secret@db.example/skills",
        "postgresql:/db.example",
        "postgresql://ada:sec@ret@db.example/skills",
        "postgresql://ada:sec#ret@db.example/skills",
        "postgresql://ada:secret%zz@db.example/skills",
        "postgresql://ada:secret@db.example/skills%00",
        "postgresql://ada:secret@db.example/sk ills",
        "postgresql://ada:secret@db.example/skills\n",
        "postgresql://ada:sec/ret@db.example/skills",
        "postgresql://db.example/skills?password=sec@ret",
    ],
)
def test_what_is_refused(given: str) -> None:
    """What could be read in two ways, so that a part of a password might be shown, is refused and not repeated."""
    with pytest.raises(ValueError, match="not the URL of a PostgreSQL server") as caught:
        server_url(given)
    assert "ret" not in str(caught.value)


def test_a_url_is_no_path() -> None:
    """Whatever has a scheme is a URL."""
    assert is_url("postgresql://x")
    assert is_url("x://")
    assert not is_url("states.db")
    assert not is_url("a:/b//c")
