from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kestrel_skills_adapters.cli.tour import Home
from tests.cli.running import run, skill

HEX64 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
TEXT = {"type": "string"}
FINDING = {
    "type": "object",
    "required": ["code", "severity", "file", "line", "column", "message", "fix"],
    "additionalProperties": False,
    "properties": {
        "code": {"type": "string", "pattern": "^KS[0-9]{3}$"},
        "severity": {"enum": ["error", "warning", "info"]},
        "file": TEXT,
        "line": {"type": "integer", "minimum": 0},
        "column": {"type": "integer", "minimum": 0},
        "message": TEXT,
        "fix": {"type": "string", "minLength": 1},
    },
}
ERROR = {
    "type": "object",
    "required": ["code", "message", "fix"],
    "properties": {"code": TEXT, "message": TEXT, "fix": TEXT},
}
# The fields that the contract gives a record, a rejection, and a catalog.
RECORD = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "name",
        "description",
        "enabled",
        "priority",
        "token_cost",
        "context_included",
        "source",
        "editable",
        "deletable",
        "revision",
        "etag",
        "delete_revision",
        "shadowed",
    ],
    "properties": {
        "name": TEXT,
        "description": TEXT,
        "enabled": {"type": "boolean"},
        "priority": {"type": "integer"},
        "token_cost": {"type": "integer", "minimum": 1},
        "context_included": {"type": "boolean"},
        "source": {"enum": ["agent-local", "host-shared", "git"]},
        "source_root": HEX64,
        "editable": {"type": "boolean"},
        "deletable": {"type": "boolean"},
        "revision": HEX64,
        "etag": HEX64,
        "delete_revision": {"anyOf": [HEX64, {"type": "null"}]},
        "edited": {"type": "boolean"},
        "pin": HEX64,
        "provenance": {"type": "object"},
        "shadowed": {"type": "array", "items": {"$ref": "#/$defs/record"}},
    },
}
REJECTION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "source", "faults", "delete_revision", "adaptable", "holds_back"],
    "properties": {
        "name": TEXT,
        "source": {"enum": ["agent-local", "host-shared", "git"]},
        "faults": {"type": "array", "minItems": 1, "items": FINDING},
        "delete_revision": {"anyOf": [HEX64, {"type": "null"}]},
        "adaptable": {"type": "boolean"},
        "holds_back": {"anyOf": [{"$ref": "#/$defs/record"}, {"type": "null"}]},
    },
}
CATALOG = {
    "$defs": {"record": RECORD},
    "type": "object",
    "additionalProperties": False,
    "required": ["skills", "rejected", "count", "problems", "enablement_available", "enablement_error", "context"],
    "properties": {
        "skills": {"type": "array", "items": {"$ref": "#/$defs/record"}},
        "rejected": {"type": "array", "items": REJECTION},
        "count": {"type": "integer"},
        "problems": {"type": "array", "items": ERROR},
        "enablement_available": {"type": "boolean"},
        "enablement_error": {"anyOf": [ERROR, {"type": "null"}]},
        "context": {
            "type": "object",
            "additionalProperties": False,
            "required": ["text", "included", "omitted", "bytes", "budget"],
            "properties": {
                "text": TEXT,
                "included": {"type": "array", "items": TEXT},
                "omitted": {"type": "array", "items": TEXT},
                "bytes": {"type": "integer"},
                "budget": {"type": "integer"},
            },
        },
    },
}


def test_to_a_pipe_every_skill_is_one_aligned_line(environ: dict[str, str]) -> None:
    """Skills come first and rejected folders after them; only the last column holds spaces, and nothing is cut."""
    ran = run("list", environ=environ)
    assert ran.code == 0
    assert [line.split(maxsplit=5)[:5] for line in ran.lines] == [
        ["bisect-a-regression", "off", "agent-local", "100", "36"],
        ["cut-a-release", "off", "host-shared", "100", "37"],
        ["review-a-diff", "off", "agent-local", "100", "26"],
        ["write-a-postmortem", "off", "agent-local", "100", "32"],
        ["deploy-to-staging", "rejected", "agent-local", "-", "-"],
    ]
    assert ran.lines[2].endswith("  Use when a complete branch diff needs an evidence-backed review.")
    assert len({re.search(r"  \S+$", line[:45]) is not None for line in ran.lines}) == 1
    assert "KS108 the field `license` (and 2 more); fix: remove the field" in ran.lines[4]
    assert "\x1b" not in ran.out + ran.said


def test_the_counts_and_the_receipt_stand_on_stderr(environ: dict[str, str]) -> None:
    """One line says how many skills there are of each kind, and what the clause costs."""
    run("enable", "review-a-diff", environ=environ)
    assert run("list", environ=environ).said == ("4 skills, 1 on, 1 rejected, 1 shadowed; clause 311 of 8,192 bytes\n")


def test_json_is_the_object_of_the_contract(environ: dict[str, str]) -> None:
    """The object has the contract's members and no others, for records, rejections and the clause alike."""
    run("enable", "review-a-diff", environ=environ)
    ran = run("list", "--json", environ=environ)
    Draft202012Validator(CATALOG).validate(ran.json)
    skills = {each["name"]: each for each in ran.json["skills"]}
    assert ran.json["count"] == 4
    assert skills["review-a-diff"]["enabled"]
    assert skills["review-a-diff"]["context_included"]
    assert [each["source"] for each in skills["review-a-diff"]["shadowed"]] == ["host-shared"]
    assert not skills["cut-a-release"]["editable"]
    assert not skills["cut-a-release"]["deletable"]
    assert ran.json["context"]["included"] == ["review-a-diff"]
    assert ran.json["context"]["bytes"] == len(ran.json["context"]["text"].encode())
    assert ran.json["enablement_available"]


def test_a_skill_that_is_held_back_is_listed_as_such(environ: dict[str, str], home: Home) -> None:
    """A rejected folder of the agent's own holds its name against the host's skill, and the list says so."""
    skill(home.path / "shared", "deploy-to-staging")
    ran = run("list", environ=environ)
    assert ran.lines[-1].split(maxsplit=3)[:3] == ["deploy-to-staging", "held-back", "host-shared"]
    assert run("list", "--json", environ=environ).json["rejected"][0]["holds_back"]["source"] == "host-shared"


def test_a_label_with_spaces_stays_one_column(environ: dict[str, str], home: Home) -> None:
    """A folder whose name is no skill name is listed, its spaces spelt out."""
    (home.path / "skills" / "My Notes").mkdir()
    assert run("list", environ=environ).lines[-2].startswith(r"My\x20Notes")


def test_a_terminal_gets_a_table_cut_to_its_width(environ: dict[str, str]) -> None:
    """There is a heading and a sign for each state, no line is wider than the terminal, and the fix is shown whole."""
    run("enable", "review-a-diff", environ=environ)
    ran = run("list", "--no-color", environ={**environ, "COLUMNS": "90", "TERM": "xterm"}, terminal=True)
    assert ran.lines[0].split() == ["name", "state", "source", "priority", "tokens", "description"]
    table = [line for line in ran.lines if "agent-local  " in line or "host-shared  " in line]
    assert len(table) == 4
    assert all(len(line.rstrip()) <= 90 for line in table)
    assert table[0].rstrip().endswith("…")
    assert "● on" in ran.out
    assert "○ off" in ran.out
    assert "✗ deploy-to-staging is rejected (agent-local): SKILL.md:3:1: KS108" in ran.out
    assert "    fix: remove the field, or move what it says into the body\n" in ran.out
    assert "\x1b[3" not in ran.out


@pytest.mark.parametrize(
    ("columns", "moved", "left_out"),
    [
        (100, False, set()),
        (80, False, {"tokens", "priority"}),
        (80, True, {"tokens"}),
        (40, True, {"tokens"}),
    ],
)
def test_a_narrow_terminal_is_left_room_for_the_description(
    columns: int, moved: bool, left_out: set[str], environ: dict[str, str]
) -> None:
    """The columns that can be asked for go first; priorities stay as soon as one of them says something."""
    if moved:
        run("enable", "review-a-diff", "--priority", "7", environ=environ)
    ran = run("list", environ={**environ, "COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}, terminal=True)
    headings = ["name", "state", "source", "priority", "tokens", "description"]
    if columns > 40:
        assert ran.lines[0].replace("\x1b[1m", " ").replace("\x1b[0m", " ").split() == [
            heading for heading in headings if heading not in left_out
        ]
        (line,) = [line for line in ran.lines if "cut-a-release" in line]
        assert "Use when a library or" in line
    else:
        assert "tokens" not in ran.lines[0]


def test_colour_is_for_terminals_that_want_it(environ: dict[str, str]) -> None:
    """A terminal gets colours, unless NO_COLOR is set."""
    coloured = run("list", environ={**environ, "TERM": "xterm"}, terminal=True)
    plain = run("list", environ={**environ, "TERM": "xterm", "NO_COLOR": "1"}, terminal=True)
    assert "\x1b[31m" in coloured.out
    assert "\x1b[31m" not in plain.out


def test_colour_is_on_the_state_alone(environ: dict[str, str]) -> None:
    """What is on is seen at a glance, and names and descriptions stay easy to read."""
    run("enable", "review-a-diff", environ=environ)
    ran = run("list", environ={**environ, "TERM": "xterm"}, terminal=True)
    (line,) = [line for line in ran.lines if "review-a-diff" in line]
    assert line.startswith("review-a-diff")
    assert line.partition("agent-local")[0].count("\x1b[32m") == 1
    assert line.partition("agent-local")[2].count("\x1b") == 0


def test_no_home_yet_is_no_fault(tmp_path: Path) -> None:
    """Where nobody named a root, and there is none in the usual place, the list is empty and says how to begin."""
    ran = run("list", environ={"HOME": str(tmp_path)})
    assert (ran.code, ran.out) == (0, "")
    (hint,) = ran.said.splitlines()[1:]
    assert hint.startswith("no skills yet: make a folder with a SKILL.md in ")
    assert hint.endswith("/kestrel-skills/skills, or take `kestrel-skills tour`")
    assert list(tmp_path.iterdir()) == []


def test_how_to_begin_is_told_where_there_is_nothing_at_all(tmp_path: Path) -> None:
    """An empty root that somebody named gets the same hint; one with a broken skill, or a shared one, gets none."""
    hint = f"no skills yet: make a folder with a SKILL.md in {tmp_path / 'own'}, or take `kestrel-skills tour`"
    (tmp_path / "own").mkdir()
    assert run("list", "--root", tmp_path / "own").said.splitlines()[1:] == [hint]
    skill(tmp_path / "shared", "tea")
    assert len(run("list", "--root", tmp_path / "own", "--shared", tmp_path / "shared").said.splitlines()) == 1
    skill(tmp_path / "own", "milk", "{")
    assert len(run("list", "--root", tmp_path / "own").said.splitlines()) == 1


def test_a_locale_that_cannot_spell_a_name_ends_no_listing(tmp_path: Path) -> None:
    """What ASCII cannot spell is escaped."""
    skill(tmp_path, "tea", "Use when the kettle is für Tee.")
    ran = run("list", "--root", tmp_path, encoding="ascii")
    assert ran.code == 0
    assert r"f\xfcr Tee" in ran.out


@pytest.mark.parametrize("place", [("--root", "{}", "list"), ("list", "--root", "{}")])
def test_options_may_stand_before_the_command_or_after(place: tuple[str, ...], tmp_path: Path) -> None:
    """An option that several commands share is taken at either place."""
    skill(tmp_path, "tea")
    ran = run(*(part.format(tmp_path) for part in place))
    assert (ran.code, ran.lines[0].split()[0]) == (0, "tea")


def test_the_later_of_two_options_wins(tmp_path: Path) -> None:
    """An option after the command is nearer to it than one before."""
    skill(tmp_path / "one", "tea")
    skill(tmp_path / "two", "cake")
    ran = run("--root", tmp_path / "one", "list", "--root", tmp_path / "two")
    assert [line.split()[0] for line in ran.lines] == ["cake"]
