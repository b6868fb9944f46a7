"""TLS over one connection, with everything that comes counted before anything is made of it.

What is counted is what is on the wire: the handshake, the records with all that TLS adds, heads, chunks and trailers of
HTTP, and whatever the layers above pass over. Python's own TLS sockets take bytes from the system by themselves, and
http.client reads some answers without telling; so bytes are taken here, and given to TLS.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from .watching import Watch

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["Wire"]

T = TypeVar("T")

_PIECE: Final = 64 * 1024


class Wire:
    """A connection, of a socket what http.client and urllib3 use of one. It does not close what it was given.

    Raises, whatever takes bytes in:
        TooLarge: They are more than a transfer may have.
        Ended: Nobody waits for them any more.
        OSError: As a socket does.
    """

    def __init__(self, plain: socket.socket, trust: ssl.SSLContext, name: str, watch: Watch) -> None:
        """Over a socket that is connected; `name` is what the certificate must be for."""
        self._plain, self._watch = plain, watch
        self._coming, self._going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = trust.wrap_bio(self._coming, self._going, server_hostname=name)

    def shake_hands(self, seconds: float) -> None:
        """Agree on keys, and see whom one talks to.

        Raises:
            TimeoutError: It is not done within so many seconds, however much comes.
        """
        by = time.monotonic() + seconds

        def step() -> None:
            left = by - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._plain.settimeout(left)
            self._tls.do_handshake()

        self._through(step)

    def recv_into(self, buffer: WriteableBuffer) -> int:
        """Fill some of the buffer; nothing at the end, be it said or not: what is cut short shows in what is read."""
        space = memoryview(buffer)
        with suppress(ssl.SSLEOFError, ssl.SSLZeroReturnError):
            return self._through(lambda: self._tls.read(len(space), space))  # type: ignore[return-value] # bytes only without
        return 0

    def sendall(self, sent: ReadableBuffer) -> None:
        """Send all of it."""
        left = memoryview(sent)
        while left:
            count = self._through(lambda: self._tls.write(left))  # noqa: B023 - it is called at once
            left = left[count:]

    def settimeout(self, seconds: float | None) -> None:
        """How long to wait for the next byte, or for one to be taken."""
        self._plain.settimeout(seconds)

    def makefile(self, mode: str) -> io.BufferedReader:
        """To read from it; it is never written to as a file."""
        assert mode == "rb"
        return io.BufferedReader(_Reading(self), _PIECE)

    def close(self) -> None:
        """Nothing: who made the connection closes it, where the watch can shut it meanwhile."""

    def _through(self, step: Callable[[], T]) -> T:
        """Do one step of TLS, with as many bytes from and to the server as it takes."""
        while True:
            try:
                done = step()
            except ssl.SSLWantReadError:
                self._send()
                self._take()
            else:
                self._send()
                return done

    def _send(self) -> None:
        if self._going.pending:
            self._plain.sendall(self._going.read())

    def _take(self) -> None:
        piece = self._plain.recv(_PIECE)
        self._watch.took(len(piece))
        if piece:
            self._coming.write(piece)
        else:
            self._coming.write_eof()


class _Reading(io.RawIOBase):
    """What is read of a wire, as a file."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        return self._wire.recv_into(buffer)
