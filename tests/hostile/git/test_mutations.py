"""Packs that are changed at random are refused, or read as the right bytes; nothing else ever comes of them."""

from __future__ import annotations

import hashlib
from typing import Final

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.git.objects import ObjectId, Objects, top_of
from kestrel_skills_adapters.git.pack import read_pack
from kestrel_skills_adapters.git.walk import files_below, folder_in, parcel_of
from kestrel_skills_core.domain.errors import GitFailed, TooLarge
from kestrel_skills_core.domain.tree import Content
from tests.examples import examples

from .packs import (
    BLOB,
    BY_ID,
    BY_OFFSET,
    DOCUMENT,
    applied,
    by_id,
    by_offset,
    copy,
    cut,
    delta,
    followed,
    insert,
    object_id,
    pack,
    packed_object,
    repository,
    way_back,
)

TEXT: Final = b"".join(b"line %d of a text that changes now and then\n" % each for each in range(120))
NEXT: Final = TEXT[:2000] + b"changed" + TEXT[2000:]
MADE: Final = repository((b"100644", b"SKILL.md", DOCUMENT), (b"100755", b"text", NEXT))
WHOLE: Final = [*MADE.objects[:-1], packed_object(BLOB, TEXT)]  # NEXT, the last one, comes as a delta
TO_NEXT: Final = delta(len(TEXT), len(NEXT), copy(0, 2000), insert(b"changed"), copy(2000, len(TEXT) - 2000))
BY_ID_PACK: Final = pack([*WHOLE, by_id(object_id(BLOB, TEXT), TO_NEXT)])
BY_OFFSET_PACK: Final = pack([*WHOLE, by_offset(len(WHOLE[-1]), TO_NEXT)])
BACKWARDS: Final = pack([by_id(object_id(BLOB, TEXT), TO_NEXT), *WHOLE])

PLACES: Final = st.integers(0, len(BACKWARDS) - 21)
BYTES: Final = st.binary(min_size=1, max_size=6)
CHANGES: Final = st.one_of(
    st.tuples(st.just("write"), PLACES, BYTES),
    st.tuples(st.just("write"), st.integers(0, 30), BYTES),
    st.tuples(st.just("insert"), PLACES, BYTES),
    st.tuples(st.just("drop"), PLACES, st.integers(1, 40)),
    st.tuples(st.just("repeat"), PLACES, st.integers(1, 400)),
    st.tuples(st.just("flip"), PLACES, st.integers(0, 7)),
    st.tuples(st.just("end"), PLACES, st.just(0)),
)


def mended(content: bytes) -> bytes:
    """A pack with the right sum at its end, so that what is wrong is not found by that alone."""
    return content + hashlib.sha1(content).digest()


def mutated(whole: bytes, changes: list[tuple[str, int, bytes | int]]) -> bytes:
    """A pack after some changes, and mended."""
    content = bytearray(whole[:-20])
    for change, at, how in changes:
        if isinstance(how, bytes):
            content[at : at + (len(how) if change == "write" else 0)] = how
        elif change == "drop":
            del content[at : at + how]
        elif change == "repeat":
            content[at:at] = content[at : at + how]
        elif change == "flip" and at < len(content):
            content[at] ^= 1 << how
        elif change == "end":
            del content[at:]
    return mended(bytes(content))


def read_or_refused(pieces: list[bytes]) -> Objects | None:
    """What a pack holds; nothing where it is refused, in a way that it may be."""
    try:
        return read_pack(pieces)
    except GitFailed as refused:
        event(refused.why[:40])
        assert refused.stage == "pack"  # noqa: PT017 - nothing else may come out of here
    except TooLarge as refused:
        event(refused.limit)  # a figure that says too much is told as such, before it is found to be a lie
    return None


def judge_skill(content: bytes) -> None:
    """Whatever the bytes are: an object goes by the id of its content, and the skill is the right one or not there."""
    objects = read_or_refused(list(cut(content, 600)))
    if objects is None:
        return
    for name, (kind, found) in objects.items():
        assert hashlib.sha1(b"%s %d\0%s" % (kind.encode(), len(found), found)).hexdigest() == name
    try:
        folder = folder_in(objects, folder_in(objects, top_of(objects, ObjectId(MADE.commit)), "skills"), "x")
        parcel = parcel_of(files_below(objects, folder), objects)
    except GitFailed:
        event("something is missing")
        return
    event("the right skill")
    assert parcel.files == {"SKILL.md": Content(DOCUMENT), "text": Content(NEXT, executable=True)}


def judge_delta(base: bytes, change: bytes) -> None:
    """A delta makes what the slow reading of the documentation makes of it, or is refused."""
    expected = applied(base, change)
    objects = read_or_refused([pack([packed_object(BLOB, base), by_id(object_id(BLOB, base), change)])])
    event(f"right: {expected is not None}, read: {objects is not None}")
    if objects is not None:
        # A last step that leads too far, after all was made already, is forgiven by dulwich, and harms nobody.
        made = {applied(base, change[:end]) for end in range(len(change) + 1)} - {None}
        assert objects in [
            {object_id(BLOB, each): ("blob", each) for each in (base, one)} for one in made if one is not None
        ]
    elif expected is not None:  # the one right thing that is refused: a figure padded to ten bytes or more
        assert b"\x80" * 8 in change


PACKS: Final = st.builds(
    mutated, st.sampled_from([BY_ID_PACK, BY_OFFSET_PACK, BACKWARDS]), st.lists(CHANGES, min_size=1, max_size=4)
)
STEPS: Final = st.one_of(
    st.builds(copy, st.integers(0, 60), st.integers(1, 20)),
    st.builds(copy, st.integers(0, 60), st.integers(1, 20)),
    st.builds(copy, st.integers(0, 300), st.integers(1, 300)),
    st.builds(copy, st.integers(0, 2**32 - 1), st.integers(0, 2**24 - 1)),
    st.builds(insert, st.binary(min_size=1, max_size=127)),
    st.builds(insert, st.binary(min_size=1, max_size=9)),
    st.binary(max_size=4),
)


@st.composite
def deltas(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A base and a delta to it: right, nearly right, or any bytes."""
    base = draw(st.binary(min_size=80, max_size=300) | st.binary(max_size=9))
    steps = draw(st.lists(STEPS, max_size=6))
    right = len(followed(base, b"".join(steps)) or b"abc")
    of = draw(st.sampled_from([*[len(base)] * 9, len(base) + 1, 0, 1 << 31, 1 << 63]))
    makes = draw(st.sampled_from([*[right] * 9, right + 1, 0, 1 << 20, 1 << 40]))
    change = delta(of, makes, *steps)
    if draw(st.integers(0, 2)) == 2:
        at = draw(st.integers(0, len(change)))
        change = change[:at] + draw(st.binary(max_size=3)) + change[at + draw(st.integers(0, 3)) :]
    return base, change


@st.composite
def recipes(draw: st.DrawFn) -> bytes:
    """A pack of objects with any kinds, sizes and bases, each rightly compressed."""
    contents = draw(st.lists(st.binary(max_size=20), min_size=1, max_size=6))
    objects: list[bytes] = []
    for content in contents:
        kind = draw(st.sampled_from([1, 2, 3, 3, 4, BY_OFFSET, BY_OFFSET, BY_ID, BY_ID, 0, 5]))
        size = draw(st.sampled_from([*[None] * 9, 0, len(content) + 1, 1 << 25, 1 << 60]))
        if kind not in (BY_OFFSET, BY_ID):
            objects.append(packed_object(kind, content, size=size))
            continue
        of, makes = draw(st.sampled_from(contents)), draw(st.integers(0, 20))
        steps = draw(st.sampled_from([insert(bytes(makes or 1)), copy(0, makes)]))
        if kind == BY_ID:
            base = bytes.fromhex(object_id(BLOB, of))
        else:
            near = [len(b"".join(objects[each:])) for each in range(len(objects))]
            base = way_back(draw(st.sampled_from([*near * 3, 0, 1, 1 << 40])))
        objects.append(packed_object(kind, delta(len(of), makes, steps), size=size, base=base))
    return pack(objects, count=draw(st.sampled_from([*[None] * 9, len(objects) + 1, 0, 1 << 31])))


@settings(max_examples=examples(2000))
@given(PACKS)
@example(BY_ID_PACK)
@example(BY_OFFSET_PACK)
@example(BACKWARDS)
def test_any_bytes(content: bytes) -> None:
    """Right packs of which bytes were changed, dropped, doubled or put in."""
    judge_skill(content)


@settings(max_examples=examples(2000))
@given(recipes())
def test_any_objects(content: bytes) -> None:
    """Packs of objects that say one thing and are another."""
    judge_skill(content)


@settings(max_examples=examples(2000))
@given(deltas())
def test_any_delta(made: tuple[bytes, bytes]) -> None:
    """Deltas that are right, nearly right, and not at all."""
    judge_delta(*made)


@pytest.mark.property
@pytest.mark.timeout(1800)
@settings(max_examples=examples(20_000))
@given(PACKS)
def test_any_bytes_by_the_ten_thousand(content: bytes) -> None:
    """The same, for longer."""
    judge_skill(content)


@pytest.mark.property
@pytest.mark.timeout(1800)
@settings(max_examples=examples(20_000))
@given(recipes())
def test_any_objects_by_the_ten_thousand(content: bytes) -> None:
    """The same, for longer."""
    judge_skill(content)


@pytest.mark.property
@pytest.mark.timeout(1800)
@settings(max_examples=examples(20_000))
@given(deltas())
def test_any_delta_by_the_ten_thousand(made: tuple[bytes, bytes]) -> None:
    """The same, for longer."""
    judge_delta(*made)


def test_the_right_packs_are_read() -> None:
    """What is changed above is right before."""
    for whole in (BY_ID_PACK, BY_OFFSET_PACK, BACKWARDS):
        assert read_pack(list(cut(whole, 100))).keys() >= {MADE.commit, object_id(BLOB, NEXT)}
