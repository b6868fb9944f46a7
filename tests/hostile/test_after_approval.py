"""T12: what was approved, and then changed: another revision each time, and nothing that was approved still is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.memory.markdown import InlineLinks
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.posix.syscalls import Syscalls
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.commands import Delete, Edit, SetState
from kestrel_skills_core.domain.edit import Append
from kestrel_skills_core.domain.errors import SkillError, StaleRevision
from kestrel_skills_core.domain.names import ResourcePath, Revision, parse_address
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.tree import SkillTree
from kestrel_skills_core.service.library import SkillLibrary
from kestrel_skills_core.service.queries import Reading
from tests.hostile.disk import Meddling, Swift, skill

TEA = parse_address("tea")
SCRIPT, NOTES, MORE = ResourcePath("bin/run.sh"), ResourcePath("notes.md"), ResourcePath("more.md")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A skill with a script, two files, and a folder of references."""
    folder = skill(tmp_path / "skills", "tea")
    for path, content in ((SCRIPT, b"echo a\n"), (NOTES, b"a\nb"), (MORE, b""), ("refs/one.md", b"One.\n")):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def library_on(folder: Path, calls: Syscalls, states: MemoryStates) -> SkillLibrary:
    """A library whose root holds that folder."""
    store = PosixSkillStore(folder.parent, chance=CountedChance(), calls=calls)
    return SkillLibrary(
        agent="did:key:a", sources=[store], store=store, states=states, offload=inline, markdown=InlineLinks()
    )


def one_byte(folder: Path) -> None:
    """One byte of a script, its size and time of modification as before."""
    script = folder / SCRIPT
    before = script.stat()
    script.write_bytes(b"echo b\n")
    os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))


def executable(folder: Path) -> None:
    """A file that may be run."""
    (folder / SCRIPT).chmod(0o755)


def new_file(folder: Path) -> None:
    """One file more."""
    (folder / "new.md").write_bytes(b"")


def swapped(folder: Path) -> None:
    """Two files that hold what the other held."""
    one, other = (folder / NOTES).read_bytes(), (folder / MORE).read_bytes()
    (folder / NOTES).write_bytes(other)
    (folder / MORE).write_bytes(one)


def renamed(folder: Path) -> None:
    """A file of another name."""
    (folder / NOTES).rename(folder / "other.md")


def linked(folder: Path) -> None:
    """A link to a copy in a folder's place."""
    shutil.copytree(folder / "refs", folder.parent.parent / "copy")
    shutil.rmtree(folder / "refs")
    (folder / "refs").symlink_to(folder.parent.parent / "copy")


def border_moved(folder: Path) -> None:
    """The same bytes, one after the other, divided elsewhere."""
    (folder / NOTES).write_bytes(b"a")
    (folder / MORE).write_bytes(b"b")


CHANGES = [one_byte, executable, new_file, swapped, renamed, linked, border_moved]


def approved(library: SkillLibrary) -> tuple[Revision, str]:
    """Look at the skill, and approve it: pinned on, and its deletion; gives what was looked at, and the token."""
    seen = finish(library.read(TEA)).tree.revision
    finish(library.set_state(SetState(address=TEA, enabled=True, pin=seen)))
    record = finish(library.catalog()).catalog.find(TEA)
    assert isinstance(record, SkillRecord)
    assert record.enabled
    return seen, finish(library.deletion(TEA)).delete_revision


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_was_changed_after_approval_is_not_approved(folder: Path, change: Callable[[Path], None]) -> None:
    """T12: another revision; off, in no clause, not edited or deleted on what was approved; and all there."""
    library = library_on(folder, Swift(), MemoryStates())
    seen, token = approved(library)
    change(folder)
    before = sorted((path, path.lstat().st_mtime_ns) for path in folder.rglob("*"))
    observed = finish(library.catalog())
    found = observed.catalog.find(TEA)
    assert found.revision != seen
    assert isinstance(found, Rejection) or (not found.enabled and found.lapsed)
    assert observed.clause(Budget()).included == ()
    reading = finish(library.read(TEA))
    assert isinstance(reading.found, Rejection) or not reading.found.enabled
    with pytest.raises(StaleRevision):
        finish(library.edit(Edit(address=TEA, path=SCRIPT, change=Append("#\n"), expected_revision=seen)))
    with pytest.raises(StaleRevision):
        finish(library.delete(Delete(address=TEA, delete_revision=token)))
    assert sorted((path, path.lstat().st_mtime_ns) for path in folder.rglob("*")) == before


def test_an_empty_folder_is_no_content(folder: Path) -> None:
    """T12: with one more, the skill is what was approved; it goes with the skill."""
    library = library_on(folder, Swift(), MemoryStates())
    seen, token = approved(library)
    (folder / "empty").mkdir()
    found = finish(library.catalog()).catalog.find(TEA)
    assert isinstance(found, SkillRecord)
    assert (found.revision, found.enabled) == (seen, True)
    finish(library.delete(Delete(address=TEA, delete_revision=token)))
    assert not folder.exists()


def touched(file: int, content: bytes) -> None:
    """Other bytes in an open file, its size and time of modification as before; the clock of the disk has moved on."""
    before = os.fstat(file)
    assert before.st_size == len(content)
    while os.fstat(file).st_ctime_ns == before.st_ctime_ns:
        os.pwrite(file, content, 0)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.fstat(file).st_mtime_ns == before.st_mtime_ns


@pytest.fixture
def litter(folder: Path) -> Iterator[int]:
    """A file beside the skill that an editor left there, open."""
    file = os.open(folder / "notes.md~", os.O_RDWR | os.O_CREAT)
    os.write(file, b"seen")
    yield file
    os.close(file)


def test_a_file_beside_the_skill_is_approved_as_it_was_seen(folder: Path, litter: int) -> None:
    """T12: other bytes, as many and as old, are not; they stay, and have a token of their own."""
    library = library_on(folder, Swift(), MemoryStates())
    _, token = approved(library)
    touched(litter, b"mine")
    with pytest.raises(StaleRevision):
        finish(library.delete(Delete(address=TEA, delete_revision=token)))
    assert (folder / "notes.md~").read_bytes() == b"mine"
    now = finish(library.deletion(TEA)).delete_revision
    assert now != token
    finish(library.delete(Delete(address=TEA, delete_revision=now)))
    assert not folder.exists()


def test_a_file_beside_the_skill_is_the_same_wherever_it_is_looked_at(folder: Path, litter: int) -> None:
    """T12: neither reading it, nor renaming the folder there and back, makes another of it."""
    library = library_on(folder, Swift(), MemoryStates())
    _, token = approved(library)
    assert os.pread(litter, 4, 0) == b"seen"
    folder.rename(folder.with_name("elsewhere"))
    folder.with_name("elsewhere").rename(folder)
    finish(library.delete(Delete(address=TEA, delete_revision=token)))
    assert not folder.exists()


def test_what_is_written_beside_a_skill_that_is_being_deleted_is_not_destroyed(tmp_path: Path, folder: Path) -> None:
    """T12: other bytes, as many and as old, at whatever call of the deletion: in sight, or kept."""
    shutil.copytree(folder, tmp_path / "template")
    kept = 0
    for at in count():
        file = os.open(folder / "notes.md~", os.O_RDWR | os.O_CREAT)
        os.write(file, b"seen")
        calls, left = count(), list[int]()

        def act(call: str, *arguments: Any, calls: count[int] = calls, left: list[int] = left, at: int = at) -> None:
            is_last_look = call == "unlink" and arguments[0] == "notes.md~"
            if left and next(calls) >= at and not is_last_look:
                touched(left.pop(), b"mine")

        library = library_on(folder, Meddling(act), MemoryStates())
        _, token = approved(library)
        left.append(file)
        with suppress(StaleRevision):
            finish(library.delete(Delete(address=TEA, delete_revision=token)))
        is_met, is_there = not left, os.fstat(file).st_nlink == 1
        finish(library.sweep())
        os.close(file)
        if not is_met:
            break
        if is_there:
            (found,) = folder.parent.rglob("notes.md~")
            assert found.read_bytes() == b"mine"
            kept += 1
        shutil.rmtree(folder.parent)
        shutil.copytree(tmp_path / "template", folder)
    assert kept > 10, "a deletion makes more calls than that"


def read_while(folder: Path, at: int, change: Callable[[Path], None]) -> tuple[SkillTree, Reading | None, bool]:
    """What was approved; what a reading gave that met the change at its call of that number; whether it did."""
    calls, left = count(), list[Callable[[], None]]()

    def act(*_: Any) -> None:
        if left and next(calls) == at:
            left.pop()()

    library = library_on(folder, Meddling(act), MemoryStates())
    approved(library)
    tree = finish(library.read(TEA)).tree
    left.append(lambda: change(folder))
    reading = None
    with suppress(SkillError):
        reading = finish(library.read(TEA))
    return tree, reading, not left


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_is_read_as_approved_while_it_changes_is_what_was_approved(
    tmp_path: Path, folder: Path, change: Callable[[Path], None]
) -> None:
    """T12: at every call of a reading, all that is given as on is byte for byte what was looked at; all else is off."""
    shutil.copytree(folder, tmp_path / "template")
    for at in count():
        tree, reading, is_met = read_while(folder, at, change)
        if reading is not None:
            is_on = isinstance(reading.found, SkillRecord) and reading.found.enabled
            assert is_on is (reading.tree == tree)
            assert is_on is (reading.found.revision == tree.revision)
        if not is_met:
            break
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.rmtree(folder)
        shutil.copytree(tmp_path / "template", folder)
    assert at > 10, "a reading makes more calls than that"
