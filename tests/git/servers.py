"""Servers on loopback, behind TLS, for a name that nobody else knows; reached through the transport's constructor."""

from __future__ import annotations

import io
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from typing import Final
from wsgiref.handlers import SimpleHandler

import pytest
import trustme
from attrs import define, field, frozen

from kestrel_skills_adapters.git.transport import Transport
from kestrel_skills_core.domain.git_address import GitUrl, git_url

__all__ = [
    "ADVERTISEMENT",
    "HOST",
    "RESULT",
    "Asked",
    "Authority",
    "Script",
    "Served",
    "authority",
    "backend",
    "dulwich",
    "files",
    "serving",
]

HOST: Final = "git.example"
ADVERTISEMENT: Final = "application/x-git-upload-pack-advertisement"
RESULT: Final = "application/x-git-upload-pack-result"
LOOPBACK: Final = "127.0.0.1"
PATH: Final = os.environ.get("PATH", "/usr/bin")


class Authority:
    """Who vouches for the servers of a test, and for nobody else."""

    def __init__(self) -> None:
        self.ca = trustme.CA()
        self.trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.ca.configure_trust(self.trust)

    def context(self, *names: str) -> ssl.SSLContext:
        """What a server of these names needs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.ca.issue_cert(*(names or (HOST,))).configure_cert(context)
        return context

    def write(self, path: Path) -> Path:
        """The certificate in a file, for programs that read it there."""
        self.ca.cert_pem.write_to_path(path)
        return path


@frozen
class Asked:
    """One request, and how to answer it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    handler: Handler

    def answer(
        self, kind: str, pieces: Iterable[bytes] = (), *, status: int = 200, headers: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Answer, in chunks."""
        self.begin(kind, status=status, headers=[*headers, ("Transfer-Encoding", "chunked")])
        for piece in pieces:
            if piece:
                self.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.send(b"0\r\n\r\n")

    def begin(self, kind: str, *, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> None:
        """Say that an answer follows."""
        self.handler.send_response(status)
        for name, value in [("Content-Type", kind), *headers]:
            self.handler.send_header(name, value)
        self.handler.end_headers()

    def send(self, sent: bytes) -> None:
        """Send bytes as they are."""
        self.handler.wfile.write(sent)

    def wait(self, seconds: float) -> None:
        """Say nothing for a while, or until the test is over."""
        if self.handler.server.is_over.wait(seconds):
            raise ConnectionAbortedError

    def hang_up(self) -> None:
        """Close the connection."""
        self.handler.close_connection = True


Script = Callable[[Asked], None]
"""What a server does with a request."""


class Handler(BaseHTTPRequestHandler):
    """Takes requests off a connection, over TLS, and gives them to the script."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65_536
    server: Server

    def setup(self) -> None:
        if self.server.context is not None:
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self) -> None:
        with suppress(OSError, ValueError):  # who asked is gone
            super().handle()

    def finish(self) -> None:
        with suppress(OSError, ValueError):
            super().finish()
        self.request.close()

    def send_response(self, code: int, message: str | None = None) -> None:
        self.send_response_only(code, message)

    def do_GET(self) -> None:
        """Note the request, and do as the script says."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.served.asked.append((self.command, self.path))
        self.server.script(Asked(self.command, self.path, dict(self.headers), body, self))
        self.wfile.flush()

    do_POST = do_GET  # noqa: N815 - the library calls it so


class Server(ThreadingTCPServer):
    """A thread for each connection."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, script: Script, context: ssl.SSLContext | None, served: Served) -> None:
        self.script, self.context, self.served = script, context, served
        self.is_over = threading.Event()
        super().__init__((LOOPBACK, 0), Handler)

    def verify_request(self, request: object, client_address: object) -> bool:
        """Note the connection."""
        self.served.connections += 1
        return True

    def handle_error(self, request: object, client_address: object) -> None:
        """Those who hang up in the middle are what these tests are about; what else goes wrong is a fault of theirs."""
        error = sys.exception()
        if not isinstance(error, OSError):
            self.served.faults.append(error)


@define(eq=False)
class Served:
    """A server at work: where it is, and what it was asked."""

    authority: Authority
    port: int = 0
    asked: list[tuple[str, str]] = field(factory=list)
    connections: int = 0
    faults: list[BaseException | None] = field(factory=list)

    def url(self, path: str = "some.git") -> GitUrl:
        """The address of a repository there."""
        return git_url(f"https://{HOST}:{self.port}/{path}")

    def transport(self) -> Transport:
        """How to reach it."""
        return Transport(lambda host, port: [LOOPBACK], lambda address: address == LOOPBACK, self.authority.trust)


@cache
def authority() -> Authority:
    """The one of all tests."""
    return Authority()


@contextmanager
def serving(
    script: Script,
    *names: str,
    by: Authority | None = None,
    context: ssl.SSLContext | None = None,
    plain: bool = False,
) -> Iterator[Served]:
    """A server that does as the script says, under a certificate for some names: for its own, unless told otherwise."""
    served = Served(authority())
    if not plain:
        context = context or (by or authority()).context(*names)
    with Server(script, context, served) as server:
        served.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.is_over.set()
            server.shutdown()
            thread.join()
    assert served.faults == []


def backend(root: Path) -> Script:
    """Git's own server: `git http-backend` on the repositories in a folder."""
    program = Path(subprocess.check_output(["git", "--exec-path"], text=True).strip()) / "git-http-backend"
    if not program.exists():
        pytest.skip("git is here without its http-backend")

    def answer(asked: Asked) -> None:
        path, _, query = asked.path.partition("?")
        environment = {
            "PATH": PATH,
            "HOME": "/nonexistent",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROJECT_ROOT": str(root),
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": asked.method,
            "CONTENT_TYPE": asked.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(asked.body)),
            "REMOTE_ADDR": LOOPBACK,
        }
        if "Git-Protocol" in asked.headers:
            environment["GIT_PROTOCOL"] = asked.headers["Git-Protocol"]
        if "Content-Encoding" in asked.headers:
            environment["HTTP_CONTENT_ENCODING"] = asked.headers["Content-Encoding"]
        ran = subprocess.run([program], env=environment, input=asked.body, capture_output=True, check=False)
        head, _, content = ran.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
        status = int(fields.pop("Status", "200").split()[0])
        asked.answer(fields.pop("Content-Type", "text/plain"), [content], status=status, headers=fields.items())

    return answer


def dulwich(repository: Path) -> Script:
    """Dulwich's own server, which does not speak version 2, on one repository."""
    from dulwich.repo import Repo
    from dulwich.server import DictBackend
    from dulwich.web import make_wsgi_chain

    application = make_wsgi_chain(DictBackend({f"/{repository.name}": Repo(str(repository))}))

    def answer(asked: Asked) -> None:
        path, _, query = asked.path.partition("?")
        environment = {
            "REQUEST_METHOD": asked.method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": asked.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(asked.body)),
            "HTTP_GIT_PROTOCOL": asked.headers.get("Git-Protocol", ""),
            "SERVER_NAME": HOST,
            "SERVER_PORT": "443",
            "SERVER_PROTOCOL": "HTTP/1.1",
        }
        written = io.BytesIO()
        SimpleHandler(io.BytesIO(asked.body), written, io.StringIO(), environment).run(application)
        head, _, content = written.getvalue().partition(b"\r\n\r\n")
        first, *lines = head.decode().splitlines()
        fields = dict(line.split(": ", 1) for line in lines)
        fields.pop("Content-Length", None)
        status = int(first.split()[1])
        asked.answer(fields.pop("Content-Type", "text/plain"), [content], status=status, headers=fields.items())

    return answer


def files(root: Path) -> Script:
    """A server of plain files, over which git speaks its dumb protocol."""

    def answer(asked: Asked) -> None:
        path = root / asked.path.partition("?")[0].lstrip("/")
        if path.is_file():
            asked.answer("text/plain", [path.read_bytes()])
        else:
            asked.answer("text/plain", status=404)

    return answer
