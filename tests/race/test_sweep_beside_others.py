"""A process that starts again and again, and sweeps each time, beside others who make and delete skills."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from kestrel_skills_core.ports.store import Swept

from .siblings import together
from .sight import store_at
from .works import Published, publishing, sweeping


def swept_beside(above: Path, publishers: int, turns: int, *, locked: bool = True) -> tuple[Published, Counter[str]]:
    """What the publishers did, all together, and what the sweeps."""
    (above / "skills").mkdir()
    works = [partial(publishing, above, number, turns) for number in range(publishers)]
    published, (swept,) = together(works, [partial(sweeping, above, locked=locked)])
    whole, torn = sum(each.whole for each in published), sum(each.torn for each in published)
    failed = [failure for each in published for failure in each.failed]
    print(f"\n{whole:,} made whole, {torn:,} torn, {len(failed):,} failed; sweeps: {dict(swept)}")
    return Published(whole, torn, failed), swept


def tell_sweeps(above: Path, publishers: int, turns: int) -> int:
    """Nothing is torn, nothing fails, and nothing is left: the sweeps keep out of the way of whoever is at work.

    Gives how many sweeps found nobody at work.
    """
    published, swept = swept_beside(above, publishers, turns)
    assert published == Published(whole=publishers * turns)
    assert (swept["restored"], swept["kept"]) == (0, 0)
    store = store_at(above)
    assert store.sweep() == Swept()
    assert len(store.survey().sightings) == publishers * turns // 4
    return swept["done"]


def test_sweeps_beside_publishers_tear_nothing(tmp_path: Path) -> None:
    """Whoever sweeps holds the store alone, or does nothing."""
    tell_sweeps(tmp_path, 2, 28)


@pytest.mark.race
def test_sweeps_beside_2_000_publications_tear_nothing(tmp_path: Path) -> None:
    """A thousand each of two publishers, most of which are deleted again."""
    assert tell_sweeps(tmp_path, 2, 1000) > 0


@pytest.mark.race
def test_sweeps_without_the_store_lock_tear(tmp_path: Path) -> None:
    """They take what another has only begun: folders come into sight in part, and publications fail."""
    published, _ = swept_beside(tmp_path, 2, 1000, locked=False)
    assert published.torn > 0
    assert published.failed
