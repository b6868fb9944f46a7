"""Roots and databases that cannot be used: one clear line, the right exit code, and nothing lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import run
from tests.hostile.disk import crowd


def missing(path: Path) -> None:
    """Nothing is there."""


def a_file(path: Path) -> None:
    """A file is there."""
    path.write_text("no folder")


def a_link(path: Path) -> None:
    """A link is there."""
    path.symlink_to(path.parent)


def crowded(path: Path) -> None:
    """One entry more is there than is allowed."""
    path.mkdir()
    crowd(path, map("skill-{}".format, range(4097)))


def closed(path: Path) -> None:
    """A folder is there that nobody may read."""
    path.mkdir(mode=0)


ROOTS = [
    (missing, 4, "it does not exist"),
    (a_file, 4, "it is not a folder"),
    (a_link, 4, "it is a symbolic link"),
    (crowded, 1, "more where 4,096 are allowed"),
    (closed, 4, "permission is denied"),
]


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize(("spoil", "code", "why"), ROOTS)
def test_a_root_that_cannot_be_read(spoil: Callable[[Path], None], code: int, why: str, tmp_path: Path) -> None:
    """The exit code tells who can act, and one line on stderr says why and what to do, without a path of the host."""
    root = tmp_path / "root"
    spoil(root)
    ran = run("list", "--root", root)
    (line,) = [line for line in ran.said.splitlines() if line.startswith("error: ")]
    assert ran.code == code
    assert why in line
    assert "; fix: " in line
    assert str(tmp_path) not in ran.said


@pytest.mark.parametrize(
    "command", [("search", "tea"), ("show", "tea"), ("read", "tea"), ("clause",), ("enable", "tea")]
)
def test_every_command_tells_of_a_root_that_cannot_be_read(command: tuple[str, ...], tmp_path: Path) -> None:
    """No command takes a root that is not there for an empty one."""
    ran = run(*command, "--root", tmp_path / "root")
    assert (ran.code, ran.out) == (4, "")
    assert "it does not exist" in ran.said


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize(("spoil", "code", "why"), ROOTS)
def test_a_root_that_cannot_be_read_takes_nothing_else_along(
    spoil: Callable[[Path], None], code: int, why: str, environ: dict[str, str], tmp_path: Path
) -> None:
    """With a shared root that cannot be read, the agent's own skills are all there, and JSON says what is missing."""
    spoil(tmp_path / "root")
    ran = run("list", "--json", "--shared", tmp_path / "root", environ=environ)
    assert ran.code == code
    assert len(ran.json["skills"]) == 3
    (problem,) = ran.json["problems"]
    assert problem["source"] == "host-shared"
    assert why in problem["message"]


@pytest.mark.parametrize("command", ["list", "doctor", "clause"])
def test_a_root_without_a_name_is_a_mistake_in_the_command_line(command: str) -> None:
    """No state file can be named after the root of all folders; the line says what else can be done."""
    ran = run(command, "--root", "/")
    assert (ran.code, ran.out) == (2, "")
    assert ran.said == (
        "error: root: it has no name that a state file could be named after; "
        "fix: name a folder in it, or also name a state file with --state\n"
    )


def test_every_error_in_json_has_a_fix(environ: dict[str, str], tmp_path: Path) -> None:
    """Whatever is refused, in the words of whichever part: what to do is there, and not part of the message."""
    for arguments in (
        ["read", "review-a-diff", "nothing.md"],
        ["read", "review-a-diff", ".git"],
        ["read", "review-a-diff", "../x"],
        ["read", "review-a-diff", "x" * 2000],
        ["read", "nothing"],
        ["read", "con"],
        ["read", "x@y"],
        ["show", ""],
        ["read", "deploy-to-staging"],
        ["enable", "deploy-to-staging"],
        ["enable", "review-a-diff", "--pin", "0" * 64],
        ["enable", "review-a-diff", "--pin", "x"],
        ["list", "--root", "/"],
        ["list", "--agent", " "],
        ["list", "--state", "mysql://x"],
        ["list", "--budget", "x"],
        ["check", str(tmp_path / "nothing")],
        ["check"],
        ["bake"],
        ["show", "tea", "--root", str(tmp_path / "nothing")],
        ["enable", "tea", "--state", str(tmp_path)],
    ):
        ran = run(*arguments, "--json", environ=environ)
        error = ran.json["error"]
        assert ran.code in (1, 2, 3, 4)
        assert error["message"], arguments
        assert error["fix"], arguments
        assert "fix:" not in error["message"]
        assert ran.said == f"error: {error['message']}; fix: {error['fix']}\n"


@pytest.mark.usefixtures("permissions_bind")
def test_a_root_behind_a_closed_folder_is_told(tmp_path: Path) -> None:
    """What may not be entered is a reason like any other, and no defect."""
    (tmp_path / "closed").mkdir(mode=0)
    for command in ("list", "doctor", "search x", "enable tea"):
        ran = run(*command.split(), "--root", tmp_path / "closed" / "skills", "--state", tmp_path / "states")
        assert ran.code in (1, 4)
        assert "permission is denied" in ran.out + ran.said
    assert run("list", environ={"XDG_DATA_HOME": str(tmp_path / "closed")}).code == 4


@pytest.mark.usefixtures("permissions_bind")
def test_nothing_can_be_switched_on_while_the_own_root_is_closed(environ: dict[str, str], home: Home) -> None:
    """The marks in it may keep off what the host shares, and nobody knows; that is told, and nothing is written."""
    root = home.path / "skills"
    root.chmod(0)
    ran = run("enable", "cut-a-release@host-shared", environ=environ)
    root.chmod(0o700)
    assert (ran.code, ran.out) == (4, "")
    assert "the fail-closed marks in `.kestrel-internal` cannot be read" in ran.said
    assert not run("show", "cut-a-release", "--json", environ=environ).json["enabled"]


@pytest.fixture
def states(environ: dict[str, str], home: Home) -> Iterator[Path]:
    """The database of a home in which one skill is on."""
    assert run("enable", "review-a-diff", environ=environ).code == 0
    return home.path / "skills.state.sqlite3"


def spoilt(states: Path) -> None:
    """Overwrite a database with what is none."""
    states.write_bytes(b"this is no database" * 100)


def replaced(states: Path) -> None:
    """Put a folder in a database's place."""
    states.unlink()
    states.mkdir()


def assert_off_but_listed(environ: dict[str, str], why: str) -> None:
    """Everything is listed, off, with one warning and exit code 4; so is the clause, which is empty."""
    listed = run("list", environ=environ)
    assert listed.code == 4
    assert len(listed.lines) == 5
    assert not any(line.split()[1] == "on" for line in listed.lines)
    (warning,) = [line for line in listed.said.splitlines() if line.startswith("error: ")]
    assert why in warning
    in_json = run("list", "--json", environ=environ)
    assert not in_json.json["enablement_available"]
    assert why in in_json.json["enablement_error"]["message"]
    clause = run("clause", environ=environ)
    assert (clause.code, clause.written) == (4, b"")


@pytest.mark.parametrize(("spoil", "why"), [(spoilt, "not a SQLite database"), (replaced, "is not a file")])
def test_a_database_that_is_none(
    spoil: Callable[[Path], None], why: str, states: Path, environ: dict[str, str]
) -> None:
    """Everything is listed and off; nothing can be switched on; what stands in the database's place is left alone."""
    spoil(states)
    before = states.read_bytes() if states.is_file() else None
    assert_off_but_listed(environ, why)
    enabled = run("enable", "cut-a-release", environ=environ)
    assert enabled.code == 4
    assert why in enabled.said
    assert (states.read_bytes() if states.is_file() else None) == before


def test_a_database_that_another_holds(states: Path, environ: dict[str, str]) -> None:
    """While another process writes, everything is listed and off; afterwards it is as it was."""
    with closing(sqlite3.connect(states, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        listed = run("list", environ=environ)
        assert listed.code == 4
        assert "another process holds the state file" in listed.said
        assert len(listed.lines) == 5
    after = run("list", environ=environ)
    assert (after.code, after.lines[0].split()[:2]) == (0, ["bisect-a-regression", "off"])
    assert ["review-a-diff", "on"] in [line.split()[:2] for line in after.lines]


@pytest.mark.usefixtures("permissions_bind")
def test_a_database_that_may_only_be_read(states: Path, environ: dict[str, str]) -> None:
    """What is on is still on, and nothing can be switched on; off is off all the same, by a mark."""
    states.chmod(0o400)
    states.parent.chmod(0o500)
    assert run("list", environ=environ).said.startswith("4 skills, 1 on")
    refused = run("enable", "cut-a-release", environ=environ)
    assert refused.code == 4
    assert "the state file or its folder is read-only" in refused.said
    off = run("disable", "review-a-diff", environ=environ)
    assert (off.code, off.out) == (0, "review-a-diff is off; clause 0 of 8,192 bytes\n")
    assert off.said == "note: a mark keeps it off, whatever the table of states says\n"
    assert run("list", environ=environ).said.startswith("4 skills, 0 on")


@pytest.mark.usefixtures("permissions_bind")
def test_a_root_that_may_only_be_read(environ: dict[str, str], home: Home) -> None:
    """It lists as ever; a skill in it cannot be switched on, and the line says why."""
    root = home.path / "skills"
    root.chmod(0o500)
    assert run("list", environ=environ).code == 0
    refused = run("enable", "review-a-diff", environ=environ)
    assert refused.code == 1
    assert "has no generation marker" in refused.said
