"""This library at work, without a host: `SkillLibrary` on the disk and a SQLite file of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path
from typing import Any

from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.commands import Create, Delete, Edit, SetState
from kestrel_skills_core.domain.edit import Whole
from kestrel_skills_core.domain.enabled import Enabled
from kestrel_skills_core.domain.names import Address, SkillName
from kestrel_skills_core.service.library import SkillLibrary
from tests.bench.beside.contender import ONE, RESOURCE, clocked, empty_root, named, once_more, peak, serve, traced

AGENT = "did:test:abc"
HERE = Address(SkillName(ONE))
WRITTEN = f"---\nname: {ONE}\ndescription: Use when it is time again.\n---\n\nDo it again.\n".encode()

Work = Coroutine[Any, Any, object]


class Library:
    """One agent's library. What is asked of it by name, `tests/bench/beside/run.py` says."""

    def __init__(self) -> None:
        self.number = 0

    def load(self, home: str, skills: int, *, trace: bool = False) -> Mapping[str, Any]:
        """A first look; or how much memory it leaves behind, and how much of that is what skills say of themselves."""
        self.root, self.skills = Path(home, "skills"), skills
        _warm(home)
        if trace:
            with traced() as left:
                self.library = _opened(home, self.root)
                finish(self.library.catalog())
            records = finish(self.library.catalog()).catalog.records
            return {**left, "own": _sizes((record.description, record.seen.packed) for record in records)}
        with clocked() as taken:
            self.library = _opened(home, self.root)
            catalog = finish(self.library.catalog()).catalog
        assert len(catalog.enabled) == skills
        return {**taken, "most": peak()}

    def settle(self) -> None:
        """Get ready for the rest: what is on is known."""
        self.on = Enabled()
        self.on.fill(finish(self.library.catalog()).catalog.records)

    def refresh(self) -> Mapping[str, float]:
        """Look again."""
        return _timed(self.library.catalog)

    list = refresh

    def change(self) -> Mapping[str, float]:
        """Look again, after a person wrote to one file."""
        self.number += 1
        once_more(self.root / named(self.number, self.skills))
        return self.refresh()

    def read(self) -> Mapping[str, float]:
        """Read one skill's procedure."""
        return _timed(lambda: self._read(lambda reading: reading.document.body))

    def resource(self) -> Mapping[str, float]:
        """Read one file that is not the procedure."""
        return _timed(lambda: self._read(lambda reading: reading.content(RESOURCE)))

    def search(self) -> Mapping[str, float]:
        """Search for a word that many have."""
        return _timed(lambda: self.library.search("when"))

    def clause(self) -> Mapping[str, float]:
        """The clause, as after every change."""
        with clocked() as taken:
            self.on.clause(Budget())
        return taken

    def create(self) -> Mapping[str, float]:
        """Make a skill."""
        command = Create.written(HERE.name, "Use when it is time.", "Do it.\n")
        return _timed(lambda: self.library.create(command))

    def edit(self) -> Mapping[str, float]:
        """Write the whole of its document."""
        seen = finish(self.library.read(HERE)).tree.revision
        command = Edit(address=HERE, change=Whole(WRITTEN), expected_revision=seen)
        return _timed(lambda: self.library.edit(command))

    def enable(self) -> Mapping[str, float]:
        """Switch it on."""
        return _timed(lambda: self.library.set_state(SetState(address=HERE, enabled=True)))

    def disable(self) -> Mapping[str, float]:
        """Switch it off."""
        return _timed(lambda: self.library.set_state(SetState(address=HERE, enabled=False)))

    def delete(self) -> Mapping[str, float]:
        """Delete it."""
        token = finish(self.library.deletion(HERE)).delete_revision
        return _timed(lambda: self.library.delete(Delete(address=HERE, delete_revision=token)))

    def agents(self, shared: str, home: str, count: int) -> Mapping[str, Any]:
        """The first looks of so many agents of one process, none with skills of its own, at one shared root.

        Then, when these are gone, of as many more that watch it.
        """
        _warm(home)
        walls = self._first_looks(shared, home, range(count), "off")
        most = peak()
        return {"walls": walls, "most": most, "watched": self._first_looks(shared, home, range(count, 2 * count), "on")}

    def _first_looks(self, shared: str, home: str, agents: Iterable[int], watch: str) -> list[float]:
        walls, kept = [], []
        for number in agents:
            own = empty_root(home, number)
            with clocked() as taken:
                kept.append(_opened(home, own, shared, watch))
                finish(kept[-1].catalog())
            walls.append(taken["wall"])
        return walls

    async def _read(self, part: Callable[[Any], object]) -> object:
        self.number += 1
        name = named(self.number, self.skills)
        return part(await self.library.read(Address(SkillName(name))))


def _opened(home: str, root: Path, shared: str | None = None, watch: str = "off") -> SkillLibrary:
    environ = {"HOME": home, "KESTREL_SKILLS_WATCH": watch}
    return library_of(settings_of(environ, root=root, shared=shared, agent=AGENT))


def _warm(home: str) -> None:
    """Import whatever a first look imports, by one at nothing."""
    finish(_opened(home, empty_root(home, "nothing")).catalog())


def _timed(work: Callable[[], Work]) -> Mapping[str, float]:
    with clocked() as taken:
        finish(work())
    return taken


def _sizes(values: Iterable[object]) -> int:
    """The bytes of texts, numbers and tuples of them, each once."""
    seen: dict[int, int] = {}

    def visit(value: object) -> None:
        if id(value) not in seen:
            seen[id(value)] = sys.getsizeof(value)
            for part in value if isinstance(value, tuple) else ():
                visit(part)

    for description, inventory in values:  # type: ignore[misc]
        visit(description)
        visit(inventory)
    return sum(seen.values())


if __name__ == "__main__":
    library = Library()
    serve(lambda do, asked: getattr(library, do)(**asked))
