"""Whose a root is, on a disk: what it costs to say so, and what may stand in its way."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_core.domain.errors import Busy, StoreFailed
from kestrel_skills_core.domain.owner import Owner
from tests.contracts.store import OnDisk
from tests.hostile.disk import WRITING, Meddling

from .stores import leftovers, made, on

KITE = Owner(agent="did:example:kite", table="sqlite", file="kestrel.db")


def test_a_claim_waits_three_times_for_the_disk_and_the_next_one_not_at_all(tmp_path: Path) -> None:
    """The file, and the two folders between which it moves; then nothing is changed, and no lock is asked for."""
    root, calls = made(tmp_path), Counter[str]()
    store = on(root, Meddling(lambda call, *_: calls.update([call])))
    store.claim(KITE, cancelled=never)
    assert calls["sync"] == 3
    calls.clear()
    store.claim(KITE, cancelled=never)
    assert calls.keys().isdisjoint(WRITING)
    assert leftovers(root) == []


def folder(place: Path) -> None:
    """A folder that holds something."""
    (place / "deep").mkdir(parents=True)


def link(place: Path) -> None:
    """A link to a file elsewhere."""
    elsewhere = place.parents[2] / "elsewhere"
    elsewhere.write_text('{"schema": 1, "agent": "did:example:wren", "table": "sqlite"}')
    place.symlink_to(elsewhere)


def pipe(place: Path) -> None:
    """A pipe that nobody writes to."""
    os.mkfifo(place)


@pytest.mark.parametrize("put", [folder, link, pipe])
def test_what_is_no_file_says_nothing(tmp_path: Path, put: Callable[[Path], None]) -> None:
    """It is neither followed nor waited for."""
    root = made(tmp_path)
    put(root.internal / "owner.json")
    assert root.store.owner() is None


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """What it leads to stays as it is."""
    root = made(tmp_path)
    link(root.internal / "owner.json")
    root.store.claim(KITE, cancelled=never)
    assert root.store.owner() == KITE
    assert not (root.internal / "owner.json").is_symlink()
    assert "wren" in (tmp_path / "elsewhere").read_text()


def test_a_folder_in_its_place_stays(tmp_path: Path) -> None:
    """The claim fails, with what to do."""
    root = made(tmp_path)
    folder(root.internal / "owner.json")
    with pytest.raises(StoreFailed) as refusal:
        root.store.claim(KITE, cancelled=never)
    assert refusal.value.why == "a folder stands where a file should"
    assert (root.internal / "owner.json" / "deep").is_dir()
    assert leftovers(root) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_disk_that_refuses_leaves_what_was_said(tmp_path: Path, number: int) -> None:
    """Full, read-only, closed or broken: the claim fails in one line, and what was said before still is."""
    root = made(tmp_path)
    root.store.claim(KITE, cancelled=never)

    def refuse(call: str, *_: object) -> None:
        if call in ("create", "append", "make_folder"):
            raise OSError(number, "")

    with pytest.raises(StoreFailed):
        on(root, Meddling(refuse)).claim(Owner(agent="did:example:wren", table="postgres"), cancelled=never)
    assert root.store.owner() == KITE


def test_a_claim_is_not_swept_away(tmp_path: Path) -> None:
    """Whoever sweeps holds the store alone, so that a claim waits, and says for whom."""
    root: OnDisk = made(tmp_path)
    calls = root.store.calls
    with (
        calls.folder(str(root.internal / "locks")) as locks,
        calls.locked("store.lock", locks, 0),
        pytest.raises(Busy) as refusal,
    ):
        on(root, Meddling(lambda *_: None)).claim(KITE, cancelled=never)
    assert refusal.value.held == "the skills folder"
    assert root.store.owner() is None
