"""Streams that are closed, or that cannot be written: one clear line where one can be seen, and no traceback."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.failures import Unwritten
from tests.cli.running import skill

PROGRAM = "import sys; from kestrel_skills_adapters.cli import start; sys.exit(start())"
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
LOST = "error: what was printed could not be written: "
COMMANDS = [
    "list --root skills",
    "list --root skills --json",
    "show tea --root skills",
    "read tea --root skills",
    "search time --root skills",
    "enable tea --root skills",
    "disable tea --root skills",
    "doctor --root skills",
    "check broken --json",
    "check broken --format github",
    "tour --home new",
    "completion bash",
    "--help",
    "list --help",
    "--version",
]
EVERY = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a skill, and with one that is none."""
    skill(tmp_path / "skills", "tea")
    skill(tmp_path / "broken", "tea", "Use it.\nlicense: MIT")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(line: str, here: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a shell, which can close streams."""
    program = shlex.join([sys.executable, "-c", PROGRAM])
    return subprocess.run(
        ["sh", "-c", f"{program} {line}"],
        cwd=here,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "HOME": str(here), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


@FULL
@EVERY
def test_a_full_disk_is_told_in_one_line(command: str, here: Path) -> None:
    """Whatever the command, and in whatever form it prints."""
    ran = shell(f"{command} >/dev/full", here)
    assert ran.returncode == 4
    assert [line for line in ran.stderr.splitlines() if line.startswith("error: ")] == [
        LOST + "no space left; fix: free some space, or print elsewhere"
    ]
    assert "Traceback" not in ran.stderr
    assert "unexpected" not in ran.stderr


@EVERY
def test_results_for_which_there_is_no_stdout_are_a_failure(command: str, here: Path) -> None:
    """A stdout that is closed takes nothing, and that is said."""
    ran = shell(f"{command} >&-", here)
    assert ran.returncode == 4
    assert LOST + "stdout is closed; fix: " in ran.stderr
    assert "Traceback" not in ran.stderr


@EVERY
@pytest.mark.parametrize("closed", ["2>&-", pytest.param("2>/dev/full", marks=FULL)])
def test_what_cannot_be_said_is_lost_in_silence(command: str, closed: str, here: Path) -> None:
    """The results and the exit code are as ever."""
    usual = shell(command, here)
    ran = shell(f"{command.replace('new', 'newer')} {closed}", here)
    assert ran.returncode == usual.returncode
    assert len(ran.stdout.splitlines()) == len(usual.stdout.splitlines())
    assert "Traceback" not in ran.stdout


@pytest.mark.parametrize("command", ["list --root skills", "list --root nowhere", "list --bake"])
def test_without_any_stream_there_is_an_exit_code(command: str, here: Path) -> None:
    """No file that is opened meanwhile takes the number of a stream that is closed."""
    assert shell(f"{command} <&- >&- 2>&-", here).returncode == (2 if "bake" in command else 4)


def test_nothing_to_print_needs_no_stdout(here: Path) -> None:
    """A check of good skills prints nothing, and so loses nothing."""
    assert shell("check skills >&-", here).returncode == 0


@FULL
def test_a_traceback_is_for_those_who_ask(here: Path) -> None:
    """With `--debug` it says where writing failed."""
    assert shell("list --root skills --debug >/dev/full", here).stderr.count("Traceback") >= 1


@FULL
def test_completions_that_cannot_be_written_are_told(here: Path) -> None:
    """A shell that asks for completions sees no traceback."""
    asking = {"_KESTREL_SKILLS_COMPLETE": "bash_complete", "COMP_WORDS": "kestrel-skills sho", "COMP_CWORD": "1"}
    ran = shell(">/dev/full", here, **asking)
    assert ran.returncode == 4
    assert "Traceback" not in ran.stderr


def test_an_odd_failure_of_a_stream_is_told_in_the_systems_words() -> None:
    """It has a fix all the same."""
    error = Unwritten(OSError(5, "whatever"))
    assert str(error) == f"what was printed could not be written: {os.strerror(5).lower()}"
    assert error.fix
    assert Unwritten(OSError("no number")).fix


def test_an_interrupt_while_modules_load_is_an_interrupt() -> None:
    """Ctrl-C that early ends with 130 and without a word, as it does later."""
    program = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from kestrel_skills_adapters.cli import start\n"
        "sys.exit(start())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "list"],
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")
