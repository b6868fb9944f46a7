"""Bringing a skill into the form, and undoing that."""

from __future__ import annotations

from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import run

NAME = "deploy-to-staging"
MADE = (
    f'---\nname: "{NAME}"\n'
    'description: "Use when: a branch should be tried on staging before it is merged"\n---\n\n# Deploy to staging\n'
)
RESTRICTION = "the restriction `allowed-tools: Bash, Read` is lifted out: nothing here enforces it"


@pytest.fixture
def document(home: Home) -> Path:
    """The document of the rejected folder of the tour."""
    return home.path / "skills" / NAME / "SKILL.md"


def revision(environ: dict[str, str]) -> str:
    """The revision of the skill, once it is one."""
    return str(run("show", NAME, "--json", environ=environ).json["revision"])


def test_a_rejected_folder_becomes_a_skill(environ: dict[str, str], document: Path) -> None:
    """Everything that was changed is told, what is in force no more first and marked; the skill is off."""
    ran = run("adapt", NAME, environ=environ)
    assert ran.code == 0
    assert ran.lines == [
        f"{NAME} is adapted, off; revision {revision(environ)[:12]}",
        f"  ! {RESTRICTION}",
        "  - the field `license` is lifted out",
        "  - mended: a colon and a space inside an unquoted value",
    ]
    assert document.read_text(encoding="utf-8").startswith(MADE)
    assert run("enable", NAME, environ=environ).code == 0


def test_a_terminal_sees_the_mark_in_colour(environ: dict[str, str]) -> None:
    """It stands out."""
    assert f"  \x1b[33m!\x1b[0m {RESTRICTION}" in run("adapt", NAME, environ=environ, terminal=True).out


def test_json_is_the_skill_with_what_was_changed(environ: dict[str, str]) -> None:
    """As a listing shows it."""
    ran = run("adapt", NAME, "--json", environ=environ)
    found = ran.json
    changes = found.pop("adaptation")
    assert found in run("list", "--json", environ=environ).json["skills"]
    assert changes["changes"][0] == {"text": RESTRICTION, "loses": True}
    assert [change["loses"] for change in changes["changes"]] == [True, False, False]
    assert changes["omitted"] == []


def test_a_good_skill_is_not_touched(environ: dict[str, str]) -> None:
    """Nor is one that was adapted already."""
    run("adapt", NAME, environ=environ)
    ran = run("adapt", NAME, environ=environ)
    assert (ran.code, ran.lines) == (0, [f"{NAME} needs no adapting; revision {revision(environ)[:12]}"])
    assert run("adapt", NAME, "--json", environ=environ).json["adaptation"] == {"changes": [], "omitted": []}


def test_undoing_puts_it_back_to_the_byte(environ: dict[str, str], document: Path) -> None:
    """The folder is rejected again, as it was."""
    before = document.read_bytes()
    run("adapt", NAME, environ=environ)
    ran = run("adapt", NAME, "--undo", "--if-match", revision(environ), environ=environ)
    assert ran.code == 0
    assert ran.lines[0].startswith(f"{NAME} is as it was before it was adapted, rejected; revision ")
    assert document.read_bytes() == before


def test_undoing_in_json(environ: dict[str, str]) -> None:
    """As a listing shows what is rejected."""
    run("adapt", NAME, environ=environ)
    ran = run("adapt", NAME, "--undo", "--json", environ=environ)
    assert ran.json in run("list", "--json", environ=environ).json["rejected"]


def test_an_edited_skill_is_not_undone(environ: dict[str, str], document: Path) -> None:
    """The edit stays, and the fix says where the head is."""
    run("adapt", NAME, environ=environ)
    with document.open("a", encoding="utf-8") as text:
        text.write("More.\n")
    ran = run("adapt", NAME, "--undo", environ=environ)
    assert ran.code == 1
    assert f"'{NAME}', of agent-local, cannot be changed here: its SKILL.md was edited" in ran.said
    assert "fix: mend it by hand: verifying it shows the frontmatter" in ran.said
    assert document.read_text(encoding="utf-8").endswith("More.\n")


def test_another_revision_is_refused(environ: dict[str, str], document: Path) -> None:
    """In both directions."""
    before = document.read_bytes()
    for undo in ([], ["--undo"]):
        assert run("adapt", NAME, *undo, "--if-match", "0" * 64, environ=environ).code == 3
    assert document.read_bytes() == before


def test_what_else_is_wrong_is_told(environ: dict[str, str], document: Path) -> None:
    """The document is well, and the folder still no skill."""
    (document.parent / "logo.png").write_bytes(b"\xff")
    ran = run("adapt", NAME, environ=environ)
    assert ran.code == 0
    assert ran.lines[0].startswith(f"{NAME} is adapted, rejected; revision ")
    assert "logo.png:1:1: KS306 the byte 0xff at offset 0 is not UTF-8; fix: " in ran.said


def test_what_no_adapting_mends_is_told_whole(environ: dict[str, str], document: Path) -> None:
    """Every fault that is left, with its place and fix, and none that adapting would mend."""
    document.write_text("---\nname: x\nlicense: MIT\ndescription:\n---\n", encoding="utf-8")
    ran = run("adapt", NAME, "--json", environ=environ)
    assert ran.code == 1
    assert [(fault["code"], fault["line"]) for fault in ran.json["error"]["faults"]] == [("KS114", 4), ("KS117", 5)]
    assert "SKILL.md:5:1: KS117 nothing stands below the frontmatter; fix: " in ran.said


def test_the_hosts_skills_are_not_adapted(environ: dict[str, str]) -> None:
    """They are the operator's."""
    ran = run("adapt", "cut-a-release", environ=environ)
    assert ran.code == 1
    assert "host-shared" in ran.said
