"""Each command of the README does, as pasted in a fresh clone, what the README shows: by a bare Python, and by uv."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PIP = re.findall(r"^```sh\n([^\n]+)\n```\n\n```text\n(.+?)```$", TEXT, re.MULTILINE | re.DOTALL)
UV = re.findall(r"`(uv run .+?)`", TEXT)


def is_shown(shown: str, printed: str) -> bool:
    """Whether an output is what the README shows of it."""
    return OutputChecker().check_output(shown, printed, ELLIPSIS)


def test_the_readme_shows_what_each_of_its_commands_prints() -> None:
    """It has two, each with its output, and both for uv too."""
    assert [command.rpartition("&& ")[2] for command, _ in PIP] == [
        ".venv/bin/kestrel-skills tour",
        ".venv/bin/python -m pytest -q -n auto",
    ]
    assert [command.partition("--quiet ")[2] for command in UV] == [
        "kestrel-skills tour",
        "--extra test pytest -q -n auto",
    ]


def test_the_tour_prints_what_the_readme_shows(tmp_path: Path) -> None:
    """From the first line to the last."""
    program = "import sys; from kestrel_skills_adapters.cli.main import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", program, "tour", "--home", str(tmp_path / "home")],
        env={"HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert is_shown(PIP[0][1], ran.stdout)
    assert not is_shown(PIP[0][1], ran.stdout.replace("585 of", "586 of"))


@pytest.mark.readme
@pytest.mark.parametrize("which", [0, 1], ids=["tour", "tests"])
@pytest.mark.parametrize("way", ["pip", "uv"])
def test_a_command_does_what_the_readme_shows(tmp_path: Path, way: str, which: int) -> None:
    """In an empty folder, with nothing but a clone, Python 3.11, and, for uv, uv."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, wanted in {"python3": Path(sys.base_prefix) / "bin" / "python3.11", "uv": shutil.which("uv")}.items():
        if name == "python3" or way == "uv":
            (programs / name).symlink_to(str(wanted))
    of_the_network = re.compile(r"(?i:pip_|uv_|ssl_|requests_|.*_proxy$)")
    kept = {name: value for name, value in os.environ.items() if of_the_network.match(name)}
    subprocess.run(["git", "clone", "--quiet", ROOT, tmp_path / "clone"], check=True)
    ran = subprocess.run(
        ["bash", "-c", (PIP[which][0], UV[which])[way == "uv"]],
        cwd=tmp_path / "clone",
        env=kept
        | {
            "HOME": str(tmp_path),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",  # that there is a newer pip is no output of the command
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
    assert is_shown(PIP[which][1], ran.stdout)
    assert ran.stderr == ""
