"""An adapter of the port `StateTable`: one JSON file, which holds the rows of many agents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from kestrel_skills_core import SkillName, SkillState, StateKey, StateUnavailable
from kestrel_skills_core.domain.state_row import Row, from_row, to_row

__all__ = ["JsonStates"]


class JsonStates:
    """The rows of one agent, for a program that is alone with its file: nothing is locked.

    What a row means is the core's: it is written by `to_row` and read by `from_row`.
    """

    def __init__(self, path: Path, agent: str) -> None:
        self._path, self._agent = path, agent

    async def rows(self, name: SkillName | None = None) -> Mapping[StateKey, SkillState]:
        """All states, or those of one name."""
        rows = (from_row(Row(*row)) for row in self._read().get(self._agent, []))
        return {key: state for key, state in filter(None, rows) if name in (None, key.name)}

    async def put(self, key: StateKey, state: SkillState) -> None:
        """Write one state."""
        self._write({**await self.rows(), key: state})

    async def replace(self, key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        """Write one state, if it reads as it was seen."""
        rows = await self.rows()
        if rows.get(key) != seen:
            return False
        self._write({**rows, key: state})
        return True

    async def drop(self, key: StateKey, *, seen: SkillState) -> None:
        """Remove one state, if it reads as it was seen."""
        rows = dict(await self.rows())
        if rows.get(key) == seen and rows.pop(key, None) is not None:
            self._write(rows)

    def _read(self) -> dict[str, list[list[object]]]:
        if not self._path.parent.is_dir():
            raise StateUnavailable("its folder is not there", "make the folder")
        try:
            agents: dict[str, list[list[object]]] = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            raise StateUnavailable("it is no file that can be read", "see to the file") from None
        return agents

    def _write(self, rows: Mapping[StateKey, SkillState]) -> None:
        agents = {**self._read(), self._agent: [list(to_row(key, state)) for key, state in rows.items()]}
        written = self._path.with_suffix(".new")
        try:
            written.write_text(json.dumps(agents), encoding="utf-8")
            written.replace(self._path)
        except OSError:
            raise StateUnavailable("it cannot be written", "see to its folder") from None
