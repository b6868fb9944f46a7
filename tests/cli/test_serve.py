"""`serve`: a real process that listens, answers, and goes when it is told to."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import frozen

from .running import run, skill

ROOT: Final = Path(__file__).parents[2]
PROGRAM: Final = "import sys; from kestrel_skills_adapters.cli.main import main; sys.exit(main())"
API: Final = "/api/procedural-skills"


@frozen
class Server:
    """A process that serves: its address, and its token."""

    process: subprocess.Popen[str]
    address: str
    token: str

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rpartition(":")[2])

    def get(self, path: str, **headers: str) -> tuple[int, Any, bytes]:
        """What it answers."""
        request = urllib.request.Request(self.address + path, headers=headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def catalog(self) -> Any:
        """What the person with the token sees."""
        status, _, body = self.get(API, Authorization=f"Bearer {self.token}")
        assert status == 200
        return json.loads(body)

    def ends(self, number: int) -> tuple[int, str]:
        """Tell it to go; gives its exit code, and what it said since."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


@contextmanager
def serving(
    home: Path,
    *arguments: str,
    browser: Path | None = None,
    within: Sequence[str] = (),
    program: str = PROGRAM,
    beside: Path | None = None,
) -> Iterator[Server]:
    """A process that serves the skills of a home; without a browser, it is told to start none.

    `within` is what its command is run by; `beside` is where its Python finds modules first.
    """
    path = str(ROOT / "src") if beside is None else f"{beside}:{ROOT / 'src'}"
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": path}
    environ |= {} if browser is None else {"BROWSER": str(browser)}
    shown = ("--no-browser",) if browser is None else ()
    command = [*within, sys.executable, "-c", program, "serve", "--root", str(home / "skills"), *shown, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        address, _, token = line.split(" at ")[1].strip().partition("/#token=")
        yield Server(process, address, token)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one skill."""
    skill(tmp_path / "skills", "tea")
    return tmp_path


def test_it_serves_the_page_and_the_skills_to_who_has_the_token(home: Path) -> None:
    """And to nobody else; the page names only parts that are there."""
    with serving(home) as server:
        assert server.address.startswith("http://127.0.0.1:")
        assert len(server.token) >= 32
        assert [each["name"] for each in server.catalog()["skills"]] == ["tea"]
        assert server.get(API)[0] == 401
        assert server.get(API, Authorization=f"Bearer {server.token}", Host=f"evil.example:{server.port}")[0] == 421
        status, headers, page = server.get("/")
        assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert "Server" not in headers
        assert server.token.encode() not in page
        for part, kind in {
            "/page.css": "text/css; charset=utf-8",
            "/page.js": "text/javascript; charset=utf-8",
            "/js/api.js": "text/javascript; charset=utf-8",
            "/js/ui-ext/bus.js": "text/javascript; charset=utf-8",
            "/js/ui-ext/panels.js": "text/javascript; charset=utf-8",
            "/icon.svg": "image/svg+xml",
        }.items():
            status, headers, content = server.get(part)
            assert (status, headers["Content-Type"]) == (200, kind)
            assert server.get(part, **{"If-None-Match": headers["ETag"]})[0] == 304
            assert b"://" not in content.replace(b"http://www.w3.org/2000/svg", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_it_is_told_to(home: Path, number: int) -> None:
    """Within seconds, as something that went well, and without a word of what it was doing, though a client stays."""
    with serving(home) as server, socket.create_connection(("127.0.0.1", server.port)) as idle:
        idle.sendall(b"GET / HTTP/1.1\r\n")
        server.catalog()
        code, said = server.ends(number)
    assert (code, said) == (0, "Ctrl-C ends it\n")


BROWSER: Final = """#!/bin/sh
path="${1#file://}"
printf '%s %s %s ' "$1" "$(stat -c %a "$path")" "$(stat -c %a "$(dirname "$path")")" > "$HOME/told"
cat "$path" >> "$HOME/told"
mv "$HOME/told" "$HOME/opened"
"""


def test_the_browser_is_told_the_token_where_nobody_else_can_see_it(home: Path) -> None:
    """It is started with a file that its user alone can read, which leads on, and is gone when the server is."""
    program = home / "browser"
    program.write_text(BROWSER)
    program.chmod(0o755)
    with serving(home, browser=program) as server:
        opened = home / "opened"
        deadline = time.monotonic() + 20
        while not opened.exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        given, file_mode, folder_mode, page = opened.read_text().split(" ", 3)
        assert (file_mode, folder_mode) == ("600", "700")
        assert server.token not in given
        assert f'url={server.address}/#token={server.token}"' in page
        code, _ = server.ends(signal.SIGTERM)
    assert code == 0
    assert not Path(given.removeprefix("file://")).parent.exists()


def test_where_no_file_can_be_written_the_address_is_said_all_the_same(home: Path) -> None:
    """And the skills are served."""
    full = ("sh", "-c", 'ulimit -f 0; exec "$@"', "sh")
    with serving(home, browser=home / "none", within=full) as server:
        assert server.catalog()["count"] == 1
        _, said = server.ends(signal.SIGTERM)
    assert "no browser is opened" in said


HEADS: Final = "Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nX-Kestrel-Request: a test\r\n"


def asked(server: Server, line: str, more: str = "\r\n") -> socket.socket:
    """A connection that has asked for something, and does not wait for it."""
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.settimeout(60)
    heads = HEADS.format(port=server.port, token=server.token)
    connection.sendall(f"{line} HTTP/1.1\r\n{heads}{more}".encode())
    return connection


def told(connection: socket.socket) -> bytes:
    """All that it is still told."""
    pieces = []
    with connection, suppress(ConnectionError):
        while piece := connection.recv(65_536):
            pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_still_waits_is_told_that_it_ends(home: Path, number: int) -> None:
    """As a problem, with all that an answer says of its page; and nothing is said of it elsewhere."""
    body = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na'
    with serving(home) as server:
        waiting = asked(server, f"POST {API}", body)
        server.catalog()
        assert server.ends(number) == (0, "Ctrl-C ends it\n")
        heads, _, problem = told(waiting).partition(b"\r\n\r\n")
    assert heads.startswith(b"HTTP/1.1 503 ")
    assert b"content-security-policy: default-src 'none'" in heads
    assert json.loads(problem)["code"] == "ending"


def is_listened_at(port: int) -> bool:
    """Whether anybody answers there."""
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


ENDLESS: Final = f"""
import sys, time, types
def html_of(text):
    print("it works", flush=True)
    time.sleep(600)
sys.modules["kestrel_skills_adapters.markdown.html"] = types.SimpleNamespace(html_of=html_of)
{PROGRAM}
"""


@pytest.mark.parametrize("often", [1, 2])
def test_it_is_gone_though_something_works_on_and_on(home: Path, often: int) -> None:
    """As something that went well. Told once, it gives what runs a while, and says so; told again, it does not."""
    with serving(home, program=ENDLESS) as server:
        waiting = asked(server, f"GET {API}/tea/preview")
        assert server.process.stdout is not None
        assert server.process.stdout.readline() == "it works\n"
        for _ in range(often - 1):
            server.process.send_signal(signal.SIGINT)
            while is_listened_at(server.port):  # until it has heard that
                time.sleep(0.05)
        assert server.ends(signal.SIGINT) == (0, "Ctrl-C ends it\n")
        assert told(waiting) == b""


def test_what_is_no_http_is_not_told_on_the_terminal(home: Path) -> None:
    """Whoever sends it is told 400, by a server that says nothing of itself."""
    with serving(home) as server:
        for sent in (b"\x16\x03\x01\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + b"a" * 200_000):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.settimeout(60)
                with suppress(ConnectionError):
                    connection.sendall(sent)
                    assert connection.recv(65_536).startswith(b"HTTP/1.1 400 ")
        assert server.ends(signal.SIGTERM) == (0, "Ctrl-C ends it\n")


def test_no_other_reader_of_http_is_taken(home: Path, tmp_path: Path) -> None:
    """Though one is installed: its limits would be others."""
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "httptools.py").write_text("raise RuntimeError('it was not asked for')\n")
    with serving(home, beside=beside) as server:
        assert server.catalog()["count"] == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets one process bound another")
def test_where_no_file_can_be_opened_any_more_the_terminal_stays_quiet(home: Path) -> None:
    """More connections than there may be files; when they have gone, it answers as before."""
    with serving(home) as server:
        server.catalog()
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (64, 64))
        with ExitStack() as many:
            for _ in range(120):
                many.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            time.sleep(0.5)
        assert server.catalog()["count"] == 1
        assert server.ends(signal.SIGTERM) == (0, "Ctrl-C ends it\n")


BROKEN: Final = f"""
import sys, types
sys.modules["kestrel_skills_adapters.markdown.html"] = types.SimpleNamespace(html_of=lambda text: 1 / 0)
{PROGRAM}
"""


@pytest.mark.parametrize("is_debugged", [False, True])
def test_a_defect_is_told_with_its_traceback_to_those_who_ask(home: Path, is_debugged: bool) -> None:
    """To whoever started the server, and never to the browser."""
    with serving(home, *(("--debug",) if is_debugged else ()), program=BROKEN) as server:
        status, _, problem = server.get(f"{API}/tea/preview", Authorization=f"Bearer {server.token}")
        assert (status, json.loads(problem)["code"]) == (500, "defect")
        assert b"Zero" not in problem
        _, said = server.ends(signal.SIGTERM)
    assert "a request ended with an unexpected ZeroDivisionError" in said
    assert ("Traceback" in said) is is_debugged


def test_each_start_has_its_own_token(home: Path) -> None:
    """What was handed out before is worth nothing."""
    with serving(home) as first, serving(home) as second:
        assert first.token != second.token
        assert second.get(API, Authorization=f"Bearer {first.token}")[0] == 401


def test_a_port_that_is_taken_is_told_in_one_line(home: Path) -> None:
    """With what to do about it."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ran = run("serve", "--no-browser", "--port", str(port), "--root", str(home / "skills"))
    assert (ran.code, ran.out) == (4, "")
    assert ran.said == f"error: port {port} is in use by another process; fix: name another with --port, or none\n"


def test_a_port_that_is_asked_for_is_the_one(home: Path) -> None:
    """So that a person can let it through, say, to a machine that is elsewhere."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    with serving(home, "--port", str(port)) as server:
        assert server.port == port


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_without_its_extra_it_says_how_to_get_it(home: Path, missing: str) -> None:
    """In one line, whichever part is not there; every other command works."""
    program = f"import sys; sys.modules[{missing!r}] = None; {PROGRAM}"
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program, *arguments, "--root", str(home / "skills")]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)

    served = ran("serve", "--no-browser")
    assert (served.returncode, served.stdout) == (2, "")
    assert served.stderr == (
        "error: serve: what it takes, the extra `http`, is not installed; fix: install kestrel-feature-skills[http]\n"
    )
    assert ran("list").returncode == 0


def test_a_home_that_is_not_there_yet_is_made(tmp_path: Path) -> None:
    """The first skill may be made in the browser."""
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", PROGRAM, "serve", "--no-browser", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ)
    try:
        assert process.stdout is not None
        lines = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
        address, _, token = json.loads("".join(lines))["url"].partition("/#token=")
        assert Server(process, address, token).catalog()["count"] == 0
    finally:
        process.kill()
        process.communicate()
    assert (tmp_path / ".local" / "share" / "kestrel-skills" / "skills").is_dir()
