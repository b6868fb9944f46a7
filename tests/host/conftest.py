"""One model and one inception for all tests of a run; most share one server too, since each start takes ten seconds."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from attrs import Factory, frozen

from .inside import Inside, booted
from .lab import Home, Host, host_version
from .model import ScriptedModel

HERE = Path(__file__).parent
SHOWN = 4_000
"""Characters of a log."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the host and its own dependencies warn of is not this project's: it does not fail a test."""
    for item in items:
        if item.get_closest_marker("host") and HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
            item.add_marker(pytest.mark.timeout(300))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails shows the end of what its servers said."""
    report = yield
    if report.failed and isinstance(item, pytest.Function):
        used = item.funcargs.values()
        hosts = [each for each in used if isinstance(each, Host)]
        hosts += [host for each in used if isinstance(each, HostOf) for host in each.started]
        report.sections += [("the end of the server's log", host.home.log.read_text()[-SHOWN:]) for host in hosts]
    return report


@pytest.fixture(scope="session")
def model() -> Iterator[ScriptedModel]:
    """The one model."""
    model = ScriptedModel()
    yield model
    model.close()


@pytest.fixture(scope="session")
def incepted(model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which an agent has been incepted, and that no server has run over."""
    if host_version() is None:
        pytest.skip("no host is installed here; `nox -s host` makes an environment for each")
    return Home(tmp_path_factory.mktemp("incepted"), model.address).incept()


HomeOf = Callable[..., Home]


@pytest.fixture(scope="session")
def home_of(model: ScriptedModel, incepted: Home, tmp_path_factory: pytest.TempPathFactory) -> HomeOf:
    """Makes a home of its own, with the agent; takes the options of `Home`."""

    def made(**options: object) -> Home:
        return Home(tmp_path_factory.mktemp("home"), model.address, **options).come_from(incepted)

    return made


@frozen
class HostOf:
    """Starts servers over homes."""

    model: ScriptedModel
    started: list[Host] = Factory(list)

    def __call__(self, home: Home) -> Host:
        """Start one."""
        self.started.append(Host(home, self.model))
        return self.started[-1]


@pytest.fixture
def host_of(model: ScriptedModel) -> Iterator[HostOf]:
    """Starts servers that stop with the test."""
    hosts = HostOf(model)
    yield hosts
    for host in hosts.started:
        host.stop()


@pytest.fixture(scope="session")
def host(model: ScriptedModel, home_of: HomeOf) -> Iterator[Host]:
    """The server that tests share which leave nothing behind but skills under names of their own."""
    host = Host(home_of(), model)
    yield host
    host.stop()


@pytest.fixture(scope="module")
def inside(home_of: HomeOf) -> Iterator[Inside]:
    """An agent in this process, shared by the tests of one module."""
    with booted(home_of()) as inside:
        yield inside


@pytest.fixture(scope="session")
def plain() -> Path:
    """The folder of a package that holds the least feature."""
    return HERE / "plain"
