"""What every root that may be changed keeps, on a disk or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from kestrel_skills_adapters.contracts.roots import StoreRoot
from kestrel_skills_adapters.contracts.store import SkillStoreContract
from tests.contracts.store import InMemoryStore, OnDisk

MAKERS: dict[str, Callable[[Path], StoreRoot]] = {"memory": InMemoryStore.of, "posix": OnDisk.of}


@pytest.fixture(params=list(MAKERS))
def root(request: pytest.FixtureRequest, swift_path: Path) -> StoreRoot:
    """An empty root of each kind."""
    return MAKERS[cast("str", request.param)](swift_path)


class TestSkillStore(SkillStoreContract):
    """Each of them holds it."""
