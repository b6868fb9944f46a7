"""What is said where something cannot be done: of what, why, and with a fix that helps."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import frozen

from tests.cli.running import Ran, run, skill


@frozen
class Home:
    """A home with one skill, `tea`, that has a file in a folder."""

    path: Path

    @property
    def skills(self) -> Path:
        """The agent's own root."""
        return self.path / "skills"

    @property
    def internal(self) -> Path:
        """This library's own folder in it."""
        return self.skills / ".kestrel-internal"

    def run(self, *arguments: str | Path) -> Ran:
        """Run one command in it."""
        environ = {"HOME": str(self.path), "KESTREL_SKILLS_ROOT": str(self.skills)}
        return run(*arguments, environ=environ)

    def check(self, about: str) -> dict[str, str]:
        """What the doctor says of one thing."""
        (found,) = [each for each in self.run("doctor", "--json").json["checks"] if each["about"] == about]
        return dict(found)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which `tea` is on."""
    folder = skill(tmp_path / "skills", "tea")
    (folder / "docs").mkdir()
    (folder / "docs" / "kinds.md").write_text("green\n", encoding="utf-8")
    (tmp_path / "text.md").write_text("new\n", encoding="utf-8")
    home = Home(tmp_path)
    assert home.run("enable", "tea").code == 0
    return home


def written(home: Home, path: str, *more: str) -> Ran:
    """Write a file of `tea` that is there, or is not."""
    seen = home.run("show", "tea", "--json").json["revision"]
    return home.run("edit", "tea", path, "--from", home.path / "text.md", "--if-match", seen, *more)


def told(ran: Ran) -> tuple[str, str]:
    """The message and the fix of the one line that a refusal is."""
    (line,) = ran.said.splitlines()
    message, _, fix = line.removeprefix("error: ").partition("; fix: ")
    return message, fix


# Permission.


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize(
    ("closed", "path"),
    [("tea", "SKILL.md"), ("tea", "new.md"), ("tea", "new/new.md"), ("tea/docs", "docs/kinds.md")],
)
def test_the_folder_is_named_that_may_not_be_written(home: Home, closed: str, path: str) -> None:
    """It is that of the skill, and not the one that holds the skills; with permission, the change is made."""
    (home.path / "text.md").write_bytes((home.skills / "tea" / "SKILL.md").read_bytes() + b"More.\n")
    (home.skills / closed).chmod(0o555)
    ran = written(home, path)
    assert ran.code == 4
    message, fix = told(ran)
    assert message.endswith(": permission is denied")
    assert f"write to the folder `{closed}`" in fix
    (home.skills / closed).chmod(0o755)
    assert written(home, path).code == 0


@pytest.mark.usefixtures("permissions_bind")
def test_a_folder_that_may_not_be_written_cannot_move_away(home: Home) -> None:
    """A deletion moves it, which writes it."""
    token = home.run("show", "tea", "--json").json["delete_revision"]
    (home.skills / "tea").chmod(0o555)
    message, fix = told(home.run("delete", "tea", "--revision", token))
    assert message.endswith(": permission is denied")
    assert "write to the folder `tea`" in fix
    (home.skills / "tea").chmod(0o755)
    assert home.run("delete", "tea", "--revision", token).code == 0


@pytest.mark.usefixtures("permissions_bind")
def test_what_permission_keeps_from_being_removed_says_so(home: Home) -> None:
    """The skill is deleted; what stays of it is told with the reason and the place, until permission lets it go."""
    (home.skills / "tea" / "docs").chmod(0o555)
    token = home.run("show", "tea", "--json").json["delete_revision"]
    assert home.run("delete", "tea", "--revision", token).code == 0
    recovery = home.check("recovery")
    assert recovery["status"] == "warn"
    assert "(permission is denied, at `kinds.md`)" in recovery["message"]
    assert "chmod -R u+rwX" in recovery["fix"]
    subprocess.run(["chmod", "-R", "u+rwX", home.internal / "retired"], check=True)
    assert home.check("recovery")["status"] == "ok"
    assert list((home.internal / "retired").iterdir()) == []


# In the place of this library's own files.


def link(place: Path) -> None:
    """A link to nothing."""
    place.symlink_to("nowhere")


def folder(place: Path) -> None:
    """A folder with something in it."""
    (place / "what").mkdir(parents=True)


@pytest.mark.parametrize("spoil", [link, folder], ids=lambda spoil: spoil.__name__)
def test_a_lock_that_is_none_is_told_by_the_change_and_by_the_doctor(home: Home, spoil: Callable[[Path], None]) -> None:
    """It stands where a file should; where it is gone, all is well."""
    lock = home.internal / "locks" / "name-tea.lock"
    lock.unlink(missing_ok=True)
    spoil(lock)
    ran = written(home, "new.md")
    assert ran.code == 4
    assert "where the file `.kestrel-internal/locks/name-tea.lock` should" in told(ran)[0]
    recovery = home.check("recovery")
    assert recovery["status"] == "warn"
    assert "1 entry of `.kestrel-internal` stays: locks/name-tea.lock" in recovery["message"]
    lock.rename(home.path / "away")
    assert home.check("recovery")["status"] == "ok"
    assert written(home, "new.md").code == 0


@pytest.mark.usefixtures("permissions_bind")
def test_a_lock_that_may_not_be_written_is_named(home: Home) -> None:
    """As one is that another user made."""
    lock = home.internal / "locks" / "name-tea.lock"
    lock.touch()
    lock.chmod(0)
    message, fix = told(written(home, "new.md"))
    assert message == "the skills folder could not be changed (lock): permission is denied"
    assert fix == "give the agent's user permission to write to `.kestrel-internal/locks/name-tea.lock`"


def test_whatever_nobody_knows_is_listed(home: Home) -> None:
    """Wherever it lies below this library's own folder; what belongs there, and to 0.1.0, is not."""
    assert written(home, "new.md").code == 0
    unknown = ["locks/notes.txt", "exchange", "x.json", ".tmp.aa"]
    (home.internal / "exchange").mkdir()
    for path in ["exchange/x", "x.json", "locks/notes.txt", ".tmp.aa", ".skill-trash.lock", "owner.json"]:
        (home.internal / path).touch()
    recovery = home.check("recovery")
    stay, names = recovery["message"].split(" stay: ")
    assert (recovery["status"], stay) == ("warn", "4 entries of `.kestrel-internal`")
    assert sorted(names.split(", ")) == sorted(unknown)


# Of one skill, and not of all.


def test_one_skill_is_not_all_of_them(home: Home) -> None:
    """What is said of one skill names it; what is said of a whole source names that."""
    tea = home.skills / "tea"
    (tea / ".git").mkdir()
    assert (
        told(home.run("delete", "tea"))[0] == "'tea', of agent-local, cannot be changed here: its folder holds a `.git`"
    )
    (tea / ".git").rmdir()
    assert told(home.run("edit", "tea", "--remove"))[0] == (
        "'tea', of agent-local, cannot be changed here: a skill needs its SKILL.md"
    )
    skill(home.path / "shared", "milk")
    ran = home.run("edit", "milk", "new.md", "--from", home.path / "text.md", "--shared", home.path / "shared")
    assert told(ran)[0] == "skills from host-shared cannot be changed here: they are the host's operator's"


def test_a_folder_where_a_file_is_to_be_written_is_called_one(home: Home) -> None:
    """Be it empty, because its last file was removed here."""
    seen = home.run("show", "tea", "--json").json["revision"]
    assert home.run("edit", "tea", "docs/kinds.md", "--remove", "--if-match", seen).code == 0
    message, fix = told(written(home, "docs"))
    assert message == "'tea', of agent-local, cannot be changed here: `docs` is a folder"
    assert fix
    os.mkfifo(home.skills / "tea" / "pipe")
    message, _ = told(home.run("edit", "tea", "pipe", "--from", home.path / "text.md"))
    assert message.endswith(": what stands at `pipe` is no file that can be read here")


# Folders that this library cannot address, or delete.


@pytest.mark.parametrize("name", ["UPPER", "Bad Name", "con", "a.b"])
@pytest.mark.parametrize("command", ["show", "read", "edit", "delete", "enable", "disable"])
def test_a_folder_without_a_skill_name_is_to_be_renamed(home: Home, command: str, name: str) -> None:
    """A name that somebody sees in a listing is not just refused; one that is nowhere is."""
    skill(home.skills, name)
    for typed in (name, f"{name}@agent-local", name.replace(" ", r"\x20")):
        ran = home.run(command, typed)
        assert ran.code == 1
        assert told(ran)[1].startswith("rename the folder of that name in the agent-local skills by hand: ")
    (home.skills / name).rename(home.skills / "good")
    assert told(home.run(command, name))[1].startswith(("use 1 to 64 of", "choose another name"))


def one_large_file(tea: Path) -> None:
    """One byte more than is read."""
    (tea / "big.bin").write_bytes(bytes(256 * 1024 + 1))


def one_closed_file(tea: Path) -> None:
    """One that nobody may read."""
    (tea / "closed.md").touch()
    (tea / "closed.md").chmod(0)


def too_many_files(tea: Path) -> None:
    """More than a skill may hold."""
    for number in range(600):
        (tea / f"{number}.md").touch()


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("spoil", [one_large_file, one_closed_file, too_many_files], ids=lambda spoil: spoil.__name__)
@pytest.mark.parametrize("address", ["tea", "tea@agent-local"])
def test_what_is_not_deleted_here_says_which_command_does(
    home: Home, spoil: Callable[[Path], None], address: str
) -> None:
    """Nobody can approve what was not seen, so a person does it; the command that is told does."""
    spoil(home.skills / "tea")
    ran = home.run("delete", address)
    assert ran.code == 1
    command = told(ran)[1].partition("look at it, and run `")[2].partition("` in the skills folder")[0]
    assert command == "rm -r tea"
    subprocess.run(command, shell=True, cwd=home.skills, stdin=subprocess.DEVNULL, check=True)
    assert home.run("delete", "tea").code == 3


def test_the_folder_of_the_host_is_not_to_be_removed_by_hand(home: Home) -> None:
    """It is the operator's, whatever is wrong with it."""
    too_many_files(skill(home.path / "shared", "milk"))
    ran = home.run("delete", "milk", "--shared", home.path / "shared")
    assert ran.code == 1
    assert "rm -r" not in ran.said


# The table of states.


def test_a_state_file_that_is_away_is_told_of(home: Home) -> None:
    """Everything is off, which may be meant or not; before there are any skills, it is."""
    states = home.path / "skills.state.sqlite3"
    states.rename(home.path / "away")
    found = home.check("states")
    assert found["status"] == "warn"
    assert found["message"].endswith(": there is no state file, so that every skill is off")
    assert "--state" in found["fix"]
    (home.path / "away").rename(states)
    assert home.check("states")["status"] == "ok"
    (home.path / "empty").mkdir()
    lines = run("doctor", "--root", home.path / "empty", environ={"HOME": str(home.path)}).lines
    assert [line.split(":")[0] for line in lines if " states:" in line] == ["ok    states"]


# Numbers.


def test_one_thing_is_one_thing(home: Home) -> None:
    """Where there is one, it is told in the singular."""
    (home.skills / "tea" / "one.md").write_bytes(b"1")
    (home.skills / "tea" / "other~").touch()
    os.mkfifo(home.skills / "tea" / "pipe")
    assert "one.md (1 byte)" in home.run("show", "tea").out
    said = home.run("delete", "tea").said.splitlines()
    assert "  one.md (1 byte)" in said
    assert "  other~ (0 bytes; a file that is no part of the skill)" in said
    assert "  pipe (a special file that is no part of the skill)" in said
    (home.internal / "x").touch()
    assert home.check("recovery")["message"] == "1 entry of `.kestrel-internal` stays: x"
