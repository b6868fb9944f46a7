"""T15: many processes at once, and a kill at each step: exact records or exact errors, the old or the new."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

from attrs import evolve, frozen

from kestrel_skills_adapters.contracts.git import Drawn
from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_adapters.memory.git import MemoryGitSource
from kestrel_skills_adapters.posix.store import PosixSkillStore
from kestrel_skills_adapters.wiring import installer_of, library_of, settings_of
from kestrel_skills_adapters.world import SystemChance, finish
from kestrel_skills_core.domain.commands import Create, Delete, Edit, Install, RemoveFile, SetState
from kestrel_skills_core.domain.edit import Append, Whole
from kestrel_skills_core.domain.errors import SkillAbsent, SkillExists, Unconditional
from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId, parse_address
from kestrel_skills_core.domain.offer import Package
from kestrel_skills_core.domain.parcel import packed
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.states import StateTable
from kestrel_skills_core.service.library import SkillLibrary
from tests.cli.running import run, skill
from tests.contracts.store import OnDisk
from tests.git.repositories import made
from tests.git.servers import authority, backend, serving
from tests.hostile.apart import alone
from tests.hostile.disk import WRITING, Meddling

TEA, NOTES = parse_address("tea"), ResourcePath("notes.md")
TEXT = "---\nname: {name}\ndescription: Use when thirsty.\n---\n\nPour.\n"
_PROGRAM: Final = (
    "import os, sys; from kestrel_skills_adapters.cli.main import main; sys.exit(main(sys.argv[1:], os.environ))"
)


_FROM_GIT: Final = (
    "import os, ssl, sys\n"
    "from kestrel_skills_adapters.cli.main import main\n"
    "from kestrel_skills_adapters.git.source import DulwichGitSource\n"
    "from kestrel_skills_adapters.git.transport import Transport\n"
    "trust = ssl.create_default_context(cafile=sys.argv[1])\n"
    "there = Transport(lambda *_: ['127.0.0.1'], lambda _: True, trust)\n"
    "sys.exit(main(sys.argv[2:], os.environ, lambda progress: DulwichGitSource(there, progress=progress)))\n"
)
"""The same, which trusts the authority in a file, and finds every host on this machine."""


def crowd(commands: list[list[str | Path]], program: str = _PROGRAM) -> list[tuple[int, str]]:
    """Let one process for each command run it, all at once; gives how each ended, and what it said."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        for command in commands
    ]
    said = [process.communicate(timeout=100)[1] for process in running]
    return [(process.returncode, each) for process, each in zip(running, said, strict=True)]


def making(root: Path, names: list[str], texts: Path) -> list[list[str | Path]]:
    """For each name the command that makes a skill that is on."""
    texts.mkdir()
    for name in names:
        (texts / name).write_text(TEXT.format(name=name), encoding="utf-8")
    return [["new", name, "--enabled", "--from", texts / name, "--root", root] for name in names]


def test_twenty_processes_make_twenty_skills(tmp_path: Path) -> None:
    """T15: each is there, whole and marked; each is on, or it is said that the table was in use, and then it can be."""
    root = tmp_path / "skills"
    root.mkdir()
    names = [f"skill-{number:02}" for number in range(20)]
    for name, (code, said) in zip(names, crowd(making(root, names, tmp_path / "texts")), strict=True):
        if code != 0:
            assert (code, "another process holds the state file" in said) == (4, True), said
            assert run("enable", name, "--root", root).code == 0
    listed = run("list", "--root", root)
    assert [line.split()[:2] for line in listed.lines] == [[name, "on"] for name in names]
    assert all((root / name / "SKILL.md").read_text() == TEXT.format(name=name) for name in names)
    assert run("doctor", "--root", root).code == 0


def test_twenty_processes_make_one_skill(tmp_path: Path) -> None:
    """T15: one of them does; all others are told that it is there, or that its name is in use for too long."""
    root = tmp_path / "skills"
    root.mkdir()
    ends = crowd(making(root, ["tea"] * 20, tmp_path / "texts"))
    assert [code for code, _ in ends].count(0) == 1
    told = {3: "there is already a skill 'tea'", 4: "the skill `tea` is in use by another process"}
    assert all(told[code] in said for code, said in ends if code)
    assert run("list", "--root", root).lines[0].split()[:2] == ["tea", "on"]


def test_twenty_processes_install_twenty_skills(tmp_path: Path) -> None:
    """T15: each is there, whole and as it was installed, and off; a name that two want is had by one of them."""
    root, names = tmp_path / "skills", [f"skill-{number:02}" for number in range(19)]
    root.mkdir()
    for name in names:
        (skill(tmp_path / "theirs", name) / "notes.md").write_text(name)
    wanted = [*names, names[0]]
    ends = crowd([["install", tmp_path / "theirs" / name, "--root", root] for name in wanted])
    codes = [code for code, _ in ends]
    assert sorted((codes[0], codes[-1])) in ([0, 3], [0, 4])
    assert codes[1:-1] == [0] * 18
    told = {3: "there is already a skill 'skill-00'", 4: "the skill `skill-00` is in use by another process"}
    assert all(told[code] in said for code, said in ends if code)
    listed = run("list", "--root", root)
    assert [line.split()[:3] for line in listed.lines] == [[name, "off", "agent-local"] for name in names]
    assert [line.split(maxsplit=1)[1] for line in run("verify", "--root", root).lines] == ["as installed"] * 19
    assert all((root / name / "notes.md").read_text() == name for name in names)
    assert run("doctor", "--root", root).code == 0


def test_twenty_processes_install_twenty_skills_from_git(tmp_path: Path) -> None:
    """T15: the same out of one repository, of whose server all ask at once: the bytes that it holds, on record."""
    root, names = tmp_path / "skills", [f"skill-{number:02}" for number in range(19)]
    root.mkdir()
    drawn: Drawn = {f"skills/{name}/SKILL.md": Content(TEXT.format(name=name).encode()) for name in names}
    drawn = {**drawn, **{f"skills/{name}/notes.md": Content(name.encode()) for name in names}}
    made(tmp_path / "served" / "some.git", {"main": drawn})
    trusted = authority().write(tmp_path / "authority.pem")
    wanted = [*names, names[0]]
    with serving(backend(tmp_path / "served")) as served:
        ends = crowd([[trusted, "install", served.url(), name, "--root", root] for name in wanted], _FROM_GIT)
    codes = [code for code, _ in ends]
    assert sorted((codes[0], codes[-1])) in ([0, 3], [0, 4]), ends
    assert codes[1:-1] == [0] * 18, ends
    told = {3: "there is already a skill 'skill-00'", 4: "the skill `skill-00` is in use by another process"}
    assert all(told[code] in said for code, said in ends if code)
    listed = run("list", "--root", root)
    assert [line.split()[:3] for line in listed.lines] == [[name, "off", "git"] for name in names]
    assert [line.split(maxsplit=1)[1] for line in run("verify", "--root", root).lines] == ["as installed"] * 19
    for name in names:
        assert (root / name / "SKILL.md").read_text() == TEXT.format(name=name)
        assert (root / name / "notes.md").read_text() == name
    assert run("doctor", "--root", root).code == 0


@frozen
class Deed:
    """One change of a home in which tea is on; `done` is what is told where it was done before."""

    name: str
    run: Callable[[SkillLibrary], object]
    done: tuple[type[Exception], ...] = ()


def delete(library: SkillLibrary) -> None:
    """Delete tea as it is."""
    token = finish(library.deletion(TEA)).delete_revision
    finish(library.delete(Delete(address=TEA, delete_revision=token)))


def remove(library: SkillLibrary) -> None:
    """Take the notes out of tea as it is."""
    seen = finish(library.read(TEA)).tree.revision
    finish(library.remove_file(RemoveFile(address=TEA, path=NOTES, expected_revision=seen)))


def install(library: SkillLibrary) -> None:
    """Install milk."""
    parcel = packed(
        [("SKILL.md", Content(TEXT.format(name="milk").encode())), ("a/cow.sh", Content(b"#!", executable=True))]
    )
    package = Package(kind="folder", name="milk", parcel=parcel)
    finish(installer_of(library, MemoryGitSource()).install(Install(source=package)))


DEEDS: Final = [
    Deed("install", install, (SkillExists,)),
    Deed(
        "create",
        lambda library: finish(
            library.create(Create.written(SkillName("milk"), "Use when thirsty.", "Pour.", enabled=True))
        ),
        (SkillExists,),
    ),
    Deed("edit", lambda library: finish(library.edit(Edit(address=TEA, path=NOTES, change=Append("More.\n"))))),
    Deed(
        "add",
        lambda library: finish(
            library.edit(Edit(address=TEA, path=ResourcePath("a/b/new.md"), change=Whole(b"New.\n")))
        ),
        (Unconditional,),
    ),
    Deed("remove", remove, (SkillAbsent,)),
    Deed("delete", delete, (SkillAbsent,)),
    Deed("off", lambda library: finish(library.set_state(SetState(address=TEA, enabled=False)))),
    Deed("on", lambda library: finish(library.set_state(SetState(address=TEA, enabled=True, priority=3)))),
]


@frozen
class Watched:
    """A table of states that tells `act` before and after each call."""

    table: StateTable
    act: Callable[..., None]

    async def rows(self, name: SkillName | None = None) -> Any:
        """All states, or those of one name."""
        self.act("rows")
        return await self.table.rows(name)

    async def put(self, key: StateKey, state: SkillState) -> None:
        """Write one."""
        self.act("put")
        await self.table.put(key, state)
        self.act("written")

    async def replace(self, key: StateKey, state: SkillState, *, seen: SkillState | None) -> bool:
        """Write one that reads as it was seen."""
        self.act("put")
        written = await self.table.replace(key, state, seen=seen)
        self.act("written")
        return written

    async def drop(self, key: StateKey, *, seen: SkillState) -> None:
        """Remove one."""
        self.act("drop")
        await self.table.drop(key, seen=seen)
        self.act("dropped")


def library_at(home: Path, act: Callable[..., None] = lambda *_: None) -> SkillLibrary:
    """The library of a home, every step of which is told of."""
    library = library_of(settings_of({}, root=home / "skills"))
    store = PosixSkillStore(home / "skills", chance=SystemChance(), calls=Meddling(act))
    return evolve(library, sources=[store], store=store, states=Watched(library.states, act))


STEPS: Final = WRITING | {"put", "written", "drop", "dropped"}
Sight = tuple[dict[str, Entry], list[str]]


def in_sight(home: Path) -> Sight:
    """What is there, but for the markers; and what is on."""
    entries = OnDisk(home / "skills", SourceId.AGENT_LOCAL).entries()
    enabled = finish(library_at(home).catalog()).catalog.enabled
    return {path: entry for path, entry in entries.items() if ".kestrel" not in path}, [each.name for each in enabled]


def killed(home: Path, deed: Deed, at: int) -> bool:
    """Do it in a process that is killed before the step of that number; whether it was."""
    pid = os.fork()
    if pid == 0:
        steps = count()

        def act(step: str, *_: Any) -> None:
            if step in STEPS and next(steps) == at:
                os.kill(os.getpid(), signal.SIGKILL)

        deed.run(library_at(home, act))
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert status in (0, signal.SIGKILL), status
    return status == signal.SIGKILL


def killed_at_each_step(place: Path) -> None:
    """Every change, killed at every step of the store and around every step of the table."""
    template = place / "template"
    (skill(template / "skills", "tea") / "notes.md").write_bytes(b"Notes.\n")
    finish(library_at(template).set_state(SetState(address=TEA, enabled=True)))
    old = in_sight(template)
    for deed in DEEDS:
        shutil.copytree(template, place / "new")
        deed.run(library_at(place / "new"))
        new = in_sight(place / "new")
        shutil.rmtree(place / "new")
        for at in count():
            home = place / "home"
            shutil.copytree(template, home)
            was_killed = killed(home, deed, at)
            judge(home, deed, old, new)
            shutil.rmtree(home)
            if not was_killed:
                break
        assert at > 1, deed.name


def judge(home: Path, deed: Deed, old: Sight, new: Sight) -> None:
    """The old or the new, whole; the next start repairs it and says so; done again, it is the new."""
    entries, enabled = in_sight(home)
    assert entries in (old[0], new[0]), deed.name
    assert set(enabled) <= set(new[1]) | set(old[1]), deed.name
    internal = home / "skills" / ".kestrel-internal"
    left = [path for room in ("staging", "retired") for path in internal.glob(f"{room}/*")]
    marks = [*internal.glob(".fail-closed-*")]
    found = run("doctor", "--json", "--root", home / "skills").json["checks"]
    said = {each["about"]: each for each in found}
    assert (said["recovery"]["message"] == "nothing was left by interrupted changes") is not (left != []), left
    assert said["recovery"]["status"] == said["kept"]["status"] == "ok"
    assert (said["marks"]["status"] == "warn") is (marks != [])
    assert all(each["fix"] for each in found if each["status"] != "ok")
    assert in_sight(home) == (entries, enabled), "to look at it changes nothing"
    assert [path for room in ("staging", "retired") for path in internal.glob(f"{room}/*")] == []
    with suppress(*deed.done):
        deed.run(library_at(home))


def test_killed_at_each_step(tmp_path: Path) -> None:
    """T15: the old state or the new, never a mixture; the next start repairs it, and says so."""
    alone(killed_at_each_step, tmp_path)
