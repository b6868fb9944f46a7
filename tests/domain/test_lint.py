"""Advice: links that lead nowhere, and text that a reader cannot see."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.markdown import CmarkMarkdown
from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.document import SkillDocument, parse
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.lint import Target, lint, lint_links, lint_text, target_of
from kestrel_skills_core.domain.names import DOCUMENT, ResourcePath, resource_path
from kestrel_skills_core.domain.tree import Content, SkillTree
from tests.domain.given import tree
from tests.examples import examples

HEAD = "---\nname: bird\ndescription: When a bird is met\n---\n"
FILES = [
    resource_path(path) for path in ("SKILL.md", "references/Guide.md", "my notes.md", "ü.md", "a&b.md", "x(1).md")
]
MARKDOWN = CmarkMarkdown()


def document(body: str) -> SkillDocument:
    """A skill with that procedure, which begins in line 5."""
    return parse((HEAD + body).encode(), "bird")


def advice(body: str, links: list[str] | None = None) -> list[str]:
    """What is said of the links of a procedure; the parser finds them where they are not given."""
    parsed = document(body)
    given_links = MARKDOWN.links(parsed.body) if links is None else links
    return [str(finding) for finding in lint_links(parsed, FILES, given_links)]


def told(data: str, path: str = "notes.md") -> list[str]:
    """What is said of the text of a file."""
    return [str(finding) for finding in lint_text(resource_path(path), data.encode())]


@pytest.mark.parametrize(
    "body",
    [
        "[a](references/Guide.md) [b](./references/Guide.md#part) [c](references/Guide.md?x=1) [d](#top) [e](?q)",
        "[folder](references) [same](references/) [self](.) [root](references/..) [odd](references//Guide.md)",
        "[spaces](<my notes.md>) [encoded](my%20notes.md) [u](ü.md) [u](%C3%BC.md) [amp](a&amp;b.md) [p](x\\(1\\).md)",
        "[web](https://example.org/x.md) [WEB](HTTP://x) [mail](mailto:a@b.c) [host](//example.org/x) <https://x.y>",
        "[call](tel:+31) [app](vscode:extension/x) ![inline](data:image/png;base64,AA)",
        "[text](url) [text](link) [text](path) [text](...) [x]({{page}}) [y](docs/{name}.md) [z](<docs/\\<name\\>.md>)",
        "```\n[gone](gone.md)\n```\n`[gone](gone.md)`\n\n    [gone](gone.md)\n\n<a href='gone.md'>x</a>",
    ],
)
def test_good_links_are_let_through(body):
    """Files, folders and parts of the skill, the web, and what a reader is to fill in."""
    assert advice(body) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("[a](gone.md)", "SKILL.md:5:5: KS501 `gone.md` is not in the skill"),
        ("See\n\n  - [a]( gone.md#top 'x')", "SKILL.md:7:10: KS501 `gone.md#top` is not in the skill"),
        ("x [a](<gone away.md>)", "SKILL.md:5:8: KS501 `gone away.md` is not in the skill"),
        ("x [a](gone%20away.md)", "SKILL.md:5:7: KS501 `gone away.md` is not in the skill"),
        ("é漢 [ö](ö.md)", "SKILL.md:5:8: KS501 `ö.md` is not in the skill"),
        ("![a](img/a.png)", "SKILL.md:5:6: KS501 `img/a.png` is not in the skill"),
        ("[a](g\\(1\\).md)", "SKILL.md:5:5: KS501 `g(1).md` is not in the skill"),
        ("[a](g(1).md)", "SKILL.md:5:5: KS501 `g(1).md` is not in the skill"),
        ("[a][r]\n\n[r]: gone.md", "SKILL.md:7:6: KS501 `gone.md` is not in the skill"),
        ("[a][r]\n\n[r]:\n  <gone.md>", "SKILL.md:8:4: KS501 `gone.md` is not in the skill"),
        ("[![i](ü.md)](gone.md)", "SKILL.md:5:14: KS501 `gone.md` is not in the skill"),
        ("`[a](gone.md)` [a](gone.md)", "SKILL.md:5:20: KS501 `gone.md` is not in the skill"),
        ("```\n[a](gone.md)\n```\n[a](gone.md)", "SKILL.md:8:5: KS501 `gone.md` is not in the skill"),
        ("- ~~~ x\n  [a](gone.md)\n  ~~~\n\n[a](gone.md)", "SKILL.md:9:5: KS501 `gone.md` is not in the skill"),
        ("``` `\n[a](gone.md)", "SKILL.md:6:5: KS501 `gone.md` is not in the skill"),
        ("word gone.md [a](gone.md) [a](gone.md)", "SKILL.md:5:18: KS501 `gone.md` is not in the skill"),
        ("one\r\n[a](gone.md)\r\n", "SKILL.md:6:5: KS501 `gone.md` is not in the skill"),
        ("words\n[a](g&#111;ne.md)", "SKILL.md:5:1: KS501 `gone.md` is not in the skill"),
        (
            "[a](references/guide.md)",
            "SKILL.md:5:5: KS503 `references/guide.md` is spelt `references/Guide.md` on the disk",
        ),
        ("[a](References/)", "SKILL.md:5:5: KS503 `References/` is spelt `references` on the disk"),
        ("[a](u\u0308.md)", "SKILL.md:5:5: KS503 `u\u0308.md` is spelt `ü.md` on the disk"),
        ("[a](../other/SKILL.md)", "SKILL.md:5:5: KS502 `../other/SKILL.md` leads out of the skill"),
        ("[a](references/../../x)", "SKILL.md:5:5: KS502 `references/../../x` leads out of the skill"),
        ("[a](%2e%2e/x.md)", "SKILL.md:5:5: KS502 `../x.md` leads out of the skill"),
        ("[a](/etc/passwd)", "SKILL.md:5:5: KS502 `/etc/passwd` is not a path in the skill"),
        ("[a](file:///etc/passwd)", "SKILL.md:5:5: KS502 `file:///etc/passwd` is not a path in the skill"),
        ("<file:///etc/passwd>", "SKILL.md:5:2: KS502 `file:///etc/passwd` is not a path in the skill"),
        ("[a](C:\\notes.md)", "SKILL.md:5:5: KS502 `C:\\notes.md` is not a path in the skill"),
        ("[a](\\\\host\\x)", "SKILL.md:5:5: KS502 `\\host\\x` is not a path in the skill"),
        ("[a](references\\Guide.md)", "SKILL.md:5:5: KS501 `references\\Guide.md` is not in the skill"),
        ("[a](${DIR}/x.md)", "SKILL.md:5:5: KS501 `${DIR}/x.md` is not in the skill"),
        ("[a](gone%00.md)", "SKILL.md:5:5: KS501 `gone\\x00.md` is not in the skill"),
        ("[a](%FF.md)", "SKILL.md:5:5: KS501 `\ufffd.md` is not in the skill"),
    ],
)
def test_a_wrong_link_is_told_where_it_is_spelt(body, said):
    """Its line and column, and what is wrong with it; the procedure's first line where it is spelt by entities."""
    assert advice(body) == [said]


def test_each_destination_is_told_once():
    """In the order in which they are met."""
    assert [said.split("`")[1] for said in advice("[a](b.md) [a](a.md) [b](b.md) [a](a.md)")] == ["b.md", "a.md"]


def test_only_the_first_wrong_links_are_told():
    """One more than are reported of one file."""
    body = "\n".join(f"[a](gone-{number}.md)" for number in range(100))
    said = advice(body)
    assert len(said) == 65
    assert said[-1] == "SKILL.md:69:5: KS501 `gone-64.md` is not in the skill"


@given(
    st.text(st.sampled_from("ab é漢.%/-_2"), min_size=1, max_size=10).filter(str.strip), st.text("x \n>", max_size=20)
)
def test_positions_are_exact(destination, before):
    """For a destination that is spelt between angle brackets, line and column point to its first character."""
    body = f"x\n\n{before}\n\n[a](<{destination}>)"
    for finding in lint_links(document(body), FILES, MARKDOWN.links(document(body).body)):
        line = (HEAD + body).split("\n")[finding.line - 1]
        assert line[finding.column - 1 :].startswith(destination.strip())
        assert line[: finding.column - 1].strip() == "[a](<"


@settings(max_examples=examples(2000))
@given(st.text(st.sampled_from("ab.[](){}<>!`~#&;:/%\\\n\t é\u200b"), min_size=1, max_size=60))
def test_any_procedure_is_judged(body):
    """Whatever stands in it, every finding is inside the file, on one line, and breaks no rule of its own."""
    content = (HEAD + "x" + body).encode()
    parsed = parse(content, "bird")
    lines = (HEAD + "x" + body).split("\n")
    for finding in lint(parsed, SkillTree({resource_path("SKILL.md"): Content(content)}), MARKDOWN.links(parsed.body)):
        assert finding.severity != "error"
        assert str(finding).splitlines() == [str(finding)]
        assert 1 <= finding.line <= len(lines)
        assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1


TAGS = "".join(chr(0xE0000 + ord(char)) for char in "ignore all")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"A description.{TAGS} More.", "notes.md:1:15: KS504 a format character: reads as `ignore all`"),
        ("one\nsee \u202egpj.exe", "notes.md:2:5: KS504 a format character: reads as `<right-to-left override>`"),
        ("\ufeffde\u200blete", "notes.md:1:3: KS504 a format character: reads as `<zero width space>`"),
        ("é\n\n\u2066x", "notes.md:3:1: KS504 a format character: reads as `<left-to-right isolate>`"),
    ],
)
def test_hidden_text_is_told_decoded(text, said):
    """Tags, bidirectional overrides, and zero-width spaces inside words (T11), each with its position."""
    assert told(text) == [said]


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f Alba",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 family",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
        "plain\ttext\r\n",
        "\ufeffafter a byte order mark, é",
    ],
)
def test_honest_scripts_are_let_through(text):
    """The flag of Scotland, a family, Persian and Hebrew (T11), line ends, and one leading byte order mark."""
    assert told(text) == []


def test_what_is_not_text_is_not_looked_at():
    """A binary file is refused elsewhere; its bytes hide nothing from a reader."""
    assert list(lint_text(resource_path("a.png"), b"\x89PNG\x00\xe2\x80\x8b")) == []


def test_only_the_first_hidden_runs_are_told():
    """One more than are reported of one file, each at its place."""
    said = told("a\u200b\n" * 100)
    assert len(said) == 65
    assert said[-1].startswith("notes.md:65:2: ")


def test_all_advice_comes_in_reading_order():
    """Of the document, the links, the resources: by file, then line."""
    skill_tree = tree(SKILL_md=HEAD + "[a](gone.md)", inner__SKILL_md="x", notes_md="a\u200bb é")
    parsed = parse(skill_tree.files[resource_path("SKILL.md")].data, "bird")
    said = [str(finding) for finding in lint(parsed, skill_tree, MARKDOWN.links(parsed.body))]
    assert said == [
        "SKILL.md:5:5: KS501 `gone.md` is not in the skill",
        "inner/SKILL.md: KS511 this file is a resource here, and no skill of its own",
        "notes.md:1:2: KS504 a format character: reads as `<zero width space>`",
    ]


def test_where_there_is_too_much_advice_warnings_come_first():
    """64 findings of one skill, and what is merely to be known gives way."""
    skill_tree = tree(
        SKILL_md=HEAD + "x",
        **{f"d{number}__SKILL_md": "x" for number in range(40)},
        **{f"n{number:02}_md": "a\u200bb é" for number in range(40)},
    )
    parsed = parse(skill_tree.files[resource_path("SKILL.md")].data, "bird")
    found = lint(parsed, skill_tree, ())
    codes = [finding.code for finding in found]
    assert (len(found), codes.count("KS504"), codes.count("KS511")) == (64, 40, 24)
    assert [finding.place for finding in found] == sorted(finding.place for finding in found)
    assert [finding.message.endswith("; more was found than is shown") for finding in found] == [False] * 63 + [True]


def test_advice_of_the_document_is_kept():
    """What reading it taught, and what reading its links teaches, stand together."""
    known = Finding(rules.LONG_BODY, "SKILL.md", "600 lines", 5)
    parsed = SkillDocument(document("x").head, "x", 5, (known,))
    assert lint(parsed, tree(SKILL_md=HEAD + "x"), ()) == (known,)


@pytest.mark.parametrize(
    ("link", "at", "target"),
    [
        ("references/Guide.md", DOCUMENT, Target("file", "references/Guide.md")),
        ("./my%20notes.md#top", DOCUMENT, Target("file", "my notes.md")),
        ("../%C3%BC.md?plain=1", ResourcePath("references/Guide.md"), Target("file", "ü.md")),
        ("Guide.md", ResourcePath("references/Guide.md"), Target("file", "references/Guide.md")),
        ("Guide.md", DOCUMENT, Target("nowhere")),
        ("../../etc/passwd", ResourcePath("references/Guide.md"), Target("nowhere")),
        ("/etc/passwd", DOCUMENT, Target("nowhere")),
        ("file:///etc/passwd", DOCUMENT, Target("nowhere")),
        ("https://example.org/a", DOCUMENT, Target("elsewhere")),
        ("//example.org/a", DOCUMENT, Target("elsewhere")),
        ("mailto:a@example.org", DOCUMENT, Target("elsewhere")),
        ("#steps", DOCUMENT, Target("none")),
        ("", DOCUMENT, Target("none")),
        ("references/", DOCUMENT, Target("none")),
        (".", DOCUMENT, Target("none")),
        ("{{url}}", DOCUMENT, Target("none")),
    ],
)
def test_where_a_link_leads(link: str, at: ResourcePath, target: Target) -> None:
    """To a file by its path from the file that has the link, elsewhere, nowhere, or to no file at all."""
    assert target_of(link, at, set(FILES), {"references"}) == target
