"""What every root that may be changed keeps, on a disk or not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve

from kestrel_skills_core.domain.errors import (
    KeptAbsent,
    NotEditable,
    SkillAbsent,
    SkillExists,
    SourceUnavailable,
    StaleRevision,
    StoreFailed,
    TooLarge,
)
from kestrel_skills_core.domain.folder import Kind
from kestrel_skills_core.domain.kept import KeptEntry, KeptListing
from kestrel_skills_core.domain.names import Generation, ResourcePath, Revision, SkillName, SourceId, is_of_this_line
from kestrel_skills_core.domain.owner import Owner
from kestrel_skills_core.domain.provenance import Provenance
from kestrel_skills_core.domain.tree import Content, SkillTree
from kestrel_skills_core.ports.store import Fence, Kept, SkillStore, Swept

from ..memory.files import Odd
from .roots import StoreRoot, approval, discard, document, drawn, kept_files, never

__all__ = ["SkillStoreContract"]

KNOTS, SHELLS = SkillName("knots"), SkillName("shells")

DOCUMENT, NOTES, DEEP = ResourcePath("SKILL.md"), ResourcePath("notes.md"), ResourcePath("a/b/deep.md")

TOKEN = "ab" * 16

KIB = 1024

TREE = SkillTree(
    {
        DOCUMENT: Content(document("knots")),
        NOTES: Content(b"Bowline.\n"),
        ResourcePath("bin/tie.sh"): Content(b"#!/bin/sh\n", executable=True),
    }
)

KITE = Owner(agent="did:example:kite", table="sqlite", file="kestrel.db")

WREN = Owner(agent="did:example:wren", table="postgres")

TOO_LARGE = Content(bytes(256 * KIB + 1))

GIT = Provenance(
    kind="git", url="https://example.org/knots", commit="ab" * 20, installed_at=datetime(2026, 1, 2, tzinfo=UTC)
)


def shown(value: str | Content | Odd) -> str:
    """A short name for an entry."""
    return value if isinstance(value, str) else value.kind if isinstance(value, Odd) else f"{len(value.data)}-bytes"


def write(store: SkillStore, path: str, content: bytes, seen: Revision = TREE.revision) -> Revision:
    """Write one file of knots."""
    return store.write(KNOTS, ResourcePath(path), content, seen=seen, cancelled=never)


def remove(store: SkillStore, path: str, seen: Revision = TREE.revision) -> Revision:
    """Remove one file of knots."""
    return store.remove(KNOTS, ResourcePath(path), seen=seen, cancelled=never)


def revision(store: SkillStore) -> Revision:
    """What knots are now."""
    return store.read(KNOTS).sighting.revision


def changed(root: StoreRoot, **entries: Content | Odd | None) -> dict[str, object]:
    """What should be in sight: what was, and these; of names, `__` is a slash and `_` a dot."""
    found: dict[str, object] = dict(root.entries())
    for spelt, entry in entries.items():
        path = "knots/" + spelt.replace("__", "/").replace("_", ".")
        if entry is None:
            del found[path]
        else:
            found[path] = entry
    return found


def attempts(store: SkillStore) -> list[Callable[[], object]]:
    """Every change of one skill that is there."""
    approved = approval(store, SHELLS)
    return [
        lambda: write(store, "SKILL.md", b""),
        lambda: write(store, "new.md", b""),
        lambda: remove(store, "notes.md"),
        lambda: store.annotate(KNOTS, GIT, seen=TREE.revision, cancelled=never),
        lambda: store.retire(KNOTS, approved=evolve(approved, name=KNOTS), cancelled=never),
    ]


MARK_OF_0_1_0 = b'{"error":"row not written","name":"knots","priority":40,"version":1}'


def marks(store: SkillStore) -> Mapping[SkillName, Fence]:
    """All that are there, which can be read."""
    found = store.fenced()
    assert found is not None
    return found


NOTHING = KeptListing(TOKEN, KNOTS, (KeptEntry(".", "folder"),))

ODD: dict[str, Content | Odd] = {
    ".git/HEAD": Content(b"ref: refs/heads/main\n"),
    "__pycache__/a.pyc": Content(b"\0"),
    "empty": Odd("folder"),
    "large.bin": Content(bytes(300 * KIB)),
    "link": Odd("link"),
    "notes.md~": Content(b"older"),
    "pipe": Odd("other"),
    "run me\n": Content(b"#!/bin/sh\n", executable=True),
}
"""What is no part of a skill, and is a person's all the same."""

CERTAIN = ("file", "folder")
"""What has a size that every root tells alike."""


class SkillStoreContract:
    """Every root that may be changed, on a disk or not. The fixture `root` is an empty one."""

    @pytest.fixture
    def store(self, root: StoreRoot) -> SkillStore:
        """Its store."""
        return root.store

    @pytest.fixture
    def knots(self, root: StoreRoot) -> StoreRoot:
        """A root with one skill, published."""
        root.store.publish(KNOTS, TREE, cancelled=never)
        return root

    # Publishing.

    def test_what_is_published_is_read(self, store: SkillStore) -> None:
        """Byte for byte, executables included, with the revision that the tree has, and no fault."""
        generation = store.publish(KNOTS, TREE, cancelled=never)
        found = store.read(KNOTS)
        assert dict(found.tree.files) == dict(TREE.files)
        assert found.sighting.revision == TREE.revision
        assert found.sighting.generation == generation
        assert found.sighting.faults == ()
        assert found.sighting.unlisted == ()
        assert found.sighting.provenance is None

    def test_a_survey_sees_what_is_published(self, store: SkillStore) -> None:
        """And nothing of what this library keeps for itself."""
        store.publish(KNOTS, TREE, cancelled=never)
        assert list(store.survey().sightings) == ["knots"]

    def test_each_birth_has_a_generation_of_its_own(self, store: SkillStore) -> None:
        """The same tree, published again after it was deleted, is another skill."""
        first = store.publish(KNOTS, TREE, cancelled=never)
        store.retire(KNOTS, approved=approval(store, KNOTS), cancelled=never)
        second = store.publish(KNOTS, TREE, cancelled=never)
        assert first != second
        assert store.read(KNOTS).sighting.generation == second
        assert is_of_this_line(first)
        assert is_of_this_line(second)

    def test_a_provenance_is_published_with_the_tree(self, store: SkillStore) -> None:
        """It is no content: the revision is the same."""
        store.publish(KNOTS, TREE, GIT, cancelled=never)
        found = store.read(KNOTS).sighting
        assert found.provenance == GIT
        assert found.revision == TREE.revision

    @pytest.mark.parametrize("entry", [Odd("folder"), Odd("link"), Odd("other"), Content(b"text")], ids=shown)
    def test_a_taken_name_is_never_published_over(self, root: StoreRoot, entry: Content | Odd) -> None:
        """Whatever kind of entry has it, an empty folder and a broken link included, stays as it was."""
        root.put("knots", entry)
        before = root.entries()
        with pytest.raises(SkillExists):
            root.store.publish(KNOTS, TREE, cancelled=never)
        assert root.entries() == before

    def test_a_skill_is_never_published_over(self, knots: StoreRoot) -> None:
        """Nor is anything of it touched."""
        before = knots.entries()
        with pytest.raises(SkillExists):
            knots.store.publish(KNOTS, SkillTree({DOCUMENT: Content(b"other")}), cancelled=never)
        assert knots.entries() == before

    def test_a_full_root_takes_no_more(self, root: StoreRoot) -> None:
        """4,096 entries, files included, are what one root may hold."""
        for number in range(4096):
            root.put(f"file-{number}", Content(b""))
        with pytest.raises(TooLarge) as refusal:
            root.store.publish(KNOTS, TREE, cancelled=never)
        assert refusal.value.allowed == 4096
        assert "knots" not in root.entries()

    def test_a_tree_without_a_document_is_published_all_the_same(self, store: SkillStore) -> None:
        """What may be published is decided elsewhere."""
        store.publish(KNOTS, SkillTree({NOTES: Content(b"n")}), cancelled=never)
        assert store.read(KNOTS).sighting.faults

    def test_an_empty_tree_is_a_folder_with_a_marker(self, root: StoreRoot) -> None:
        """And nothing else."""
        root.store.publish(KNOTS, SkillTree({}), cancelled=never)
        assert sorted(root.entries()) == ["knots", "knots/.kestrel-generation"]

    # Writing: replacing a file.

    def test_a_file_is_replaced_and_nothing_else(self, knots: StoreRoot) -> None:
        """The marker and all other files stay; the revision that is given is what is read."""
        expected = changed(knots, SKILL_md=Content(b"new"))
        given = write(knots.store, "SKILL.md", b"new")
        assert knots.entries() == expected
        assert given == revision(knots.store) != TREE.revision

    def test_an_executable_stays_executable(self, knots: StoreRoot) -> None:
        """Its bytes change, its mode does not."""
        expected = changed(knots, bin__tie_sh=Content(b"#!/bin/bash\n", executable=True))
        given = write(knots.store, "bin/tie.sh", b"#!/bin/bash\n")
        assert knots.entries() == expected
        assert given == revision(knots.store)

    def test_a_file_may_be_written_with_what_it_holds(self, knots: StoreRoot) -> None:
        """The revision is then the same."""
        before = knots.entries()
        assert write(knots.store, "notes.md", b"Bowline.\n") == TREE.revision
        assert knots.entries() == before

    def test_a_file_may_become_empty(self, knots: StoreRoot) -> None:
        """And is there."""
        expected = changed(knots, notes_md=Content(b""))
        write(knots.store, "notes.md", b"")
        assert knots.entries() == expected

    def test_a_marker_survives_an_edit(self, knots: StoreRoot) -> None:
        """So that what was switched on stays on."""
        before = knots.marker("knots")
        write(knots.store, "SKILL.md", b"new")
        assert before is not None
        assert knots.marker("knots") == before

    def test_one_edit_follows_another(self, knots: StoreRoot) -> None:
        """Each names the revision that the one before gave."""
        seen = TREE.revision
        for number in range(5):
            seen = write(knots.store, "notes.md", str(number).encode(), seen)
        assert knots.store.read_resource(KNOTS, NOTES) == b"4"

    @pytest.mark.parametrize("path", ["SKILL.md", "new.md", "new/new.md"])
    def test_a_write_over_what_was_not_seen_changes_nothing(self, knots: StoreRoot, path: str) -> None:
        """The refusal says what was seen and what is there."""
        knots.put("knots/notes.md", Content(b"Sheet bend.\n"))
        before = knots.entries()
        with pytest.raises(StaleRevision) as refusal:
            write(knots.store, path, b"new")
        assert knots.entries() == before
        assert (refusal.value.seen, refusal.value.found) == (TREE.revision, revision(knots.store))
        assert refusal.value.kept is None

    def test_a_rejected_folder_is_edited_like_any_other(self, root: StoreRoot) -> None:
        """So that it can be repaired."""
        root.put("knots/SKILL.md", Content(b"no frontmatter"))
        assert root.store.read(KNOTS).sighting.faults
        write(root.store, "SKILL.md", document("knots"), revision(root.store))
        assert root.store.read(KNOTS).sighting.faults == ()

    def test_what_is_litter_or_a_link_beside_the_file_stays(self, knots: StoreRoot) -> None:
        """An edit touches one file."""
        knots.put("knots/.DS_Store", Content(b"\0\1"))
        knots.put("knots/link", Odd("link"))
        expected = changed(knots, notes_md=Content(b"new"))
        write(knots.store, "notes.md", b"new")
        assert knots.entries() == expected

    # Writing: adding a file.

    def test_a_file_is_added(self, knots: StoreRoot) -> None:
        """Not executable, beside the others, which stay."""
        expected = changed(knots, more_md=Content(b"more"))
        given = write(knots.store, "more.md", b"more")
        assert knots.entries() == expected
        assert given == revision(knots.store) != TREE.revision

    def test_a_file_is_added_with_the_folders_it_needs(self, knots: StoreRoot) -> None:
        """All of them come into sight together."""
        expected = changed(knots, a=Odd("folder"), a__b=Odd("folder"), a__b__deep_md=Content(b"deep"))
        given = write(knots.store, "a/b/deep.md", b"deep")
        assert knots.entries() == expected
        assert given == revision(knots.store)

    def test_a_file_is_added_in_a_folder_that_is_there(self, knots: StoreRoot) -> None:
        """Beside what is in it."""
        expected = changed(knots, bin__untie_sh=Content(b"#"))
        write(knots.store, "bin/untie.sh", b"#")
        assert knots.entries() == expected

    def test_a_document_is_added_to_a_folder_without_one(self, root: StoreRoot) -> None:
        """Which mends it."""
        root.put("knots/notes.md", Content(b"n"))
        write(root.store, "SKILL.md", document("knots"), revision(root.store))
        assert root.store.read(KNOTS).sighting.faults == ()

    @pytest.mark.parametrize(
        ("path", "entry"),
        [
            ("new.md", Odd("folder")),
            ("new.md", Odd("link")),
            ("new.md", Odd("other")),
            ("new.md", TOO_LARGE),
            ("new.md/inner.md", Odd("link")),
            ("new.md/inner.md", Odd("other")),
            ("new.md/inner.md", TOO_LARGE),
        ],
        ids=shown,
    )
    def test_what_was_not_read_is_never_written_over(self, knots: StoreRoot, path: str, entry: Content | Odd) -> None:
        """A folder, link or special file, or a file too large, in the way of a new file stays, and is told of."""
        knots.put("knots/new.md", entry)
        before = knots.entries()
        with pytest.raises(NotEditable):
            write(knots.store, path, b"new", revision(knots.store))
        assert knots.entries() == before

    def test_a_file_in_the_way_of_a_folder_stays(self, knots: StoreRoot) -> None:
        """A file cannot hold another."""
        before = knots.entries()
        with pytest.raises(NotEditable):
            write(knots.store, "notes.md/inner.md", b"new")
        assert knots.entries() == before

    @pytest.mark.parametrize("path", ["notes.md", "new.md"])
    def test_a_write_beyond_a_cap_changes_nothing(self, knots: StoreRoot, path: str) -> None:
        """One file of a skill holds at most 256 KiB."""
        before = knots.entries()
        with pytest.raises(TooLarge):
            write(knots.store, path, bytes(256 * KIB + 1))
        assert knots.entries() == before

    def test_a_skill_grows_to_its_cap_and_not_beyond(self, store: SkillStore) -> None:
        """2 MiB are what one skill may hold."""
        full = SkillTree({ResourcePath(f"{number}.md"): Content(b"x" * 256 * KIB) for number in range(8)})
        store.publish(KNOTS, full, cancelled=never)
        with pytest.raises(TooLarge):
            write(store, "one.md", b"x", full.revision)
        assert write(store, "0.md", b"x" * (256 * KIB - 1), full.revision) == revision(store)

    # Removing.

    def test_a_file_is_removed_and_nothing_else(self, knots: StoreRoot) -> None:
        """A folder that becomes empty stays, which is no content."""
        expected = changed(knots, bin__tie_sh=None)
        given = remove(knots.store, "bin/tie.sh")
        assert knots.entries() == expected
        assert given == revision(knots.store)
        assert given == SkillTree({DOCUMENT: Content(document("knots")), NOTES: Content(b"Bowline.\n")}).revision

    def test_a_removed_file_may_be_added_again(self, knots: StoreRoot) -> None:
        """Then the skill is what it was."""
        seen = remove(knots.store, "notes.md")
        assert write(knots.store, "notes.md", b"Bowline.\n", seen) == TREE.revision

    def test_the_document_is_never_removed(self, knots: StoreRoot) -> None:
        """A skill is its document; what deletes skills is another verb."""
        before = knots.entries()
        with pytest.raises(NotEditable):
            remove(knots.store, "SKILL.md")
        assert knots.entries() == before

    @pytest.mark.parametrize("path", ["absent.md", "absent/absent.md", "bin/absent.md"])
    def test_a_file_that_is_not_there_cannot_be_removed(self, knots: StoreRoot, path: str) -> None:
        """The refusal names it."""
        with pytest.raises(SkillAbsent) as refusal:
            remove(knots.store, path)
        assert refusal.value.path == path

    @pytest.mark.parametrize("entry", [Odd("folder"), Odd("link"), TOO_LARGE], ids=shown)
    def test_what_was_not_read_is_never_removed(self, knots: StoreRoot, entry: Content | Odd) -> None:
        """Nobody has seen what it holds."""
        knots.put("knots/big", entry)
        before = knots.entries()
        with pytest.raises(NotEditable):
            remove(knots.store, "big", revision(knots.store))
        assert knots.entries() == before

    def test_a_removal_from_what_was_not_seen_changes_nothing(self, knots: StoreRoot) -> None:
        """Even if the file itself is as it was."""
        knots.put("knots/other.md", Content(b"other"))
        before = knots.entries()
        with pytest.raises(StaleRevision):
            remove(knots.store, "notes.md")
        assert knots.entries() == before

    # Annotating.

    def test_a_provenance_is_added(self, knots: StoreRoot) -> None:
        """Nothing else changes; the revision stays."""
        before = knots.entries()
        knots.store.annotate(KNOTS, GIT, seen=TREE.revision, cancelled=never)
        found = knots.store.read(KNOTS).sighting
        assert found.provenance == GIT
        assert found.revision == TREE.revision
        assert {path for path in knots.entries() if path not in before} == {"knots/.kestrel-provenance.json"}

    def test_a_provenance_is_replaced(self, knots: StoreRoot) -> None:
        """Whatever was said before, readable or not."""
        knots.put("knots/.kestrel-provenance.json", Content(b"not JSON"))
        for said in (GIT, evolve(GIT, ref="main"), Provenance(kind="folder")):
            knots.store.annotate(KNOTS, said, seen=TREE.revision, cancelled=never)
            assert knots.store.read(KNOTS).sighting.provenance == said

    def test_what_stands_in_the_place_of_a_provenance_and_is_no_file_stays(self, knots: StoreRoot) -> None:
        """A folder, say."""
        knots.put("knots/.kestrel-provenance.json", Odd("folder"))
        before = knots.entries()
        with pytest.raises(NotEditable):
            knots.store.annotate(KNOTS, GIT, seen=TREE.revision, cancelled=never)
        assert knots.entries() == before

    def test_an_annotation_of_what_was_not_seen_changes_nothing(self, knots: StoreRoot) -> None:
        """It would say where other bytes came from."""
        knots.put("knots/notes.md", Content(b"other"))
        before = knots.entries()
        with pytest.raises(StaleRevision):
            knots.store.annotate(KNOTS, GIT, seen=TREE.revision, cancelled=never)
        assert knots.entries() == before

    # Retiring.

    def test_what_was_approved_is_gone(self, knots: StoreRoot) -> None:
        """All of it, marker and provenance, litter and links included; its neighbours stay."""
        knots.store.publish(SHELLS, TREE, cancelled=never)
        knots.store.annotate(KNOTS, GIT, seen=TREE.revision, cancelled=never)
        for path, entry in drawn("__pycache__/\n  a.pyc\n.DS_Store\nlink -> x\npipe|\nempty/\nbad\\name").items():
            knots.put(f"knots/{path}", entry)
        knots.store.retire(KNOTS, approved=approval(knots.store, KNOTS), cancelled=never)
        assert {path.partition("/")[0] for path in knots.entries()} == {"shells"}
        with pytest.raises(SkillAbsent):
            knots.store.read(KNOTS)
        assert knots.store.kept() == ()

    @pytest.mark.parametrize(
        "text",
        [
            "notes.md = other",
            "new.md",
            "bin/\n  tie.sh = #!/bin/sh\n",
            ".DS_Store",
            "link -> x",
            "pipe|",
            "__pycache__/\n  a",
        ],
    )
    def test_what_was_not_approved_stays(self, knots: StoreRoot, text: str) -> None:
        """A changed or new file, a lost mode, and everything beside the inventory are bound."""
        approved = approval(knots.store, KNOTS)
        for path, entry in drawn(text).items():
            knots.put(f"knots/{path}", entry)
        before = knots.entries()
        with pytest.raises(StaleRevision):
            knots.store.retire(KNOTS, approved=approved, cancelled=never)
        assert knots.entries() == before

    def test_other_bytes_beside_the_inventory_are_not_what_was_approved(self, knots: StoreRoot) -> None:
        """Though they are as many: what was not read is bound by more than its size."""
        knots.put("knots/notes.md~", Content(b"seen"))
        approved = approval(knots.store, KNOTS)
        knots.put("knots/notes.md~", Content(b"mine"))
        with pytest.raises(StaleRevision):
            knots.store.retire(KNOTS, approved=approved, cancelled=never)
        assert knots.entries()["knots/notes.md~"] == Content(b"mine")

    @pytest.mark.parametrize(
        "change",
        [
            {"operation": "edit"},
            {"name": SHELLS},
            {"source": SourceId.GIT},
            {"generation": Generation("ab" * 32)},
            {"revision": Revision("ab" * 32)},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_another_approval_is_none(self, knots: StoreRoot, change: dict[str, Any]) -> None:
        """Each thing that an approval says is bound."""
        before = knots.entries()
        with pytest.raises(StaleRevision):
            knots.store.retire(KNOTS, approved=evolve(approval(knots.store, KNOTS), **change), cancelled=never)
        assert knots.entries() == before

    def test_an_approval_does_not_outlive_a_birth(self, knots: StoreRoot) -> None:
        """The same bytes, deleted and written again, are approved anew."""
        approved = approval(knots.store, KNOTS)
        knots.store.retire(KNOTS, approved=approved, cancelled=never)
        knots.store.publish(KNOTS, TREE, cancelled=never)
        with pytest.raises(StaleRevision):
            knots.store.retire(KNOTS, approved=approved, cancelled=never)

    def test_a_folder_without_a_marker_is_not_what_anybody_approved(self, knots: StoreRoot) -> None:
        """Whoever took the marker away made it another."""
        approved = approval(knots.store, KNOTS)
        knots.drop("knots/.kestrel-generation")
        with pytest.raises(StaleRevision):
            knots.store.retire(KNOTS, approved=approved, cancelled=never)

    @pytest.mark.parametrize("text", [".git/\n  HEAD", ".git = gitdir: elsewhere", "bin/\n  .git/\n    HEAD"])
    def test_a_repository_is_never_retired(self, knots: StoreRoot, text: str) -> None:
        """Nobody sees all that is in it."""
        approved = approval(knots.store, KNOTS)
        for path, entry in drawn(text).items():
            knots.put(f"knots/{path}", entry)
        before = knots.entries()
        with pytest.raises(NotEditable):
            knots.store.retire(KNOTS, approved=approved, cancelled=never)
        assert knots.entries() == before

    @pytest.mark.parametrize("size", [256 * KIB + 1, 3 * 1024 * KIB])
    def test_what_cannot_be_seen_whole_is_never_retired(self, knots: StoreRoot, size: int) -> None:
        """A file beyond the caps may be anything."""
        approved = approval(knots.store, KNOTS)
        knots.put("knots/large", Content(bytes(size)))
        with pytest.raises(NotEditable):
            knots.store.retire(KNOTS, approved=approved, cancelled=never)
        assert "knots/large" in knots.entries()

    def test_a_rejected_folder_is_retired_like_any_other(self, root: StoreRoot) -> None:
        """If that was approved."""
        root.put("knots/SKILL.md", Content(b"no frontmatter"))
        root.store.survey()
        root.store.retire(KNOTS, approved=approval(root.store, KNOTS), cancelled=never)
        assert root.entries() == {}

    # A file that cannot be read.

    @pytest.mark.parametrize("path", ["SKILL.md", "notes.md", "bin/tie.sh"])
    def test_what_cannot_be_read_is_never_taken_for_a_change(self, knots: StoreRoot, path: str) -> None:
        """The refusal names the file and says what to do; nothing is changed, and later the same is done."""
        store, before = knots.store, knots.entries()
        approved = approval(store, KNOTS)
        changes: list[Callable[[], object]] = [
            lambda: write(store, "new.md", b""),
            lambda: write(store, path, b"new"),
            lambda: remove(store, "bin/tie.sh"),
            lambda: store.annotate(KNOTS, GIT, seen=TREE.revision, cancelled=never),
            lambda: store.retire(KNOTS, approved=approved, cancelled=never),
        ]
        with knots.closed(f"knots/{path}"):
            for change in changes:
                with pytest.raises(StoreFailed, match=f"`{path}`: it cannot be read: permission is denied") as refusal:
                    change()
                assert refusal.value.fix == "see that the agent's user may read it, and that the disk is well"
        assert knots.entries() == before
        changes[-1]()
        assert knots.entries() == {}

    def test_what_can_be_read_of_a_folder_is_edited(self, knots: StoreRoot) -> None:
        """If that is what was seen; the file that cannot be read stays as it is."""
        with knots.closed("knots/bin/tie.sh"):
            write(knots.store, "notes.md", b"Sheet bend.\n", revision(knots.store))
        assert knots.entries() == changed(knots, notes_md=Content(b"Sheet bend.\n"))

    def test_what_is_kept_and_cannot_be_read_is_told_and_not_let_go(self, knots: StoreRoot) -> None:
        """Nobody lets go of what they were not shown."""
        with knots.closed("knots/notes.md"):
            knots.keep(TOKEN, "knots", "knots")
            listing = knots.store.kept_listing(TOKEN)
            assert [(entry.path, entry.unseen) for entry in listing.unseen] == [
                ("notes.md", "it cannot be read: permission is denied")
            ]
            with pytest.raises(StoreFailed, match="permission is denied"):
                knots.store.kept_bytes(TOKEN, "notes.md")
            with pytest.raises(StoreFailed, match=r"`notes\.md`: it cannot be read: permission is denied") as refusal:
                knots.store.discard(TOKEN, seen=listing, cancelled=never)
            assert refusal.value.fix == "see that the agent's user may read it, and that the disk is well"
            assert len(knots.store.kept()) == 1

    # A folder that is not there, or is none.

    def test_what_is_not_there_cannot_be_changed(self, root: StoreRoot) -> None:
        """Nor does it come to be there."""
        root.store.publish(SHELLS, TREE, cancelled=never)
        before = root.entries()
        for attempt in attempts(root.store):
            with pytest.raises(SkillAbsent):
                attempt()
        assert root.entries() == before

    def test_a_link_in_the_place_of_a_folder_is_never_followed(self, root: StoreRoot) -> None:
        """Even if what was seen is the nothing that is in it."""
        root.store.publish(SHELLS, TREE, cancelled=never)
        root.put("knots", Odd("link"))
        before = root.entries()
        for attempt in attempts(root.store):
            with pytest.raises(NotEditable):
                attempt()
        with pytest.raises(NotEditable):
            write(root.store, "new.md", b"", SkillTree({}).revision)
        assert root.entries() == before

    def test_a_root_that_is_gone_cannot_be_changed(self, root: StoreRoot) -> None:
        """The refusal says so, and nothing is made in its place."""
        root.store.publish(SHELLS, TREE, cancelled=never)
        tried = attempts(root.store)
        root.take_away()
        tried += [
            lambda: root.store.publish(KNOTS, TREE, cancelled=never),
            lambda: root.store.fence(KNOTS, Fence(priority=1, reason=""), cancelled=never),
            lambda: root.store.unfence(KNOTS, seen=Fence(priority=1, reason=""), cancelled=never),
            lambda: root.store.claim(KITE, cancelled=never),
            root.store.sweep,
        ]
        for attempt in tried:
            with pytest.raises(SourceUnavailable):
                attempt()
        assert root.store.fenced() is None
        assert root.store.owner() is None

    # Fail-closed marks.

    def test_a_fence_is_seen_until_it_is_taken_away(self, store: SkillStore) -> None:
        """For each name its own, whether or not there is such a skill."""
        assert store.fenced() == {}
        store.fence(SHELLS, Fence(priority=7, reason="the table cannot be written"), cancelled=never)
        store.fence(KNOTS, Fence(priority=-3, reason="é"), cancelled=never)
        assert store.fenced() == {
            KNOTS: Fence(priority=-3, reason="é"),
            SHELLS: Fence(priority=7, reason="the table cannot be written"),
        }
        store.unfence(KNOTS, seen=marks(store)[KNOTS], cancelled=never)
        assert list(marks(store)) == [SHELLS]

    def test_a_fence_replaces_another(self, store: SkillStore) -> None:
        """The last one stands; and whoever wrote it knows which it was written over."""
        first, over = store.fence(KNOTS, Fence(priority=1, reason="first"), cancelled=never)
        assert (first, over) == (Fence(priority=1, reason="first"), None)
        second, over = store.fence(KNOTS, Fence(priority=2, reason="second"), cancelled=never)
        assert second == Fence(priority=2, reason="second")
        assert first.is_same(over)
        assert second.is_same(marks(store)[KNOTS])
        assert store.fenced() == {KNOTS: Fence(priority=2, reason="second")}

    def test_a_fence_that_is_not_there_may_be_taken_away(self, store: SkillStore) -> None:
        """Before anything was ever written, and after, and twice."""
        store.unfence(KNOTS, seen=Fence(priority=1, reason=""), cancelled=never)
        seen, _ = store.fence(KNOTS, Fence(priority=1, reason=""), cancelled=never)
        store.fence(SHELLS, Fence(priority=1, reason=""), cancelled=never)
        for _ in range(2):
            store.unfence(KNOTS, seen=seen, cancelled=never)
            assert list(marks(store)) == [SHELLS]

    def test_only_the_very_fence_that_was_seen_is_taken_away(self, store: SkillStore) -> None:
        """Another one that says the same, of another time or another name, stays."""
        same = Fence(priority=1, reason="it is being turned off")
        first, _ = store.fence(KNOTS, same, cancelled=never)
        other, _ = store.fence(SHELLS, same, cancelled=never)
        second, _ = store.fence(KNOTS, same, cancelled=never)
        for seen in (same, first, other):
            store.unfence(KNOTS, seen=seen, cancelled=never)
            assert second.is_same(marks(store)[KNOTS])
        store.unfence(KNOTS, seen=second, cancelled=never)
        assert list(marks(store)) == [SHELLS]

    @pytest.mark.parametrize("content", [MARK_OF_0_1_0, b"", b"\xff", b" " * 20_000])
    def test_a_mark_of_the_earlier_release_is_known_by_its_bytes(self, root: StoreRoot, content: bytes) -> None:
        """The one that was seen is taken away; another, be it one of this release, stays."""
        root.mark("knots", content)
        seen = marks(root.store)[KNOTS]
        root.mark("knots", MARK_OF_0_1_0.replace(b"40", b"41"))
        root.store.unfence(KNOTS, seen=seen, cancelled=never)
        assert root.store.fenced() == {KNOTS: Fence(priority=41, reason="row not written")}
        root.drop_mark("knots")
        root.mark("knots", content)
        seen = marks(root.store)[KNOTS]
        _, over = root.store.fence(KNOTS, Fence(priority=1, reason=""), cancelled=never)
        assert seen.is_same(over)
        root.store.unfence(KNOTS, seen=seen, cancelled=never)
        assert root.store.fenced() == {KNOTS: Fence(priority=1, reason="")}

    def test_a_fence_is_written_as_the_earlier_release_reads_it(self, root: StoreRoot) -> None:
        """A JSON object in ASCII: version 1, name, priority, error."""
        root.store.fence(KNOTS, Fence(priority=5, reason="ünwritable"), cancelled=never)
        content = root.marked("knots")
        assert content is not None
        assert content.isascii()
        said = json.loads(content)
        assert re.fullmatch(r"ünwritable \[[0-9a-f]{32}\]", said.pop("error"))
        assert said == {"version": 1, "name": "knots", "priority": 5}

    def test_a_mark_of_the_earlier_release_is_read(self, root: StoreRoot) -> None:
        """As it writes them."""
        root.mark("knots", MARK_OF_0_1_0)
        assert root.store.fenced() == {KNOTS: Fence(priority=40, reason="row not written")}

    @pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[" * 20_000, b" " * 20_000, b'{"version":1}'])
    def test_a_malformed_mark_is_a_mark(self, root: StoreRoot, content: bytes) -> None:
        """Its presence alone turns a skill off; and it can be taken away."""
        root.mark("knots", content)
        assert root.store.fenced() == {KNOTS: Fence(priority=100, reason="its fail-closed mark cannot be read")}
        root.store.unfence(KNOTS, seen=marks(root.store)[KNOTS], cancelled=never)
        assert root.store.fenced() == {}

    def test_a_fence_is_no_part_of_a_skill(self, knots: StoreRoot) -> None:
        """Nothing in sight changes."""
        before = knots.entries()
        knots.store.fence(KNOTS, Fence(priority=1, reason=""), cancelled=never)
        assert knots.entries() == before

    # Whose the root is.

    def test_a_root_is_nobodys_until_it_is_claimed(self, store: SkillStore) -> None:
        """It is then whose it was said to be, of whatever table."""
        assert store.owner() is None
        assert store.claim(KITE, cancelled=never) is None
        assert store.owner() == KITE

    def test_the_later_of_two_who_claim_a_root_has_it(self, store: SkillStore) -> None:
        """And is told whose it was; so is the first, when it comes again."""
        store.claim(KITE, cancelled=never)
        assert store.claim(WREN, cancelled=never) == KITE
        assert store.owner() == WREN
        assert store.claim(KITE, cancelled=never) == WREN

    def test_an_agent_that_moves_to_another_table_says_so(self, store: SkillStore) -> None:
        """It ousts nobody."""
        moved = Owner(agent=KITE.agent, table="postgres")
        store.claim(KITE, cancelled=never)
        assert store.claim(moved, cancelled=never) is None
        assert store.owner() == moved

    def test_what_is_said_already_is_not_written_again(self, root: StoreRoot) -> None:
        """Not a byte of it, however it is spelt."""
        content = b'{"file":"kestrel.db","table":"sqlite","agent":"did:example:kite","schema":1,"by":"hand"}'
        root.own(content)
        assert root.store.claim(KITE, cancelled=never) is None
        assert root.owned() == content

    @pytest.mark.parametrize(
        "content", [b"", b"\xff", b"{}", b" " * 20_000, b'{"schema": 2, "agent": "a", "table": "sqlite"}']
    )
    def test_what_nobody_understands_says_nothing(self, root: StoreRoot, content: bytes) -> None:
        """It may be claimed over, as if nothing were there."""
        root.own(content)
        assert root.store.owner() is None
        assert root.store.claim(KITE, cancelled=never) is None
        assert root.store.owner() == KITE

    def test_a_claim_is_no_part_of_a_skill(self, knots: StoreRoot) -> None:
        """Nothing in sight changes, and a sweep has nothing to do."""
        before = knots.entries()
        knots.store.claim(KITE, cancelled=never)
        assert knots.entries() == before
        assert knots.store.sweep() == Swept()
        assert knots.store.owner() == KITE

    # What is kept.

    def test_nothing_is_kept_at_first(self, store: SkillStore) -> None:
        """And nothing can be asked of it."""
        assert store.kept() == ()
        for attempt in (
            lambda: store.kept_listing(TOKEN),
            lambda: store.kept_bytes(TOKEN, "."),
            lambda: store.restore(TOKEN, cancelled=never),
            lambda: store.discard(TOKEN, seen=NOTHING, cancelled=never),
        ):
            with pytest.raises(KeptAbsent):
                attempt()

    def test_a_kept_folder_is_told_of_read_and_restored(self, knots: StoreRoot) -> None:
        """With its marker, so that it is the skill that it was."""
        before = knots.entries()
        knots.keep(TOKEN, "knots", "knots")
        assert knots.store.kept() == (Kept(token=TOKEN, name=KNOTS, kind="folder"),)
        assert kept_files(knots.store, TOKEN)["notes.md"] == b"Bowline.\n"
        assert knots.store.restore(TOKEN, cancelled=never) == KNOTS
        assert knots.entries() == before
        assert knots.store.kept() == ()

    def test_all_that_is_kept_is_told(self, root: StoreRoot) -> None:
        """Whatever it is called, whatever it is, and however large; nothing is opened behind a link."""
        for path, entry in ODD.items():
            root.put(f"odd/{path}", entry)
        root.keep(TOKEN, "odd", "odd")
        listing = root.store.kept_listing(TOKEN)
        assert (listing.token, listing.name, listing.kind, listing.unseen) == (TOKEN, "odd", "folder", ())
        told = [(each.path, each.kind, each.size, each.executable) for each in listing.entries if each.kind in CERTAIN]
        assert told == [
            (".", "folder", 0, False),
            (".git", "folder", 0, False),
            (".git/HEAD", "file", 21, False),
            ("__pycache__", "folder", 0, False),
            ("__pycache__/a.pyc", "file", 1, False),
            ("empty", "folder", 0, False),
            ("large.bin", "file", 307_200, False),
            ("notes.md~", "file", 5, False),
            ("run me\n", "file", 10, True),
        ]
        others = [(entry.path, entry.kind) for entry in listing.entries if entry.kind not in CERTAIN]
        assert others == [("link", "link"), ("pipe", "other")]
        files = {path: entry.data for path, entry in ODD.items() if isinstance(entry, Content)}
        assert kept_files(root.store, TOKEN) == files

    def test_a_name_that_is_no_text_is_told(self, root: StoreRoot) -> None:
        """Where the disk takes such a name: not all do."""
        try:
            root.put("odd/\udcff.md", Content(b"Latin-1"))
        except OSError:
            pytest.skip("this disk refuses names that are no text")
        root.keep(TOKEN, "odd", "odd")
        assert [entry.path for entry in root.store.kept_listing(TOKEN).entries] == [".", "\udcff.md"]
        assert kept_files(root.store, TOKEN) == {"\udcff.md": b"Latin-1"}

    @pytest.mark.parametrize(
        "path", ["", "..", "gone", "bin", "link", "../x", "bin/../notes.md", "notes.md/x", "/notes.md"]
    )
    def test_what_is_no_file_of_what_is_kept_has_no_bytes(self, knots: StoreRoot, path: str) -> None:
        """Nothing leads out of it, or through a link."""
        knots.put("knots/link", Odd("link"))
        knots.keep(TOKEN, "knots", "knots")
        for asked in (path, f"link/{path}", "."):
            with pytest.raises(SkillAbsent):
                knots.store.kept_bytes(TOKEN, asked)

    def test_a_file_of_any_size_is_given_piece_by_piece(self, knots: StoreRoot) -> None:
        """No piece is larger than a mebibyte, and after the last there is none."""
        content = bytes(range(256)) * 5 * KIB
        knots.put("knots/large.bin", Content(content))
        knots.keep(TOKEN, "knots", "knots/large.bin")
        (entry,) = knots.store.kept_listing(TOKEN).entries
        assert (entry.path, entry.kind, entry.size, entry.unseen) == (".", "file", 1_310_720, "")
        pieces = [knots.store.kept_bytes(TOKEN, ".", start) for start in (0, KIB * KIB, 1_310_720, 9_999_999)]
        assert [len(piece) for piece in pieces] == [1_048_576, 262_144, 0, 0]
        assert b"".join(pieces) == content

    def test_what_is_too_deep_is_told_and_not_let_go(self, knots: StoreRoot) -> None:
        """Of 65 levels, 64 are listed; the last one says that there may be more."""
        knots.put(f"knots/{'d/' * 64}deepest.md", Content(b""))
        knots.keep(TOKEN, "knots", "knots")
        listing = knots.store.kept_listing(TOKEN)
        assert [(entry.path, entry.unseen) for entry in listing.unseen] == [
            ("/".join("d" * 64), "what is deeper than 64 folders is not looked into")
        ]
        assert max(entry.path.count("/") for entry in listing.entries) == 63
        with pytest.raises(NotEditable) as refusal:
            knots.store.discard(TOKEN, seen=listing, cancelled=never)
        assert refusal.value.fix == f"move `.kestrel-internal/kept/{TOKEN}-knots` away by hand"
        assert len(knots.store.kept()) == 1

    @pytest.mark.parametrize(
        ("entry", "kind", "words"),
        [
            (Content(b"Bowline.\n"), "file", "one file of `knots`"),
            (Odd("link"), "link", "one link of `knots`"),
            (Odd("other"), "other", "neither a file nor a folder of `knots`"),
        ],
        ids=["file", "link", "other"],
    )
    def test_what_is_no_folder_has_no_place_to_go_back_to(
        self, knots: StoreRoot, entry: Content | Odd, kind: Kind, words: str
    ) -> None:
        """It is told of as what it is, and what to do with it; and it can be let go of."""
        knots.put("knots/lone", entry)
        knots.keep(TOKEN, "knots", "knots/lone")
        assert knots.store.kept() == (Kept(token=TOKEN, name=KNOTS, kind=kind),)
        assert [(each.path, each.kind) for each in knots.store.kept_listing(TOKEN).entries] == [(".", kind)]
        assert kept_files(knots.store, TOKEN) == ({".": b"Bowline.\n"} if kind == "file" else {})
        with pytest.raises(NotEditable, match=words) as refusal:
            knots.store.restore(TOKEN, cancelled=never)
        assert refusal.value.fix == "copy it out, edit the skill, then discard what is kept"
        assert len(knots.store.kept()) == 1
        discard(knots.store, TOKEN)
        assert knots.store.kept() == ()

    def test_a_kept_folder_is_not_restored_over_another(self, knots: StoreRoot) -> None:
        """Both stay."""
        knots.keep(TOKEN, "knots", "knots")
        knots.store.publish(KNOTS, SkillTree({DOCUMENT: Content(b"other")}), cancelled=never)
        before = knots.entries()
        with pytest.raises(SkillExists):
            knots.store.restore(TOKEN, cancelled=never)
        assert knots.entries() == before
        assert len(knots.store.kept()) == 1

    @pytest.mark.parametrize("path", ["knots", "knots/notes.md"])
    def test_what_is_kept_is_discarded_when_a_person_says_so(self, knots: StoreRoot, path: str) -> None:
        """And only then: a sweep leaves it."""
        knots.keep(TOKEN, "knots", path)
        before = knots.entries()
        knots.store.sweep()
        assert len(knots.store.kept()) == 1
        discard(knots.store, TOKEN)
        assert knots.store.kept() == ()
        assert knots.entries() == before

    @pytest.mark.parametrize("path", [".git/HEAD", ".git", "lib/.GIT"])
    def test_a_repository_is_never_discarded(self, knots: StoreRoot, path: str) -> None:
        """Whether it was seen, or came later; it stays as it is, and can be brought back."""
        knots.put(f"knots/{path}", Content(b"ref"))
        before = knots.entries()
        knots.keep(TOKEN, "knots", "knots")
        listing = knots.store.kept_listing(TOKEN)
        assert (path, 3) in [(entry.path, entry.size) for entry in listing.entries]
        earlier = evolve(listing, entries=tuple(entry for entry in listing.entries if ".git" not in entry.path.lower()))
        for seen in (listing, earlier):
            with pytest.raises(NotEditable, match=r"`.*\.(git|GIT)`: it holds a repository") as refusal:
                knots.store.discard(TOKEN, seen=seen, cancelled=never)
            assert refusal.value.fix == f"move `.kestrel-internal/kept/{TOKEN}-knots` away by hand"
            assert knots.store.kept_listing(TOKEN) == listing
        knots.store.restore(TOKEN, cancelled=never)
        assert knots.entries() == before

    def test_what_is_kept_is_discarded_as_it_was_seen(self, knots: StoreRoot) -> None:
        """What was not seen, or is not as it was, keeps all of it from going."""
        knots.keep(TOKEN, "knots", "knots")
        listing = knots.store.kept_listing(TOKEN)
        first, second, *rest = listing.entries
        for seen in (
            evolve(listing, entries=(first, *rest)),
            evolve(listing, entries=(first, evolve(second, size=second.size + 1), *rest)),
            evolve(listing, entries=(*listing.entries, KeptEntry("zz", "file"))),
            evolve(listing, token="cd" * 16),
        ):
            with pytest.raises(StaleRevision) as stale:
                knots.store.discard(TOKEN, seen=seen, cancelled=never)
            assert stale.value.kept == TOKEN
            assert knots.store.kept_listing(TOKEN) == listing
        knots.store.discard(TOKEN, seen=listing, cancelled=never)
        assert knots.store.kept() == ()

    # Sweeping.

    def test_a_sweep_of_what_is_whole_changes_nothing(self, knots: StoreRoot) -> None:
        """However often, whatever was done before."""
        seen = write(knots.store, "notes.md", b"1")
        seen = remove(knots.store, "bin/tie.sh", seen)
        knots.store.annotate(KNOTS, GIT, seen=seen, cancelled=never)
        knots.store.publish(SHELLS, TREE, cancelled=never)
        knots.store.retire(SHELLS, approved=approval(knots.store, SHELLS), cancelled=never)
        before = knots.entries()
        assert evolve(knots.store.sweep(), purged=0) == Swept()
        assert knots.store.sweep() == Swept()
        assert knots.entries() == before

    def test_a_sweep_of_an_untouched_root_writes_nothing(self, root: StoreRoot) -> None:
        """There is nothing to end."""
        assert root.store.sweep() == Swept()
        assert root.entries() == {}
