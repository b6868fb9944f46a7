"""A program on a leash leaves nothing, however it ends. Here it is a family of processes that resist."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.host.client import until

from .leftovers import folders, keeper_of, processes

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the leash is Linux's: it needs /proc and subreapers")

RUN = """\
import signal, sys
from tests.e2e.live.leash import leashed
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_DFL)  # whatever who runs the tests ignores: `nohup`, say
sys.exit(leashed(sys.argv[1:]))
"""
FAMILY = """\
import os, signal, subprocess, sys, time
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_IGN)
again = [sys.executable, "-c", "import time; time.sleep(600)"]
subprocess.Popen(again)
subprocess.Popen(again, start_new_session=True)
if not os.fork():  # one whose parent goes away
    os.setsid()
    subprocess.Popen(again, start_new_session=True)
    os._exit(0)
open(os.path.join(os.environ["TMPDIR"], "kept"), "w").close()
os.mkdir(os.path.join(os.environ["HOME"], "deep"))
print("There.", flush=True)
time.sleep(600)
"""


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """Where folders are made."""
    return tmp_path


def start(room: Path, *program: str) -> subprocess.Popen[str]:
    """Run a program on a leash."""
    environ = os.environ | {"TMPDIR": str(room), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", RUN, *program], env=environ, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def family(room: Path) -> Iterator[subprocess.Popen[str]]:
    """A program that ignores what it is told, and whose children hide in sessions of their own."""
    with start(room, sys.executable, "-c", FAMILY) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "There.\n"
        (folder,) = folders(room)
        assert (folder / "kept").exists()
        until(lambda: len(processes(room)) == 5)  # with the keeper
        try:
            yield running
        finally:
            running.kill()  # else a test that fails would wait for the ten minutes that the family sleeps


@pytest.mark.parametrize("status", [0, 1, 5])
def test_the_status_is_the_programs_own(room: Path, status: int) -> None:
    """And what it left is gone, though it went well."""
    left = "import os, subprocess, sys; subprocess.Popen(['sleep', '600'], start_new_session=True); sys.exit({})"
    with start(room, sys.executable, "-c", left.format(status)) as running:
        assert running.wait(30) == status
    assert processes(room) == {}
    assert folders(room) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_a_program_that_is_killed_is_told_as_shells_do(room: Path, number: signal.Signals) -> None:
    """128 and the number of the signal that ended it, though nobody let go of the leash."""
    with start(room, "sh", "-c", f"kill -{number:d} $$") as running:
        assert running.wait(30) == 128 + number
    assert folders(room) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all_and_is_told(family: subprocess.Popen[str], room: Path, number: signal.Signals) -> None:
    """128 and its number, as shells have it, once everything is gone."""
    family.send_signal(number)
    assert family.wait(30) == 128 + number
    assert processes(room) == {}
    assert folders(room) == []


def test_a_second_signal_hinders_nothing(family: subprocess.Popen[str], room: Path) -> None:
    """Who presses Ctrl-C twice is told of the first, and leaves nothing either."""
    family.send_signal(signal.SIGINT)
    family.send_signal(signal.SIGTERM)
    assert family.wait(30) in (128 + signal.SIGINT, 128 + signal.SIGTERM)
    assert processes(room) == {}
    assert folders(room) == []


def test_who_is_killed_lets_go(family: subprocess.Popen[str], room: Path) -> None:
    """Nothing can be done by whoever is killed: the keeper does it."""
    family.kill()
    family.wait(30)
    until(lambda: not processes(room))
    until(lambda: not folders(room))


def test_a_keeper_that_is_killed_is_stood_in_for(family: subprocess.Popen[str], room: Path) -> None:
    """By the first process, to which the orphans come; and that is no success."""
    os.kill(keeper_of(family.pid), signal.SIGKILL)
    assert family.wait(30) == 1
    assert processes(room) == {}
    assert folders(room) == []


def test_a_program_that_is_not_there_is_no_success(room: Path) -> None:
    """And leaves no folder."""
    with start(room, "no-such-program") as running:
        assert running.wait(30) == 1
    assert folders(room) == []
