"""A sibling is stopped while it holds a lock: what an agent can still do, what it is told, and that it can go away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import SystemChance, finish, inline, threads
from kestrel_skills_core.domain.commands import Create, Delete, Edit, RemoveFile, SetState
from kestrel_skills_core.domain.edit import Append, Whole
from kestrel_skills_core.domain.errors import Busy, StateUnavailable
from kestrel_skills_core.domain.names import Address, ResourcePath, SkillName
from kestrel_skills_core.ports.store import Swept
from kestrel_skills_core.ports.world import Offload
from kestrel_skills_core.service.library import SkillLibrary

from .killed import Skill, Skills, found
from .sight import library_at
from .stopped import held, switching_off, table_held

HOUR: Final = 3600
TABLE: Final = "the table of states"
NAMES: Final = ("knots", "shells")
MORE: Final = ResourcePath("more.md")

Mutation = Callable[[SkillLibrary, str], Coroutine[Any, Any, object]]


async def _remove(library: SkillLibrary, name: str) -> object:
    seen = (await library.read(Address(SkillName(name)))).tree.revision
    return await library.remove_file(RemoveFile(address=Address(SkillName(name)), path=MORE, expected_revision=seen))


async def _delete(library: SkillLibrary, name: str) -> object:
    address = Address(SkillName(name))
    token = (await library.deletion(address)).delete_revision
    return await library.delete(Delete(address=address, delete_revision=token))


def _edit(library: SkillLibrary, name: str) -> Coroutine[Any, Any, object]:
    return library.edit(Edit(address=Address(SkillName(name)), path=MORE, change=Append("More.\n")))


def _create(library: SkillLibrary, name: str) -> Coroutine[Any, Any, object]:
    return library.create(Create(name=SkillName(f"{name}-new"), document=document(f"{name}-new")))


def _on(library: SkillLibrary, name: str) -> Coroutine[Any, Any, object]:
    return library.set_state(SetState(address=Address(SkillName(name)), enabled=True))


def _off(library: SkillLibrary, name: str) -> Coroutine[Any, Any, object]:
    return library.set_state(SetState(address=Address(SkillName(name)), enabled=False))


def _read(library: SkillLibrary, name: str) -> Coroutine[Any, Any, object]:
    return library.read(Address(SkillName(name)))


CHANGES: Final[dict[str, Mutation]] = {"edit": _edit, "remove": _remove, "delete": _delete}
"""Of a skill that is there."""


def stocked(above: Path) -> Skills:
    """Two skills, both on."""
    (above / "skills").mkdir()
    library = library_at(above)
    for name in map(SkillName, NAMES):
        finish(library.create(Create(name=name, document=document(name), enabled=True)))
        finish(library.edit(Edit(address=Address(name), path=MORE, change=Whole(b"more\n"))))
    return found(library)


def library_on(above: Path, *, patience: float = 0.05, offload: Offload = inline) -> SkillLibrary:
    """The library as wiring makes it, with another patience."""
    settings = settings_of({}, root=above / "skills")
    store = PosixSkillStore(settings.root, chance=SystemChance(), patience=patience)
    states = SqliteStates(settings.state, settings.agent, offload=offload, wait=patience)
    return evolve(library_of(settings, offload=offload), sources=[store], store=store, states=states)


def lock_held(above: Path, lock: str) -> AbstractContextManager[int]:
    """One of the locks of this library, held by a sibling that is stopped."""
    if lock == TABLE:
        return table_held(settings_of({}, root=above / "skills").state)
    return held(above / "skills" / ".kestrel-internal" / "locks", lock)


@pytest.mark.parametrize("lock", ["store.lock", "name-knots.lock", "markers.lock"])
def test_reads_and_refreshes_go_on(tmp_path: Path, lock: str) -> None:
    """Whoever reads takes no lock."""
    before = stocked(tmp_path)
    with lock_held(tmp_path, lock):
        library = library_on(tmp_path)
        assert found(library) == before
        assert [each.name for each in finish(library.search("knots")).records] == ["knots"]
        assert finish(library.read_file(Address(SkillName("knots")), MORE)).content == b"more\n"


def test_reads_and_refreshes_go_on_without_the_table_of_states(tmp_path: Path) -> None:
    """What is on cannot be told, so nothing is; every file can be read."""
    before = stocked(tmp_path)
    with lock_held(tmp_path, TABLE):
        library = library_on(tmp_path)
        assert found(library) == {name: evolve(skill, enabled=False) for name, skill in before.items()}
        assert finish(library.catalog()).unavailable is not None
    assert found(library) == before


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_other_names_are_changed_beside_a_sibling_that_holds_one(tmp_path: Path, change: Mutation) -> None:
    """Who would change that one is told so, within the deadline; switching it needs no lock of a name."""
    before = stocked(tmp_path)
    with lock_held(tmp_path, "name-knots.lock"):
        library = library_on(tmp_path)
        finish(change(library, "shells"))
        finish(_create(library, "tides"))
        with pytest.raises(Busy, match="the skill `knots`"):
            finish(change(library, "knots"))
        after = found(library)
        assert after["knots"] == before["knots"]
        assert after.get("shells") != before["shells"]
        assert "tides-new" in after
        finish(_off(library, "knots"))
        assert not found(library)["knots"].enabled
        finish(_on(library, "knots"))
        assert found(library) == after
    finish(change(library, "knots"))


@pytest.mark.parametrize("change", [*CHANGES.values(), _create], ids=[*CHANGES, "create"])
def test_every_change_is_answered_beside_a_stopped_sweep(tmp_path: Path, change: Mutation) -> None:
    """Within the deadline: the store is busy, and nothing was changed."""
    before = stocked(tmp_path)
    with lock_held(tmp_path, "store.lock"):
        library = library_on(tmp_path)
        with pytest.raises(Busy, match="the skills folder"):
            finish(change(library, "knots"))
        assert found(library) == before
        assert finish(library.sweep()) == Swept(skipped=True)
    finish(change(library, "knots"))


@pytest.mark.parametrize("lock", ["store.lock", TABLE])
def test_what_is_switched_off_is_off_whoever_is_stopped(tmp_path: Path, lock: str) -> None:
    """By its row alone where no mark can be made, and by its mark alone where no row can be written."""
    before = stocked(tmp_path)
    with lock_held(tmp_path, lock):
        library = library_on(tmp_path)
        finish(_off(library, "knots"))
        assert not found(library)["knots"].enabled
    assert found(library) == {**before, "knots": evolve(before["knots"], enabled=False)}
    finish(_on(library, "knots"))
    assert found(library) == before


@pytest.mark.parametrize("while_held", [True, False])
def test_whoever_was_stopped_while_switching_off_undoes_nothing_that_came_later(
    tmp_path: Path, while_held: bool
) -> None:
    """Not what was switched off by its mark alone, after it had been switched on; and on again is on."""
    before = stocked(tmp_path)
    root = tmp_path / "skills"
    with switching_off(root, "knots", "locked", "mark-knots.lock", 2) as go_on:
        finish(_on(library_on(tmp_path), "knots"))
        assert found(library_at(tmp_path)) == before
        with lock_held(tmp_path, TABLE):
            finish(_off(library_on(tmp_path), "knots"))
            if while_held:
                go_on()
        if not while_held:
            go_on()
    assert not found(library_at(tmp_path))["knots"].enabled
    finish(_on(library_on(tmp_path), "knots"))
    assert found(library_at(tmp_path)) == before


def test_whoever_is_stopped_while_taking_a_mark_away_holds_that_name_alone(tmp_path: Path) -> None:
    """Off is written by its row, or refused where that cannot be; nothing is on that was told to be off."""
    before = stocked(tmp_path)
    off = {**before, "knots": evolve(before["knots"], enabled=False)}
    with switching_off(tmp_path / "skills", "knots", "unlink", ".fail-closed-state-knots.json") as go_on:
        library = library_on(tmp_path)
        with pytest.raises(Busy, match="the mark of `knots`"):
            finish(_on(library, "knots"))
        finish(_off(library, "knots"))
        assert found(library) == off
        finish(_off(library, "shells"))
        finish(_on(library, "shells"))
        with lock_held(tmp_path, TABLE), pytest.raises(StateUnavailable):
            finish(_off(library, "knots"))
        go_on()
    assert found(library_at(tmp_path)) == off
    finish(_on(library, "knots"))
    assert found(library) == before


@pytest.mark.parametrize("change", [*CHANGES.values(), _create], ids=[*CHANGES, "create"])
def test_files_are_changed_without_the_table_of_states(tmp_path: Path, change: Mutation) -> None:
    """What becomes of the rows is told, and no row is needed for what is off."""
    before = stocked(tmp_path)
    with lock_held(tmp_path, TABLE):
        finish(change(library_on(tmp_path), "knots"))
    after = found(library_at(tmp_path))
    assert after != before
    assert after["shells"] == before["shells"]


@pytest.mark.race
def test_a_folder_without_a_marker_is_read_beside_a_sibling_that_marks(tmp_path: Path) -> None:
    """It goes without one until the sibling is gone."""
    stocked(tmp_path)
    (tmp_path / "skills" / "tides").mkdir()
    (tmp_path / "skills" / "tides" / "SKILL.md").write_bytes(document("tides"))
    with lock_held(tmp_path, "markers.lock"):
        library = library_on(tmp_path)
        assert found(library)["tides"] == Skill({"SKILL.md": document("tides")})
        assert finish(library.read(Address(SkillName("tides")))).found.generation is None
    assert finish(library.read(Address(SkillName("tides")))).found.generation is not None


def test_nothing_is_switched_on_that_cannot_be_written_down(tmp_path: Path) -> None:
    """The answer comes within the deadline."""
    stocked(tmp_path)
    with lock_held(tmp_path, TABLE), pytest.raises(StateUnavailable, match="another process holds the state file"):
        finish(_on(library_on(tmp_path), "knots"))


WAITING: Final = {
    **{f"{change} of a name that is held": ("name-knots.lock", CHANGES[change]) for change in CHANGES},
    **{f"{change} beside a sweep": ("store.lock", CHANGES[change]) for change in CHANGES},
    "create beside a sweep": ("store.lock", _create),
    "off beside a sweep": ("store.lock", _off),
    "off without the table": (TABLE, _off),
    "on without the table": (TABLE, _on),
    "read without the table": (TABLE, _read),
}
"""Everything that waits for somebody, and for whom."""


@pytest.mark.parametrize(("lock", "asked"), WAITING.values(), ids=WAITING)
def test_whoever_goes_away_waits_no_longer(tmp_path: Path, lock: str, asked: Mutation) -> None:
    """Though there was patience for an hour; and nothing comes of what was asked, not even when the sibling is gone."""
    before = stocked(tmp_path)
    library = library_on(tmp_path, patience=HOUR, offload=threads)

    async def asked_in_vain() -> None:
        task = asyncio.ensure_future(asked(library, "knots"))
        await asyncio.wait([task], timeout=0.1)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with lock_held(tmp_path, lock):
        asyncio.run(asked_in_vain())
    assert found(library_at(tmp_path)) == before
