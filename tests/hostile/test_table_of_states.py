"""A database that is gone, held, damaged or read-only while a library is at work: it is told, and all else goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.commands import Create, Delete, Edit, RemoveFile, SetState
from kestrel_skills_core.domain.edit import Append
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import ResourcePath, SkillName, parse_address
from kestrel_skills_core.service.library import SkillLibrary
from tests.cli.running import run, skill
from tests.hostile.disk import open_descriptors
from tests.permissions import bound

TEA, MILK = parse_address("tea"), SkillName("milk")
NOTES = ResourcePath("notes.md")


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    """Every test, whatever it meets, leaves as many descriptors open as it found."""
    before = open_descriptors()
    yield
    assert open_descriptors() == before


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    """A library at work, in which tea is on; it has no patience with others who hold the table."""
    (skill(tmp_path / "skills", "tea") / "notes.md").write_bytes(b"Notes.\n")
    states = SqliteStates(tmp_path / "skills.state.sqlite3", "local", offload=inline, wait=0)
    library = evolve(library_of(settings_of({}, root=tmp_path / "skills")), states=states)
    finish(library.set_state(SetState(address=TEA, enabled=True)))
    return library


@contextmanager
def damaged(states: Path) -> Iterator[None]:
    """Half of its pages are lost."""
    content = states.read_bytes()
    states.write_bytes(content[: len(content) // 2] + bytes(len(content) - len(content) // 2))
    yield
    states.write_bytes(content)


@contextmanager
def overwritten(states: Path) -> Iterator[None]:
    """It is something else."""
    content = states.read_bytes()
    states.write_bytes(b"this is no database" * 100)
    yield
    states.write_bytes(content)


@contextmanager
def held(states: Path) -> Iterator[None]:
    """Another process writes, and is not done."""
    with closing(sqlite3.connect(states, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def closed(states: Path) -> Iterator[None]:
    """Nobody may read it."""
    states.chmod(0)
    with bound():
        yield
    states.chmod(0o600)


SILENT = {
    damaged: "the state file is damaged",
    overwritten: "the state file is not a SQLite database",
    held: "another process holds the state file",
    closed: "the state file cannot be opened",
}


def is_on(library: SkillLibrary) -> bool:
    """Whether tea is on."""
    return [record.name for record in finish(library.catalog()).catalog.enabled] == ["tea"]


def token(library: SkillLibrary) -> str:
    """What approves the deletion of tea."""
    return finish(library.deletion(TEA)).delete_revision


@pytest.mark.parametrize("spoil", SILENT, ids=lambda spoil: spoil.__name__)
def test_a_table_that_does_not_answer_hides_nothing_and_turns_all_off(
    library: SkillLibrary, tmp_path: Path, spoil: Callable[[Path], Any]
) -> None:
    """Every use case is tried, in turn; what only the files are needed for is done, and all else says why it is not."""
    states = tmp_path / "skills.state.sqlite3"
    with spoil(states):
        before = states.stat()
        observed = finish(library.catalog())
        assert [record.name for record in observed.catalog.records] == ["tea"]
        assert not is_on(library)
        assert observed.unavailable is not None
        assert observed.unavailable.why == SILENT[spoil]
        assert observed.unavailable.fix
        assert str(tmp_path) not in str(observed.unavailable)
        assert [record.name for record in finish(library.search("time")).records] == ["tea"]
        seen = finish(library.read(TEA)).tree.revision
        assert finish(library.read_file(TEA, NOTES)).content == b"Notes.\n"
        assert finish(library.checks(TEA)) == ()
        assert finish(library.kept()) == ()
        assert finish(library.adopt()) == {}
        finish(library.sweep())
        finish(library.edit(Edit(address=TEA, path=NOTES, change=Append("More.\n"))))
        after = finish(library.read(TEA)).tree.revision
        assert after != seen
        finish(library.remove_file(RemoveFile(address=TEA, path=NOTES, expected_revision=after)))
        with pytest.raises(StateUnavailable, match=SILENT[spoil]):
            finish(library.set_state(SetState(address=TEA, enabled=True, priority=3)))
        made = finish(library.create(Create.written(MILK, "Use when thirsty.", "Pour.", enabled=True)))
        assert isinstance(made.problem, StateUnavailable)
        gone = parse_address("milk")
        deletion = finish(library.deletion(gone))
        deleted = finish(library.delete(Delete(address=gone, delete_revision=deletion.delete_revision)))
        assert isinstance(deleted.problem, StateUnavailable)
        assert states.stat().st_mtime_ns == before.st_mtime_ns
    assert is_on(library)
    assert sorted(path.name for path in (tmp_path / "skills" / "tea").iterdir()) == [".kestrel-generation", "SKILL.md"]


@pytest.mark.parametrize("spoil", SILENT, ids=lambda spoil: spoil.__name__)
def test_turning_off_outlasts_a_table_that_does_not_answer(
    library: SkillLibrary, tmp_path: Path, spoil: Callable[[Path], Any]
) -> None:
    """A mark keeps it off when the table is back, until somebody turns it on."""
    with spoil(tmp_path / "skills.state.sqlite3"):
        finish(library.set_state(SetState(address=TEA, enabled=False)))
    assert not is_on(library)
    finish(library.set_state(SetState(address=TEA, enabled=True)))
    assert is_on(library)


def test_a_table_that_is_gone_turns_all_off_until_it_is_back(library: SkillLibrary, tmp_path: Path) -> None:
    """What it said is lost with it, and no more: skills are read and changed, and turned on in a new one."""
    states = tmp_path / "skills.state.sqlite3"
    states.rename(tmp_path / "away")
    assert not is_on(library)
    assert finish(library.catalog()).unavailable is None
    finish(library.edit(Edit(address=TEA, path=NOTES, change=Append("More.\n"))))
    assert not states.exists()
    (tmp_path / "away").rename(states)
    assert is_on(library)
    states.unlink()
    finish(library.set_state(SetState(address=TEA, enabled=True)))
    assert is_on(library)


def test_a_table_that_goes_between_looking_and_writing_changes_nothing(library: SkillLibrary, tmp_path: Path) -> None:
    """What was decided on what it said is written nowhere, or told as not written."""
    states = tmp_path / "skills.state.sqlite3"
    rows = library.states.rows

    async def then_gone(name: SkillName | None = None) -> Any:
        found = await rows(name)
        states.write_bytes(b"this is no database" * 100)
        return found

    library.states.rows = then_gone  # type: ignore[method-assign]
    with pytest.raises(StateUnavailable, match="not a SQLite database"):
        finish(library.set_state(SetState(address=TEA, enabled=True, priority=3)))


def test_a_table_cut_short_turns_nothing_on(library: SkillLibrary, tmp_path: Path) -> None:
    """T15: at whatever length it is left, skills are listed and changed; each cut is told of, but those within a page.

    SQLite reads what is missing of its last page as nothing, and less than a page as an empty file: all is off then.
    """
    states = tmp_path / "skills.state.sqlite3"
    whole = states.read_bytes()
    milk = parse_address("milk")
    (skill(tmp_path / "skills", "milk") / "notes.md").touch()
    for length in (0, 1, 15, 16, 24, 99, 100, *range(512, len(whole), 512)):
        states.write_bytes(whole[:length])
        observed = finish(library.catalog())
        assert [record.name for record in observed.catalog.records] == ["milk", "tea"]
        assert observed.catalog.enabled == ()
        is_silent = observed.unavailable is None
        assert is_silent is (length <= 1 or length > len(whole) - 4096), length
        ran = run("enable", "milk", "--root", tmp_path / "skills")
        assert (ran.code, "Traceback" in ran.said) == (0 if is_silent else 4, False)
        finish(library.edit(Edit(address=milk, path=NOTES, change=Append(f"{length}\n"))))
        states.write_bytes(whole)
        assert is_on(library)
