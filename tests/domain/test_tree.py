"""A skill's contents as a value, and the digest that any change of it changes."""

from __future__ import annotations

import hashlib
import struct

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kestrel_skills_core.domain.errors import BadPath, TooLarge
from kestrel_skills_core.domain.names import resource_path
from kestrel_skills_core.domain.tree import (
    Content,
    Item,
    SkillTree,
    clashes,
    folders_of,
    inventory_of,
    packed,
    revision_of,
    unpacked,
)
from tests.domain.given import paths

contents = st.builds(Content, st.binary(max_size=40), st.booleans())
files = st.dictionaries(paths, contents, max_size=5)


def framed(*entries: tuple[str, bytes, bool]) -> str:
    """The documented format of a revision, written out once more."""
    digest = hashlib.sha256(b"kestrel-skill-revision-v2\n")
    for path, content, executable in entries:
        spelt = path.encode("utf-8")
        digest.update(struct.pack(">I", len(spelt)) + spelt + hashlib.sha256(content).digest())
        digest.update(bytes([executable]))
    return digest.hexdigest()


def test_the_revision_of_nothing_is_the_digest_of_the_tag():
    """A known vector: `echo kestrel-skill-revision-v2 | sha256sum`."""
    assert revision_of(()) == "56fc763af9def52e8598dc1cb0d52b4d6f483857cd87443989e662743173db24"


def test_the_revision_of_one_empty_file_is_as_documented():
    """A known vector, computed beside the code: the tag, 00000008, `SKILL.md`, the digest of nothing, 00."""
    assert (
        SkillTree({resource_path("SKILL.md"): Content(b"")}).revision
        == "a5bfdafccf394df591d86b4bbd06640e5f9cbf27195976d6dd01d2efadeefea5"
    )


def test_the_revision_follows_the_order_of_bytes():
    """Files count in the order of their paths' UTF-8 bytes: capitals, lower case, then everything beyond ASCII."""
    tree = SkillTree(
        {
            resource_path("é.md"): Content(b"3"),
            resource_path("a/b.py"): Content(b"2", executable=True),
            resource_path("SKILL.md"): Content(b"1"),
            resource_path("\U0001f985.md"): Content(b"5"),
            resource_path("\uff46.md"): Content(b"4"),
        }
    )
    assert tree.revision == framed(
        ("SKILL.md", b"1", False),
        ("a/b.py", b"2", True),
        ("é.md", b"3", False),
        ("\uff46.md", b"4", False),
        ("\U0001f985.md", b"5", False),
    )


def test_no_border_can_be_moved():
    """Two trees that a newline-joined encoding would confuse have two revisions (T12)."""
    one = SkillTree({resource_path("x"): Content(b"a\nb"), resource_path("y"): Content(b"")})
    other = SkillTree({resource_path("x"): Content(b"a"), resource_path("y"): Content(b"b")})
    assert one.revision != other.revision


@given(files)
def test_the_revision_is_the_documented_one(given_files):
    """For any tree, the digest is that of the framing that the module documents."""
    entries = sorted((path.encode(), path, content) for path, content in given_files.items())
    assert SkillTree(given_files).revision == framed(*((path, *content) for _, path, content in entries))


@given(files, st.randoms(use_true_random=False))
def test_the_order_of_insertion_does_not_matter(given_files, random):
    """One tree, however its files were met, has one revision, one inventory and one order."""
    shuffled = list(given_files.items())
    random.shuffle(shuffled)
    one, other = SkillTree(given_files), SkillTree(dict(shuffled))
    assert one == other
    assert hash(one) == hash(other)
    assert list(one.files) == list(other.files) == [item.path for item in other.inventory]


@given(files, files)
def test_different_trees_have_different_revisions(one, other):
    """The encoding of a tree can be read in one way only."""
    assert (SkillTree(one).revision == SkillTree(other).revision) == (one == other)


@given(files, paths, contents, st.data())
def test_any_single_change_gives_another_revision(given_files, path, content, data):
    """One byte, one path, one executable bit, one file more or less: another revision."""
    before = SkillTree(given_files).revision
    if path not in given_files:
        assert SkillTree({**given_files, path: content}).revision != before
    assume(given_files)
    chosen = data.draw(st.sampled_from(sorted(given_files)))
    old = given_files[chosen]
    rest = {each: given_files[each] for each in given_files if each != chosen}
    assert SkillTree(rest).revision != before
    assert SkillTree({**rest, chosen: old._replace(executable=not old.executable)}).revision != before
    assert SkillTree({**rest, chosen: old._replace(data=old.data + b"\0")}).revision != before
    if old.data:
        at = data.draw(st.integers(0, len(old.data) - 1))
        flipped = bytes([*old.data[:at], old.data[at] ^ 1, *old.data[at + 1 :]])
        assert SkillTree({**rest, chosen: Content(flipped, old.executable)}).revision != before
    if path not in given_files:
        assert SkillTree({**rest, path: old}).revision != before


def test_swapped_contents_give_another_revision():
    """Which bytes stand under which path is part of the content (T12)."""
    a, b = resource_path("a"), resource_path("b")
    assert (
        SkillTree({a: Content(b"1"), b: Content(b"2")}).revision
        != SkillTree({a: Content(b"2"), b: Content(b"1")}).revision
    )


@given(files)
def test_the_inventory_says_what_is_there(given_files):
    """Every file, in order of paths, with its size, the digest of its bytes, and its executable bit."""
    assert inventory_of(given_files) == tuple(
        Item(path, len(data), hashlib.sha256(data).digest(), executable)
        for path, (data, executable) in sorted(given_files.items())
    )


@given(files)
def test_a_packed_inventory_is_unpacked_as_it_was(given_files):
    """One flat value holds every field of every item, in order."""
    inventory = inventory_of(given_files)
    assert packed(inventory) == tuple(field for item in inventory for field in item)
    assert unpacked(packed(inventory)) == inventory


def test_a_tree_is_a_value():
    """Equal contents are equal trees; what was handed in can change afterwards, and the tree does not."""
    given_files = {resource_path("SKILL.md"): Content(b"x")}
    tree = SkillTree(given_files)
    given_files[resource_path("other")] = Content(b"y")
    assert list(tree.files) == ["SKILL.md"]
    with pytest.raises(TypeError):
        tree.files[resource_path("other")] = Content(b"y")
    assert {tree: 1}[SkillTree({resource_path("SKILL.md"): Content(b"x")})] == 1
    assert "b'x'" not in repr(tree)


def test_a_tree_keeps_to_the_caps_of_a_skill():
    """256 KiB a file, 2 MiB and 512 entries a skill, folders counted: at the cap is fine, one more is not."""
    path = resource_path("SKILL.md")
    assert SkillTree({path: Content(bytes(262_144))}).inventory[0].size == 262_144
    with pytest.raises(TooLarge) as too_large:
        SkillTree({path: Content(bytes(262_145))})
    assert (too_large.value.allowed, too_large.value.found) == (262_144, 262_145)

    eight = {resource_path(f"f{number}"): Content(bytes(262_144)) for number in range(8)}
    assert len(SkillTree(eight).files) == 8
    with pytest.raises(TooLarge) as too_large:
        SkillTree({**eight, path: Content(b"x")})
    assert (too_large.value.allowed, too_large.value.found) == (2_097_152, 2_097_153)

    many = {resource_path(f"d/f{number}"): Content(b"") for number in range(511)}
    assert len(SkillTree(many).files) == 511
    with pytest.raises(TooLarge) as too_large:
        SkillTree({**many, path: Content(b"")})
    assert (too_large.value.allowed, too_large.value.found) == (512, 513)


def test_folders_are_what_paths_run_through():
    """Each folder once, however deep, and none for a file at the top."""
    assert folders_of(["a", "b/c", "b/d", "e/f/g/h"]) == {"b", "e", "e/f", "e/f/g"}


def test_paths_clash_where_some_system_takes_them_for_one():
    """Letters that differ in case, and characters that are composed or not; the first one met is named first."""
    assert clashes(["a/B.md", "é", "a/b.md", "e\u0301", "c", "STRASSE", "straße"]) == [
        ("a/B.md", "a/b.md"),
        ("é", "e\u0301"),
        ("STRASSE", "straße"),
    ]
    assert clashes(["a", "b"]) == []


@given(st.lists(paths, unique=True))
def test_paths_clash_in_pairs_only(given_paths):
    """No path clashes with itself, and both halves of a pair were given."""
    for first, second in clashes(given_paths):
        assert first != second
        assert {first, second} <= set(given_paths)


@pytest.mark.parametrize("path", ["../../etc/passwd", "/abs", "a\\b", ".git/config", ".kestrel-generation", ""])
def test_a_tree_holds_legal_paths_only(path):
    """What could not be minted as a path cannot come in by way of a whole tree."""
    with pytest.raises(BadPath):
        SkillTree({path: Content(b"")})
