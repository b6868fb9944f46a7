"""What this package leans on of dulwich, all of it public: what a new version may not change unseen."""

from __future__ import annotations

import pytest
from dulwich.errors import GitProtocolError, HangupException
from dulwich.protocol import (
    SIDE_BAND_CHANNEL_DATA,
    SIDE_BAND_CHANNEL_FATAL,
    SIDE_BAND_CHANNEL_PROGRESS,
    Protocol,
    pkt_line,
)


def reading(sent: bytes) -> Protocol:
    """What reads packets off these bytes."""
    left = bytearray(sent)

    def read(count: int) -> bytes:
        taken = bytes(left[:count])
        del left[:count]
        return taken

    return Protocol(read, len)


def test_packets_are_read() -> None:
    """Each with its content; nothing for one that ends a part, of either kind."""
    protocol = reading(b"0009hello0004000100000006x\n")
    assert [protocol.read_pkt_line() for _ in range(5)] == [b"hello", b"", None, None, b"x\n"]


@pytest.mark.parametrize(
    "sent", [b"", b"00", b"00ff", b"0009hell", b"0002", b"0003", b"-001", b"+001", b"0x10", b"zzzz", b" 10\n"]
)
def test_what_is_no_packet(sent: bytes) -> None:
    """It ends in one kind of error, and no length is read otherwise than git reads it."""
    with pytest.raises(GitProtocolError):
        reading(sent).read_pkt_line()
    assert issubclass(HangupException, GitProtocolError)


def test_what_is_raised_while_reading_comes_through() -> None:
    """The errors of whoever reads for it are not taken for its own, unless they are the system's."""

    def fail(count: int) -> bytes:
        raise LookupError

    with pytest.raises(LookupError):
        Protocol(fail, len).read_pkt_line()


def test_packets_are_written() -> None:
    """With their length, in hex, the length itself included; nothing is the packet that ends a request."""
    assert pkt_line(b"hello") == b"0009hello"
    assert pkt_line(None) == b"0000"


def test_the_side_bands() -> None:
    """As `gitprotocol-common` numbers them."""
    assert (SIDE_BAND_CHANNEL_DATA, SIDE_BAND_CHANNEL_PROGRESS, SIDE_BAND_CHANNEL_FATAL) == (1, 2, 3)
