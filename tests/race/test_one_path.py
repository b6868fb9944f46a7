"""Many processes edit one skill, and others read it: the edits are one path, and no reader sees what is not on it.

A part of it runs with all other tests; the whole (`nox -s race`) is what the marker `race` stands for. What the locks
and the reader's stamps do for it is shown by leaving each of them out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_core.domain.names import ResourcePath, Revision

from .siblings import together
from .sight import KNOTS, PATHS, Seen, library_at, listing, reading, store_at, through, tree
from .works import Accepted, Changed, Credulous, Slow, all_verbs, edits

FIRST = tree("first").revision


def begun(above: Path) -> Path:
    """A root with one skill in it."""
    (above / "skills").mkdir()
    store_at(above).publish(KNOTS, tree("first"), cancelled=never)
    return above


def editing(
    above: Path, writers: int, turns: int, paths: Sequence[ResourcePath] = PATHS, *, locked: bool = True
) -> list[Callable[[], Changed]]:
    """So many processes that edit these files so often each."""
    return [partial(edits, above, number, turns, paths, locked=locked) for number in range(writers)]


def accepted_by(writers: Sequence[Changed]) -> list[Accepted]:
    """Every change that was acknowledged."""
    return list(chain.from_iterable(writer.accepted for writer in writers))


def forks(accepted: Sequence[Accepted]) -> int:
    """How many changes were accepted for a revision for which another was accepted too."""
    return sum(times - 1 for times in Counter(parent for parent, _ in accepted).values())


def path_from(first: Revision, accepted: Sequence[Accepted]) -> list[Revision | None]:
    """The revisions that follow from each other, from the first on."""
    after = dict(accepted)
    path: list[Revision | None] = [first]
    while path[-1] in after:
        path.append(after.pop(path[-1]))
    return path


def tell_path(above: Path, writers: int, turns: int) -> tuple[list[Seen], list[Revision | None]]:
    """Edit and read; every edit must be on one path. Gives what was seen, and the path."""
    library = library_at(above)
    changed, seen = together(editing(above, writers, turns), [partial(reading, library), partial(listing, library)])
    accepted = accepted_by(changed)
    path = path_from(FIRST, accepted)
    assert len(accepted) == writers * turns
    assert forks(accepted) == 0
    assert len(path) == writers * turns + 1
    assert store_at(above).read(KNOTS).tree.revision == path[-1]
    refused = sum(writer.refused for writer in changed)
    print(f"\n{len(accepted):,} edits, one path; {refused:,} times another was faster")
    return seen, path


def tell_readers(seen: Sequence[Seen], stood: Sequence[Revision | None]) -> None:
    """No reading mixes two states."""
    for each in seen:
        print(
            f"{each.whole:,} readings of {len(each.revisions):,} states, {each.torn(stood)} torn;"
            f" {each.absent:,} of nothing, {each.restless:,} given up"
        )
    assert [each.torn(stood) for each in seen] == [0] * len(seen)


def test_the_edits_of_several_processes_are_one_path(tmp_path: Path) -> None:
    """Each accepted edit was of what the one before it made, and whoever read meanwhile saw states on that path."""
    seen, path = tell_path(begun(tmp_path), 3, 20)
    tell_readers(seen, path)


@pytest.mark.race
def test_4_000_edits_of_eight_processes_are_one_path(tmp_path: Path) -> None:
    """And of more than 10,000 readings meanwhile, none is torn."""
    seen, path = tell_path(begun(tmp_path), 8, 500)
    tell_readers(seen, path)
    assert all(each.whole >= 10_000 for each in seen)


@pytest.mark.race
def test_without_locks_edits_of_different_files_fork(tmp_path: Path) -> None:
    """As many as with locks. Each finds the very file that it saw; only the locks tell it that another one changed."""
    changed, _ = together(editing(begun(tmp_path), 8, 500, locked=False))
    accepted = accepted_by(changed)
    print(f"\n{len(accepted):,} edits without locks, {forks(accepted):,} forks")
    assert forks(accepted) > 0


@pytest.mark.race
def test_without_locks_edits_of_one_file_are_no_path_either(tmp_path: Path) -> None:
    """That each looks at what it took away finds another's edit, but only after it was in the other's way."""
    changed, _ = together(editing(begun(tmp_path), 8, 30, PATHS[1:2], locked=False))
    accepted = accepted_by(changed)
    path = path_from(FIRST, accepted)
    print(f"\n{len(accepted):,} edits of one file without locks, {len(path) - 1:,} of them on one path")
    assert len(path) - 1 < len(accepted)


@pytest.mark.race
def test_of_many_kinds_of_changes_no_reader_sees_a_mixture(tmp_path: Path) -> None:
    """Files that come and go, and a skill that is deleted and made again while it is read."""
    above = begun(tmp_path)
    library = library_at(above)
    watches = [partial(reading, library), partial(listing, library)]
    changed, seen = together([partial(all_verbs, above, number, 250) for number in range(4)], watches)
    tell_readers(seen, [FIRST, *(made for _, made in accepted_by(changed))])
    assert all(each.whole and each.absent for each in seen)


@pytest.mark.race
def test_a_reader_that_does_not_look_at_the_stamps_again_sees_mixtures(tmp_path: Path) -> None:
    """Two readers, both so slow that several edits are made while they read: one gives up, the other is deceived."""
    above = begun(tmp_path)
    library, slow = library_at(above), store_at(above, Slow())
    credulous = Credulous(above / "skills", chance=slow.chance, calls=slow.calls)
    watches = [partial(reading, through(library, store)) for store in (slow, credulous)]
    changed, seen = together(editing(above, 8, 60), watches)
    stood = [FIRST, *(made for _, made in accepted_by(changed))]
    tell_readers(seen[:1], stood)
    deceived = seen[1].torn(stood)
    print(f"without a second look, of {seen[1].whole:,} readings {deceived:,} torn")
    assert seen[0].restless > 0
    assert deceived > 0
