"""The page of codes tells every finding, and each example has just that; what the page on the format says is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attrs import frozen

from kestrel_skills_core.domain.document import examine, parse
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.lint import lint
from kestrel_skills_core.domain.names import ResourcePath, SourceId
from kestrel_skills_core.domain.rules import RULES
from kestrel_skills_core.domain.tree import Content, SkillTree

FORMAT = Path(__file__).parents[2] / "docs" / "format.md"
PAGE = FORMAT.with_name("errors.md")
RIGHT = "---\nname: deploy\ndescription: Use when a change has to reach production.\n---\n"
WITHOUT_EXAMPLE = {"KS315"}
ENTRY = re.compile(
    r"^### (?P<code>KS\d{3})\n\n"
    r"\*\*(?P<severity>\w+)\*\*: (?P<title>.+)\n\n"
    r"(?P<meaning>(?:(?!```|###|Fix: ).*\n)*)"
    r"(?:```(?P<kind>\w+)\n(?P<example>(?:(?!```).*\n)*)```\n\n)?"
    r"Fix: (?P<fix>.+)\n",
    re.MULTILINE,
)
LISTED = re.compile(r"  (?P<path>.+?)(?:: (?P<content>.*)| -> (?P<target>.+)| \((?P<oddity>.+)\))?")


@frozen
class Entry:
    """What the page says of one code."""

    code: str
    severity: str
    title: str
    meaning: str
    kind: str | None
    example: str | None
    fix: str

    @property
    def folder(self) -> str:
        """The folder that an example of one file lies in."""
        found = re.search(r"In the folder `(.+)`:", self.meaning)
        return found[1] if found else "deploy"


def entries() -> list[Entry]:
    """Every entry of the page, in order."""
    return [Entry(**found.groupdict()) for found in ENTRY.finditer(PAGE.read_text(encoding="utf-8"))]


def spelt(text: str) -> str:
    """The text with what stands between angle brackets put in; bytes as `surrogateescape` has them."""
    text = re.sub(r"⟨U\+([0-9A-F]+)⟩", lambda found: chr(int(found[1], 16)), text)
    text = re.sub(r"⟨0x([0-9A-F]{2})⟩", lambda found: chr(0xDC00 + int(found[1], 16)), text)
    text = re.sub(r"⟨U\+([0-9A-F]+) \* (\d+)⟩", lambda found: chr(int(found[1], 16)) * int(found[2]), text)
    return re.sub(r"⟨(.+?) \* (\d+)⟩", lambda found: found[1] * int(found[2]), text)


def encoded(text: str) -> bytes:
    """The bytes of an example."""
    return spelt(text).encode("utf-8", "surrogateescape")


def listed(line: str) -> dict[str, tuple[str, bytes | None]]:
    """The entries that one line of a listing stands for: each path, with its oddity (if any) and its content."""
    found = LISTED.fullmatch(line)
    assert found, line
    content = encoded(found["content"] or "Check that the change is reviewed.")
    if re.search(r"(?i)skill\.md$", found["path"]):
        content = RIGHT.encode() + content
    oddity = "a link" if found["target"] else found["oddity"] or ""
    many = re.search(r"⟨1…(\d+)⟩", found["path"])
    paths = (found["path"].replace(many[0], str(n)) for n in range(1, int(many[1]) + 1)) if many else [found["path"]]
    return {spelt(path): (oddity, None if oddity else content) for path in paths}


def findings_of_listing(listing: str) -> list[Finding]:
    """What the library says of a folder that looks so."""
    files = pytest.importorskip("kestrel_skills_adapters.memory.files", reason="no source in memory yet")
    odd = {
        "a link": files.Odd("link"),
        "a pipe": files.Odd("other"),
        "not readable": files.Odd("file", "permission denied"),
    }
    folder, *lines = listing.splitlines()
    name = folder.removesuffix("/")
    told = {path: entry for line in lines for path, entry in listed(line).items()}
    entries = {path: odd[oddity] if content is None else Content(content) for path, (oddity, content) in told.items()}
    sighting = files.MemorySkillFiles(SourceId.AGENT_LOCAL, {name: entries}).survey().sightings[name]
    findings = list(sighting.findings)
    if sighting.head is not None:
        document = parse(entries["SKILL.md"].data, name)
        tree = SkillTree({ResourcePath(item.path): entries[item.path] for item in sighting.inventory})
        findings += lint(document, tree, re.findall(r"\]\(([^)]+)\)", document.body))
    return findings


def test_every_code_has_one_entry() -> None:
    """The page tells each code once, in the order of the table, and knows no other."""
    headings = re.findall(r"^#+ .*(KS\d+).*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == [entry.code for entry in entries()] == list(RULES)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.code)
def test_an_entry_says_what_the_rule_says(entry: Entry) -> None:
    """Severity, title and fix are the rule's own."""
    rule = RULES[entry.code]
    assert (entry.severity, entry.title, entry.fix) == (rule.severity, rule.title, rule.fix)


def test_every_entry_has_an_example() -> None:
    """Only what takes a second writer cannot be shown."""
    assert {entry.code for entry in entries() if entry.example is None} == WITHOUT_EXAMPLE


@pytest.mark.parametrize("entry", [e for e in entries() if e.kind == "markdown"], ids=lambda entry: entry.code)
def test_a_file_has_the_fault_that_it_stands_under(entry: Entry) -> None:
    """The example has one finding, of that code, at a line and column, with a fix."""
    assert entry.example is not None
    head, findings = examine(encoded(entry.example), entry.folder)
    assert [found.code for found in findings] == [entry.code]
    assert all(found.line and found.column and found.fix for found in findings)
    assert (head is None) == (entry.severity == "error")


@pytest.mark.parametrize("entry", [e for e in entries() if e.kind == "text"], ids=lambda entry: entry.code)
def test_a_folder_has_the_fault_that_it_stands_under(entry: Entry) -> None:
    """The example has findings of that code, and of no other."""
    assert entry.example is not None
    assert {found.code for found in findings_of_listing(entry.example)} == {entry.code}


def test_the_first_example_is_a_skill() -> None:
    """The page begins with a skill that has nothing to find."""
    found = re.search(r"```markdown\n(.*?)```", FORMAT.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    head, findings = examine(found[1].encode(), "deploy")
    assert head is not None
    assert findings == ()


def rows() -> list[tuple[str, str]]:
    """The table of values and what they are read as."""
    found = re.findall(r"^\| `(\w+: [^`]*)` \| (.+) \|$", FORMAT.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) == 6
    return found


@pytest.mark.parametrize(("line", "verdict"), rows())
def test_the_table_of_values_is_true(line: str, verdict: str) -> None:
    """Each value is text or refused as the table says, with the fix that it gives."""
    name = "on" if line.startswith("name: on") else "123" if line.startswith("name") else "deploy"
    fields = {"name": f"name: {name}", "description": "description: x", line.partition(":")[0]: line}
    head, findings = examine(f"---\n{fields['name']}\n{fields['description']}\n---\nx\n".encode(), name)
    if verdict.startswith("refused"):
        written = re.search(r"Write (`.*`)", verdict)
        assert written
        assert [found.fix for found in findings] == [f"write {written[1]}"]
        return
    assert head is not None
    assert (findings != ()) == ("warning" in verdict)
    text = re.search(r"the text `(.*?)`", verdict)
    assert (text[1] if text else line.partition(": ")[2]) in (head.name, head.description)
