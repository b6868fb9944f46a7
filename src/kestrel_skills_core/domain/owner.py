"""Whose a root is: `owner.json` in this library's own folder, and what is told to whoever asks another table.

A host leaves it in the root of an agent, since whoever comes to the root by hand cannot know in which table the host
keeps what is on. It is a hint for people: nothing is ever on, off or permitted by it.

Format: a JSON object in UTF-8 of at most 16,384 bytes: `schema` (1), `agent` (the DID), `table` (`sqlite` or
`postgres`), and `file`, where the table is in a SQLite file in the very folder that the root lies in: its name there,
so that both may be moved together. No address of a server, no name of a user and no password is ever in it.

Rule 1: what cannot be read, is not of this form, or is of a later schema, says nothing.
Rule 2: whoever asks for another agent's rows, or another table, is told so, and how to ask for what the host sees.
Rule 3: what nobody chose is a guess. A switch by a guess that is known to be wrong is refused; of what somebody chose,
        it is done, and told.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final, Literal, get_args

from attrs import Attribute, field, frozen

__all__ = [
    "OWNER",
    "OWNER_BYTES",
    "Aim",
    "Elsewhere",
    "Owner",
    "Part",
    "Table",
    "elsewhere",
    "parse_owner",
    "render_owner",
]

OWNER: Final = "owner.json"
OWNER_BYTES: Final = 16_384
_SCHEMA: Final = 1
_AGENT: Final = 2_048
"""Characters of a DID, of which each may take four bytes. Some hold a whole key or document."""
_NAME: Final = 255
"""Bytes of one name on the file systems in use."""

Table = Literal["sqlite", "postgres"]
"""A kind of table of states."""
Part = Literal["agent", "table"]
"""What somebody may choose, and what may be another than the owner's."""


def _check_agent(_: object, __: Attribute[str], value: object) -> None:
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > _AGENT:
        raise ValueError("an agent is named by printable characters that are not all blank, 2,048 at most")


def _check_table(_: object, __: Attribute[Table], value: object) -> None:
    if value not in get_args(Table):
        raise ValueError("a table is one of SQLite or of PostgreSQL")


def _check_file(owner: Owner, _: Attribute[str], value: object) -> None:
    if not isinstance(value, str) or not value.isprintable() or len(value.encode()) > _NAME:
        raise ValueError("a file's name is printable, and at most 255 bytes")
    if "/" in value or value in (".", "..") or (value and owner.table != "sqlite"):
        raise ValueError("it is the name of a SQLite file in one folder with the root")


@frozen(kw_only=True)
class Owner:
    """The agent whose own a root is, and the table in which its host keeps what is on.

    `file` is the name of the SQLite file in the folder that the root lies in; empty where it is elsewhere.
    """

    agent: str = field(validator=_check_agent)
    table: Table = field(validator=_check_table)
    file: str = field(default="", validator=_check_file)

    def ousts(self, before: Owner | None) -> Owner | None:
        """The one whose root it was said to be until now, where that is another agent."""
        return before if before is not None and before.agent != self.agent else None


def render_owner(owner: Owner) -> bytes:
    """The content of the file."""
    members = {"schema": _SCHEMA, "agent": owner.agent, "table": owner.table}
    if owner.file:
        members["file"] = owner.file
    return json.dumps(members, ensure_ascii=False).encode() + b"\n"


def parse_owner(content: bytes) -> Owner | None:
    """What a file of this content says; nothing by rule 1. Never raises."""
    if len(content) > OWNER_BYTES:
        return None
    try:
        found: Any = json.loads(content)
        if not isinstance(found, dict) or type(found.get("schema")) is not int or found["schema"] != _SCHEMA:
            return None
        return Owner(agent=found["agent"], table=found["table"], file=found.get("file", ""))
    except (ValueError, KeyError, RecursionError):
        return None


@frozen(kw_only=True)
class Aim:
    """Where somebody looks for what is on: whose rows, in which kind of table, and which of the two somebody chose.

    `is_file` is whether it is the very SQLite file that the owner names; nothing where nobody can tell.
    """

    agent: str
    table: Table
    is_file: bool | None = None
    chosen: Collection[Part] = ()


@frozen
class Elsewhere:
    """What a host sees is elsewhere than where somebody looks; `parts` is in what the two differ.

    `meant` is whether somebody chose each of these.
    """

    owner: Owner
    parts: tuple[Part, ...]
    meant: bool

    def __str__(self) -> str:
        owner = self.owner
        where = "a SQLite file of its host" if owner.table == "sqlite" else "a PostgreSQL database of its host"
        if owner.file:
            where = f"the file `{owner.file}` beside their folder"
        return f"these skills are those of {owner.agent}, and what is on for it stands in {where}"


def elsewhere(owner: Owner, aim: Aim) -> Elsewhere | None:
    """What is told to whoever looks there, by rules 2 and 3; nothing where they see what the host does.

    Of servers only the kind is known, so that any will do.
    """
    parts: list[Part] = []
    if aim.agent != owner.agent:
        parts.append("agent")
    if aim.table != owner.table or (owner.table == "sqlite" and aim.is_file is False):
        parts.append("table")
    return Elsewhere(owner, tuple(parts), all(part in aim.chosen for part in parts)) if parts else None
