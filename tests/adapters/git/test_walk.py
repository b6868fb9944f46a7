"""Ways through the folders of one commit."""

from __future__ import annotations

import hashlib

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.git.objects import Entry, Kind, Object, ObjectId, Objects, entries_of, id_of, top_of
from kestrel_skills_adapters.git.walk import Leaf, blobs_of, file_in, files_below, folder_in, folders_in, parcel_of
from kestrel_skills_core.domain.errors import BadPath, BadSource, GitFailed, TooLarge
from kestrel_skills_core.domain.limits import LIMITS
from tests.examples import examples
from tests.hostile.git.packs import BLOB, DOCUMENT, TREE, commit, object_id, tree

FILE, EXECUTABLE, FOLDER, LINK, MODULE = b"100644", b"100755", b"40000", b"120000", b"160000"
SOME, OTHER = "1" * 40, "2" * 40
KINDS: dict[int, Kind] = {BLOB: "blob", TREE: "tree"}


def held(*contents: tuple[int, bytes]) -> Objects:
    """Objects by the ids that the tests' own reckoning gives them."""
    return {ObjectId(object_id(kind, content)): Object(KINDS[kind], content) for kind, content in contents}


def of(content: bytes) -> ObjectId:
    """The id of a folder's content."""
    return ObjectId(object_id(TREE, content))


MIXED = tree(
    (FILE, b"SKILL.md", object_id(BLOB, DOCUMENT)),
    (EXECUTABLE, b"run", SOME),
    (LINK, b"link", SOME),
    (MODULE, b"module", SOME),
    (FOLDER, b"folder", OTHER),
    (FOLDER, b"caf\xe9", OTHER),
    (FOLDER, "b\u00fccher".encode(), OTHER),
    (b"100664", b"odd", SOME),
)


@settings(max_examples=examples(200))
@given(st.sampled_from(["commit", "tree", "blob", "tag"]), st.binary())
def test_an_id_is_the_sum_of_kind_size_and_content(kind: Kind, content: bytes) -> None:
    """As git has it."""
    expected = hashlib.sha1(b"%s %d\0%s" % (kind.encode(), len(content), content)).hexdigest()
    assert id_of(Object(kind, content)) == expected


def test_known_ids() -> None:
    """The empty blob and the empty tree have famous ones."""
    assert id_of(Object("blob", b"")) == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert id_of(Object("tree", b"")) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_the_top_of_a_commit() -> None:
    """Stands on its first line."""
    assert top_of({ObjectId(SOME): Object("commit", commit(OTHER))}, ObjectId(SOME)) == OTHER


def test_entries_come_in_order_whatever_they_are() -> None:
    """Links, other repositories, odd modes and names: none is judged here."""
    entries = list(entries_of(held((TREE, MIXED)), of(MIXED)))
    assert [(entry.name, entry.mode) for entry in entries] == [
        (b"SKILL.md", FILE),
        ("b\u00fccher".encode(), FOLDER),
        (b"caf\xe9", FOLDER),
        (b"folder", FOLDER),
        (b"link", LINK),
        (b"module", MODULE),
        (b"odd", b"100664"),
        (b"run", EXECUTABLE),
    ]
    assert entries[-1] == Entry(b"run", EXECUTABLE, ObjectId(SOME))


def test_a_folder_is_in_order_as_if_its_name_ended_with_a_slash() -> None:
    """Git's own order: `a.b`, then the folder `a`, then `a0`."""
    content = tree((FILE, b"a.b", SOME), (FOLDER, b"a", SOME), (FILE, b"a0", SOME), in_order=False)
    assert [entry.name for entry in entries_of(held((TREE, content)), of(content))] == [b"a.b", b"a", b"a0"]


@settings(max_examples=examples(2000))
@given(
    st.binary(max_size=80)
    | st.lists(st.binary(max_size=12)).map(lambda parts: b"100644 a\0" + b"x" * 20 + b"".join(parts))
)
def test_any_bytes_are_entries_or_refused(content: bytes) -> None:
    """What is read can be written again as the same bytes; all else is no folder."""
    try:
        entries = list(entries_of(held((TREE, content)), of(content)))
    except GitFailed as refused:
        assert refused.stage == "tree"  # noqa: PT017 - nothing else may come out of here
        return
    assert b"".join(e.mode + b" " + e.name + b"\0" + bytes.fromhex(e.id) for e in entries) == content


class TestOnTheWay:
    OBJECTS = held((TREE, MIXED))

    def test_a_folder_is_found(self) -> None:
        """By its very name."""
        assert folder_in(self.OBJECTS, of(MIXED), "folder") == OTHER
        assert folder_in(self.OBJECTS, of(MIXED), "b\u00fccher") == OTHER

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("absent", "there is no such folder"),
            ("Folder", "there is no such folder"),
            ("", "there is no such folder"),
            ("SKILL.md", "it is a file, not a folder"),
            ("odd", "it is a file, not a folder"),
            ("link", "it is a link, not a folder"),
            ("module", "it is another repository, not a folder"),
            ("a\u202eb", "there is no such folder"),
        ],
    )
    def test_what_is_no_folder(self, name: str, why: str) -> None:
        """Is told for what it is, and no link is followed."""
        with pytest.raises(BadSource) as refused:
            folder_in(self.OBJECTS, of(MIXED), f"on/the/way/{name}")
        assert (refused.value.given, refused.value.why) == (f"on/the/way/{name}", why)
        assert refused.value.fix

    def test_a_file_is_found(self) -> None:
        """Executable or not; nothing else counts as one."""
        assert file_in(self.OBJECTS, of(MIXED), "SKILL.md") == object_id(BLOB, DOCUMENT)
        assert file_in(self.OBJECTS, of(MIXED), "run") == SOME
        assert [file_in(self.OBJECTS, of(MIXED), name) for name in ("link", "module", "folder", "odd", "no")] == [
            None
        ] * 5

    def test_the_folders_are_found(self) -> None:
        """But for those that nobody could ask for."""
        assert folders_in(self.OBJECTS, of(MIXED)) == {"folder": OTHER, "b\u00fccher": OTHER}

    def test_the_folders_are_counted(self) -> None:
        """As many as a transfer may ask for, and no more; files are no matter."""
        content = tree(
            *((FOLDER, b"%d" % each, SOME) for each in range(5)), *((FILE, b"f%d" % each, SOME) for each in range(9))
        )
        assert len(folders_in(held((TREE, content)), of(content), evolve(LIMITS, git_entries=5))) == 5
        with pytest.raises(TooLarge) as refused:
            folders_in(held((TREE, content)), of(content), evolve(LIMITS, git_entries=4))
        assert refused.value.fix

    def test_what_was_not_sent(self) -> None:
        """Cannot be gone through."""
        for ask in (folders_in, lambda objects, folder: file_in(objects, folder, "a"), files_below):
            with pytest.raises(GitFailed, match="the server did not send a folder"):
                ask({}, ObjectId(SOME))


class TestBelow:
    def test_every_file_in_order_of_the_paths(self) -> None:
        """With what is executable, and litter."""
        inner = tree((FILE, b"b.md", OTHER), (FILE, b".DS_Store", SOME))
        outer = tree((FOLDER, b"a", of(inner)), (EXECUTABLE, b"a.sh", SOME), (FILE, b"SKILL.md", OTHER))
        leaves = files_below(held((TREE, inner), (TREE, outer)), of(outer))
        assert leaves == (
            Leaf("SKILL.md", executable=False, id=ObjectId(OTHER)),
            Leaf("a.sh", executable=True, id=ObjectId(SOME)),
            Leaf("a/.DS_Store", executable=False, id=ObjectId(SOME)),
            Leaf("a/b.md", executable=False, id=ObjectId(OTHER)),
        )
        assert [leaf.path for leaf in leaves if leaf.is_litter] == ["a/.DS_Store"]

    def test_each_file_is_asked_for_once_and_no_litter(self) -> None:
        """Whatever the number of paths that it has."""
        leaves = [
            Leaf(path, executable=False, id=ObjectId(named))
            for path, named in [("a", OTHER), ("b", OTHER), ("c~", SOME)]
        ]
        assert blobs_of(leaves) == (OTHER,)
        assert blobs_of([]) == ()

    def test_files_and_folders_are_counted(self) -> None:
        """Each as often as it is met."""
        inner = tree((FILE, b"x", SOME))
        outer = tree((FOLDER, b"a", of(inner)), (FOLDER, b"b", of(inner)))
        objects = held((TREE, inner), (TREE, outer))
        assert len(files_below(objects, of(outer), evolve(LIMITS, git_entries=4))) == 2
        with pytest.raises(TooLarge):
            files_below(objects, of(outer), evolve(LIMITS, git_entries=3))

    def test_the_whole_path_is_told(self) -> None:
        """Of what does not travel, and of what is no file."""
        inner = tree((FILE, b"con", SOME))
        linked = tree((LINK, b"ln", SOME))
        outer = tree((FOLDER, b"a", of(inner)))
        with pytest.raises(BadPath) as refused:
            files_below(held((TREE, inner), (TREE, outer)), of(outer))
        assert refused.value.given == "a/con"
        outer = tree((FOLDER, b"a", of(linked)))
        with pytest.raises(BadSource, match="'a/ln' cannot be used as a source: it is a link"):
            files_below(held((TREE, linked), (TREE, outer)), of(outer))

    def test_an_empty_folder_holds_nothing(self) -> None:
        """And makes an empty parcel."""
        assert files_below(held((TREE, b"")), of(b"")) == ()
        assert parcel_of((), {}).files == {}
