from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
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


class _Nowhere(MetaPathFinder):
    """Finds nothing of a host, and lets nobody else look."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname == "kestrel_sovereign":
            raise ModuleNotFoundError(name=fullname)


@pytest.fixture(autouse=True)
def no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever host is installed beside the tests is none to them; `host_modules` is the one that a test asks for."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "kestrel_sovereign"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Nowhere(), *sys.meta_path])
