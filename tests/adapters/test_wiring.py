"""From plain settings to a library that works on a disk."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from kestrel_skills_adapters.memory.world import RecordingWatcher
from kestrel_skills_adapters.together import SharedFiles
from kestrel_skills_adapters.watching.watched import WatchedFiles
from kestrel_skills_adapters.wiring import (
    BadSetting,
    aim_of,
    hosted_library,
    hosted_owner,
    is_writable,
    library_of,
    settings_of,
    shown_state,
    state_of,
)
from kestrel_skills_adapters.world import finish, threads
from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import SourceId, parse_address
from kestrel_skills_core.domain.owner import Aim, Owner
from kestrel_skills_core.ports.privacy import Privacy

HOME = {"HOME": "/users/ada"}


def add(root: Path, name: str) -> Path:
    """Put a good skill into a root."""
    (root / name).mkdir(parents=True)
    (root / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Use when testing.\n---\n\nStep one.\n")
    return root


# Defaults


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS keeps a user's data elsewhere")
def test_the_defaults() -> None:
    """Nothing said: the user's data folder, a state file beside the root, the agent `local`, 8,192 bytes."""
    settings = settings_of(HOME)
    assert settings.root == Path("/users/ada/.local/share/kestrel-skills/skills")
    assert settings.state == Path("/users/ada/.local/share/kestrel-skills/skills.state.sqlite3")
    assert (settings.shared, settings.agent, settings.budget) == (None, "local", Budget(8192))
    assert not settings.named


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no XDG folders")
@pytest.mark.parametrize(
    ("given", "root"),
    [
        ("/data", "/data/kestrel-skills/skills"),
        ("", "/users/ada/.local/share/kestrel-skills/skills"),
        ("relative", "/users/ada/.local/share/kestrel-skills/skills"),
    ],
)
def test_the_users_data_folder(given: str, root: str) -> None:
    """$XDG_DATA_HOME moves it; a relative one is ignored, as its specification says."""
    assert settings_of(HOME | {"XDG_DATA_HOME": given}).root == Path(root)


def test_the_users_data_folder_on_macos() -> None:
    """On macOS it is the one that Apple has for this, whatever XDG says."""
    program = (
        "import sys; sys.platform = 'darwin'\n"
        "from kestrel_skills_adapters.wiring import settings_of\n"
        "print(settings_of({'HOME': '/Users/ada', 'XDG_DATA_HOME': '/data'}).root)"
    )
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert told == "/Users/ada/Library/Application Support/kestrel-skills/skills\n"


def test_the_environment_names_the_root() -> None:
    """$KESTREL_SKILLS_ROOT is the root, and an argument wins over it."""
    environ = HOME | {"KESTREL_SKILLS_ROOT": "/srv/skills"}
    assert settings_of(environ).root == Path("/srv/skills")
    assert settings_of(environ).named
    assert settings_of(environ, root="/srv/mine").root == Path("/srv/mine")


def test_the_state_lies_beside_its_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state file is named after the root, however that is spelt; an argument names another."""
    monkeypatch.chdir(tmp_path)
    beside = tmp_path / "mine.state.sqlite3"
    for root in ("mine", "mine/", "./mine", "other/../mine", tmp_path / "mine"):
        assert settings_of(HOME, root=root).state == beside
    monkeypatch.chdir(add(tmp_path / "mine", "lint"))
    assert settings_of(HOME, root=".").state == beside
    assert settings_of(HOME, root=".", state="x.db").state == tmp_path / "mine" / "x.db"


def test_the_shared_root(tmp_path: Path) -> None:
    """An argument, else $KESTREL_SHARED_SKILLS_DIR, else the folder of $KESTREL_HOME if it is there, else none."""
    host = HOME | {"KESTREL_HOME": str(tmp_path)}
    assert settings_of(host).shared is None
    (tmp_path / "skills").mkdir()
    assert settings_of(host).shared == tmp_path / "skills"
    environ = host | {"KESTREL_SHARED_SKILLS_DIR": "/srv/shared"}
    assert settings_of(environ).shared == Path("/srv/shared")
    assert settings_of(environ, shared="/srv/others").shared == Path("/srv/others")


def test_one_root_given_twice_is_one(tmp_path: Path) -> None:
    """A shared root that is the agent's own, by another spelling or through a link, is not a second source."""
    root = add(tmp_path / "skills", "lint")
    (tmp_path / "link").symlink_to(root)
    for shared in (root, tmp_path / "link", tmp_path / "x" / ".." / "skills"):
        assert settings_of(HOME, root=root, shared=shared).shared is None
    assert settings_of(HOME, root="/absent", shared="/absent").shared is None
    assert settings_of(HOME, root="/absent", shared="/other").shared == Path("/other")


@pytest.mark.parametrize(("text", "size"), [("0", 0), (" 512\n", 512), ("0099", 99), ("", 8192), ("  ", 8192)])
def test_the_budget_of_the_environment(text: str, size: int) -> None:
    """$KESTREL_SKILLS_BUDGET_BYTES is a whole number of bytes; a blank one says nothing."""
    assert settings_of(HOME | {"KESTREL_SKILLS_BUDGET_BYTES": text}).budget == Budget(size)


def test_a_given_budget_wins() -> None:
    """An argument wins over the environment, zero too."""
    assert settings_of(HOME | {"KESTREL_SKILLS_BUDGET_BYTES": "512"}, budget=0).budget == Budget(0)


@pytest.mark.parametrize(("text", "on"), [("on", True), (" on\n", True), ("off", False), ("", False), ("  ", False)])
def test_the_watch_of_the_environment(text: str, on: bool) -> None:
    """$KESTREL_SKILLS_WATCH is on or off, and off where nobody said."""
    assert settings_of(HOME | {"KESTREL_SKILLS_WATCH": text}).watch is on
    assert not settings_of(HOME).watch


# What cannot be meant


@pytest.mark.parametrize("text", ["ON", "yes", "1", "true", "on off"])
def test_a_watch_that_is_neither_on_nor_off(text: str) -> None:
    """It is refused with the two words that can be meant."""
    with pytest.raises(BadSetting, match="KESTREL_SKILLS_WATCH: it is neither on nor off") as caught:
        settings_of(HOME | {"KESTREL_SKILLS_WATCH": text})
    assert (caught.value.setting, caught.value.fix) == ("KESTREL_SKILLS_WATCH", "set it to on or off, or unset it")


@pytest.mark.parametrize("text", ["8k", "-1", "8_192", "8192.0", "٨", "9" * 19, "9" * 5000])
def test_a_budget_that_is_no_number(text: str) -> None:
    """A budget that is no whole number of bytes is refused by its name, with the fix."""
    with pytest.raises(BadSetting, match="KESTREL_SKILLS_BUDGET_BYTES: it is not a number of bytes") as caught:
        settings_of(HOME | {"KESTREL_SKILLS_BUDGET_BYTES": text})
    assert caught.value.fix


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("root", ""),
        ("root", "a\0b"),
        ("shared", ""),
        ("state", ""),
        ("state", "mysql://host/skills"),
        ("agent", ""),
        ("agent", " "),
        ("agent", "a\nb"),
        ("agent", "\udcff"),
        ("budget", -1),
    ],
)
def test_an_argument_that_cannot_be_meant(setting: str, value: object) -> None:
    """Each argument that cannot be meant is refused by its name, on one line, without what was given."""
    with pytest.raises(BadSetting) as caught:
        settings_of(HOME, **{setting: value})
    assert caught.value.setting == setting
    assert str(caught.value).startswith(f"{setting}: it ")
    assert str(caught.value).isprintable()
    assert caught.value.fix.isprintable()


def test_a_server_takes_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what reaches a server is not installed, its URL is refused with what to install, and is not repeated."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadSetting) as caught:
        settings_of(HOME, state="postgresql://ada:secret@db.example/skills")
    assert str(caught.value) == "state: psycopg, by which a PostgreSQL server is reached, is not installed"
    assert caught.value.fix == "install kestrel-feature-skills[postgres]"


def test_a_server_is_settled_without_a_connection() -> None:
    """The URL is kept as it is, and printed without its password."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: it is the extra `postgres`")
    settings = settings_of(HOME, state="postgresql://ada:secret@db.example/skills")
    assert str(settings.state) == "postgresql://ada@db.example/skills"
    assert "secret" not in repr(settings)
    library_of(settings)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("states.db", "states.db"),
        ("postgresql://ada:secret@db.example/skills", "postgresql://ada@db.example/skills"),
        ("postgresql://ada:sec@ret@db.example/skills", "postgresql://"),
    ],
)
def test_a_password_is_not_shown(given: str, shown: str) -> None:
    """Not even that of a URL that cannot be read."""
    assert shown_state(given) == shown


# The library


def test_a_library_on_a_disk(tmp_path: Path) -> None:
    """Skills of both roots are found, and what one library turns on is on in the next, for the same agent only."""
    root, shared = add(tmp_path / "own", "lint"), add(tmp_path / "shared", "pdf")
    settings = settings_of(HOME, root=root, shared=shared)
    for name in ("lint", "pdf"):
        finish(library_of(settings).set_state(SetState(address=parse_address(name), enabled=True)))
    catalog = finish(library_of(settings).catalog()).catalog
    assert [(record.name, record.source) for record in catalog.enabled] == [
        ("lint", SourceId.AGENT_LOCAL),
        ("pdf", SourceId.HOST_SHARED),
    ]
    other = settings_of(HOME, root=root, shared=shared, agent="did:test:other")
    assert finish(library_of(other).catalog()).catalog.enabled == ()
    assert (tmp_path / "own.state.sqlite3").exists()


def test_a_library_in_threads(tmp_path: Path) -> None:
    """On an event loop, many calls at once give what one would."""
    settings = settings_of(HOME, root=add(add(tmp_path / "own", "lint"), "pdf"))
    library = library_of(settings, offload=threads)

    async def both() -> None:
        commands = [SetState(address=parse_address(name), enabled=True) for name in ("lint", "pdf")]
        await asyncio.gather(*(library.set_state(command) for command in commands))

    asyncio.run(both())
    assert len(asyncio.run(library.catalog()).catalog.enabled) == 2


def test_listing_makes_no_state_file(tmp_path: Path) -> None:
    """Looking writes nothing beside the root."""
    finish(library_of(settings_of(HOME, root=add(tmp_path / "own", "lint"))).catalog())
    assert [path.name for path in tmp_path.iterdir()] == ["own"]


def test_a_root_that_nobody_named_need_not_be_there(tmp_path: Path) -> None:
    """A first start has no skills yet, which is no problem; a root that somebody named and that is not there is one."""
    first = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    assert finish(library_of(settings_of(first)).catalog()).catalog.problems == ()
    named = finish(library_of(settings_of(first, root=tmp_path / "absent")).catalog()).catalog
    assert [source for source, _ in named.problems] == [SourceId.AGENT_LOCAL]
    add(tmp_path / "kestrel-skills" / "skills", "lint")
    assert len(finish(library_of(settings_of(first)).catalog()).catalog.records) == 1


def test_both_roots_are_watched_where_that_is_asked_for(tmp_path: Path) -> None:
    """By a library of its own and by those of a host; all that share a root look at it together, and watch it once."""
    own, shared = add(tmp_path / "own", "lint"), add(tmp_path / "shared", "knots")
    environ = HOME | {"KESTREL_SKILLS_WATCH": "on", "KESTREL_SHARED_SKILLS_DIR": str(shared)}
    settings = settings_of(environ, root=own)
    library = library_of(settings)
    known = finish(library.catalog())
    assert finish(library.catalog()) == finish(library.catalog()) == known
    hosted = hosted_library(settings, database=lambda: None, privacy=Privacy(), mirrors=())
    (one, here), (other, there) = library.sources, hosted.sources
    assert isinstance(one, WatchedFiles)
    assert isinstance(other, WatchedFiles)
    assert one is not other
    assert isinstance(here, SharedFiles)
    assert isinstance(there, SharedFiles)
    assert here._together is there._together
    assert isinstance(here._together.files, WatchedFiles)


def test_the_watcher_is_told_of_both_roots(tmp_path: Path) -> None:
    """Each root's survey is told to the watcher that was given."""
    watcher = RecordingWatcher()
    settings = settings_of(HOME, root=add(tmp_path / "own", "lint"), shared=add(tmp_path / "shared", "pdf"))
    finish(library_of(settings, watcher=watcher).catalog())
    assert [event for event in watcher.told if event[0] == "surveyed"] == [
        ("surveyed", "agent-local", 1, 1),
        ("surveyed", "host-shared", 1, 1),
    ]


@pytest.mark.parametrize("absent", ["asyncio", "cmarkgfm", "ruamel.yaml"])
def test_a_listing_loads_nothing_heavy(tmp_path: Path, absent: str) -> None:
    """A listing of plain skills imports no event loop, no YAML, no Markdown parser."""
    add(tmp_path / "own", "lint")
    program = (
        "import sys\n"
        "from kestrel_skills_adapters.wiring import library_of, settings_of\n"
        "from kestrel_skills_adapters.world import finish\n"
        "assert finish(library_of(settings_of({}, root=sys.argv[1])).catalog()).catalog.records\n"
        f"sys.exit({absent!r} in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program, tmp_path / "own"], check=False).returncode == 0


def test_what_can_be_written(tmp_path: Path) -> None:
    """A folder, a file, and what could be made; not what is a link to nothing, nor what lies below a file."""
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    assert all(is_writable(tmp_path / path) for path in (".", "file", "new", "new/er"))
    assert not any(is_writable(tmp_path / path) for path in ("link", "link/new", "file/new"))


def test_a_root_without_a_name_needs_a_state_file_with_one(tmp_path: Path) -> None:
    """Nothing can be named after it."""
    with pytest.raises(BadSetting):
        settings_of(HOME, root="/")
    assert settings_of(HOME, root="/", state=tmp_path / "states").root == Path("/")


# Whose the root is

KITE = "did:example:kite"


def test_what_a_host_leaves_in_the_root_of_its_agent(tmp_path: Path) -> None:
    """Its table: a file by its name, where that lies beside the root, else its kind alone."""
    (tmp_path / "link").symlink_to(tmp_path)
    settings = settings_of(HOME, root=tmp_path / "skills", agent=KITE)
    beside = Owner(agent=KITE, table="sqlite", file="kestrel.db")
    assert hosted_owner(settings, tmp_path / "kestrel.db") == beside
    assert hosted_owner(settings, tmp_path / "link" / "kestrel.db") == beside
    assert hosted_owner(settings, tmp_path / "elsewhere" / "kestrel.db") == Owner(agent=KITE, table="sqlite")
    assert hosted_owner(settings, tmp_path / "two\nlines.db") == Owner(agent=KITE, table="sqlite")
    assert hosted_owner(settings, None) == Owner(agent=KITE, table="postgres")


@pytest.mark.parametrize("database", ["", ":memory:"])
def test_a_table_in_memory_is_nobody_elses_to_look_into(tmp_path: Path, database: str) -> None:
    """Nothing is left in the root."""
    assert hosted_owner(settings_of(HOME, root=tmp_path / "skills", agent=KITE), database) is None


def test_an_agent_that_nobody_could_name_leaves_nothing(tmp_path: Path) -> None:
    """A name of more characters than a file may hold."""
    assert hosted_owner(settings_of(HOME, root=tmp_path / "skills", agent="d" * 3_000), None) is None


def test_where_settings_look_beside_where_the_owner_does(tmp_path: Path) -> None:
    """The owner's file is known by where it leads; our own file, which nobody named, is never a host's."""
    (tmp_path / "kestrel.db").touch()
    (tmp_path / "link.db").symlink_to("kestrel.db")
    root = tmp_path / "skills"
    beside, filed = Owner(agent=KITE, table="sqlite", file="kestrel.db"), Owner(agent=KITE, table="sqlite")

    def looks(owner: Owner, state: Path | None) -> bool | None:
        chosen = frozenset({"table"} if state is not None else set[str]())
        aim = aim_of(settings_of(HOME, root=root, state=state), owner, chosen)  # type: ignore[arg-type]
        assert aim == Aim(agent="local", table="sqlite", is_file=aim.is_file, chosen=chosen)  # type: ignore[arg-type]
        return aim.is_file

    assert state_of(settings_of(HOME, root=root), beside) == tmp_path / "kestrel.db"
    assert looks(beside, tmp_path / "kestrel.db") is True
    assert looks(beside, tmp_path / "link.db") is True
    assert looks(beside, tmp_path / "other.db") is False
    assert looks(beside, None) is False
    assert state_of(settings_of(HOME, root=root), filed) is None
    assert looks(filed, tmp_path / "other.db") is None
    assert looks(filed, None) is False
