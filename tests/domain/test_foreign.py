"""Reading the frontmatter of skills that were written for other readers."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.document import parse
from kestrel_skills_core.domain.errors import BadDocument
from kestrel_skills_core.domain.foreign import Entry, Foreign, opened
from tests.examples import examples

# What foreign frontmatter is made of, whole and broken.
PIECES = [
    "name: bird\n",
    "description: Use when it flies.\n",
    "description: Use: when\n",
    "description: >\n  Use\n  when\n",
    "allowed-tools: [a, b]\n",
    "metadata:\n  a: {b: c}\n",
    "'quoted key': 1\n",
    "x: &a y\n",
    "z: *a\n",
    "# a comment\n",
    "...\n",
    "%YAML 1.1\n",
    "\tx: y\n",
    "? [a]\n",
    "[",
    "}",
    '"',
    "|\n",
    "\r",
    "\x00",
    "é",
]
frontmatters = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=8).map("".join)


def fields(text: str) -> Foreign:
    """What is read of a text between two fences."""
    found = opened(f"---\n{text}---\nDo it.\n".encode())
    assert found is not None
    return found


class TestHead:
    @pytest.mark.parametrize(
        ("content", "head", "body"),
        [
            ("---\na: b\n---\nDo.\n", "---\na: b\n---\n", "Do.\n"),
            ("---\r\na: b\r\n---\r\nDo.\r\n", "---\r\na: b\r\n---\r\n", "Do.\r\n"),
            ("\ufeff---\na: b\n---\n", "\ufeff---\na: b\n---\n", ""),
            ("--- \t\na: b\n---  \nDo.", "--- \t\na: b\n---  \n", "Do."),
            ("\n \n---\na: b\n---\n---\n", "\n \n---\na: b\n---\n", "---\n"),
            ("---\n---", "---\n---", ""),
            ("---\na: b --- c\n---- d\n---\n\n", "---\na: b --- c\n---- d\n---\n", "\n"),
        ],
    )
    def test_it_ends_with_its_closing_fence(self, content: str, head: str, body: str) -> None:
        """The first whole line of three hyphens below the opening one, with its line end; the rest is the body."""
        found = opened(content.encode())
        assert found is not None
        assert (found.head, found.body) == (head, body.encode())

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"# No frontmatter\n",
            b"---\na: b\n",
            b"---\na: b\n----\n",
            b"--- a\n---\n",
            b"---\ra: b\r---\rDo.\r",
            b"---\na: \xff\n---\n",
            b"---\na: b\n---\nDo \xff.\n",
            b"---\na: " + b"x" * 8_189 + b"\n---\n",
            b"---" + b" " * 1_300 + b"\na: " + b"x" * 8_000 + b"\n---\n",
            b"\n" * 9_300 + b"---\na: b\n---\n",
        ],
        ids=lambda content: content[:12].decode("ascii", "replace"),
    )
    def test_what_has_no_head_that_could_be_kept(self, content: bytes) -> None:
        """Without two fences, or UTF-8, or with more between or before the fences than a record holds."""
        assert opened(content) is None

    def test_the_largest_head(self) -> None:
        """A frontmatter at its cap is read."""
        assert fields(f"a: {'x' * 8_188}\n").entries[0].value == "x" * 8_188

    def test_line_end_and_mark(self) -> None:
        """The line end of the opening fence, and one byte order mark however many there are."""
        found = opened("\ufeff\ufeff---\r\na: b\n---\n".encode())
        assert found is not None
        assert (found.eol, found.mark) == ("\r\n", "\ufeff")
        assert (fields("a: b\n").eol, fields("a: b\n").mark) == ("\n", "")


class TestFields:
    @pytest.mark.parametrize(
        ("text", "entries"),
        [
            ("", []),
            ("name: a\nx: 'b c'\n", [("name", "a", "name: a"), ("x", "b c", "x: 'b c'")]),
            (
                "x: 1\ny: true\nz: 2024-01-01\n",
                [("x", "1", "x: 1"), ("y", "true", "y: true"), ("z", "2024-01-01", ...)],
            ),
            (
                "x:\ny: ~\nz: null\nq: 'null'\n",
                [("x", None, "x:"), ("y", None, ...), ("z", None, ...), ("q", "null", ...)],
            ),
            ("x:\n  - a\n  - b: c\ny: d\n", [("x", None, "x:\n  - a\n  - b: c"), ("y", "d", "y: d")]),
            ("x: >\n  a\n  b\n# c\ny: d\n", [("x", "a b\n", "x: >\n  a\n  b\n# c"), ("y", "d", "y: d")]),
            ("x: &n a\ny: *n\nz: *m\n", [("x", "a", "x: &n a"), ("y", "a", "y: *n"), ("z", None, "z: *m")]),
            ("x: [&n a]\ny: *n\n", [("x", None, "x: [&n a]"), ("y", "a", "y: *n")]),
            ("x: a\nx: b\n", [("x", "a", "x: a"), ("x", "b", "x: b")]),
            ("x: !!str 1\n", [("x", "1", "x: !!str 1")]),
            ('"x": a\n', [("x", "a", '"x": a')]),
            ("{x: a, y: b}\n", [("x", "a", "x: a,"), ("y", "b", "y: b")]),
            ("x:\ta\n", [("x", "a", "x:\ta")]),
            ("x: a\r\ny: b\r\n", [("x", "a", "x: a"), ("y", "b", "y: b")]),
            ("x: a\ry: b\n", [("x", "a", "x: a"), ("y", "b", "y: b")]),
            ("x: a\x07b\n", [("x", None, "x: a\x07b")]),
            ("x: a\ufffdb\n", [("x", "a\ufffdb", "x: a\ufffdb")]),
            ("x: a # \x07\n", [("x", "a", "x: a # \x07")]),
            ("x: \u2028\ufffd\n", [("x", None, "x: \u2028\ufffd")]),
            ("x: &a 'b\x07'\ny: *a\n", [("x", None, "x: &a 'b\x07'"), ("y", None, "y: *a")]),
            ("x\x1b: a\n", [("x\x1b", "a", "x\x1b: a")]),
            ("x: &a y\n*a : b\n", [("x", "y", "x: &a y"), ("y", "b", "*a : b")]),
            ("&a x: y\n*a : b\n", [("x", "y", "&a x: y"), ("x", "b", "*a : b")]),
            ("null: a\n", [("null", "a", "null: a")]),
        ],
        ids=repr,
    )
    def test_as_yaml_reads_them(self, text: str, entries: list) -> None:
        """Names, values that are text, and the lines of each."""
        found = fields(text).entries
        assert len(found) == len(entries)
        for entry, (key, value, verbatim) in zip(found, entries, strict=True):
            assert (entry.key, entry.value) == (key, value)
            assert verbatim in (entry.verbatim, ...)

    @pytest.mark.parametrize(
        ("text", "entries"),
        [
            ("description: Use: when\nx: a\n", [("description", "Use: when"), ("x", None)]),
            ("description: 'It''s: on'\nx: [\n", [("description", "It's: on"), ("x", None)]),
            ("description: >\n  a\n  b\nx: {\n", [("description", "a b\n"), ("x", None)]),
            ("name: a\ndescription: a\n  b: c\n", [("name", "a"), ("description", "a b: c")]),
            ('description: "a" b\n', [("description", '"a" b')]),
            ("Description: Use: when\n", [("Description", None)]),
            ("'description': Use: when\n", [("description", None)]),
            ("- a\nname: b\n", [("name", "b")]),
            ("? [a]\n: b\nname: c\n", [("name", "c")]),
            ("just words\nname: c\n", [("name", "c")]),
            ("# name: a\nname: b\nx: @c\n", [("name", "b"), ("x", None)]),
            (f"x: {'[' * 9}{']' * 9}\nname: b\n", [("x", None), ("name", "b")]),
            ("%FOO\nname: b\n", [("name", "b")]),
            ("x: '\\UFFFFFFFF'\nname: b\ny: \"\\UFFFFFFFF\"\n", [("x", None), ("name", "b"), ("y", None)]),
            ("name: *\n", [("name", "*")]),
        ],
        ids=repr,
    )
    def test_by_their_lines_where_it_is_no_yaml(self, text: str, entries: list) -> None:
        """A field begins in the first column; the two that matter are read as they are meant."""
        assert [(entry.key, entry.value) for entry in fields(text).entries] == entries

    def test_what_follows_the_end_of_a_document(self) -> None:
        """It is told of, since a restriction may stand there."""
        assert fields("name: a\n...\nallowed-tools: Read\n").entries == (
            Entry("name", "a", "name: a", frozenset({"name"})),
            Entry("allowed-tools", None, "allowed-tools: Read", frozenset({"allowed-tools"})),
        )

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("x: a\n", {"x"}),
            ("x: {a: b, c: [d, {e: f}], g: {}}\n", {"x", "a", "c", "e", "g"}),
            ("x:\n  - a\n  - b: c\n    d: [e]\n", {"x", "b", "d"}),
            ("x:\n  ? [a, {b: c}]\n  : {d: e}\n  f: g\n", {"x", "b", "d", "f"}),
            ("x: [&n a, *m , {*n : b}]\n", {"x", "a"}),
            ("x: {*m : b, ~: c}\n", {"x", "~"}),
            ("x: |\n  a: b\n", {"x"}),
            ("x: 'a: b'\n", {"x"}),
            ("x: a: b\n  c: d\n", {"x", "c"}),
            ("x: [a: b, {c: d\n", {"x", "a", "c"}),
            ("description: a\nb:c\nx: y: z\n", {"description", "b"}),
            ("description: |\n  b: c\nx: y: z\n", {"description"}),
        ],
    )
    def test_the_names_in_a_field(self, text: str, names: set[str]) -> None:
        """Its own, and those of the fields in it, as YAML reads them; in what is no YAML, whatever looks like one."""
        assert fields(text).entries[0].names == names

    @pytest.mark.parametrize(
        "before", ["- allowed-tools: Read\n", "allowed-tools:Read\n", "- a\n- {tools: [x]}\n", "? [a]\n: tools: x\n"]
    )
    def test_a_restriction_that_belongs_to_no_field(self, before: str) -> None:
        """It is told all the same, with what stands around it."""
        found, name = fields(f"{before}name: a\n").entries
        assert (found.key, found.value, found.verbatim, name.key) == ("", None, before.rstrip(), "name")


class TestSaid:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("description: a\n", "a"),
            ("description: 'a\n\n  b'\n", "a b"),
            ("Description: a\n", "a"),
            ("Description: a\ndescription: b\n", "b"),
            ("description: a\ndescription: 'a '\n", "a"),
            ("description: a\ndescription: b\n", None),
            ("description: a\ndescription: [b]\n", None),
            ("description:\n", None),
            ("description: ''\n", ""),
            ("x: a\n", None),
        ],
    )
    def test_the_one_value(self, text: str, said: str | None) -> None:
        """Folded; nothing where there is none, or nobody can say which is meant."""
        assert fields(text).said("description") == said


@settings(max_examples=examples(2000))
@given(st.binary(max_size=60) | frontmatters.map(lambda text: f"---\n{text}\n---\nDo.\n".encode()))
def test_any_bytes_are_taken_apart_or_not(content):
    """Nothing else comes out, and the two parts are the whole."""
    found = opened(content)
    if found is not None:
        assert found.head.encode() + found.body == content


@settings(max_examples=examples(500))
@given(frontmatters)
def test_a_good_document_is_read_as_the_strict_reader_reads_it(text):
    """Where the strict reader finds no fault, both say the same."""
    content = f"---\n{text}---\nDo it.\n".encode()
    try:
        document = parse(content, "bird")
    except BadDocument:
        return
    found = opened(content)
    assert found is not None
    assert (found.said("name"), found.said("description")) == (document.head.name, document.head.description)
    assert found.body.decode() == document.body


@pytest.mark.parametrize("piece", ["a:\n", "- ", "[", "? ", "'a': b: c\n", "\r", "a: b: c\n", "---", " "])
def test_four_times_the_text_costs_at_most_six_times_the_time(piece):
    """Each is measured as the best of several, within the cap."""

    def cost(size: int) -> float:
        content = b"---\n" + (piece * (size // len(piece))).encode() + b"\n---\nDo.\n"
        best = 1.0
        for _ in range(5):
            began = process_time()
            opened(content)
            best = min(best, process_time() - began)
        return best

    assert cost(8_000) < 6 * cost(2_000) + 0.002
