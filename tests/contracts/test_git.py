"""The contract of the git port, on the fake and on the source that reaches servers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.git import Bed, Drawn, GitSourceContract, Make
from tests.contracts.git import BEDS


@pytest.fixture(params=sorted(BEDS))
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes a repository of branches and tags, and the source that reads it."""
    with ExitStack() as stack:

        def made(branches: Mapping[str, Drawn], tags: Iterable[tuple[str, str]] = ()) -> Bed:
            return stack.enter_context(BEDS[request.param](tmp_path, branches, tags))

        yield made


class TestGitSource(GitSourceContract):
    """Each of them holds it."""
