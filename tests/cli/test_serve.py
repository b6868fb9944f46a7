"""`serve`: a real process that listens, answers, and goes when it is told to."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
def serving(home: Path, *arguments: str, browser: Path | None = None, within: Sequence[str] = ()) -> Iterator[Server]:
    """A process that serves the skills of a home; without a browser, it is told to start none."""
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    environ |= {} if browser is None else {"BROWSER": str(browser)}
    shown = ("--no-browser",) if browser is None else ()
    command = [*within, sys.executable, "-c", PROGRAM, "serve", "--root", str(home / "skills"), *shown, *arguments]
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
            "/js/ui.js": "text/javascript; charset=utf-8",
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
    """So that a person can keep the page in their bookmarks."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    with serving(home, "--port", str(port)) as server:
        assert server.port == port


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "nh3"])
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
