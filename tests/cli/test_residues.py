"""What a kill may leave, each by itself: the next start clears it, or the doctor lists it with what to do."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from attrs import frozen

from kestrel_skills_core.domain.fence import Fence, render_fence
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.removal import Manifest
from tests.cli.running import run, skill

TOKEN = "ab" * 16
OLD, NEW = hashlib.sha256(b"old").hexdigest(), hashlib.sha256(b"new").hexdigest()
PART = f"staging/{OLD}-{NEW}-{TOKEN}-tea"


@frozen
class Home:
    """A home in which milk is on, and tea was, or is."""

    path: Path

    @property
    def internal(self) -> Path:
        """This library's own folder."""
        return self.path / "skills" / ".kestrel-internal"

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run one command; gives its exit code, and all that it said."""
        ran = run(*arguments, environ=self.environ)
        assert "Traceback" not in ran.said
        return ran.code, ran.out + ran.said

    @property
    def environ(self) -> dict[str, str]:
        """What means this home."""
        return {"KESTREL_SKILLS_ROOT": str(self.path / "skills"), "HOME": str(self.path)}

    def checks(self) -> dict[str, tuple[str, str, str]]:
        """What the doctor does not call well: status, message and fix."""
        found = run("doctor", "--json", environ=self.environ).json["checks"]
        said = {each["about"]: (each["status"], each["message"], each["fix"]) for each in found}
        return {about: each for about, each in said.items() if each[0] != "ok"}

    def recovered(self) -> str:
        """What the doctor says it did; all else is well."""
        found = run("doctor", "--json", environ=self.environ).json["checks"]
        assert [each for each in found if each["status"] != "ok"] == []
        (recovery,) = [each["message"] for each in found if each["about"] == "recovery"]
        assert isinstance(recovery, str)
        return recovery

    def put(self, path: str, content: bytes = b"") -> Path:
        """Leave a file in this library's own folder."""
        place = self.internal / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return place

    def out_of_sight(self, room: str, *, whole: str | None = None, final: bool = False) -> Path:
        """Take tea out of sight, as a creation or a deletion has it there."""
        tea = self.path / "skills" / "tea"
        files = {
            path.relative_to(tea).as_posix(): (hashlib.sha256(path.read_bytes()).hexdigest(), False)
            for path in tea.rglob("*")
            if path.is_file()
        }
        manifest = Manifest(files, frozenset())
        entry = f"{whole or manifest.whole}-{TOKEN}-tea{'.final' if final else ''}"
        (self.internal / room).mkdir(exist_ok=True)
        return tea.rename(self.internal / room / entry)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which milk is on."""
    for name in ("milk", "tea"):
        (skill(tmp_path / "skills", name) / "notes.md").write_bytes(b"old")
    home = Home(tmp_path)
    assert home.run("enable", "milk")[0] == 0
    assert home.recovered() == "nothing was left by interrupted changes"
    return home


def names(home: Home) -> list[str]:
    """What is in sight."""
    return sorted(path.name for path in (home.path / "skills").iterdir() if path.name != ".kestrel-internal")


# What the next start clears.


def unfinished_file(home: Home) -> None:
    """Killed while a new file was written."""
    home.put(f"staging/{TOKEN}", b"ha")


def unfinished_folder(home: Home) -> None:
    """Killed while a new skill was written."""
    home.put(f"staging/{TOKEN}/a/SKILL.md", b"ha")


def new_file(home: Home) -> None:
    """Killed before an exchange."""
    home.put(PART, b"new")


def old_file(home: Home) -> None:
    """Killed after an exchange, or after a file was taken out."""
    home.put(PART, b"old")


def new_folders(home: Home) -> None:
    """Killed before a file came into sight with its folders."""
    home.put(f"staging/{NEW}-{NEW}-{TOKEN}-tea/deep/new.md", b"new")


def new_skill(home: Home) -> None:
    """Killed before a creation."""
    home.out_of_sight("staging")


def old_skill(home: Home) -> None:
    """Killed after a deletion."""
    home.out_of_sight("retired")


def final_skill(home: Home) -> None:
    """Killed after a deletion was told as done, or not killed at all."""
    home.out_of_sight("retired", final=True)


def staged_marker(home: Home) -> None:
    """Killed before a marker was linked."""
    home.put(f".kestrel-generation.tmp.{TOKEN}", b"kestrel")


def linked_marker(home: Home) -> None:
    """Killed after a marker was linked: one file with two names."""
    (home.internal / f".kestrel-generation.tmp.{TOKEN}").hardlink_to(
        home.path / "skills" / "milk" / ".kestrel-generation"
    )


def reaped_marker(home: Home) -> None:
    """What the 0.1.0 release was removing when it was killed."""
    home.put(f".kestrel-generation.reap.{TOKEN}", b"kestrel")


CLEARED = [
    *(unfinished_file, unfinished_folder, new_file, old_file, new_folders, new_skill, old_skill, final_skill),
    *(staged_marker, linked_marker, reaped_marker),
]
CREATED_OR_DELETED = {new_skill, old_skill, final_skill}


@pytest.mark.parametrize("leave", CLEARED, ids=lambda leave: leave.__name__)
def test_what_the_next_start_clears(home: Home, leave: Callable[[Home], None]) -> None:
    """It says so, once; nothing of it is left, all that is in sight stays, and what was on is on."""
    leave(home)
    assert home.recovered() == "1 leftover removed"
    assert home.recovered() == "nothing was left by interrupted changes"
    left = {path.relative_to(home.internal).parts[0] for path in home.internal.rglob("*") if path.is_file()}
    assert left == {"locks"}
    assert names(home) == (["milk"] if leave in CREATED_OR_DELETED else ["milk", "tea"])
    assert home.run("list")[1].splitlines()[0].split()[:2] == ["milk", "on"]
    text = skill(home.path / "elsewhere", "tea") / "SKILL.md"
    assert home.run("new", "tea", "--from", str(text))[0] == (0 if leave in CREATED_OR_DELETED else 3)


def test_a_deletion_that_met_a_person_is_undone_and_told(home: Home) -> None:
    """Killed before the look that would have found their file."""
    (home.out_of_sight("retired") / "mine.md").write_bytes(b"mine")
    assert home.recovered() == "tea put back"
    assert home.run("read", "tea", "mine.md") == (0, "mine")


def test_locks_of_the_killed_stop_nobody(home: Home) -> None:
    """Their files stay, and are nobody's."""
    for lock in ("store", "markers", "name-milk", "name-gone"):
        home.put(f"locks/{lock}.lock")
    assert home.recovered() == "nothing was left by interrupted changes"
    assert home.run("edit", "milk", "new.md", "--from", str(home.path / "skills" / "milk" / "notes.md"))[0] == 0


# What the doctor lists.


def by_hand(*paths: str) -> Callable[[Home], None]:
    """Remove what is named, as a person may who looked at it."""

    def mend(home: Home) -> None:
        for path in paths:
            place = home.internal / path
            shutil.rmtree(place) if place.is_dir() else place.unlink()

    return mend


def by(*arguments: str) -> Callable[[Home], None]:
    """Run a command, which does it."""

    def mend(home: Home) -> None:
        assert home.run(*arguments)[0] == 0

    return mend


def let_go(home: Home) -> None:
    """Discard all that is kept."""
    for each in run("kept", "--json", environ=home.environ).json["kept"]:
        assert home.run("kept", each["token"], "--discard", "--yes")[0] == 0


def left(path: str) -> Callable[[Home], object]:
    """Leave a folder with a file in it."""
    return lambda home: home.put(f"{path}/SKILL.md", b"whose?")


def mark(home: Home, name: str) -> None:
    """Killed while a skill was turned off, or before its deletion was ended."""
    home.put(
        f".fail-closed-state-{name}.json", render_fence(SkillName(name), Fence(priority=1, reason="why"), "ab" * 16)
    )


def malformed_mark(home: Home) -> None:
    """Killed as the 0.1.0 release wrote it."""
    home.put(".fail-closed-state-gone.json", b"{")


def folder_for_a_mark(home: Home) -> None:
    """Nobody's doing, but a mark all the same, since its name is one."""
    home.put(".fail-closed-state-gone.json/what", b"?")


def row_without_a_skill(home: Home) -> None:
    """Killed between a deletion and its row's going."""
    shutil.rmtree(home.path / "skills" / "milk")


def row_and_mark_without_a_skill(home: Home) -> None:
    """Killed between a deletion and all that follows."""
    mark(home, "milk")
    row_without_a_skill(home)


def row_of_another_birth(home: Home) -> None:
    """Killed as before, and then somebody made a skill of that name."""
    row_without_a_skill(home)
    (skill(home.path / "skills", "milk") / "notes.md").write_bytes(b"old")


def row_of_a_rejected_folder(home: Home) -> None:
    """Killed, and the document broken since."""
    (home.path / "skills" / "milk" / "SKILL.md").write_bytes(b"no frontmatter")


def row_of_the_first_release(home: Home) -> None:
    """A row that says nothing of what it turned on, and that nothing answers to."""
    with closing(sqlite3.connect(home.path / "skills.state.sqlite3")) as database, database:
        database.execute(
            "INSERT INTO bootstrap_config (id, agent_id, file_name, file_path, enabled, priority, max_size_bytes)"
            " VALUES ('1', 'procedural-skill-state:local', 'skill:gone', 'skill://gone', 1, 100, 262144)"
        )
    home.run("doctor")  # which adopts it, and says so


def kept_file(home: Home) -> None:
    """A person's bytes met an exchange."""
    home.put(PART, b"mine")


def kept_folder(home: Home) -> None:
    """A person's file met a deletion, and then somebody took the name."""
    (home.out_of_sight("retired") / "mine.md").write_bytes(b"mine")
    skill(home.path / "skills", "tea")


LISTED: list[tuple[str, Callable[[Home], object], str, str, Callable[[Home], None]]] = [
    (prefix, left(f"{prefix}{TOKEN}"), "recovery", f"{prefix}{TOKEN}", by_hand(f"{prefix}{TOKEN}"))
    for prefix in (
        ".kestrel-skill-publication-create-",
        ".kestrel-skill-git-",
        ".kestrel-skill-trash-",
        ".kestrel-skill-recovery-",
        ".tmp.",
    )
]
LISTED += [
    ("staging", left("staging/what"), "recovery", "staging/what", by_hand("staging/what")),
    ("retired", left("retired/what"), "recovery", "retired/what", by_hand("retired/what")),
    ("kept", left("kept/what"), "recovery", "kept/what", by_hand("kept/what")),
    ("a kept file", kept_file, "kept", "1 of a person's", let_go),
    ("a kept folder", kept_folder, "kept", "1 of a person's", let_go),
    ("a mark of nothing", lambda home: mark(home, "gone"), "marks", "gone", by("disable", "gone")),
    ("a mark of a skill", lambda home: mark(home, "milk"), "marks", "milk", by("enable", "milk")),
    ("a malformed mark", malformed_mark, "marks", "gone", by("disable", "gone")),
    ("a folder", folder_for_a_mark, "marks", "gone", by_hand(".fail-closed-state-gone.json")),
    ("a row of nothing", row_without_a_skill, "states", "1 astray", by("disable", "milk@agent-local")),
    ("a row of another", row_of_another_birth, "states", "1 inert", by("enable", "milk")),
    ("a row of a rejected folder", row_of_a_rejected_folder, "states", "1 astray", by("disable", "milk")),
    ("a row of 0.1.0", row_of_the_first_release, "states", "1 astray", by("disable", "gone@agent-local")),
]


@pytest.mark.parametrize(
    ("leave", "about", "what", "mend"), [case[1:] for case in LISTED], ids=[each[0] for each in LISTED]
)
def test_what_the_doctor_lists(
    home: Home, leave: Callable[[Home], object], about: str, what: str, mend: Callable[[Home], None]
) -> None:
    """It is named with what to do, as often as is asked, and doing that clears it; nothing else does."""
    leave(home)
    for _ in range(2):
        status, message, fix = home.checks()[about]
        assert status == "warn"
        assert what in message
        assert fix
        assert str(home.path) not in fix
    mend(home)
    assert {about: each for about, each in home.checks().items() if about != "skills"} == {}


def test_what_a_row_without_a_skill_is_called_turns_it_off(home: Home) -> None:
    """The fix names it so that the command means it, though the name alone may mean another."""
    row_without_a_skill(home)
    shared = skill(home.path / "shared", "milk").parent
    environ = home.environ | {"KESTREL_SHARED_SKILLS_DIR": str(shared)}
    assert run("enable", "milk", environ=environ).code == 0
    found = run("doctor", "--json", environ=environ).json["checks"]
    (states,) = [each for each in found if each["about"] == "states"]
    address = states["fix"].rpartition(": ")[2]
    assert run("disable", address, environ=environ).code == 0
    found = run("doctor", "--json", environ=environ).json["checks"]
    assert [each["about"] for each in found if each["status"] != "ok"] == []
    assert run("list", environ=environ).said.startswith("2 skills, 1 on")


def test_a_row_and_a_mark_without_a_skill_are_cleared_by_one_command(home: Home) -> None:
    """What a deletion that was killed left is not to be cleared by luck, nor in a certain order."""
    row_and_mark_without_a_skill(home)
    assert {*home.checks()} == {"states", "marks"}
    assert home.run("disable", "milk")[0] == 0
    assert home.checks() == {}


def test_a_mark_that_cannot_be_taken_away_says_what_to_do(home: Home) -> None:
    """A folder has its name: neither on nor off takes it away, and each says what will."""
    folder_for_a_mark(home)
    code, said = home.run("disable", "gone")
    assert code == 4
    assert said.startswith("error: the skills folder could not be changed (unfence): a folder stands where a file")
    assert said.endswith("; fix: look into `.kestrel-internal`, and move it away by hand\n")
