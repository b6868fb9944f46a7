"""What every reader of a source root keeps, on a disk or not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from kestrel_skills_core.domain.errors import SkillAbsent, SourceUnavailable, TooLarge
from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId, is_of_this_line
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.world import Chance

from ..memory.files import Odd
from ..memory.world import CountedChance
from .roots import Root, document, drawn

__all__ = ["Made", "SkillFilesContract"]

KNOTS, GOOD, SHELLS = SkillName("knots"), SkillName("zz-good"), SkillName("shells")

DOCUMENT = ResourcePath("SKILL.md")

KIB = 1024

LOCAL, SHARED = SourceId.AGENT_LOCAL, SourceId.HOST_SHARED

Made = Callable[[Path, SourceId, Chance | None], Root]
"""Makes an empty root below a folder, for a source. Only the agent's own, and with chance, gives its skills markers."""


def draw(root: Root, text: str) -> None:
    """Put everything into the root that the text draws."""
    for path, entry in drawn(text).items():
        root.put(path, entry)


def sightings(root: Root) -> dict[str, Sighting]:
    """What a first survey sees."""
    survey = root.files.survey()
    assert survey.problem is None
    return dict(survey.sightings)


def codes(sighting: Sighting) -> list[tuple[str, str]]:
    """Which rule is broken where."""
    return [(finding.code, finding.file) for finding in sighting.findings]


HOSTILE = {
    "no document": ("knots/\n  README.md\n", [("KS301", "SKILL.md")]),
    "empty folder": ("knots/\n", [("KS301", "SKILL.md")]),
    "misspelt document": ("knots/\n  Skill.md\n", [("KS302", "Skill.md")]),
    "document is a link": ("knots/\n  SKILL.md -> /etc/passwd\n", [("KS303", "SKILL.md")]),
    "document is a FIFO": ("knots/\n  SKILL.md|\n", [("KS304", "SKILL.md")]),
    "document is a folder": ("knots/\n  SKILL.md/\n    x\n", [("KS301", "SKILL.md")]),
    "bad document": ("knots/\n  SKILL.md = hello\n", [("KS101", "SKILL.md")]),
    "resource is a link": ("knots/\n  SKILL.md\n  references -> /\n", [("KS303", "references")]),
    "resource is a FIFO": ("knots/\n  SKILL.md\n  pipe|\n", [("KS304", "pipe")]),
    "link in a folder": ("knots/\n  SKILL.md\n  a/\n    loop -> .\n", [("KS303", "a/loop")]),
    "reserved name": ("knots/\n  SKILL.md\n  a/\n    .kestrel-generation\n", [("KS312", "a/.kestrel-generation")]),
    "bad path": ("knots/\n  SKILL.md\n  a\\b\n", [("KS310", "a\\b")]),
    "bad provenance": ("knots/\n  SKILL.md\n  .kestrel-provenance.json = {\n", [("KS314", ".kestrel-provenance.json")]),
    "marker is a link": ("knots/\n  SKILL.md\n  .kestrel-generation -> x\n", [("KS303", ".kestrel-generation")]),
    "marker is a folder": ("knots/\n  SKILL.md\n  .kestrel-generation/\n", [("KS312", ".kestrel-generation")]),
    "itself a link": ("knots -> /etc\n", [("KS303", ".")]),
}


def linked(root: Root) -> None:
    """Let a link have the place of a file."""
    root.drop("knots/a/b.md")
    root.put("knots/a/b.md", Odd("link"))


CHANGES: dict[str, Callable[[Root], None]] = {
    "other bytes": lambda root: root.put("knots/a/b.md", Content(b"other")),
    "as many bytes": lambda root: root.put("knots/a/b.md", Content(b"B.MD")),
    "executable": lambda root: root.put("knots/a/b.md", Content(b"b.md", executable=True)),
    "one more file": lambda root: root.put("knots/a/c.md", Content(b"c")),
    "one file less": lambda root: root.drop("knots/a/b.md"),
    "another name": lambda root: root.move("knots/a/b.md", "knots/a/c.md"),
    "link in a file's place": linked,
    "document gone": lambda root: root.drop("knots/SKILL.md"),
    "provenance": lambda root: root.put("knots/.kestrel-provenance.json", Content(b"{")),
    "litter": lambda root: root.put("knots/.DS_Store", Content(b"")),
}


class SkillFilesContract:
    """Every reader of a source root, on a disk or not. The fixture `made` makes an empty root."""

    @pytest.fixture
    def shared(self, made: Made, tmp_path: Path) -> Root:
        """An empty host-shared root, which is never written."""
        return made(tmp_path, SHARED, None)

    @pytest.fixture
    def local(self, made: Made, tmp_path: Path) -> Root:
        """An empty agent-local root whose folders are given markers."""
        return made(tmp_path, LOCAL, CountedChance())

    # What a survey sees.

    def test_an_empty_root_has_no_skills(self, shared: Root) -> None:
        """Nothing there is nothing wrong."""
        survey = shared.files.survey()
        assert dict(survey.sightings) == {}
        assert survey.problem is None

    def test_a_survey_says_whose_it_is(self, shared: Root, made: Made, tmp_path: Path) -> None:
        """A shared root is named by a digest of its path; the agent's own has no name."""
        (tmp_path / "own").mkdir()
        local = made(tmp_path / "own", LOCAL, None)
        assert (shared.files.source, shared.files.survey().source) == (SHARED, SHARED)
        assert (local.files.source, local.files.survey().source) == (LOCAL, LOCAL)
        assert (local.files.root, local.files.survey().root) == (None, None)
        assert shared.files.root == shared.files.survey().root
        assert len(shared.files.root or "") == 64

    def test_a_skill_is_seen_whole(self, shared: Root) -> None:
        """Head, inventory in path order, revision, and nothing beside it."""
        draw(shared, "knots/\n  SKILL.md\n  scripts/\n    tie.sh* = #!/bin/sh\n  a.md = A\n")
        sighting = sightings(shared)["knots"]
        assert sighting.head is not None
        assert (sighting.head.name, sighting.head.description) == ("knots", "Use when knots are wanted.")
        assert [(item.path, item.size, item.executable) for item in sighting.inventory] == [
            ("SKILL.md", 68, False),
            ("a.md", 1, False),
            ("scripts/tie.sh", 9, True),
        ]
        assert [item.sha256 for item in sighting.inventory] == [
            hashlib.sha256(content).digest() for content in (document("knots"), b"A", b"#!/bin/sh")
        ]
        assert (sighting.findings, sighting.unlisted, sighting.generation, sighting.provenance) == ((), (), None, None)

    def test_folders_come_in_order_of_their_names(self, shared: Root) -> None:
        """Whatever order they were made in."""
        for name in ("shells", "zz-good", "Odd Name", "knots"):
            shared.put(f"{name}/SKILL.md", Content(document(name)))
        assert list(sightings(shared)) == ["Odd Name", "knots", "shells", "zz-good"]

    def test_what_is_no_folder_is_passed_over(self, shared: Root) -> None:
        """Files, FIFOs, hidden folders, and links with a dot in their names are nobody's skills."""
        draw(shared, "README.md\npipe|\n.hidden/\n  SKILL.md\nnotes.md -> x\n.link -> x\nknots/\n  SKILL.md\n")
        assert list(sightings(shared)) == ["knots"]

    def test_a_link_in_a_folders_place_is_rejected(self, shared: Root) -> None:
        """It is an entry, not a gap, and is not followed."""
        draw(shared, "knots -> /elsewhere\n")
        sighting = sightings(shared)["knots"]
        assert codes(sighting) == [("KS303", ".")]
        assert (sighting.head, sighting.inventory) == (None, ())

    def test_a_folder_without_a_skill_name_is_told_of_unopened(self, shared: Root) -> None:
        """Its fault is its name, and nothing in it is looked at."""
        draw(shared, "Odd Name/\n  SKILL.md\n")
        sighting = sightings(shared)["Odd Name"]
        assert codes(sighting) == [("KS316", ".")]
        assert sighting.inventory == ()

    def test_provenance_is_read_and_is_no_content(self, shared: Root) -> None:
        """A folder with a git record belongs to git; its revision is that of its content alone."""
        draw(shared, "knots/\n  SKILL.md\n")
        before = sightings(shared)["knots"]
        record = b'{"schema": 2, "kind": "git", "commit": "' + b"a1" * 20 + b'"}'
        shared.put("knots/.kestrel-provenance.json", Content(record))
        after = sightings(shared)["knots"]
        assert after.provenance is not None
        assert after.provenance.source is SourceId.GIT
        assert (after.revision, after.inventory, after.unlisted) == (before.revision, before.inventory, ())

    def test_what_is_left_out_is_listed_beside_the_inventory(self, shared: Root) -> None:
        """Litter is listed, with all below it; the skill stands."""
        draw(shared, "knots/\n  SKILL.md\n  .DS_Store\n  __pycache__/\n    a.txt\n  .git/\n    config\n")
        sighting = sightings(shared)["knots"]
        assert sighting.head is not None
        assert sighting.unlisted is not None
        assert [(entry.path, entry.kind) for entry in sighting.unlisted] == [
            (".DS_Store", "file"),
            (".git", "folder"),
            ("__pycache__", "folder"),
            ("__pycache__/a.txt", "file"),
        ]

    @pytest.mark.parametrize("case", list(HOSTILE))
    def test_a_broken_folder_changes_nothing_for_another(self, local: Root, case: str) -> None:
        """It is told of with its faults; its sibling is what it would be alone; a read says what the survey said."""
        text, faults = HOSTILE[case]
        draw(local, "zz-good/\n  SKILL.md\n  a.md\n")
        local.files.survey()
        alone = sightings(local)["zz-good"]
        draw(local, text)
        found = sightings(local)
        assert found["zz-good"] == alone
        assert codes(found["knots"]) == faults
        assert found["knots"].head is None
        published = local.files.read(KNOTS)
        assert evolve(published.sighting, stamps=None) == evolve(found["knots"], stamps=None)
        assert published.tree.inventory == found["knots"].inventory

    @pytest.mark.parametrize(
        "fill",
        [
            lambda root: [root.put(f"knots/{number}", Content(b"")) for number in range(512)],
            lambda root: [root.put(f"knots/{number}.md", Content(b"x" * (256 * KIB))) for number in range(8)],
        ],
        ids=["513 entries", "over 2 MiB"],
    )
    def test_a_folder_beyond_the_caps_is_told_of_and_not_read(
        self, local: Root, fill: Callable[[Root], object]
    ) -> None:
        """A survey goes on; reading that one folder is refused; one file of it can still be had."""
        draw(local, "knots/\n  SKILL.md\nzz-good/\n  SKILL.md\n")
        fill(local)
        found = sightings(local)
        assert found["zz-good"].head is not None
        assert [finding.code for finding in found["knots"].faults] in (["KS308"], ["KS307"])
        assert (found["knots"].inventory, found["knots"].unlisted) == ((), None)
        with pytest.raises(TooLarge):
            local.files.read(KNOTS)
        assert local.files.read_resource(KNOTS, DOCUMENT) == document("knots")

    def test_a_folder_of_too_many_entries_is_refused_unseen(self, local: Root) -> None:
        """Beyond 4,096, left-out ones included, there is one fault, and nothing else is told."""
        draw(local, "knots/\n  SKILL.md = bad\nzz-good/\n  SKILL.md\n")
        for number in range(4096):
            local.put(f"knots/{number}.pyc", Content(b""))
        found = sightings(local)
        assert codes(found["knots"]) == [("KS308", ".")]
        assert (found["knots"].inventory, found["knots"].unlisted, found["knots"].generation) == ((), None, None)
        assert found["zz-good"].head is not None
        with pytest.raises(TooLarge):
            local.files.read(KNOTS)

    def test_a_root_may_hold_4096_entries(self, shared: Root) -> None:
        """Hidden and stray ones included; one more, and the root is refused as a whole."""
        draw(shared, "knots/\n  SKILL.md\n")
        for number in range(4095):
            shared.put(f".{number}", Content(b""))
        assert list(sightings(shared)) == ["knots"]
        assert shared.files.survey().entries == 4096
        shared.put("stray", Content(b""))
        survey = shared.files.survey()
        assert isinstance(survey.problem, TooLarge)
        assert dict(survey.sightings) == {}
        assert shared.files.read(KNOTS).sighting.head is not None

    def test_a_full_root_stays_readable_once_its_folders_are_marked(self, local: Root) -> None:
        """What this library puts into a root is not charged to it: the last place stays the author's."""
        draw(local, "knots/\n  SKILL.md\n")
        for number in range(4095):
            local.put(f".{number}", Content(b""))
        for _ in range(2):
            assert local.files.survey().problem is None
            assert sightings(local)["knots"].generation is not None

    def test_a_root_that_is_gone_is_a_problem_and_not_an_error(self, local: Root) -> None:
        """The survey says so in one line with a fix; reading raises it."""
        draw(local, "knots/\n  SKILL.md\n")
        local.take_away()
        survey = local.files.survey()
        assert isinstance(survey.problem, SourceUnavailable)
        assert str(survey.problem) == "the agent-local skills cannot be read: it does not exist"
        assert survey.problem.fix
        assert dict(survey.sightings) == {}
        with pytest.raises(SourceUnavailable):
            local.files.read(KNOTS)
        with pytest.raises(SourceUnavailable):
            local.files.read_resource(KNOTS, DOCUMENT)

    # What a second survey opens.

    def test_what_did_not_change_is_the_same_sighting(self, shared: Root) -> None:
        """The very object; so too for rejected folders."""
        draw(
            shared, "knots/\n  SKILL.md\n  a/\n    b\nshells/\n  SKILL.md = bad\nzz-good/\n  SKILL.md\n  .git/\n    x\n"
        )
        first = shared.files.survey()
        second = shared.files.survey(first)
        assert list(second.sightings) == ["knots", "shells", "zz-good"]
        assert all(second.sightings[name] is first.sightings[name] for name in first.sightings)

    @pytest.mark.parametrize("change", list(CHANGES))
    def test_a_changed_folder_is_seen_anew_and_the_others_are_not(self, shared: Root, change: str) -> None:
        """Whatever changed in it, the new sighting is what a first survey would see; its neighbours' are kept."""
        draw(shared, "knots/\n  SKILL.md\n  a/\n    b.md\nzz-good/\n  SKILL.md\n")
        first = shared.files.survey()
        CHANGES[change](shared)
        second = shared.files.survey(first)
        assert second.sightings["zz-good"] is first.sightings["zz-good"]
        assert evolve(second.sightings["knots"], stamps=None) != evolve(first.sightings["knots"], stamps=None)
        assert second.sightings["knots"] == shared.files.survey().sightings["knots"]

    def test_an_empty_folder_is_no_content(self, shared: Root) -> None:
        """The folder is looked at again, and its revision stays."""
        draw(shared, "knots/\n  SKILL.md\n")
        first = shared.files.survey()
        shared.put("knots/empty", Odd("folder"))
        second = shared.files.survey(first)
        assert second.sightings["knots"] is not first.sightings["knots"]
        assert second.sightings["knots"].revision == first.sightings["knots"].revision

    def test_folders_come_and_go(self, shared: Root) -> None:
        """A new folder is seen, one that is gone is not, and one that was renamed is judged by its new name."""
        draw(shared, "knots/\n  SKILL.md\nshells/\n  SKILL.md\nzz-good/\n  SKILL.md\n")
        first = shared.files.survey()
        shared.drop("knots")
        shared.move("shells", "stones")
        draw(shared, "ropes/\n  SKILL.md\n")
        second = shared.files.survey(first)
        assert list(second.sightings) == ["ropes", "stones", "zz-good"]
        assert second.sightings["zz-good"] is first.sightings["zz-good"]
        assert ("KS202", "SKILL.md") in codes(second.sightings["stones"])

    def test_a_problem_forgets_and_the_next_survey_finds_everything_again(self, shared: Root) -> None:
        """A survey after a failed one is a first survey."""
        draw(shared, "knots/\n  SKILL.md\n")
        for number in range(4096):
            shared.put(f".{number}", Content(b""))
        failed = shared.files.survey(shared.files.survey())
        assert failed.problem is not None
        shared.drop(".7")
        assert list(shared.files.survey(failed).sightings) == ["knots"]

    # Markers.

    def test_a_survey_gives_each_folder_a_marker_once(self, local: Root) -> None:
        """Each another one; the next survey finds and keeps them."""
        draw(local, "knots/\n  SKILL.md\nshells/\n  SKILL.md\n")
        first = sightings(local)
        generations = [first[name].generation for name in ("knots", "shells")]
        assert all(generation is not None and is_of_this_line(generation) for generation in generations)
        assert len(set(generations)) == 2
        again = sightings(local)
        assert [again[name].generation for name in ("knots", "shells")] == generations
        assert local.marker("knots") == f"kestrel-skill-generation-v1:{generations[0]}\n".encode()

    def test_a_read_gives_the_folder_a_marker(self, local: Root) -> None:
        """And a survey afterwards finds that one."""
        draw(local, "knots/\n  SKILL.md\nshells/\n  SKILL.md\n")
        generation = local.files.read(KNOTS).sighting.generation
        assert generation is not None
        assert local.marker("shells") is None
        assert sightings(local)["knots"].generation == generation

    def test_a_marker_that_is_there_is_kept(self, local: Root) -> None:
        """Whoever wrote it."""
        draw(local, f"knots/\n  SKILL.md\n  .kestrel-generation = kestrel-skill-generation-v1:{'ab' * 32}\n")
        local.put("knots/.kestrel-generation", Content(b"kestrel-skill-generation-v1:" + b"ab" * 32 + b"\n"))
        assert sightings(local)["knots"].generation == "ab" * 32
        assert local.files.read(KNOTS).sighting.generation == "ab" * 32

    @pytest.mark.parametrize(
        "content", [b"", b"hello\n", b"x" * 300, b"\xff\0"], ids=["empty", "text", "long", "bytes"]
    )
    def test_a_malformed_marker_is_replaced(self, local: Root, content: bytes) -> None:
        """It counts as missing."""
        draw(local, "knots/\n  SKILL.md\n")
        local.put("knots/.kestrel-generation", Content(content))
        sighting = sightings(local)["knots"]
        assert sighting.generation is not None
        assert sighting.findings == ()
        assert local.marker("knots") == f"kestrel-skill-generation-v1:{sighting.generation}\n".encode()

    def test_a_malformed_marker_is_only_told_of_where_nothing_is_written(self, shared: Root) -> None:
        """In a shared root it stays as it is."""
        draw(shared, "knots/\n  SKILL.md\n  .kestrel-generation = hello\n")
        assert codes(sightings(shared)["knots"]) == [("KS510", ".kestrel-generation")]
        assert shared.marker("knots") == b"hello"

    @pytest.mark.parametrize("entry", [Odd("link"), Odd("other"), Odd("folder")], ids=["link", "FIFO", "folder"])
    def test_what_is_not_even_a_file_is_not_replaced(self, local: Root, entry: Odd) -> None:
        """Such a folder goes without a generation."""
        draw(local, "knots/\n  SKILL.md\n")
        local.put("knots/.kestrel-generation", entry)
        assert sightings(local)["knots"].generation is None
        assert local.files.read(KNOTS).sighting.generation is None
        assert local.marker("knots") is None

    def test_rejected_folders_are_marked_too(self, local: Root) -> None:
        """So that a deletion of them can be approved."""
        draw(local, "knots/\n  SKILL.md = bad\n  x -> y\n")
        assert sightings(local)["knots"].generation is not None

    def test_folders_that_are_not_opened_are_not_marked(self, local: Root) -> None:
        """One without a skill name, and a hidden one."""
        draw(local, "Odd Name/\n  SKILL.md\n.hidden/\n  SKILL.md\n")
        assert sightings(local)["Odd Name"].generation is None
        assert (local.marker("Odd Name"), local.marker(".hidden")) == (None, None)

    def test_a_shared_root_is_never_written(self, shared: Root, made: Made, tmp_path: Path) -> None:
        """Nor is an agent-local one without chance, nor a shared one with it."""
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        for root in (shared, made(tmp_path / "a", SHARED, CountedChance()), made(tmp_path / "b", LOCAL, None)):
            draw(root, "knots/\n  SKILL.md\n")
            assert sightings(root)["knots"].generation is None
            assert root.files.read(KNOTS).sighting.generation is None
            assert root.marker("knots") is None

    def test_an_edit_keeps_the_generation_and_a_new_birth_does_not(self, local: Root) -> None:
        """Deleting and making again the same content is another skill."""
        draw(local, "knots/\n  SKILL.md\n")
        before = sightings(local)["knots"]
        local.put("knots/a.md", Content(b"a"))
        assert sightings(local)["knots"].generation == before.generation
        local.drop("knots")
        draw(local, "knots/\n  SKILL.md\n")
        after = sightings(local)["knots"]
        assert after.revision == before.revision
        assert after.generation not in (None, before.generation)

    # Reading.

    def test_a_read_gives_every_inventoried_byte(self, local: Root) -> None:
        """And nothing that is left out, reserved, or this library's own."""
        draw(
            local,
            "knots/\n  SKILL.md\n  run*\n  a/\n    b.md = B\n  .DS_Store\n  x.pyc\n  .kestrel-provenance.json = {}\n",
        )
        published = local.files.read(KNOTS)
        assert dict(published.tree.files) == {
            "SKILL.md": Content(document("knots")),
            "a/b.md": Content(b"B"),
            "run": Content(b"run*", executable=True),
        }
        assert published.tree.inventory == published.sighting.inventory
        assert published.tree.revision == published.sighting.revision

    def test_a_read_says_what_a_survey_says(self, local: Root) -> None:
        """The same sighting, but for what the adapter keeps of the disk."""
        draw(local, "knots/\n  SKILL.md\n  a.md\n  .DS_Store\n")
        seen = sightings(local)["knots"]
        assert evolve(local.files.read(KNOTS).sighting, stamps=None) == evolve(seen, stamps=None)

    def test_a_read_sees_what_is_there_now(self, shared: Root) -> None:
        """Whatever a survey saw before."""
        draw(shared, "knots/\n  SKILL.md\n  a.md = one\n")
        shared.files.survey()
        shared.put("knots/a.md", Content(b"two"))
        assert shared.files.read(KNOTS).tree.files[ResourcePath("a.md")].data == b"two"

    def test_a_rejected_folder_can_be_read(self, shared: Root) -> None:
        """So that a person can repair it."""
        draw(shared, "knots/\n  SKILL.md = bad\n  a.md\n  x -> y\n")
        published = shared.files.read(KNOTS)
        assert published.sighting.head is None
        assert list(published.tree.files) == ["SKILL.md", "a.md"]

    def test_a_file_that_is_too_large_does_not_hide_the_others(self, shared: Root) -> None:
        """They are read; it is told of, and is not in the tree."""
        draw(shared, "knots/\n  SKILL.md\n")
        shared.put("knots/big", Content(b"x" * (256 * KIB + 1)))
        published = shared.files.read(KNOTS)
        assert codes(published.sighting) == [("KS305", "big")]
        assert list(published.tree.files) == ["SKILL.md"]

    @pytest.mark.parametrize("text", ["", "knots = a file\n", "knots|\n"], ids=["nothing", "file", "FIFO"])
    def test_what_is_no_folder_is_absent(self, shared: Root, text: str) -> None:
        """For reading, and for reading one file."""
        draw(shared, f"zz-good/\n  SKILL.md\n{text}")
        with pytest.raises(SkillAbsent) as caught:
            shared.files.read(KNOTS)
        assert str(caught.value) == "there is no skill 'knots'"
        with pytest.raises(SkillAbsent):
            shared.files.read_resource(KNOTS, DOCUMENT)

    # Reading one file.

    def test_one_file_is_given_byte_for_byte(self, shared: Root) -> None:
        """At the top or below, text or not."""
        draw(shared, "knots/\n  SKILL.md\n  a/\n    b/\n      c.md = C\n")
        shared.put("knots/x.png", Content(b"\x89PNG\0"))
        assert shared.files.read_resource(KNOTS, DOCUMENT) == document("knots")
        assert shared.files.read_resource(KNOTS, ResourcePath("a/b/c.md")) == b"C"
        assert shared.files.read_resource(KNOTS, ResourcePath("x.png")) == b"\x89PNG\0"

    def test_one_file_of_a_rejected_folder_can_be_read(self, shared: Root) -> None:
        """Whatever the folder's faults."""
        draw(shared, "knots/\n  SKILL.md = bad\n  x -> y\n")
        assert shared.files.read_resource(KNOTS, DOCUMENT) == b"bad"

    @pytest.mark.parametrize("path", ["none", "a", "link", "pipe", "a/none", "SKILL.md/x", "link/x", "x" * 300])
    def test_what_is_no_file_is_absent(self, shared: Root, path: str) -> None:
        """Nothing there, a folder, a link, a FIFO, or a path through one of them."""
        draw(shared, "knots/\n  SKILL.md\n  a/\n    b.md\n  link -> /etc\n  pipe|\n")
        with pytest.raises(SkillAbsent) as caught:
            shared.files.read_resource(KNOTS, ResourcePath(path))
        assert caught.value.path == path

    @pytest.mark.parametrize(("size", "fits"), [(256 * KIB, True), (256 * KIB + 1, False)])
    def test_one_file_may_hold_256_kib(self, shared: Root, size: int, *, fits: bool) -> None:
        """One byte more is refused with both figures."""
        draw(shared, "knots/\n  SKILL.md\n")
        shared.put("knots/big", Content(b"x" * size))
        if fits:
            assert len(shared.files.read_resource(KNOTS, ResourcePath("big"))) == size
            return
        with pytest.raises(TooLarge) as caught:
            shared.files.read_resource(KNOTS, ResourcePath("big"))
        assert (caught.value.allowed, caught.value.found) == (262_144, 262_145)
