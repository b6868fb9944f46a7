"""What is kept on a disk: too much of it, what cannot be listed, and what is taken meanwhile."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_core.domain.errors import KeptAbsent, NotEditable, StaleRevision
from kestrel_skills_core.domain.folder import Kind
from tests.hostile.disk import Meddling, once, open_descriptors

from .stores import made, on

TOKEN = "ab" * 16
CROWDED = 0o705
"""The permission bits by which a folder that is told to hold too much is known."""


class Crowded(Syscalls):
    """A disk on which every folder holds more links than are listed, and remembers how many it was asked for."""

    def __init__(self) -> None:
        self.most = 0

    def listed(self, fd: int, most: int) -> list[tuple[str, Kind]]:
        """As many as may be."""
        if (self.fstat(fd).st_mode & 0o7777) != CROWDED:
            return super().listed(fd, most)
        self.most = most
        return [(f"{number:06}", "link") for number in range(most)]

    def stat(self, name: str, at: int | None = None) -> os.stat_result:
        """Each is the same link."""
        return super().stat("." if name.isdecimal() else name, at)


def test_of_what_holds_too_much_the_first_are_told(tmp_path: Path) -> None:
    """No more are asked for; the listing says so, and nothing of it is discarded."""
    root = made(tmp_path)
    calls = Crowded()
    place = root.internal / "kept" / f"{TOKEN}-knots"
    place.mkdir(parents=True)
    place.chmod(CROWDED)
    held = open_descriptors()
    listing = on(root, calls).kept_listing(TOKEN)
    assert open_descriptors() == held
    assert (len(listing.entries), calls.most) == (65_536, 65_536)
    assert [entry.path for entry in listing.unseen] == ["."]
    with pytest.raises(NotEditable, match="it holds more than the first 65,536 entries"):
        on(root, calls).discard(TOKEN, seen=listing, cancelled=never)
    assert place.is_dir()


@pytest.mark.parametrize("call", ["open", "listed"])
def test_a_kept_folder_that_cannot_be_listed_says_so(tmp_path: Path, call: str) -> None:
    """What is beside it is told all the same."""
    root = made(tmp_path)
    for path in ("closed/a.md", "b.md"):
        place = root.internal / "kept" / f"{TOKEN}-knots" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"1")
    opened = []

    def act(name: str, *arguments: object) -> None:
        opened.extend(arguments[:1] if name == "open" else [])
        if name == call and opened[-1:] == ["closed"]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    listing = on(root, Meddling(act)).kept_listing(TOKEN)
    assert [(entry.path, entry.unseen) for entry in listing.entries] == [
        (".", ""),
        ("b.md", ""),
        ("closed", "it cannot be read: the disk reports an error"),
    ]


def test_what_is_taken_while_it_is_discarded_is_absent(tmp_path: Path) -> None:
    """Another process was faster."""
    root = made(tmp_path)
    place = root.internal / "kept" / f"{TOKEN}-knots"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"1")
    seen = root.store.kept_listing(TOKEN)
    with pytest.raises(KeptAbsent):
        on(root, once("move", place.name, place.unlink)).discard(TOKEN, seen=seen, cancelled=never)


def test_what_changed_under_its_old_size_and_time_is_not_discarded(tmp_path: Path) -> None:
    """Nobody puts back a time of change; what a person let go of is let go of."""
    root = made(tmp_path)
    file = root.internal / "kept" / f"{TOKEN}-knots" / "notes.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"seen")
    seen, before = root.store.kept_listing(TOKEN), file.stat()
    while file.stat().st_ctime_ns == before.st_ctime_ns:
        file.write_bytes(b"mine")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(StaleRevision):
        root.store.discard(TOKEN, seen=seen, cancelled=never)
    assert file.read_bytes() == b"mine"
    root.store.discard(TOKEN, seen=root.store.kept_listing(TOKEN), cancelled=never)
    assert not file.parent.exists()
