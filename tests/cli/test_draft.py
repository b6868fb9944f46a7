"""A text that a person writes in an editor, however the command ends."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import Stream, run

HEARING = """
import signal, sys
from kestrel_skills_adapters.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
sys.exit(main())
"""
"""Whoever runs the tests in the background, or by `nohup`, ignores both."""
PROGRAM = [sys.executable, "-c", HEARING]
COMMANDS = [["edit", "review-a-diff", "checklist.md"], ["new", "tea"]]
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
TEXT = "---\\nname: tea\\ndescription: Use when thirsty.\\n---\\n\\nBoil water.\\n"


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where drafts lie, of this process and of others."""
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(drafts))
    return drafts


@pytest.fixture
def environ(environ: dict[str, str], drafts: Path) -> dict[str, str]:
    """The home of the tour, for other processes too."""
    path = os.pathsep.join(filter(None, sys.path))
    return {**environ, "TMPDIR": str(drafts), "PATH": os.environ["PATH"], "PYTHONPATH": path, "LC_ALL": "C.UTF-8"}


def editor(tmp_path: Path, script: str) -> dict[str, str]:
    """An editor that does what a shell script does with the file `$1`; it makes a file `ready` to say so."""
    program = tmp_path / "editor"
    program.write_text(f"#!/bin/sh\nready() {{ touch {tmp_path / 'ready'}; }}\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return {"EDITOR": str(program)}


def ended_by(number: int, command: Sequence[str], environ: dict[str, str], tmp_path: Path) -> tuple[int, str, str]:
    """Run a command whose editor says that it is ready, and send a signal to both; exit code, stdout and stderr."""
    out, err = tmp_path / "out", tmp_path / "err"
    with out.open("wb") as stdout, err.open("wb") as stderr:  # an editor that goes on holds pipes open
        running = subprocess.Popen(
            [*PROGRAM, *command], env=environ, stdout=stdout, stderr=stderr, start_new_session=True
        )
    try:
        while not (tmp_path / "ready").exists():
            assert running.poll() is None, err.read_text(encoding="utf-8")
            time.sleep(0.01)
        os.killpg(running.pid, number)
        return running.wait(60), out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


@pytest.mark.parametrize("number", ENDING, ids=lambda number: signal.Signals(number).name)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_text_outlives_whatever_ends_the_editor(
    command: list[str], number: int, environ: dict[str, str], drafts: Path, tmp_path: Path
) -> None:
    """It is in a file that is named, and the command that is printed goes on with it."""
    there = environ | editor(tmp_path, f'printf "%b" "{TEXT}" >"$1"; ready; exec sleep 60')
    code, out, err = ended_by(number, command, there, tmp_path)
    assert (code, out) == (128 + number, "")
    (draft,) = drafts.rglob("*.md")
    named, further = err.splitlines()
    assert named == f"your text is in {draft}; to go on with it:"
    program, *arguments = shlex.split(further)
    assert program == "kestrel-skills"
    assert run(*arguments, environ=environ).code == 0
    path = "SKILL.md" if command[0] == "new" else command[2]
    assert run("read", command[1], path, environ=environ).written == draft.read_bytes()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_untouched_draft_is_removed_where_the_editor_is_interrupted(
    command: list[str], environ: dict[str, str], drafts: Path, tmp_path: Path
) -> None:
    """Nobody's text was in it, and the editor is gone."""
    there = environ | editor(tmp_path, "ready; exec sleep 60")
    assert ended_by(signal.SIGINT, command, there, tmp_path) == (130, "", "")
    assert list(drafts.iterdir()) == []


def test_an_editor_that_outlives_the_command_has_its_file(
    environ: dict[str, str], drafts: Path, tmp_path: Path
) -> None:
    """Asked to end, the command does not wait for it: what is saved later lands in the file that was named."""
    later = tmp_path / "later"
    script = f"trap '' TERM; ready; while [ ! -e {later} ]; do sleep 0.05; done; echo mine >\"$1\"; rm {later}"
    code, _, err = ended_by(signal.SIGTERM, COMMANDS[0], environ | editor(tmp_path, script), tmp_path)
    assert code == 143
    later.touch()
    while later.exists():
        time.sleep(0.01)
    (draft,) = drafts.rglob("checklist.md")
    assert str(draft) in err
    assert draft.read_text(encoding="utf-8") == "mine\n"


def test_an_interrupt_that_the_editor_takes_is_its_own(environ: dict[str, str], drafts: Path, tmp_path: Path) -> None:
    """In many it is a key like others: what it leaves when it ends is taken."""
    script = "file=$1; trap 'echo mine >\"$file\"; exit 0' INT; ready; while :; do sleep 0.05; done"
    code, out, err = ended_by(signal.SIGINT, COMMANDS[0], environ | editor(tmp_path, script), tmp_path)
    assert (code, out.split(";")[0], err) == (0, "checklist.md is written", "")
    assert run("read", "review-a-diff", "checklist.md", environ=environ).out == "mine\n"
    assert list(drafts.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("program", ["/nothing/here", "'", "sh -c 'exit 3'", "sh -c 'kill -9 $$'"])
def test_an_editor_that_fails_leaves_no_draft(
    program: str, command: list[str], environ: dict[str, str], drafts: Path
) -> None:
    """However often it is tried; it is said why."""
    ran = run(*command, environ=environ | {"EDITOR": program})
    assert ran.code == 2
    assert f"the editor `{program}` " in ran.said
    assert ran.said.count("\n") == 1
    assert list(drafts.iterdir()) == []


@pytest.mark.parametrize(
    "script", ['echo mine >"$1"; exit 3', 'echo swap >"$1.swp"; exit 3', 'chmod 0 "$1"; echo mine >"$1~"; exit 3']
)
def test_an_editor_that_fails_leaves_what_it_wrote(
    script: str, environ: dict[str, str], drafts: Path, tmp_path: Path
) -> None:
    """A text, or what the editor keeps of one beside it, stays where it is named."""
    ran = run(*COMMANDS[0], environ=environ | editor(tmp_path, script))
    assert ran.code == 2
    (folder,) = drafts.iterdir()
    assert f"your text is in {folder / 'checklist.md'}; to go on with it:\n" in ran.said
    assert "ended with 3" in ran.said


class Interrupted(Stream):
    """A terminal at which a person answers with Ctrl-C."""

    def readline(self, *_: object) -> str:  # type: ignore[override]  # nothing is given
        """Interrupt."""
        raise KeyboardInterrupt


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_interrupt_at_a_question_names_the_text(
    command: list[str], environ: dict[str, str], drafts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked whether to edit again, nobody has to answer to find their text."""
    monkeypatch.setattr(sys, "stdin", Interrupted(terminal=True))
    ran = run(*command, environ=environ | editor(tmp_path, 'printf "broken\\000" >"$1"'))
    assert ran.code == 130
    (draft,) = drafts.rglob("*.md")
    assert f"your text is in {draft}; to go on with it:\n" in ran.said
    assert draft.read_bytes() == b"broken\0"


def test_a_draft_that_cannot_be_made(
    environ: dict[str, str], home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said so, with another way, and nothing is changed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nothing"))
    ran = run(*COMMANDS[1], environ=environ)
    assert ran.code == 2
    assert ran.said.startswith("error: no file for your text can be made: no such file or directory; fix: ")
    assert not (home.path / "skills" / "tea").exists()


@pytest.mark.parametrize("number", ENDING, ids=lambda number: signal.Signals(number).name)
def test_what_follows_on_a_signal_is_as_it_was(
    number: int, environ: dict[str, str], drafts: Path, tmp_path: Path
) -> None:
    """When the text is written, this process reacts as before."""
    before = signal.getsignal(number)
    assert run(*COMMANDS[0], environ=environ | editor(tmp_path, 'echo mine >"$1"')).code == 0
    assert signal.getsignal(number) is before
    assert list(drafts.iterdir()) == []


def test_what_is_ignored_stays_ignored(environ: dict[str, str], drafts: Path, tmp_path: Path) -> None:
    """As under `nohup`, which lets a command go on when its terminal is gone."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        script = 'kill -HUP $PPID; echo mine >"$1"'
        assert run(*COMMANDS[0], environ=environ | editor(tmp_path, script)).code == 0
    finally:
        signal.signal(signal.SIGHUP, before)
    assert list(drafts.iterdir()) == []
