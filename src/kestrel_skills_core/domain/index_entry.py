"""An entry of the graph index and the node it is kept in, both ways.

    node_id     procedural-skill:<first 32 hex digits of SHA-256 over the agent's DID, a NUL, and the name>
    node_type   procedural_skill
    label       <name>
    properties  agent_id name description source_id enabled priority revision created_at

Rule 1: a node whose id, type and label are not those of one skill of this agent is no node of the index.
Rule 2: a node of the index whose properties this module would not write says nothing, and is written over. Properties
        beside them are passed over.
Rule 3: the nodes of the 0.1.0 release have no `revision`. They are read, and differ from what would be written now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from attrs import Attribute, field, frozen

from .names import Revision, SkillName, SourceId, digest, is_skill_name
from .record import PRIORITIES, SkillRecord

__all__ = ["NODE_TYPE", "IndexEntry", "Node", "entry_of", "from_node", "node_id", "to_node"]

NODE_TYPE: Final = "procedural_skill"
"""The type of the nodes that tell of skills."""
_SOURCES: Final = frozenset(SourceId)


def _is_utc(_: object, attribute: Attribute[Any], value: datetime) -> None:
    if value.utcoffset() != timedelta(0):
        raise ValueError(f"{attribute.name} must be in UTC, with its zone")


@frozen(kw_only=True)
class IndexEntry:
    """What the index says of one skill that resolves. `revision` is nothing where the 0.1.0 release wrote it.

    Raises:
        ValueError: The time is not in UTC.
    """

    name: SkillName
    description: str
    source: SourceId
    enabled: bool
    priority: int
    revision: Revision | None
    created_at: datetime = field(validator=_is_utc)


class Node(NamedTuple):
    """A node of a property graph. What was read can be anything."""

    node_id: object
    node_type: object
    label: object
    properties: object


def entry_of(record: SkillRecord, created_at: datetime) -> IndexEntry:
    """What the index is to say of a skill."""
    return IndexEntry(
        name=record.name,
        description=record.description,
        source=record.source,
        enabled=record.enabled,
        priority=record.priority,
        revision=record.revision,
        created_at=created_at,
    )


def node_id(agent: str, name: SkillName) -> str:
    """The id of a skill's node. Ids are global in a graph, so that the agent is in it; its DID may be any text."""
    said = hashlib.sha256(f"{agent}\0{name}".encode(errors="surrogatepass"))
    return f"procedural-skill:{said.hexdigest()[:32]}"


def to_node(agent: str, entry: IndexEntry) -> Node:
    """The node that an entry is kept in: texts, and a dictionary of values that JSON has."""
    properties: dict[str, object] = {
        "agent_id": agent,
        "name": entry.name,
        "description": entry.description,
        "source_id": entry.source.value,
        "enabled": entry.enabled,
        "priority": entry.priority,
        "created_at": entry.created_at.isoformat(),
    }
    if entry.revision is not None:
        properties["revision"] = entry.revision
    return Node(node_id(agent, entry.name), NODE_TYPE, entry.name, properties)


def from_node(agent: str, node: Node) -> tuple[SkillName, IndexEntry | None] | None:
    """Which skill a node is of, and what it says of it, if anything; nothing where it is no node of the index.

    Never raises.
    """
    label = node.label
    if not isinstance(label, str) or not is_skill_name(label) or node.node_type != NODE_TYPE:
        return None
    name = SkillName(label)
    if node.node_id != node_id(agent, name):
        return None
    return name, _entry(agent, name, node.properties)


def _entry(agent: str, name: SkillName, properties: object) -> IndexEntry | None:
    if not isinstance(properties, Mapping) or (properties.get("agent_id"), properties.get("name")) != (agent, name):
        return None
    description, source, enabled = (properties.get(key) for key in ("description", "source_id", "enabled"))
    priority, revision = properties.get("priority"), properties.get("revision")
    created_at = _instant(properties.get("created_at"))
    if not isinstance(description, str) or not isinstance(source, str) or type(enabled) is not bool:
        return None
    if source not in _SOURCES or type(priority) is not int or priority not in PRIORITIES or created_at is None:
        return None
    if "revision" in properties and (not isinstance(revision, str) or digest(revision) is None):
        return None
    return IndexEntry(
        name=name,
        description=description,
        source=SourceId(source),
        enabled=enabled,
        priority=priority,
        revision=None if revision is None else Revision(revision),
        created_at=created_at,
    )


def _instant(text: object) -> datetime | None:
    """The time that a text spells as this module does: hosts order nodes by this text, and forget some by it."""
    try:
        instant = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if instant is None or instant.utcoffset() != timedelta(0) or instant.isoformat() != text:
        return None
    return instant
