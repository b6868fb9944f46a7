"""What to write instead of a line that cannot be read: the parts that a whole frontmatter does not show."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.diagnosis import Draft, Entry

LINES = st.lists(
    st.sampled_from(["name: a", "description: b c", "description:", " d", "\te", "", "# f", "x: y", "- z", "name:a"]),
    max_size=8,
).map("\n".join)


class TestEntryAt:
    @pytest.mark.parametrize(
        ("text", "at", "entry"),
        [
            ("name: a\n", 0, Entry("name", "a", 6)),
            ("name:\ta\n", 6, Entry("name", "a", 6)),
            ("name : a\n", 8, Entry("name", "a", 7)),
            ("x: y\ndescription: b\n  c\n\n  d\nname: a\n", 21, Entry("description", "b c d", 18)),
            ("description: b\n# c\n  d\n", 20, Entry("description", "b", 13)),
            ("description: b\r\n  c\r\n", 18, Entry("description", "b c", 13)),
            ("description: b\r\n\r\n  c\r\n", 20, Entry("description", "b c", 13)),
            ("description:\r\n  c\r\n", 15, Entry("description", "c", 13)),
            ("name: a\nx: y\n", 9, None),
            ("name:a\n", 5, None),
            ("", 0, None),
        ],
    )
    def test_a_field_has_the_lines_below_it(self, text: str, at: int, entry: Entry | None) -> None:
        """Its own line, and the indented and empty ones below, as one."""
        assert Draft(text).entry_at(at) == entry

    @given(LINES, st.integers(0, 60))
    def test_an_entry_begins_before_what_lies_in_it(self, text: str, at: int) -> None:
        """Its value begins in the line of the offset or above, and is one line."""
        entry = Draft(text).entry_at(min(at, len(text)))
        assert entry is None or (
            "\n" not in entry.value and text.count("\n", 0, entry.at - 1) <= text.count("\n", 0, at)
        )


class TestLineToWrite:
    @given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
    def test_it_says_the_value(self, value: str) -> None:
        """What stands behind the field is the value as JSON, without the characters that nobody sees."""
        written = Draft("").line_to_write("description", value)
        if value.isascii() and value.isprintable() and value.strip():
            assert json.loads(written.removeprefix("write `description: ").removesuffix("`")) == value

    @pytest.mark.parametrize(
        ("field", "value", "folder", "advice"),
        [
            ("description", "a\u200bb", "", 'write `description: "ab"`'),
            ("description", "\u200b ", "", "say in one line when to use the skill"),
            ("description", "a" * 1024, "", f'write `description: "{"a" * 1024}"`'),
            ("name", "x y", "deploy", 'write `name: "deploy"`'),
            ("name", "xy", "", 'write `name: "xy"`'),
            ("name", "aux", "aux", rules.BAD_NAME.fix),
        ],
    )
    def test_it_is_a_line_that_is_read(self, field: str, value: str, folder: str, advice: str) -> None:
        """Nothing hidden, nothing empty, and no name but a legal one."""
        assert Draft("", folder).line_to_write(field, value) == advice


class TestMended:
    @pytest.mark.parametrize(
        ("value", "meant"),
        [
            ("@a", "@a"),
            ("!!str 12", "12"),
            ("!a b", "!a b"),
            ("> a b", "a b"),
            ("|- a", "a"),
            (">a", ">a"),
            ("'it's'", "it's"),
            ("'a ''b'' c'd'", "a 'b' c'd"),
            ("'the users' guide'", "'the users' guide'"),
            ('"a \\"b" c"', 'a "b" c'),
            ("'", "'"),
        ],
    )
    def test_what_was_meant(self, value: str, meant: str) -> None:
        """Signs of blocks and types go, and so do quotes that hold the whole value."""
        assert Draft("").mended(Entry("description", value, 13)) == f"write `description: {json.dumps(meant)}`"


class TestDiagnose:
    def test_what_nothing_explains_keeps_the_words_of_yaml(self) -> None:
        """Inside a value and outside of any."""
        inside = Draft("name: a b\n", "ab").diagnose("it is odd", 8, 8)
        assert (inside.message, inside.at, inside.advice) == ("this is not YAML: it is odd", 8, 'write `name: "ab"`')
        outside = Draft("x y\n").diagnose("it is odd", 2, 2)
        assert (outside.message, outside.advice) == (
            "this is not YAML: it is odd",
            "write nothing here but `name: …` and `description: …`",
        )
