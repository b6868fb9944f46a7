"""Packs, read in memory as they come: nothing is inflated, copied or kept before the figure that declares it is judged.

Format: git's documentation, `gitformat-pack`, version 2 (and 3, which is the same). What a figure declares is charged
against the caps before the bytes that it speaks of are touched; a lie is found at the first byte beyond it.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from typing import Final, NamedTuple, NoReturn

from kestrel_skills_core.domain.errors import GitFailed, TooLarge
from kestrel_skills_core.domain.limits import LIMITS, Limits

from .objects import Kind, Object, ObjectId, Objects, id_of

__all__ = ["read_pack"]

_KINDS: Final[dict[int, Kind]] = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_BY_OFFSET: Final = 6
_BY_ID: Final = 7
_HEADER: Final = 12
_ID: Final = 20
_FED: Final = 16 * 1024
"""Bytes given to zlib at once."""
_LONGEST: Final = 9
"""Bytes of a figure in seven-bit groups: 63 bits are more than anything that a cap lets through."""

_OTHERWISE: Final = "clone the repository with git, and install the folder from there"

_Base = int | ObjectId
"""What a delta changes: the object that begins at an offset of the pack, or the one that has an id."""


class _Whole(NamedTuple):
    """An object, and how many deltas made it."""

    object: Object
    depth: int


class _Delta(NamedTuple):
    """What makes the object that begins at an offset, once its base is there."""

    offset: int
    content: bytes


def read_pack(pieces: Iterable[bytes], limits: Limits = LIMITS) -> Objects:
    """Every object of one complete pack, by the id computed of it.

    `pieces` are the pack's bytes in order, cut anywhere (a side band's packets); they are asked for one at a time, and
    no further ones once something is wrong. After the pack there must be none. What raises in `pieces` comes through.

    Raises:
        GitFailed: Stage `pack`: these bytes are no pack, are cut short, or hold a delta that leads nowhere.
        TooLarge: More bytes or objects than a transfer may have, or an object that is too large, told before it is
            inflated.
    """
    wire = _Wire(pieces, limits.git_received_bytes)
    shelf = _Shelf(limits)
    for _ in range(_count(wire, limits)):
        _read_object(wire, shelf)
    wire.end()
    return shelf.objects()


def _wrong(why: str) -> NoReturn:
    raise GitFailed("pack", why, "try again; if it stays so, tell whoever runs the server") from None


def _count(wire: _Wire, limits: Limits) -> int:
    """How many objects the pack says to hold."""
    header = wire.take(_HEADER)
    if header[:4] != b"PACK" or int.from_bytes(header[4:8], "big") not in (2, 3):
        _wrong("the server sent something else than a pack")
    count = int.from_bytes(header[8:], "big")
    if count > limits.git_objects:
        raise TooLarge("objects in one transfer from a repository", limits.git_objects, count, _OTHERWISE)
    return count


def _read_object(wire: _Wire, shelf: _Shelf) -> None:
    offset = wire.offset
    first = wire.byte()
    number, size = first >> 4 & 7, first & 15
    if first & 0x80:
        size |= _figure(wire) << 4
    base = _base(wire, number, offset)
    shelf.charge(size)
    content = wire.inflate(size)
    if base is None:
        shelf.put(offset, _Whole(Object(_KINDS[number], content), 0))
    else:
        shelf.put_delta(base, _Delta(offset, content))


def _base(wire: _Wire, number: int, offset: int) -> _Base | None:
    """What the object at hand changes; nothing where it is whole."""
    if number in _KINDS:
        return None
    if number == _BY_ID:
        return ObjectId(wire.take(_ID).hex())
    if number != _BY_OFFSET:
        _wrong("it holds an object of an unknown kind")
    back = -1
    for _ in range(_LONGEST):
        byte = wire.byte()
        back = back + 1 << 7 | byte & 0x7F
        if not byte & 0x80:
            return offset - back
    return _wrong("it holds a figure that is too long")


def _figure(stream: _Wire | _Head) -> int:
    """A figure in groups of seven bits, the lowest first."""
    figure = 0
    for group in range(_LONGEST):
        byte = stream.byte()
        figure |= (byte & 0x7F) << 7 * group
        if not byte & 0x80:
            return figure
    return _wrong("it holds a figure that is too long")


class _Head:
    """The begin of a delta, where its two figures stand."""

    def __init__(self, content: bytes) -> None:
        self._left = iter(content[: 2 * _LONGEST])

    def byte(self) -> int:
        byte = next(self._left, None)
        return _wrong("it holds a delta that is cut short") if byte is None else byte


class _Wire:
    """The pack's bytes as they come: each is counted, summed for the check at the end, and held until it is used."""

    def __init__(self, pieces: Iterable[bytes], most: int) -> None:
        self._pieces = iter(pieces)
        self._most = most
        self._received = 0
        self._sum = hashlib.sha1(usedforsecurity=False)
        self._held = b""
        self._at = 0

    @property
    def offset(self) -> int:
        """Of the next byte in the pack."""
        return self._received - len(self._held) + self._at

    def byte(self) -> int:
        if self._at == len(self._held):
            self._want_more()
        self._at += 1
        return self._held[self._at - 1]

    def take(self, count: int) -> bytes:
        while len(self._held) - self._at < count:
            self._want_more()
        self._at += count
        return self._held[self._at - count : self._at]

    def inflate(self, size: int) -> bytes:
        """The next compressed bytes, which must make exactly so many, and end there."""
        inflator = zlib.decompressobj()
        parts: list[bytes] = []
        left = size
        while not inflator.eof:
            if self._at == len(self._held):
                self._want_more()
            fed = self._held[self._at : self._at + _FED]
            try:
                part = inflator.decompress(fed, left + 1)
            except zlib.error:
                _wrong("it holds bytes that cannot be inflated")
            self._at += len(fed) - len(inflator.unconsumed_tail) - len(inflator.unused_data)
            left -= len(part)
            if left < 0:
                _wrong("it holds an object that is larger than it says")
            parts.append(part)
        if left:
            _wrong("it holds an object that is smaller than it says")
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def end(self) -> None:
        """See that the sum of all bytes follows, and then nothing."""
        self._add_up()
        if self.take(_ID) != self._sum.digest():
            _wrong("its bytes are not those that were packed")
        if self._at < len(self._held) or any(self._pieces):
            _wrong("bytes come after its end")

    def _want_more(self) -> None:
        """Hold one piece more, and let go of what was used."""
        piece = next(filter(None, self._pieces), None)
        if piece is None:
            _wrong("it is cut short")
        self._received += len(piece)
        if self._received > self._most:
            raise TooLarge("bytes from a repository", self._most, None, _OTHERWISE)
        self._add_up()
        self._held += piece

    def _add_up(self) -> None:
        self._sum.update(self._held[: self._at])
        self._held = self._held[self._at :]
        self._at = 0


class _Shelf:
    """The objects so far, the deltas that wait for their base, and what all of them cost."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._inflated = 0
        self._begun: set[int] = set()
        self._at: dict[_Base, _Whole] = {}
        self._waiting: dict[_Base, list[_Delta]] = {}

    def charge(self, size: int) -> None:
        """Agree to so many bytes more, before they are made."""
        if size > self._limits.git_object_bytes:
            raise TooLarge("bytes in one object of a repository", self._limits.git_object_bytes, size, _OTHERWISE)
        self._inflated += size
        if self._inflated > self._limits.git_inflated_bytes:
            raise TooLarge("bytes in the objects of one transfer", self._limits.git_inflated_bytes, None, _OTHERWISE)

    def put(self, offset: int, whole: _Whole) -> None:
        """Keep an object, and all that waited for it."""
        self._begun.add(offset)
        made = [(offset, whole)]
        while made:
            offset, whole = made.pop()
            names: tuple[_Base, ...] = (offset, id_of(whole.object))
            for name in names:
                self._at[name] = whole
                made += [(delta.offset, self._applied(whole, delta)) for delta in self._waiting.pop(name, ())]

    def put_delta(self, base: _Base, delta: _Delta) -> None:
        """Keep what a delta makes of its base, now or once that is there."""
        if isinstance(base, int) and base not in self._begun:
            _wrong("it holds a delta to what is no object before it")
        self._begun.add(delta.offset)
        if base in self._at:
            self.put(delta.offset, self._applied(self._at[base], delta))
        else:
            self._waiting.setdefault(base, []).append(delta)

    def objects(self) -> Objects:
        """All objects by id, now that no more will come."""
        if self._waiting:
            _wrong("it holds a delta to what is not in it")
        return {name: whole.object for name, whole in self._at.items() if not isinstance(name, int)}

    def _applied(self, whole: _Whole, delta: _Delta) -> _Whole:
        if whole.depth >= self._limits.git_delta_depth:
            _wrong(f"it holds more than {self._limits.git_delta_depth} deltas in a row")
        head = _Head(delta.content)
        if _figure(head) != len(whole.object.content):
            _wrong("it holds a delta to something else than its base")
        self.charge(_figure(head))
        return _Whole(Object(whole.object.kind, _changed(whole.object.content, delta.content)), whole.depth + 1)


def _changed(base: bytes, delta: bytes) -> bytes:
    """What a delta makes of a base, once its two figures were looked at: dulwich makes what they say, or refuses.

    It is compiled from Rust: what was not foreseen there comes out as a panic, which is no `Exception`.
    """
    from dulwich.pack import apply_delta

    try:
        return b"".join(apply_delta(base, delta))
    except BaseException as raised:
        if not isinstance(raised, Exception) and type(raised).__name__ != "PanicException":
            raise  # an interrupt, or the end of the program
        _wrong("it holds a delta that cannot be applied")
