"""`bootstrap_config` in SQL for SQLite (3.24 or later) and PostgreSQL, with `?` for parameters.

The table, its indices and its defaults are the host's own (kestrel-sovereign, the schema of its agent database), so
that whichever of the two comes first makes the table that the other expects. Our rows lie under an agent id of their
own, where the host's loader of bootstrap files does not look.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey, row_name, to_row

__all__ = [
    "CREATE",
    "DELETE",
    "INSERT",
    "POSTGRES",
    "SQLITE",
    "STANDING",
    "UPSERT",
    "Dialect",
    "names_of",
    "owner_of",
    "psycopg_form",
    "upsert_values",
]

CREATE: Final = (
    """CREATE TABLE IF NOT EXISTS bootstrap_config (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    file_name TEXT NOT NULL,
    file_path TEXT DEFAULT '',
    enabled INTEGER DEFAULT 1,
    priority INTEGER DEFAULT 100,
    max_size_bytes INTEGER DEFAULT 10240,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
)""",
    "CREATE INDEX IF NOT EXISTS idx_bootstrap_config_agent ON bootstrap_config(agent_id)",
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_bootstrap_config_agent_file ON bootstrap_config(agent_id, file_name)",
)
"""Safe to run where all of it is there."""

_NEW: Final = """INSERT INTO bootstrap_config (id, agent_id, file_name, file_path, enabled, priority, max_size_bytes)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (agent_id, file_name) DO"""

INSERT: Final = f"{_NEW} NOTHING"
"""A row that is not there yet; changes nothing where it is."""

UPSERT: Final = f"""{_NEW} UPDATE SET
    file_path = EXCLUDED.file_path,
    enabled = EXCLUDED.enabled,
    priority = EXCLUDED.priority,
    max_size_bytes = EXCLUDED.max_size_bytes"""

DELETE: Final = "DELETE FROM bootstrap_config WHERE agent_id = ? AND file_name = ?"

STANDING: Final = """SELECT to_regclass('bootstrap_config') IS NOT NULL,
    current_setting('transaction_read_only') = 'off' AND COALESCE(
        has_table_privilege(to_regclass('bootstrap_config')::oid, 'SELECT')
        AND has_table_privilege(to_regclass('bootstrap_config')::oid, 'INSERT')
        AND has_table_privilege(to_regclass('bootstrap_config')::oid, 'UPDATE')
        AND has_table_privilege(to_regclass('bootstrap_config')::oid, 'DELETE'),
        has_schema_privilege(current_schema(), 'CREATE'),
        FALSE
    )"""
"""PostgreSQL: whether the table is there, and whether it may be written, or made where it is not there."""


@frozen
class Dialect:
    """How one database reads rows so that they can be compared with what is there later.

    `name`, `path`, `enabled` and `priority` give the same value for all that reads the same: whatever no state is ever
    written as becomes one value of the column's own type. So `replace` and `delete`, each a single statement, change a
    row only where it still reads as it was read.
    """

    name: str
    path: str
    enabled: str
    priority: str
    has_table: str
    """Gives a row where the table is there."""
    alone: str | None = None
    """Keeps others from making the table before the transaction ends; nothing where a writer is alone anyway."""

    @property
    def select(self) -> str:
        """All rows of an owner, as the fields of a `Row`."""
        columns = f"{self.name}, {self.path}, {self.enabled}, {self.priority}"
        return f"SELECT {columns} FROM bootstrap_config WHERE agent_id = ?"  # noqa: S608 - all of it stands here

    @property
    def select_name(self) -> str:
        """Those of one name, the local row's and the shared one's. Found by the index, whatever else an owner has."""
        return f"{self.select} AND file_name IN (?, ?)"

    @property
    def replace(self) -> str:
        """Write a row that reads so: four values, its owner and name, and the last three fields as they were read."""
        new = "file_path = ?, enabled = ?, priority = ?, max_size_bytes = ?"
        return f"UPDATE bootstrap_config SET {new} {self._still}"  # noqa: S608 - the same

    @property
    def delete(self) -> str:
        """Remove a row that reads so: its owner and name, and the last three fields as they were read."""
        return f"DELETE FROM bootstrap_config {self._still}"  # noqa: S608 - the same

    @property
    def _still(self) -> str:
        seen = f"{self.path} = ? AND {self.enabled} = ? AND {self.priority} = ?"
        return f"WHERE agent_id = ? AND file_name = ? AND {seen}"


_ODD: Final = -1_000_000
"""What neither `enabled` nor `priority` ever is."""

POSTGRES: Final = Dialect(
    name="file_name",
    path="COALESCE(file_path, '')",
    enabled=f"COALESCE(enabled, {_ODD})",
    priority=f"COALESCE(priority, {_ODD})",
    has_table="SELECT 1 WHERE to_regclass('bootstrap_config') IS NOT NULL",
    # Two that make one table at the same time would both find that it is not there, and one of them would fail.
    alone="SELECT pg_advisory_xact_lock(hashtext('bootstrap_config'))",
)

SQLITE: Final = Dialect(
    # Texts as their bytes, since SQLite does not promise that they are UTF-8; and no column holds to its type.
    name="CASE typeof(file_name) WHEN 'text' THEN CAST(file_name AS BLOB) ELSE x'' END",
    path="CASE typeof(file_path) WHEN 'text' THEN CAST(file_path AS BLOB) ELSE x'' END",
    enabled=f"CASE typeof(enabled) WHEN 'integer' THEN enabled ELSE {_ODD} END",
    priority=f"CASE typeof(priority) WHEN 'integer' THEN priority ELSE {_ODD} END",
    has_table="SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'bootstrap_config'",
)


def psycopg_form(statement: str) -> str:
    """A statement as psycopg reads it, with `%s` for parameters. No statement here has a `?` in a text."""
    return statement.replace("%", "%%").replace("?", "%s")


def owner_of(agent: str) -> str:
    """The `agent_id` under which an agent's states lie."""
    return f"procedural-skill-state:{agent}"


def names_of(name: SkillName) -> tuple[str, str]:
    """The last two parameters of `select_name`."""
    return row_name(StateKey(name)), row_name(StateKey(name, shared=True))


def upsert_values(owner: str, key: StateKey, state: SkillState) -> tuple[object, ...]:
    """The parameters of `UPSERT`. A local row has the id that the 0.1.0 release gave it."""
    from uuid import NAMESPACE_URL, uuid5  # noqa: PLC0415 - only a write needs it, and it takes long to import

    name = row_name(key).removeprefix("skill:")
    return (str(uuid5(NAMESPACE_URL, f"kestrel-skills:{owner}:{name}")), owner, *to_row(key, state), LIMITS.file_bytes)
