"""The home that the 0.1.0 release left (`make.py` made it), unpacked anywhere."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from kestrel_skills_adapters.sql.statements import CREATE

__all__ = ["ON", "OldHome", "unpack"]

HERE: Final = Path(__file__).parent
ON: Final = ("sow", "dig", "graft", "rake", "vine")
"""What is on in that home, in the order of the catalog: that release said so, and its folder is still there."""

_COLUMNS: Final = ("id", "agent_id", "file_name", "file_path", "enabled", "priority", "max_size_bytes")


@frozen
class OldHome:
    """Where its two roots were unpacked, and what else was written down of it."""

    skills: Path
    shared: Path
    agent: str
    rows: list[dict[str, Any]]
    nodes: list[dict[str, Any]]
    said: list[dict[str, Any]]
    """What the release said of each skill the last time that it was asked."""

    def fill(self, database: Path, agent: str | None = None) -> None:
        """Put the rows into a database, which is made if it is not there; as rows of another agent, if one is named."""
        owner = f"procedural-skill-state:{agent or self.agent}"
        values = [tuple((row | {"agent_id": owner})[column] for column in _COLUMNS) for row in self.rows]
        statement = f"INSERT INTO bootstrap_config ({', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        with closing(sqlite3.connect(database)) as table, table:
            for create in CREATE:
                table.execute(create)
            table.executemany(statement, values)


def unpack(skills: Path, shared: Path) -> OldHome:
    """Unpack the two roots into these folders."""
    with tarfile.open(HERE / "0.1.0.tar.gz") as archive:
        for member in archive.getmembers():
            root, _, path = member.name.partition("/")
            member.name = path or "."
            archive.extract(member, {"skills": skills, "shared": shared}[root], filter="data")
    return OldHome(skills, shared, **json.loads((HERE / "0.1.0.json").read_text()))
