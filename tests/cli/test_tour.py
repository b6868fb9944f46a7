from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import run

ROOT = Path(__file__).parents[2]


def normal(output: str, home: Path) -> str:
    """What a tour prints, without where it was."""
    return output.replace(str(home), "HOME")


def test_every_step_ends_as_it_should(tmp_path: Path) -> None:
    """The exit code is 0, and each command of the main job is shown with what it really printed."""
    home = tmp_path / "home"
    ran = run("tour", "--home", home, environ={"HOME": str(tmp_path)})
    assert (ran.code, ran.said) == (0, "")
    shown = re.findall(r"^\$ kestrel-skills (\w+)", ran.out, re.MULTILINE)
    assert list(dict.fromkeys(shown)) == ["list", "check", "show", "enable", "clause", "search", "read", "disable"]
    assert "4 skills, 0 on, 1 rejected, 1 shadowed" in ran.out
    assert "\n</procedural-skills>\n1 in; clause 358 of 450 bytes, 2 left out\n" in ran.out
    assert "Traceback" not in ran.out
    assert "error: " not in ran.out


def test_it_is_short(tmp_path: Path) -> None:
    """Two screens hold it, and what it says itself fits a terminal of 80 columns."""
    ran = run("tour", "--home", tmp_path / "home", environ={"HOME": str(tmp_path)})
    assert len(ran.lines) <= 100
    said = [line for line in ran.lines if line.endswith(":")]
    assert len(said) >= 9
    assert max(map(len, said)) <= 80


def test_two_tours_say_the_same(tmp_path: Path) -> None:
    """Nothing in it depends on when or where it is taken, nor on what is set where it is taken."""
    one = run("tour", "--home", tmp_path / "one", environ={"HOME": str(tmp_path)})
    two = run(
        "tour",
        "--home",
        tmp_path / "two",
        environ={"HOME": "/nowhere", "KESTREL_SKILLS_BUDGET_BYTES": "1", "KESTREL_HOME": "/nowhere"},
    )
    assert normal(one.out, tmp_path / "one") == normal(two.out, tmp_path / "two")


def test_the_home_stays_and_the_last_commands_work_in_it(tmp_path: Path) -> None:
    """What is printed at the end can be typed into a shell, and finds two skills on."""
    home = tmp_path / "home with a space"
    ran = run("tour", "--home", home, environ={"HOME": str(tmp_path)})
    typed = [line[2:] for line in ran.out.rpartition("The home stays.")[2].splitlines() if line.startswith("$ ")]
    program = tmp_path / "kestrel-skills"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom kestrel_skills_adapters.cli.main import main\nsys.exit(main())\n"
    )
    program.chmod(0o755)
    shell = subprocess.run(
        ["sh", "-euc", "\n".join(typed)],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src"), "EDITOR": "true"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "4 skills, 2 on, 1 rejected, 1 shadowed" in shell.stderr


def test_without_a_place_it_makes_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default the home is a new temporary folder, and it is named."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ran = run("tour", environ={"HOME": str(tmp_path)})
    (made,) = tmp_path.glob("kestrel-skills-tour-*")
    assert f"$ cd {made}" in ran.lines


def test_json_records_the_walk(tmp_path: Path) -> None:
    """With `--json` it prints where the home is, the environment to use it in, and each step with its output."""
    home = tmp_path / "home"
    ran = run("tour", "--home", home, "--json", environ={"HOME": str(tmp_path)})
    assert ran.json["home"] == str(home)
    assert ran.json["environment"] == {
        "KESTREL_SKILLS_ROOT": str(home / "skills"),
        "KESTREL_SHARED_SKILLS_DIR": str(home / "shared"),
    }
    assert [step["exit_code"] for step in ran.json["steps"]] == [0, 1] + [0] * 9
    assert ran.json["steps"][0]["command"] == "kestrel-skills list"
    assert "deploy-to-staging" in ran.json["steps"][0]["output"]


def test_it_takes_no_place_that_is_in_use(tmp_path: Path) -> None:
    """A folder that holds something, or a file, is left alone."""
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file"):
        ran = run("tour", "--home", place)
        assert (ran.code, ran.out) == (2, "")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    """A place may be prepared."""
    assert run("tour", "--home", tmp_path).code == 0


def test_on_a_terminal_it_is_a_walk_on_a_terminal(tmp_path: Path) -> None:
    """The commands see the terminal that the tour sees."""
    ran = run("tour", "--home", tmp_path, environ={"TERM": "xterm"}, terminal=True)
    assert ran.code == 0
    assert "○ off" in ran.out


def test_the_examples_are_good_examples(tmp_path: Path) -> None:
    """Of the skills that ship, those that are meant to resolve have no finding at all."""
    run("tour", "--home", tmp_path)
    judged = {each["path"]: each for each in run("check", tmp_path, "--json").json["skills"]}
    assert len(judged) == 6
    found = {Path(path).name for path, each in judged.items() if each["findings"]}
    assert found == {"deploy-to-staging"}
