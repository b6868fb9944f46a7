"""Heads of a tar archive: what POSIX and GNU tar write is read, byte for byte, and nothing else."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.archive.heads import Head, head_of, is_tar, name_in, records_of
from kestrel_skills_adapters.archive.member import Damaged
from tests.examples import examples

from .attacks import header, record

BLOCK = bytes(header(tarfile.TarInfo("knots/a.md").tobuf(tarfile.USTAR_FORMAT), 0, b"knots"))


class TestHead:
    """One block."""

    def test_of_posix(self) -> None:
        """A long name stands in two parts, which a slash joins."""
        found = tarfile.TarInfo("/".join(["a" * 60, "b" * 60]))
        found.size, found.mode = 7, 0o755
        assert head_of(found.tobuf(tarfile.USTAR_FORMAT)) == Head(b"a" * 60 + b"/" + b"b" * 60, b"0", 7, True)

    def test_of_gnu(self) -> None:
        """It has one part only."""
        found = tarfile.TarInfo("a")
        found.type, found.mode = tarfile.DIRTYPE, 0o644
        assert head_of(found.tobuf(tarfile.GNU_FORMAT)) == Head(b"a/", b"5", 0, False)

    @pytest.mark.parametrize(
        ("spelt", "size"),
        [(b"00000000012\0", 10), (b"         12 ", 10), (b"12\0".ljust(12, b"\0"), 10), (b"\0" * 12, 0)],
    )
    def test_numbers(self, spelt: bytes, size: int) -> None:
        """As the programs of fifty years pad them."""
        assert head_of(header(BLOCK, 124, spelt)).size == size

    @pytest.mark.parametrize(
        "spelt", [b"8".ljust(12), b"-1".ljust(12), b"1\x002".ljust(12), b"0x1".ljust(12), b"\x80" * 12]
    )
    def test_what_is_no_number(self, spelt: bytes) -> None:
        """Neither signs nor other bases, nor one number behind another."""
        with pytest.raises(Damaged):
            head_of(header(BLOCK, 124, spelt))

    @given(st.integers(0, 511), st.integers(1, 255))
    @settings(max_examples=examples(2000))
    def test_any_byte_that_changed_is_found(self, at: int, by: int) -> None:
        """Since it does not add up any more; but for one that spells the sum in another way."""
        changed = bytearray(BLOCK)
        changed[at] = (changed[at] + by) % 256
        if 148 <= at < 156:
            try:
                assert head_of(bytes(changed)) == head_of(BLOCK)
            except Damaged:
                return
        else:
            with pytest.raises(Damaged):
                head_of(bytes(changed))

    @given(st.binary(min_size=512, max_size=512))
    @settings(max_examples=examples(2000))
    @example(BLOCK)
    def test_any_bytes(self, block: bytes) -> None:
        """A block is a header that the standard library reads alike, or refused."""
        made = header(block, 257, b"ustar\x0000")
        try:
            found = head_of(made)
        except Damaged:
            return
        other = tarfile.TarInfo.frombuf(made, "utf-8", "surrogateescape")
        assert (found.size, found.kind) == (other.size, made[156:157])

    def test_how_one_is_told(self) -> None:
        """By five letters at their place."""
        assert is_tar(BLOCK)
        assert not is_tar(BLOCK[:261])
        assert not is_tar(b"")


class TestRecords:
    """Of an extended header."""

    def test_what_is_said(self) -> None:
        """Values may hold anything, line feeds and the sign too; lengths count their own digits."""
        assert records_of(b"8 a=b=c\n11 path=\n\n\n") == {b"a": b"b=c", b"path": b"\n\n"}
        assert records_of(b"") == {}
        assert records_of(b"5 a=\n") == {b"a": b""}

    @given(
        st.dictionaries(st.binary(min_size=1, max_size=20).filter(lambda key: b"=" not in key), st.binary(max_size=200))
    )
    @settings(max_examples=examples(2000))
    def test_whatever_is_written_is_read(self, said: Mapping[bytes, bytes]) -> None:
        """Record by record."""
        assert records_of(b"".join(record(key, value) for key, value in said.items())) == said

    @given(st.binary(max_size=60) | st.text("0123456789 =a\n", max_size=60).map(str.encode))
    @settings(max_examples=examples(2000))
    def test_any_bytes(self, body: bytes) -> None:
        """What is read is all that was there: written again, it is the same."""
        try:
            found = records_of(body)
        except Damaged:
            return
        assert b"".join(record(key, value) for key, value in found.items()) == body


def test_a_long_name() -> None:
    """It ends where it says."""
    assert name_in(b"a/b\0") == b"a/b"
    for wrong in (b"a/b", b"a\0b\0", b"", b"a\0\0"):
        with pytest.raises(Damaged):
            name_in(wrong)
