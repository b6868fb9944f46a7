"""The least that each piece of work could cost: the bare calls that nothing can do without, and no more.

A change waits for the disk as often as ours does, for the same reasons; `docs/crash-safety.md` says how often that is.
"""

from __future__ import annotations

import hashlib
import html
import os
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.bench.beside.contender import ONE, clocked, named, once_more, peak, serve

WRITTEN = f"---\nname: {ONE}\ndescription: Use when it is time.\n---\n\nDo it.\n".encode()
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MARKED = b"kestrel-skill-generation-v1:" + b"a1" * 32 + b"\n"
FITS = 7_900
"""The bytes of lines that a clause has room for, beside its frame."""


def read_and_digest(path: str | os.PathLike[str], at: int | None = None) -> None:
    """The floor of a first look: each folder opened and listed; each file opened, looked at, read, closed and hashed.

    Through descriptors, since by a path no one can open what is in a folder without following a link on the way.
    """
    folder = os.open(path, FOLDER, dir_fd=at)
    with os.scandir(folder) as entries:
        listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in listed:
        if is_folder:
            read_and_digest(name, folder)
        else:
            fd = os.open(name, FILE, dir_fd=folder)
            content = os.read(fd, os.fstat(fd).st_size + 1)
            os.close(fd)
            hashlib.sha256(content).digest()
    os.close(folder)


def read_plainly(root: str | os.PathLike[str]) -> None:
    """Every file read and hashed as a short program does it: by paths, following links, asking for no status."""
    for folder, _, files in os.walk(root):
        for name in files:
            with open(os.path.join(folder, name), "rb") as file:
                hashlib.sha256(file.read()).digest()


def stat_all(path: str | os.PathLike[str]) -> None:
    """The floor of a second look: each folder listed, and each file looked at."""
    folders = [path]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)


class Bare:
    """The changes of one skill by bare calls, in a root with a room in it for what is not in sight.

    What a file system takes to make a file depends on how many there are about, so the room is where ours is.
    """

    def __init__(self, home: Path, sync: Callable[[int], None] = os.fsync) -> None:
        self._sync = sync
        self._one = f"{home}/skills/{ONE}"
        self._room = f"{home}/skills/.room"
        Path(self._room).mkdir()
        self._table = sqlite3.connect(home / "bare.db", isolation_level=None)
        self._table.execute("PRAGMA synchronous = EXTRA")
        self._table.execute("CREATE TABLE states (name TEXT PRIMARY KEY, is_on INTEGER)")
        self.transactions = 0

    def row(self) -> None:
        """Look one row up."""
        self._table.execute("SELECT is_on FROM states WHERE name = ?", (ONE,)).fetchone()

    def create(self) -> None:
        """The document, the marker and their folder, its finished name, the move, and both folders that it touched."""
        made = f"{self._room}/made"
        os.mkdir(made)
        self._write(f"{made}/SKILL.md", WRITTEN)
        self._write(f"{made}/.kestrel-generation", MARKED)
        self._folders(made, self._room)
        os.rename(made, self._one)
        self._folders(os.path.dirname(self._one), self._room)

    def edit(self) -> None:
        """The file, its finished name, the exchange, and both folders that it touched."""
        self._write(f"{self._room}/made", WRITTEN + b"Again.\n")
        self._folders(self._room)
        os.replace(f"{self._room}/made", f"{self._one}/SKILL.md")
        self._folders(self._one, self._room)

    def enable(self) -> None:
        """The row."""
        self._put("INSERT INTO states VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET is_on = 1")

    def disable(self) -> None:
        """The mark with its folder and staging; the row; the mark's folder again, when it goes."""
        mark = f"{self._room}/mark"
        self._write(mark, b"off\n")
        self._folders(self._room, self._room)
        self._put("INSERT INTO states VALUES (?, 0) ON CONFLICT (name) DO UPDATE SET is_on = 0")
        os.unlink(mark)
        self._folders(self._room)

    def delete(self) -> None:
        """The move out of sight, both folders that it touched, and the row."""
        os.rename(self._one, f"{self._room}/retired")
        self._folders(os.path.dirname(self._one), self._room)
        self._put("DELETE FROM states WHERE name = ?")

    def purge(self) -> None:
        """Take away what was deleted: that is later work."""
        for path in Path(self._room, "retired").iterdir():
            path.unlink()
        Path(self._room, "retired").rmdir()

    def close(self) -> None:
        """Close the table."""
        self._table.close()

    def _write(self, path: str, content: bytes) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.write(fd, content)
        self._sync(fd)
        os.close(fd)

    def _folders(self, *paths: str) -> None:
        for path in paths:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self._sync(fd)
            os.close(fd)

    def _put(self, statement: str) -> None:
        self.transactions += 1
        self._table.execute("BEGIN IMMEDIATE")
        self._table.execute(statement, (ONE,))
        self._table.execute("COMMIT")


class Floor:
    """What is asked of it by name, `tests/bench/beside/run.py` says."""

    def __init__(self) -> None:
        self.number = 0

    def load(self, home: str, skills: int, *, trace: bool = False) -> Mapping[str, Any]:
        """Everything is read and hashed; nothing of it is left behind."""
        self.home, self.root, self.skills = Path(home), Path(home, "skills"), skills
        if trace:
            return {"live": 0, "own": None}
        with clocked() as taken:
            read_and_digest(self.root)
        return {**taken, "most": peak()}

    def plain(self, home: str) -> Mapping[str, float]:
        """Everything is read and hashed, by a short program."""
        return _timed(lambda: read_plainly(Path(home, "skills")))

    def settle(self) -> None:
        """Get ready for the rest: a table, and the lines of the clause."""
        self.bare = Bare(self.home)
        self.lines, room = [], FITS
        for path in sorted(self.root.glob("skill-*/SKILL.md")):
            _, name, description, *_ = path.read_text().split("\n")
            line = (name.removeprefix("name: "), description.removeprefix("description: "))
            room -= len(_escaped([line]).encode())
            if room < 0:
                break
            self.lines.append(line)

    def refresh(self) -> Mapping[str, float]:
        """Every file is looked at."""
        return _timed(lambda: stat_all(self.root))

    list = search = refresh

    def change(self) -> Mapping[str, float]:
        """Every file is looked at, and those of one skill are read."""
        self.number += 1
        one = self.root / named(self.number, self.skills)
        once_more(one)

        def work() -> None:
            stat_all(self.root)
            read_and_digest(one)

        return _timed(work)

    def read(self) -> Mapping[str, float]:
        """Every file of one skill is read and hashed and looked at again, as all is of one instant; then the row."""
        self.number += 1
        one = self.root / named(self.number, self.skills)

        def work() -> None:
            read_and_digest(one)
            stat_all(one)
            self.bare.row()

        return _timed(work)

    resource = read

    def clause(self) -> Mapping[str, float]:
        """The same lines, escaped and joined."""
        return _timed(lambda: _escaped(self.lines))

    def create(self) -> Mapping[str, float]:
        """See `Bare`."""
        return _timed(self.bare.create)

    def edit(self) -> Mapping[str, float]:
        """See `Bare`."""
        return _timed(self.bare.edit)

    def enable(self) -> Mapping[str, float]:
        """See `Bare`."""
        return _timed(self.bare.enable)

    def disable(self) -> Mapping[str, float]:
        """See `Bare`."""
        return _timed(self.bare.disable)

    def delete(self) -> Mapping[str, float]:
        """See `Bare`."""
        taken = _timed(self.bare.delete)
        self.bare.purge()
        return taken

    def agents(self, shared: str, home: str, count: int) -> Mapping[str, Any]:
        """One reads it all; the others would have nothing to do."""
        return {
            "walls": [_timed(lambda: read_and_digest(Path(shared)))["wall"]],
            "most": peak(),
        }


def _timed(work: Callable[[], object]) -> Mapping[str, float]:
    with clocked() as taken:
        work()
    return taken


def _escaped(lines: list[tuple[str, str]]) -> str:
    return "".join([f'<skill name="{name}">{html.escape(description)}</skill>\n' for name, description in lines])


if __name__ == "__main__":
    floor = Floor()
    serve(lambda do, asked: getattr(floor, do)(**asked))
