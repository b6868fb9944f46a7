"""The page of error codes tells every code of an operation, with an example that really occurs."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import define, field

from kestrel_skills_adapters.cli.failures import exit_code
from kestrel_skills_adapters.http.statuses import STATUSES
from kestrel_skills_adapters.memory.disk import CrashDisk
from kestrel_skills_adapters.memory.git import MemoryGitSource, MemoryRepository
from kestrel_skills_adapters.memory.markdown import InlineLinks
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.memory.store import MemorySkillStore
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.sql.states import SqliteStates
from kestrel_skills_adapters.wiring import installer_of
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core import (
    Content,
    Create,
    Edit,
    InDoubt,
    Install,
    RemoveFile,
    Replace,
    Repository,
    Revision,
    SetState,
    SkillError,
    SkillLibrary,
    SkillTree,
    SourceId,
    SwitchedOff,
    Whole,
    git_ref,
    git_url,
    parse_address,
    resource_path,
    skill_name,
)
from kestrel_skills_core.domain.paging import page

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
HTTP = PAGE.with_name("http.md")
URL, COMMIT = git_url("https://git.example/tools"), "1" * 40
DEPLOY = parse_address("deploy")
ROW = re.compile(r"^\| `(?P<code>\w+)` \| (?P<status>\d+) \| (?P<told>.+?) \| (?P<fix>.+?) \|$", re.MULTILINE)
PROVOKED: dict[str, Callable[[Agent], object]] = {}


@define
class Agent:
    """An agent's skills in memory, of which `deploy` is one; what lies on a disk lies in `folder`."""

    folder: Path
    store: MemorySkillStore = field(factory=lambda: MemorySkillStore(chance=CountedChance()))
    privacy: MemoryPrivacy = field(factory=MemoryPrivacy)
    library: SkillLibrary = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.library = SkillLibrary(
            agent="did:example:kite",
            sources=[self.store],
            states=MemoryStates(),
            offload=inline,
            markdown=InlineLinks(),
            store=self.store,
            privacy=self.privacy,
        )
        self.create()

    def create(self, body: str = "Check it.\n") -> None:
        """Make `deploy`."""
        finish(self.library.create(Create.written(skill_name("deploy"), "Use when it is ready.", body)))

    def edit(self, change: Whole | Replace, seen: str | None = None) -> None:
        """Change its `SKILL.md`."""
        finish(
            self.library.edit(Edit(address=DEPLOY, change=change, expected_revision=Revision(seen) if seen else None))
        )

    def install(self, name: str, url: str = "https://git.example/tools", digest: str | None = None) -> None:
        """Install from a repository that holds `knots`."""
        document = b"---\nname: knots\ndescription: Use to tie.\n---\nTie it.\n"
        files = {"skills/knots/SKILL.md": Content(document)}
        git = MemoryGitSource({URL: MemoryRepository({"HEAD": COMMIT}, {COMMIT: files})})
        source = Repository(git_url(url), git_ref("HEAD"))
        command = Install(source=source, name=name, digest=Revision(digest) if digest else None)
        finish(installer_of(self.library, git).install(command))


def provokes(code: str) -> Callable[[Callable[[Agent], object]], Callable[[Agent], object]]:
    """Note what provokes an error of a code."""

    def noted(provocation: Callable[[Agent], object]) -> Callable[[Agent], object]:
        PROVOKED[code] = provocation
        return provocation

    return noted


provokes("bad_name")(lambda _: skill_name("Tie Knots"))
provokes("bad_path")(lambda _: resource_path("../notes.md"))
provokes("bad_source")(lambda _: git_url("http://git.example/tools"))
provokes("bad_document")(lambda agent: agent.edit(Replace('"deploy"', '"release"')))
provokes("too_large")(lambda agent: agent.edit(Replace("Check it.", "Check it. " * 30_000)))
provokes("out_of_range")(lambda _: page("abc", 9, 8_000))
provokes("unconditional")(lambda agent: agent.edit(Whole(b"Anew.\n")))
provokes("unmatched")(lambda agent: agent.edit(Replace("Look at it.", "Test it.")))
provokes("absent")(lambda agent: finish(agent.library.read(parse_address("knots"))))
provokes("kept_absent")(lambda agent: finish(agent.library.restore("0" * 64)))
provokes("exists")(lambda agent: agent.create())
provokes("stale")(lambda agent: agent.edit(Whole(b"Anew.\n"), "0" * 64))
provokes("other_digest")(lambda agent: agent.install("knots", digest="0" * 64))
provokes("git_failed")(lambda agent: agent.install("knots", "https://git.example/none"))
provokes("state_unavailable")(lambda agent: finish(SqliteStates(agent.folder, "ada", offload=inline).rows()))
provokes("source_unavailable")(
    lambda agent: PosixSkillFiles(agent.folder / "none", SourceId.HOST_SHARED).read(skill_name("deploy"))
)


@provokes("not_editable")
def remove_the_document(agent: Agent) -> None:
    """Take `SKILL.md` out."""
    document = resource_path("SKILL.md")
    finish(agent.library.remove_file(RemoveFile(address=DEPLOY, path=document, expected_revision=Revision("0" * 64))))


@provokes("hidden")
def change_while_hidden(agent: Agent) -> None:
    """Switch something on."""
    agent.privacy.mode = "ephemeral"
    finish(agent.library.set_state(SetState(address=DEPLOY, enabled=True)))


@provokes("busy")
def change_while_held(agent: Agent) -> None:
    """Change what another changes."""
    agent.store.held = "the skill `deploy`"
    agent.edit(Replace("Check it.", "Test it."))


@provokes("store_failed")
def publish_on_a_full_disk(agent: Agent) -> None:
    """Make a skill where there is no room."""
    disk = CrashDisk(fail_at=1, fail_errno=errno.ENOSPC, fail_forever=True)
    tree = SkillTree({resource_path("SKILL.md"): Content(b"---\nname: a\ndescription: b\n---\nc\n")})
    store = PosixSkillStore("/skills", chance=CountedChance(), calls=disk)
    store.publish(skill_name("a"), tree, cancelled=lambda: False)


@provokes("abandoned")
def ask_and_go_away(_: Agent) -> None:
    """Read a repository for nobody."""
    MemoryGitSource({URL: MemoryRepository({}, {})}).resolve(URL, git_ref("HEAD"), cancelled=lambda: True)


# The two that take a second writer, in the very moment of a change.


@provokes("switched_off")
def switched_off(_: Agent) -> None:
    """Another switches the skill off while it is switched on."""
    raise SwitchedOff("deploy")


@provokes("in_doubt")
def in_doubt(_: Agent) -> None:
    """The disk fails between a change and the look whether it was made."""
    raise InDoubt("deploy")


def rows(path: Path) -> list[re.Match[str]]:
    """The rows of a table whose first column is a code and whose second a status."""
    return list(ROW.finditer(path.read_text(encoding="utf-8")))


def test_every_code_of_an_operation_has_a_row() -> None:
    """The page tells each code once, with the status that it is over HTTP, and is shown to be right in each."""
    told = [(row["code"], int(row["status"])) for row in rows(PAGE)]
    assert sorted(told) == sorted((kind.code, int(status)) for kind, status in STATUSES.items())
    assert sorted(PROVOKED) == sorted(code for code, _ in told)


def test_http_tells_the_same_statuses() -> None:
    """The table of problems in the page on HTTP has each code in the row of its status."""
    told = re.findall(r"^\| (\d+) \| (.+) \|$", HTTP.read_text(encoding="utf-8"), re.MULTILINE)
    table = {int(status): set(re.findall(r"`(\w+)`", codes)) for status, codes in told}
    assert {kind.code for kind, status in STATUSES.items() if kind.code not in table.get(int(status), set())} == set()


@pytest.mark.parametrize("row", rows(PAGE), ids=lambda row: row["code"])
def test_the_example_of_a_code_is_what_is_said(row: re.Match[str], tmp_path: Path) -> None:
    """The text and the fix are those of an error that occurs; `…` stands for digits."""
    with pytest.raises(SkillError) as raised:
        PROVOKED[row["code"]](Agent(tmp_path))
    assert raised.value.code == row["code"]
    assert re.fullmatch(re.escape(row["told"]).replace("…", "[0-9a-f]+"), str(raised.value))
    assert row["fix"] == raised.value.fix


def test_a_family_says_how_the_command_line_ends(tmp_path: Path) -> None:
    """The exit code that stands above each table is that of all in it."""
    for family in PAGE.read_text(encoding="utf-8").split("\n### ")[1:]:
        told = re.search(r"exit code (\d)", family.partition("\n| ")[0])
        for row in ROW.finditer(family):
            assert told
            with pytest.raises(SkillError) as raised:
                PROVOKED[row["code"]](Agent(tmp_path))
            assert exit_code(raised.value) == int(told[1])
