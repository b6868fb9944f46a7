"""The adapter holds what every table of states holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from pocket_skills import JsonStates

from kestrel_skills_adapters.contracts.states import Bed, StateTableContract


class TestJsonStates(StateTableContract):
    """All of it."""

    @pytest.fixture
    def bed(self, tmp_path: Path) -> Bed:
        """Agents that share a file; it is taken away with its folder."""
        folder, away = tmp_path / "here", tmp_path / "away"
        folder.mkdir()
        return Bed(
            lambda agent: JsonStates(folder / "on.json", agent),
            take_away=lambda: folder.rename(away),
            give_back=lambda: away.rename(folder),
        )
