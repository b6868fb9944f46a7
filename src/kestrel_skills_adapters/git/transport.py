"""HTTPS to places that are public, and to no other: every request of this package goes through here.

A name is looked up once for each transfer; if any of its addresses is not public it is refused, and the connection goes
to an address that was checked, with the certificate checked for the name. Nothing is followed (redirects), nothing is
asked twice (retries), nothing is decoded (content encodings), and nothing of the user has a say: no proxy, no `.netrc`,
no configuration of git. Trusted are the certificates that the system trusts, where OpenSSL finds them.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from typing import Final
from urllib.parse import urlsplit

from attrs import define, field
from urllib3.connection import HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.exceptions import TimeoutError as TooSlow
from urllib3.response import BaseHTTPResponse

from kestrel_skills_core.domain.errors import BadSource, GitFailed
from kestrel_skills_core.domain.git_address import GitUrl, is_public

from .watching import Watch
from .wire import Wire

__all__ = ["Reply", "Resolver", "Server", "Transport", "system_addresses", "system_trust"]

Resolver = Callable[[str, int], Sequence[str]]
"""The addresses of a host, in the order in which they are to be tried. Raises `OSError` where there are none."""

_PIECE: Final = 64 * 1024
_TRIED: Final = 4
"""Addresses of one name that are tried."""
_CONNECT_SECONDS: Final = 10.0
"""For each of them, and for the handshake with it."""
_AGENT: Final = "git/2 (kestrel-feature-skills)"
"""Some hosts answer git alone, and know it by how this begins."""
_LATER: Final = "try again later"
_NETWORK: Final = "see that this machine reaches the network, then try again"
_RIGHT: Final = "see that the address is right"
_NAMED: Final = f"{_RIGHT}, and that this machine reaches the net"
_ELSEWHERE: Final = "give the address that it leads to; many hosts want `.git` at its end"
_STATUSES: Final = {
    401: ("it wants to know who asks", "only what everybody may read can be read"),
    403: ("it does not let everybody read", "only what everybody may read can be read"),
    404: ("there is no such repository, or not everybody may read it", _RIGHT),
    410: ("the repository is gone", _RIGHT),
    429: ("it has been asked too often", _LATER),
}


def system_addresses(host: str, port: int) -> Sequence[str]:
    """What the system says the host's addresses are."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def system_trust() -> ssl.SSLContext:
    """The system's trust store, TLS 1.2 or later, certificate and name checked.

    Not Python's own default, which writes the keys of every connection to a file if the environment names one.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    return context


@define(eq=False)
class Transport:
    """How servers are reached. A test gives addresses and a trust of its own; nothing else can."""

    resolver: Resolver = system_addresses
    is_allowed: Callable[[str], bool] = is_public
    trust: ssl.SSLContext | None = None

    @contextmanager
    def server(self, url: GitUrl, watch: Watch) -> Iterator[Server]:
        """The server of a repository for one transfer: looked up, not yet connected to; left afterwards.

        Raises:
            BadSource: Its name leads to a place that is not public.
            GitFailed: Its name is not known.
        """
        where = urlsplit(url)
        assert where.hostname is not None
        port = where.port or 443
        watch.at("address")
        addresses = self._checked(where.hostname, port)
        watch.at("connect")
        if self.trust is None:
            self.trust = system_trust()
        server = Server(where.path.rstrip("/"), _Dial(where.hostname, port, addresses, self.trust, watch), watch)
        try:
            yield server
        finally:
            server.leave()

    def _checked(self, host: str, port: int) -> Sequence[str]:
        try:
            addresses = self.resolver(host, port)
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN:
                raise GitFailed("address", "there is no network, or no name server answers", _NETWORK) from None
            addresses = ()
        except (OSError, UnicodeError):
            addresses = ()
        if not addresses:
            raise GitFailed("address", "nobody knows the name of its host", _NAMED)
        if not all(self.is_allowed(address) for address in addresses):
            raise BadSource(host, "it leads to a place that is not public", "use a repository on a public host")
        return addresses[:_TRIED]


@define(eq=False)
class _Dial:
    """Makes connections to the checked addresses, and holds the last one made until another is, or it is let go."""

    host: str
    port: int
    _addresses: Sequence[str]
    _trust: ssl.SSLContext
    _watch: Watch
    _held: socket.socket | None = field(default=None, init=False)

    def __call__(self) -> Wire:
        """A connection to the first address that takes one, the server's certificate checked.

        Raises:
            GitFailed: None does, or it cannot be trusted.
            TooLarge: The server has sent more than a transfer may have.
        """
        stage = self._watch.stage
        failures: list[OSError] = []
        for address in self._addresses:
            self._watch.at("connect")
            try:
                made = self._made(address)
            except ssl.SSLCertVerificationError:
                raise GitFailed("connect", "its certificate is not one to trust for that name", _RIGHT) from None
            except (ssl.SSLEOFError, ssl.SSLZeroReturnError) as error:
                failures.append(error)
            except ssl.SSLError:
                raise GitFailed("connect", "it does not speak TLS 1.2 or later", _RIGHT) from None
            except OSError as error:
                failures.append(error)
            else:
                self._watch.at(stage)
                return made
        is_silent = all(isinstance(failure, TimeoutError) for failure in failures)
        raise GitFailed("connect", "it does not answer" if is_silent else "it cannot be reached", _LATER)

    def _made(self, address: str) -> Wire:
        self.let_go()
        plain = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        self._held = plain
        self._watch.hold(plain)
        within = min(_CONNECT_SECONDS, self._watch.limits.git_idle_seconds)
        plain.settimeout(within)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain.connect((address, self.port))
        wire = Wire(plain, self._trust, self.host, self._watch)
        wire.shake_hands(within)
        return wire

    def let_go(self) -> None:
        """Close what is held: nobody else does."""
        if self._held is not None:
            self._watch.let_go(self._held)
            self._held = None


class _Connection(HTTPSConnection):
    """A connection that goes where the dial says, each time that it has to be made; the name is for the server."""

    def __init__(self, dial: _Dial, timeout: float) -> None:
        super().__init__(dial.host, dial.port, timeout=timeout)
        self._dial = dial

    def connect(self) -> None:
        """Connect, instead of looking the name up."""
        self.sock = self._dial()


class Server:
    """One server at its checked addresses. A connection is made when it is needed, and kept as long as the server does.

    Raises, every request:
        GitFailed: It cannot be reached, breaks off, redirects, or answers in another content type, or encoded.
        TooLarge: It has sent more than a transfer may have.
    """

    def __init__(self, path: str, dial: _Dial, watch: Watch) -> None:
        self._path, self._dial, self._watch = path, dial, watch
        self._connection = _Connection(dial, watch.limits.git_idle_seconds)
        self._reply: Reply | None = None

    def get(self, target: str, kind: str) -> Reply:
        """What is at a target below the repository's address, if it is of that content type."""
        return self._ask("GET", target, {"Accept": kind}, None)

    def post(self, target: str, kind: str, body: bytes, body_kind: str) -> Reply:
        """The answer to a body sent there, if it is of that content type."""
        return self._ask("POST", target, {"Accept": kind, "Content-Type": body_kind}, body)

    def leave(self) -> None:
        """Close the connection, whatever it is at."""
        if self._reply is not None:
            self._reply.close()
            self._reply = None
        self._connection.close()
        self._dial.let_go()

    def _ask(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Reply:
        if self._reply is not None and not self._reply.is_over():
            self.leave()  # what is left of an answer would be taken for the next one
        headers |= {"Accept-Encoding": "identity", "Git-Protocol": "version=2", "User-Agent": _AGENT}
        with _unbroken(self._watch):
            self._connection.request(
                method, f"{self._path}/{target}", body, headers, preload_content=False, decode_content=False
            )
            self._reply = Reply(self._connection.getresponse(), self._watch)
        self._reply.judge(headers["Accept"])
        return self._reply


class Reply:
    """What a server sends, as it comes, to what was asked at one stage."""

    def __init__(self, response: BaseHTTPResponse, watch: Watch) -> None:
        self.stage = watch.stage
        self._response, self._watch = response, watch
        self._ahead = memoryview(b"")

    def judge(self, kind: str) -> None:
        """Take nothing but what was asked for.

        Raises:
            GitFailed: It redirects, refuses, is encoded, or is of another content type.
        """
        status, headers = self._response.status, self._response.headers
        stage = self.stage
        if 300 <= status < 400:
            raise GitFailed(stage, f"it redirects ({status}), and redirects are not followed", _ELSEWHERE)
        if status != 200:
            why, fix = _STATUSES.get(status, ("it cannot answer", _LATER))
            raise GitFailed(stage, f"{why} ({status})", fix)
        if headers.get("Content-Encoding", "identity").lower() != "identity":
            raise GitFailed(stage, "its answer is encoded, which was not asked for", _LATER)
        if headers.get("Content-Type", "").partition(";")[0].strip().lower() != kind:
            raise GitFailed(stage, "it does not speak the smart protocol of git over HTTP", _RIGHT)

    def read(self, count: int) -> bytes:
        """So many bytes; fewer only at the end of what is sent."""
        pieces, missing = [], count
        while missing and (self._ahead or self._more()):
            piece, self._ahead = self._ahead[:missing], self._ahead[missing:]
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def is_over(self) -> bool:
        """Whether everything was read."""
        return not self._ahead and not self._more()

    def close(self) -> None:
        """Read no further."""
        self._response.close()

    def _more(self) -> bool:
        """Take what comes next, if anything does."""
        with _unbroken(self._watch):
            piece = self._response.read1(_PIECE)
        self._ahead = memoryview(piece)
        return bool(piece)


@contextmanager
def _unbroken(watch: Watch) -> Iterator[None]:
    """What is read must not break off."""
    try:
        yield
    except (TimeoutError, TooSlow):
        raise watch.stalled() from None
    except (OSError, HTTPException, HTTPError, ValueError):
        raise GitFailed(watch.stage, "it broke off, or does not speak HTTP", _LATER) from None
