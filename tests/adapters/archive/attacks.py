"""Archives, honest and hostile: each is made here, byte by byte where no program would make it."""

from __future__ import annotations

import binascii
import bz2
import gzip
import io
import lzma
import random
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from typing import Final

from kestrel_skills_core.domain.errors import BadPath, BadSource, SkillError, TooLarge
from kestrel_skills_core.domain.tree import Content

__all__ = [
    "ATTACKS",
    "COSTLY",
    "DOCUMENT",
    "KNOTS",
    "PLAIN_FILE",
    "extra_zip",
    "header",
    "member",
    "mode_of",
    "other_name",
    "record",
    "said",
    "tar_of",
    "tarred",
    "zip_of",
    "zipped",
]

DOCUMENT: Final = b"---\nname: knots\ndescription: Use it.\n---\nTie.\n"
KNOTS: Final = {"SKILL.md": Content(DOCUMENT), "scripts/run.sh": Content(b"#!/bin/sh\n", executable=True)}
PLAIN_FILE: Final = stat.S_IFREG | 0o644
MIB: Final = 1 << 20

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


def record(key: bytes, value: bytes) -> bytes:
    """One record of an extended header, with its own length before it."""
    length = len(key) + len(value) + 3
    while len(made := b"%d %s=%s\n" % (length, key, value)) != length:
        length = len(made)
    return made


def head(kind: bytes, body: bytes) -> bytes:
    """A header that says more of the next entry."""
    found = tarfile.TarInfo("more")
    found.type, found.size = kind, len(body)
    return found.tobuf(tarfile.USTAR_FORMAT) + body.ljust(-(-len(body) // 512) * 512, b"\0")


def said(*heads: tuple[bytes, bytes], files: dict[str, Content] | None = None) -> bytes:
    """A tar whose first entry has more said of it."""
    return b"".join(head(*each) for each in heads) + tar_of({"a": Content(b"x")} if files is None else files)


def map_of(count: int) -> bytes:
    """A sparse file with a map of so many parts, before its bytes: GNU tar's own format 1.0."""
    body = (b"%d\n" % count + b"0\n" * (2 * count)).ljust(512, b"\0")
    sparse = {"major": "1", "minor": "0", "name": "a", "realsize": "10"}
    return tarred([member("a", body, pax_headers={f"GNU.sparse.{key}": value for key, value in sparse.items()})])


def old_map_of(blocks: int) -> bytes:
    """A sparse file with a map of so many blocks behind its header: the oldest format of GNU tar."""
    first = bytearray(member("a")[0].tobuf(tarfile.GNU_FORMAT))
    part = b"%011o\0%011o\0" % (1, 1)
    first[156:157], first[386:482], first[482:495] = b"S", part * 4, b"\1" + b"%011o\0" % 10
    return header(bytes(first), 0, b"a") + (part * 21 + b"\1").ljust(512, b"\0") * blocks


def with_local(made: bytes, other: bytes) -> bytes:
    """A zip with the entries of another before its own, which its directory does not name."""
    more = other[: other.index(b"PK\x01\x02")]
    changed = bytearray(more + made)
    for magic, at in ((b"PK\x01\x02", 42), (b"PK\x05\x06", 16)):
        where = changed.rindex(magic) + at
        (before,) = struct.unpack_from("<I", changed, where)
        struct.pack_into("<I", changed, where, before + len(more))
    return bytes(changed)


def extra_zip(key: int, value: bytes, *, local: bool = False, name: str = "a") -> bytes:
    """A zip with one entry, that has an extra field; or has it in its local header alone."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.extra = struct.pack("<2H", key, len(value)) + value
        archive.writestr(entry, b"x")
        if local:
            entry.extra = b""
    return made.getvalue()


def other_name(path: bytes, name: bytes) -> bytes:
    """The extra field of Info-ZIP that gives an entry another name."""
    return struct.pack("<BI", 1, zlib.crc32(name)) + path


def commented() -> bytes:
    """A zip whose directory is nearly all of it: comments that nobody reads."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(480):
            entry = zipfile.ZipInfo(f"{number}")
            entry.comment = b"x" * 65_535
            archive.writestr(entry, b"x")
    return made.getvalue()


def crowded(size: int) -> bytes:
    """A tar of 4,096 entries, each with as many small records as may be said of one."""
    once = head(b"x", b"".join(record(b"%d" % number, b"") for number in range(size)))
    return (once + member("a")[0].tobuf()) * 4096


def fields(count: int) -> bytes:
    """A zip of 4,096 entries, each with so many extra fields that hold nothing."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(4096):
            entry = zipfile.ZipInfo(f"{number}")
            entry.extra = b"\xff\x7f\0\0" * count
            archive.writestr(entry, b"")
    return made.getvalue()


class Bits:
    """Bytes from bits, the lowest first."""

    def __init__(self) -> None:
        self.made = bytearray()
        self._kept = self._count = 0

    def put(self, value: int, width: int) -> None:
        """Some more bits."""
        self._kept |= value << self._count
        self._count += width
        while self._count >= 8:
            self.made.append(self._kept & 0xFF)
            self._kept >>= 8
            self._count -= 8


def empty_blocks(size: int) -> bytes:
    """A gzip stream of so many bytes whose blocks bring their own tables, and hold nothing: RFC 1951, 3.2.7."""
    bits = Bits()
    for _ in range(8):  # so many end at the border of a byte
        for value, width in ((0, 1), (2, 2), (0, 5), (0, 5), (14, 4)):
            bits.put(value, width)
        for symbol in (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1):
            bits.put(int(symbol in (18, 1)), 3)
        for value, width in ((1, 1), (138 - 11, 7), (1, 1), (118 - 11, 7), (0, 3)):
            bits.put(value, width)
    begin = gzip.compress(b"")[:10]
    return begin + bytes(bits.made) * (size // len(bits.made) - 1)


def empty_xz_blocks(size: int) -> bytes:
    """An xz stream of so many bytes whose blocks hold nothing, and ask for dictionaries of two sizes in turn."""
    flags = b"\0\0"
    begin = b"\xfd7zXZ\0" + flags + struct.pack("<I", binascii.crc32(flags))
    blocks = b""
    for dictionary in (0, 24):
        about = bytes([2, 0, 0x21, 1, dictionary]) + b"\0" * 3
        blocks += about + struct.pack("<I", binascii.crc32(about)) + b"\0" * 4
    return begin + blocks * (size // len(blocks) - 1)


def repeated(one: bytes, size: int = 32 * MIB) -> bytes:
    """The same again and again, up to so many bytes."""
    return one * (size // len(one))


def noise(size: int) -> bytes:
    """Bytes that nothing presses."""
    return random.Random(1).randbytes(size)


def wide_xz(made: bytes) -> bytes:
    """Pressed with as large a dictionary as is taken, and little effort."""
    return lzma.compress(made, filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 16 * MIB}])


def large_tar() -> bytes:
    """A tar of one file that is as large as a parcel may be, of bytes that nothing presses."""
    return tar_of({"SKILL.md": Content(DOCUMENT), "a": Content(noise(32 * MIB - 70_000))})


def old_header() -> bytes:
    """A header from before there was a standard."""
    return header(tar_of({"b": Content(b"")}), 257, b"\0" * 8)


def gnu(files: dict[str, Content]) -> bytes:
    """A tar in the format of GNU tar."""
    return tarred([member(path, content.data) for path, content in files.items()], tarfile.GNU_FORMAT)


def at_end(made: bytes, at: int, data: bytes) -> bytes:
    """A zip with other bytes somewhere in its end."""
    where = made.rindex(b"PK\x05\x06") + at
    return made[:where] + data + made[where + len(data) :]


def with_comment(made: bytes, comment: bytes) -> bytes:
    """A zip with a comment."""
    return at_end(made, 20, struct.pack("<H", len(comment))) + comment


def with_gap(made: bytes) -> bytes:
    """A zip with something between its entries and its directory."""
    where = made.index(b"PK\x01\x02")
    changed = made[:where] + b"gap" + made[where:]
    return at_end(changed, 16, struct.pack("<I", where + 3))


def of_dos(made: bytes) -> bytes:
    """A zip whose one entry says that it is a folder, as DOS has it."""
    where = made.index(b"PK\x01\x02") + 38
    return made[:where] + b"\x10" + made[where + 1 :]


def elsewhere(made: bytes) -> bytes:
    """A zip whose one entry is said to lie in another file."""
    where = made.index(b"PK\x01\x02") + 34
    return made[:where] + b"\x01" + made[where + 1 :]


def later(made: bytes) -> bytes:
    """A zip whose one entry needs a reader of a version that there is not."""
    where = made.index(b"PK\x01\x02") + 6
    return made[:where] + b"\x40" + made[where + 1 :]


def spoilt(made: bytes, magic: bytes) -> bytes:
    """A zip in which the last record of a kind does not begin as it should."""
    where = made.rindex(magic)
    return made[:where] + b"XX" + made[where + 2 :]


def with_more_packed(made: bytes) -> bytes:
    """A zip whose one entry has bytes behind its stream that belong to it."""
    where = made.index(b"PK\x01\x02")
    changed = bytearray(made[:where] + b"more" + made[where:])
    for magic, at in ((b"PK\x03\x04", 18), (b"PK\x01\x02", 20)):
        place = changed.index(magic) + at
        struct.pack_into("<I", changed, place, struct.unpack_from("<I", changed, place)[0] + 4)
    return at_end(bytes(changed), 16, struct.pack("<I", where + 4))


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
    ".gi\u200ct/config",
    ".GIT/config",
    "git~1/config",
    "a\x1b[31m",
    "\u202ea",
    ".kestrel-generation",
    ".kestrel-provenance.json",
    "x" * 256,
    "/".join("a" * 40),
)
ATTACKS: Final[dict[str, tuple[type[SkillError], str, Make]]] = {
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
        "a sparse file",
        lambda: tarred([member("a", b"x", pax_headers={"GNU.sparse.major": "0", "GNU.sparse.size": "99999999"})]),
    ),
    "zip a symbolic link": (BadSource, "it is a link", odd_zip(stat.S_IFLNK | 0o777, data=b"/etc/passwd")),
    "zip a device": (BadSource, "neither a file", odd_zip(stat.S_IFCHR | 0o644)),
    "zip a FIFO": (BadSource, "neither a file", odd_zip(stat.S_IFIFO | 0o644)),
    "zip a folder that is a file": (BadSource, "neither a file", odd_zip(stat.S_IFDIR | 0o755, "odd")),
    "zip a folder with bytes": (BadSource, "holds bytes", odd_zip(stat.S_IFDIR | 0o755, "odd/", b"x")),
    "zip a folder that hides bytes": (BadSource, "damaged", lambda: with_more_packed(zip_of({"a/": Content(b"")}))),
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
        TooLarge,
        "says of one entry",
        lambda: gzip.compress(tarred([member("a", b"\0" * (33 << 20), tarfile.XHDTYPE)], tarfile.GNU_FORMAT)),
    ),
    "tar many global headers": (
        BadSource,
        "damaged",
        lambda: gzip.compress(tarred([member("g", b"9 a=bcde\n", tarfile.XGLTYPE)] * 800, tarfile.GNU_FORMAT)),
    ),
    "tar.gz zeros behind its end": (
        TooLarge,
        "bytes of all",
        lambda: gzip.compress(tar_of(KNOTS) + b"\0" * (45 * MIB), 1),
    ),
    "tar much that is said of entries": (TooLarge, "says of its entries", lambda: gzip.compress(crowded(200), 1)),
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
        "too much memory",
        lambda: lzma.compress(tar_of(KNOTS), filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 512 << 20}]),
    ),
    "tar a map of 8 million parts": (BadSource, "a sparse file", lambda: gzip.compress(map_of(8_000_000))),
    "tar an old map of 75,000 blocks": (BadSource, "a sparse file", lambda: gzip.compress(old_map_of(75_000))),
    "tar holes of Solaris": (BadSource, "a sparse file", lambda: said((b"x", record(b"SUN.holesdata", b" 0 9")))),
    "tar holes of star": (BadSource, "a sparse file", lambda: said((b"x", record(b"SCHILY.realsize", b"9")))),
    "tar digits without end": (TooLarge, "says of one entry", lambda: said((b"x", b"9" * 65_000))),
    "tar digits": (BadSource, "damaged", lambda: said((b"x", b"9" * 8_192))),
    "tar a record that is too long": (BadSource, "damaged", lambda: said((b"x", b"99 path=b\n"))),
    "tar a record of no length": (BadSource, "damaged", lambda: said((b"x", b"0 path=b\n"))),
    "tar a record without a key": (BadSource, "damaged", lambda: said((b"x", b"5 =b\n"))),
    "tar a record without a value": (BadSource, "damaged", lambda: said((b"x", b"7 path\n"))),
    "tar a record that does not end": (BadSource, "damaged", lambda: said((b"x", b"9 path=bc"))),
    "tar a record with a sign": (BadSource, "damaged", lambda: said((b"x", b"+9 path=b\n"))),
    "tar zeros behind records": (BadSource, "damaged", lambda: said((b"x", record(b"path", b"b") + b"\0"))),
    "tar two paths": (BadSource, "damaged", lambda: said((b"x", record(b"path", b"b") + record(b"path", b"c")))),
    "tar a path and a long name": (BadSource, "damaged", lambda: said((b"x", record(b"path", b"b")), (b"L", b"c\0"))),
    "tar two long names": (BadSource, "damaged", lambda: said((b"L", b"b\0"), (b"L", b"c\0"))),
    "tar a long name without an end": (BadSource, "damaged", lambda: said((b"L", b"b"))),
    "tar a long name with two ends": (BadSource, "damaged", lambda: said((b"L", b"b\0c\0"))),
    "tar a long link": (BadSource, "a link", lambda: said((b"K", b"b\0"))),
    "tar another size": (BadSource, "damaged", lambda: said((b"x", record(b"size", b"0")))),
    "tar a path for all": (BadSource, "of all entries", lambda: said((b"g", record(b"path", b"b")))),
    "tar a size for all": (BadSource, "of all entries", lambda: said((b"g", record(b"size", b"0")))),
    "tar a map for all": (BadSource, "of all entries", lambda: said((b"g", record(b"GNU.sparse.size", b"9")))),
    "tar something said of nothing": (BadSource, "damaged", lambda: head(b"x", b"") + b"\0" * 1024),
    "tar a folder that holds bytes": (
        BadSource,
        "holds bytes",
        lambda: header(tar_of({"a": Content(b"x")}), 156, b"5"),
    ),
    "tar a file that ends like a folder": (BadPath, "empty", lambda: tarred([member("a"), (member("b/")[0], b"")])),
    "tar a file that is the folder": (BadPath, "empty", lambda: tarred([member("."), member("a")])),
    "tar a file in one piece": (BadSource, "neither a file", device(tarfile.CONTTYPE)),
    "tar a volume": (BadSource, "neither a file", device(b"V")),
    "tar an old header": (BadSource, "damaged", lambda: tar_of({"a": Content(b"")})[:512] + old_header()),
    "tar a size in the new way": (BadSource, "damaged", lambda: header(tar_of(KNOTS), 124, b"\x80" + b"\0" * 11)),
    "tar a number and another": (BadSource, "damaged", lambda: header(tar_of(KNOTS), 124, b"0\0" + b"0000000052")),
    "tar times in the place of a folder": (BadSource, "damaged", lambda: header(gnu(KNOTS), 345, b"12345670000\0")),
    "tar one empty block": (BadSource, "damaged", lambda: ends_early(tar_of(KNOTS)) + b"\0" * 512),
    "tar and tar": (BadSource, "follows its end", lambda: tar_of(KNOTS) + tar_of(KNOTS)),
    "tar and something": (BadSource, "follows its end", lambda: tar_of(KNOTS) + b"x"),
    **{
        f"tar.{name} and {more}": (BadSource, why, make)
        for name, press in {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}.items()
        for more, (why, make) in {
            "tar": ("follows its end", lambda press=press: press(tar_of(KNOTS)) + press(tar_of(KNOTS))),
            "something": ("damaged", lambda press=press: press(tar_of(KNOTS)) + b"something"),
            "zeros": ("damaged", lambda press=press: press(tar_of(KNOTS)) + b"\0" * 512),
        }.items()
    },
    "tar.xz as strong as can be": (BadSource, "too much memory", lambda: lzma.compress(tar_of(KNOTS), preset=9)),
    "zip and zip": (BadSource, "damaged", lambda: zip_of(KNOTS) + zip_of(KNOTS)),
    "zip and something": (BadSource, "follows its end", lambda: zip_of(KNOTS) + b"x"),
    "zip in a comment": (BadSource, "damaged", lambda: with_comment(zip_of(KNOTS), zip_of(KNOTS))),
    "zip an entry that is not named": (
        BadSource,
        "does not name",
        lambda: with_local(zip_of({"a": Content(b"x")}), zip_of({"b": Content(b"y")})),
    ),
    "zip something before the directory": (BadSource, "does not name", lambda: with_gap(zip_of(KNOTS))),
    "zip another name inside": (BadSource, "damaged", lambda: zip_of({"a": Content(b"x")}).replace(b"a", b"b", 1)),
    "zip two names": (BadSource, "two names", lambda: extra_zip(0x7075, other_name(b"../b", b"a"))),
    "zip two names inside": (BadSource, "two names", lambda: extra_zip(0x7075, other_name(b"../b", b"a"), local=True)),
    "zip for huge files": (BadSource, "zip64", lambda: extra_zip(1, b"\0" * 16)),
    "zip an extra field that is too long": (
        BadSource,
        "damaged",
        lambda: extra_zip(9, b"x").replace(b"\1\0x", b"\2\0x"),
    ),
    "zip a name in an unknown code": (
        BadSource,
        "not marked",
        lambda: zip_of({"aaa": Content(b"x")}).replace(b"aaa", b"\xe6\x97\xa5"),
    ),
    "zip a folder of DOS without a slash": (BadSource, "neither a file", lambda: of_dos(zip_of({"a": Content(b"")}))),
    "zip an entry of a later version": (BadSource, "damaged", lambda: later(zip_of({"a": Content(b"x")}))),
    "zip an entry in another part": (BadSource, "damaged", lambda: elsewhere(zip_of({"a": Content(b"x")}))),
    "zip an entry that is none": (BadSource, "damaged", lambda: spoilt(zip_of(KNOTS), b"PK\x03\x04")),
    "zip a directory that is none": (BadSource, "damaged", lambda: spoilt(zip_of(KNOTS), b"PK\x01\x02")),
    "zip sizes that do not follow": (BadSource, "damaged", lambda: with_flag(zip_of({"a": Content(b"x")}), 1 << 3)),
    "zip in two parts": (BadSource, "damaged", lambda: at_end(zip_of(KNOTS), 4, b"\1\0")),
    "zip fewer entries than it has": (BadSource, "damaged", lambda: at_end(zip_of(KNOTS), 8, b"\1\0\1\0")),
    "zip more entries than it has": (BadSource, "damaged", lambda: at_end(zip_of(KNOTS), 8, b"\3\0\3\0")),
    "zip bytes behind what was pressed": (
        BadSource,
        "damaged",
        lambda: with_more_packed(zip_of({"a": Content(b"x" * 99)})),
    ),
    "gzip of no tar": (BadSource, "damaged", lambda: gzip.compress(b"hello")),
    "no archive": (BadSource, "neither a zip nor a tar archive", lambda: b"hello"),
    "nothing": (BadSource, "neither a zip nor a tar archive", lambda: b""),
    "a huge file": (TooLarge, "bytes of one archive", lambda: b"PK\3\4" + b"\0" * (32 << 20)),
}
COSTLY: Final[dict[str, Make]] = {
    "empty gzip members": lambda: repeated(gzip.compress(b"")),
    "empty bzip2 streams": lambda: repeated(bz2.compress(b"")),
    "empty xz streams": lambda: repeated(lzma.compress(b"")),
    "gzip members of one byte": lambda: repeated(gzip.compress(b"\0")),
    "bzip2 streams of one byte": lambda: repeated(bz2.compress(b"\0")),
    "empty blocks of gzip": lambda: empty_blocks(32 * MIB),
    "empty blocks of xz": lambda: empty_xz_blocks(32 * MIB),
    "small records": lambda: gzip.compress(crowded(60)),
    "small extra fields": lambda: fields(60),
    "a directory of comments": commented,
    "noise in tar": large_tar,
    "noise in bzip2": lambda: bz2.compress(tar_of({"a": Content(noise(8 * MIB))})),
    "a large dictionary": lambda: wide_xz(tar_of({"a": Content((noise(4 * MIB) * 8)[70_000:])})),
    "zeros in xz": lambda: wide_xz(tar_of({"a": Content(b"\0" * (32 * MIB - 4_096))})),
    "zeros in gzip": lambda: gzip.compress(tar_of({"a": Content(b"\0" * (32 * MIB - 4_096))})),
    "zeros in zip": lambda: zip_of({"a": Content(b"\0" * (32 * MIB - 4_096))}),
    "noise in zip": lambda: zip_of({"a": Content(noise(32 * MIB - 70_000))}),
}
"""Archives at the caps, taken or refused: what costs most."""
