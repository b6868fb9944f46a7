"""Archives, honest and hostile: each of these is made here, byte by byte where no program would make it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.archive.reading import archived
from kestrel_skills_core.domain.errors import BadPath, BadSource, SkillError, TooLarge
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.domain.tree import Content

DOCUMENT: Final = b"---\nname: knots\ndescription: Use it.\n---\nTie.\n"
KNOTS: Final = {"SKILL.md": Content(DOCUMENT), "scripts/run.sh": Content(b"#!/bin/sh\n", executable=True)}
SMALL: Final = evolve(LIMITS, parcel_bytes=10_000, parcel_entries=8)
PLAIN_FILE: Final = stat.S_IFREG | 0o644

Make = Callable[[], bytes]


def zipped(entries: Iterable[tuple[str, bytes, int]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of entries, each with its mode."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for path, data, mode in entries:
            entry = zipfile.ZipInfo(path)
            entry.external_attr, entry.create_system = mode << 16, 3
            entry.compress_type = method
            archive.writestr(entry, data)
    return made.getvalue()


def tarred(members: Iterable[tuple[tarfile.TarInfo, bytes]], form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of members."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for member, data in members:
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


def member(
    path: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, **more: object
) -> tuple[tarfile.TarInfo, bytes]:
    """One member of a tar."""
    found = tarfile.TarInfo(path)
    found.type, found.size, found.mode = kind, len(data), 0o644
    for name, value in more.items():
        setattr(found, name, value)
    return found, data


def mode_of(content: Content) -> int:
    """The mode of a file."""
    return stat.S_IFREG | (0o755 if content.executable else 0o644)


def zip_of(files: dict[str, Content]) -> bytes:
    """A zip of files."""
    return zipped([(path, content.data, mode_of(content)) for path, content in files.items()])


def tar_of(files: dict[str, Content]) -> bytes:
    """A tar of files."""
    return tarred([member(path, content.data, mode=mode_of(content)) for path, content in files.items()])


def read(folder: Path, made: bytes, **more: object) -> Parcel:
    """Read an archive as a file."""
    path = folder / "made"
    path.write_bytes(made)
    return archived(path, **more)  # type: ignore[arg-type]  # limits, where there are some


class TestHonest:
    """What programs make."""

    @pytest.mark.parametrize(
        "make",
        [
            zip_of,
            lambda files: zipped(
                [(path, each.data, mode_of(each)) for path, each in files.items()], zipfile.ZIP_STORED
            ),
            tar_of,
            lambda files: tarred([member(p, c.data, mode=mode_of(c)) for p, c in files.items()], tarfile.GNU_FORMAT),
            lambda files: gzip.compress(tar_of(files)),
            lambda files: bz2.compress(tar_of(files)),
            lambda files: lzma.compress(tar_of(files)),
            lambda files: lzma.compress(tar_of(files), preset=9),
        ],
        ids=["zip", "stored zip", "tar", "GNU tar", "tar.gz", "tar.bz2", "tar.xz", "strong tar.xz"],
    )
    @pytest.mark.parametrize("above", ["", "./", "knots/", "./knots-1.2/"])
    def test_every_form(self, tmp_path: Path, make: Callable[[dict[str, Content]], bytes], above: str) -> None:
        """Whatever it is called: bytes and modes as they are, one folder around it all stripped."""
        made = make({above + path: content for path, content in KNOTS.items()})
        assert read(tmp_path, made).files == KNOTS

    def test_folders_are_taken_and_hold_nothing(self, tmp_path: Path) -> None:
        """As programs write them, the folder itself too."""
        folder = stat.S_IFDIR | 0o755
        inside = [
            member("./", kind=tarfile.DIRTYPE),
            member("./a", kind=tarfile.DIRTYPE),
            member("./SKILL.md", DOCUMENT),
        ]
        assert list(read(tmp_path, tarred(inside)).files) == ["SKILL.md"]
        made = zipped([("knots/", b"", folder), ("knots/a/", b"", 0), ("knots/SKILL.md", DOCUMENT, 0)])
        assert list(read(tmp_path, made).files) == ["SKILL.md"]

    def test_litter_of_other_systems_stays_behind(self, tmp_path: Path) -> None:
        """It is told, and does not count as a second folder."""
        made = zip_of({"knots/SKILL.md": KNOTS["SKILL.md"], "__MACOSX/knots/._SKILL.md": Content(b"x")})
        parcel = read(tmp_path, made)
        assert list(parcel.files) == ["SKILL.md"]
        assert parcel.left_out == ("__MACOSX/knots/._SKILL.md",)

    def test_a_folder_among_others_is_not_stripped(self, tmp_path: Path) -> None:
        """Only one that everything is in, and that is the skill."""
        made = zip_of({"knots/SKILL.md": Content(b"x"), "notes.md": Content(b"y")})
        assert list(read(tmp_path, made).files) == ["knots/SKILL.md", "notes.md"]
        assert list(read(tmp_path, zip_of({"a/b/SKILL.md": Content(b"x")})).files) == ["a/b/SKILL.md"]

    def test_long_names(self, tmp_path: Path) -> None:
        """Beyond what a header holds, in either way to write them."""
        path = "/".join(["folder" * 10] * 8) + "/notes.md"
        for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
            assert list(read(tmp_path, tarred([member(path, b"x")], form)).files) == [path]

    def test_an_empty_one(self, tmp_path: Path) -> None:
        """It holds nothing."""
        assert read(tmp_path, zip_of({})).files == {}
        assert read(tmp_path, gzip.compress(tar_of({}))).files == {}

    def test_nothing_is_written(self, tmp_path: Path) -> None:
        """Not beside the archive, and nowhere else that is known."""
        read(tmp_path, zip_of(KNOTS))
        assert [path.name for path in tmp_path.iterdir()] == ["made"]


def with_flag(made: bytes, bit: int) -> bytes:
    """A zip whose entries have a flag, in both of their headers."""
    changed = bytearray(made)
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        where = made.find(magic)
        while where >= 0:
            changed[where + at] |= bit & 0xFF
            changed[where + at + 1] |= bit >> 8
            where = made.find(magic, where + 1)
    return bytes(changed)


def with_size(made: bytes, size: int) -> bytes:
    """A zip whose one entry declares so many bytes, in both of its headers."""
    changed = bytearray(made)
    for magic, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        where = made.index(magic)
        changed[where + at : where + at + 4] = struct.pack("<I", size)
    return bytes(changed)


def with_sum_of(made: bytes, data: bytes) -> bytes:
    """A zip whose one entry has the sum of these bytes, in both of its headers."""
    changed = bytearray(made)
    for magic, at in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        where = made.index(magic)
        changed[where + at : where + at + 4] = struct.pack("<I", zlib.crc32(data))
    return bytes(changed)


def with_method(made: bytes, method: int) -> bytes:
    """A zip whose one entry says that it is pressed in another way."""
    changed = bytearray(made)
    for magic, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        where = made.index(magic)
        changed[where + at : where + at + 2] = struct.pack("<H", method)
    return bytes(changed)


def overlapped(times: int) -> bytes:
    """A zip whose directory names one entry many times: a small file that becomes a large one."""
    made = zipped([("a", b"\0" * 1_000_000, PLAIN_FILE)])
    at = made.index(b"PK\x01\x02")
    end = made.index(b"PK\x05\x06")
    directory = made[at:end] * times
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, times & 0xFFFF, times & 0xFFFF, len(directory), at, 0)
    return made[:at] + directory + tail


def ends_early(made: bytes) -> bytes:
    """A tar without the blocks that end it."""
    return made.rstrip(b"\0") + b"\0" * (-len(made.rstrip(b"\0")) % 512)


def header(made: bytes, at: int, data: bytes) -> bytes:
    """A tar whose first header has other bytes somewhere, and the right sum."""
    changed = bytearray(made)
    changed[at : at + len(data)] = data
    changed[148:156] = b" " * 8
    changed[148:156] = b"%06o\0 " % sum(changed[:512])
    return bytes(changed)


def zeros(pieces: int, press: Callable[[], object]) -> bytes:
    """A tar of one huge file of zeros, pressed piece by piece."""
    pressed = press()
    piece = b"\0" * (1 << 20)
    head = tarfile.TarInfo("SKILL.md")
    head.size = pieces << 20
    out = [pressed.compress(head.tobuf())]  # type: ignore[attr-defined]
    out += [pressed.compress(piece) for _ in range(pieces)]  # type: ignore[attr-defined]
    return b"".join([*out, pressed.flush()])  # type: ignore[attr-defined]


def chain(times: int) -> bytes:
    """A tar that says again and again that a long name follows."""
    head = tarfile.TarInfo("././@LongLink")
    head.type, head.size = tarfile.GNUTYPE_LONGNAME, 2
    return (head.tobuf() + b"a\0".ljust(512, b"\0")) * times


def device(kind: bytes) -> Make:
    """A tar with a device or the like."""
    return lambda: tarred([member("SKILL.md", DOCUMENT), member("odd", kind=kind)])


def odd_zip(mode: int, path: str = "odd", data: bytes = b"") -> Make:
    """A zip with an entry of some mode."""
    return lambda: zipped([("SKILL.md", DOCUMENT, PLAIN_FILE), (path, data, mode)])


def at_path(path: str) -> dict[str, Make]:
    """A file with a path, in either kind."""
    return {
        f"zip {path!r}": lambda: zip_of({"SKILL.md": Content(b"x"), path: Content(b"y")}),
        f"tar {path!r}": lambda: tar_of({"SKILL.md": Content(b"x"), path: Content(b"y")}),
    }


PATHS: Final = (
    "/etc/passwd",
    "//a",
    "../a",
    "a/../../b",
    "a/./b",
    "a//b",
    "..\\a",
    "C:\\a",
    "C:/a",
    "a:stream",
    "con.md",
    "a.",
    "a ",
    ".git/config",
    ".GIT/config",
    "git~1/config",
    "a\x1b[31m",
    "\u202ea",
    ".kestrel-generation",
    ".kestrel-provenance.json",
    "x" * 256,
    "/".join("a" * 40),
)
HOSTILE: Final[dict[str, tuple[type[SkillError], str, Make]]] = {
    **{name: (BadPath, "is not a resource path", make) for path in PATHS for name, make in at_path(path).items()},
    "tar a name with a NUL": (BadPath, "control", lambda: tarred([member("a", pax_headers={"path": "a\0b"})])),
    "tar a name that is not UTF-8": (BadPath, "UTF-8", lambda: tarred([member("\udcff")], tarfile.GNU_FORMAT)),
    "zip twice": (BadSource, "there twice", lambda: zipped([("a", b"1", PLAIN_FILE), ("./a", b"2", PLAIN_FILE)])),
    "tar twice": (BadSource, "there twice", lambda: tarred([member("a", b"1"), member("a", b"2")])),
    "zip other capitals": (BadSource, "file systems", lambda: zip_of({"a": Content(b"1"), "A": Content(b"2")})),
    "tar file and folder": (
        BadSource,
        "a file and a folder",
        lambda: tarred([member("a", b"1"), member("a", kind=tarfile.DIRTYPE)]),
    ),
    "tar file above a file": (
        BadSource,
        "a file and a folder",
        lambda: tar_of({"a": Content(b""), "a/b": Content(b"")}),
    ),
    "tar a symbolic link": (
        BadSource,
        "it is a link",
        lambda: tarred([member("a", kind=tarfile.SYMTYPE, linkname="/etc/passwd")]),
    ),
    "tar a hard link": (
        BadSource,
        "it is a link",
        lambda: tarred([member("SKILL.md", DOCUMENT), member("a", kind=tarfile.LNKTYPE, linkname="SKILL.md")]),
    ),
    "tar a character device": (BadSource, "neither a file", device(tarfile.CHRTYPE)),
    "tar a block device": (BadSource, "neither a file", device(tarfile.BLKTYPE)),
    "tar a FIFO": (BadSource, "neither a file", device(tarfile.FIFOTYPE)),
    "tar an unknown kind": (BadSource, "neither a file", device(b"Z")),
    "tar a sparse file": (
        BadSource,
        "damaged|sparse",
        lambda: tarred([member("a", b"x", pax_headers={"GNU.sparse.major": "0", "GNU.sparse.size": "99999999"})]),
    ),
    "zip a symbolic link": (BadSource, "it is a link", odd_zip(stat.S_IFLNK | 0o777, data=b"/etc/passwd")),
    "zip a device": (BadSource, "neither a file", odd_zip(stat.S_IFCHR | 0o644)),
    "zip a FIFO": (BadSource, "neither a file", odd_zip(stat.S_IFIFO | 0o644)),
    "zip a folder that is a file": (BadSource, "neither a file", odd_zip(stat.S_IFDIR | 0o755, "odd")),
    "zip a folder with bytes": (BadSource, "holds bytes", odd_zip(stat.S_IFDIR | 0o755, "odd/", b"x")),
    "zip encrypted": (BadSource, "encrypted", lambda: with_flag(zip_of(KNOTS), 1)),
    "zip strongly encrypted": (BadSource, "encrypted", lambda: with_flag(zip_of(KNOTS), 1 << 6)),
    "zip a masked directory": (BadSource, "encrypted", lambda: with_flag(zip_of(KNOTS), 1 << 13)),
    "zip pressed with bzip2": (
        BadSource,
        "not read here",
        lambda: zipped([("a", b"x" * 99, PLAIN_FILE)], zipfile.ZIP_BZIP2),
    ),
    "zip pressed with LZMA": (BadSource, "not read here", lambda: zipped([("a", b"x", PLAIN_FILE)], zipfile.ZIP_LZMA)),
    "zip pressed in an unknown way": (
        BadSource,
        "not read here",
        lambda: with_method(zipped([("a", b"x" * 99, PLAIN_FILE)]), 77),
    ),
    "zip a bomb that says so": (TooLarge, "bytes of all", lambda: zipped([("a", b"\0" * (33 << 20), PLAIN_FILE)])),
    "zip a bomb that does not": (
        BadSource,
        "damaged",
        lambda: with_size(zipped([("a", b"\0" * (33 << 20), PLAIN_FILE)]), 10),
    ),
    "zip a bomb that adds up to what it says": (
        BadSource,
        "damaged",
        lambda: with_sum_of(with_size(zipped([("a", b"\0" * (33 << 20), PLAIN_FILE)]), 10), b"\0" * 10),
    ),
    "zip fewer bytes than it says": (BadSource, "damaged", lambda: with_size(zipped([("a", b"x", PLAIN_FILE)]), 999)),
    "zip one entry many times": (TooLarge, "bytes of all", lambda: overlapped(4000)),
    "zip too many entries": (
        TooLarge,
        "entries of one archive",
        lambda: zipped([(f"{n}", b"", PLAIN_FILE) for n in range(4097)], zipfile.ZIP_STORED),
    ),
    "zip a huge directory": (TooLarge, "entries of one archive", lambda: overlapped(300_000)),
    "zip cut short": (BadSource, "damaged", lambda: zip_of(KNOTS)[:-30]),
    "zip a wrong sum": (BadSource, "damaged", lambda: with_sum_of(zipped([("a", b"x" * 99, PLAIN_FILE)]), b"y")),
    "tar too many entries": (
        TooLarge,
        "entries of one archive",
        lambda: gzip.compress(tarred(member(f"{n}") for n in range(4097))),
    ),
    "tar.gz a bomb": (TooLarge, "bytes of all", lambda: zeros(40, lambda: zlib.compressobj(9, wbits=31))),
    "tar.bz2 a bomb": (TooLarge, "bytes of all", lambda: zeros(40, bz2.BZ2Compressor)),
    "tar.xz a bomb": (TooLarge, "bytes of all", lambda: zeros(40, lzma.LZMACompressor)),
    "tar a bomb of a header": (
        BadSource,
        "damaged",
        lambda: gzip.compress(tarred([member("a", b"\0" * (33 << 20), tarfile.XHDTYPE)], tarfile.GNU_FORMAT)),
    ),
    "tar a bomb of many headers": (
        BadSource,
        "damaged",
        lambda: gzip.compress(tarred([member("g", b"9 a=bcde\n" * 6_000, tarfile.XGLTYPE)] * 800, tarfile.GNU_FORMAT)),
    ),
    "tar a size below nothing": (BadSource, "damaged", lambda: header(tar_of(KNOTS), 124, b"\xff" * 12)),
    "tar a size beyond all": (TooLarge, "bytes of all", lambda: header(tar_of(KNOTS), 124, b"77777777777\0")),
    "tar a chain of long names": (BadSource, "damaged", lambda: chain(5000)),
    "tar a wrong sum": (BadSource, "damaged", lambda: tar_of(KNOTS)[:148] + b"0000000\0" + tar_of(KNOTS)[156:]),
    "tar a wrong second header": (
        BadSource,
        "damaged",
        lambda: tar_of({"a": Content(b"")})[:512] + b"x" * 512 + b"\0" * 1024,
    ),
    "tar without an end": (BadSource, "damaged", lambda: ends_early(tar_of(KNOTS))),
    "tar cut short": (BadSource, "damaged", lambda: tar_of({"a": Content(b"x" * 2000)})[:1024]),
    "tar.gz cut short": (BadSource, "damaged", lambda: gzip.compress(tar_of(KNOTS))[:-20]),
    "tar.bz2 cut short": (BadSource, "damaged", lambda: bz2.compress(tar_of(KNOTS))[:-20]),
    "tar.xz cut short": (BadSource, "damaged", lambda: lzma.compress(tar_of(KNOTS))[:-20]),
    "tar.xz that asks for much memory": (
        BadSource,
        "damaged",
        lambda: lzma.compress(tar_of(KNOTS), filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 512 << 20}]),
    ),
    "gzip of no tar": (BadSource, "damaged", lambda: gzip.compress(b"hello")),
    "no archive": (BadSource, "neither a zip nor a tar archive", lambda: b"hello"),
    "nothing": (BadSource, "neither a zip nor a tar archive", lambda: b""),
    "a huge file": (TooLarge, "bytes of one archive", lambda: b"PK\3\4" + b"\0" * (32 << 20)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_refused_by_its_named_error(tmp_path: Path, name: str) -> None:
    """Within the time and memory that the bars allow, and nothing of the machine is told."""
    error, why, make = HOSTILE[name]
    path = tmp_path / "knots.archive"
    path.write_bytes(make())
    tracemalloc.start()
    began = time.process_time()
    with pytest.raises(error, match=why) as refused:
        archived(path)
    took, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20
    assert took < 10  # a hang would be seen; how fast it is, is measured elsewhere
    assert str(tmp_path) not in f"{refused.value} {refused.value.fix}"
    assert refused.value.fix


@pytest.mark.parametrize("make", [zip_of, lambda files: gzip.compress(tar_of(files))], ids=["zip", "tar.gz"])
def test_the_caps_are_exact(tmp_path: Path, make: Callable[[dict[str, Content]], bytes]) -> None:
    """As many bytes and entries as are allowed are taken, and one more is not."""
    assert read(tmp_path, make({"a": Content(b"x" * 4_000), "b": Content(b"y" * 4_000)}), limits=SMALL).files
    eight = {f"{number}": Content(b"") for number in range(8)}
    assert len(read(tmp_path, make(eight), limits=evolve(SMALL, parcel_bytes=100_000)).files) == 8
    with pytest.raises(TooLarge):
        read(tmp_path, make({**eight, "8": Content(b"")}), limits=evolve(SMALL, parcel_bytes=100_000))
    random_bytes = random.Random(1).randbytes(6_000)
    with pytest.raises(TooLarge):
        read(tmp_path, make({"a": Content(b"x" * 5_001), "b": Content(random_bytes[:5_000])}), limits=SMALL)


def test_what_is_no_file(tmp_path: Path) -> None:
    """A FIFO is not waited for; what is not there, or may not be read, is told as that."""
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(BadSource, match="neither a folder nor a file"):
        archived(tmp_path / "fifo")
    with pytest.raises(BadSource, match="cannot be opened"):
        archived(tmp_path / "nothing")


@given(st.sampled_from(["zip", "tar", "tar.gz"]), st.data())
@settings(max_examples=2000)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject) -> None:
    """An archive that was changed anywhere is read, or refused by an error that has a name."""
    made = {"zip": zip_of(KNOTS), "tar": tar_of(KNOTS), "tar.gz": tar_of(KNOTS)}[kind]
    changed = bytearray(made)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed) - 1))
        if data.draw(st.booleans()):
            changed[at] = data.draw(st.integers(0, 255))
        else:
            del changed[at : at + data.draw(st.integers(1, 40))]
        if not changed:
            changed = bytearray(b"\0")
    path = tmp_path_factory.getbasetemp() / "changed"
    path.write_bytes(gzip.compress(bytes(changed), 1) if kind == "tar.gz" else changed)
    try:
        parcel = archived(path)
    except SkillError:
        return
    assert all(isinstance(content.data, bytes) for content in parcel.files.values())
