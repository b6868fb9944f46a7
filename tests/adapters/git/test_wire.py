"""TLS over a connection of which every byte is counted."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from kestrel_skills_adapters.git.watching import Watch
from kestrel_skills_adapters.git.wire import Wire
from tests.git.servers import HOST, authority

pytestmark = pytest.mark.timeout(30)


@contextmanager
def talking(says: bytes = b"", *, goodbye: bool = True) -> Iterator[tuple[Wire, Watch, socket.socket]]:
    """A wire to who says something, and then closes, with or without saying so."""
    ours, theirs = socket.socketpair()
    context = authority().context(HOST)

    def talk() -> None:
        with context.wrap_socket(theirs, server_side=True) as other:
            while other.recv(65_536) != b".":
                pass
            other.sendall(says)
            if goodbye:
                with suppress(OSError):  # it is not waited for
                    other.unwrap()

    thread = threading.Thread(target=talk)
    thread.start()
    watch = Watch()
    wire = Wire(ours, authority().trust, HOST, watch)
    with ours:
        ours.settimeout(10)
        wire.shake_hands(10)
        yield wire, watch, ours
    thread.join()


@pytest.mark.parametrize("goodbye", [True, False])
def test_what_is_said_comes_through(goodbye: bool) -> None:
    """Whole, in order, up to the end, be that said or not; and it counts for more than it is."""
    said = bytes(range(256)) * 1000
    with talking(said, goodbye=goodbye) as (wire, watch, _):
        before = watch.spent.received
        assert before > 500  # a certificate
        wire.sendall(b"x" * 100_000)
        wire.sendall(b".")
        with wire.makefile("rb") as file:
            assert file.read() == said
        assert watch.spent.received - before > len(said)


def test_who_made_the_connection_closes_it() -> None:
    """A wire that is closed, or a file of it, leaves it as it is."""
    with talking() as (wire, _, ours):
        wire.makefile("rb").close()
        wire.close()
        wire.sendall(b".")
        assert ours.fileno() != -1


def test_a_handshake_takes_no_longer_than_it_may() -> None:
    """However much comes meanwhile."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"\x16\x03\x03\x40\x00" + b"\x02" * 1000)
        wire = Wire(ours, authority().trust, HOST, Watch())
        with pytest.raises(TimeoutError):
            wire.shake_hands(0)
        with pytest.raises(TimeoutError):
            wire.shake_hands(0.1)
