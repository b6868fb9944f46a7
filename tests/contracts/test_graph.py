"""What every graph index keeps, in memory and in a host."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kestrel_skills_adapters.contracts.graph import Bed, GraphIndexContract
from tests.contracts.graph import BEDS


@pytest.fixture(params=BEDS, scope="module")
def ground(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """Each kind of index."""
    with request.param(request) as bed:
        yield bed


@pytest.fixture
def bed(ground: Bed) -> Bed:
    """Each kind of index, empty."""
    ground.clear()
    return ground


class TestGraphIndex(GraphIndexContract):
    """Each of them holds it."""
