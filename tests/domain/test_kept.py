"""What is kept of a person's is listed whole, and what could not be is never let go of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kestrel_skills_core.domain.errors import NotEditable, StoreFailed
from kestrel_skills_core.domain.kept import KeptEntry, KeptListing, beyond_depth, listing_of, refuse_lone
from kestrel_skills_core.domain.names import SkillName

TOKEN, KNOTS = "ab" * 16, SkillName("knots")
ITSELF = KeptEntry(".", "folder")


def listing(*entries: KeptEntry) -> KeptListing:
    """A kept folder with these entries."""
    return listing_of(TOKEN, KNOTS, iter((ITSELF, *entries)))


def test_a_listing_is_in_order_what_is_kept_first() -> None:
    """Whatever sorts before a dot."""
    entries = [KeptEntry(path, "file") for path in ("b", "!", "a/x", "a")]
    assert [entry.path for entry in listing(*entries).entries] == [".", "!", "a", "a/x", "b"]


def test_what_is_kept_is_of_the_kind_of_its_first_entry() -> None:
    """A folder, or a lone file."""
    assert [listing().kind, listing_of(TOKEN, KNOTS, iter([KeptEntry(".", "file")])).kind] == ["folder", "file"]


def test_no_more_is_asked_for_than_is_listed() -> None:
    """And the listing says that there is more."""
    asked = 0

    def endless() -> Iterator[KeptEntry]:
        nonlocal asked
        yield ITSELF
        while True:
            asked += 1
            yield KeptEntry(f"{asked:06}", "file")

    found = listing_of(TOKEN, KNOTS, endless())
    assert (len(found.entries), asked) == (65_536, 65_536)
    assert [(entry.path, entry.unseen) for entry in found.unseen] == [
        (".", "it holds more than the first 65,536 entries, which are listed")
    ]
    with pytest.raises(NotEditable, match="it holds more than the first 65,536 entries"):
        found.refuse_unseen()


def test_as_many_as_may_be_are_all() -> None:
    """The last one that is listed is not one too many."""
    found = listing(*(KeptEntry(f"{number:06}", "file") for number in range(65_535)))
    assert (len(found.entries), found.unseen) == (65_536, ())
    found.refuse_unseen()


@pytest.mark.parametrize(("levels", "told"), [(1, False), (63, False), (64, True), (65, True)])
def test_how_deep_a_listing_goes(levels: int, told: bool) -> None:
    """Folders of 63 levels are looked into, so that 64 are listed."""
    assert bool(beyond_depth("/".join("d" * levels))) is told


@pytest.mark.parametrize("path", [".git", "a/.git", ".GIT", "a/.git/HEAD"])
def test_a_repository_is_not_let_go_of(path: str) -> None:
    """Nor what points to one; the folder is named by which it can be found."""
    above = [KeptEntry(".git", "folder")] if path.startswith("a/.git/") else []
    with pytest.raises(NotEditable, match=r"it holds a repository") as refusal:
        listing(*above, KeptEntry(path, "file")).refuse_unseen()
    assert refusal.value.fix == f"move `.kestrel-internal/kept/{TOKEN}-knots` away by hand"


@pytest.mark.parametrize("path", ["git", ".gitignore", ".github/x.yml", "a.git"])
def test_what_only_looks_like_a_repository_is_let_go_of(path: str) -> None:
    """Its name is another."""
    listing(KeptEntry(path, "file")).refuse_unseen()


def test_what_could_not_be_read_is_not_let_go_of() -> None:
    """The disk is what failed, and its words stand there; the name is safe to print."""
    with pytest.raises(StoreFailed, match=r"`a\\x0ab`: it cannot be read: the disk reports an error"):
        listing(KeptEntry("a\nb", "file", unread="the disk reports an error")).refuse_unseen()


def test_a_folder_has_a_place_to_go_back_to() -> None:
    """Nothing else has."""
    refuse_lone("folder", KNOTS)
    for kind, words in (("file", "one file of"), ("link", "one link of"), ("other", "neither a file nor a folder of")):
        with pytest.raises(NotEditable, match=words):
            refuse_lone(kind, KNOTS)
