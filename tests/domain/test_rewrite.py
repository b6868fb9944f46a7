"""Rewriting a `SKILL.md` into the two-field form: every kind of change, and every kind of refusal."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.document import examine
from kestrel_skills_core.domain.errors import BadDocument
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.rewrite import Alteration, Rewritten, is_rewritable, rewritten
from kestrel_skills_core.domain.text import escaped
from tests.domain.test_foreign import frontmatters
from tests.examples import examples

BIRD = SkillName("bird")
GOOD = "name: bird\ndescription: Use when it flies.\n"
LONG = "word " * 300


def rewrite(text: str, body: str = "Do it.\n") -> Rewritten:
    """Rewrite what stands between two fences above a body."""
    return rewritten(f"---\n{text}---\n{body}".encode(), BIRD)


def changes(text: str) -> list[str]:
    """What is told to have been changed."""
    return [str(change) for change in rewrite(text).changes]


def refusal(content: bytes) -> list[tuple[str, int]]:
    """The codes and lines of the faults that are left."""
    with pytest.raises(BadDocument) as caught:
        rewritten(content, BIRD)
    assert caught.value.adaptation is None
    return [(fault.code, fault.line) for fault in caught.value.faults]


class TestChanges:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (GOOD + "license: MIT\n", ["the field `license` is lifted out"]),
            (
                GOOD + "metadata:\n  version: 1\n'a b': c\n",
                ["the field `metadata` is lifted out", "the field `a b` is lifted out"],
            ),
            (
                GOOD + "license: MIT\nallowed-tools: Bash(git *),\n  Read\n",
                [
                    "the restriction `allowed-tools: Bash(git *), Read` is lifted out: nothing here enforces it",
                    "the field `license` is lifted out",
                ],
            ),
            (
                GOOD + "Disable_Model_Invocation: true\n",
                ["the restriction `Disable_Model_Invocation: true` is lifted out: nothing here enforces it"],
            ),
            (
                GOOD + "...\nuser-invocable: false\n",
                [
                    "the restriction `user-invocable: false` is lifted out: nothing here enforces it",
                    "mended: a YAML document ends here",
                ],
            ),
            ("name: Bird\ndescription: a\n", ["the name `Bird` becomes `bird`"]),
            ("name: cow\ndescription: a\n", ["the name `cow` becomes `bird`"]),
            ("description: a\n", ["the name `bird` is written: it had none that could be read"]),
            (
                "name: [bird]\ndescription: a\n",
                [
                    "the name `bird` is written: it had none that could be read",
                    "mended: the value of `name` is a list or a mapping",
                ],
            ),
            ("Name: bird\ndescription: a\n", ["the field `Name` is spelt `name`"]),
            ("name: bird\nDescription: a\n", ["the field `Description` is spelt `description`"]),
            (
                "name: bird\ndescription: |\n  One.\n\n  Two.\nx: y\n",
                ["the field `x` is lifted out", "the lines of the description are folded into one"],
            ),
            ("name: bird\ndescription: One\n  two.\nx: y\n", ["the field `x` is lifted out"]),
            (
                f"name: bird\nx: y\ndescription: {LONG}\n",
                ["the description is cut to 1,024 of its 1,499 characters", "the field `x` is lifted out"],
            ),
            ("name: bird\ndescription: 12\n", ["mended: YAML reads the value of `description` as a number"]),
            ("name: bird\ndescription: true\n", ["mended: YAML reads the value of `description` as true or false"]),
            ("name: bird\ndescription: Use: when\n", ["mended: a colon and a space inside an unquoted value"]),
            ("name: bird\ndescription: &a b\n", ["mended: the anchor `&a`"]),
            ("name: bird\ndescription: !!str b\n", ["mended: the tag `!!str`"]),
            (
                "name: bird\ndescription: b\ndescription: 'b'\n",
                ["mended: the field `description` is given twice"],
            ),
            ("name: bird\ndescription: b\n\tx: y\n", ["mended: a tab where YAML allows spaces only"]),
            (
                "name: bird\ndescription: b # \x07\n",
                ["mended: the control character U+0007"],
            ),
            ("name: bird\rdescription: b\n", ["mended: a carriage return without a line feed"]),
            (
                GOOD + "x\x1b[2J: y\n",
                [
                    "the field `x\\x1b[2J` is lifted out",
                    "mended: the control character U+001B",
                ],
            ),
        ],
        ids=repr,
    )
    def test_every_one_is_told(self, text: str, told: list[str]) -> None:
        """In words that are safe to print, what is in force no more first."""
        assert changes(text) == told

    def test_what_is_lost_is_marked(self) -> None:
        """A restriction and a cut are; a field and a name are not."""
        found = rewrite(f"name: Bird\nhooks: x\ndescription: {LONG}\nlicense: MIT\n").changes
        assert [change.loses for change in found] == [True, True, False, False]
        assert not Alteration("x").loses

    @pytest.mark.parametrize(
        "field",
        [
            "allowed-tools: Read",
            "allowedTools: Read",
            "ALLOWED_TOOLS: Read",
            "'allowed-tools ': Read",
            "allowed tools: Read",
            "allowed-tools : Read",
            "? allowed-tools\n: Read",
            "allowed\u200b-tools: Read",
            '"allowed\\x2dtools": Read',
            "denied-tools: Bash",
            "disallowedTools: Bash",
            "disableModelInvocation: true",
            "user-invokable: false",
            "sandbox: strict",
            "readonly: true",
            "read-only: true",
            "permissionMode: plan",
            "requires-approval: true",
            "applyTo: '*.py'",
            "metadata:\n  allowed-tools: Read",
            "metadata: {a: [{b: {tools: x}}]}",
            "base: &b\n  allowed-tools: Read\n<<: *b",
            "k: &a allowed-tools\n*a : Read",
            "k: [&a tools]\nx: {*a : Read}",
            "x: {allowed-tools: Read",
            "x: a: b\n  allowed-tools: Read",
            "...\n- allowed-tools: Read",
        ],
    )
    def test_no_restriction_is_overlooked(self, field: str) -> None:
        """However its name is spelt, and wherever it stands: it is told whole, and marked."""
        marked = [str(change) for change in rewrite(f"{GOOD}{field}\n").changes if change.loses]
        assert len(marked) == 1
        assert marked[0].startswith("the restriction `")
        assert marked[0].endswith("` is lifted out: nothing here enforces it")

    @pytest.mark.parametrize(
        "field", ["toolset: a", "contexts: a", "x: tools", "x: [paths]", "x: 'tools: a'", "allot: a"]
    )
    def test_what_restricts_nothing_is_not_marked(self, field: str) -> None:
        """A name that only resembles one, or a text that only holds one."""
        assert not any(change.loses for change in rewrite(f"{GOOD}{field}\n").changes)

    @pytest.mark.parametrize("begin", ["allowed-tools:Read\n", "- allowed-tools: Read\n"])
    def test_a_restriction_before_all_fields(self, begin: str) -> None:
        """It belongs to none, and is told all the same."""
        told = changes(begin + GOOD)[0]
        assert told == f"the restriction `{begin.strip()}` is lifted out: nothing here enforces it"

    @pytest.mark.parametrize("end", ["\nallowed-tools:Read", "\n allowed-tools: Read", ": b\n  allowed-tools: Read"])
    def test_a_restriction_that_became_part_of_another_field(self, end: str) -> None:
        """Whether it is then in the description or not."""
        field = f"description: a{end}"
        told = changes(f"name: bird\n{field}\nx: y\n")[0]
        assert told == f"the restriction `{' '.join(field.split())}` is no field: nothing here enforces it"

    def test_a_restriction_is_told_whole(self) -> None:
        """Whoever decides must see all that might have run; of the name of any other field, 160 characters do."""
        (told,) = changes(GOOD + f"tools: {'x' * 5000}\n")
        assert told == f"the restriction `tools: {'x' * 5000}` is lifted out: nothing here enforces it"
        (told,) = changes(GOOD + f"{'x' * 500}: a\n")
        assert told == f"the field `{'x' * 160}…` is lifted out"

    def test_what_stands_before_the_frontmatter_is_taken_out(self) -> None:
        """It is part of the head, and on record with it."""
        found = rewritten(f"\n\n---\n{GOOD}---\nDo it.\n".encode(), BIRD)
        assert [*map(str, found.changes)] == ["mended: white space stands before the first line"]
        assert found.head == f"\n\n---\n{GOOD}---\n"


class TestDocument:
    def test_two_fields_in_quotes_above_the_same_body(self) -> None:
        """The body is kept to the byte, whatever it holds."""
        body = "\n\n# Fly\r\n---\n  name: x\n\n\n"
        found = rewrite('name: Bird\ndescription: "It\'s \\"up\\" \\\\"\nx: y\n', body)
        assert found.document == b'---\nname: "bird"\ndescription: "It\'s \\"up\\" \\\\"\n---\n' + body.encode()
        assert found.head == '---\nname: Bird\ndescription: "It\'s \\"up\\" \\\\"\nx: y\n---\n'

    def test_line_ends_and_mark_are_kept(self) -> None:
        """CRLF stays CRLF, and a byte order mark stays; a second one is no mark, and goes."""
        for marks in ("\ufeff", "\ufeff\ufeff"):
            found = rewritten(f"{marks}---\r\nname: Bird\r\ndescription: a\r\n---\r\nDo.\r\n".encode(), BIRD)
            made = '\ufeff---\r\nname: "bird"\r\ndescription: "a"\r\n---\r\nDo.\r\n'
            assert found.document.decode() == made
            assert found.head.startswith(marks)

    def test_a_description_is_cut_where_a_word_ends(self) -> None:
        """No longer than allowed, with a sign that it is cut."""
        head, _ = examine(rewrite(f"name: bird\ndescription: {LONG}\n").document, BIRD)
        assert head is not None
        assert head.description == "word " * 203 + "word…"

    def test_a_description_of_one_word_is_cut_too(self) -> None:
        """There is no better place."""
        head, _ = examine(rewrite(f"name: bird\ndescription: {'x' * 2000}\n").document, BIRD)
        assert head is not None
        assert head.description == "x" * 1023 + "…"

    @pytest.mark.parametrize("text", [GOOD, "name: bird # x\ndescription: |\n  One.\n  Two.\n"])
    def test_a_good_one_is_not_touched(self, text: str) -> None:
        """However it is spelt; its head can still be put on record."""
        content = f"---\n{text}---\nDo it.\n".encode()
        assert rewritten(content, BIRD) == Rewritten(content, f"---\n{text}---\n")

    def test_a_good_one_whose_head_is_beyond_a_record(self) -> None:
        """It is a skill all the same."""
        content = f"---{' ' * 10_000}\n{GOOD}---\nDo it.\n".encode()
        assert rewritten(content, BIRD) == Rewritten(content, "")


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "faults"),
        [
            ("name: Bird\nx: y\n", [("KS107", 1)]),
            ("name: Bird\ndescription:\nx: y\n", [("KS114", 3)]),
            ("name: Bird\ndescription: ''\nx: y\n", [("KS114", 3)]),
            ("name: Bird\ndescription: ~\nx: y\n", [("KS110", 3)]),
            ("name: Bird\ndescription: [a]\nx: y\n", [("KS111", 3)]),
            ("name: Bird\ndescription: *a\nx: y\n", [("KS112", 3)]),
            ("name: Bird\ndescription: a\ndescription: b\nx: y\n", [("KS109", 4)]),
            ("name: Bird\ndescription: a\u200bb\nx: y\n", [("KS116", 3)]),
            *[
                (f"name: Bird\ndescription: {quote}a{char}b{quote}\nx: y\n", [(code, 3)])
                for quote in ("", "'", '"')
                for code, chars in (("KS118", "\x00\x07\x1b"), ("KS116", "\x7f\x85\u2028\ufeff\ufffe\u202e"))
                for char in chars
            ],
            ("name: Bird\ndescription: |\n  a\n  b\x07\nx: y\n", [("KS118", 5)]),
            ("name: Bird\ndescription: a: b\x07\nx: y\n", [("KS118", 3)]),
            ("x: y\n", [("KS107", 1), ("KS107", 1)]),
            ("", [("KS107", 1), ("KS107", 1)]),
            ("nothing\n", [("KS106", 2)]),
            ("description Use\n", [("KS106", 2)]),
        ],
        ids=repr,
    )
    def test_nothing_is_made_up(self, text: str, faults: list) -> None:
        """Without one description that can be seen, no skill; what adapting would mend is not held against it."""
        assert refusal(f"---\n{text}---\nDo it.\n".encode()) == faults

    @pytest.mark.parametrize(
        ("content", "faults"),
        [
            (b"", [("KS101", 1)]),
            (b"# Fly\n", [("KS101", 1)]),
            (b"---\nname: bird\n", [("KS102", 1)]),
            (b"---\nname: bird\ndescription: \xff\n---\nDo.\n", [("KS120", 3)]),
            (b"---\nname: Bird\ndescription: a\nx: y\n---\n\n", [("KS117", 5)]),
            (b"---\nname: Bird\ndescription: a\n---\nDo \x07.\n", [("KS118", 5)]),
            (b"---\nname: Bird\ndescription: a\n---\nDo.\rIt.\n", [("KS119", 5)]),
            (b"---\nname: Bird\ndescription: a\nx: " + b"y" * 9_000 + b"\n---\nDo.\n", [("KS103", 2)]),
            (b"---\nname: Bird\ndescription: a\n---\n" + b"x" * 262_144, [("KS305", 0)]),
        ],
        ids=lambda content: repr(content)[:50],
    )
    def test_a_body_is_not_mended(self, content: bytes, faults: list) -> None:
        """Nor is a file that is no text, has no two fences, or is too large."""
        assert refusal(content) == faults

    def test_whether_it_can_be_is_known_beforehand(self) -> None:
        """What would lose a head that was lifted out before cannot be."""
        head = f"---\n{GOOD}license: MIT\n---\n"
        content = head.encode() + b"Do it.\n"
        assert is_rewritable(content, BIRD)
        assert is_rewritable(content, BIRD, lifted=head)
        assert not is_rewritable(content, BIRD, lifted=f"---\n{GOOD}author: Anna\n---\n")
        assert not is_rewritable(b"# Fly\n", BIRD)
        assert not is_rewritable(b"---\nname: bird\nlicense: MIT\n---\nDo it.\n", BIRD)

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            (":x: a: b", "the field `:x` is lifted out"),
            ("-x: a: b", "the field `-x` is lifted out"),
            ("?x: a: b", "the field `?x` is lifted out"),
            ("'a' b: c: d", "the field `a` is lifted out"),
            ("x: a: b", "the field `x` is lifted out"),
            (f"{'x' * 90}: a: b", f"the field `{'x' * 90}` is lifted out"),
            ("\x07x: a: b", "the field `\\x07x` is lifted out"),
        ],
    )
    def test_a_field_that_is_none_by_its_line_is_told(self, line: str, told: str) -> None:
        """In what is no YAML, whatever the strict reader takes for a field, and however its name begins; once."""
        document = f"---\nname: bird\ndescription: Use it.\n{line}\n---\nDo it.\n".encode()
        fields = [str(change) for change in rewritten(document, BIRD).changes if "the field" in str(change)]
        assert fields == [told]

    def test_every_field_is_told_however_many_there_are(self) -> None:
        """More than a reader is told of as faults."""
        lines = "".join(f"{mark}{number}: x: y\n" for number in range(40) for mark in (":", "-", "x"))
        document = f"---\nname: bird\ndescription: Use it.\n{lines}---\nDo it.\n".encode()
        told = [str(change) for change in rewritten(document, BIRD).changes]
        assert {f"the field `{mark}{number}` is lifted out" for number in range(40) for mark in (":", "-", "x")} <= {
            *told
        }
        assert len(told) == len({*told})

    def test_a_fault_that_shows_only_afterwards(self) -> None:
        """What the strict reader did not come to is told at its place in what would have been made."""
        assert refusal("---\nname: Bird\ndescription: a\u200bb: c\n---\nDo it.\n".encode()) == [("KS116", 3)]


@settings(max_examples=examples(2000))
@given(st.binary(max_size=60) | frontmatters.map(lambda text: f"---\n{text}\n---\nDo.\n".encode()))
def test_any_bytes_are_rewritten_or_refused(content):
    """What comes out has no fault and tells of something; rewriting it again changes nothing; the body is the same."""
    found = None
    with suppress(BadDocument):
        found = rewritten(content, BIRD)
    if found is None:
        assert refusal(content)
        return
    head, _ = examine(found.document, BIRD)
    assert head is not None
    assert bool(found.changes) == (found.document != content)
    assert all(escaped(str(change)) == str(change) for change in found.changes)
    assert rewritten(found.document, BIRD).document == found.document
    body = content[len(found.head.encode()) :]
    assert found.head.encode() + body == content
    assert found.document.endswith(body)
