"""Nothing that a terminal obeys, or that hides, gets out by any command, in any form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from kestrel_skills_adapters.cli.screen import json_text
from tests.cli.running import Ran, run, skill
from tests.disks import NO_TEXT

HOSTILE = {
    "ESC": "a\x1b]0;PWNED\x07b",
    "CSI": "a\x1b[2Jb",
    "C1": "a\x9b31mb",
    "DEL": "a\x7fb",
    "bidi": "a\u202egnp.b",
    "newline": "a\nerror: all is lost\n::error::b",
    "return": "a\rb",
    "separator": "a\u2028b",
    "tag": "a\U000e0041b",
    "joiner": "-\u200d-",
}
NAMES = pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
ALLOWED = {"\n", "\t"}
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def hostile(text: str) -> set[str]:
    """The characters of a text that no terminal, log or annotation should be sent."""
    return {char for char in text if unicodedata.category(char) in HIDDEN} - ALLOWED


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of skills with hostile names everywhere: on skills, on files in them, on folders, on itself."""
    monkeypatch.chdir(tmp_path)
    root = tmp_path / HOSTILE["ESC"] / HOSTILE["bidi"] / HOSTILE["newline"]
    for name in HOSTILE.values():
        skill(root, name)
    tea = skill(root, "tea", body="See [the pot](p%1B%5Dot.md).\n")
    for name in HOSTILE.values():
        (tea / f"{name}.md").write_text("Hot.\n")
        (tea / f"{name}s").mkdir()
        (tea / f"{name}link").symlink_to(name)
    skill(root, "milk")
    beer = skill(root, "beer")
    fields = "".join(f"tools: {name}\n'{name}': x\n" for name in HOSTILE.values())
    text = f"---\nname: {HOSTILE['ESC']}\ndescription: Use it.\n{fields}---\nDrink.\n"
    (beer / "SKILL.md").write_text(text, encoding="utf-8")
    return root


def assert_clean(ran: Ran) -> None:
    """What was written and said shows nothing hostile."""
    assert hostile(ran.out) == set()
    assert hostile(ran.said) == set()


COMMANDS = [
    ["list"],
    ["show", "tea"],
    ["show", "milk"],
    ["show", HOSTILE["ESC"]],
    ["read", "milk"],
    ["read", "milk", HOSTILE["ESC"]],
    ["read", "tea", f"{HOSTILE['bidi']}.md"],
    ["read", HOSTILE["newline"]],
    ["search", "time", HOSTILE["C1"]],
    ["search", "time"],
    ["clause"],
    ["enable", "milk"],
    ["enable", "tea"],
    ["enable", HOSTILE["ESC"]],
    ["enable", "milk", "--pin", HOSTILE["ESC"]],
    ["disable", HOSTILE["newline"]],
    ["adapt", "beer"],
    ["adapt", "tea"],
    ["adapt", "beer", "--undo"],
    ["verify", "tea"],
    ["verify"],
    ["preview", HOSTILE["ESC"]],
    ["preview", f"{HOSTILE['newline']}/tea"],
    ["preview", f"https://{HOSTILE['ESC']}/x", HOSTILE["ESC"]],
    ["install", "https://git.example/x", HOSTILE["bidi"], "--ref", HOSTILE["ESC"]],
    ["install", "https://git.example/x", HOSTILE["C1"], "--digest", HOSTILE["ESC"]],
    ["doctor"],
    ["list", "--agent", HOSTILE["ESC"]],
    ["list", "--state", f"{HOSTILE['ESC']}://x"],
    ["list", f"--{HOSTILE['ESC']}"],
    [HOSTILE["ESC"]],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=range(len(COMMANDS)))
@pytest.mark.parametrize("form", [[], ["--json"], ["--debug"]], ids=["text", "json", "debug"])
def test_no_command_lets_a_hostile_name_out(arguments: list[str], form: list[str], root: Path) -> None:
    """Names of roots, skills, files and words of the command line are spelt out, to a pipe and in JSON."""
    environ = {"KESTREL_SKILLS_ROOT": str(root), "KESTREL_SHARED_SKILLS_DIR": str(root / HOSTILE["ESC"])}
    ran = run(*arguments, *form, environ=environ)
    assert_clean(ran)
    assert ran.code != 4 or "unexpected" not in ran.said
    if form == ["--json"]:
        assert ran.json


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_no_record_lets_a_hostile_text_out(form: list[str], root: Path) -> None:
    """The head that was lifted out, and the changes, are spelt out when they are shown; JSON reads back as it was."""
    environ = {"KESTREL_SKILLS_ROOT": str(root)}
    head = (root / "beer" / "SKILL.md").read_bytes().decode().removesuffix("Drink.\n")
    beer = run("adapt", "beer", environ=environ)
    assert beer.code == 0
    assert "beer is adapted" in beer.out
    ran = run("verify", "beer", *form, environ=environ)
    assert_clean(ran)
    if form:
        assert ran.json["adapted"]["frontmatter"] == head


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("name", ["milk", "tea", "beer", HOSTILE["ESC"], HOSTILE["newline"]])
@pytest.mark.parametrize("more", [[], ["--adapt"], [HOSTILE["bidi"], "--adapt"]], ids=["", "adapted", "named"])
def test_nothing_that_is_brought_in_lets_a_hostile_text_out(
    name: str, more: list[str], form: list[str], root: Path, tmp_path: Path
) -> None:
    """What is previewed, refused or installed is spelt out: names, files, fields, the path and the command."""
    environ = {"KESTREL_SKILLS_ROOT": str(tmp_path / "own")}
    (tmp_path / "own").mkdir()
    for command in ("preview", "install"):
        ran = run(command, root / name, *more, *form, environ=environ)
        assert_clean(ran)
        assert ran.code in (0, 1)


@NAMES
@pytest.mark.parametrize("command", ["list", "doctor", "clause", "search x", "enable tea", "check"])
def test_a_root_that_is_not_there_is_spelt_out(command: str, name: str, tmp_path: Path) -> None:
    """Named or in the usual place, a root with a hostile name is told of in one line that is safe."""
    arguments = command.split()
    given = [tmp_path / name] if command == "check" else ["--root", tmp_path / name]
    assert_clean(run(*arguments, *given))
    if command != "check":
        assert_clean(run(*arguments, environ={"XDG_DATA_HOME": str(tmp_path / name)}))


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
@pytest.mark.parametrize("options", [[], ["--fixes"], ["--strict", "--no-fixes"], ["--changed"]])
def test_check_lets_no_hostile_name_out(form: str, options: list[str], root: Path) -> None:
    """Every form of the report is safe, and says the same of each folder."""
    paths = [root / name for name in HOSTILE.values()] if options == ["--changed"] else ["."]
    ran = run("check", *paths, "--format", form, *options)
    assert ran.code == 1
    assert_clean(ran)
    assert len(ran.said.splitlines()) == (0 if form == "json" else 1)
    if form == "github":
        assert all(line.startswith(("::error file=", "::warning file=", "::notice file=")) for line in ran.lines)


@pytest.mark.parametrize("arguments", [["list"], ["doctor"], ["show", "tea"], ["check", "."], ["search", "time"]])
def test_a_terminal_is_sent_no_hostile_name(arguments: list[str], root: Path) -> None:
    """Without colours there is nothing at all that a terminal obeys."""
    environ = {"KESTREL_SKILLS_ROOT": str(root), "TERM": "xterm", "NO_COLOR": "1"}
    ran = run(*arguments, environ=environ, terminal=True)
    assert hostile(ran.out.replace("\x1b[1m", "").replace("\x1b[0m", "")) == set()
    assert hostile(ran.said) == set()


def test_an_annotation_stays_on_its_line(root: Path) -> None:
    """A name cannot begin an annotation of its own, not even where the runner reads back what was escaped."""
    out = run("check", ".", "--format", "github").out
    assert "\n::error::" not in out
    assert "%0A" not in out


@NO_TEXT
def test_sarif_leads_to_the_very_file(root: Path) -> None:
    """Every URI, decoded, is a path that is there, whatever bytes it is of, and however long it is."""
    (root / "tea" / os.fsdecode(b"\xff\xfe")).write_text("x")
    (root / "tea" / ("é\x1b" * 80)).write_text("x")
    results = run("check", ".", "--format", "sarif").json["runs"][0]["results"]
    uris = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results}
    assert all(uri.isascii() for uri in uris)
    there = {unquote_to_bytes(uri) for uri in uris}
    assert [path for path in there if not os.path.lexists(path)] == []
    names = {path.rpartition(b"/")[2] for path in there}
    assert {b"\xff\xfe", "é\x1b".encode() * 80, *(name.encode() for name in HOSTILE.values())} <= names


@NAMES
def test_json_reads_back_as_it_was(name: str) -> None:
    """What is spelt out in JSON is the same value to whoever reads it."""
    text = json_text({"name": name, "twice": [name + name]})
    assert hostile(text) == set()
    assert json.loads(text) == {"name": name, "twice": [name + name]}


def test_the_path_of_a_report_is_the_path_on_the_disk(root: Path) -> None:
    """A program that reads the JSON can open what it is told of."""
    paths = {each["path"] for each in run("check", root, "--json").json["skills"]}
    assert {str(root / name) for name in HOSTILE.values()} <= paths


def test_a_process_of_its_own_is_as_careful(root: Path) -> None:
    """The installed program prints what the function prints."""
    program = "import sys; from kestrel_skills_adapters.cli import start; sys.exit(start())"
    ran = subprocess.run(
        [sys.executable, "-c", program, "check", "."],
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 1
    assert hostile(ran.stdout.decode() + ran.stderr.decode()) == set()
