"""What happens when a person works in the same folder between any two calls of a store.

A person may be faster than any check. Whatever they wrote is then in sight, or kept and told of; and a change that was
refused left everything as the person left it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from kestrel_skills_adapters.contracts.roots import kept_files
from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_core.domain.errors import InDoubt, SkillError, StaleRevision
from kestrel_skills_core.domain.tree import Content
from tests.contracts.store import OnDisk
from tests.hostile.disk import Meddling

from .stores import CHANGING, Verb, leftovers, made, on

Act = Callable[[Path], None]
MINE: Final = b"What a person wrote.\n"
TARGETS: Final = {"remove": "bin/tie.sh", "replace deep": "a/b/deep.md", "annotate": ".kestrel-provenance.json"}


def edits(target: str) -> Act:
    """Writes into the file that is there."""

    def act(root: Path) -> None:
        with (root / "knots" / target).open("r+b") as file:
            file.truncate()
            file.write(MINE)

    return act


def saves(target: str) -> Act:
    """Puts a new file in the place of the old one, as editors do."""

    def act(root: Path) -> None:
        (root / "knots" / "saving").write_bytes(MINE)
        (root / "knots" / "saving").rename(root / "knots" / target)

    return act


def adds(_: str) -> Act:
    """Makes a new file."""
    return lambda root: void((root / "knots" / "mine.md").write_bytes(MINE))


def takes_the_name(_: str) -> Act:
    """Makes the very file, or folder, that a new one is to become."""

    def act(root: Path) -> None:
        (root / "knots" / "new.md").write_bytes(MINE)
        (root / "knots" / "a" / "new").mkdir()
        (root / "knots" / "a" / "new" / "mine.md").write_bytes(MINE)

    return act


def removes(target: str) -> Act:
    """Removes the file."""
    return lambda root: (root / "knots" / target).unlink()


def moves(_: str) -> Act:
    """Gives the folder another name."""
    return lambda root: void((root / "knots").rename(root / "rope"))


def moves_a_folder(_: str) -> Act:
    """Gives a folder in the folder another name."""
    return lambda root: void((root / "knots" / "a").rename(root / "knots" / "b"))


def deletes(_: str) -> Act:
    """Removes the folder, with all in it."""
    return lambda root: shutil.rmtree(root / "knots")


def begins_anew(_: str) -> Act:
    """Moves the folder aside, and makes another of its name."""

    def act(root: Path) -> None:
        (root / "knots").rename(root / "rope")
        (root / "knots").mkdir()
        (root / "knots" / "SKILL.md").write_bytes(MINE)

    return act


def puts_a_link(target: str) -> Act:
    """Puts a link to somewhere else in the place of the file."""

    def act(root: Path) -> None:
        (root / "knots" / "saving").symlink_to(root.parent / "elsewhere")
        (root / "knots" / "saving").rename(root / "knots" / target)

    return act


def makes_executable(target: str) -> Act:
    """Changes the mode and nothing else."""
    return lambda root: (root / "knots" / target).chmod(0o711)


ACTS: Final = [
    edits, saves, adds, takes_the_name, removes, moves, moves_a_folder, deletes, begins_anew, puts_a_link,
    makes_executable,
]  # fmt: skip


def void(_: object) -> None:
    """Nothing."""


@contextmanager
def copied(template: OnDisk, above: Path) -> Iterator[OnDisk]:
    """A copy of a root, for one try."""
    path = above / "try"
    shutil.copytree(template.path, path, symlinks=True)
    yield OnDisk(path, template.source, calls=template.calls)
    shutil.rmtree(path)


def entries(root: OnDisk) -> dict[str, Entry]:
    """What is in sight, markers apart."""
    return {path: entry for path, entry in root.entries().items() if not path.endswith(".kestrel-generation")}


def kept_bytes(root: OnDisk) -> list[bytes]:
    """Every file that is kept."""
    return [content for kept in root.store.kept() for content in kept_files(root.store, kept.token).values()]


def everywhere(root: OnDisk) -> list[bytes]:
    """Every file in sight or kept."""
    return [entry.data for entry in root.entries().values() if isinstance(entry, Content)] + kept_bytes(root)


class Meeting:
    """One verb, with one act or more before calls of given indices; and what came of it."""

    def __init__(self, root: OnDisk, verb: Verb, acts: dict[int, Callable[[Path], None]]) -> None:
        self.acted: list[int] = []
        self.error: SkillError | None = None
        indices = count()

        def meddle(*_: Any) -> None:
            index = next(indices)
            if index in acts:
                with suppress(FileNotFoundError, FileExistsError, NotADirectoryError):
                    acts[index](root.path)
                    self.acted.append(index)

        try:
            verb.run(on(root, Meddling(meddle)))
        except SkillError as error:
            self.error = error
        self.calls = next(indices)
        self.replaces_unasked = verb.name == "annotate" and self.error is None
        """What was said of a skill's origin is replaced whatever it was, if it was not changed under our hands."""


@pytest.mark.parametrize("deed", ACTS, ids=lambda deed: deed.__name__)
@pytest.mark.parametrize("verb", CHANGING, ids=str)
def test_what_a_person_does_between_two_calls_stays_done(
    swift_path: Path, verb: Verb, deed: Callable[[str], Act]
) -> None:
    """Before every call in turn."""
    template = made(swift_path)
    (swift_path / "elsewhere").write_bytes(b"Not ours.\n")
    act = deed(TARGETS.get(verb.name, "SKILL.md"))
    with copied(template, swift_path) as root:
        many = Meeting(root, verb, {}).calls
    with copied(template, swift_path) as root:
        act(root.path)
        undisturbed, written = entries(root), MINE in everywhere(root)
    for index in range(many):
        with copied(template, swift_path) as root:
            meeting = Meeting(root, verb, {index: act})
            lasting = meeting.acted and written and not meeting.replaces_unasked
            assert MINE in everywhere(root) or not lasting, index
            if meeting.acted and meeting.error is not None and not isinstance(meeting.error, InDoubt):
                kept = isinstance(meeting.error, StaleRevision) and meeting.error.kept is not None
                assert entries(root) == undisturbed or kept, index
            before = entries(root)
            swept = root.store.sweep()
            assert entries(root) == before, index
            assert swept.restored == (), index
            assert leftovers(root) == [], index
            assert MINE in everywhere(root) or not lasting, index
            assert (swift_path / "elsewhere").read_bytes() == b"Not ours.\n"


@pytest.mark.parametrize("verb", [verb for verb in CHANGING if not verb.name.startswith("add")], ids=str)
def test_a_person_who_is_faster_twice_loses_nothing(swift_path: Path, verb: Verb) -> None:
    """Once before our move, and once more before it is undone: each text is in sight, or kept."""
    template = made(swift_path)
    target = TARGETS.get(verb.name, "SKILL.md")

    def says(text: bytes) -> Act:
        def act(root: Path) -> None:
            (root / "knots").mkdir(exist_ok=True)
            (root / "knots" / "saving").write_bytes(text)
            (root / "knots" / "saving").rename(root / "knots" / target)

        return act

    with copied(template, swift_path) as root:
        many = Meeting(root, verb, {}).calls
    both = 0
    for first in range(many):
        for second in range(first + 1, min(first + 8, many + 8)):
            with copied(template, swift_path) as root:
                meeting = Meeting(root, verb, {first: says(b"First.\n"), second: says(b"Second.\n")})
                lasting = second in meeting.acted and not meeting.replaces_unasked
                if lasting:
                    assert b"Second.\n" in everywhere(root), (first, second)
                if isinstance(meeting.error, StaleRevision) and meeting.error.kept is not None:
                    assert b"First.\n" in everywhere(root), (first, second)
                    both += b"First.\n" in kept_bytes(root) or b"Second.\n" in kept_bytes(root)
                root.store.sweep()
                assert leftovers(root) == [], (first, second)
                if lasting:
                    assert b"Second.\n" in everywhere(root), (first, second)
    assert both > 0
