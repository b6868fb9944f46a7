"""Repositories made to harm whoever reads them, each with the error that it must end in."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from kestrel_skills_core.domain.errors import BadPath, BadSource, GitFailed, SkillError, TooLarge

from .packs import (
    BLOB,
    COMMIT,
    DOCUMENT,
    TAG,
    TREE,
    Repository,
    by_id,
    by_offset,
    commit,
    copy,
    cut,
    delta,
    head,
    insert,
    object_id,
    pack,
    packed_object,
    repository,
    tree,
)

__all__ = ["ATTACKS", "LARGE", "Attack", "Sent"]

MIB: Final = 1 << 20
FILE, EXECUTABLE, FOLDER, LINK, MODULE = b"100644", b"100755", b"40000", b"120000", b"160000"
SKILL: Final = (FILE, b"SKILL.md", DOCUMENT)
ABSENT: Final = "1" * 40


class Sent(NamedTuple):
    """The commit that was asked for, and the pack that came, in pieces."""

    commit: str
    pieces: Iterable[bytes]


class Attack(NamedTuple):
    """What is sent, and the error that it must end in: its class, and words of its text."""

    sent: Callable[[], Sent]
    error: type[SkillError]
    words: str


def sent(made: Repository, *more: bytes) -> Sent:
    """A repository in a right pack, with further objects."""
    return Sent(made.commit, cut(pack([*made.objects, *more])))


def beside(*more: bytes) -> Sent:
    """A right repository, and further objects in its pack, which are wrong."""
    return sent(repository(SKILL), *more)


def raw(content: bytes) -> Sent:
    """Something in place of a pack."""
    return Sent(ABSENT, cut(content))


def changed(change: Callable[[bytes], bytes]) -> Sent:
    """A right repository, of whose pack the bytes are changed."""
    made = repository(SKILL)
    return Sent(made.commit, cut(change(pack(made.objects))))


def holding(mode: bytes, name: bytes, content: bytes | str = b"x") -> Sent:
    """A skill with one more entry."""
    return sent(repository(SKILL, (mode, name, content)))


def named(name: bytes) -> Callable[[], Sent]:
    """A skill with a file of that name."""
    return lambda: holding(FILE, name)


def under(name: bytes) -> Sent:
    """A skill with a folder of that name, and a file in it."""
    folder = tree((FILE, b"a", object_id(BLOB, b"x")))
    made = repository(SKILL, (FOLDER, name, object_id(TREE, folder)))
    return sent(made, packed_object(TREE, folder), packed_object(BLOB, b"x"))


def without(which: int) -> Sent:
    """A right repository, of which one object is not sent: 0 the commit, 3 the skill's folder, 4 its file."""
    made = repository(SKILL)
    return Sent(made.commit, cut(pack(each for at, each in enumerate(made.objects) if at != which)))


def instead(which: int, other: bytes) -> Sent:
    """A right repository, of which one object is another."""
    made = repository(SKILL)
    objects = [other if at == which else each for at, each in enumerate(made.objects)]
    return Sent(made.commit, cut(pack(objects)))


def mistyped(kind: int, content: bytes) -> Sent:
    """A commit that is asked for, and is something else."""
    return Sent(object_id(kind, content), cut(pack([packed_object(kind, content)])))


def exponential() -> Sent:
    """Eleven objects that stand for ten thousand million files."""
    objects = [packed_object(BLOB, b"x")]
    below, mode = object_id(BLOB, b"x"), FILE
    for _ in range(10):
        folder = tree(*((mode, b"%d" % each, below) for each in range(10)))
        objects.append(packed_object(TREE, folder))
        below, mode = object_id(TREE, folder), FOLDER
    return sent(repository(SKILL, (FOLDER, b"lol", below)), *objects)


def deep(levels: int) -> Sent:
    """Folders in folders."""
    objects, below, mode = [packed_object(BLOB, b"x")], object_id(BLOB, b"x"), FILE
    for _ in range(levels):
        folder = tree((mode, b"a", below))
        objects.append(packed_object(TREE, folder))
        below, mode = object_id(TREE, folder), FOLDER
    return sent(repository(SKILL, (FOLDER, b"a", below)), *objects)


def crowded(entries: int) -> Sent:
    """One folder with many entries."""
    one = object_id(BLOB, b"x")
    return sent(
        repository(of=tree(*((FILE, b"%06d" % each, one) for each in range(entries)))), packed_object(BLOB, b"x")
    )


def zeros(mebibytes: int) -> bytes:
    """Compressed zeros, made in no time: one block that stands for a mebibyte, over and over; not ended."""
    deflate = zlib.compressobj(9)
    first = deflate.compress(bytes(MIB)) + deflate.flush(zlib.Z_FULL_FLUSH)
    again = deflate.compress(bytes(MIB)) + deflate.flush(zlib.Z_FULL_FLUSH)
    return first + again * (mebibytes - 1)


def nothing_for_ever() -> Iterator[bytes]:
    """An object that never begins: empty blocks of a compressed stream."""
    yield b"PACK" + (2).to_bytes(4, "big") + (1).to_bytes(4, "big") + head(BLOB, 10) + b"\x78\x9c"
    while True:
        yield b"\0\0\0\xff\xff" * 13_000


def endless_objects() -> Iterator[bytes]:
    """More of what cannot be compressed than a transfer may have."""
    yield b"PACK" + (2).to_bytes(4, "big") + (4096).to_bytes(4, "big")
    while True:
        yield packed_object(BLOB, os.urandom(MIB // 2), level=0)


def fan(deltas: int) -> Sent:
    """A few kilobytes: one large object, and deltas that make as large ones of it."""
    size = 8 * MIB
    named = object_id(BLOB, bytes(size))
    made = [by_id(named, delta(size, size, copy(0, size - 1), insert(bytes([each % 256])))) for each in range(deltas)]
    return beside(packed_object(BLOB, bytes(size), level=9), *made)


def bomb(says: int) -> Sent:
    """A small delta of many copies of a large object: it makes 2 GiB, whatever it says."""
    base = bytes(8 * MIB)
    change = delta(len(base), says, *([copy(0, 8 * MIB - 1)] * 256))
    return beside(packed_object(BLOB, base, level=9), by_id(object_id(BLOB, base), change))


def huge(says: int) -> Sent:
    """A delta of a few bytes that says to make that many."""
    return beside(packed_object(BLOB, b"abc"), by_id(object_id(BLOB, b"abc"), delta(3, says, copy(0, 3))))


def wrong_delta(change: bytes, base: bytes = b"abcdef") -> Callable[[], Sent]:
    """A delta that is not right."""
    return lambda: beside(packed_object(BLOB, base), by_id(object_id(BLOB, base), change))


def chain(length: int, *, backwards: bool = False, by: str = "id") -> Sent:
    """Each object a delta to the one before it."""
    content = b"%08d" % 0
    objects = [packed_object(BLOB, content)]
    for each in range(1, length + 1):
        last, content = content, b"%08d" % each
        change = delta(8, 8, insert(content))
        objects.append(by_id(object_id(BLOB, last), change) if by == "id" else by_offset(len(objects[-1]), change))
    return beside(*(reversed(objects) if backwards else objects))


def back(distance: int) -> Sent:
    """A delta to what begins so many bytes before it."""
    return beside(packed_object(BLOB, b"abcdef"), by_offset(distance, delta(6, 3, copy(0, 3))))


def two_in_a_ring() -> Sent:
    """Two deltas, each to what the other would have to make."""
    one, other = object_id(BLOB, b"one"), object_id(BLOB, b"other")
    return beside(by_id(one, delta(3, 5, insert(b"other"))), by_id(other, delta(5, 3, insert(b"one"))))


def long_together() -> Sent:
    """Names that are short enough, of which a path is made that is not."""
    objects, below, mode = [packed_object(BLOB, b"x")], object_id(BLOB, b"x"), FILE
    for _ in range(6):
        folder = tree((mode, b"n" * 200, below))
        objects.append(packed_object(TREE, folder))
        below, mode = object_id(TREE, folder), FOLDER
    return sent(repository(SKILL, (FOLDER, b"n", below)), *objects)


LARGE: Final[dict[str, Attack]] = {
    "a blob that inflates to 1 GiB": Attack(
        lambda: beside(head(BLOB, 1 << 30) + zeros(1024)),
        TooLarge,
        "bytes in one object of a repository: 1,073,741,824",
    ),
    "a blob that says 10 bytes and inflates to 1 GiB": Attack(
        lambda: beside(head(BLOB, 10) + zeros(1024)),
        GitFailed,
        "(pack): it holds an object that is larger than it says",
    ),
    "a blob that says 8 MiB and inflates to 1 GiB": Attack(
        lambda: beside(head(BLOB, 8 * MIB) + zeros(1024)), GitFailed, "(pack): it holds an object that is larger"
    ),
    "a folder that inflates to 1 GiB": Attack(
        lambda: beside(head(TREE, 1 << 30) + zeros(1024)), TooLarge, "bytes in one object of a repository"
    ),
    "a delta that is 1 GiB itself": Attack(
        lambda: beside(head(7, 1 << 30) + bytes(20) + zeros(1024)), TooLarge, "bytes in one object of a repository"
    ),
    "nine blobs of 8 MiB": Attack(
        lambda: beside(*(packed_object(BLOB, bytes([each]) * 8 * MIB, level=9) for each in range(9))),
        TooLarge,
        "bytes in the objects of one transfer: more where 50,331,648 are allowed",
    ),
    "deltas of some bytes that make 8 MiB each": Attack(
        lambda: fan(2000), TooLarge, "bytes in the objects of one transfer"
    ),
    "deltas of 8 MiB that wait for what never comes": Attack(
        lambda: beside(*(packed_object(7, bytes(8 * MIB), base=bytes(20), level=9) for _ in range(9))),
        TooLarge,
        "bytes in the objects of one transfer",
    ),
    "a delta that makes 2 GiB and says so": Attack(lambda: bomb(256 * (8 * MIB - 1)), TooLarge, "2,147,483,392"),
    "a delta that makes 2 GiB and says 10 bytes": Attack(
        lambda: bomb(10), GitFailed, "(pack): it holds a delta that cannot be applied"
    ),
    "a delta that makes 2 GiB and says 8 MiB": Attack(
        lambda: bomb(8 * MIB), GitFailed, "(pack): it holds a delta that cannot be applied"
    ),
    "a pack over the cap": Attack(
        lambda: Sent(ABSENT, endless_objects()), TooLarge, "bytes from a repository: more where 33,554,432"
    ),
    "empty blocks for ever": Attack(
        lambda: Sent(ABSENT, nothing_for_ever()), TooLarge, "bytes from a repository: more where 33,554,432 are allowed"
    ),
    "one folder with 100,000 entries": Attack(
        lambda: crowded(100_000), TooLarge, "files and folders of one folder of a repository"
    ),
    "a folder of 8 MiB": Attack(lambda: crowded(246_000), TooLarge, "files and folders of one folder of a repository"),
    "100,000 objects": Attack(
        lambda: beside(*(packed_object(BLOB, b"%d" % each) for each in range(100_000))),
        TooLarge,
        "objects in one transfer",
    ),
}
"""Those that would cost memory."""

_PACKS: Final[dict[str, Attack]] = {
    "4 thousand million objects": Attack(
        lambda: raw(pack([], count=0xFFFFFFFF)), TooLarge, "objects in one transfer from a repository: 4,294,967,295"
    ),
    "nothing at all": Attack(lambda: raw(b""), GitFailed, "(pack): it is cut short"),
    "a header alone": Attack(lambda: raw(b"PACK\0\0\0\2\0\0\0\1"), GitFailed, "(pack): it is cut short"),
    "a page": Attack(lambda: raw(b"<html>" * 9), GitFailed, "(pack): the server sent something else than a pack"),
    "a pack of version 4": Attack(
        lambda: raw(pack([], version=4)), GitFailed, "(pack): the server sent something else than a pack"
    ),
    "a pack that is cut short": Attack(
        lambda: changed(lambda whole: whole[:-40]), GitFailed, "(pack): it is cut short"
    ),
    "a sum that is cut short": Attack(lambda: changed(lambda whole: whole[:-1]), GitFailed, "(pack): it is cut short"),
    "a wrong sum": Attack(
        lambda: changed(lambda whole: whole[:-20] + bytes(20)),
        GitFailed,
        "(pack): its bytes are not those that were packed",
    ),
    "bytes after the pack": Attack(lambda: changed(lambda whole: whole + b"x"), GitFailed, "(pack): bytes come after"),
    "a second pack": Attack(
        lambda: changed(lambda whole: whole + whole), GitFailed, "(pack): bytes come after its end"
    ),
    "fewer objects than it says": Attack(
        lambda: Sent(ABSENT, cut(pack(repository(SKILL).objects, count=6))), GitFailed, "(pack): it "
    ),
    "more objects than it says": Attack(
        lambda: Sent(ABSENT, cut(pack(repository(SKILL).objects, count=4))),
        GitFailed,
        "(pack): its bytes are not those",
    ),
    "an object of kind 0": Attack(
        lambda: beside(packed_object(0, b"x")), GitFailed, "(pack): it holds an object of an unknown"
    ),
    "an object of kind 5": Attack(
        lambda: beside(packed_object(5, b"x")), GitFailed, "(pack): it holds an object of an unknown"
    ),
    "an object that is smaller than it says": Attack(
        lambda: beside(packed_object(BLOB, b"x", size=2)),
        GitFailed,
        "(pack): it holds an object that is smaller than it says",
    ),
    "an object that is larger than it says": Attack(
        lambda: beside(packed_object(BLOB, b"xyz", size=2)),
        GitFailed,
        "(pack): it holds an object that is larger than it says",
    ),
    "an object that says to be empty": Attack(
        lambda: beside(packed_object(BLOB, b"x", size=0)),
        GitFailed,
        "(pack): it holds an object that is larger than it says",
    ),
    "a size that never ends": Attack(
        lambda: beside(b"\xb0" + b"\xff" * 40), GitFailed, "(pack): it holds a figure that is too long"
    ),
    "a size of 2^62": Attack(
        lambda: beside(packed_object(BLOB, b"x", size=1 << 62)),
        TooLarge,
        "one object of a repository: 4,611,686,018,427",
    ),
    "bytes that are not compressed": Attack(
        lambda: beside(head(BLOB, 30) + b"not compressed at all, not at all"),
        GitFailed,
        "(pack): it holds bytes that cannot",
    ),
    "a wrong sum of what is compressed": Attack(
        lambda: beside(packed_object(BLOB, b"x")[:-1] + b"\0"),
        GitFailed,
        "(pack): it holds bytes that cannot be inflated",
    ),
    "compressed with a dictionary": Attack(
        lambda: beside(head(BLOB, 1) + b"\x78\xbb\0\0\0\1" + zlib.compress(b"x")[2:]),
        GitFailed,
        "(pack): it holds bytes that",
    ),
}

_DELTAS: Final[dict[str, Attack]] = {
    "a delta of some bytes that says to make 1 TiB": Attack(lambda: huge(1 << 40), TooLarge, "1,099,511,627,776"),
    "a delta that says to make 2^63 bytes": Attack(
        lambda: huge(1 << 63), GitFailed, "(pack): it holds a figure that is too long"
    ),
    "a delta that makes less than it says": Attack(
        lambda: huge(4), GitFailed, "(pack): it holds a delta that cannot be applied"
    ),
    "a delta for another base": Attack(
        wrong_delta(delta(7, 3, copy(0, 3))), GitFailed, "(pack): it holds a delta to something else than its base"
    ),
    "a delta that copies from beyond its base": Attack(
        wrong_delta(delta(6, 3, copy(4, 3))), GitFailed, "(pack): it holds a delta that cannot be applied"
    ),
    "a delta that copies from 4 GiB on": Attack(
        wrong_delta(delta(6, 3, copy(0xFFFFFFFF, 3))), GitFailed, "(pack): it holds a delta that cannot be applied"
    ),
    "a delta with the step that is kept for later": Attack(
        wrong_delta(delta(6, 3, b"\0", copy(0, 3))), GitFailed, "(pack): it holds a delta that cannot be applied"
    ),
    "a delta that is cut short in a copy": Attack(
        wrong_delta(delta(6, 3, b"\xff\x01")), GitFailed, "(pack): it holds a delta that cannot be applied"
    ),
    "a delta that is cut short in its bytes": Attack(
        wrong_delta(delta(6, 3, b"\x03a")), GitFailed, "(pack): it holds a delta that cannot be applied"
    ),
    "a delta that is cut short in its figures": Attack(
        wrong_delta(b"\x06"), GitFailed, "(pack): it holds a delta that is cut short"
    ),
    "an empty delta": Attack(wrong_delta(b""), GitFailed, "(pack): it holds a delta that is cut short"),
    "a delta to itself": Attack(lambda: back(0), GitFailed, "(pack): it holds a delta to what is no object before it"),
    "a delta into the middle of an object": Attack(
        lambda: back(3), GitFailed, "(pack): it holds a delta to what is no object before it"
    ),
    "a delta to before the pack": Attack(
        lambda: back(1 << 40), GitFailed, "(pack): it holds a delta to what is no object before it"
    ),
    "a delta whose way back never ends": Attack(
        lambda: beside(head(6, 3) + b"\xff" * 40), GitFailed, "(pack): it holds a figure that is too long"
    ),
    "a delta to what is not sent": Attack(
        lambda: beside(by_id(ABSENT, delta(3, 3, copy(0, 3)))),
        GitFailed,
        "(pack): it holds a delta to what is not in it",
    ),
    "two deltas in a ring": Attack(two_in_a_ring, GitFailed, "(pack): it holds a delta to what is not in it"),
    "51 deltas in a row": Attack(lambda: chain(51), GitFailed, "(pack): it holds more than 50 deltas in a row"),
    "51 deltas in a row by offsets": Attack(
        lambda: chain(51, by="offset"), GitFailed, "(pack): it holds more than 50 deltas in a row"
    ),
    "51 deltas in a row backwards": Attack(
        lambda: chain(51, backwards=True), GitFailed, "(pack): it holds more than 50 deltas in a row"
    ),
    "8,000 deltas in a row": Attack(lambda: chain(8000), GitFailed, "(pack): it holds more than 50 deltas in a row"),
    "8,000 deltas in a row backwards": Attack(
        lambda: chain(8000, backwards=True), GitFailed, "(pack): it holds more than 50 deltas in a row"
    ),
}

_FOLDERS: Final[dict[str, Attack]] = {
    "eleven objects for 10^10 files": Attack(
        exponential, TooLarge, "files and folders of one folder of a repository: more where 4,096 are allowed"
    ),
    "folders 5,000 deep": Attack(lambda: deep(5000), BadPath, "it is deeper than 32 levels"),
    "folders 32 deep": Attack(lambda: deep(32), BadPath, "it is deeper than 32 levels"),
    "a link": Attack(lambda: holding(LINK, b"ln", b"/etc/passwd"), BadSource, "source: it is a link"),
    "a link and what is below it": Attack(
        lambda: sent(repository(SKILL, (LINK, b"d", b"/etc"), (FOLDER, b"d", object_id(TREE, b"")))),
        BadSource,
        "source: it is a link",
    ),
    "a link in place of the procedure": Attack(
        lambda: sent(repository((LINK, b"SKILL.md", b"/etc/passwd"))),
        BadSource,
        "source: it is a link",
    ),
    "another repository": Attack(
        lambda: holding(MODULE, b"sub", ABSENT), BadSource, "source: it is another repository"
    ),
    "a file with the setuid bit": Attack(
        lambda: holding(b"104755", b"s"),
        BadSource,
        "source: it is neither file nor folder (mode 104755)",
    ),
    "a file that a group may write": Attack(lambda: holding(b"100664", b"s"), BadSource, "(mode 100664)"),
    "a file that all may write": Attack(lambda: holding(b"100777", b"s"), BadSource, "(mode 100777)"),
    "a FIFO": Attack(lambda: holding(b"10644", b"s"), BadSource, "(mode 10644)"),
    "a device": Attack(lambda: holding(b"60644", b"s"), BadSource, "(mode 60644)"),
    "a folder with a mode": Attack(lambda: holding(b"40755", b"s", object_id(TREE, b"")), BadSource, "(mode 40755)"),
    "a mode with a zero before it": Attack(
        lambda: holding(b"040000", b"s", object_id(TREE, b"")), GitFailed, "(tree): one of its folders is malformed"
    ),
    "a mode that is no number": Attack(
        lambda: holding(b"1006x4", b"s"), GitFailed, "(tree): one of its folders is malformed"
    ),
    "no mode": Attack(lambda: holding(b"", b"s"), GitFailed, "(tree): one of its folders is malformed"),
    "a folder that is cut short": Attack(
        lambda: sent(repository(of=tree((FILE, b"a", ABSENT))[:-1])),
        GitFailed,
        "(tree): one of its folders is malformed",
    ),
    "a folder without an end of its name": Attack(
        lambda: sent(repository(of=b"100644 " + b"a" * 100_000)), GitFailed, "(tree): one of its folders is malformed"
    ),
    "entries that are not in order": Attack(
        lambda: sent(repository((FILE, b"b", b"x"), (FILE, b"a", b"x"), in_order=False)),
        GitFailed,
        "or is not in order",
    ),
    "a folder in the place of a file": Attack(
        lambda: sent(repository((FOLDER, b"a", object_id(TREE, b"")), (FILE, b"a.b", b"x"), in_order=False)),
        GitFailed,
        "(tree): one of its folders names an entry twice, or is not in order",
    ),
    "one file twice": Attack(
        lambda: sent(repository(SKILL, SKILL)), GitFailed, "(tree): one of its folders names an entry twice"
    ),
    "a file and a folder of one name": Attack(
        lambda: sent(repository((FILE, b"a", b"x"), (FILE, b"a.b", b"x"), (FOLDER, b"a", object_id(TREE, b"")))),
        GitFailed,
        "(tree): one of its folders names an entry twice",
    ),
    "a commit that is not sent": Attack(lambda: without(0), GitFailed, "(tree): the server did not send a commit"),
    "a folder that is not sent": Attack(lambda: without(3), GitFailed, "(tree): the server did not send a folder"),
    "a file that is not sent": Attack(lambda: without(4), GitFailed, "(file): the server did not send `SKILL.md`"),
    "another commit": Attack(
        lambda: instead(0, packed_object(COMMIT, commit(ABSENT))), GitFailed, "(tree): the server did not send a commit"
    ),
    "another file": Attack(
        lambda: instead(4, packed_object(BLOB, b"evil")), GitFailed, "(file): the server did not send `SKILL.md`"
    ),
    "another folder": Attack(
        lambda: instead(3, packed_object(TREE, b"")), GitFailed, "(tree): the server did not send a folder"
    ),
    "a file that is a folder": Attack(
        lambda: sent(repository((FILE, b"SKILL.md", object_id(TREE, b""))), packed_object(TREE, b"")),
        GitFailed,
        "(file): the server did not send `SKILL.md`",
    ),
    "a folder that is a file": Attack(
        lambda: sent(repository((FOLDER, b"a", object_id(BLOB, b"x"))), packed_object(BLOB, b"x")),
        GitFailed,
        "(tree): what should be a folder is a file",
    ),
    "a commit that is a file": Attack(
        lambda: mistyped(BLOB, commit(ABSENT)), GitFailed, "(tree): what should be a commit is a file"
    ),
    "a commit that is a tag": Attack(
        lambda: mistyped(TAG, b"object " + ABSENT.encode()), GitFailed, "(tree): what should be a commit is a tag"
    ),
    "a commit without a folder": Attack(
        lambda: mistyped(COMMIT, b"author a\n\nx"), GitFailed, "(tree): its commit names no folder"
    ),
    "a commit with half an id": Attack(
        lambda: mistyped(COMMIT, b"tree abc\n"), GitFailed, "(tree): its commit names no folder"
    ),
}

_GIT: Final = "means `.git`"
_HELD: Final = "is kept for this library"
_PART: Final = "a part of it is empty, `.` or `..`"
_MALFORMED: Final = "(tree): one of its folders is malformed"
_FEED: Final = "some file systems take it for"

_NAMES: Final[dict[str, Attack]] = {
    f"a file named {name!r}": Attack(named(name), error, words)
    for name, error, words in [
        (b".git", BadPath, _GIT),
        (b".GIT", BadPath, _GIT),
        (b"git~1", BadPath, _GIT),
        (b"GIT~1", BadPath, _GIT),
        (b".git.", BadPath, _GIT),
        (b".git ", BadPath, _GIT),
        (b".git::$INDEX_ALLOCATION", BadPath, _GIT),
        (".gi\u200ct".encode(), BadPath, "it holds a format character"),
        ("\uff0egit".encode(), BadPath, _GIT),
        (b"..", BadPath, _PART),
        (b".", BadPath, _PART),
        (b"", GitFailed, _MALFORMED),
        (b"/etc/passwd", GitFailed, _MALFORMED),
        (b"../../etc/passwd", GitFailed, _MALFORMED),
        (b"a\\..\\b", BadPath, "it holds a backslash"),
        (b"C:", BadPath, "it begins with a drive letter"),
        (b"C:evil", BadPath, "it begins with a drive letter"),
        (b"ab:c", BadPath, "holds a colon"),
        (b"a\0b", GitFailed, ""),
        (b"a\nb", BadPath, "it holds a control character"),
        (b"\x1b[2J", BadPath, "it holds a control character"),
        (b"\x7f", BadPath, "it holds a control character"),
        ("a\u202eb".encode(), BadPath, "it holds a format character"),
        ("a\u2028b".encode(), BadPath, "it holds a line separator"),
        (b"CON", BadPath, "is a device on Windows"),
        (b"con.txt", BadPath, "is a device on Windows"),
        (b"nul .md", BadPath, "is a device on Windows"),
        ("COM\u00b9".encode(), BadPath, "is a device on Windows"),
        (b"lpt9.tar.gz", BadPath, "is a device on Windows"),
        (b"a.", BadPath, "ends with a dot or a space"),
        (b"a ", BadPath, "ends with a dot or a space"),
        (b"caf\xe9", BadPath, "it holds bytes that are not UTF-8"),
        (b"\xc0\xae\xc0\xae", BadPath, "it holds bytes that are not UTF-8"),
        (b"\xed\xa0\x80", BadPath, "it holds bytes that are not UTF-8"),
        (b"a" * 256, BadPath, "is longer than 255 bytes"),
        (b"a" * 5000, BadPath, "it is longer than 1024 bytes"),
        (b".kestrel-generation", BadPath, _HELD),
        (b".kestrel-provenance.json", BadPath, _HELD),
        (b".KESTREL-Provenance.JSON", BadPath, _HELD),
        (".kestrel\uff0dgeneration".encode(), BadPath, _HELD),
        (b"skill.MD", BadSource, _FEED),
    ]
}

_CLASHES: Final[dict[str, Attack]] = {
    "a folder named `.git`": Attack(lambda: under(b".git"), BadPath, _GIT),
    "a folder named `.kestrel-internal`": Attack(lambda: under(b".kestrel-internal"), BadPath, _HELD),
    "a folder named `aux`": Attack(lambda: under(b"aux"), BadPath, "is a device on Windows"),
    "a composed and a decomposed name": Attack(
        lambda: sent(repository(SKILL, (FILE, b"caf\xc3\xa9", b"x"), (FILE, b"cafe\xcc\x81", b"x"))), BadSource, _FEED
    ),
    "two names that differ in a sharp s": Attack(
        lambda: sent(repository(SKILL, (FILE, "stra\u00dfe".encode(), b"x"), (FILE, b"STRASSE", b"x"))),
        BadSource,
        _FEED,
    ),
    "a file and a folder that differ in case": Attack(
        lambda: sent(
            repository(
                SKILL, (FILE, b"A", b"x"), (FOLDER, b"a", object_id(TREE, tree((FILE, b"b", object_id(BLOB, b"x")))))
            ),
            packed_object(TREE, tree((FILE, b"b", object_id(BLOB, b"x")))),
        ),
        BadSource,
        _FEED,
    ),
    "names that are long together": Attack(long_together, BadPath, "it is longer than 1024 bytes"),
}


ATTACKS: Final[dict[str, Attack]] = {**LARGE, **_PACKS, **_DELTAS, **_FOLDERS, **_NAMES, **_CLASHES}
