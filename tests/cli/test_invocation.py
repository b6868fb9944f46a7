"""The commands that are printed to be run."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_adapters.cli.invocation import Invocation
from kestrel_skills_adapters.cli.tour import Home
from kestrel_skills_core.domain.text import escaped
from tests.cli.running import run

NONE = "0" * 64


@pytest.mark.parametrize(
    ("given", "spelt"),
    [
        ({}, "kestrel-skills edit tea 'my notes.md' --from /tmp/it --if-match 0"),
        (
            {"root": "my skills", "agent": "did:x:1", "json": True, "budget": 3},
            "kestrel-skills edit tea 'my notes.md' --from /tmp/it --if-match 0 --root 'my skills' --agent did:x:1",
        ),
        (
            {"shared": "a", "state": "b"},
            "kestrel-skills edit tea 'my notes.md' --from /tmp/it --if-match 0 --shared a --state b",
        ),
    ],
)
def test_a_command_means_the_same_skills(given: dict[str, object], spelt: str) -> None:
    """It carries what was given to find them, and nothing else that was given."""
    assert Invocation({}, given).command("edit", "tea", "my notes.md", from_="/tmp/it", if_match="0") == spelt


def test_what_is_not_given_is_left_out() -> None:
    """A switch is there or not; what looks like an option and is none stands behind what ends the options."""
    invocation = Invocation({})
    assert invocation.command("new", "tea", enabled=False, priority=None) == "kestrel-skills new tea"
    assert invocation.command("new", "tea", enabled=True, priority=0) == "kestrel-skills new tea --enabled --priority 0"
    assert invocation.command("edit", "tea", "-x", remove=True) == "kestrel-skills edit --remove -- tea -x"


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_whatever_is_given_is_one_word_and_can_be_seen(word: str) -> None:
    """A shell reads back every character of it, and nothing in it hides."""
    line = Invocation({}, {"root": word}).command("list")
    assert escaped(line) == line
    if "$'" not in line:
        assert shlex.split(line) == ["kestrel-skills", "list", "--root", word]


@pytest.mark.parametrize("word", ["a\nb", "it's \\n\x1b[0m", "\u202eback", "é\x07", "caf\udce9"])
def test_what_cannot_be_seen_is_spelt_for_a_shell(word: str) -> None:
    """As bash, zsh and ksh read it, bytes that are no text included."""
    line = Invocation({}, {"root": word}).command("list")
    assert line.isascii()
    read = subprocess.run(
        ["bash", "-c", line.replace("kestrel-skills", "printf '%s\\0'", 1)], capture_output=True, check=True
    )
    assert read.stdout.split(b"\0") == [b"list", b"--root", os.fsencode(word), b""]


def printed(said: str) -> list[str]:
    """The arguments of the one command that is printed, between backticks or on a line of its own."""
    lines = [line for line in said.splitlines() if "kestrel-skills " in line]
    (line,) = lines
    command = "kestrel-skills " + line.partition("kestrel-skills ")[2].partition("`")[0]
    return shlex.split(command)[1:]


@pytest.fixture
def elsewhere(environ: dict[str, str], home: Home, tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """The options that mean the home of the tour, moved to where no variable leads; and an environment without any."""
    there = home.path.rename(tmp_path / "another home")
    options = [
        "--root",
        there / "skills",
        "--shared",
        there / "shared",
        "--state",
        there / "states",
        "--agent",
        "did:x",
    ]
    kept = {name: value for name, value in environ.items() if not name.startswith("KESTREL_")}
    return [str(option) for option in options], kept


def test_the_command_that_follows_a_conflict_is_the_right_one(
    elsewhere: tuple[list[str], dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another home, with a file and a folder whose names hold spaces: as printed, it writes the person's text."""
    where, environ = elsewhere
    drafts = tmp_path / "my drafts"
    drafts.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(drafts))
    file = Path(where[1]) / "review-a-diff" / "my notes.md"
    file.write_text("old\n", encoding="utf-8")
    program = tmp_path / "editor"
    program.write_text(f'#!/bin/sh\necho theirs >{shlex.quote(str(file))}\necho mine >"$1"\n', encoding="utf-8")
    program.chmod(0o755)
    ran = run("edit", "review-a-diff", "my notes.md", *where, environ=environ | {"EDITOR": str(program)})
    assert ran.code == 3
    assert file.read_text(encoding="utf-8") == "theirs\n"
    arguments = printed(ran.said)
    assert arguments[-len(where) :] == where
    assert run(*arguments, environ=environ).code == 0
    assert file.read_text(encoding="utf-8") == "mine\n"


def test_the_command_that_deletes_unasked_is_the_right_one(elsewhere: tuple[list[str], dict[str, str]]) -> None:
    """In another home, for another agent, whose token it is."""
    where, environ = elsewhere
    arguments = printed(run("delete", "review-a-diff", *where, environ=environ).said)
    assert run(*arguments, environ=environ).code == 0
    assert not (Path(where[1]) / "review-a-diff").exists()


def test_the_command_that_pins_again_is_the_right_one(elsewhere: tuple[list[str], dict[str, str]]) -> None:
    """In another home it pins what was pinned there."""
    where, environ = elsewhere
    revision = run("show", "review-a-diff", *where, "--json", environ=environ).json["revision"]
    run("enable", "review-a-diff", "--pin", revision, *where, environ=environ)
    arguments = printed(run("enable", "review-a-diff", *where, environ=environ).said)
    assert run(*arguments, environ=environ).code == 0
    assert run("show", "review-a-diff", *where, "--json", environ=environ).json["pin"] == revision


def test_the_commands_of_the_doctor_are_the_right_ones(elsewhere: tuple[list[str], dict[str, str]]) -> None:
    """What is kept, and what is rejected, is shown where it is."""
    where, environ = elsewhere
    run("list", *where, environ=environ)
    kept = Path(where[1]) / ".kestrel-internal" / "kept"
    kept.mkdir()
    (kept / f"{'ab' * 16}-tea").write_text("mine", encoding="utf-8")
    lines = run("doctor", *where, environ=environ).lines
    (of_kept,) = [line for line in lines if "  kept: " in line]
    (of_skills,) = [line for line in lines if "  skills: " in line]
    assert run(*printed(of_kept), environ=environ).lines == [f"{'ab' * 16}  file  tea"]
    assert "deploy-to-staging" in run(*printed(of_skills), environ=environ).out


def test_the_command_that_shows_what_is_kept_is_the_right_one(
    elsewhere: tuple[list[str], dict[str, str]], tmp_path: Path
) -> None:
    """A change that finds a person's bytes says how to see them, in that very root."""
    where, environ = elsewhere
    run("list", *where, environ=environ)
    staging = Path(where[1]) / ".kestrel-internal" / "staging"
    staging.mkdir(exist_ok=True)
    (staging / f"{NONE}-{'1' * 64}-{'ab' * 16}-tea").write_text("mine", encoding="utf-8")
    text = tmp_path / "text.md"
    text.write_text("more", encoding="utf-8")
    ran = run("edit", "review-a-diff", "more.md", "--from", text, *where, environ=environ)
    assert run(*printed(ran.said), environ=environ).out == "mine"


def test_the_command_that_puts_a_skill_in_means_the_same_root(elsewhere: tuple[list[str], dict[str, str]]) -> None:
    """Where nothing is on."""
    where, environ = elsewhere
    assert printed(run("clause", *where, environ=environ).said) == ["enable", "NAME", *where]
