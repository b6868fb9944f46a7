"""Hostile procedures: judged in time that grows with their bytes, and no faster.

Each case begins with a link, so that the Markdown parser is called for it. The benchmarks judge 256 KiB of each:
parsing, links and lint together; the bar is 50 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from kestrel_skills_adapters.markdown import CmarkMarkdown
from kestrel_skills_core.domain.document import parse
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.lint import lint
from kestrel_skills_core.domain.names import DOCUMENT
from kestrel_skills_core.domain.tree import Content, SkillTree

HEAD = b"---\nname: a\ndescription: b\n---\n[a](gone.md)\n\n"
MARKDOWN = CmarkMarkdown()
QUARTER, WHOLE = 64 * 1024, 256 * 1024


def repeated(part: str) -> Callable[[int], str]:
    """As many of that part as fill so many characters."""
    return lambda size: part * (size // len(part))


def rooted(part: Callable[[int], str], each: Callable[[int], int]) -> Callable[[int], str]:
    """A part that differs each time, for parts that grow, until so many characters are filled."""

    def text(size: int) -> str:
        number, parts, filled = 0, [], 0
        while filled < size:
            parts.append(part(number))
            filled += each(number)
            number += 1
        return "".join(parts)

    return text


CASES = {
    "comment": repeated("<!-- "),
    "bracket": repeated("["),
    "brackets": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "open links": repeated("[a]("),
    "open images": repeated("![[]("),
    "open angles": repeated("](<"),
    "parentheses": repeated("](a("),
    "links": repeated("[a](b.md) "),
    "different links": rooted(lambda n: f"[](a{n}.md) ", lambda n: 13),
    "parts of one file": rooted(lambda n: f"[](SKILL.md#{n}) ", lambda n: 18),
    "different sites": rooted(lambda n: f"[](http://a/{n}) ", lambda n: 19),
    "a late wrong link": lambda size: repeated("[](SKILL.md) ")(size - 20) + "\n\n[](late.md)",
    "autolinks": repeated("<a:b> "),
    "file links": repeated("<file:a> "),
    "definitions": rooted(lambda n: f"[a{n}]: b{n}\n", lambda n: 16),
    "one long definition": lambda size: "[a]: " + "b" * (size // 2) + "\n\n" + "[a] " * (size // 8),
    "backticks": repeated("`"),
    "backtick ladder": rooted(lambda n: "`" * n + " ", lambda n: n + 1),
    "code spans": repeated("a`b` "),
    "open code": repeated("a`b\n"),
    "fences": repeated("```\n"),
    "unequal fences": repeated("~~~~\n~~~\n"),
    "nested quotes": repeated("> "),
    "nested quotes, many lines": lambda size: ">" * (size // 2) + "a\n" * (size // 4),
    "square of quotes": lambda size: ("> " * int((size / 2) ** 0.5) + "a\n") * int((size / 2) ** 0.5 // 1.1),
    "quoted fence": lambda size: "> " * (size // 4) + "```\n" * (size // 8),
    "nested lists": repeated("- "),
    "list ladder": rooted(lambda n: " " * n + "- a\n", lambda n: n + 4),
    "entities": repeated("&amp;"),
    "ampersands": repeated("&"),
    "table": repeated("|a|b|\n|-|-|\n"),
    "wide table": lambda size: "|a" * (size // 4) + "|\n" + "|-" * (size // 4) + "|\n",
    "emphasis": repeated("*a_ "),
    "tags": repeated("<a "),
    "one line": repeated("word "),
    "one word": repeated("a"),
    "hidden text": repeated("a\u200b"),
}
every_case = pytest.mark.parametrize("text", CASES.values(), ids=CASES)


def skill(text: Callable[[int], str], size: int) -> bytes:
    """A `SKILL.md` of that many bytes, or a little less."""
    content = HEAD + text(size - len(HEAD)).encode()
    return content[:size].decode(errors="ignore").encode()


def judge(content: bytes) -> tuple[Finding, ...]:
    """Everything that is said of one file."""
    parsed = parse(content, "a")
    return lint(parsed, SkillTree({DOCUMENT: Content(content)}), MARKDOWN.links(parsed.body))


def fastest(content: bytes) -> float:
    """Seconds of this process for one judgement, undisturbed."""
    spent = []
    for _ in range(5):
        begin = time.process_time()
        judge(content)
        spent.append(time.process_time() - begin)
    return min(spent)


@every_case
def test_four_times_the_bytes_cost_at_most_six_times_the_time(text):
    """From 64 to 256 KiB; the second look is for a machine that was busy at the first."""
    # The C heap keeps what it has once grown to: growing it is the system's time, and not what is measured.
    bytes(31 << 20)
    quarter, whole = skill(text, QUARTER), skill(text, WHOLE)
    assert len(whole) > 3.5 * len(quarter)
    assert any(fastest(whole) <= 6 * fastest(quarter) for _ in range(3))


@every_case
def test_what_is_wrong_is_still_told(text):
    """The link before the hostile part is found at its place, unless the text makes it no link."""
    said = [str(finding) for finding in judge(skill(text, QUARTER))]
    assert "SKILL.md:5:5: KS501 `gone.md` is not in the skill" in said


@pytest.mark.bench
@every_case
def test_256_kib_are_judged(benchmark, text):
    """The figures stand beside the bar of 50 ms."""
    bytes(31 << 20)
    content = skill(text, WHOLE)
    benchmark.extra_info["bar"] = "50 ms"
    benchmark.pedantic(judge, (content,), rounds=5, warmup_rounds=1)
