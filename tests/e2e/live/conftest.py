"""A test agent that no model was asked about, in homes of its own, with servers on the port that was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.host.lab import Home, host_version
from tests.host.model import ScriptedModel

from .asked import port_of

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the browser's driver and the host warn of is not this project's: it does not fail a test."""
    for item in items:
        if item.get_closest_marker("live") and HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
            item.add_marker(pytest.mark.timeout(300))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A live suite of which anything was skipped has not passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", ()) if reporter else ()
    if session.exitstatus == pytest.ExitCode.OK and any("live" in report.keywords for report in skipped):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


HomeOf = Callable[..., Home]


@pytest.fixture(scope="session")
def model() -> Iterator[ScriptedModel]:
    """The only model that the agents know."""
    model = ScriptedModel()
    yield model
    model.close()


@pytest.fixture(scope="session")
def home_of(model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory) -> HomeOf:
    """Makes homes of one and the same agent; takes the options of `Home`."""
    if host_version() is None:
        pytest.skip("no host is installed here; `nox -s live` makes an environment with one")
    incepted = Home(tmp_path_factory.mktemp("incepted"), model.address).incept_for_tests()

    def made(**options: object) -> Home:
        home = Home(tmp_path_factory.mktemp("home"), model.address, port=port_of(os.environ), **options)
        return home.come_from(incepted)

    return made


@pytest.fixture(scope="module")
def no_model_is_asked(model: ScriptedModel) -> Iterator[None]:
    """Though it listens all the time."""
    before = len(model.asked)
    yield
    assert len(model.asked) == before
