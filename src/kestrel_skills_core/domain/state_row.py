"""A skill's state and the row of `bootstrap_config` it is kept in, both ways.

The table has no column for a value, so `file_path` says what was switched on:

    skill://<name>?source=agent-local&generation=<64 hex>[&revision=<64 hex>]
    skill://<name>?source=host-shared&root=<64 hex>[&revision=<64 hex>]
    skill://<name>?source=none

Rule 1: a row whose `file_name`, `enabled` or `priority` this module would never write is no row of a skill's state.
Rule 2: a `file_path` that this module would not write, to the byte, is inert: nothing is on by it, whatever it says.
Rule 3: so are the rows of the 0.1.0 release, `skill://<name>`, which do not say what they switched on. They alone have
        no subject, and wait to be adopted; `?source=none` is what becomes of them where there is nothing to adopt, and
        every other inert row reads the same: its subject is the empty one.

Every value is of characters that a URL holds as they are, so that there is one spelling of each state.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, cast

from .names import Generation, Revision, SkillName, digest, is_skill_name
from .record import PRIORITIES, SkillState, Subject

__all__ = ["Row", "StateKey", "from_row", "row_name", "to_row"]

_PREFIX: Final = "skill:"
_SHARED: Final = "@host-shared"
_VALUE: Final = re.compile(
    r"skill://(?P<name>[a-z0-9_-]+)"
    r"\?source=(?:agent-local&generation=(?P<generation>[0-9a-f]{64})|host-shared&root=(?P<root>[0-9a-f]{64}))"
    r"(?:&revision=(?P<pin>[0-9a-f]{64}))?"
)
_Spelt = tuple[SkillName, Generation | None, str | None, Revision | None]
_BITS: Final = (0, 1)


class StateKey(NamedTuple):
    """Whose state: of the local folder of that name (git ones included), or of the shared one."""

    name: SkillName
    shared: bool = False


class Row(NamedTuple):
    """The columns of a row that carry meaning. What was read can be anything: SQLite holds no column to a type."""

    file_name: object
    file_path: object
    enabled: object
    priority: object


def row_name(key: StateKey) -> str:
    """The `file_name` of a key's row."""
    return f"{_PREFIX}{key.name}{_SHARED if key.shared else ''}"


def to_row(key: StateKey, state: SkillState) -> Row:
    """The row that a state is kept in: texts and integers.

    Raises:
        ValueError: What the state is of is not 64 hex digits: the row would say nothing.
    """
    if not all(part is None or digest(part) for part in state.subject or ()):
        raise ValueError("what a state is of must be 64 lower-case hex digits")
    return Row(row_name(key), _value(key, state), int(state.enabled), state.priority)


def from_row(row: Row | tuple[object, object, object, object]) -> tuple[StateKey, SkillState] | None:
    """What a row says, or its four columns; nothing where it is no row of a skill's state. Never raises."""
    file_name, file_path, enabled, priority = row
    if type(enabled) is not int or enabled not in _BITS or type(priority) is not int or priority not in PRIORITIES:
        return None
    found = _VALUE.fullmatch(file_path) if isinstance(file_path, str) else None
    if found is not None:
        name, generation, root, pin = cast("_Spelt", found.groups())
        key = StateKey(name, root is not None)
        if file_name == row_name(key) and is_skill_name(name):
            return key, SkillState(enabled=enabled == 1, priority=priority, subject=Subject(generation, root), pin=pin)
    inert = _key(file_name)
    if inert is None:
        return None
    subject = None if file_path == f"skill://{inert.name}" else Subject()
    return inert, SkillState(enabled=enabled == 1, priority=priority, subject=subject)


def _value(key: StateKey, state: SkillState) -> str:
    path, subject = f"skill://{key.name}", state.subject
    if subject is None:
        return path
    if key.shared and subject.root is not None:
        path += f"?source=host-shared&root={subject.root}"
    elif not key.shared and subject.generation is not None:
        path += f"?source=agent-local&generation={subject.generation}"
    else:
        return f"{path}?source=none"
    return path if state.pin is None else f"{path}&revision={state.pin}"


def _key(file_name: object) -> StateKey | None:
    if not isinstance(file_name, str) or not file_name.startswith(_PREFIX):
        return None
    name = file_name.removeprefix(_PREFIX)
    shared = name.endswith(_SHARED)
    name = name.removesuffix(_SHARED)
    return StateKey(SkillName(name), shared) if is_skill_name(name) else None
