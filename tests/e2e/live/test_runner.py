"""A live suite that is ended half-way leaves nothing: here the real one is, at each of the things that it does."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.browsers import CHROMIUM
from tests.e2e.places import API
from tests.host.client import until
from tests.host.installed import host_version

from .asked import PORT, is_free
from .leash import descendants
from .leftovers import folders, processes, running

pytestmark = pytest.mark.e2e

RUNNER = Path(__file__).parents[1] / "run-live-suite.sh"
MOMENTS: dict[str, Callable[[Path], bool]] = {
    "it incepts": lambda room: any("inception.py" in words for words in processes(room).values()),
    "its server starts": lambda room: any("uvicorn" in words for words in processes(room).values()),
    "its browser is in the panel": lambda room: any(API in log.read_text() for log in room.glob("*/*/*/*/server.log")),
}


@pytest.fixture
def room() -> Iterator[Path]:
    """Where the suite makes its folder: the path of pytest's own is too long for the browser."""
    with tempfile.TemporaryDirectory(prefix="ks-", dir="/tmp") as room:
        yield Path(room)


@pytest.fixture
def port() -> int:
    """One on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("it incepts", signal.SIGKILL),
        ("it incepts", signal.SIGTERM),
        ("its server starts", signal.SIGKILL),
        ("its server starts", signal.SIGINT),
        ("its browser is in the panel", signal.SIGKILL),
        ("its browser is in the panel", signal.SIGTERM),
        ("its browser is in the panel", signal.SIGHUP),
    ],
)
def test_no_process_and_no_folder_is_left(room: Path, port: int, moment: str, number: signal.Signals) -> None:
    """Whichever signal ends it, and whatever it was about: the status tells the signal, and its port is free again."""
    if not Path(CHROMIUM).exists() or host_version() is None:
        pytest.skip("this takes a host and a browser; `nox -s e2e` brings both but the browser itself")
    environ = os.environ | {"TMPDIR": str(room), PORT: str(port), "PYTHON": sys.executable}
    with (
        (room / "said").open("wb") as said,
        subprocess.Popen([RUNNER, "skills"], env=environ, stdout=said, stderr=said) as runner,
    ):
        until(lambda: runner.poll() is not None or MOMENTS[moment](room), within=200)
        assert runner.poll() is None, (room / "said").read_text()
        all_of_it = descendants(runner.pid)
        assert len(all_of_it) > 2
        runner.send_signal(number)
        assert runner.wait(60) == (-number if number == signal.SIGKILL else 128 + number)
    until(lambda: not folders(room) and not running(all_of_it))
    assert processes(room) == {}
    assert is_free(port)
