"""What a skill of 20 KB costs out of a repository of 2,000 files and 100 MB, against git's own sparse partial clone."""

from __future__ import annotations

import gc
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue

import pytest

from kestrel_skills_adapters.git.source import DulwichGitSource
from kestrel_skills_adapters.git.transport import Transport
from kestrel_skills_core.domain.git_address import GitUrl, git_ref
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.tree import Content
from tests.bench.beside.figures import Spread, spread
from tests.bench.pages import NONE, duration, machine, table, tell, times
from tests.git.repositories import made
from tests.git.servers import HOST, LOOPBACK, Served, authority, backend, serving

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

FILES = 2_000
DISTANCES = {0.0: 15, 0.02: 5, 0.08: 5}
"""How many seconds a round trip takes, and how often that is tried."""
SKILL = "skills/knots"


@pytest.fixture(scope="module")
def rows() -> Iterator[list[Sequence[str]]]:
    """What is to be told, row by row; told when there is all of it."""
    load, rows = os.getloadavg()[0], list[Sequence[str]]()
    yield rows
    if len(rows) == len(DISTANCES) + 3:
        tell("git", f"{table(['', 'ours', 'git', 'ratio', 'aim'], rows)}\n\n{machine(load)}.")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """2,000 files of 50 KB that do not compress, in 100 folders, and among them three skills of four files."""
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(4000)]

    def text(size: int) -> bytes:
        return " ".join(chance.choices(words, k=size // 4))[:size].encode()

    drawn = {f"large/d{n // 20:03}/f{n % 20:02}.bin": Content(chance.randbytes(51_200)) for n in range(FILES)}
    for name in ("knots", "ropes", "sails"):
        head = f"---\nname: {name}\ndescription: Use when {name} are wanted.\n---\n\n".encode()
        drawn[f"skills/{name}/SKILL.md"] = Content(head + text(4_000))
        drawn[f"skills/{name}/scripts/run.py"] = Content(text(6_000), executable=True)
        drawn[f"skills/{name}/reference.md"] = Content(text(6_000))
        drawn[f"skills/{name}/template.txt"] = Content(text(4_000))
    root = tmp_path_factory.mktemp("git")
    made(root / "some.git", {"main": drawn})
    with serving(backend(root)) as server:
        yield server
    shutil.rmtree(root)


def ours(port: int) -> int:
    """Look the branch up and fetch the folder; the bytes of its files."""
    transport = Transport(lambda host, _: [LOOPBACK], lambda address: address == LOOPBACK, authority().trust)
    source, url = DulwichGitSource(transport), GitUrl(f"https://{HOST}:{port}/some.git")
    commit = source.resolve(url, git_ref("main"), cancelled=lambda: False)
    files = source.fetch(url, commit, ResourcePath(SKILL), cancelled=lambda: False).files
    return sum(len(content.data) for content in files.values())


def gits(port: int, folder: Path) -> int:
    """The same with git's command line: a sparse partial clone, of which the folder is checked out."""
    configuration = [
        f"http.sslCAInfo={authority().write(folder / 'authority.pem')}",
        f"http.curloptResolve={HOST}:{port}:{LOOPBACK}",
    ]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    clone = folder / "clone"
    options = [part for setting in configuration for part in ("-c", setting)]
    url = f"https://{HOST}:{port}/some.git"
    sparse = ["git", "clone", "--quiet", "--depth", "1", "--filter=blob:none", "--sparse", *options, url, str(clone)]
    subprocess.run(sparse, env=environment, check=True)
    subprocess.run(["git", "-C", str(clone), "sparse-checkout", "set", SKILL], env=environment, check=True)
    size = sum(path.stat().st_size for path in (clone / SKILL).rglob("*") if path.is_file())
    shutil.rmtree(clone)
    return size


class Relay:
    """Passes connections on, half a round trip late each way, and counts the bytes that come down."""

    def __init__(self, port: int, round_trip: float) -> None:
        self._to, self._late = port, round_trip / 2
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listener.getsockname()[1]
        self.down = self.connections = 0
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        """Take no more, and wait for those that are under way."""
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.connections += 1
                thread = threading.Thread(target=self._join, args=(client,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _join(self, client: socket.socket) -> None:
        time.sleep(2 * self._late)  # that a connection is there, its other end knows a round trip later
        with client, socket.create_connection((LOOPBACK, self._to)) as server:
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            up = threading.Thread(target=self._pass_on, args=(client, server, 0), daemon=True)
            up.start()
            self._pass_on(server, client, 1)
            up.join()

    def _pass_on(self, one: socket.socket, other: socket.socket, counts: int) -> None:
        under_way: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
        arriving = threading.Thread(target=self._arrive, args=(under_way, other), daemon=True)
        arriving.start()
        with suppress(OSError):
            while piece := one.recv(262_144):
                self.down += counts * len(piece)
                under_way.put((time.perf_counter() + self._late, piece))
        under_way.put((0, b""))
        arriving.join()

    def _arrive(self, under_way: SimpleQueue[tuple[float, bytes]], other: socket.socket) -> None:
        with suppress(OSError):
            while (sent := under_way.get())[1]:
                time.sleep(max(0, sent[0] - time.perf_counter()))
                other.sendall(sent[1])
            other.shutdown(socket.SHUT_WR)


@contextmanager
def relayed(served: Served, round_trip: float = 0) -> Iterator[Relay]:
    """A relay to the server, that many seconds away."""
    relay = Relay(served.port, round_trip)
    try:
        yield relay
    finally:
        relay.close()


def compared(ways: Mapping[str, Callable[[int], int]], port: int, rounds: int) -> list[Spread]:
    """The seconds that each way takes, by turns."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            gc.collect()
            start = time.perf_counter()
            way(port)
            taken[name].append(time.perf_counter() - start)
    return [spread(each) for each in taken.values()]


def test_a_skill_out_of_a_large_repository(served: Served, tmp_path: Path, rows: list[Sequence[str]]) -> None:
    """Bytes and connections on the wire, and time, near and far, by turns in one run."""
    ways: dict[str, Callable[[int], int]] = {"ours": ours, "git": lambda port: gits(port, tmp_path)}
    down, met = {}, {}
    for name, way in ways.items():
        with relayed(served) as relay:
            served.asked.clear()
            assert 20_000 <= way(relay.port) <= 20_200
        down[name], met[name] = relay.down, f"{relay.connections}, {len(served.asked)}"
    assert down["ours"] < down["git"]
    rows.append(
        [
            "bytes that come down, TLS included",
            *(f"{each / 1000:.1f} KB" for each in down.values()),
            times(down["ours"] / down["git"]),
            "1",
        ]
    )
    rows.append(["connections, requests", *met.values(), NONE, NONE])
    ratios = []
    for round_trip, rounds in DISTANCES.items():
        with relayed(served, round_trip) as relay:
            said = compared(ways, served.port if not round_trip else relay.port, rounds)
        ratios.append(said[0].median / said[1].median)
        far = f"time, {round_trip * 1000:.0f} ms away" if round_trip else "time, near"
        rows.append([far, *(duration(each.median, each.low, each.high) for each in said), times(ratios[-1]), "1"])
    assert max(ratios) < 1, "it takes more time than git does"  # from half as much to a tenth less, when it is quiet


MEASURED = """
import os, re, resource, sys
def most():
    status = "/proc/self/status"
    if os.path.exists(status):  # a process begins with the figure of the one that made it, and Linux alone tells better
        return int(re.search(r"VmHWM:\\s+(\\d+)", open(status).read())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
"""


def test_the_memory_that_it_takes(served: Served, tmp_path: Path, rows: list[Sequence[str]]) -> None:
    """At most, in a process of its own: what a transfer adds, and the whole, Python and all imports included."""
    root = Path(__file__).parents[2]
    trusted = authority().write(tmp_path / "authority.pem")
    program = (
        f"{MEASURED}\n"
        "import ssl\n"
        "from kestrel_skills_adapters.git.source import DulwichGitSource\n"
        "from kestrel_skills_adapters.git.transport import Transport\n"
        "from kestrel_skills_core.domain.git_address import git_ref, git_url\n"
        f"trust = ssl.create_default_context(cafile={str(trusted)!r})\n"
        f"source = DulwichGitSource(Transport(lambda *_: [{LOOPBACK!r}], lambda _: True, trust))\n"
        "before = most()\n"
        f"url, here = git_url({served.url()!r}), lambda: False\n"
        "commit = source.resolve(url, git_ref('main'), cancelled=here)\n"
        f"source.fetch(url, commit, {SKILL!r}, cancelled=here)\n"
        "print(before, most())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    before, most = map(int, ran.stdout.split())
    said = f"{most / 1024:.0f} MiB the whole process, {(most - before) / 1024:.0f} of them for the transfer"
    rows.append(["memory at most", said, NONE, NONE, "64 MiB"])
    assert most < 64 * 1024
