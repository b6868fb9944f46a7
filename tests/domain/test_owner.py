"""Whose a root is, written and read, and what is told to whoever asks another table."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.owner import (
    OWNER_BYTES,
    Aim,
    Elsewhere,
    Owner,
    Part,
    elsewhere,
    parse_owner,
    render_owner,
)
from tests.examples import examples

KITE = "did:example:kite"
BESIDE = Owner(agent=KITE, table="sqlite", file="kestrel.db")
FILED = Owner(agent=KITE, table="sqlite")
SERVED = Owner(agent=KITE, table="postgres")
SAID: dict[str, object] = {"schema": 1, "agent": KITE, "table": "sqlite", "file": "kestrel.db"}

VISIBLE = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=60)


def said(**members: object) -> bytes:
    """The content of a file that says the same but for these; nothing is left out that is not `...`."""
    return json.dumps({name: value for name, value in {**SAID, **members}.items() if value is not ...}).encode()


@pytest.mark.parametrize(
    ("owner", "content"),
    [
        (BESIDE, b'{"schema": 1, "agent": "did:example:kite", "table": "sqlite", "file": "kestrel.db"}\n'),
        (FILED, b'{"schema": 1, "agent": "did:example:kite", "table": "sqlite"}\n'),
        (SERVED, b'{"schema": 1, "agent": "did:example:kite", "table": "postgres"}\n'),
        (Owner(agent="did:x:é", table="postgres"), '{"schema": 1, "agent": "did:x:é", "table": "postgres"}\n'.encode()),
    ],
)
def test_what_is_written_is_read(owner: Owner, content: bytes) -> None:
    """One object on one line; a file only where there is one beside."""
    assert render_owner(owner) == content
    assert parse_owner(content) == owner


def test_what_else_is_said_does_no_harm() -> None:
    """A later release may say more, in the same schema."""
    assert parse_owner(said(since="2026", table="sqlite")) == BESIDE


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[" * 5_000,
        b"[]",
        b"null",
        said(schema=2),
        said(schema=0),
        said(schema=True),
        said(schema="1"),
        said(schema=...),
        said(agent=...),
        said(agent=""),
        said(agent=" "),
        said(agent=7),
        said(agent=None),
        said(agent="did:\x1b[2J"),
        said(agent="did:\ud800"),
        said(agent="d" * 2_049),
        said(table=...),
        said(table="mysql"),
        said(table=["sqlite"]),
        said(table={}),
        said(file=None),
        said(file="../kestrel.db"),
        said(file="/etc/passwd"),
        said(file=".."),
        said(file="."),
        said(file="a\nb"),
        said(file="é" * 128),
        said(table="postgres"),
        said(more="x" * OWNER_BYTES),
    ],
)
def test_what_is_not_of_this_form_says_nothing(content: bytes) -> None:
    """Whatever is wrong with it, nobody knows whose the root is."""
    assert parse_owner(content) is None


def test_what_is_not_of_this_form_cannot_be_said() -> None:
    """So that whatever is written can be read."""
    for agent, table, file in [
        ("", "sqlite", ""),
        (KITE, "mysql", ""),
        (KITE, "sqlite", "a/b"),
        (KITE, "postgres", "a"),
    ]:
        wrong: Any = table
        with pytest.raises(ValueError, match=r"agent|table|SQLite"):
            Owner(agent=agent, table=wrong, file=file)


def test_the_longest_that_can_be_said_can_be_read() -> None:
    """A DID of the most characters, of four bytes each, and the longest name that a disk has."""
    longest = Owner(agent="\U0001f9f6" * 2_048, table="sqlite", file="\\" * 255)
    assert len(render_owner(longest)) <= OWNER_BYTES
    assert parse_owner(render_owner(longest)) == longest


@settings(max_examples=examples(2000))
@given(
    st.binary(max_size=80)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(SAID)), inner, max_size=4),
    ).map(lambda members: json.dumps(members).encode())
)
def test_any_content_is_an_owner_or_says_nothing(content: bytes) -> None:
    """It never raises; and what was read is written as it reads."""
    owner = parse_owner(content)
    assert owner is None or parse_owner(render_owner(owner)) == owner


@given(VISIBLE, st.sampled_from(["", "kestrel.db", "agent data.sqlite3"]))
def test_any_agent_comes_back(agent: str, file: str) -> None:
    """To the character."""
    owner = Owner(agent=agent, table="sqlite", file=file)
    assert parse_owner(render_owner(owner)) == owner


def test_an_agent_ousts_another_and_not_itself() -> None:
    """Whatever its table was before."""
    other = Owner(agent="did:example:wren", table="sqlite")
    assert BESIDE.ousts(other) == other
    assert BESIDE.ousts(SERVED) is None
    assert BESIDE.ousts(None) is None


def aim(agent: str = KITE, *chosen: Part, server: bool = False, is_file: bool | None = None) -> Aim:
    """Where somebody looks."""
    return Aim(agent=agent, table="postgres" if server else "sqlite", is_file=is_file, chosen=chosen)


@pytest.mark.parametrize(
    ("owner", "looks", "parts"),
    [
        (BESIDE, aim(is_file=True), ()),
        (BESIDE, aim(is_file=False), ("table",)),
        (BESIDE, aim(server=True), ("table",)),
        (BESIDE, aim("local", is_file=True), ("agent",)),
        (BESIDE, aim("local", is_file=False), ("agent", "table")),
        (FILED, aim(), ()),
        (FILED, aim(is_file=False), ("table",)),
        (SERVED, aim(server=True), ()),
        (SERVED, aim(server=True, is_file=False), ()),
        (SERVED, aim(is_file=None), ("table",)),
        (SERVED, aim("local", server=True), ("agent",)),
    ],
)
def test_who_looks_elsewhere_is_told(owner: Owner, looks: Aim, parts: tuple[Part, ...]) -> None:
    """Of another agent, of another kind of table, and of another file; any server may be the one."""
    found = elsewhere(owner, looks)
    assert (() if found is None else found.parts) == parts


@pytest.mark.parametrize(
    ("looks", "meant"),
    [
        (aim("local", is_file=False), False),
        (aim("local", "agent", is_file=False), False),
        (aim("local", "table", is_file=False), False),
        (aim("local", "agent", "table", is_file=False), True),
        (aim("local", "agent", is_file=True), True),
        (aim(KITE, "table", is_file=False), True),
        (aim(KITE, "agent", is_file=False), False),
    ],
)
def test_what_nobody_chose_is_a_guess(looks: Aim, meant: bool) -> None:
    """All that differs must have been chosen."""
    found = elsewhere(BESIDE, looks)
    assert found is not None
    assert found.meant is meant


@pytest.mark.parametrize(
    ("owner", "where"),
    [
        (BESIDE, "the file `kestrel.db` beside their folder"),
        (FILED, "a SQLite file of its host"),
        (SERVED, "a PostgreSQL database of its host"),
    ],
)
def test_it_is_said_which_table_decides(owner: Owner, where: str) -> None:
    """As far as the owner told."""
    told = str(Elsewhere(owner, ("agent",), meant=False))
    assert told == f"these skills are those of did:example:kite, and what is on for it stands in {where}"
