"""Making, editing and deleting skills."""

from __future__ import annotations

import io
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import Stream, run

TEXT = "---\nname: tea\ndescription: Use when thirsty.\n---\n\nBoil water.\n"


@pytest.fixture
def environ(environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The home of the tour; drafts lie in a folder of their own."""
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(drafts))
    return environ


def editor(tmp_path: Path, script: str) -> dict[str, str]:
    """An editor that does what a shell script does with the file `$1`."""
    program = tmp_path / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return {"EDITOR": str(program), "PATH": os.environ["PATH"]}


def text_file(tmp_path: Path, text: str) -> Path:
    """A file with this text."""
    path = tmp_path / "text.md"
    path.write_bytes(text.encode())
    return path


def drafts(tmp_path: Path) -> list[str]:
    """The texts of the drafts that are left."""
    return [path.read_text(encoding="utf-8") for path in sorted((tmp_path / "drafts").rglob("*.md"))]


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let a person at a terminal answer questions."""
    stdin = Stream(terminal=True)
    stdin.write("".join(f"{line}\n" for line in lines))
    stdin.seek(0)
    monkeypatch.setattr(sys, "stdin", stdin)


def member(environ: dict[str, str], name: str, key: str) -> str:
    """One member of what `show` says."""
    return str(run("show", name, "--json", environ=environ).json[key])


# new


def test_a_skill_is_made_of_a_file(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """It is there to the byte, off, and JSON is its record."""
    ran = run("new", "tea", "--from", text_file(tmp_path, TEXT), "--json", environ=environ)
    assert ran.code == 0
    assert (ran.json["name"], ran.json["enabled"], ran.json["editable"], ran.json["deletable"]) == (
        "tea",
        False,
        True,
        True,
    )
    assert (home.path / "skills" / "tea" / "SKILL.md").read_text(encoding="utf-8") == TEXT
    assert ran.json in run("list", "--json", environ=environ).json["skills"]


def test_a_skill_is_made_of_what_is_piped_in(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be on at once, in its place."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    ran = run("new", "tea", "--from", "-", "--enabled", "--priority", "5", environ=environ)
    assert (ran.code, ran.out) == (0, "tea is made, on\n")
    assert run("list", environ=environ).lines[0].split()[:4] == ["tea", "on", "agent-local", "5"]


def test_a_template_opens_in_the_editor(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """What the person leaves in it is the skill; no draft is left."""
    script = 'sed -i -e "s/Use when .../Use when thirsty./" "$1"'
    ran = run("new", "green-tea", environ=environ | editor(tmp_path, script))
    assert (ran.code, ran.out) == (0, "green-tea is made, off\n")
    made = (home.path / "skills" / "green-tea" / "SKILL.md").read_text(encoding="utf-8")
    assert made.startswith('---\nname: green-tea\ndescription: "Use when thirsty."\n---\n\n# Green tea\n')
    assert drafts(tmp_path) == []


def test_a_template_that_is_left_as_it_was_makes_nothing(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """Whoever leaves the editor did not want it."""
    ran = run("new", "tea", environ=environ | editor(tmp_path, ":"))
    assert ran.code == 1
    assert not (home.path / "skills" / "tea").exists()
    assert drafts(tmp_path) == []


def test_a_text_with_faults_is_not_lost(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """All faults are told; the text stays in a file that is named, in JSON too."""
    there = environ | editor(tmp_path, 'echo "no skill" >"$1"')
    ran = run("new", "tea", environ=there)
    assert ran.code == 1
    assert "KS101" in ran.said
    (draft,) = (tmp_path / "drafts").rglob("SKILL.md")
    assert f"your text is in {draft}" in ran.said
    assert drafts(tmp_path) == ["no skill\n"]
    error = run("new", "tea", "--json", environ=there).json["error"]
    assert error["code"] == "bad_document"
    assert Path(error["text"]).read_text(encoding="utf-8") == "no skill\n"
    assert error["faults"][0]["code"] == "KS101"
    assert not (home.path / "skills" / "tea").exists()


def test_a_person_may_mend_it_at_once(environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked whether to edit again, they find their own text."""
    answers(monkeypatch, "y")
    text = text_file(tmp_path, TEXT)
    script = f'if grep -q broken "$1"; then cp {text} "$1"; else echo broken >"$1"; fi'
    ran = run("new", "tea", environ=environ | editor(tmp_path, script))
    assert (ran.code, ran.out) == (0, "tea is made, off\n")
    assert drafts(tmp_path) == []


def test_the_first_skill_makes_the_usual_place(tmp_path: Path) -> None:
    """Where nobody named a root, it is made; one that was named and is not there is not."""
    environ = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    text = text_file(tmp_path, TEXT)
    assert run("new", "tea", "--from", text, environ=environ).code == 0
    assert (tmp_path / "data" / "kestrel-skills" / "skills" / "tea" / "SKILL.md").is_file()
    assert run("new", "tea", "--from", text, "--root", tmp_path / "nothing", environ=environ).code == 4
    assert not (tmp_path / "nothing").exists()


def test_a_usual_place_that_cannot_be_made(tmp_path: Path) -> None:
    """It says so, and how to name another."""
    (tmp_path / "data").touch()
    environ = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    ran = run("new", "tea", "--from", text_file(tmp_path, TEXT), environ=environ)
    assert ran.code == 4
    assert "--root" in ran.said


# edit


def test_a_file_is_edited(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """The editor gets the file under its own name; what it leaves is written, and nothing else is touched."""
    folder = home.path / "skills" / "review-a-diff"
    before = (folder / "SKILL.md").stat()
    script = 'test "$(basename "$1")" = checklist.md && echo "- More." >>"$1"'
    ran = run("edit", "review-a-diff", "checklist.md", environ=environ | editor(tmp_path, script))
    assert ran.code == 0
    revision = member(environ, "review-a-diff", "revision")
    assert ran.out == f"checklist.md is written; revision {revision[:12]}\n"
    assert (folder / "checklist.md").read_text(encoding="utf-8").endswith("- More.\n")
    after = (folder / "SKILL.md").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_mode) == (before.st_ino, before.st_mtime_ns, before.st_mode)
    assert drafts(tmp_path) == []


def test_a_new_file_is_written(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """A path that is not there begins empty, in folders that need not be there; JSON is the record."""
    ran = run("edit", "review-a-diff", "a/b.md", "--json", environ=environ | editor(tmp_path, 'echo new >"$1"'))
    assert ran.json["revision"] == member(environ, "review-a-diff", "revision")
    assert (home.path / "skills" / "review-a-diff" / "a" / "b.md").read_text(encoding="utf-8") == "new\n"


def test_an_editor_that_changes_nothing(environ: dict[str, str], tmp_path: Path) -> None:
    """Nothing is written, and that is well."""
    before = member(environ, "review-a-diff", "revision")
    ran = run("edit", "review-a-diff", environ=environ | editor(tmp_path, ":"))
    assert (ran.code, ran.out, ran.said) == (0, "", "nothing was changed\n")
    assert member(environ, "review-a-diff", "revision") == before
    assert drafts(tmp_path) == []


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_an_edit_that_met_another_loses_neither(
    environ: dict[str, str], home: Home, tmp_path: Path, json: list[str]
) -> None:
    """The other's stays, the person's is in a file that is named, both are shown, and so is how to go on."""
    file = home.path / "skills" / "review-a-diff" / "checklist.md"
    script = f'echo "- Theirs." >>{file}; echo "- Mine." >>"$1"'
    ran = run("edit", "review-a-diff", "checklist.md", *json, environ=environ | editor(tmp_path, script))
    assert ran.code == 3
    assert file.read_text(encoding="utf-8").endswith("- Theirs.\n")
    (mine,) = drafts(tmp_path)
    assert mine.endswith("- Mine.\n")
    assert "+- Theirs." in ran.said
    assert "+- Mine." in ran.said
    (draft,) = (tmp_path / "drafts").rglob("checklist.md")
    now = member(environ, "review-a-diff", "revision")
    assert f"--from {draft} --if-match {now}" in ran.said
    if json:
        assert ran.json["error"] | {"message": "", "fix": ""} == {
            "code": "stale",
            "message": "",
            "fix": "",
            "text": str(draft),
            "revision": now,
        }
    again = run("edit", "review-a-diff", "checklist.md", "--from", draft, "--if-match", now, environ=environ)
    assert again.code == 0
    assert file.read_text(encoding="utf-8") == mine


def test_an_edit_of_what_is_gone_is_not_lost(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """Where somebody took the whole skill away meanwhile, the person's text is in a file that is named."""
    script = f'rm -r {home.path / "skills" / "write-a-postmortem"}; echo mine >"$1"'
    ran = run("edit", "write-a-postmortem", environ=environ | editor(tmp_path, script))
    assert ran.code == 3
    (draft,) = (tmp_path / "drafts").rglob("SKILL.md")
    assert f"your text is in {draft}" in ran.said
    assert drafts(tmp_path) == ["mine\n"]


def test_a_text_is_given_with_what_was_seen(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """Without a revision a file that is there is not written over; with another, it is stale."""
    text = text_file(tmp_path, "- New.\n")
    command = ["edit", "review-a-diff", "checklist.md", "--from", str(text)]
    assert run(*command, environ=environ).code == 1
    assert run(*command, "--if-match", "0" * 64, environ=environ).code == 3
    assert run(*command, "--if-match", "0" * 63, environ=environ).code == 2
    seen = member(environ, "review-a-diff", "revision")
    assert run(*command, "--if-match", seen, environ=environ).code == 0
    assert (home.path / "skills" / "review-a-diff" / "checklist.md").read_text(encoding="utf-8") == "- New.\n"
    assert run("edit", "review-a-diff", "more.md", "--from", str(text), environ=environ).code == 0


def test_what_was_seen_holds_in_the_editor_too(environ: dict[str, str], tmp_path: Path) -> None:
    """A revision that is not there opens no editor."""
    there = environ | editor(tmp_path, f"touch {tmp_path / 'opened'}")
    assert run("edit", "review-a-diff", "--if-match", "0" * 64, environ=there).code == 3
    assert not (tmp_path / "opened").exists()


def test_a_file_is_removed(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """With the revision that was seen, and never the document."""
    command = ["edit", "review-a-diff", "checklist.md", "--remove"]
    assert run(*command, environ=environ).code == 1
    assert run(*command, "--from", "-", environ=environ).code == 2
    seen = member(environ, "review-a-diff", "revision")
    assert run("edit", "review-a-diff", "--remove", "--if-match", seen, environ=environ).code == 1
    ran = run(*command, "--if-match", seen, environ=environ)
    assert (ran.code, ran.out.split(";")[0]) == (0, "checklist.md is removed")
    assert not (home.path / "skills" / "review-a-diff" / "checklist.md").exists()


def test_a_rejected_folder_is_mended(environ: dict[str, str], tmp_path: Path) -> None:
    """Each step says what is left to mend; after the last it is a skill."""
    step = editor(tmp_path, 'sed -i -e /^license/d -e /^allowed-tools/d "$1"')
    ran = run("edit", "deploy-to-staging", environ=environ | step)
    assert ran.code == 0
    assert "still rejected, 1 to mend" in ran.said
    assert "KS105" in ran.said
    step = editor(tmp_path, 'sed -i "s/^description: .*/description: Use it./" "$1"')
    assert run("edit", "deploy-to-staging", environ=environ | step).said == ""
    assert run("show", "deploy-to-staging", environ=environ).lines[2].split() == ["state", "off"]


def test_an_edit_that_would_break_a_skill_is_not_lost(environ: dict[str, str], tmp_path: Path) -> None:
    """The skill stays, the faults are told, and the text is in a file that is named."""
    before = member(environ, "review-a-diff", "revision")
    ran = run("edit", "review-a-diff", environ=environ | editor(tmp_path, 'echo "no skill" >"$1"'))
    assert ran.code == 1
    assert "KS101" in ran.said
    assert member(environ, "review-a-diff", "revision") == before
    assert drafts(tmp_path) == ["no skill\n"]


def test_a_person_may_go_on_editing(
    environ: dict[str, str], home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked whether to edit again, they find their own text."""
    answers(monkeypatch, "yes")
    script = 'if grep -q broken "$1"; then echo mended >"$1"; else printf "broken\\000" >"$1"; fi'
    assert run("edit", "review-a-diff", "checklist.md", environ=environ | editor(tmp_path, script)).code == 0
    assert (home.path / "skills" / "review-a-diff" / "checklist.md").read_text(encoding="utf-8") == "mended\n"


def test_an_edit_of_pinned_bytes_says_that_it_is_off(environ: dict[str, str], tmp_path: Path) -> None:
    """A pin holds the bytes, and the person is told."""
    seen = member(environ, "review-a-diff", "revision")
    run("enable", "review-a-diff", "--pin", seen, environ=environ)
    ran = run("edit", "review-a-diff", "checklist.md", environ=environ | editor(tmp_path, 'echo new >"$1"'))
    assert ran.code == 0
    assert "is off now" in ran.said


@pytest.mark.parametrize(("program", "why"), [("/nothing/here", "cannot be run"), ("sh -c 'exit 3'", "ended with 3")])
def test_an_editor_that_fails(environ: dict[str, str], program: str, why: str) -> None:
    """It is said which, and nothing is changed."""
    before = member(environ, "review-a-diff", "revision")
    ran = run("edit", "review-a-diff", environ=environ | {"VISUAL": program, "EDITOR": "/never/run"})
    assert ran.code == 2
    assert why in ran.said
    assert member(environ, "review-a-diff", "revision") == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["new", "NOT A NAME", "--from", "{text}"], 1),
        (["new", "review-a-diff", "--from", "{text}"], 1),
        (["new", "tea", "--from", "{text}", "--priority", "100001"], 2),
        (["new", "tea", "--from", "/nothing/here"], 2),
        (["new"], 2),
        (["edit", "nothing", "--from", "{text}"], 3),
        (["edit", "review-a-diff", "../up.md", "--from", "{text}"], 1),
        (["edit", "review-a-diff", ".git/config", "--from", "{text}"], 1),
        (["edit", "cut-a-release", "notes.md", "--from", "{text}"], 1),
        (["delete", "nothing", "--revision", "0" * 64], 3),
        (["delete", "review-a-diff", "--revision", "0" * 64], 3),
        (["delete", "cut-a-release", "--revision", "0" * 64], 1),
        (["kept", "ab"], 3),
        (["kept", "--discard"], 2),
        (["kept", "ab", "--discard", "--restore"], 2),
    ],
)
def test_what_cannot_be_changed_is_as_it_was(
    arguments: list[str], code: int, environ: dict[str, str], tmp_path: Path
) -> None:
    """Each refusal has its exit code and a line, and every skill is as before."""
    before = run("list", "--json", environ=environ).json
    text = text_file(tmp_path, TEXT)
    ran = run(*(each.format(text=text) for each in arguments), environ=environ)
    assert (ran.code, ran.out) == (code, "")
    assert ran.said
    assert run("list", "--json", environ=environ).json == before


# delete


def test_a_deletion_shows_what_goes_and_asks(
    environ: dict[str, str], home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a yes nothing goes, and the token is told; with it the name means what it shadowed."""
    answers(monkeypatch, "")
    ran = run("delete", "review-a-diff", environ=environ)
    assert ran.code == 1
    for line in ("  SKILL.md (1,683 bytes)", "  checklist.md (863 bytes)"):
        assert line in ran.said.splitlines()
    assert "then review-a-diff is the one of host-shared, off" in ran.said
    assert member(environ, "review-a-diff", "delete_revision") in ran.said
    assert (home.path / "skills" / "review-a-diff").exists()
    answers(monkeypatch, "y")
    ran = run("delete", "review-a-diff", environ=environ)
    assert (ran.code, ran.out) == (0, "review-a-diff is deleted; now review-a-diff is the one of host-shared, off\n")
    assert not (home.path / "skills" / "review-a-diff").exists()


def test_nobody_to_ask_is_a_no(environ: dict[str, str], home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can answer, nothing goes."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert run("delete", "review-a-diff", environ=environ).code == 1
    assert (home.path / "skills" / "review-a-diff").exists()


def test_a_token_deletes_unasked(environ: dict[str, str], home: Home) -> None:
    """Rejected folders too; JSON says what the name means now."""
    token = member(environ, "deploy-to-staging", "delete_revision")
    ran = run("delete", "deploy-to-staging", "--revision", token, "--json", environ=environ)
    assert (ran.code, ran.json) == (0, {"name": "deploy-to-staging", "deleted": True, "resolves": None})
    assert not (home.path / "skills" / "deploy-to-staging").exists()
    token = member(environ, "review-a-diff", "delete_revision")
    ran = run("delete", "review-a-diff", "--revision", token, "--json", environ=environ)
    assert ran.json["resolves"]["source"] == "host-shared"
    assert ran.json["resolves"] in run("list", "--json", environ=environ).json["skills"]


def test_a_rejected_folder_is_shown_before_it_goes(environ: dict[str, str], home: Home) -> None:
    """What is no part of a skill goes with it, and is shown."""
    (home.path / "skills" / "deploy-to-staging" / "notes.md~").write_bytes(b"x" * 1_234)
    (home.path / "skills" / "deploy-to-staging" / "latest").symlink_to("notes.md~")
    said = run("delete", "deploy-to-staging", environ=environ).said
    assert "deploy-to-staging, of agent-local, rejected:" in said
    assert "  notes.md~ (1,234 bytes; a file that is no part of the skill)" in said
    assert "  latest (a link that is no part of the skill)" in said


def test_what_was_made_while_the_table_is_damaged(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """The skill is made and deleted all the same; that its row could not be written is told, with its exit code."""
    (home.path / "skills.state.sqlite3").write_bytes(b"this is no database" * 100)
    ran = run("new", "tea", "--enabled", "--from", text_file(tmp_path, TEXT), environ=environ)
    assert (ran.code, ran.out) == (4, "tea is made, off\n")
    token = member(environ, "tea", "delete_revision")
    ran = run("delete", "tea", "--revision", token, environ=environ)
    assert (ran.code, ran.out) == (4, "tea is deleted; now nothing is called tea\n")
    assert "error: " in ran.said


# Before a folder is changed


RETIRED = "cd" * 32 + "-" + "ab" * 16
"""What a deletion that was cut short had moved its folder to, under the digest of other bytes than are in it now."""


@pytest.mark.parametrize("command", ["new", "edit", "delete"])
def test_what_an_interrupted_change_left_is_ended_first(
    command: str, environ: dict[str, str], home: Home, tmp_path: Path
) -> None:
    """Our own leftovers go in silence; that a skill is back, or a person's bytes are kept, is told."""
    run("list", environ=environ)
    skills = home.path / "skills"
    retired = skills / ".kestrel-internal" / "retired"
    retired.mkdir()
    (skills / "write-a-postmortem").rename(retired / f"{RETIRED}-write-a-postmortem")
    (retired / f"{RETIRED}-review-a-diff").mkdir()
    (retired / f"{RETIRED}-review-a-diff" / "SKILL.md").write_text("a person's", encoding="utf-8")
    staging = skills / ".kestrel-internal" / "staging"
    staging.mkdir()
    (staging / ("ab" * 16)).write_text("half a file", encoding="utf-8")
    text = str(text_file(tmp_path, TEXT))
    arguments = {
        "new": ("new", "tea", "--from", text),
        "edit": ("edit", "review-a-diff", "more.md", "--from", text),
        "delete": ("delete", "review-a-diff"),
    }[command]
    ran = run(*arguments, environ=environ)
    back, kept = ran.said.splitlines()[:2]
    assert back == "note: write-a-postmortem is back: it had changed when its deletion was cut short"
    assert (skills / "write-a-postmortem" / "SKILL.md").exists()
    token = kept.partition("`kestrel-skills kept ")[2].partition("`")[0]
    assert run("kept", token, environ=environ).code == 0
    assert list(retired.iterdir()) == list(staging.iterdir()) == []
    assert "note:" not in run(*arguments, environ=environ).said


def test_a_change_before_the_first_start_is_none(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """A skill of 0.1.0 that is refused here can be mended first, and is then adopted, and on."""
    skills, name = home.path / "skills", "bisect-a-regression"
    run("enable", "review-a-diff", environ=environ)
    (skills / name / ".kestrel-generation").write_text(f"kestrel-skill-generation-v1:{'b1' * 32}\n", encoding="utf-8")
    document = (skills / name / "SKILL.md").read_bytes()
    (skills / name / "SKILL.md").write_bytes(document.replace(b"name: ", b"name:"))
    with closing(sqlite3.connect(home.path / "skills.state.sqlite3")) as database, database:
        database.execute(
            "INSERT INTO bootstrap_config (id, agent_id, file_name, file_path, enabled)"
            f" VALUES ('x', 'procedural-skill-state:local', 'skill:{name}', 'skill://{name}', 1)"
        )
    assert run("new", "tea", "--from", str(text_file(tmp_path, TEXT)), environ=environ).code == 0
    mended = text_file(tmp_path, document.decode())
    assert run("edit", name, environ=environ | editor(tmp_path, f'cp "{mended}" "$1"')).code == 0
    assert member(environ, name, "enabled") == "False"
    assert "adoption: of the rows of 0.1.0, on: bisect-a-regression; off: none" in run("doctor", environ=environ).out
    assert member(environ, name, "enabled") == "True"


def test_a_sweep_that_fails_hinders_no_change(environ: dict[str, str], home: Home, tmp_path: Path) -> None:
    """What could not be swept is for `doctor` to tell."""
    run("list", environ=environ)
    (home.path / "skills" / ".kestrel-internal" / "retired").write_text("no folder", encoding="utf-8")
    ran = run("new", "tea", "--from", str(text_file(tmp_path, TEXT)), environ=environ)
    assert (ran.code, ran.said) == (0, "")
