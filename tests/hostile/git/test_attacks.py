"""Every hostile repository ends in the error that names what is wrong, and costs little."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

from kestrel_skills_adapters.git.pack import read_pack
from kestrel_skills_adapters.git.protocol import Offers
from kestrel_skills_adapters.git.repository import Known, Repository
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.git_address import CommitId, git_url
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.domain.tree import Content

from .attacks import ATTACKS, EXECUTABLE, FILE, FOLDER, LARGE, SKILL, Attack, Sent, chain, crowded, deep, sent
from .packs import BLOB, DOCUMENT, TREE, object_id, packed_object, repository, tree

ROOT = Path(__file__).parents[3]
MOST = 64 << 20

pytestmark = pytest.mark.timeout(30)  # each takes some milliseconds, unless it succeeds


@frozen
class Sender:
    """A server that has one pack, whatever it is asked for: it offers no parts."""

    pieces: Iterable[bytes]

    @property
    def offers(self) -> Offers:
        """What it says that it can do."""
        return Offers(format=True, filters=False, depth=True)

    def pack(self, *_: object, **__: object) -> Iterator[bytes]:
        """All that it has."""
        return iter(self.pieces)

    def met(self, entries: int) -> None:
        """Nobody watches."""


def received(what: Sent) -> Parcel:
    """What an install gets of the folder `skills/x`, by the very way that it goes."""
    known = Known(git_url("https://git.example/some.git"))
    repository = Repository(Sender(what.pieces), CommitId(what.commit), known, LIMITS)  # type: ignore[arg-type]
    return repository.parcel(ResourcePath("skills/x"))


def refused(attack: Attack) -> tuple[SkillError, int]:
    """The error that an attack ends in, and the bytes that Python held at most until then."""
    what = attack.sent()
    tracemalloc.start()
    try:
        with pytest.raises(attack.error) as raised:
            received(what)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return raised.value, most


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_it_ends_in_its_named_error(attack: Attack) -> None:
    """Of the very class, with words that say what is wrong, and within 64 MiB."""
    error, most = refused(attack)
    assert type(error) is attack.error
    assert attack.words in str(error)
    assert error.fix
    assert not set("\n\r\t\x1b\x7f\u202e\u2028") & set(str(error))
    assert most < MOST


def test_a_lie_is_found_at_its_first_byte() -> None:
    """What says to be small is not inflated any further to see how large it is."""
    _, most = refused(LARGE["a blob that says 10 bytes and inflates to 1 GiB"])
    assert most < 1 << 20


@pytest.mark.parametrize("name", LARGE)
def test_it_costs_the_process_little(name: str) -> None:
    """The largest ones within 64 MiB that the system counts, what C and Rust take included."""
    program = (
        "import resource, sys\n"
        "from tests.hostile.git.attacks import LARGE\n"
        "from tests.hostile.git.test_attacks import received\n"
        "import dulwich.pack\n"
        "attack = LARGE[sys.argv[1]]\n"
        "what = attack.sent()\n"
        "def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = most()\n"
        "try: received(what)\n"
        "except attack.error: print(most() - before)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, name],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
    assert int(ran.stdout) * (1 if sys.platform == "darwin" else 1024) < MOST


def test_there_are_enough_of_them() -> None:
    """A table that lost its rows would prove nothing."""
    assert len(ATTACKS) >= 100


def test_a_right_repository_is_read() -> None:
    """What no attack is comes through byte for byte, litter left out by name."""
    folder = tree((FILE, b"b", object_id(BLOB, b"x")), (FILE, b".DS_Store", object_id(BLOB, b"never sent")))
    made = repository(SKILL, (EXECUTABLE, b"run.sh", b"#!/bin/sh\n"), (FOLDER, b"a", object_id(TREE, folder)))
    parcel = received(sent(made, packed_object(TREE, folder), packed_object(BLOB, b"x")))
    assert parcel.files == {
        "SKILL.md": Content(DOCUMENT),
        "a/b": Content(b"x"),
        "run.sh": Content(b"#!/bin/sh\n", executable=True),
    }
    assert parcel.left_out == ("a/.DS_Store",)


def test_what_is_just_within_a_cap_is_read() -> None:
    """Fifty deltas in a row, 4,096 entries, and 32 levels harm nobody."""
    assert list(received(chain(50)).files) == ["SKILL.md"]
    assert list(received(chain(50, backwards=True)).files) == ["SKILL.md"]
    assert len(received(crowded(4096)).files) == 4096
    assert "/".join(["a"] * 32) in received(deep(31)).files


def test_what_a_repository_holds_elsewhere_is_not_judged() -> None:
    """On the way to the folder there may be many entries, links, and names that do not travel."""
    odd = [(FILE, b"%06d" % each, object_id(BLOB, b"x")) for each in range(50_000)]
    odd += [(b"120000", b"ln", object_id(BLOB, b"x")), (b"160000", b"sub", "1" * 40), (FILE, b"aux", "1" * 40)]
    folder = tree((FILE, b"SKILL.md", object_id(BLOB, DOCUMENT)))
    above = tree((FOLDER, b"x", object_id(TREE, folder)), *odd)
    top = tree((FOLDER, b"skills", object_id(TREE, above)), *odd)
    last = f"tree {object_id(TREE, top)}\n".encode()
    objects = [packed_object(TREE, each) for each in (top, above, folder)]
    what = repository(SKILL)._replace(
        commit=object_id(1, last), objects=[packed_object(1, last), *objects, packed_object(BLOB, DOCUMENT)]
    )
    assert received(sent(what)).files == {"SKILL.md": Content(DOCUMENT)}


def test_no_piece_is_asked_for_once_something_is_wrong() -> None:
    """The transfer of what is refused anyway ends there."""
    asked = []

    def pieces():
        for piece in (b"PACK\0\0\0\2\xff\xff\xff\xff", b"more", b"and more"):
            asked.append(piece)
            yield piece

    with pytest.raises(ATTACKS["4 thousand million objects"].error):
        read_pack(pieces())
    assert len(asked) == 1
