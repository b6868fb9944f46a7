"""What is kept of a person's: seen whole, copied whole, taken back, and let go of by those who saw it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.copying import copied
from kestrel_skills_adapters.cli.invocation import Invocation
from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import Stream, run
from tests.disks import NO_TEXT
from tests.hostile.disk import crowd
from tests.permissions import bound

TOKEN = "ab" * 16
TEXT = "---\nname: tea\ndescription: Use when thirsty.\n---\n\nBoil water.\n"
LARGE = bytes(range(256)) * 6_000
"""A person's file of 1.5 MB."""


@pytest.fixture
def place(home: Home) -> Path:
    """Where something of tea's is kept; nothing is, as yet."""
    internal = home.path / "skills" / ".kestrel-internal"
    (internal / "kept").mkdir(parents=True)
    internal.chmod(0o700)
    return internal / "kept" / f"{TOKEN}-tea"


@pytest.fixture
def odd(place: Path) -> Path:
    """A kept folder that holds what is no part of a skill."""
    for path, content in {
        "SKILL.md": TEXT.encode(),
        "docs/more.md": b"more",
        "large.bin": LARGE,
        "notes.md~": b"older",
        "é\x1b.md": b"escape",
        "run.sh": b"#!/bin/sh\n",
    }.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    (place / "run.sh").chmod(0o755)
    (place / "empty").mkdir()
    return place


def answers(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Let a person at a terminal answer a question."""
    stdin = Stream(terminal=True)
    stdin.write(f"{line}\n")
    stdin.seek(0)
    monkeypatch.setattr(sys, "stdin", stdin)


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: the bytes of files, nothing for the rest."""
    return {
        os.fspath(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in folder.rglob("*")
    }


def test_nothing_is_kept_at_first(environ: dict[str, str]) -> None:
    """The list is empty."""
    ran = run("kept", environ=environ)
    assert (ran.code, ran.out, ran.said) == (0, "", "nothing is kept\n")
    assert run("kept", "--json", environ=environ).json == {"kept": []}


@pytest.mark.parametrize("content", [b"a person's\r\n", b"", LARGE], ids=len)
def test_a_kept_file_is_looked_at_copied_and_let_go(
    content: bytes, environ: dict[str, str], place: Path, tmp_path: Path
) -> None:
    """It is listed, by doctor too; shown to the byte, however large; copied; and gone when a person says so."""
    place.write_bytes(content)
    assert run("kept", environ=environ).lines == [f"{TOKEN}  file  tea"]
    assert run("kept", "--json", environ=environ).json == {"kept": [{"token": TOKEN, "name": "tea", "kind": "file"}]}
    assert "run `kestrel-skills kept`" in run("doctor", environ=environ).out
    assert run("kept", TOKEN, environ=environ).written == content
    entry = {"path": ".", "kind": "file", "size": len(content)}
    assert run("kept", TOKEN, "--json", environ=environ).json == {"entries": [entry], "whole": True}
    into = tmp_path / "copy"
    ran = run("kept", TOKEN, "--into", into, environ=environ)
    assert (ran.code, ran.out, ran.said) == (0, f"1 file is in {into}\n", "")
    assert (into / "kept").read_bytes() == content
    ran = run("kept", TOKEN, "--into", into, environ=environ)
    assert (ran.code, "cannot be written: file exists" in ran.said) == (2, True)
    assert run("kept", TOKEN, "--discard", "--yes", environ=environ).out == f"{TOKEN} is gone for ever\n"
    assert run("kept", environ=environ).out == ""
    assert not place.exists()


def test_a_kept_file_cannot_be_taken_back_and_says_how_else(environ: dict[str, str], place: Path) -> None:
    """Nothing tells where in the skill it was."""
    place.write_bytes(b"a person's")
    ran = run("kept", TOKEN, "--restore", environ=environ)
    assert (ran.code, ran.out) == (1, "")
    assert "what is kept is one file of `tea`, and nothing tells where in it that was" in ran.said
    assert "fix: copy it out, edit the skill, then discard what is kept" in ran.said
    assert place.exists()


def test_a_kept_folder_is_taken_back(environ: dict[str, str], odd: Path, home: Home) -> None:
    """All of it comes back under its own name."""
    before = tree(odd)
    ran = run("kept", TOKEN, "--restore", "--json", environ=environ)
    assert ran.json == {"token": TOKEN, "restored": "tea"}
    assert tree(home.path / "skills" / "tea") == before


def test_a_kept_folder_is_shown_whole(environ: dict[str, str], odd: Path) -> None:
    """Every path, safe to print, with kind and size, whatever a skill would leave out."""
    (odd / ".git").mkdir()
    (odd / ".git" / "HEAD").write_bytes(b"ref")
    (odd / "link").symlink_to(odd / "docs")
    os.mkfifo(odd / "pipe")
    ran = run("kept", TOKEN, environ=environ)
    assert (ran.code, ran.said) == (0, "")
    assert ran.lines == [
        ".git (a folder)",
        ".git/HEAD (3 bytes)",
        "SKILL.md (62 bytes)",
        "docs (a folder)",
        "docs/more.md (4 bytes)",
        "empty (a folder)",
        "large.bin (1,536,000 bytes)",
        "link (a link, not followed)",
        "notes.md~ (5 bytes)",
        "pipe (neither a file nor a folder)",
        "run.sh (10 bytes)",
        r"é\x1b.md (6 bytes)",
    ]
    shown = run("kept", TOKEN, "--json", environ=environ).json
    assert shown["whole"] is True
    assert shown["entries"][:2] == [
        {"path": ".", "kind": "folder", "size": 0},
        {"path": ".git", "kind": "folder", "size": 0},
    ]
    assert [entry["kind"] for entry in shown["entries"] if entry["path"] in ("link", "pipe")] == ["link", "other"]


def test_a_folder_of_thousands_is_shown(environ: dict[str, str], place: Path) -> None:
    """More than is ever looked at in a skill."""
    modules = place / "node_modules"
    modules.mkdir(parents=True)
    crowd(modules, (f"{number:04}.js" for number in range(5_000)))
    assert len(run("kept", TOKEN, environ=environ).lines) == 5_001


def test_a_folder_of_more_than_a_skill_may_hold_is_copied(environ: dict[str, str], place: Path, tmp_path: Path) -> None:
    """In number, and in bytes of all files together."""
    (place / "many").mkdir(parents=True)
    crowd(place / "many", (f"{number:03}.js" for number in range(600)))
    for number in range(12):
        (place / f"{number:02}.md").write_bytes(bytes([number]) * 250_000)
    assert len(run("kept", TOKEN, environ=environ).lines) == 613
    ran = run("kept", TOKEN, "--into", tmp_path / "copy", environ=environ)
    assert (ran.code, ran.out) == (0, f"612 files are in {tmp_path / 'copy'}\n")
    assert tree(tmp_path / "copy") == tree(place)


def test_a_kept_folder_is_copied_whole(environ: dict[str, str], odd: Path, tmp_path: Path) -> None:
    """Byte for byte, whatever the size or name; what was executable is."""
    ran = run("kept", TOKEN, "--into", tmp_path / "copy", environ=environ)
    assert (ran.code, ran.out, ran.said) == (0, f"6 files are in {tmp_path / 'copy'}\n", "")
    assert tree(tmp_path / "copy") == tree(odd)
    executable = [path.name for path in (tmp_path / "copy").iterdir() if path.is_file() and path.stat().st_mode & 0o100]
    assert executable == ["run.sh"]


def test_what_is_not_copied_is_told(environ: dict[str, str], odd: Path, tmp_path: Path) -> None:
    """Links and what cannot be read; the rest is copied, and the exit code says that it is not all."""
    (odd / "link").symlink_to("/etc/passwd")
    os.mkfifo(odd / "pipe")
    (odd / "docs" / "more.md").chmod(0)
    (odd / "empty").chmod(0)
    with bound():
        ran = run("kept", TOKEN, "--into", tmp_path / "copy", environ=environ)
        asked = run("kept", TOKEN, "--into", tmp_path / "again", "--json", environ=environ)
        seen = run("kept", TOKEN, environ=environ)
    assert (ran.code, ran.out) == (4, f"5 files are in {tmp_path / 'copy'}\n")
    why = {
        "docs/more.md": "it cannot be read: permission is denied",
        "empty": "it cannot be read: permission is denied",
        "link": "it is a link",
        "pipe": "it is neither a file nor a folder",
    }
    assert ran.said.splitlines() == [f"not copied whole: {path}: {words}" for path, words in why.items()]
    assert (asked.code, asked.json["files"]) == (4, 5)
    assert asked.json["left"] == [{"path": path, "why": words} for path, words in why.items()]
    assert not (tmp_path / "copy" / "link").is_symlink()
    assert (tmp_path / "copy" / "large.bin").read_bytes() == LARGE
    assert (seen.code, len(seen.lines)) == (4, 10)
    assert seen.said.splitlines() == [
        "not seen whole: docs/more.md: it cannot be read: permission is denied",
        "not seen whole: empty: it cannot be read: permission is denied",
    ]


def test_what_changes_while_it_is_copied_is_told(environ: dict[str, str], odd: Path, tmp_path: Path) -> None:
    """What is in the copy is not what was listed."""
    session = Invocation(environ).session()
    listing = session.kept_listing(TOKEN)
    (odd / "SKILL.md").unlink()
    with (odd / "large.bin").open("ab") as file:
        file.write(b"more")
    (tmp_path / "copy").mkdir()
    told = {entry.path: why for entry, why in copied(session, listing, str(tmp_path / "copy"))}
    assert told.pop("SKILL.md") == "'tea' has no file 'SKILL.md'"
    assert told.pop("large.bin") == "it changed while it was copied"
    assert set(told.values()) == {""}


@NO_TEXT
def test_a_name_that_is_no_text_is_shown_and_copied(environ: dict[str, str], place: Path, tmp_path: Path) -> None:
    """Spelt out where it is printed, and byte for byte where it is copied to."""
    place.mkdir()
    (place / "\udcff\x1b.md").write_bytes(b"Latin-1")
    assert run("kept", TOKEN, environ=environ).lines == [r"\udcff\x1b.md (7 bytes)"]
    assert run("kept", TOKEN, "--into", tmp_path / "copy", environ=environ).code == 0
    assert (tmp_path / "copy" / "\udcff\x1b.md").read_bytes() == b"Latin-1"


def test_a_copy_that_cannot_be_written_is_told(environ: dict[str, str], place: Path, tmp_path: Path) -> None:
    """A path too long for where it should go, and all below it; the rest is copied."""
    deep = place
    longest = os.pathconf(tmp_path, "PC_PATH_MAX")
    for _ in range(longest // 400):
        deep = deep / ("d" * 200)
    deep.mkdir(parents=True)
    (place / "SKILL.md").write_bytes(b"1")
    (deep / "x.md").write_bytes(b"2")
    into = tmp_path
    while len(str(into)) < longest * 3 // 4:
        into = into / ("i" * 200)
    into.mkdir(parents=True)
    ran = run("kept", TOKEN, "--into", into / "copy", environ=environ)
    assert (ran.code, ran.out) == (4, f"1 file is in {into / 'copy'}\n")
    told = ran.said.splitlines()
    assert told
    assert all(line.endswith("it cannot be written: file name too long") for line in told)
    assert told[-1].startswith(f"not copied whole: {'d' * 200}/")
    assert "x.md" in told[-1]


@pytest.mark.parametrize("kind", ["link", "other"])
def test_what_is_no_file_is_shown_as_what_it_is(
    kind: str, environ: dict[str, str], place: Path, tmp_path: Path
) -> None:
    """It is not followed, nor opened, nor copied; and it can be let go of."""
    target = tmp_path / "target"
    target.write_bytes(b"not to be touched")
    if kind == "link":
        place.symlink_to(target)
    else:
        os.mkfifo(place)
    words = {"link": "a link, not followed", "other": "neither a file nor a folder"}[kind]
    assert run("kept", environ=environ).lines == [f"{TOKEN}  {kind}  tea"]
    assert run("kept", TOKEN, environ=environ).lines == [f". ({words})"]
    ran = run("kept", TOKEN, "--into", tmp_path / "copy", environ=environ)
    assert (ran.code, ran.out) == (4, f"0 files are in {tmp_path / 'copy'}\n")
    assert run("kept", TOKEN, "--restore", environ=environ).code == 1
    assert run("kept", TOKEN, "--discard", "--yes", environ=environ).code == 0
    assert not place.is_symlink()
    assert target.read_bytes() == b"not to be touched"


def test_a_long_file_is_not_poured_over_a_terminal(environ: dict[str, str], place: Path) -> None:
    """How large it is, is told; a short one is shown, so that it cannot drive the terminal."""
    place.write_bytes(LARGE)
    assert run("kept", TOKEN, environ=environ, terminal=True).lines == [". (1,536,000 bytes)"]
    place.write_bytes(b"a person's\x1b[2J\n")
    assert run("kept", TOKEN, environ=environ, terminal=True).lines == [r"a person's\x1b[2J"]


def test_a_discard_shows_what_goes_and_asks(
    environ: dict[str, str], odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a yes nothing goes."""
    answers(monkeypatch, "")
    ran = run("kept", TOKEN, "--discard", environ=environ)
    assert (ran.code, ran.out) == (1, "")
    lines = ran.said.splitlines()
    assert lines[0] == f"{TOKEN}, a folder of tea:"
    for line in ("  empty (a folder)", "  large.bin (1,536,000 bytes)", "  notes.md~ (5 bytes)"):
        assert line in lines
    again = f"kestrel-skills kept {TOKEN} --discard --yes"
    assert lines[-1].endswith(f"nothing was discarded; unasked: `{again}`")
    assert odd.exists()
    answers(monkeypatch, "y")
    ran = run("kept", TOKEN, "--discard", environ=environ)
    assert (ran.code, ran.out) == (0, f"{TOKEN} is gone for ever\n")
    assert not odd.exists()


def test_nobody_to_ask_is_a_no(environ: dict[str, str], odd: Path) -> None:
    """Where nobody can answer, nothing goes."""
    assert run("kept", TOKEN, "--discard", environ=environ).code == 1
    assert odd.exists()


def test_what_came_after_it_was_shown_keeps_all_of_it(
    environ: dict[str, str], odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person who answers has not seen it."""

    class Late(Stream):
        def readline(self, size: int = -1, /) -> str:
            (odd / "late.md").write_bytes(b"late")
            return super().readline(size)

    stdin = Late(terminal=True)
    stdin.write("y\n")
    stdin.seek(0)
    monkeypatch.setattr(sys, "stdin", stdin)
    ran = run("kept", TOKEN, "--discard", environ=environ)
    assert (ran.code, ran.out) == (3, "")
    assert (odd / "late.md").read_bytes() == b"late"


@pytest.mark.parametrize("options", [["--yes"], ["--yes", "--json"], []])
def test_a_repository_is_not_discarded(options: list[str], environ: dict[str, str], odd: Path) -> None:
    """It is to be moved away by hand, and is named."""
    (odd / "lib" / ".git").mkdir(parents=True)
    (odd / "lib" / ".git" / "HEAD").write_bytes(b"ref")
    before = tree(odd)
    ran = run("kept", TOKEN, "--discard", *options, environ=environ)
    assert ran.code == 1
    assert "`lib/.git`: it holds a repository" in ran.said
    assert f"fix: move `.kestrel-internal/kept/{TOKEN}-tea` away by hand" in ran.said
    assert tree(odd) == before


def test_what_is_too_deep_is_told_and_not_discarded(environ: dict[str, str], place: Path, tmp_path: Path) -> None:
    """The listing, and the copy, end with a code that says that they are not whole."""
    deep = place / Path(*["d"] * 64)
    deep.mkdir(parents=True)
    (deep / "x.md").write_bytes(b"1")
    ran = run("kept", TOKEN, environ=environ)
    assert (ran.code, len(ran.lines)) == (4, 64)
    assert ran.said == f"not seen whole: {'/'.join('d' * 64)}: what is deeper than 64 folders is not looked into\n"
    shown = run("kept", TOKEN, "--json", environ=environ)
    assert (shown.code, shown.json["whole"]) == (4, False)
    assert shown.json["entries"][-1]["unseen"] == "what is deeper than 64 folders is not looked into"
    assert run("kept", TOKEN, "--into", tmp_path / "copy", environ=environ).code == 4
    assert run("kept", TOKEN, "--discard", "--yes", environ=environ).code == 1
    assert (deep / "x.md").exists()
    shutil.rmtree(place)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ab"], 3),
        (["ab", "--into", "nowhere"], 3),
        (["ab", "--restore"], 3),
        (["ab", "--discard", "--yes"], 3),
        (["--discard"], 2),
        (["ab", "--discard", "--restore"], 2),
        (["ab", "--yes"], 2),
        (["--yes"], 2),
    ],
)
def test_what_is_not_kept_or_not_meant_is_refused(arguments: list[str], code: int, environ: dict[str, str]) -> None:
    """In one line with a fix."""
    ran = run("kept", *arguments, environ=environ)
    assert (ran.code, ran.out) == (code, "")
    assert "; fix: " in ran.said
    assert not Path("nowhere").exists()
