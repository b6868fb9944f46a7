"""A PostgreSQL cluster that is thrown away: on loopback and a socket, synced to nothing, as a user without rights."""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from attrs import asdict, frozen

__all__ = ["PASSWORD", "USER", "Cluster", "programs", "shared"]

USER: Final = "kestrel"
PASSWORD: Final = "a-secret-of-the-tests"

_SETTINGS: Final = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "autovacuum=off",
    "shared_buffers=16MB",
    "max_connections=60",
    "wal_level=minimal",
    "max_wal_senders=0",
    "lc_messages=C",
)


def programs() -> Path | None:
    """The folder of the server's programs, of the newest release that is here; nothing where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    if found:
        return found[-1].parent
    return Path(on_path).resolve().parent if on_path else None


@frozen
class Cluster:
    """A server that runs."""

    folder: str
    port: int

    def url(self, database: str = "postgres", *, user: str = USER, **parameters: str) -> str:
        """Over the socket, where everybody is trusted."""
        query = "&".join(f"{name}={value}" for name, value in {"host": self.folder, **parameters}.items())
        return f"postgresql://{user}@:{self.port}/{database}?{query}"

    def address(self, database: str = "postgres", *, user: str = USER, password: str = PASSWORD) -> str:
        """Over loopback, where a password is wanted."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def ask(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """What an administrator says, each statement by itself, and the answer if there is one."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def database(self) -> Iterator[str]:
        """A new, empty database, by its name."""
        name = f"db_{secrets.token_hex(6)}"
        self.ask(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield name
        finally:
            self.ask(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """All of its processes stand still: it takes connections and statements, and answers none of them."""
        (first, *_) = (Path(self.folder) / "data" / "postmaster.pid").read_text().split()
        processes = [int(first), *(pid for (pid,) in self.ask("SELECT pid FROM pg_stat_activity"))]
        try:
            for process in processes:
                with suppress(ProcessLookupError):  # which asked
                    os.kill(process, signal.SIGSTOP)
            yield
        finally:
            for process in reversed(processes):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)


@contextmanager
def shared(place: Path) -> Iterator[Cluster]:
    """The cluster of all processes that name this folder: the first starts it, and the last stops it."""
    known = place / "postgres.json"
    with (place / "postgres.users").open("a") as users:
        with _alone(place):
            if not known.exists():
                known.write_text(json.dumps(asdict(_started())))
            cluster = Cluster(**json.loads(known.read_text()))
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield cluster
        finally:
            with _alone(place), suppress(BlockingIOError):
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                known.unlink()
                _stopped(cluster)


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    with (place / "postgres.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _started() -> Cluster:
    # Not among the other folders of tests, which only their user may enter; and short, as a socket's path must be.
    folder = Path(tempfile.mkdtemp(prefix="kestrel-pg-"))
    if os.geteuid() == 0:
        os.chown(folder, *_nobody())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    password = folder / "password"
    password.write_text(PASSWORD)
    password.chmod(0o644)
    made = ("-D", folder / "data", "-U", USER, f"--pwfile={password}", "-E", "UTF8", "--locale=C", "--no-sync")
    _ran(folder, "initdb", *made, "--auth-local=trust", "--auth-host=scram-sha-256")
    settings = " ".join(f"-c {each}" for each in _SETTINGS)
    options = f"-k {folder} -c listen_addresses=127.0.0.1 -p {port} {settings}"
    try:
        _ran(folder, "pg_ctl", "start", "-w", "-D", folder / "data", "-l", folder / "log", "-o", options)
    except subprocess.CalledProcessError as error:
        error.add_note((folder / "log").read_text())
        raise
    return Cluster(str(folder), port)


def _stopped(cluster: Cluster) -> None:
    folder = Path(cluster.folder)
    _ran(folder, "pg_ctl", "stop", "-w", "-m", "immediate", "-D", folder / "data")
    shutil.rmtree(folder)


def _ran(folder: Path, program: str, *arguments: str | Path) -> None:
    """Run one of the server's programs. It refuses to be root, and wants a folder that it may be in."""
    there = programs()
    assert there is not None
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        user, group = _nobody()
        who = {"user": user, "group": group, "extra_groups": []}
    environ = {"PATH": f"{there}:/usr/bin:/bin", "LC_ALL": "C", "HOME": str(folder), "TZ": "UTC"}
    with Path(os.devnull).open("w") as nowhere:
        subprocess.run([there / program, *arguments], check=True, cwd=folder, env=environ, stdout=nowhere, **who)


def _nobody() -> tuple[int, int]:
    """A user that is not root."""
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            user = pwd.getpwnam(name)
            return user.pw_uid, user.pw_gid
    raise RuntimeError("there is no user to run PostgreSQL as")
