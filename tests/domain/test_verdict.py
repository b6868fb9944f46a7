"""The verdict on a folder that is not on any disk yet."""

from __future__ import annotations

from attrs import evolve

from kestrel_skills_adapters.memory.files import Entry, MemorySkillFiles, Odd
from kestrel_skills_core.domain.names import SkillName, SourceId, resource_path
from kestrel_skills_core.domain.tree import Content, SkillTree
from kestrel_skills_core.domain.verdict import verdict_after, verdict_on

NAME = SkillName("lint")
DOCUMENT = Content(b"---\nname: lint\ndescription: Use when testing.\n---\n\nRun it.\n")
OTHER = Content(b"---\nname: lint\ndescription: Use when it rains.\n---\n\nRun it.\n")
FOREIGN = Content(b"---\nname: lint\ndescription: Use when testing.\nlicense: MIT\n---\n\nRun it.\n")
BROKEN = Content(b"---\nname: other\ndescription: Use when testing.\n---\n\nRun it.\n")
MORE: dict[str, Entry] = {"a/b/c.sh": Content(b"#!/bin/sh\n", executable=True), "a/b.md": Content(b"b")}
ODD: dict[str, Entry] = {"latest": Odd("link"), "notes~": Content(b"old")}


def seen(entries: dict[str, Entry]):
    """What a root in memory tells of a folder with these entries, with its tree."""
    return MemorySkillFiles(SourceId.HOST_SHARED, {NAME: entries}).read(NAME)


def tree(entries: dict[str, Entry]) -> SkillTree:
    """The files of these entries."""
    return SkillTree({resource_path(path): each for path, each in entries.items() if isinstance(each, Content)})


def test_a_tree_is_judged_as_a_folder_would_be() -> None:
    """Head, inventory, revision and findings are those of a survey of the same files."""
    for document in (DOCUMENT, BROKEN):
        entries = {"SKILL.md": document, **MORE, "bin.dat": Content(b"\0")}
        assert verdict_on(NAME, tree(entries)) == evolve(seen(entries).sighting, stamps=None)


def test_what_follows_an_edit_is_what_a_survey_would_see() -> None:
    """What is not inventoried stays as it was seen: links and litter, with what is said of them."""
    for before, after in ((DOCUMENT, OTHER), (DOCUMENT, BROKEN), (BROKEN, DOCUMENT), (OTHER, FOREIGN)):
        was = seen({"SKILL.md": before, **MORE, **ODD})
        now = seen({"SKILL.md": after, **MORE, **ODD})
        assert verdict_after(was.sighting, was.tree, now.tree) == evolve(now.sighting, stamps=None)


def test_a_folder_with_a_link_is_no_skill_whatever_its_text() -> None:
    """A fault beside the text stays a fault."""
    was = seen({"SKILL.md": BROKEN, "latest": Odd("link")})
    now = verdict_after(was.sighting, was.tree, tree({"SKILL.md": DOCUMENT}))
    assert now.head is None
    assert [fault.code for fault in now.faults] == ["KS303"]
