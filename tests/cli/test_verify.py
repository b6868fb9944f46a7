"""Telling what was edited since it was installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import run, skill

NAME = "deploy-to-staging"


@pytest.fixture
def folder(home: Home, environ: dict[str, str]) -> Path:
    """The folder of the tour that was rejected, adapted."""
    assert run("adapt", NAME, environ=environ).code == 0
    return home.path / "skills" / NAME


def record(folder: Path, **members: object) -> None:
    """Write a record by hand."""
    values = {"schema": 2, "kind": "folder", **members}
    (folder / ".kestrel-provenance.json").write_text(json.dumps(values), encoding="utf-8")


def test_as_installed(environ: dict[str, str], folder: Path) -> None:
    """What was adapted is told with the way to undo it, and the head that it had."""
    ran = run("verify", NAME, environ=environ)
    assert ran.code == 0
    assert ran.lines == [
        f"{NAME}: as installed",
        "  adapted, which `adapt --undo` undoes:",
        "    the restriction `allowed-tools: Bash, Read` is lifted out: nothing here enforces it",
        "    the field `license` is lifted out",
        "    mended: a colon and a space inside an unquoted value",
        "  its head was:",
        "    ---",
        f"    name: {NAME}",
        "    license: Apache-2.0",
        "    allowed-tools: Bash, Read",
        "    description: Use when: a branch should be tried on staging before it is merged",
        "    ---",
    ]


def test_edited_file_by_file(environ: dict[str, str], folder: Path) -> None:
    """The exit code is 1, and every file is named that is not as it was."""
    (folder / "SKILL.md").chmod(0o755)
    (folder / "notes.md").write_text("a\n", encoding="utf-8")
    ran = run("verify", NAME, environ=environ)
    assert ran.code == 1
    assert ran.lines[:4] == [
        f"{NAME}: edited here",
        "  executable or not: SKILL.md",
        "  added notes.md",
        "  adapted, which `adapt --undo` undoes:",
    ]


def test_json(environ: dict[str, str], folder: Path) -> None:
    """Verdict, record, differences, and the whole adaptation."""
    (folder / "SKILL.md").write_text("---\nname: x\n---\n", encoding="utf-8")
    found = run("verify", NAME, "--json", environ=environ).json
    adapted = found.pop("adapted")
    assert found == {
        "name": NAME,
        "verdict": "edited here",
        "provenance": {"kind": "adapted"},
        "differences": [{"path": "SKILL.md", "what": "changed"}],
    }
    assert (adapted["state"], adapted["omitted"], len(adapted["changes"])) == ("edited", [], 3)
    assert adapted["frontmatter"].startswith(f"---\nname: {NAME}\nlicense: Apache-2.0\n")


def test_without_a_record_there_is_no_verdict(environ: dict[str, str]) -> None:
    """That is no good skill, so the exit code is 1."""
    ran = run("verify", "review-a-diff", environ=environ)
    assert (ran.code, ran.lines) == (1, ["review-a-diff: not recorded"])
    assert run("verify", "review-a-diff", "--json", environ=environ).json == {
        "name": "review-a-diff",
        "verdict": "not recorded",
    }


def test_a_record_without_files(environ: dict[str, str], folder: Path) -> None:
    """Whether anything was edited is known, and not what."""
    record(folder, digest="12" * 32)
    ran = run("verify", NAME, environ=environ)
    assert (ran.code, ran.lines) == (1, [f"{NAME}: edited here"])
    assert ran.said == "which files differ was not recorded\n"


def test_files_that_never_came(environ: dict[str, str], home: Home) -> None:
    """They are named, and nothing else is said of a skill whose text was not adapted."""
    tea = skill(home.path / "skills", "tea")
    omitted = ["`logo.png` is left out: not text"]
    record(tea, adapted={"original_digest": "12" * 32, "frontmatter": "---\n---\n", "changes": [], "omitted": omitted})
    assert run("verify", "tea", environ=environ).lines == ["tea: not recorded", f"  {omitted[0]}"]
    adapted = run("verify", "tea", "--json", environ=environ).json["adapted"]
    assert (adapted["state"], adapted["omitted"]) == (None, omitted)


def test_all_that_have_a_record(environ: dict[str, str], home: Home, folder: Path) -> None:
    """A line each; the exit code is 1 where any was edited."""
    record(skill(home.path / "skills", "tea"))
    ran = run("verify", environ=environ)
    assert ran.code == 0
    assert ran.lines == [f"{NAME}@agent-local  as installed", "tea@agent-local                not recorded"]
    (folder / "notes.md").write_text("a\n", encoding="utf-8")
    ran = run("verify", "--json", environ=environ)
    assert ran.code == 1
    assert [(each["name"], each["source"], each["verdict"]) for each in ran.json["skills"]] == [
        (NAME, "agent-local", "edited here"),
        ("tea", "agent-local", "not recorded"),
    ]


def test_where_nothing_has_a_record(environ: dict[str, str]) -> None:
    """A note says so; that is no failure."""
    ran = run("verify", environ=environ)
    assert (ran.code, ran.out) == (0, "")
    assert "no skill here has a record of where it came from" in ran.said


@pytest.mark.parametrize("spoilt", ["text", "link", "folder", "large", "headless"])
def test_a_record_that_cannot_be_read_is_named(environ: dict[str, str], folder: Path, spoilt: str) -> None:
    """It is no record that is not there: the exit code is 1, for all and for one, and so it says in JSON."""
    place = folder / ".kestrel-provenance.json"
    written = json.loads(place.read_text())
    place.unlink()
    if spoilt == "link":
        place.symlink_to("SKILL.md")
    elif spoilt == "folder":
        place.mkdir()
    elif spoilt == "headless":
        written["adapted"]["frontmatter"] = ""
        place.write_text(json.dumps(written))
    else:
        place.write_text("x" * 300_000 if spoilt == "large" else "x")
    ran = run("verify", environ=environ)
    assert (ran.code, ran.lines) == (1, [f"{NAME}@agent-local  record unreadable"])
    assert ran.said.startswith(f"{NAME}@agent-local/.kestrel-provenance.json: KS3")
    assert "fix:" in ran.said
    ran = run("verify", NAME, environ=environ)
    assert (ran.code, ran.lines) == (1, [f"{NAME}: record unreadable"])
    assert ran.said.startswith(".kestrel-provenance.json: KS3")
    for asked in ([NAME], []):
        ran = run("verify", *asked, "--json", environ=environ)
        found = ran.json["skills"][0] if not asked else ran.json
        assert (ran.code, found["verdict"], found["unread"]["file"]) == (1, "record unreadable", place.name)
    for undo in ([], ["--undo"]):
        ran = run("adapt", NAME, *undo, environ=environ)
        assert ran.code == 1
        assert "the record of where the skill came from cannot be read" in ran.said


def test_a_record_that_cannot_be_read_hides_behind_nothing(environ: dict[str, str], folder: Path) -> None:
    """However many other faults are told first."""
    (folder / ".kestrel-provenance.json").write_text("x")
    for number in range(70):
        (folder / f"!{number}").symlink_to("x")
    assert run("verify", NAME, environ=environ).lines == [f"{NAME}: record unreadable"]
    assert run("adapt", NAME, environ=environ).code == 1


def test_a_file_that_is_too_large_to_be_read_is_told(environ: dict[str, str], folder: Path) -> None:
    """It is in no revision, and was not installed."""
    (folder / "big.md").write_bytes(b"x" * 262_145)
    ran = run("verify", NAME, environ=environ)
    assert (ran.code, ran.lines[:2]) == (1, [f"{NAME}: edited here", "  added big.md"])


def test_one_folder_beyond_the_caps_hides_no_other(environ: dict[str, str], home: Home, folder: Path) -> None:
    """It is told of, and the others are told too."""
    tea = skill(home.path / "skills", "tea")
    for number in range(9):
        (tea / f"{number}.md").write_bytes(b"x" * 262_144)
    ran = run("verify", environ=environ)
    assert ran.code == 1
    assert ran.lines == [f"{NAME}@agent-local  as installed"]
    assert "2,097,152 are allowed" in ran.said
