"""`bootstrap_config` in SQL that SQLite (3.24 or later) and PostgreSQL both read, with `?` for parameters.

The table, its indices and its defaults are the host's own (kestrel-sovereign, the schema of its agent database), so
that whichever of the two comes first makes the table that the other expects. Our rows lie under an agent id of their
own, where the host's loader of bootstrap files does not look.
"""

from __future__ import annotations

from typing import Final

from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey, row_name, to_row

__all__ = ["CREATE", "DELETE", "SELECT", "SELECT_NAME", "UPSERT", "names_of", "owner_of", "upsert_values"]

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

SELECT: Final = "SELECT file_name, file_path, enabled, priority FROM bootstrap_config WHERE agent_id = ?"
"""All rows of an owner, as the fields of a `Row`."""

SELECT_NAME: Final = f"{SELECT} AND file_name IN (?, ?)"
"""Those of one name, the local row's and the shared one's. Found by the index, whatever else an owner has."""

UPSERT: Final = """INSERT INTO bootstrap_config (id, agent_id, file_name, file_path, enabled, priority, max_size_bytes)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (agent_id, file_name) DO UPDATE SET
    file_path = EXCLUDED.file_path,
    enabled = EXCLUDED.enabled,
    priority = EXCLUDED.priority,
    max_size_bytes = EXCLUDED.max_size_bytes"""

DELETE: Final = "DELETE FROM bootstrap_config WHERE agent_id = ? AND file_name = ?"


def owner_of(agent: str) -> str:
    """The `agent_id` under which an agent's states lie."""
    return f"procedural-skill-state:{agent}"


def names_of(name: SkillName) -> tuple[str, str]:
    """The last two parameters of `SELECT_NAME`."""
    return row_name(StateKey(name)), row_name(StateKey(name, shared=True))


def upsert_values(owner: str, key: StateKey, state: SkillState) -> tuple[object, ...]:
    """The parameters of `UPSERT`. A local row has the id that the 0.1.0 release gave it."""
    from uuid import NAMESPACE_URL, uuid5  # noqa: PLC0415 - only a write needs it, and it takes long to import

    name = row_name(key).removeprefix("skill:")
    return (str(uuid5(NAMESPACE_URL, f"kestrel-skills:{owner}:{name}")), owner, *to_row(key, state), LIMITS.file_bytes)
