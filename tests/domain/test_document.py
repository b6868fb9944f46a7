"""Whole files: fences, bytes, and everything that is wrong told at once."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.document import Head, SkillDocument, examine, parse, render
from kestrel_skills_core.domain.errors import BadDocument
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.rules import BAD_NAME
from kestrel_skills_core.domain.text import FLAGS
from tests.examples import examples

FIELDS = "name: deploy\ndescription: Use it.\n"
RIGHT = f"---\n{FIELDS}---\nDo it.\n"
SCRAPS = st.sampled_from(
    [
        "---",
        "---\n",
        "--- \t\n",
        "----\n",
        " ---\n",
        "---\r\n",
        "---\r",
        "\n",
        "\r\n",
        "\r",
        "name: deploy\n",
        "name: x\n",
        "description: Use it.\n",
        "description: a: b\n",
        "license: x\n",
        "\ufeff",
        "\x00",
        "\x0c",
        "Do it.\n",
        "\u200b",
        "- a\n",
        "é",
    ]
)
RAW = st.binary(max_size=60) | st.lists(
    SCRAPS.map(str.encode) | st.sampled_from([b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3"]), max_size=14
).map(b"".join)
NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,8}x", fullmatch=True)
DESCRIPTIONS = (
    st.text(
        st.characters(
            categories=["L", "Nd", "P", "Sm", "Sc", "So"], exclude_characters="\u115f\u1160\u2800\u3164\uffa0"
        )
    )
    .filter(str.strip)
    .map(lambda text: text[:200])
)
BODIES = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\t\n\f"), min_size=1).filter(
    str.strip
)

# What may stand in each part of a file that a glance might take; it may not pass over what follows the first of each.
NAMES_TO_SEE = ["deploy", '"deploy"', "'deploy'", "con", "null", "Deploy", "release", "deploy ", "dep\rloy"]
DESCRIPTIONS_TO_SEE = [
    "Use it.", '"Use \\"it\\": \\\\"', "'It''s é'", "e" * 500, "e" * 501, "e" * 1025, '""', '"a  b"', '" a"', '"a "',
    "a: b", "a#", "a #b", "true", "a\xa0b", "a\u200bb", "a\u200db", "\u0645\u200c\u062e", "a\u0378b", "a\ufe0f",
    "a\x7fb",
]  # fmt: skip
REST_TO_SEE = ["", "license: MIT\n", "\n", "# c\n", "-", "--\n"]
BODIES_TO_SEE = [
    "Do it.\n", "", " \n\t\f", "\u3000", "x\n" * 500, "x\n" * 501, "a\r\nb", "a\rb", "\x01", "a\x1f", "\x0b", "\x7f é",
    "---\n",
]  # fmt: skip
SHORT = st.text(st.sampled_from("ab: '\"\\\n\r\t\x00\u200b\u200d\u0645\U0001f468\ufe0f"), max_size=5)
PARTS_TO_SEE = (NAMES_TO_SEE, DESCRIPTIONS_TO_SEE, REST_TO_SEE, BODIES_TO_SEE)
WITH_ONE_TO_SEE = [
    [*(part[0] for part in PARTS_TO_SEE[:at]), odd, *(part[0] for part in PARTS_TO_SEE[at + 1 :])]
    for at, part in enumerate(PARTS_TO_SEE)
    for odd in part
]


def codes(content: bytes | str, folder: str = "deploy") -> list[str]:
    """The codes of the findings, in order."""
    content = content.encode() if isinstance(content, str) else content
    return [found.code for found in examine(content, folder)[1]]


def told(content: bytes | str, folder: str = "deploy") -> list[tuple[str, int, int, str]]:
    """Code, line, column and fix of the findings, in order."""
    content = content.encode() if isinstance(content, str) else content
    return [(found.code, found.line, found.column, found.fix) for found in examine(content, folder)[1]]


class TestParse:
    def test_a_skill(self) -> None:
        """Head, body from the line below the fence, and that line's number."""
        assert parse(RIGHT.encode(), "deploy") == SkillDocument(
            Head(SkillName("deploy"), "Use it."), "Do it.\n", body_line=5, advice=()
        )

    def test_advice_does_not_refuse(self) -> None:
        """A byte order mark is told, and the skill is read."""
        document = parse(b"\xef\xbb\xbf" + RIGHT.encode(), "deploy")
        assert [found.code for found in document.advice] == ["KS505"]

    def test_a_refusal_has_every_fault_and_no_advice(self) -> None:
        """In reading order, with the place and the fix of the first."""
        content = b"\xef\xbb\xbf" + RIGHT.replace("deploy", "Deploy!").replace("Use it.", "").encode()
        with pytest.raises(BadDocument) as refused:
            parse(content, "deploy")
        assert [found.code for found in refused.value.faults] == ["KS201", "KS202", "KS114"]
        assert (refused.value.line, refused.value.column, refused.value.fix) == (2, 7, 'write `name: "deploy"`')

    def test_a_refusal_names_the_folder_safely(self) -> None:
        """Whatever the folder is called."""
        with pytest.raises(BadDocument) as refused:
            parse(b"", "a\x1b[31m" + "b" * 200)
        assert refused.value.name == "a\\x1b[31m" + "b" * 74


class TestBytes:
    """T3: marks, line ends and the shape of the closing fence."""

    MARKS = ("", "\ufeff", "\ufeff\ufeff")
    ENDS: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("lf", lambda text: text),
        ("crlf", lambda text: text.replace("\n", "\r\n")),
        ("mixed", lambda text: text.replace("deploy\n", "deploy\r\n")),
        ("cr", lambda text: text.replace("\n", "\r")),
    )
    CLOSINGS = ("---\nDo it.\n", "---", "--- \t \nDo it.\n", "Do it.\n")

    @pytest.mark.parametrize(("mark", "end", "closing"), [*itertools.product(MARKS, ENDS, CLOSINGS)])
    def test_each_combination(self, mark: str, end: tuple[str, Callable[[str], str]], closing: str) -> None:
        """The head is the same with one mark at most, line feeds, a closing fence and a body; else a fault says why."""
        kind, spell = end
        head, findings = examine((mark + spell(f"---\n{FIELDS}{closing}")).encode(), "deploy")
        found = {each.code for each in findings}
        if kind == "cr":
            assert "KS119" in found
            assert head is None
        elif len(mark) == 2:
            assert "KS101" in found
            assert head is None
        elif "---" not in closing:
            assert "KS102" in found
        elif closing == "---":
            assert "KS117" in found
        else:
            assert head == Head(SkillName("deploy"), "Use it.")
        assert ("KS505" in found) == bool(mark)

    def test_no_two_of_them_are_the_same_bytes(self) -> None:
        """What is read alike is still told apart by its digest."""
        files = [
            (mark + spell(f"---\n{FIELDS}{closing}")).encode()
            for mark, (_, spell), closing in itertools.product(self.MARKS, self.ENDS, self.CLOSINGS)
        ]
        assert len({hashlib.sha256(content).hexdigest() for content in files}) == 48

    def test_line_ends_of_the_body_are_kept(self) -> None:
        """Byte for byte, mixed as they are."""
        document = parse(RIGHT.replace("---\nDo it.\n", "---\r\n\nDo\r\nit.\n \t\f").encode(), "deploy")
        assert document.body == "\nDo\r\nit.\n \t\f"

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            (b"", ("KS101", 1, 1)),
            (b"# Deploy\n", ("KS101", 1, 1)),
            (b"--- x\n---\n", ("KS101", 1, 1)),
            (b"---", ("KS102", 1, 1)),
            (b"---\nname: deploy\n", ("KS102", 1, 1)),
            (b"---\nname: deploy\n ---\nx\n", ("KS102", 3, 1)),
            (b"---\nname: deploy\n----\nx\n", ("KS102", 3, 1)),
            (b"---\nname: deploy\n--- x\nx\n", ("KS102", 3, 1)),
            (b"---\nname: \xff\n---\n", ("KS120", 2, 7)),
            ("---\nname: é".encode() + b"\xff\n---\n", ("KS120", 2, 8)),
            (b"\xff\xfe-\0-\0-\0", ("KS120", 1, 1)),
            (b"x" * 262_145, ("KS305", 0, 0)),
        ],
    )
    def test_what_cannot_be_split(self, content: bytes, expected: tuple[str, int, int]) -> None:
        """One fault, with its place in lines and characters."""
        assert [each[:3] for each in told(content)] == [expected]

    def test_utf16_is_known(self) -> None:
        """The fix says what the file looks like."""
        assert told(RIGHT.encode("utf-16"))[0][3] == "save the file as UTF-8: it looks like UTF-16"

    def test_a_second_mark_is_told_as_such(self) -> None:
        """And the rest of the file is judged."""
        content = "\ufeff\ufeff" + RIGHT.replace("Use it.", "")
        assert [each[0] for each in told(content)] == ["KS101", "KS505", "KS114"]
        assert (
            examine(content.encode(), "deploy")[1][0].message == "a second byte order mark stands before the first line"
        )

    @pytest.mark.parametrize("before", ["\n", "\n\n", " \n", "\r\n", " "])
    def test_empty_lines_before_the_fence(self, before: str) -> None:
        """They are the one fault, and what is below keeps its line."""
        assert told(before + RIGHT) == [("KS101", 1, 1, "remove what stands before the `---`")]
        lines = before.count("\n")
        assert [each[:2] for each in told(before + RIGHT.replace("Use it.", ""))] == [
            ("KS101", 1),
            ("KS114", 3 + lines),
        ]

    def test_a_missing_field_is_told_at_the_fence(self) -> None:
        """Wherever the fence is."""
        assert [each[:2] for each in told("\n---\nname: deploy\n---\nx\n")] == [("KS101", 1), ("KS107", 2)]

    def test_the_largest_file(self) -> None:
        """256 KiB to the byte are a skill, one more is not."""
        full = RIGHT.encode().ljust(262_144, b"x")
        assert codes(full) == []
        assert codes(full + b"x") == ["KS305"]

    def test_the_longest_frontmatter(self) -> None:
        """8 KiB to the byte are read, one more is not, and it is counted in bytes."""
        room = 8192 - len(FIELDS)
        assert codes(f"---\n{FIELDS}#{'x' * (room - 2)}\n---\nDo it.\n") == []
        assert told(f"---\n{FIELDS}#{'x' * (room - 1)}\n---\nDo it.\n")[0][:3] == ("KS103", 2, 1)
        assert codes(f"---\n{FIELDS}#{'é' * (room // 2)}\n---\nDo it.\n") == ["KS103"]

    @pytest.mark.parametrize("code", [code for code in range(32) if chr(code) not in "\t\n\f\r"])
    @pytest.mark.parametrize("place", ["fields", "body"])
    def test_controls(self, code: int, place: str) -> None:
        """Every C0 control but four is refused, once, wherever it stands."""
        content = RIGHT.replace("Use" if place == "fields" else "Do", f"U{chr(code)}")
        assert codes(content) == ["KS118"]

    def test_many_controls_are_one_fault(self) -> None:
        """The first has the place, and the others are counted."""
        (found,) = examine((RIGHT + "\x01\n\x02\x03").encode(), "deploy")[1]
        assert (found.line, found.column, found.message) == (6, 1, "the control character U+0001, and 2 more")

    def test_lone_returns_are_one_fault(self) -> None:
        """The first has the place, and the others are counted."""
        (found,) = examine((RIGHT + "a\rb\r\nc\r").encode(), "deploy")[1]
        assert (found.code, found.line, found.column) == ("KS119", 6, 2)
        assert found.message == "a carriage return without a line feed, and 1 more"

    def test_a_lone_return_in_the_fields_ends_their_reading(self) -> None:
        """YAML would take it for a line end; the body is judged all the same."""
        assert codes("---\nname: x\rdescription: y\n---\n") == ["KS119", "KS117"]


class TestFences:
    """T4: three hyphens are a fence as a whole line only."""

    def test_hyphens_in_a_description(self) -> None:
        """The description is whole."""
        head, findings = examine(RIGHT.replace("Use it.", "a --- b").encode(), "deploy")
        assert (head, findings) == (Head(SkillName("deploy"), "a --- b"), ())

    def test_hyphens_in_a_body(self) -> None:
        """A body that begins like a fence, and holds rules and a frontmatter of its own, is whole."""
        body = "---\n\nText\n\n---\n\n```yaml\n---\nname: other\ndescription: x\n---\n```\n"
        document = parse(f"---\n{FIELDS}---\n{body}".encode(), "deploy")
        assert (document.head.name, document.body) == ("deploy", body)

    @pytest.mark.parametrize("opening", ["---", "--- ", "---\t", "--- \t "])
    @pytest.mark.parametrize("closing", ["---", "--- ", "---\t\t"])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_blanks_after_a_fence(self, opening: str, closing: str, end: str) -> None:
        """Spaces and tabs are accepted on both."""
        document = parse(f"{opening}{end}{FIELDS}{closing}{end}Do it.".encode(), "deploy")
        assert document.body == "Do it."

    @pytest.mark.parametrize("body", ["", "\n", " \n\t\n\f", "\r\n\u3000"])
    def test_an_empty_body(self, body: str) -> None:
        """White space is no procedure; the fault is told at the closing fence."""
        assert told(f"---\n{FIELDS}---\n{body}") == [("KS117", 4, 1, "write the procedure below the frontmatter")]

    def test_no_body_at_the_very_end(self) -> None:
        """Nor is nothing at all behind the fence."""
        assert codes(f"---\n{FIELDS}---") == ["KS117"]


class TestName:
    @pytest.mark.parametrize(
        ("name", "folder", "expected"),
        [
            ("release", "deploy", [("KS202", 'write `name: "deploy"`, or rename the folder to `release`')]),
            ("release", "Deploy", [("KS202", "rename the folder to `release`")]),
            ("Deploy", "deploy", [("KS201", 'write `name: "deploy"`'), ("KS202", 'write `name: "deploy"`')]),
            ("a b", "a b", [("KS201", BAD_NAME.fix)]),
            ("Bar", "Foo", [
                ("KS201", BAD_NAME.fix),
                ("KS202", "give the folder and the field the same name"),
            ]),
            ("con", "con", [("KS203", "choose another name")]),
            ("con", "deploy", [("KS203", 'write `name: "deploy"`'), ("KS202", 'write `name: "deploy"`')]),
        ],
    )  # fmt: skip
    def test_a_wrong_name(self, name: str, folder: str, expected: list[tuple[str, str]]) -> None:
        """Pattern and folder are two faults; the fix says what to write where the folder's name is legal."""
        found = examine(RIGHT.replace("deploy", name).encode(), folder)[1]
        assert sorted((each.code, each.fix) for each in found) == sorted(expected)
        assert {(each.line, each.column) for each in found} == {(2, 7)}

    @pytest.mark.parametrize(
        "name", ["..", "../x", "/abs", "a/b", "C:x", "x.", '"x "', '"x\\0"', "é", "A", "-", "a-", "x" * 65]
    )
    def test_names_that_do_not_travel(self, name: str) -> None:
        """T7: none of them is a name, in any folder."""
        head, findings = examine(RIGHT.replace("deploy", name).encode(), "deploy")
        assert head is None
        assert "KS201" in {each.code for each in findings} or name == "-"

    @pytest.mark.parametrize("name", ["on", "yes", "no", "y", "off"])
    def test_words_are_names(self, name: str) -> None:
        """What YAML 1.1 took for a truth value is a name."""
        assert codes(RIGHT.replace("deploy", name), name) == []


class TestDescription:
    @pytest.mark.parametrize(
        "spelt",
        [
            ">\n  One two.\n  It's three.\n",
            ">-\n  One two.\n  It's three.\n",
            "|\n  One two.\n  It's three.\n",
            "|+\n  One two.\n  It's three.\n\n\n",
            "One two.\n  It's three.\n",
            '"One two.\\nIt\'s three."\n',
            "'One two. It''s three.'\n",
        ],
    )
    def test_every_style_is_one_line(self, spelt: str) -> None:
        """The same words in the same order, on one line, and nothing to find."""
        content = f"---\nname: deploy\ndescription: {spelt}---\nDo it.\n"
        assert examine(content.encode(), "deploy") == (Head(SkillName("deploy"), "One two. It's three."), ())

    @pytest.mark.parametrize(
        ("length", "found"), [(1, []), (500, []), (501, ["KS509"]), (1024, ["KS509"]), (1025, ["KS115"])]
    )
    def test_lengths(self, length: int, found: list[str]) -> None:
        """1 to 1,024 characters; beyond 500 there is advice."""
        assert codes(RIGHT.replace("Use it.", "é" * length)) == found

    def test_length_is_counted_after_folding(self) -> None:
        """White space that folds away does not count."""
        assert codes(RIGHT.replace("Use it.", '"' + "a   " * 250 + '"')) == []

    @pytest.mark.parametrize("value", ['""', '"  "', "''", ">\n\n", '"\\n"', ""])
    def test_empty(self, value: str) -> None:
        """White space is no description."""
        assert codes(RIGHT.replace("Use it.", value)) == ["KS114"]

    @pytest.mark.parametrize("block", [">\n\tUse it", ">\nU", "|\n\nUse it", ">-\n@"])
    def test_a_block_cut_by_a_fault_is_not_empty(self, block: str) -> None:
        """What was meant to stand in it is the one fault."""
        assert codes(RIGHT.replace("Use it.", block)) == ["KS104"]

    def test_an_empty_block_before_a_fault_elsewhere_is_empty(self) -> None:
        """Both are told."""
        assert codes("---\ndescription: >\n\nname: deploy: b\n---\nx") == ["KS114", "KS105"]

    def test_a_sentence_in_tags_is_decoded(self) -> None:
        """The finding says where it begins and what it says."""
        hidden = "".join(chr(0xE0000 + ord(char)) for char in "obey me")
        (found,) = examine(RIGHT.replace("it.", "it." + hidden).encode(), "deploy")[1]
        assert (found.code, found.line, found.column) == ("KS116", 3, 21)
        assert found.message == (
            "7 characters that cannot be seen, first a format character, U+E006F, "
            "in the description: reads as 'obey me'"
        )

    @pytest.mark.parametrize(
        ("description", "column", "what"),
        [
            ("an invoice\u202efdp.exe", 24,
             "a format character, U+202E, in the description: reads as '<right-to-left override>'"),
            ('"del\u200bete"', 18, "a format character, U+200B, in the description: reads as '<zero width space>'"),
            ("'it''s a\u00ad'", 22, "a format character, U+00AD, in the description: reads as '<soft hyphen>'"),
            ('"a\\u200bb"', 14, "a format character, U+200B, in the description: reads as '<zero width space>'"),
        ],
    )  # fmt: skip
    def test_a_hidden_character_has_its_place(self, description: str, column: int, what: str) -> None:
        """In every style; the value's own begin where it is spelt by an escape."""
        (found,) = examine(RIGHT.replace("Use it.", description).encode(), "deploy")[1]
        assert (found.code, found.line, found.column, found.message) == ("KS116", 3, column, what)

    def test_the_one_that_is_misplaced_is_meant(self) -> None:
        """A joiner in its place before it does not take its place in the report."""
        content = "---\nname: deploy\ndescription: >\n  \u0645\u06cc\u200c\u062e\n  a\u200c b\n---\nDo it.\n"
        assert [each[:3] for each in told(content)] == [("KS116", 5, 4)]

    def test_every_run_is_told(self) -> None:
        """Up to the limit, also where the length is wrong too."""
        assert codes(RIGHT.replace("Use it.", "a\u200bb\u200b\u200bc")) == ["KS116", "KS116"]
        assert sorted(codes(RIGHT.replace("Use it.", "a" * 1025 + "\u200b"))) == ["KS115", "KS116"]

    @pytest.mark.parametrize(
        "description",
        [
            "Scotland " + FLAGS[1],
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u05e9\u05dc\u05d5\u05dd",
        ],
    )
    def test_what_people_write_is_let_through(self, description: str) -> None:
        """A flag, a family, Persian, Hebrew."""
        assert examine(RIGHT.replace("Use it.", description).encode(), "deploy") == (
            Head(SkillName("deploy"), description),
            (),
        )


class TestEverythingAtOnce:
    def test_faults_of_every_part(self) -> None:
        """Fields, name, description and body are told together, in reading order."""
        content = "---\nname: Release\nlicense: MIT\ndescription: a\u200bb\n---\n \n\x01\r\n"
        assert [each[:2] for each in told(content)] == [
            ("KS201", 2), ("KS202", 2), ("KS108", 3), ("KS116", 4), ("KS118", 7),
        ]  # fmt: skip

    def test_a_fault_of_syntax_hides_neither_the_body_nor_what_came_before(self) -> None:
        """Reading stops there, and everything else is told."""
        assert codes("---\nlicense: MIT\nname: release\ndescription: a: b\n---\n") == [
            "KS108",
            "KS202",
            "KS105",
            "KS117",
        ]

    def test_at_most_sixty_four_are_shown(self) -> None:
        """The last one says that there are more."""
        content = "---\n" + "".join(f"k{n}: v\n" for n in range(200)) + "---\n"
        findings = examine(content.encode(), "deploy")[1]
        assert len(findings) == 64
        assert [found.message.endswith("; more was found than is shown") for found in findings] == [False] * 63 + [True]

    def test_a_long_body_is_advice(self) -> None:
        """More than 500 lines are told at the body's first."""
        assert codes(RIGHT + "x\n" * 499) == []
        assert [each[:3] for each in told(RIGHT + "x\n" * 500)] == [("KS507", 5, 1)]


class TestRender:
    def test_the_form_of_the_first_release(self) -> None:
        """Both values in double quotes, an empty line, the body, one line end."""
        assert render(SkillName("deploy"), 'Use "it".', "\nDo it.\n\n") == (
            b'---\nname: "deploy"\ndescription: "Use \\"it\\"."\n---\n\nDo it.\n'
        )

    @given(NAMES, DESCRIPTIONS, BODIES)
    def test_what_is_rendered_is_read_back(self, name: str, description: str, body: str) -> None:
        """Name, description and body are what they were, but for empty lines around the body."""
        document = parse(render(SkillName(name), description, body), name)
        assert document.head == Head(SkillName(name), description)
        assert document.body == "\n" + body.strip("\n") + "\n"
        assert document.body_line == 5

    @given(NAMES, DESCRIPTIONS, BODIES)
    def test_rendering_again_changes_nothing(self, name: str, description: str, body: str) -> None:
        """The canonical form of what was read from it is the same bytes."""
        content = render(SkillName(name), description, body)
        document = parse(content, name)
        assert render(document.head.name, document.head.description, document.body) == content


class TestAnyBytes:
    @settings(max_examples=examples(2000))
    @given(RAW)
    def test_they_are_a_document_or_refused(self, content: bytes) -> None:
        """Nothing else is raised, and reading and looking agree."""
        head, findings = examine(content, "deploy")
        faults = tuple(found for found in findings if found.severity == "error")
        assert (head is None) == bool(faults)
        if head is None:
            with pytest.raises(BadDocument) as refused:
                parse(content, "deploy")
            assert refused.value.faults == faults
        else:
            document = parse(content, "deploy")
            assert (document.head, document.advice) == (head, findings)
            assert content.endswith(document.body.encode())

    @given(RAW, st.text(max_size=8))
    def test_findings_have_places_in_the_file(self, content: bytes, folder: str) -> None:
        """Sorted, at most 64, within the lines and columns that there are, and safe to print."""
        findings = examine(content, folder)[1]
        lines = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
        assert list(findings) == sorted(findings, key=lambda each: (each.line, each.column, each.code))
        assert len(findings) <= 64
        for each in findings:
            assert each.file == "SKILL.md"
            assert 1 <= each.line <= len(lines)
            assert 1 <= each.column <= len(lines[each.line - 1]) + 1
            assert not set(each.message + each.fix) & set("\n\r\x1b\x00\u202e")

    @given(BODIES, st.sampled_from(["---\n", "---  \r\n", "---\t\n"]))
    def test_a_body_is_kept_to_the_byte(self, body: str, fence: str) -> None:
        """Whatever stands in it."""
        assert parse(f"---\n{FIELDS}{fence}{body}".encode(), "deploy").body == body

    @given(DESCRIPTIONS, st.sampled_from(["\ufeff", ""]), st.booleans())
    def test_marks_and_line_ends_change_no_head(self, description: str, mark: str, returns: bool) -> None:
        """A mark and CRLF are read past."""
        text = f"---\nname: deploy\ndescription: {json.dumps(description)}\n---\nDo it.\n"
        spelt = mark + (text.replace("\n", "\r\n") if returns else text)
        assert examine(spelt.encode(), "deploy")[0] == examine(text.encode(), "deploy")[0]


class TestGlance:
    """A canonical file is not looked at closely if there is nothing to find in it."""

    @pytest.mark.parametrize("parts", WITH_ONE_TO_SEE, ids=ascii)
    def test_it_passes_over_nothing(self, parts: Sequence[str]) -> None:
        """One thing to see at a time, in a folder of the right name and in one of that very name."""
        for folder in ("deploy", parts[0]):
            assert_glanced_as_seen_closely(parts, folder)

    @settings(max_examples=examples(600))
    @given(st.tuples(*map(st.sampled_from, PARTS_TO_SEE)) | st.tuples(*[SHORT] * 4))
    def test_it_sees_what_a_close_look_sees(self, parts: Sequence[str]) -> None:
        """Several things to see at once, or anything at all."""
        assert_glanced_as_seen_closely(parts, "deploy")

    def test_what_most_skills_look_like(self) -> None:
        """Head, procedure and its line are those of a close look."""
        glanced, closely = (parse(f"{fence}\n{FIELDS}---\n\nDo it.\n".encode(), "deploy") for fence in ("---", "--- "))
        assert glanced == closely == SkillDocument(Head(SkillName("deploy"), "Use it."), "\nDo it.\n", body_line=5)


def assert_glanced_as_seen_closely(parts: Sequence[str], folder: str) -> None:
    """A space behind the first fence changes nothing, but for calling for a close look."""
    name, description, rest, body = parts
    below = f"\nname: {name}\ndescription: {description}\n{rest}---\n{body}".encode()
    assert examine(b"---" + below, folder) == examine(b"--- " + below, folder)


BODILY = {
    "comments": "<!-- ",
    "brackets": "[",
    "backticks": "`",
    "fences": "---\n",
    "almost fences": "---        x\n",
    "returns": "\r",
    "line ends": "\r\n",
    "controls": "\x01",
    "hidden": "\u200ba",
    "one line": "a",
    "white": " ",
}


def least_seconds(content: bytes) -> float:
    """Of this process; the shortest of several looks."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        examine(content, "deploy")
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("shape", BODILY)
@pytest.mark.parametrize("before", [f"---\n{FIELDS}---\n", "---\n", ""], ids=["body", "unclosed", "no fence"])
def test_four_times_the_bytes_cost_at_most_six_times_the_time(shape: str, before: str) -> None:
    """Whatever is written, looking is linear; half a millisecond is let pass for what does not depend on the bytes.

    The second try is for a machine that was busy at the first.
    """
    small, large = (
        (before + BODILY[shape] * (size // len(BODILY[shape].encode()) - 20)).encode() for size in (65_536, 262_144)
    )
    assert any(least_seconds(large) <= 6 * (least_seconds(small) + 0.0005) for _ in range(3))
