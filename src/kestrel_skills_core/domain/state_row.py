"""A skill's state and the row of `bootstrap_config` it is kept in, both ways.

The table has no column for a value, so `file_path` says what was switched on:

    skill://<name>?source=agent-local&generation=<64 hex>[&revision=<64 hex>]
    skill://<name>?source=host-shared&root=<64 hex>[&revision=<64 hex>]

A `file_path` that is not exactly what this module would write for it is inert: the row is off, whatever it says. That
holds for rows of the 0.1.0 release (`skill://<name>`), which name no subject.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from attrs import frozen

from .names import Generation, Revision, SkillName, digest, is_skill_name
from .record import PRIORITIES, SkillState, Subject

__all__ = ["Row", "StateKey", "from_row", "to_row"]

_SHARED: Final = "@host-shared"
_PREFIX: Final = "skill:"


@frozen
class StateKey:
    """Whose state: of the local folder of that name (git ones included), or of the shared one."""

    name: SkillName
    shared: bool = False


@frozen
class Row:
    """The columns of a row that carry meaning."""

    file_name: str
    file_path: str
    enabled: int
    priority: int


def to_row(key: StateKey, state: SkillState) -> Row:
    """The row that a state is kept in."""
    file_name = f"{_PREFIX}{key.name}{_SHARED if key.shared else ''}"
    return Row(file_name, _file_path(key, state), int(state.enabled), state.priority)


def from_row(row: Row) -> tuple[StateKey, SkillState] | None:
    """What a row says; nothing where it is no row of a skill's state."""
    if not row.file_name.startswith(_PREFIX):
        return None
    name = row.file_name.removeprefix(_PREFIX)
    shared = name.endswith(_SHARED)
    name = name.removesuffix(_SHARED)
    if not is_skill_name(name) or row.enabled not in (0, 1) or row.priority not in PRIORITIES:
        return None
    key = StateKey(SkillName(name), shared)
    state = _state(key, row)
    return key, state if to_row(key, state) == row else SkillState(enabled=row.enabled == 1, priority=row.priority)


def _file_path(key: StateKey, state: SkillState) -> str:
    path = f"skill://{quote(key.name, safe='')}"
    subject = state.subject
    if subject is None:
        return path
    values = [("source", "host-shared" if key.shared else "agent-local")]
    values += [("root", subject.root)] if subject.root is not None else []
    values += [("generation", subject.generation)] if subject.generation is not None else []
    values += [("revision", state.pin)] if state.pin is not None else []
    return f"{path}?{urlencode(values)}"


def _state(key: StateKey, row: Row) -> SkillState:
    """The state the row would mean if it were exactly what `to_row` writes."""
    values = dict(parse_qsl(row.file_path.partition("?")[2]))
    root, generation, pin = (digest(values.get(part, "")) for part in ("root", "generation", "revision"))
    if key.shared:
        subject = Subject(root=root) if root is not None else None
    else:
        subject = Subject(generation=Generation(generation)) if generation is not None else None
    return SkillState(
        enabled=row.enabled == 1,
        priority=row.priority,
        subject=subject,
        pin=None if pin is None or subject is None else Revision(pin),
    )
