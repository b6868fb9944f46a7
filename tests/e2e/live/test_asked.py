"""What the runner of the live suites takes, and with which line it refuses all else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from .asked import PORT, SUITES, USAGE, Asked, Here, Refused, asked, is_free, may_begin
from .evidence import MODEL, PROVIDER

ROOT = Path(__file__).parents[3]
RUNNER = Path(__file__).parents[1] / "run-live-suite.sh"
HERE = Here("linux", "0.55.3", has_driver=True, has_browser=True, port_is_free=True, room="/tmp")
HOSTED = {PROVIDER: "anthropic:api", MODEL: "claude-haiku-4-5", "ANTHROPIC_API_KEY": "a"}


def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """The runner itself."""
    usual = {"PATH": os.environ["PATH"], "PYTHON": sys.executable}
    return subprocess.run([RUNNER, *words], env=usual | environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("suite", ["skills", "core-only", "live-path"])
def test_each_suite_is_one_word(suite: str) -> None:
    """On the usual port, or on the one that is named."""
    assert suite in SUITES
    assert asked([suite], {}) == asked([suite], {PORT: ""}) == Asked(suite, 8897)
    assert asked([suite], {PORT: "65535"}) == Asked(suite, 65535)


@pytest.mark.parametrize("words", [[], ["skill"], ["skills", "core-only"], ["Skills"], [""], ["--port", "1"]])
def test_other_words_are_refused(words: list[str]) -> None:
    """With the words that there are."""
    with pytest.raises(Refused, match="name one suite of skills, core-only, live-path"):
        asked(words, {})


@pytest.mark.parametrize(
    "port", ["0", "80", "1023", "65536", "-1", "x", "8e3", "\u0661\u0661\u0661\u0661", "9" * 5_000]
)
def test_a_port_that_is_none_is_refused(port: str) -> None:
    """And those that take more than a person's rights."""
    with pytest.raises(Refused, match=f"{PORT}=.* is no port: name one from 1024 to 65535"):
        asked(["skills"], {PORT: port})


@pytest.mark.parametrize(
    ("lacks", "told"),
    [
        (HERE._replace(system="darwin"), "not Linux"),
        (HERE._replace(host=None), "no host is installed beside this Python: run `nox -s live`"),
        (HERE._replace(has_driver=False), "driver is not installed beside this Python: run `nox -s live`"),
        (HERE._replace(has_browser=False), "install Debian's chromium, or name one in CHROMIUM"),
        (HERE._replace(room="/" + "x" * 36), "set TMPDIR to a shorter one"),
        (HERE._replace(port_is_free=False), f"port 8897 is in use: end what listens there, or name another in {PORT}"),
    ],
)
def test_what_is_lacking_is_told_with_its_fix(lacks: Here, told: str) -> None:
    """In one line, of every suite, and before anything is begun."""
    for suite in SUITES:
        with pytest.raises(Refused) as refusal:
            may_begin(Asked(suite, 8897), lacks, HOSTED)
        assert told in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_where_all_is_there_each_may_begin() -> None:
    """The live path too, where a model is pinned that counts; the others need none."""
    for suite in SUITES:
        may_begin(Asked(suite, 8897), HERE, HOSTED)
        may_begin(Asked(suite, 8897), HERE._replace(room="/" + "x" * 35), HOSTED)
    for suite in ("skills", "core-only"):
        may_begin(Asked(suite, 8897), HERE, {})


@pytest.mark.parametrize("environ", [{}, {**HOSTED, PROVIDER: "stub:local", MODEL: "scripted"}])
def test_the_live_path_without_a_model_that_counts_does_not_begin(environ: dict[str, str]) -> None:
    """So that it can neither pass nor be taken for passed."""
    with pytest.raises(Refused, match=PROVIDER):
        may_begin(Asked("live-path", 8897), HERE, environ)


def test_a_port_on_which_somebody_listens_is_not_free() -> None:
    """Be it on this address or on all; and it is, once nobody does."""
    for address in ("127.0.0.1", "0.0.0.0"):
        with socket.socket() as listening:
            listening.bind((address, 0))
            listening.listen()
            port = listening.getsockname()[1]
            assert not is_free(port)
        assert is_free(port)


def test_the_runner_says_how_it_is_used() -> None:
    """On stdout where that was asked for; every word of the environment that counts is in it."""
    ran = run("--help")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, USAGE, "")
    for name in (*SUITES, PORT, PROVIDER, MODEL, "CHROMIUM", "PYTHON"):
        assert name in USAGE


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere that is what it refuses first")
def test_the_runner_refuses_in_one_line() -> None:
    """On stderr, with 2; from whichever folder it is called."""
    for words, environ in ((["nothing"], {}), (["skills"], {PORT: "x"}), (["live-path"], {})):
        ran = run(*words, **environ)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr.startswith("run-live-suite.sh: ")
        assert ran.stderr.count("\n") == 1


def test_a_bare_python_can_run_the_runner() -> None:
    """It needs no more than what comes with Python: otherwise it could not say what has to be installed."""
    program = "import tests.e2e.live.__main__, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(ROOT)!r}); {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(ran.stdout.split()) - sys.stdlib_module_names <= {"tests", "__main__"}
