from __future__ import annotations

import json
import os
import socket
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kestrel_skills_adapters.cli.reports import Checked, annotation
from kestrel_skills_core.domain.findings import Finding, Rule
from kestrel_skills_core.domain.rules import RULES
from kestrel_skills_core.domain.text import escaped
from tests.cli.running import run, skill
from tests.disks import NO_TEXT

# An excerpt of the official schema, written by hand: what a report of this tool uses, and nothing else is let pass.
SARIF = json.loads(Path(__file__).with_name("sarif-2.1.0-excerpt.json").read_text())


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every check is run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def broken(root: Path, name: str = "deploy") -> Path:
    """A folder as the wider convention has it: a field too many."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Deploy.\nlicense: MIT\n---\nDeploy it.\n")
    return folder


def test_a_finding_is_one_line(here: Path) -> None:
    """To a pipe, each finding is `path:line:col: code message`, the path as it was given; stderr has the counts."""
    broken(here / "skills")
    skill(here / "skills", "tea")
    ran = run("check", "skills")
    assert ran.code == 1
    assert ran.out == "skills/deploy/SKILL.md:4:1: KS108 the field `license`\n"
    assert ran.said == "2 skills: 1 ok, 1 refused; KS108 1\n"


def test_fixes_can_be_asked_for(here: Path) -> None:
    """With `--fixes` the line says what to do."""
    broken(here)
    assert run("check", ".", "--fixes").out == (
        "deploy/SKILL.md:4:1: KS108 the field `license`; fix: remove the field, or move what it says into the body\n"
    )


def test_a_terminal_shows_the_fix_below(here: Path) -> None:
    """On a terminal the fix stands in a second line, indented."""
    broken(here)
    ran = run("check", ".", "--no-color", terminal=True)
    assert ran.lines[1] == "    fix: remove the field, or move what it says into the body"


def test_a_finding_on_the_whole_folder_has_no_line(here: Path) -> None:
    """Where no line is meant, none is shown."""
    (here / "tea" / "SKILL.md").mkdir(parents=True)
    ran = run("check", "tea")
    assert ran.code == 1
    assert ran.out.startswith("tea: KS301 ") or ran.out.startswith("tea/SKILL.md: KS301 ")


def test_skills_are_found_at_any_depth_in_order(here: Path) -> None:
    """Parents come before what is nested in them; what version control or this library keeps is not entered."""
    kept = (".git/x", "a/.hg/x", ".svn/x", "a/.GIT", ".kestrel-internal/y")
    for folder in ("b", "a/deep/er", "a/deep", ".agents/skills/z", *kept):
        broken(here / folder, "s")
    paths = [each["path"] for each in run("check", ".", "--json").json["skills"]]
    assert paths == [".agents/skills/z/s", "a/deep/er/s", "a/deep/s", "b/s"]


def test_a_skill_in_a_skill_is_an_entry_of_its_own(here: Path) -> None:
    """The outer one is told that the inner one is a resource there; the inner one is judged by itself."""
    skill(skill(here, "tea"), "milk")
    ran = run("check", ".", "--json")
    assert [(each["path"], each["ok"]) for each in ran.json["skills"]] == [("tea", True), ("tea/milk", True)]
    assert [finding["code"] for finding in ran.json["skills"][0]["findings"]] == ["KS511"]


def test_a_file_means_its_folder(here: Path) -> None:
    """A path of a SKILL.md checks the folder it lies in, and a folder given twice is checked once."""
    broken(here)
    for paths in (["deploy/SKILL.md"], ["deploy"], ["deploy/SKILL.md", "deploy", "."]):
        assert [each["path"] for each in run("check", *paths, "--json").json["skills"]] == ["deploy"]
    os.chdir("deploy")
    for path in ("SKILL.md", "."):
        assert [(each["path"], each["name"]) for each in run("check", path, "--json").json["skills"]] == [
            (".", "deploy")
        ]


def test_links_are_not_followed(here: Path) -> None:
    """A link to a folder of skills is passed by; a link in a skill's place is refused, as a source refuses it."""
    skill(here / "elsewhere", "tea")
    (here / "skills").mkdir()
    (here / "skills" / "linked").symlink_to(here / "elsewhere")
    assert run("check", "skills").code == 2
    (here / "skills" / "tea").symlink_to(here / "elsewhere" / "tea")
    ran = run("check", "skills/tea", "--json")
    assert [finding["code"] for finding in ran.json["skills"][0]["findings"]] == ["KS303"]


@pytest.mark.parametrize("kind", ["fifo", "socket", "link", "folder"])
def test_a_document_that_is_no_file_is_told_of(kind: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A SKILL.md of any type makes an entry, which is refused; nothing hangs."""
    (here / "tea").mkdir()
    place = here / "tea" / "SKILL.md"
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "socket":
        monkeypatch.chdir(here / "tea")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("SKILL.md")
        monkeypatch.chdir(here)
    elif kind == "link":
        place.symlink_to("/dev/zero")
    else:
        place.mkdir()
    ran = run("check", ".", "--json")
    assert ran.code == 1
    assert [(each["name"], each["ok"]) for each in ran.json["skills"]] == [("tea", False)]
    assert all(finding["fix"] for finding in ran.json["skills"][0]["findings"])


def test_a_folder_with_a_bad_name_is_opened_all_the_same(here: Path) -> None:
    """The name is refused, and everything wrong inside is told in the same run."""
    broken(here, "Deploy It")
    codes = [finding["code"] for finding in run("check", ".", "--json").json["skills"][0]["findings"]]
    assert codes == ["KS316", "KS201", "KS108"]


def test_broken_links_are_warnings(here: Path) -> None:
    """A link to nowhere is told of with its place, and counts only where that is wanted."""
    skill(here, "tea", body="See [the pot](pot.md).\n")
    ran = run("check", ".")
    assert (ran.code, ran.out) == (0, "tea/SKILL.md:5:15: KS501 `pot.md` is not in the skill\n")
    assert run("check", ".", "--strict").code == 1


def test_advice_alone_does_not_count_as_strict(here: Path) -> None:
    """Information is no warning."""
    skill(skill(here, "tea"), "milk")
    assert run("check", ".", "--strict").code == 0


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_nothing_to_check_is_a_mistake_in_the_paths(form: str, here: Path) -> None:
    """Where no path leads to a skill, nothing was checked, and nothing may look as if it had been."""
    (here / "notes").mkdir()
    ran = run("check", ".", "notes", "--format", form)
    assert (ran.code, ran.out) == (2, "")
    assert ran.said == (
        "error: there is no SKILL.md at or below ., notes; fix: name a folder with skills in it, or a SKILL.md\n"
    )


def test_nothing_below_one_of_the_paths_is_said(here: Path) -> None:
    """A path without any skill beside one with some is no failure, and is not passed over in silence."""
    skill(here / "skills", "tea")
    (here / "notes").mkdir()
    ran = run("check", "skills", "notes")
    assert ran.code == 0
    assert ran.said == "note: there is no SKILL.md at or below notes\n1 skill: 1 ok, 0 refused\n"


@pytest.mark.parametrize("path", ["nowhere", "notes.md"])
def test_a_path_that_is_no_skill_is_a_mistake_in_the_command_line(path: str, here: Path) -> None:
    """What does not exist, or is another file, ends with 2 and the path."""
    (here / "notes.md").touch()
    ran = run("check", path)
    assert (ran.code, ran.out) == (2, "")
    assert path in ran.said.splitlines()[-1]


@contextmanager
def deepened(top: Path, name: str, levels: int) -> Iterator[None]:
    """So many folders of a name in each other, deeper than any path can lead; taken away at the end."""
    for _ in range(levels):
        Path(name).mkdir(exist_ok=True)
        os.chdir(name)
    os.chdir(top)
    try:
        yield
    finally:
        for _ in range(levels):
            os.chdir(name)
        for _ in range(levels):
            os.chdir("..")
            with suppress(OSError):
                Path(name).rmdir()


def test_what_lies_too_deep_is_told_in_one_short_line(here: Path) -> None:
    """However deep a folder is, the rest is judged, and the exit code is that of the rest."""
    skill(here / "/".join(["d"] * 63), "tea")
    broken(here)
    with deepened(here, "d", 3000):
        ran = run("check", ".", "--json")
        only = run("check", "d/d")
    assert ran.code == 1
    assert [each["path"] for each in ran.json["skills"]] == ["/".join(["d"] * 63 + ["tea"]), "deploy"]
    where = "/".join("d" * 65)
    assert ran.said == f"note: 1 folder not looked into, deeper than 64 levels below a path, as in {where}\n"
    assert (only.code, len(only.said.splitlines())) == (0, 2)


def test_a_path_that_the_system_takes_for_too_long_is_too_deep(here: Path) -> None:
    """Folders with long names reach that sooner; the line that says so stays short."""
    skill(here, "tea")
    with deepened(here, "d" * 250, 20):
        ran = run("check", ".")
    assert ran.code == 0
    assert ran.said.startswith("note: 1 folder not looked into, ")
    assert max(map(len, ran.said.splitlines())) < 300


class TestChanged:
    """`--changed`: the skills that changed files lie in."""

    def judged(self, *paths: str | Path) -> list[str]:
        """The folders that are judged for these files."""
        return [each["path"] for each in run("check", "--changed", *paths, "--json").json["skills"]]

    def test_each_skill_is_judged_once(self, here: Path) -> None:
        """Whatever changed in it, be it deep, be it gone; in the order of the files."""
        for name in ("tea", "milk"):
            skill(here / "skills", name)
        paths = ["skills/milk/a/b/logo.png", "skills/tea/SKILL.md", "skills/milk/SKILL.md", "./skills/tea/x.md"]
        assert self.judged(*paths) == ["skills/milk", "skills/tea"]
        assert self.judged(here / "skills" / "tea" / "x.md") == [str(here / "skills" / "tea")]
        assert self.judged("skills/tea") == ["skills/tea"]

    def test_a_file_that_breaks_a_skill_is_found(self, here: Path) -> None:
        """A picture in a skill's folder is a fault of the skill, and the SKILL.md need not have changed."""
        (skill(here / "skills", "tea") / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
        ran = run("check", "--changed", "README.md", "skills/tea/logo.png")
        assert ran.code == 1
        assert ran.out.startswith("skills/tea/logo.png:1:1: KS306 ")

    def test_what_lies_in_no_skill_is_passed_by(self, here: Path) -> None:
        """Nothing to judge is nothing wrong: most changes are of no skill."""
        skill(here / "skills", "tea")
        (here / "README.md").touch()
        ran = run("check", "--changed", "README.md", "skills/notes.md", "gone/x.md", "../x", "/x", ".")
        assert (ran.code, ran.out, ran.said) == (0, "", "0 skills: 0 ok, 0 refused\n")

    def test_the_nearest_skill_is_meant(self, here: Path) -> None:
        """A skill in another's folder is the one that its files lie in."""
        skill(skill(here, "tea"), "milk")
        assert self.judged("tea/milk/x.md") == ["tea/milk"]
        assert self.judged("tea/cups/x.md") == ["tea"]

    def test_the_folder_of_the_check_may_be_the_skill(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A repository that is one skill has its SKILL.md at the top."""
        monkeypatch.chdir(skill(here, "tea"))
        assert self.judged("scripts/x.sh", "README.md") == ["."]

    def test_a_document_that_is_no_file_makes_a_skill_too(self, here: Path) -> None:
        """A SKILL.md that is a link to nothing is what a check must refuse, and not pass by."""
        (here / "tea").mkdir()
        (here / "tea" / "SKILL.md").symlink_to("nowhere")
        assert run("check", "--changed", "tea/SKILL.md").code == 1


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_path_that_cannot_be_reached_fails_in_one_line(form: str, here: Path) -> None:
    """It is no mistake in the command line: the exit code is 4, there is a fix, and JSON says the same."""
    (here / "loop").symlink_to("loop")
    ran = run("check", "loop", "--format", form)
    assert ran.code == 4
    assert ran.said.splitlines()[0].startswith("error: loop: too many levels of symbolic links; fix: ")
    assert ran.said.count("error: ") == 1
    if form == "json":
        (problem,) = ran.json["problems"]
        assert (problem["path"], problem["code"], bool(problem["fix"])) == ("loop", "unreadable", True)


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("path", ["closed", "closed/tea", "closed/tea/SKILL.md"])
def test_a_path_that_may_not_be_read_fails_in_one_line(path: str, here: Path) -> None:
    """Neither what is closed nor what lies behind it is a mistake in the command line."""
    (here / "closed").mkdir(mode=0)
    ran = run("check", path)
    assert (ran.code, ran.out) == (4, "")
    assert ran.said == f"error: {path}: permission denied; fix: see that it can be read\n0 skills: 0 ok, 0 refused\n"


@pytest.mark.usefixtures("permissions_bind")
def test_a_folder_that_cannot_be_read_fails_the_check(here: Path) -> None:
    """What could not be looked at is told of, the rest is judged, and the exit code is 4."""
    skill(here, "tea")
    (here / "closed").mkdir(mode=0)
    ran = run("check", ".")
    assert ran.code == 4
    assert ran.said == ("error: closed: permission denied; fix: see that it can be read\n1 skill: 1 ok, 0 refused\n")


@NO_TEXT
def test_a_name_that_is_not_utf_8_can_be_shown(here: Path) -> None:
    """Bytes that are no text are spelt out in every format."""
    folder = here / os.fsdecode(b"te\xff")
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: tea\ndescription: Use it.\n---\nDo it.\n")
    assert "te\\udcff: KS316" in run("check", ".").out
    assert json.loads(run("check", ".", "--json").written)["summary"]["refused"] == 1
    (location, *_) = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run("check", ".", "--format", "sarif").json["runs"][0]["results"]
        if result["ruleId"] == "KS316"
    }
    assert location == "te%FF"


def test_json_is_the_object_of_the_contract(here: Path) -> None:
    """Every member of the contract is there, with these values, and no other."""
    broken(here / "skills")
    skill(here / "skills", "tea")
    assert run("check", "skills", "--json").json == {
        "skills": [
            {
                "path": "skills/deploy",
                "name": "deploy",
                "ok": False,
                "findings": [
                    {
                        "code": "KS108",
                        "severity": "error",
                        "file": "SKILL.md",
                        "line": 4,
                        "column": 1,
                        "message": "the field `license`",
                        "fix": "remove the field, or move what it says into the body",
                    }
                ],
            },
            {"path": "skills/tea", "name": "tea", "ok": True, "findings": []},
        ],
        "summary": {"skills": 2, "ok": 1, "refused": 1, "codes": {"KS108": 1}},
    }


def test_json_and_another_format_exclude_each_other(here: Path) -> None:
    """Two wishes for the form of the output are a mistake in the command line."""
    skill(here, "tea")
    assert run("check", ".", "--json", "--format", "sarif").code == 2
    assert run("check", ".", "--json", "--format", "json").code == 0


def test_sarif_is_sarif(here: Path) -> None:
    """The report keeps to SARIF 2.1.0, as excerpted, and each result points to its rule, its line and its file."""
    broken(here / "a b#c")
    ran = run("check", ".", "--format", "sarif")
    Draft202012Validator(SARIF).validate(ran.json)
    (one,) = ran.json["runs"]
    rules = one["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(RULES)
    (result,) = one["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "KS108"
    place = result["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 4, "startColumn": 1}
    assert place["artifactLocation"]["uri"] == "a%20b%23c/deploy/SKILL.md"
    assert place["artifactLocation"]["uriBaseId"] in one["originalUriBaseIds"]
    assert str(here) not in ran.out


def test_sarif_of_what_lies_elsewhere_is_absolute(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is not below the folder of the check has a URI of its own, which needs no base."""
    folder = broken(here / "skills")
    (here / "work").mkdir()
    monkeypatch.chdir(here / "work")
    for path in ("../skills", here / "skills"):
        ran = run("check", path, "--format", "sarif")
        Draft202012Validator(SARIF).validate(ran.json)
        place = ran.json["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert unquote(place["uri"]) == f"file://{folder}/SKILL.md"
        assert "uriBaseId" not in place


def test_github_shows_each_finding_at_its_line(here: Path) -> None:
    """Errors, warnings and information become annotations, with the fix."""
    broken(here)
    skill(here, "tea", body="See [the pot](pot.md).\n")
    assert run("check", ".", "--format", "github").lines == [
        (
            "::error file=deploy/SKILL.md,line=4,col=1,title=KS108::the field `license`; "
            "fix: remove the field, or move what it says into the body"
        ),
        (
            "::warning file=tea/SKILL.md,line=5,col=15,title=KS501::`pot.md` is not in the skill; "
            "fix: add the file, or mend the link"
        ),
    ]


@given(st.text(), st.text())
def test_an_annotation_cannot_be_broken_out_of(path: str, message: str) -> None:
    """Whatever a path or a message holds, the annotation is one line, and GitHub reads back what is safe to show."""
    rule = Rule("KS999", "info", "a rule", "mend it")
    line = annotation(Checked(path, "tea", ()), Finding(rule, ".", message))
    before, properties, said = line.split("::", 2)
    assert before == ""
    assert "\n" not in line
    assert "\r" not in line
    kind, _, pairs = properties.partition(" ")
    read = dict(pair.split("=", 1) for pair in pairs.split(","))
    assert (kind, unescaped(read["file"]), read["title"]) == ("notice", escaped(path), "KS999")
    assert unescaped(said) == escaped(f"{message}; fix: mend it")


def unescaped(text: str) -> str:
    """What GitHub's runner makes of a value: its own order of replacements."""
    for spelt, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(spelt, char)
    return text


def test_text_on_stdout_is_findings_alone(here: Path) -> None:
    """What is read by programs is not mixed with counts and notes, in any format."""
    skill(here, "tea")
    assert run("check", ".").out == ""
    assert run("check", ".", "--format", "github").out == ""


def test_what_was_judged_is_let_go(here: Path) -> None:
    """However many files there are, no more than one skill's are held at a time."""
    for number in range(60):
        (skill(here, f"tea-{number}") / "notes.md").write_text("x" * 250_000)
    run("check", "tea-0")
    tracemalloc.start()
    try:
        assert run("check", ".", "--json").json["summary"]["ok"] == 60
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000


@pytest.mark.corpus
def test_every_real_skill_is_judged(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All 1,544 folders are judged; each refusal has a code and a fix, and a place where it speaks of a file's text."""
    monkeypatch.chdir(corpus)
    ran = run("check", *sorted(each.name for each in corpus.iterdir()), "--json")
    assert (ran.code, ran.said) == (1, "")
    skills = ran.json["skills"]
    assert len(skills) == ran.json["summary"]["skills"] == 1544
    assert len({each["path"] for each in skills}) == 1544
    for each in skills:
        errors = [finding for finding in each["findings"] if finding["severity"] == "error"]
        assert each["ok"] is (not errors)
        for finding in each["findings"]:
            assert finding["code"] in RULES
            assert finding["fix"]
            assert finding["message"]
            assert finding["line"] >= 1 or finding["code"] >= "KS300"
    refused = [each for each in skills if not each["ok"]]
    assert {finding["code"] for each in refused for finding in each["findings"]} >= {"KS108", "KS202"}
