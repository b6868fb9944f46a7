"""The two fields: what is read, and what is said of everything else."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from kestrel_skills_core.domain import frontmatter
from kestrel_skills_core.domain.canonical import canonical
from kestrel_skills_core.domain.diagnosis import Draft
from kestrel_skills_core.domain.document import examine
from kestrel_skills_core.domain.findings import Finding, faults_of
from kestrel_skills_core.domain.frontmatter import Frontmatter, parse
from tests.examples import examples

MISTAKES = Path(__file__).parent / "cases" / "mistakes.json"
SECOND = "remove the line, or what follows the three hyphens if they are meant to end the frontmatter"
YAMLISH = "ab :#'\"@`%-?,[]{}&*!|>\\~1.\t\n"
VALUES = st.text(st.sampled_from(YAMLISH.replace("\n", "")), max_size=12)
SCRAPS = st.sampled_from([
    "name", "description", ": ", ":", "\n", "\n  ", "\n\t", "- ", "? ", "'", '"', "''", '\\"', "\\", "\\x41", "\\ud800",
    "\\UFFFFFFFF", "[", "]", "{", "}", ", ", "&a ", "*a", "!!str ", "!<x> ", "%YAML 1.1\n", "%YAML 1.999\n", "--- ",
    "...\n", "# c", " # c", "|\n", ">-\n", "~", "null", "1e3", "on", "2024-01-01", "<<", "=", "\r\n", "\x00", "\x85",
    "\u2028", "\ufeff", "\ud800", "a", "b c", "é", "\U0001f600", "name: deploy\n", 'description: "x"\n',
])  # fmt: skip
ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
TEXTS = st.lists(SCRAPS, max_size=20).map("".join) | ANYTHING

# What stands between the quotes, or plain, in a text that the quick way might take.
INSIDE = st.text(
    st.sampled_from("aZ0 :#-'\"\\,[]{}&*!|>%@`?~é\u00a0\u3000\U0001f600\t\x7f\x85\u2028\ufeff"), max_size=10
)
SPELT = st.one_of(
    INSIDE,
    INSIDE.map('"{}"'.format),
    INSIDE.map("'{}'".format),
    INSIDE.map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'),
    INSIDE.map(lambda text: "'" + text.replace("'", "''") + "'"),
    st.sampled_from(
        ["null", "NULL", "nuLL", "true", "True", "false", "on", "yes", "no", "y", "nullx", "Infinity", "NaN"]
    ),
)
STYLED = SPELT | st.builds("{}\n  {}\n\n  {}".format, st.sampled_from(["", ">", "|-", ">+", "x"]), INSIDE, INSIDE)
DOCUMENTS = (
    st.tuples(
        st.builds("name: {}\n".format, STYLED),
        st.builds("description: {}\n".format, STYLED),
        st.sampled_from(["", "# c\n", "\n"]),
    )
    .flatmap(st.permutations)
    .map("".join)
)
ENDS = st.sampled_from(["\n", "\n", " \n", "   \n", "\r\n", " \r\n"])
CANONICAL = (
    st.tuples(st.builds("name: {}{}".format, SPELT, ENDS), st.builds("description: {}{}".format, SPELT, ENDS))
    .flatmap(st.permutations)
    .map("".join)
)


def codes(text: str) -> list[str]:
    """The codes of the findings, in order."""
    return [found.code for found in parse(text).findings]


def told(text: str, folder: str = "deploy") -> list[tuple[str, int, int, str]]:
    """Code, line, column and fix of the findings, in order."""
    found = parse(text, folder=folder).findings
    return [(each.code, each.line, each.column, each.fix) for each in found]


def values(found: Frontmatter) -> tuple[str | None, str | None]:
    """The two values."""
    return (found.name and found.name.value, found.description and found.description.value)


class TestStyles:
    """T2: one meaning in every style that YAML has."""

    @pytest.mark.parametrize(
        ("spelt", "value"),
        [
            (">\n  One two.\n  Three.\n", "One two. Three.\n"),
            (">-\n  One two.\n  Three.\n", "One two. Three."),
            ("|\n  One two.\n  Three.\n", "One two.\nThree.\n"),
            ("|+\n  One two.\n  Three.\n\n\n", "One two.\nThree.\n\n\n"),
            ("One two.\n  Three.\n", "One two. Three."),
            ('"One two.\\nThree."\n', "One two.\nThree."),
            ("'One two. It''s three.'\n", "One two. It's three."),
            ('"One two.\n  Three."\n', "One two. Three."),
            ("'One two.\n\n  Three.'\n", "One two.\nThree."),
        ],
    )
    def test_a_value_in_each_style(self, spelt: str, value: str) -> None:
        """Folded, literal, wrapped, quoted: the value is what YAML says, and nothing is found."""
        found = parse(f"name: deploy\ndescription: {spelt}")
        assert (values(found), found.findings) == (("deploy", value), ())

    @pytest.mark.parametrize(
        "text",
        [
            "description: x\nname: deploy\n",
            "# c\n\nname: deploy # c\n# c\n\ndescription: x\n\n",
            "\"name\": deploy\n'description': x\n",
            "{name: deploy, description: x}\n",
            "name:   deploy   \ndescription:    x   \n",
            "? name\n: deploy\n? description\n: x\n",
            "name:\n  deploy\ndescription:\n  x\n",
            "  name: deploy\n  description: x\n",
            "name: deploy\ndescription: x",
        ],
    )
    def test_a_mapping_in_each_style(self, text: str) -> None:
        """Order, comments, empty lines, quoted keys and braces do not matter."""
        found = parse(text)
        assert (values(found), found.findings) == (("deploy", "x"), ())

    @pytest.mark.parametrize(
        "text",
        [
            "name:\tdeploy\ndescription: \t x\n",
            "name: deploy\t\ndescription: 'x' \t# c\n",
            "name\t: deploy\t# c\ndescription: >\t\n  x\n",
            "name: deploy\n\t\ndescription:\t\n  x\n \t \r\n",
        ],
    )
    def test_tabs_part_as_spaces_do(self, text: str) -> None:
        """YAML 1.2 (6.1, 6.2) allows a tab wherever white space does not indent."""
        found = parse(text)
        assert found.findings == ()
        assert (found.name and found.name.value, ((found.description and found.description.value) or "").strip()) == (
            "deploy",
            "x",
        )

    def test_a_tab_is_one_column(self) -> None:
        """What comes after it stands where the text has it."""
        assert told("name: a\ndescription:\t\t@x\n") == [("KS104", 3, 15, 'write `description: "@x"`')]

    @pytest.mark.parametrize(
        ("spelt", "name"),
        [
            ("|\n  deploy\n", "deploy"),
            (">\n  deploy\n\n", "deploy"),
            ("|+\n  deploy\n\n", "deploy\n"),
            ('"deploy\\n"\n', "deploy\n"),
        ],
    )
    def test_the_line_end_that_a_block_keeps_is_no_part_of_a_name(self, spelt: str, name: str) -> None:
        """One, and only of a block."""
        assert values(parse(f"name: {spelt}description: x\n")) == (name, "x")

    @pytest.mark.parametrize("text", ["name: deploy\r\ndescription: x\r\n", "name: deploy\ndescription: >\r\n  x\r\n"])
    def test_line_ends_do_not_matter(self, text: str) -> None:
        """CRLF reads as LF."""
        found = parse(text)
        assert found.findings == ()
        assert found.description is not None
        assert found.description.value.strip() == "x"

    @pytest.mark.parametrize(
        "text", ["on", "off", "yes", "no", "y", "n", "Yes", "nuLL", "1.2.3", "12:30:00 o'clock", "v1", "-"]
    )
    def test_what_yaml_reads_as_text(self, text: str) -> None:
        """Words that YAML 1.1 took for truth values are text, and so is what only looks like a number."""
        assert values(parse(f"description: x\nname: {text}-\n"))[0] == f"{text}-"

    @pytest.mark.parametrize(
        "text", ["on", "off", "yes", "no", "y", "n", "http://x", "a:b", "a#b", "-a", "?a", ":a", "1.2.3"]
    )
    def test_plain_text(self, text: str) -> None:
        """Signs that YAML keeps for itself count only where it says so."""
        assert values(parse(f"description: {text}\nname: a\n")) == ("a", text)

    def test_positions_are_the_files(self) -> None:
        """Lines count from the fence, columns from 1, and the offsets hold the value as it is spelt."""
        text = "# c\nname: deploy\ndescription: >-\n  x\n"
        name, description = parse(text).name, parse(text).description
        assert name is not None
        assert description is not None
        assert (name.line, name.column, text[name.start : name.end]) == (3, 7, "deploy")
        assert (description.line, description.column) == (4, 14)
        assert text[description.start : description.end].startswith(">-\n  x")


class TestTypes:
    """T5: values that YAML reads as something else are refused with the line to write."""

    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            *(
                (value, "a number")
                for value in ("123", "-1", "1e3", "0o14", "012", "0x1F", "1.5", "1.", ".5", "-.INF", ".NaN")
            ),
            *((value, "true or false") for value in ("true", "True", "FALSE")),
            *((value, "nothing") for value in ("null", "Null", "~")),
            *((value, "a date") for value in ("2024-01-01", "2024-13-45", "2024-01-01T10:00:00Z")),
        ],
    )
    def test_other_types(self, value: str, kind: str) -> None:
        """The finding says what it was read as, and the fix is the quoted line."""
        (found,) = parse(f"name: a\ndescription: {value}\n").findings
        assert (found.code, found.line, found.column) == ("KS110", 3, 14)
        assert found.message == f"YAML reads the value of `description` as {kind}"
        assert found.fix == f'write `description: "{value}"`'
        assert codes(f"name: a\n{found.fix[7:-1]}\n") == []

    @pytest.mark.parametrize("value", ["1_000", "0b1", "-0x1F", "0o8", "1e", "2024-1-1", "1:30", "<<", "=", "+", "0_7"])
    def test_what_the_core_schema_reads_as_text(self, value: str) -> None:
        """YAML 1.2 knows no digits parted by underscores, no binary numbers, no signs before hexadecimal ones."""
        found = parse(f"name: {value}\ndescription: {value}\n")
        assert (values(found), found.findings) == ((value, value), ())

    @pytest.mark.parametrize(
        ("value", "folder", "fix"),
        [
            ("123", "deploy", 'write `name: "deploy"`'),
            ("123", "Deploy!", 'write `name: "123"`'),
            ("1.5", "Deploy!", "use 1 to 64 of a-z, 0-9, hyphen and underscore, with a letter or digit at both ends"),
            ("", "true", 'write `name: "true"`'),
        ],
    )
    def test_the_name_to_write_is_the_folders(self, value: str, folder: str, fix: str) -> None:
        """Else what is written if it is a name in quotes, else what a name is; the folder's may look like a type."""
        assert [told[3] for told in told(f"name: {value}\ndescription: x\n", folder)] == [fix]

    @pytest.mark.parametrize("spelt", ['"{}"', "'{}'", ">-\n  {}", "|-\n  {}"])
    @pytest.mark.parametrize("value", ["123", "1e3", "true", "null", "2024-01-01"])
    def test_quoted_they_are_text(self, spelt: str, value: str) -> None:
        """Only plain values have types."""
        assert values(parse(f"description: {spelt.format(value)}\nname: a\n"))[1] == value

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("name:\ndescription: x\n", ("KS110", 2, 5, 'write `name: "deploy"`')),
            ("name: deploy\ndescription:\n", ("KS114", 3, 12, "say in one line when to use the skill")),
            ("description: # c\nname: deploy\n", ("KS114", 2, 12, "say in one line when to use the skill")),
            ("name: deploy\ndescription: [a, b]\n", ("KS111", 3, 14, 'write `description: "[a, b]"`')),
            ("name: deploy\ndescription: {a: b}\n", ("KS111", 3, 14, 'write `description: "{a: b}"`')),
            ("name: deploy\ndescription:\n  - a\n", ("KS111", 4, 3, "write the value as one text")),
            ("name: deploy\ndescription:\n  a: b\n", ("KS111", 4, 3, "write the value as one text")),
            ("{name: deploy, description: [a]}", ("KS111", 2, 29, "write the value as one text")),
            ('name: "\\ud800"\ndescription: x\n', ("KS116", 2, 7, "remove the character")),
        ],
    )
    def test_no_text_at_all(self, text: str, expected: tuple[str, int, int, str]) -> None:
        """An empty or nested value is one fault."""
        assert told(text) == [expected]


class TestFields:
    """Exactly the two fields, each once."""

    @pytest.mark.parametrize("text", ["", "\n\n", "# c\n", "  \n"])
    def test_nothing(self, text: str) -> None:
        """Both fields are missing; the fix knows the folder."""
        assert told(text) == [
            ("KS107", 1, 1, 'add the line `name: "deploy"`'),
            ("KS107", 1, 1, 'add the line `description: "Use when …"`'),
        ]

    def test_a_missing_name_in_a_folder_without_a_legal_one(self) -> None:
        """Where the folder's name cannot be the skill's, nothing is proposed."""
        assert told("description: x\n", "Deploy!") == [("KS107", 1, 1, 'add the line `name: "…"`')]

    @pytest.mark.parametrize(
        ("key", "fix"),
        [
            ("license", "remove the field, or move what it says into the body"),
            ("<<", "remove the field, or move what it says into the body"),
            (
                "allowed-tools",
                "remove the field: nothing here enforces it; say in the body what the procedure may use",
            ),
            (
                "disable-model-invocation",
                "remove the field: nothing here enforces it; say in the body what the procedure may use",
            ),
        ],
    )
    @pytest.mark.parametrize(
        "value", ["x", "", "[a, {b: c}]", "\n  a: [b]\n  c: d", "&a x", "*a", "{x} y", "[a", "b: c"]
    )
    def test_further_fields(self, key: str, fix: str, value: str) -> None:
        """A further field is one fault, whatever its value."""
        assert told(f"name: a\ndescription: x\n{key}: {value}\n") == [("KS108", 4, 1, fix)]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("name: deploy\nDescription: x\n", [("KS108", 3, 1, "spell it `description`")]),
            ("NAME: deploy\ndescription: x\n", [("KS108", 2, 1, "spell it `name`")]),
            *(
                (text, [("KS108", line, 1, "remove the field, or move what it says into the body")])
                for text, line in (
                    ("name: deploy\nDescription: x\ndescription: y\n", 3),
                    ("name: deploy\ndescription: y\nDescription: x\n", 4),
                )
            ),
        ],
    )
    def test_a_field_spelt_otherwise_is_not_missed(self, text: str, expected: list[tuple[str, int, int, str]]) -> None:
        """One fault, with one fix; where the right one is there too, the wrong one is too much."""
        assert told(text) == expected

    def test_a_field_without_its_space_is_not_missed(self) -> None:
        """It is no unknown field that could be removed."""
        assert told("name: a\ndescription:Use: this\n") == [("KS104", 3, 13, 'write `description: "Use: this"`')]

    def test_all_of_them_are_told(self) -> None:
        """Each has its line."""
        text = "license: x\nname: a\nmetadata:\n  b: c\ndescription: x\nversion: 1\n"
        assert [(code, line) for code, line, _, _ in told(text)] == [("KS108", 2), ("KS108", 4), ("KS108", 7)]

    def test_a_field_given_twice(self) -> None:
        """The second is the fault, and the first is kept for the other checks."""
        found = parse("name: a\nname: b\ndescription: x\n")
        assert [(each.code, each.line) for each in found.findings] == [("KS109", 3)]
        assert values(found) == ("a", "x")

    @pytest.mark.parametrize(
        ("text", "line", "column"),
        [
            ("- name: a\n", 2, 1),
            ("just text\n", 2, 1),
            ("[name]\n", 2, 1),
            ("? [a]\n: b\n", 2, 3),
            ("? *a\n: b\n", 2, 3),
        ],
    )
    def test_no_fields(self, text: str, line: int, column: int) -> None:
        """A list, running text and a key that is no text are no fields."""
        assert ("KS106", line, column, "write `name: …` and `description: …`") in told(text)

    def test_beyond_the_cap_reading_stops(self) -> None:
        """A thousand unknown fields make one finding more than are shown."""
        assert codes("".join(f"k{n}: v\n" for n in range(1000))) == ["KS108"] * 65


class TestFeatures:
    """What of YAML is not allowed."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("name: &a b\ndescription: x\n", ("KS112", 2, 7, 'write `name: "deploy"`')),
            ("name: a\ndescription: *word here\n", ("KS112", 3, 14, 'write `description: "*word here"`')),
            ("name: a\ndescription: !!str 12\n", ("KS112", 3, 14, 'write `description: "12"`')),
            ("name: a\ndescription: !important now\n", ("KS112", 3, 14, 'write `description: "!important now"`')),
            ("name: a\ndescription: !<tag:x> b\n", ("KS112", 3, 14, 'write `description: "b"`')),
            ("name: a\ndescription: &a [b]\n", ("KS112", 3, 14, 'write `description: "&a [b]"`')),
            ("name: a\ndescription: !!python/object:os.system x\n", ("KS112", 3, 14, 'write `description: "x"`')),
            ("&a name: b\ndescription: x\n", ("KS112", 2, 1, "write the value out, in double quotes")),
            (
                "--- !x\nname: b\ndescription: x\n",
                (
                    "KS113",
                    2,
                    1,
                    SECOND,
                ),
            ),
            ("%YAML 1.2\nname: a\n", ("KS112", 2, 1, "remove the line that begins with %")),
            ("# c\n\n%TAG ! x\nname: a\n", ("KS112", 4, 1, "remove the line that begins with %")),
            ("name: a\ndescription: x\n...\n", ("KS113", 4, 1, "remove the line `...`")),
            (
                "name: a\ndescription: x\n--- y\n",
                (
                    "KS113",
                    4,
                    1,
                    SECOND,
                ),
            ),
        ],
    )
    def test_each_is_one_fault(self, text: str, expected: tuple[str, int, int, str]) -> None:
        """With its place, and the line to write where there is one."""
        assert told(text) == [expected]

    def test_nine_levels_of_aliases_are_never_built(self) -> None:
        """Each level is a field too many; nothing is expanded."""
        bomb = "a: &a [x, x]\n" + "".join(
            f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
        )
        assert set(codes(bomb)) == {"KS107", "KS108"}


class TestMistakes:
    """T1: what is no YAML, a colon first of all, is told in the author's terms, with the line to write."""

    @pytest.mark.parametrize(
        "case", json.loads(MISTAKES.read_text(encoding="utf-8")), ids=lambda case: repr(case["text"])
    )
    def test_each_is_told(self, case: dict[str, Any]) -> None:
        """The fault names the place, what was done, and what to write."""
        found = faults_of(parse(case["text"], folder="deploy").findings)[0]
        assert (found.code, found.line, found.column) == (case["code"], case["line"], case["column"])
        assert found.message.startswith(case["message"])
        assert found.fix == case["fix"]

    def test_a_value_too_long_to_show_is_told_in_words(self) -> None:
        """A line that would be refused anyway is not written out."""
        ((_, _, _, fix),) = told("description: @" + "x" * 1024)
        assert fix.startswith("put the whole value in double quotes, with a backslash before")
        assert fix.endswith("and shorten it to 1,024 characters")

    def test_what_went_before_is_told_too(self) -> None:
        """A fault that ends the reading does not hide the earlier ones."""
        assert codes("name: 123\nlicense: x\ndescription: a: b\n") == ["KS110", "KS108", "KS105"]

    def test_deep_brackets_end_the_reading(self) -> None:
        """Beyond eight levels nothing is read on."""
        assert codes("name: a\ndescription: " + "[" * 8 + "]" * 8 + "\nx: y\n") == ["KS111", "KS108"]
        assert codes("name: a\ndescription: " + "[" * 9 + "]" * 9 + "\nx: y\n") == ["KS111"]
        assert codes("[" * 9) == ["KS104"]

    def test_endless_nesting_ends_the_reading(self) -> None:
        """What is passed over is bounded too."""
        assert codes("x: [" + "a, " * 1000 + "]\ny: z\n") == ["KS108"]


class TestCharacters:
    """What YAML may not see."""

    @pytest.mark.parametrize(
        ("char", "code"),
        [
            ("\x00", "KS118"),
            ("\x0c", "KS118"),
            ("\x7f", "KS116"),
            ("\x85", "KS116"),
            ("\u2028", "KS116"),
            ("\ufeff", "KS116"),
            ("\uffff", "KS116"),
            ("\ud800", "KS116"),
        ],
    )
    def test_it_is_told_and_the_rest_is_read(self, char: str, code: str) -> None:
        """Each such character once, and the other faults of the text."""
        assert [each[:3] for each in told(f"name: a\ndescription: x{char}y{char}\nlicense: z\n")] == [
            (code, 3, 15),
            ("KS108", 4, 1),
        ]

    def test_each_kind_is_told(self) -> None:
        """Different ones have a finding each."""
        assert codes("name: a\ndescription: x\x00\x01\n") == ["KS118", "KS118"]


class TestComments:
    @pytest.mark.parametrize(
        ("text", "column", "cut"),
        [("Use #1 first", 18, "#1 first"), ("Use   # x", 20, "# x"), ("Use #", 18, "#")],
    )
    def test_a_comment_that_cuts_a_description(self, text: str, column: int, cut: str) -> None:
        """It may be meant, so it is advice; the fix keeps the whole line."""
        (found,) = parse(f"name: a\ndescription: {text}\n").findings
        assert (found.code, found.severity, found.line, found.column) == ("KS508", "warning", 3, column)
        assert f"`{cut}`" in found.message
        assert found.fix == f'write `description: "{" ".join(text.split())}"`'

    @pytest.mark.parametrize("text", ['name: a # c\ndescription: "x" # c\n', "name: a\ndescription: > # c\n  x # y\n"])
    def test_comments_that_cut_nothing(self, text: str) -> None:
        """After a name, a quoted value or a block's sign a comment is a comment."""
        assert codes(text) == []


class TestQuickWay:
    """The canonical two lines are read by one expression, and exactly as ruamel reads them."""

    @pytest.mark.parametrize(
        "text",
        [
            'name: "deploy"\ndescription: "Use when x: y # z, it\'s \\"so\\" \\\\"\n',
            "name: deploy\ndescription: Use when a change - 'x', \"y\" - is reviewed (twice) [or more]!\n",
            "name: deploy\ndescription: 'Use when: it''s so'\n",
            "name: on\ndescription: nullify\n",
            "description: Use when x  \nname: deploy \n",
            "name: 'deploy'\r\ndescription: \"Use when: x\"  \r\n",
            "description: Use when x \r\nname: deploy\n",
        ],
    )
    def test_what_most_skills_look_like(self, text: str) -> None:
        """It goes the quick way, and ruamel agrees."""
        assert canonical(text)
        assert dict(zip(("name", "description"), values(parse(text)), strict=True)) == dict(load(text))
        assert parse(text) == slowly(text)

    @settings(max_examples=examples(600), suppress_health_check=[HealthCheck.filter_too_much])
    @given(CANONICAL)
    def test_it_is_exact(self, text: str) -> None:
        """Where it answers, a full load by ruamel gives the same two texts, and the events the same places."""
        assume(canonical(text))
        found = parse(text)
        assert found.findings == ()
        assert dict(zip(("name", "description"), values(found), strict=True)) == dict(load(text))
        assert found == slowly(text)

    @pytest.mark.property
    @pytest.mark.parametrize("quote", ['"', "'", ""])
    def test_every_character_it_takes_is_read_alike(self, quote: str) -> None:
        """All of Unicode, some thousand characters at a time."""
        for first in range(0, sys.maxunicode + 1, 4096):
            inside = "".join(
                char
                for char in map(chr, range(first, first + 4096))
                if canonical(f"name: a\ndescription: {quote}a{char}a{quote}\n")
            )
            text = f"name: a\ndescription: {quote}a{inside}a{quote}\n"
            assert not inside or canonical(text)
            assert values(parse(text)) == (load(text)["name"], load(text)["description"])


def load(text: str) -> dict[str, object]:
    """What ruamel makes of the text when it constructs objects from it."""
    loaded: dict[str, object] = YAML(typ="safe", pure=True).load(text)
    return loaded


def as_ruamel_has_it(text: str) -> str:
    """The text with a space for each tab that does not begin a line: ruamel refuses tabs that YAML 1.2 allows."""
    return re.sub(r"(?m)(?<=\S)[ \t]+|^[ \t]+$", lambda white: " " * len(white[0]), text)


def slowly(text: str) -> Frontmatter:
    """The text read as events."""
    return frontmatter._Reading(Draft(text), "SKILL.md", 2).result()


@pytest.mark.parametrize(
    ("text", "line"), [("name: a\ndescription: >\n  \n\n   \n", 7), ("description: |\n \n  \nname: a\n", 5)]
)
def test_empty_lines_of_a_block_that_are_indented_more_are_told(text: str, line: int) -> None:
    """Where YAML's own reader says what is wrong, and not where."""
    told = [(each.code, each.line) for each in parse(text).findings]
    assert told == [("KS104", line)]


class TestAnyText:
    @settings(max_examples=examples(2000))
    @given(TEXTS)
    def test_it_is_read_or_refused(self, text: str) -> None:
        """Nothing is ever raised; both fields are there, or something says why not."""
        found = parse(text, folder="deploy")
        faults = [each for each in found.findings if each.severity == "error"]
        assert faults or (found.name is not None and found.description is not None)
        assert len(found.findings) <= 65

    @given(TEXTS)
    def test_findings_have_places_in_the_file(self, text: str) -> None:
        """Sorted; no line is above the fence or below the text, no column beyond its line; all can be printed."""
        assume("\r" not in text.replace("\r\n", ""))
        lines = ["---", *text.split("\n")]
        found = parse(text).findings
        assert list(found) == sorted(found, key=lambda each: (each.line, each.column, each.code))
        for each in found:
            assert 1 <= each.line <= len(lines)
            assert 1 <= each.column <= len(lines[each.line - 1]) + 1
            assert (each.message + each.fix).encode()
            assert "\n" not in each.message + each.fix

    @settings(max_examples=examples(500))
    @given(DOCUMENTS)
    def test_what_is_accepted_is_what_ruamel_loads(self, text: str) -> None:
        """Where there is no fault, a full load gives a mapping of just these two texts."""
        found = parse(text)
        assume(not [each for each in found.findings if each.severity == "error"])
        loaded = load(as_ruamel_has_it(text))
        name, description = values(found)
        assert (name, description) == (str(loaded["name"]).removesuffix("\n"), loaded["description"])
        assert len(loaded) == 2

    @settings(max_examples=examples(2000))
    @given(VALUES, st.sampled_from(["", "\n  ", "\n\n "]), VALUES)
    def test_the_line_to_write_is_right(self, value: str, between: str, more: str) -> None:
        """Putting the advised line in place of the value's lines leaves nothing to find in it."""
        self.follow("description", f"{value}{between}{more}", 'name: "a"', "a")

    @settings(max_examples=examples(2000))
    @given(VALUES, st.sampled_from(["", "\n  ", "\n\n "]), VALUES, st.sampled_from(["a", "1", "null", "A!"]))
    def test_the_name_to_write_is_right(self, value: str, between: str, more: str, folder: str) -> None:
        """So it is for a name: the folder's where that is one, and then the advice is there for every fault in it."""
        found = self.follow("name", f"{value}{between}{more}", "description: x", folder)
        if folder != "A!":
            assert all(each.fix == f'write `name: "{folder}"`' for each in found if each.code in ("KS110", "KS111"))

    @settings(max_examples=examples(500))
    @given(VALUES, st.sampled_from(["", "\n  "]), VALUES)
    def test_the_line_with_a_space_is_right(self, value: str, between: str, more: str) -> None:
        """So it is for a field that lacked the space after its colon."""
        self.follow("description", f"x{value}{between}{more}", 'name: "a"', "a", colon=":")

    def follow(self, field: str, value: str, other: str, folder: str, colon: str = ": ") -> list[Finding]:
        """Follow each advice to write the field; what was found in the first place."""
        text = f"{field}{colon}{value}\n{other}\n"
        found = [each for each in parse(text, folder=folder).findings if each.line <= text.count("\n")]
        for each in found:
            if written := re.fullmatch(rf"write `({field}: .*)`", each.fix):
                _, left = examine(f"---\n{written[1]}\n{other}\n---\nx\n".encode(), folder)
                assert [fault for fault in faults_of(left) if fault.code != "KS202"] == [], each
                assert folder == "A!" or left == (), each
        return found


HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: "[" * n,
    "braces": lambda n: "description: " + "{" * n,
    "keys": lambda n: "".join(f"k{i}: v\n" for i in range(n // 8)),
    "quotes": lambda n: "description: " + "\"'" * (n // 2),
    "question marks": lambda n: "? " * (n // 2),
    "hyphens": lambda n: "description:\n " + "- " * (n // 2),
    "anchors": lambda n: "&a " * (n // 3),
    "tags": lambda n: "!" * n,
    "escapes": lambda n: 'name: "' + "\\x41" * (n // 4) + '"',
    "folded lines": lambda n: "description: >\n" + " a\n" * (n // 3),
    "wrapped lines": lambda n: "description: a\n" + " a\n" * (n // 3),
    "empty lines": lambda n: "\n" * n,
    "comments": lambda n: "#\n" * (n // 2),
    "spaces": lambda n: "description: a" + " " * n + "b",
    "colons": lambda n: "a:" * (n // 2),
    "pairs": lambda n: "description: {" + "a: b," * (n // 5) + "}",
    "private use": lambda n: "description: " + "\ue000a" * (n // 2),
    "separators": lambda n: "description: " + "\u2028" * n,
    "plain": lambda n: "name: a\ndescription: " + "a " * (n // 2) + "\n",
}


def least_seconds(text: str) -> float:
    """Of this process; the shortest of several readings."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        parse(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("shape", HOSTILE)
def test_four_times_the_text_costs_at_most_six_times_the_time(shape: str) -> None:
    """Whatever is written, reading is linear; half a millisecond is let pass for what does not depend on the text.

    The second try is for a machine that was busy at the first.
    """
    small, large = HOSTILE[shape](2048), HOSTILE[shape](8192)
    assert any(least_seconds(large) <= 6 * (least_seconds(small) + 0.0005) for _ in range(3))


@pytest.mark.parametrize("text", ["name: a\ndescription: @x\n", "- a\n", "name: deploy # c\ndescription: x\n"])
def test_an_interrupt_is_not_lost(text: str) -> None:
    """However the reading ends, the parser is closed by it, and not when it is freed, where nothing can be raised."""

    def interrupt(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == "dispose":
            sys.setprofile(None)
            raise KeyboardInterrupt

    parse(text)  # ruamel is imported
    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            parse(text)
    finally:
        sys.setprofile(None)


def test_the_file_and_its_first_line_can_be_named() -> None:
    """Findings speak of the file that they are told of."""
    (found,) = parse("name: a\n", file="x/SKILL.md", first_line=10).findings
    assert (found.file, found.line) == ("x/SKILL.md", 9)
    assert isinstance(found, Finding)
