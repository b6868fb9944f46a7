"""Makes a home as the 0.1.0 release leaves it, by letting that release do all of it on its own host.

To be run by hand, where that release is installed and this one is not, from the root of a checkout:

    python -m venv old
    old/bin/pip install 'kestrel-feature-skills==0.1.0' trustme pytest
    PYTHONPATH=src old/bin/python -m tests.host.homes.make

It writes `0.1.0.tar.gz`, the agent's own skills and the shared ones, and `0.1.0.json`: the rows, the nodes of the
graph, and what that release said of each skill the last time that it was asked. Neither holds a key, a path of the
machine, or anything of the agent but its name.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from tests.adapters.git.repositories import Git
from tests.git.servers import authority, backend, serving
from tests.host.lab import Home, Host
from tests.host.model import Call, ScriptedModel

HERE: Final = Path(__file__).parent
NAME: Final = "0.1.0"


class Old:
    """The release at work on a home."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.home = host.home

    def do(self, tool: str, **args: object) -> Any:
        """Let the agent call a tool; gives what came of it, whatever that is."""
        (answer,) = self.host.play([Call(f"skill_{tool}", args)])
        print(tool, json.dumps(answer)[:160])
        return answer

    def create(self, name: str, **args: object) -> None:
        """Let it write a skill."""
        self.do("create", name=name, description=f"Use to {name}.", body=f"# {name}\n\nBegin.\n", **args)

    def said(self) -> list[dict[str, Any]]:
        """What it says of each skill, having looked again."""
        self.host.client.of_agent("POST", "/api/procedural-skills/reload")
        return list(self.do("list")["data"]["skills"])

    @contextmanager
    def table(self) -> Iterator[sqlite3.Connection]:
        """The agent's database."""
        with closing(sqlite3.connect(self.home.data / "kestrel_prime.db", timeout=30)) as database, database:
            yield database

    @contextmanager
    def unwritable(self, name: str) -> Iterator[None]:
        """The table refuses the row of one skill."""
        when = f"ON bootstrap_config WHEN NEW.file_name = 'skill:{name}' BEGIN SELECT RAISE(FAIL, 'it is full'); END"
        with self.table() as database:
            for verb in ("INSERT", "UPDATE"):
                database.execute(f"CREATE TRIGGER refuse_{verb} BEFORE {verb} {when}")
        yield
        with self.table() as database:
            for verb in ("INSERT", "UPDATE"):
                database.execute(f"DROP TRIGGER refuse_{verb}")

    def cut_down(self, name: str) -> None:
        """Let it delete a skill, and kill it as soon as the folder is out of sight and before it is gone."""
        internal = self.home.skills / ".kestrel-internal"
        token = next(each for each in self.said() if each["name"] == name)["delete_revision"]
        play = self.host.model.script([Call("skill_delete", {"name": name, "delete_revision": token})])
        turn = self.host.client.begin(play.words)
        waiting = self.host.client.next_pending()
        self.host.client.decide(waiting, approved=True)
        while not any(internal.glob(".kestrel-skill-recovery-*")):
            assert not turn.done(), turn.result() + str(play.results)
        self.home.kill()


def grow(old: Old, git: str) -> None:
    """Every way in which that release can leave a skill, but for the last."""
    old.create("sow", enabled=True, priority=20)
    old.do("edit", name="sow", content="Not too deep.\n", relative_path="references/depth.md")
    old.create("mow", enabled=True, priority=50)
    old.do("disable", name="mow")
    old.create("idle")
    for name in ("graft", "bud", "vine"):
        old.do("install", source_url=git, skill_name=name)
    old.do("enable", name="graft")
    old.do("enable", name="vine")
    put(old.home.shared, "vine")
    old.do("enable", name="dig", priority=30)
    old.create("rake", enabled=True)
    for name in ("burn", "gone", "cut"):
        old.create(name, enabled=True)
    with old.unwritable("burn"):
        old.do("disable", name="burn")
    shutil.rmtree(old.home.skills / "gone")
    for each in range(8):  # so that it takes its time to look whether they are what was approved
        (old.home.skills / "cut" / f"{each}.md").write_text("Again.\n" * 35_000)


def document(name: str) -> str:
    """A skill that a person wrote."""
    return f"---\nname: {name}\ndescription: Use to {name}.\n---\n\n# {name}\n\nBegin.\n"


def put(root: Path, *names: str) -> None:
    """Put skills into a folder."""
    for name in names:
        (root / name).mkdir(parents=True)
        (root / name / "SKILL.md").write_text(document(name))


def trusting(folder: Path) -> Path:
    """A `git` that trusts the authority of the tests: the release lets none of the environment through to it."""
    certificate = authority().write(folder / "authority.pem")
    program = folder / "git"
    program.write_text(f'#!/bin/sh\nGIT_SSL_CAINFO={certificate} exec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    return folder


def record(old: Old, said: list[dict[str, Any]]) -> None:
    """Write the archive and the dump."""
    with old.table() as database:
        database.row_factory = sqlite3.Row
        rows = database.execute(
            "SELECT id, agent_id, file_name, file_path, enabled, priority, max_size_bytes FROM bootstrap_config"
            " WHERE agent_id LIKE 'procedural-skill-state:%' ORDER BY file_name"
        ).fetchall()
        nodes = database.execute(
            "SELECT node_id, label, properties FROM graph_nodes WHERE node_type = 'procedural_skill' ORDER BY label"
        ).fetchall()
    kept = ("name", "enabled", "priority", "source_kind", "shadowed")
    dump = {
        "agent": rows[0]["agent_id"].removeprefix("procedural-skill-state:"),
        "rows": [dict(row) for row in rows],
        "nodes": [{**dict(node), "properties": json.loads(node["properties"])} for node in nodes],
        "said": [{key: each[key] for key in kept} for each in said],
    }
    (HERE / f"{NAME}.json").write_text(json.dumps(dump, indent=2) + "\n")
    with tarfile.open(HERE / f"{NAME}.tar.gz", "w:gz") as archive:
        for folder, name in ((old.home.skills, "skills"), (old.home.shared, "shared")):
            archive.add(folder, name, filter=_nobody)


def _nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def main() -> None:
    """Make the home, and keep what it is."""
    model = ScriptedModel()
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        repository = folder / "served" / "garden.git"
        repository.mkdir(parents=True)
        git = Git(repository)
        put(repository / "skills", "graft", "bud", "vine")
        git.commit()
        (folder / "programs").mkdir()
        path = f"{trusting(folder / 'programs')}:/usr/bin:/bin"
        home = Home(folder / "home", model.address, environ={"PATH": path}).incept()
        put(home.shared, "dig", "prune", "rake")
        with serving(backend(repository.parent), "localhost") as served:
            host = Host(home, model)
            try:
                old = Old(host)
                grow(old, f"https://localhost:{served.port}/garden.git")
                said = old.said()
                old.cut_down("cut")
            finally:
                host.stop()
        record(old, said)
    model.close()


if __name__ == "__main__":
    main()
