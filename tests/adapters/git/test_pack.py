"""Packs are read into the very bytes that git reads, however they are cut."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from attrs import evolve

from kestrel_skills_adapters.git.objects import ObjectId, top_of
from kestrel_skills_adapters.git.pack import read_pack
from kestrel_skills_adapters.git.walk import files_below, folder_in, parcel_of
from kestrel_skills_core.domain.errors import GitFailed, TooLarge
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.tree import Content
from tests.adapters.git.repositories import Git, needs_git
from tests.hostile.git.packs import (
    BLOB,
    DOCUMENT,
    TREE,
    by_id,
    by_offset,
    copy,
    cut,
    delta,
    head,
    insert,
    object_id,
    pack,
    packed_object,
    repository,
    tree,
)

MADE = repository((b"100644", b"SKILL.md", DOCUMENT), (b"100644", b"text", b"a line of text\n" * 99))


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """A repository with a history."""
    git = Git(tmp_path_factory.mktemp("grown"))
    git.grow(40)
    return git


@needs_git
@pytest.mark.parametrize("size", [1 << 20, 65_515, 1000, 7])
@pytest.mark.parametrize(
    "options",
    [
        ["--window=0"],
        ["--window=50", "--depth=50"],
        ["--window=50", "--depth=50", "--delta-base-offset"],
        ["--window=250", "--depth=10", "--delta-base-offset", "--no-reuse-delta", "--compression=0"],
    ],
    ids=["whole", "by id", "by offset", "stored"],
)
def test_packs_of_git_are_read_as_git_reads_them(grown: Git, options: list[str], size: int) -> None:
    """Commits, folders, files and tags; whole, or as deltas by id or by offset; cut anywhere."""
    objects = read_pack(cut(grown.pack(*options), size))
    assert {name: (found.kind, found.content) for name, found in objects.items()} == grown.objects()


@needs_git
def test_the_packs_are_rich_in_deltas(grown: Git, tmp_path: Path) -> None:
    """What the test above reads would not be read without them."""
    (tmp_path / "x.pack").write_bytes(grown.pack("--window=50", "--depth=50", "--delta-base-offset"))
    grown("index-pack", str(tmp_path / "x.pack"))
    told = grown("verify-pack", "--verbose", str(tmp_path / "x.pack")).decode()
    chains = [int(line.split()[5]) for line in told.splitlines() if len(line.split()) == 7]
    assert len(chains) > 100
    assert max(chains) > 10


@needs_git
def test_a_folder_of_a_real_commit_is_its_files(grown: Git) -> None:
    """As they lie on the disk, from where git took them."""
    objects = read_pack(cut(grown.pack("--window=50")))
    commit = ObjectId(grown("rev-parse", "HEAD").decode().strip())
    folder = folder_in(objects, folder_in(objects, top_of(objects, commit), "skills"), "x")
    parcel = parcel_of(files_below(objects, folder), objects)
    on_disk = {each.name: Content(each.read_bytes()) for each in (grown.folder / "skills" / "x").iterdir()}
    assert parcel.files == on_disk


def test_an_empty_pack_holds_nothing() -> None:
    """A server that has nothing to send sends that."""
    assert read_pack([pack([])]) == {}


def test_a_pack_of_version_3_is_the_same() -> None:
    """Git reads both."""
    assert read_pack([pack([packed_object(BLOB, b"x")], version=3)]) == {object_id(BLOB, b"x"): ("blob", b"x")}


def test_empty_pieces_are_nothing() -> None:
    """A side band may send them, between any two bytes."""
    whole = pack([packed_object(BLOB, b"x"), by_id(object_id(BLOB, b"x"), delta(1, 1, insert(b"y")))])
    for at in range(len(whole) + 1):
        assert len(read_pack([b"", whole[:at], b"", b"", whole[at:], b""])) == 2


@pytest.mark.parametrize("pieces", [[b"x"], [b"", b"x"], [b"", b"", b"xyz"]])
def test_no_piece_may_come_after_the_end(pieces: list[bytes]) -> None:
    """Whether the last one ended where the pack does, or later."""
    whole = pack([packed_object(BLOB, b"x")])
    for first in ([whole, *pieces], [whole[:-1], whole[-1:], *pieces], [whole + b"".join(pieces)]):
        with pytest.raises(GitFailed, match="bytes come after its end"):
            read_pack(first)


def test_deltas_may_come_before_what_they_change() -> None:
    """Those by id, and those by offset to such a one; a tree of them, too."""
    one, two, three, four = b"one", b"one two", b"one two three", b"two"
    objects = [by_id(object_id(BLOB, one), delta(3, 7, copy(0, 3), insert(b" two")))]
    objects.append(by_offset(len(objects[0]), delta(7, 13, copy(0, 7), insert(b" three"))))
    objects.append(by_id(object_id(BLOB, two), delta(7, 3, copy(4, 3))))
    objects.append(packed_object(BLOB, one))
    found = read_pack([pack(objects)])
    assert found == {object_id(BLOB, each): ("blob", each) for each in (one, two, three, four)}


def test_one_object_may_come_twice() -> None:
    """Git takes that, too; whole, and as a delta."""
    objects = [packed_object(BLOB, b"one"), packed_object(BLOB, b"one"), packed_object(BLOB, b"onetwo")]
    objects.append(by_id(object_id(BLOB, b"onetwo"), delta(6, 3, copy(0, 3))))
    found = read_pack([pack(objects)])
    assert found == {object_id(BLOB, each): ("blob", each) for each in (b"one", b"onetwo")}


def test_a_delta_keeps_the_kind_of_its_base() -> None:
    """A folder changed is a folder."""
    before = tree((b"100644", b"a", "1" * 40))
    after = tree((b"100644", b"b", "1" * 40))
    change = delta(len(before), len(after), insert(after))
    found = read_pack([pack([packed_object(TREE, before), by_id(object_id(TREE, before), change)])])
    assert found[ObjectId(object_id(TREE, after))] == ("tree", after)


@pytest.mark.parametrize(
    ("cap", "most"),
    [
        ("git_received_bytes", len(pack(MADE.objects))),
        ("git_objects", len(MADE.objects)),
        ("git_object_bytes", 15 * 99),
        ("git_inflated_bytes", 0),
    ],
)
def test_each_cap_is_met_exactly(cap: str, most: int) -> None:
    """What a cap allows is read, and one less allows it no more."""
    whole = pack(MADE.objects)
    most = most or sum(len(found.content) for found in read_pack([whole]).values())
    assert len(read_pack([whole], evolve(LIMITS, **{cap: most}))) == len(MADE.objects)
    with pytest.raises(TooLarge) as refused:
        read_pack([whole], evolve(LIMITS, **{cap: most - 1}))
    assert refused.value.allowed == most - 1


@pytest.mark.parametrize(("within", "beyond"), [(1, 0), (3, 2)])
def test_deltas_in_a_row_are_counted(within: int, beyond: int) -> None:
    """As many as the cap says, and no more."""
    contents = [b"%d" % each for each in range(within + 1)]
    objects = [packed_object(BLOB, contents[0])]
    for last, content in pairwise(contents):
        objects.append(by_id(object_id(BLOB, last), delta(1, 1, insert(content))))
    assert len(read_pack([pack(objects)], evolve(LIMITS, git_delta_depth=within))) == within + 1
    with pytest.raises(GitFailed, match=f"more than {beyond} deltas in a row"):
        read_pack([pack(objects)], evolve(LIMITS, git_delta_depth=beyond))


def test_what_fails_while_pieces_come_comes_through() -> None:
    """It is the transport's to say why."""

    def pieces():
        yield b"PACK\0\0\0\2"
        raise TimeoutError("the transport's own")

    with pytest.raises(TimeoutError, match="the transport's own"):
        read_pack(pieces())


def test_an_error_says_nothing_of_what_it_came_from() -> None:
    """No text of zlib or dulwich, as a cause or else."""
    with pytest.raises(GitFailed) as refused:
        read_pack([pack([head(BLOB, 30) + b"not compressed at all, not at all"])])
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


class PanicException(BaseException):
    """What a panic in Rust comes out as: no `Exception`."""


@pytest.mark.parametrize("raised", [PanicException, ValueError, MemoryError, AssertionError])
def test_whatever_dulwich_raises_is_told_as_one_thing(
    raised: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A panic, too, without its text."""

    def panicking(base: bytes, change: bytes) -> list[bytes]:
        raise raised("text of the host")

    monkeypatch.setattr("dulwich.pack.apply_delta", panicking)
    objects = [packed_object(BLOB, b"x"), by_id(object_id(BLOB, b"x"), delta(1, 1, insert(b"y")))]
    with pytest.raises(GitFailed, match="it holds a delta that cannot be applied") as told:
        read_pack([pack(objects)])
    assert "host" not in str(told.value)
    assert told.value.__suppress_context__


def test_an_interrupt_comes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wants to stop is not told that a pack is wrong."""

    def interrupted(base: bytes, change: bytes) -> list[bytes]:
        raise KeyboardInterrupt

    monkeypatch.setattr("dulwich.pack.apply_delta", interrupted)
    objects = [packed_object(BLOB, b"x"), by_id(object_id(BLOB, b"x"), delta(1, 1, insert(b"y")))]
    with pytest.raises(KeyboardInterrupt):
        read_pack([pack(objects)])
