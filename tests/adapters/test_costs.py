"""What a change of one skill costs, counted: waits for the disk, system calls, and what is asked of the table.

How often each change waits stands in `docs/crash-safety.md`, and there alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve, frozen

from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Create, Delete, Edit, RemoveFile, SetState
from kestrel_skills_core.domain.edit import Append, Whole
from kestrel_skills_core.domain.names import Address, ResourcePath, SkillName, SourceId
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.ports.states import StateTable
from kestrel_skills_core.service.library import SkillLibrary
from tests.hostile.disk import Meddling, skill

DOCUMENT = Path(__file__).parents[2] / "docs" / "crash-safety.md"
KNOTS, SHELLS = SkillName("knots"), SkillName("shells")
HERE = Address(KNOTS)
NOTES = ResourcePath("notes.md")


class Tallying(Meddling):
    """Counts every call, and the entries that a listing gave."""

    def __init__(self, tally: Counter[str]) -> None:
        super().__init__(lambda call, *_: tally.update([call]))
        self.tally = tally

    def listed(self, fd: int, most: int) -> list[Any]:
        """The entries of a folder."""
        found = super().listed(fd, most)
        self.tally["entries"] += len(found)
        return found


@frozen
class TallyingStates:
    """A table of states that counts what is asked of it, and the rows that it gave."""

    table: StateTable
    tally: Counter[str]

    async def rows(self, name: SkillName | None = None) -> Mapping[StateKey, SkillState]:
        """All states, or those of one name."""
        found = await self.table.rows(name)
        self.tally.update({"rows": 1, "rows given": len(found)})
        return found

    async def put(self, key: StateKey, state: SkillState) -> None:
        """Write one."""
        self.tally["table written"] += 1
        await self.table.put(key, state)

    async def replace(self, key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        """Write one that reads as it was seen."""
        self.tally["table written"] += 1
        return await self.table.replace(key, state, seen=seen)

    async def drop(self, key: StateKey, *, seen: SkillState) -> None:
        """Remove one."""
        self.tally["table written"] += 1
        await self.table.drop(key, seen=seen)


def library_among(above: Path, skills: int, tally: Counter[str], files: int = 2) -> SkillLibrary:
    """A library that counts, of so many skills in either root, and among them knots, of so many files, which is off.

    It is warm: all was surveyed, every skill of its own has a row, one was made and deleted, and one turned on and off.
    """
    own, shared = above / "own", above / "shared"
    for number in range(skills - 1):
        skill(own, f"skill-{number}")
        skill(shared, f"skill-{number}")
    folder = skill(own, KNOTS)
    for number in range(files - 1):
        (folder / (NOTES if number == 0 else f"{number}.md")).write_bytes(b"Notes.\n")
    library = library_of(settings_of({"HOME": str(above)}, root=own, shared=shared))
    assert isinstance(library.store, PosixSkillStore)
    store = evolve(library.store, calls=Tallying(tally))
    others = PosixSkillFiles(shared, SourceId.HOST_SHARED, calls=Tallying(tally))
    library = evolve(library, store=store, sources=[store, others], states=TallyingStates(library.states, tally))
    for record in finish(library.catalog()).catalog.records:
        off = SkillState(subject=record.subject)
        finish(library.states.put(StateKey(record.name), off))
    finish(create(library)())
    finish(delete(library, Address(SHELLS))())
    finish(turn(library, on=True)())
    finish(turn(library, on=False)())
    tally.clear()
    return library


Work = Callable[[], Any]
"""A change, ready to be made: what is looked at before it is no part of it."""


def create(library: SkillLibrary, *, on: bool = False) -> Work:
    """Make a skill."""
    command = Create.written(SHELLS, "Use when shells are wanted.", "Look.\n", enabled=on)
    return lambda: library.create(command)


def edit(library: SkillLibrary, path: str, *, there: bool) -> Work:
    """Write a file."""
    change = Append("More.\n") if there else Whole(b"New.\n")
    return lambda: library.edit(Edit(address=HERE, path=ResourcePath(path), change=change))


def remove(library: SkillLibrary) -> Work:
    """Take a file out, which was put there for it: a skill of one file has none to spare."""
    finish(library.edit(Edit(address=HERE, path=ResourcePath("spare.md"), change=Whole(b"Spare.\n"))))
    seen = finish(library.read(HERE)).tree.revision
    command = RemoveFile(address=HERE, path=ResourcePath("spare.md"), expected_revision=seen)
    return lambda: library.remove_file(command)


def delete(library: SkillLibrary, address: Address = HERE) -> Work:
    """Delete a skill that has a row."""
    token = finish(library.deletion(address)).delete_revision
    return lambda: library.delete(Delete(address=address, delete_revision=token))


def turn(library: SkillLibrary, *, on: bool) -> Work:
    """Turn a skill on or off."""
    return lambda: library.set_state(SetState(address=HERE, enabled=on))


CHANGES: Final[Mapping[str, Callable[[SkillLibrary], Work]]] = {
    "create": create,
    "create, and turn on": lambda library: create(library, on=True),
    "replace a file": lambda library: edit(library, "SKILL.md", there=True),
    "add a file": lambda library: edit(library, "new.md", there=False),
    "remove a file": remove,
    "turn on": lambda library: turn(library, on=True),
    "turn off": lambda library: turn(library, on=False),
    "delete": delete,
}


def costs(above: Path, skills: int, files: int = 2) -> dict[str, Counter[str]]:
    """What each change costs, one after the other; what was made is deleted again."""
    tally: Counter[str] = Counter()
    library = library_among(above, skills, tally, files)
    found = {}
    for change, prepared in CHANGES.items():
        work = prepared(library)
        tally.clear()
        finish(work())
        found[change] = Counter(tally)
        if change.startswith("create"):
            finish(delete(library, Address(SHELLS))())
    return found


def waits() -> dict[str, tuple[int, int]]:
    """What the document says: by change, how often it waits for the disk, and how often the table is written."""
    rows = re.findall(r"^\| ([a-z ,]+) \| (\d+) \| (\d+) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    return {change: (int(store), int(table)) for change, store, table in rows}


@pytest.mark.parametrize("files", [1, 250])
def test_a_change_waits_for_the_disk_so_often(swift_path: Path, files: int) -> None:
    """As the document says, to the one; and as often for a skill of 250 files as for one of a single file."""
    found = costs(swift_path, 2, files)
    assert {
        change: (cost["sync"] + cost["sync_disk"], cost["table written"]) for change, cost in found.items()
    } == waits()


def test_a_change_costs_the_same_among_few_and_many(swift_path: Path) -> None:
    """Call by call, entry by entry and row by row: a change touches one name."""
    few, many = costs(swift_path / "few", 10), costs(swift_path / "many", 400)
    assert few == many
    assert all(cost["rows given"] <= 2 and cost["entries"] < 30 for cost in many.values())
