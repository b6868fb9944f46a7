"""What this package counts on in dulwich where bytes are hostile: a release that changes any of it fails here first."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from dulwich.errors import ApplyDeltaError, GitProtocolError, HangupException
from dulwich.pack import apply_delta
from dulwich.protocol import Protocol
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples

from .packs import applied, copy, delta, insert

ROOT = Path(__file__).parents[3]
BASE = b"abcdef"


def protocol(sent: bytes) -> Protocol:
    """A talk with a server that sends these bytes, and is then gone."""
    return Protocol(BytesIO(sent).read, lambda _: None)


class TestDeltas:
    def test_a_delta_gives_pieces(self) -> None:
        """Bytes that belong together, in a list."""
        assert b"".join(apply_delta(BASE, delta(6, 6, copy(3, 3), insert(b"xyz")))) == b"defxyz"

    def test_a_copy_of_no_size_is_one_of_64_kib(self) -> None:
        """As git has it."""
        base = os.urandom(0x10000)
        assert b"".join(apply_delta(base, delta(len(base), len(base), b"\x80"))) == base

    @pytest.mark.parametrize(
        "change",
        [
            b"",
            b"\x86",
            delta(6, 3),
            delta(6, 4, copy(0, 3)),
            delta(6, 2, copy(0, 3)),
            delta(5, 3, copy(0, 3)),
            delta(6, 3, copy(4, 3)),
            delta(6, 3, copy(0xFFFFFFFF, 0xFFFFFF)),
            delta(6, 3, b"\0"),
            delta(6, 3, b"\x03ab"),
            delta(6, 3, b"\xff"),
            b"\xff" * 40,
        ],
    )
    def test_a_wrong_delta_is_an_exception(self, change: bytes) -> None:
        """And neither a panic, which is none, nor a result."""
        with pytest.raises(ApplyDeltaError):
            apply_delta(BASE, change)

    @settings(max_examples=examples(500))
    @given(st.binary(max_size=40), st.binary(max_size=40), st.integers(0, 20))
    def test_any_delta_is_followed_or_refused(self, base: bytes, steps: bytes, makes: int) -> None:
        """Of what is followed, the size is the one that was said; a last step that leads too far is forgiven."""
        change = delta(len(base), makes, steps)
        try:
            made = b"".join(apply_delta(base, change))
        except ApplyDeltaError:
            assert applied(base, change) is None
            return
        assert len(made) == makes
        assert made in {applied(base, change[:end]) for end in range(len(change) + 1)}

    def test_a_lie_costs_no_memory(self) -> None:
        """A delta that says 10 bytes and copies 2 GiB is refused before it has made them."""
        program = (
            "import resource\n"
            "from dulwich.errors import ApplyDeltaError\n"
            "from dulwich.pack import apply_delta\n"
            "from tests.hostile.git.packs import copy, delta\n"
            "base = bytes(1 << 23)\n"
            "change = delta(len(base), 10, *[copy(0, len(base) - 1)] * 256)\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "try: apply_delta(base, change)\n"
            "except ApplyDeltaError: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stderr == ""
        assert int(ran.stdout) * (1 if sys.platform == "darwin" else 1024) < 16 << 20


class TestLines:
    @pytest.mark.parametrize("sent", [b"0", b"00", b"000", b"0005", b"0009abc"])
    def test_a_line_that_is_cut_short(self, sent: bytes) -> None:
        """Within one, it broke the protocol."""
        with pytest.raises(GitProtocolError):
            protocol(sent).read_pkt_line()

    @pytest.mark.parametrize(
        "length", [b"0002", b"0003", b"-001", b"+005", b"0x05", b" 005", b"00_5", b"zzzz", b"\0\0\0\0"]
    )
    def test_a_length_that_is_none(self, length: bytes) -> None:
        """What git does not allow is refused; above all a negative one, which would read everything."""
        with pytest.raises(GitProtocolError):
            protocol(length + b"x" * 100).read_pkt_line()

    def test_no_more_is_read_than_was_said(self) -> None:
        """Never everything at once, however much there is."""
        asked: list[int] = []

        def read(size: int) -> bytes:
            asked.append(size)
            return (b"ffff" + b"x" * 65_531)[sum(asked) - size : sum(asked)]

        assert Protocol(read, lambda _: None).read_pkt_line() == b"x" * 65_531
        assert asked == [4, 65_531]

    def test_what_the_transport_raises_is_not_told_as_its_text(self) -> None:
        """An `OSError` comes as an error of the protocol, its text included; all else comes through."""

        def failing(raised: Exception) -> Callable[[int], bytes]:
            def read(_: int) -> bytes:
                raise raised

            return read

        with pytest.raises(GitProtocolError):
            Protocol(failing(OSError("text of the host")), lambda _: None).read_pkt_line()
        with pytest.raises(HangupException):
            Protocol(failing(ConnectionResetError()), lambda _: None).read_pkt_line()
        with pytest.raises(LookupError):
            Protocol(failing(LookupError()), lambda _: None).read_pkt_line()

    @settings(max_examples=examples(500))
    @given(st.binary(max_size=60))
    def test_any_bytes_are_lines_or_an_error_of_the_protocol(self, sent: bytes) -> None:
        """Nothing else comes out, whatever a server sends."""
        talk = protocol(sent)
        try:
            for _ in range(len(sent) + 1):
                talk.read_pkt_line()
        except (GitProtocolError, HangupException):
            return
        pytest.fail("it never ended")
