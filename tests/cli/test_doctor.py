from __future__ import annotations

from pathlib import Path

from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import run, skill
from tests.hostile.disk import crowd


def checks(*arguments: str | Path, environ: dict[str, str]) -> dict[str, dict[str, str]]:
    """What the doctor says in JSON, by what it speaks of."""
    return {each["about"]: each for each in run("doctor", "--json", *arguments, environ=environ).json["checks"]}


def test_everything_is_looked_at(environ: dict[str, str], home: Home) -> None:
    """Each line says how one thing is; a rejected folder is a warning, and the exit code is 0 without failures."""
    run("enable", "review-a-diff", environ=environ)
    ran = run("doctor", environ=environ)
    assert ran.code == 0
    assert [line.split(":")[0].split(maxsplit=1) for line in ran.lines] == [
        ["ok", "versions"],
        ["ok", "environment"],
        ["ok", "root"],
        ["ok", "markers"],
        ["ok", "shared root"],
        ["ok", "states"],
        ["warn", "skills"],
    ]
    assert f"KESTREL_SKILLS_ROOT={home.path / 'skills'}" in ran.lines[1]
    assert ran.lines[5].endswith("for local: 1 on, 0 off, 0 inert, 0 astray")
    assert ran.lines[6].endswith("4 resolve, 1 rejected; fix: run `kestrel-skills list` to see why")


def test_it_leaves_nothing_behind(environ: dict[str, str], home: Home) -> None:
    """What it tries in the root, it takes away again; no state file is made."""
    run("list", environ=environ)
    before = sorted(path.relative_to(home.path) for path in home.path.rglob("*"))
    run("doctor", environ=environ)
    assert sorted(path.relative_to(home.path) for path in home.path.rglob("*")) == before


def test_a_missing_root_fails(tmp_path: Path) -> None:
    """A root that somebody named and that is not there is a failure, with what to do."""
    environ = {"HOME": str(tmp_path)}
    ran = run("doctor", "--root", tmp_path / "nothing", environ=environ)
    assert ran.code == 1
    root = checks("--root", tmp_path / "nothing", environ=environ)["root"]
    assert root["status"] == "fail"
    assert root["fix"]


def test_no_home_yet_is_a_warning(tmp_path: Path) -> None:
    """Before there are any skills, nothing fails."""
    environ = {"HOME": str(tmp_path)}
    assert run("doctor", environ=environ).code == 0
    assert checks(environ=environ)["root"]["status"] == "warn"


def test_a_crowded_root_is_told_of_before_it_is_too_late(tmp_path: Path) -> None:
    """Near the cap on entries it warns; beyond, it fails."""
    crowd(tmp_path, map("note-{}".format, range(4000)))
    assert checks("--root", tmp_path, environ={})["root"]["status"] == "warn"
    crowd(tmp_path, map("note-{}".format, range(4000, 4097)))
    assert checks("--root", tmp_path, environ={})["root"]["status"] == "fail"


def test_a_damaged_state_file_fails(tmp_path: Path) -> None:
    """What SQLite cannot read is a failure, with what to do."""
    skill(tmp_path / "skills", "tea")
    (tmp_path / "skills.state.sqlite3").write_bytes(b"this is no database" * 100)
    ran = run("doctor", "--root", tmp_path / "skills", environ={})
    assert ran.code == 1
    (line,) = [line for line in ran.lines if "states:" in line]
    assert line.startswith("fail")
    assert "; fix: " in line


def test_changed_skills_that_were_on_are_told_of(environ: dict[str, str], home: Home) -> None:
    """A row that no longer switches on what is there is a warning."""
    run("enable", "review-a-diff", environ=environ)
    (home.path / "skills" / "review-a-diff" / ".kestrel-generation").unlink()
    assert checks(environ=environ)["states"]["status"] == "warn"
