"""Comparing a skill with its record."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.findings import Finding, Rule
from kestrel_skills_core.domain.names import resource_path
from kestrel_skills_core.domain.provenance import Adapted, Provenance, installed
from kestrel_skills_core.domain.tree import Content, SkillTree
from kestrel_skills_core.domain.verify import Difference, Verification, verified
from tests.domain.given import paths, tree

BEFORE = tree(SKILL_md="x", a="a", b="b")
RECORD = Provenance(kind="folder", digest=BEFORE.revision, files=installed(BEFORE.inventory))


def told(record: Provenance | None, now: SkillTree) -> tuple[str, list[tuple[str, str]] | None]:
    """The verdict, and each difference."""
    found = verified(record, now)
    return found.verdict, None if found.differences is None else [(each.path, each.what) for each in found.differences]


def test_as_installed() -> None:
    """Nothing differs."""
    assert told(RECORD, BEFORE) == ("as installed", [])


def test_edited_file_by_file() -> None:
    """What was added, changed or removed, in the order of the paths."""
    now = tree(SKILL_md="y", a="a", c="b")
    assert told(RECORD, now) == ("edited here", [("SKILL.md", "changed"), ("b", "removed"), ("c", "added")])


def test_a_file_that_can_be_run_is_another() -> None:
    """Its bytes are the same, and that is told; where both changed, it is changed."""
    path = resource_path("a")
    for data, what in ((b"a", "mode"), (b"b", "changed")):
        now = SkillTree({**BEFORE.files, path: Content(data, executable=True)})
        assert told(RECORD, now) == ("edited here", [("a", what)])


def test_a_record_that_cannot_be_read_is_not_one_that_is_not_there() -> None:
    """The reason comes along."""
    why = Finding(rules.BAD_PROVENANCE, ".kestrel-provenance.json", "it is not JSON")
    found = verified(None, BEFORE, (), why)
    assert (found.verdict, found.intact, found.unread) == ("record unreadable", None, why)
    assert verified(None, BEFORE).verdict == "not recorded"


@pytest.mark.parametrize("rule", [rules.LINK, rules.LARGE_FILE, rules.UNREADABLE, rules.BAD_PATH])
def test_what_was_not_read_was_not_installed(rule: Rule) -> None:
    """A link, or a file that is too large, is in no revision, and yet not as installed."""
    findings = [Finding(rule, "c.bin", "x"), Finding(rules.LEFT_OUT, ".DS_Store", "x")]
    found = verified(RECORD, BEFORE, findings)
    assert (found.verdict, found.differences) == ("edited here", (Difference("c.bin", "added"),))
    now = SkillTree({path: content for path, content in BEFORE.files.items() if path != "a"})
    found = verified(RECORD, now, [Finding(rule, "a", "x")])
    assert (found.verdict, found.differences) == ("edited here", (Difference("a", "changed"),))
    assert verified(evolve(RECORD, files=None), BEFORE, findings).verdict == "edited here"
    assert verified(RECORD, BEFORE, [Finding(rules.BINARY_FILE, "a", "x")]).verdict == "as installed"


@pytest.mark.parametrize(
    ("record", "verdict"),
    [
        (None, ("not recorded", None)),
        (Provenance(kind="folder"), ("not recorded", None)),
        (evolve(RECORD, files=None), ("as installed", None)),
        (evolve(RECORD, files=None, digest="12" * 32), ("edited here", None)),
        (evolve(RECORD, digest=None), ("as installed", [])),
        (
            evolve(RECORD, digest=None, files={}),
            ("edited here", [("SKILL.md", "added"), ("a", "added"), ("b", "added")]),
        ),
    ],
)
def test_what_was_not_recorded_is_not_told(record: Provenance | None, verdict) -> None:
    """The digest decides where there is one, and otherwise the files."""
    assert told(record, BEFORE) == verdict


HEAD = "---\nname: a\ndescription: b\nx: y\n---\n"
MADE = '---\nname: "a"\ndescription: "b"\n---\nDo.\n'


@pytest.mark.parametrize(
    ("document", "state"), [(MADE, "made"), (f"{HEAD}Do.\n", "undone"), (f"{MADE}More.\n", "edited"), (None, "edited")]
)
def test_how_an_adaptation_stands(document: str | None, state: str) -> None:
    """Made, undone, or edited since; a document that is gone was edited."""
    (made,) = installed(tree(SKILL_md=MADE).inventory).values()
    adapted = Adapted("cd" * 32, HEAD, ("the field `x` is lifted out",), (), made.sha256)
    now = tree(a="a") if document is None else tree(SKILL_md=document)
    found = verified(Provenance(kind="adapted", adapted=adapted), now)
    assert (found.adaptation, found.record) == (state, adapted)


def test_without_an_adaptation_there_is_no_state() -> None:
    """Nor where only files were left out."""
    left_out = Provenance(kind="folder", adapted=Adapted("cd" * 32, HEAD, (), ("x",)))
    assert verified(left_out, BEFORE).adaptation is None
    assert verified(RECORD, BEFORE).adaptation is None
    assert (verified(RECORD, BEFORE).record, verified(None, BEFORE).record) == (None, None)
    assert verified(None, BEFORE) == Verification(provenance=None)


contents = st.dictionaries(paths, st.builds(Content, st.binary(max_size=2), st.booleans()), max_size=5)


@given(contents, contents)
def test_whatever_differs_is_told_and_nothing_else(before, now):
    """The differences are those of the two mappings, and there are none where the revisions are one."""
    was, is_now = SkillTree(before), SkillTree(now)
    record = Provenance(kind="folder", digest=was.revision, files=installed(was.inventory))
    found = verified(record, is_now)
    differs = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
    assert found.differences is not None
    assert {each.path for each in found.differences} == differs
    assert found.intact == (not differs)
    assert all(isinstance(each, Difference) for each in found.differences)
