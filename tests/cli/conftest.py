from __future__ import annotations

from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.tour import Home, furnish


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The home of the tour: four skills that resolve, one that is shadowed, one folder that is rejected."""
    return furnish(tmp_path / "home")


@pytest.fixture
def environ(home: Home, tmp_path: Path) -> dict[str, str]:
    """An environment that means that home, and nothing of whoever runs the tests."""
    return {"HOME": str(tmp_path), **home.variables}
