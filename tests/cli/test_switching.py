"""Switching skills on and off."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import run, skill


def states(environ: dict[str, str]) -> dict[str, tuple[str, str]]:
    """What a listing says: state and priority of each skill."""
    lines = (line.split() for line in run("list", environ=environ).lines)
    return {name: (state, priority) for name, state, _, priority, *_ in lines}


def test_on_and_off_last(environ: dict[str, str]) -> None:
    """What is switched on stays on in the next run, at its priority; so does what is switched off."""
    on = run("enable", "review-a-diff", "--priority", "-5", environ=environ)
    assert (on.code, on.out) == (0, "review-a-diff is on, priority -5; clause 311 of 8,192 bytes\n")
    assert states(environ)["review-a-diff"] == ("on", "-5")
    off = run("disable", "review-a-diff", environ=environ)
    assert (off.code, off.out) == (0, "review-a-diff is off; clause 0 of 8,192 bytes\n")
    assert states(environ)["review-a-diff"] == ("off", "-5")


def test_the_priority_is_kept(environ: dict[str, str]) -> None:
    """Switching on again without a priority keeps what it was."""
    run("enable", "review-a-diff", "--priority", "7", environ=environ)
    run("disable", "review-a-diff", environ=environ)
    run("enable", "review-a-diff", environ=environ)
    assert states(environ)["review-a-diff"] == ("on", "7")


def test_json_is_the_record(environ: dict[str, str]) -> None:
    """With `--json` the skill is shown as the listing shows it now."""
    record = run("enable", "cut-a-release", "--json", environ=environ).json
    assert (record["name"], record["enabled"], record["context_included"]) == ("cut-a-release", True, True)
    assert record in run("list", "--json", environ=environ).json["skills"]


def test_a_pin_holds_the_bytes(environ: dict[str, str], home: Home) -> None:
    """A pinned skill is off as soon as a byte of it changes, and `show` says why."""
    revision = run("show", "review-a-diff", "--json", environ=environ).json["revision"]
    assert run("enable", "review-a-diff", "--pin", revision, environ=environ).code == 0
    assert "state        on, pinned to this revision" in run("show", "review-a-diff", environ=environ).lines
    with (home.path / "skills" / "review-a-diff" / "checklist.md").open("a") as file:
        file.write("One more.\n")
    assert states(environ)["review-a-diff"] == ("off", "100")
    assert "enable it again" in run("show", "review-a-diff", environ=environ).out
    stale = run("enable", "review-a-diff", "--pin", revision, "--json", environ=environ)
    assert (stale.code, stale.json["error"]["code"]) == (3, "stale")


def test_a_pin_that_is_dropped_is_told(environ: dict[str, str], home: Home) -> None:
    """Switching on without a pin leaves none, and one line says which it was."""
    revision = run("show", "review-a-diff", "--json", environ=environ).json["revision"]
    assert run("enable", "review-a-diff", "--pin", revision, environ=environ).said == ""
    moved = run("enable", "review-a-diff", "--priority", "9", environ=environ)
    assert (moved.code, moved.out) == (0, "review-a-diff is on, priority 9; clause 311 of 8,192 bytes\n")
    again = f"kestrel-skills enable review-a-diff --pin {revision}"
    assert moved.said == f"note: it was pinned and is not any more; as before: `{again}`\n"
    assert run("enable", "review-a-diff", environ=environ).said == ""
    assert run("disable", "review-a-diff", environ=environ).said == ""


@pytest.mark.parametrize("path", [[], ["SKILL.md"], ["checklist.md"]])
def test_reading_what_left_its_pin_is_warned_of(path: list[str], environ: dict[str, str], home: Home) -> None:
    """The pin is held against the very bytes that are printed, and they are printed all the same."""
    revision = run("show", "review-a-diff", "--json", environ=environ).json["revision"]
    run("enable", "review-a-diff", "--pin", revision, environ=environ)
    assert run("read", "review-a-diff", *path, environ=environ).said == ""
    with (home.path / "skills" / "review-a-diff" / "checklist.md").open("a") as file:
        file.write("One more.\n")
    ran = run("read", "review-a-diff", *path, environ=environ)
    assert ran.code == 0
    assert ran.written
    assert ran.said == (
        "warning: these are not the bytes that review-a-diff was pinned to; look at them, then enable it again\n"
    )
    assert run("read", "review-a-diff", *path, "--json", environ=environ).said == ran.said
    run("disable", "review-a-diff", environ=environ)
    assert run("read", "review-a-diff", *path, environ=environ).said == ""


def rows(home: Home) -> list[tuple[str, int]]:
    """Which rows the table has, and whether they say on."""
    with closing(sqlite3.connect(home.path / "skills.state.sqlite3")) as table:
        return table.execute("SELECT file_name, enabled FROM bootstrap_config ORDER BY file_name").fetchall()


def unread(root: Path) -> None:
    """Put a link in the place of a root, which is refused."""
    root.rename(root.with_name("elsewhere"))
    root.symlink_to(root.with_name("elsewhere"))


def shadowed(root: Path) -> None:
    """Put a skill of the same name into the agent's own root."""
    skill(root, "cut-a-release")


def held_back(root: Path) -> None:
    """Put a broken folder of the same name there."""
    skill(root, "cut-a-release", "Use it.\nlicense: MIT")


@pytest.mark.parametrize(
    ("hinder", "why"),
    [
        (shadowed, "it is shadowed by a skill, cut-a-release@agent-local"),
        (held_back, "it is held back by a rejected folder, cut-a-release@agent-local"),
    ],
)
def test_a_change_that_was_made_is_told_as_made(
    hinder: Callable[[Path], None], why: str, environ: dict[str, str], home: Home
) -> None:
    """What was written is printed, and one plain note says why it has no effect now; the exit code is 0."""
    hinder(home.path / "skills")
    on = run("enable", "cut-a-release@host-shared", environ=environ)
    assert (on.code, on.out) == (0, "cut-a-release@host-shared is on, priority 100; clause 0 of 8,192 bytes\n")
    assert on.said == f"note: that has no effect now: {why}\n"
    assert rows(home) == [("skill:cut-a-release@host-shared", 1)]
    in_json = run("enable", "cut-a-release@host-shared", "--json", environ=environ)
    assert (in_json.code, in_json.json["enabled"], in_json.json["hindrance"]) == (0, True, why)
    assert not in_json.json["context_included"]
    off = run("disable", "cut-a-release@host-shared", environ=environ)
    assert (off.code, off.said) == (0, "")
    assert off.out == "cut-a-release@host-shared is off; clause 0 of 8,192 bytes\n"
    assert rows(home) == [("skill:cut-a-release@host-shared", 0)]


def test_a_change_that_was_refused_changes_nothing(environ: dict[str, str], home: Home) -> None:
    """Where the own root cannot be read, nor can the marks in it: nothing is written, and the exit code says so."""
    run("enable", "cut-a-release", environ=environ)
    before = rows(home)
    unread(home.path / "skills")
    for name in ("cut-a-release", "cut-a-release@host-shared", "review-a-diff", "review-a-diff@agent-local"):
        assert run("enable", name, environ=environ).code == 4
    assert rows(home) == before


def test_what_is_off_by_its_mark_alone_is_told(tmp_path: Path) -> None:
    """Where the state file does not answer, off is off all the same; exit code and one line say what could not be."""
    skill(tmp_path / "skills", "tea")
    where = ["--root", tmp_path / "skills"]
    run("enable", "tea", *where)
    table = tmp_path / "skills.state.sqlite3"
    good = table.read_bytes()
    table.write_bytes(b"this is no database" * 100)
    ran = run("disable", "tea", *where)
    assert (ran.code, ran.out) == (4, "tea is off; clause 0 of 8,192 bytes\n")
    assert ran.said.startswith("error: what is enabled cannot be read or written: ")
    assert ran.said.count("\n") == 1
    table.write_bytes(good)
    assert run("list", *where).said.startswith("1 skill, 0 on")


def test_what_is_shared_can_be_switched_off_where_the_own_root_is_away(environ: dict[str, str], home: Home) -> None:
    """It is written, and told as done."""
    run("enable", "cut-a-release@host-shared", environ=environ)
    unread(home.path / "skills")
    off = run("disable", "cut-a-release@host-shared", environ=environ)
    assert (off.code, off.said) == (0, "")
    assert rows(home) == [("skill:cut-a-release@host-shared", 0)]


def test_another_birth_is_not_what_was_switched_on(environ: dict[str, str], home: Home) -> None:
    """A folder that was removed and made again under its name is off, and its row is told of as inert."""
    run("enable", "write-a-postmortem", environ=environ)
    folder = home.path / "skills" / "write-a-postmortem"
    shutil.copytree(folder, home.path / "copy", ignore=shutil.ignore_patterns(".kestrel-*"))
    shutil.rmtree(folder)
    assert "0 inert, 1 astray" in run("doctor", environ=environ).out
    (home.path / "copy").rename(folder)
    assert states(environ)["write-a-postmortem"][0] == "off"
    assert "1 inert, 0 astray" in run("doctor", environ=environ).out


def test_what_is_gone_can_be_switched_off(environ: dict[str, str], home: Home) -> None:
    """Switching off needs no folder."""
    run("enable", "write-a-postmortem", environ=environ)
    shutil.rmtree(home.path / "skills" / "write-a-postmortem")
    ran = run("disable", "write-a-postmortem", "--json", environ=environ)
    assert (ran.code, ran.json) == (0, {"name": "write-a-postmortem", "enabled": False})
    assert run("disable", "write-a-postmortem", environ=environ).out.startswith("write-a-postmortem is off; ")


def test_agents_do_not_share_states(environ: dict[str, str]) -> None:
    """One agent's switches are not another's."""
    run("enable", "review-a-diff", "--agent", "did:example:one", environ=environ)
    assert run("list", "--agent", "did:example:one", environ=environ).said.startswith("4 skills, 1 on")
    assert run("list", environ=environ).said.startswith("4 skills, 0 on")


def test_the_state_file_can_be_named(environ: dict[str, str], home: Home) -> None:
    """States are read from and written to the file that is named."""
    elsewhere = home.path / "states.sqlite3"
    run("enable", "review-a-diff", "--state", elsewhere, environ=environ)
    assert elsewhere.is_file()
    assert not (home.path / "skills.state.sqlite3").exists()
    assert run("list", "--state", elsewhere, environ=environ).said.startswith("4 skills, 1 on")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["enable", "deploy-to-staging"], 1),
        (["enable", "nothing"], 3),
        (["disable", "nothing"], 3),
        (["enable", "NOT A NAME"], 1),
        (["enable", "review-a-diff", "--priority", "100001"], 2),
        (["enable", "review-a-diff", "--priority", "soon"], 2),
        (["enable", "review-a-diff", "--pin", "abc"], 2),
        (["enable"], 2),
        (["enable", "review-a-diff", "--state", "mysql://host/db"], 2),
    ],
)
def test_what_cannot_be_switched_changes_nothing(arguments: list[str], code: int, environ: dict[str, str]) -> None:
    """Each refusal has its exit code and a line, and every state is as before."""
    before = states(environ)
    ran = run(*arguments, environ=environ)
    assert (ran.code, ran.out) == (code, "")
    assert ran.said
    assert states(environ) == before
