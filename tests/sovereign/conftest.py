from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sovereign.agent import Agent


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of whoever runs the tests is a setting of the agent's."""
    for name in [name for name in os.environ if name.startswith("KESTREL_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    """An agent that is not booted yet."""
    made = Agent(tmp_path / "agent_data" / "kite")
    yield made
    made.close()
