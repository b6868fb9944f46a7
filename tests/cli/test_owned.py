"""A root that a host owns: which table decides is said, and a switch that nobody would see is not made by mistake."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from shlex import split

import pytest
from attrs import frozen

from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.world import SystemChance
from kestrel_skills_core.domain.owner import Owner
from tests.cli.running import Ran, run, skill

KITE = "did:example:kite"
BESIDE = Owner(agent=KITE, table="sqlite", file="kestrel.db")
FILED = Owner(agent=KITE, table="sqlite")
SERVED = Owner(agent=KITE, table="postgres")
ASKING = (["list"], ["show", "tea"], ["search", "time"], ["clause"])
SWITCHING = (["enable", "tea"], ["disable", "tea"], ["enable", "tea", "--priority", "3"])


@frozen
class Home:
    """A home with one skill, tea, in a root that somebody may own."""

    path: Path

    @property
    def right(self) -> list[str]:
        """What asks for what the host sees."""
        return ["--agent", KITE, "--state", str(self.path / "kestrel.db")]

    @property
    def fix(self) -> str:
        """The same, as it is told."""
        return f"give `--agent {KITE} --state {self.path / 'kestrel.db'}`"

    def claim(self, owner: Owner) -> None:
        """Start a host on it."""
        PosixSkillStore(self.path / "skills", chance=SystemChance()).claim(owner, cancelled=lambda: False)

    def run(self, *arguments: str) -> Ran:
        """Run one command on it."""
        return run(*arguments, environ={"KESTREL_SKILLS_ROOT": str(self.path / "skills"), "HOME": str(self.path)})

    def notes(self, *arguments: str) -> list[str]:
        """The lines on stderr that speak of the owner."""
        return [line for line in self.run(*arguments).said.splitlines() if KITE in line]

    def tables(self) -> list[str]:
        """The databases that are there."""
        return sorted(each.name for each in self.path.iterdir() if each.is_file())

    def rows(self, file: str) -> list[tuple[str, int]]:
        """Whose rows a database holds, and what they say."""
        with closing(sqlite3.connect(self.path / file)) as table:
            return table.execute("SELECT agent_id, enabled FROM bootstrap_config").fetchall()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The root of a host that keeps its table beside it."""
    skill(tmp_path / "skills", "tea")
    home = Home(tmp_path)
    home.claim(BESIDE)
    return home


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_who_asks_elsewhere_is_told_once(home: Home, command: list[str]) -> None:
    """On stderr, with what is to be given; the results and the exit code are what they would be."""
    ran = home.run(*command)
    where = (
        f"these skills are those of {KITE}, and what is on for it stands in the file `kestrel.db` beside their folder"
    )
    assert home.notes(*command) == [f"note: {where}; that is not what was asked: to ask it, {home.fix}"]
    assert ran.code == 0
    assert KITE not in ran.out


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_what_is_told_to_be_given_asks_the_owners_table(home: Home, command: list[str]) -> None:
    """Word by word as a shell reads it; then nothing more is said."""
    assert home.run("enable", "tea", *home.right).code == 0
    (note,) = home.notes(*command)
    given = split(note.rpartition("give `")[2].removesuffix("`"))
    assert given == home.right
    assert home.notes(*command, *given) == []
    assert home.run("clause", *given).out.count("<skill ") == 1
    assert home.run("clause").out == ""


@pytest.mark.parametrize("command", [*ASKING, ["enable", "tea"]], ids=" ".join)
def test_in_json_it_is_a_member(home: Home, command: list[str]) -> None:
    """Whose the root is, and whether that was asked; the reason and the fix where it was not."""
    right = home.run(*command, *home.right, "--json")
    assert right.json["owner"] == {"agent": KITE, "table": "sqlite", "asked": True, "file": "kestrel.db"}
    assert right.said.count(KITE) == 0
    wrong = home.run(*command, "--agent", "local", "--state", str(home.path / "other.db"), "--json")
    said = wrong.json["owner"]
    assert (said["asked"], said["fix"]) == (False, home.fix)
    assert said["message"].startswith(f"these skills are those of {KITE}, ")


@pytest.mark.parametrize("command", [*ASKING, ["enable", "tea"], ["doctor"]], ids=" ".join)
def test_where_nobody_owns_the_root_nothing_is_said(tmp_path: Path, command: list[str]) -> None:
    """Not even a member of the object."""
    skill(tmp_path / "skills", "tea")
    ran = Home(tmp_path).run(*command, "--json")
    assert "owner" not in ran.out + ran.said
    assert ran.code == 0


@pytest.mark.parametrize("command", SWITCHING, ids=" ".join)
@pytest.mark.parametrize("given", [[], ["--agent", KITE], ["--agent", "local"], ["--state", "STATE"]], ids=" ".join)
def test_a_switch_by_a_guess_that_is_wrong_is_refused(home: Home, command: list[str], given: list[str]) -> None:
    """It is a mistake in the command line, which says what to give, and changes nothing."""
    state = str(home.path / "other.db")
    ran = home.run(*command, *(state if each == "STATE" else each for each in given), "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "usage"
    assert ran.json["error"]["message"].endswith("nothing was switched")
    assert ran.json["error"]["fix"].endswith("; or name both --agent and --state, if others are meant")
    assert ran.said.count("\n") == 1
    assert home.tables() == []


@pytest.mark.parametrize("command", SWITCHING, ids=" ".join)
def test_a_switch_that_was_meant_is_made_and_told(home: Home, command: list[str]) -> None:
    """Whoever names both the agent and the table has said which is meant; one note says who does not see it."""
    given = ["--agent", "local", "--state", str(home.path / "other.db")]
    assert home.run("enable", "tea", *given).code == 0
    assert home.run(*command, *given).code == 0
    assert len(home.notes(*command, *given)) == 1
    assert home.rows("other.db") == [("procedural-skill-state:local", int(command[0] == "enable"))]


@pytest.mark.parametrize("command", SWITCHING, ids=" ".join)
def test_a_switch_in_the_owners_table_is_made(home: Home, command: list[str]) -> None:
    """As ever, and without a word."""
    home.run("enable", "tea", *home.right)
    ran = home.run(*command, *home.right)
    assert (ran.code, ran.said) == (0, "")
    assert home.rows("kestrel.db") == [(f"procedural-skill-state:{KITE}", int(command[0] == "enable"))]


@pytest.mark.parametrize("wanted", [["--enabled"], ["--priority", "5"]], ids=" ".join)
def test_a_new_skill_is_not_switched_by_a_wrong_guess(home: Home, wanted: list[str]) -> None:
    """Nothing is made, and no editor is opened; off, it is made without a word."""
    text = home.path / "text.md"
    text.write_text("---\nname: milk\ndescription: Use when it is time.\n---\nPour.\n")
    for source in (["--from", str(text)], []):
        ran = home.run("new", "milk", *wanted, *source)
        assert (ran.code, ran.out) == (2, "")
        assert not (home.path / "skills" / "milk").exists()
    made = home.run("new", "milk", *wanted, "--from", str(text), "--agent", "local", "--state", str(home.path / "o.db"))
    assert (made.code, made.said.count(KITE)) == (0, 2)
    text.write_text(text.read_text().replace("milk", "mead"))
    assert home.run("new", "mead", "--from", str(text)).said == ""


@pytest.mark.parametrize(
    ("owner", "options"), [(FILED, f"--agent {KITE} --state FILE"), (SERVED, f"--agent {KITE} --state URL")]
)
def test_a_table_of_which_only_the_kind_is_known(home: Home, owner: Owner, options: str) -> None:
    """What stands for it is what the option takes; whoever names a file for one that is a file is believed."""
    home.claim(owner)
    assert home.notes("list")[0].endswith(f"give `{options}`")
    named = home.notes("list", "--agent", KITE, "--state", str(home.path / "any.db"))
    assert [note.rpartition("give ")[2] for note in named] == ([] if owner is FILED else ["`--state URL`"])


def test_only_what_differs_is_to_be_given(home: Home) -> None:
    """The agent, or the table."""
    assert home.notes("list", "--state", str(home.path / "kestrel.db"))[0].endswith(f"give `--agent {KITE}`")
    assert home.notes("list", "--agent", KITE)[0].endswith(f"give `--state {home.path / 'kestrel.db'}`")


def test_the_clause_does_not_advise_to_switch_on_elsewhere(home: Home) -> None:
    """Its advice would be refused."""
    assert "nothing is on" in home.run("clause", *home.right).said
    assert "nothing is on" not in home.run("clause").said


def test_the_doctor_says_whose_it_is(home: Home) -> None:
    """A warning where another table was asked, which is then not missed; else all is well."""
    home.run("enable", "tea", *home.right)
    (line,) = [line for line in home.run("doctor").lines if "owner:" in line]
    assert line.startswith(f"warn  owner: these skills are those of {KITE}, ")
    assert line.endswith(f"fix: {home.fix}")
    assert "there is no state file" not in home.run("doctor").out
    well = home.run("doctor", *home.right).lines
    assert f"ok    owner: {KITE}, whose host sees what is said here" in well


def test_the_doctor_misses_the_owners_table(home: Home) -> None:
    """Where it was asked, if for another agent, and is not there."""
    ran = home.run("doctor", "--state", str(home.path / "kestrel.db"))
    assert "there is no state file" in ran.out
    assert ran.out.count("warn  owner") == 1


@pytest.mark.parametrize(
    ("agent", "file", "spelt"),
    [
        ("did:x; rm -rf ~", "a b.db", "--agent 'did:x; rm -rf ~' --state '{home}/a b.db'"),
        ("$(reboot)`id`'", "-x.db", "--agent '$(reboot)`id`'\"'\"'' --state {home}/-x.db"),
    ],
)
def test_what_is_to_be_given_is_quoted(home: Home, agent: str, file: str, spelt: str) -> None:
    """Whatever the file says, a shell reads two options and no command."""
    home.claim(Owner(agent=agent, table="sqlite", file=file))
    assert home.run("list", "--json").json["owner"]["fix"] == f"give `{spelt.format(home=home.path)}`"
    assert split(spelt.format(home=home.path)) == ["--agent", agent, "--state", str(home.path / file)]


@pytest.mark.parametrize("content", [b"{", b'{"schema": 2}', b"\x1b[2J" * 9])
def test_what_nobody_understands_hinders_nobody(home: Home, content: bytes) -> None:
    """It is as if nobody owned the root."""
    (home.path / "skills" / ".kestrel-internal" / "owner.json").write_bytes(content)
    assert home.run("enable", "tea").code == 0
    assert home.run("list").said == "1 skill, 1 on; clause 257 of 8,192 bytes\n"


def test_a_root_that_left_its_host_is_nobodys_when_the_file_is_removed(home: Home) -> None:
    """As the documentation says."""
    (home.path / "skills" / ".kestrel-internal" / "owner.json").unlink()
    assert home.run("enable", "tea").code == 0
    assert home.tables() == ["skills.state.sqlite3"]
