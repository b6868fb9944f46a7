"""What every test may count on: a Hypothesis profile, permissions that bind, and real skills where they are."""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import FEW
from tests.permissions import bound
from tests.servers import postgres

pytest.register_assert_rewrite("tests.contracts")

ROOT = Path(__file__).parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"

# `ci` finds the same on every machine, and `few` is enough of it to see which lines are reached; `deep` looks further
# on each run, and prints how to come back to what it found.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("few", derandomize=True, deadline=None, print_blob=True, max_examples=FEW)
settings.register_profile(
    "deep",
    derandomize=False,  # Hypothesis itself would have it otherwise on CI
    max_examples=5_000,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let every test run with the watch on, too."""
    parser.addoption("--watch", action="store_true", help="watch every root on a disk from the first look at it on")


def pytest_configure(config: pytest.Config) -> None:
    """Do so where that is asked for."""
    config.addinivalue_line("markers", "unwatched: counts what a look costs, which a watch spares")
    if config.getoption("watch"):
        from tests import watched

        watched.watch_every_root()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Pass over what counts what a watch spares."""
    if config.getoption("watch"):
        for item in items:
            if item.get_closest_marker("unwatched") is not None:
                item.add_marker(pytest.mark.skip(reason="it counts what a look costs, which a watch spares"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what that was worth."""
    if config.getoption("watch"):
        from tests import watched

        terminalreporter.write_line(f"watches heard, in this process: {dict(watched.heard)}")


@pytest.fixture
def permissions_bind(tmp_path: Path) -> Iterator[None]:
    """Permissions bind the test, whoever runs it; the folders it closed are opened for whoever takes them away."""
    with bound():
        yield
    for folder, names, _ in os.walk(tmp_path):
        for path in (Path(folder, name) for name in names):
            if not path.is_symlink():
                path.chmod(0o700)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the unpacked collections of real skills, one folder each."""
    archives = sorted(CORPUS.glob("*.tar.xz"))
    if not archives:
        pytest.skip("the corpus of real skills (../shared/corpus beside the checkout) is not here")
    unpacked = tmp_path_factory.mktemp("corpus")
    for archive in archives:
        with tarfile.open(archive) as members:
            members.extractall(unpacked, filter="data")
    return unpacked


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[postgres.Cluster]:
    """A PostgreSQL server, which all workers of a run share."""
    if postgres.programs() is None:
        pytest.skip("no PostgreSQL server is installed here: neither in /usr/lib/postgresql nor on the PATH")
    pytest.importorskip("psycopg", reason="psycopg is not installed: it is the extra `postgres`")
    own = tmp_path_factory.getbasetemp()
    with postgres.shared(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) as running:
        yield running


@pytest.fixture(scope="module")
def lone(cluster: postgres.Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[postgres.Cluster]:
    """Another one, which no other test uses meanwhile: it may be stopped."""
    del cluster
    with postgres.shared(tmp_path_factory.mktemp("lone")) as running:
        yield running


@pytest.fixture
def database(cluster: postgres.Cluster) -> Iterator[str]:
    """The name of a new, empty database of that server."""
    with cluster.database() as name:
        yield name


@pytest.fixture
def swift_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where the system has such a place: for roots that are made and removed many times."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)
