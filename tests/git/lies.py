"""Servers that lie: each begins as an honest one, made of a few objects, and says one thing of its own."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from attrs import define, field

from tests.git.servers import ADVERTISEMENT, RESULT, Asked, Script

__all__ = [
    "DELIMITER",
    "FLUSH",
    "GREETING",
    "Lie",
    "Shelf",
    "banded",
    "entry",
    "fetched",
    "packed",
    "packet",
    "script",
    "skill",
]

FLUSH: Final = b"0000"
DELIMITER: Final = b"0001"
_KINDS: Final = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}


def packet(content: bytes) -> bytes:
    """One packet."""
    return b"%04x%b" % (len(content) + 4, content)


GREETING: Final = b"".join(
    (
        packet(b"# service=git-upload-pack\n"),
        FLUSH,
        *map(
            packet, (b"version 2\n", b"agent=git/2\n", b"ls-refs\n", b"fetch=shallow filter\n", b"object-format=sha1\n")
        ),
        FLUSH,
    )
)


@define
class Shelf:
    """Objects by their ids, as hex digits; `head` is what HEAD and `main` are."""

    objects: dict[str, tuple[str, bytes]] = field(factory=dict)
    head: str = ""

    def put(self, kind: str, content: bytes) -> str:
        """Add an object; its id."""
        named = hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).hexdigest()
        self.objects[named] = (kind, content)
        return named

    def tree(self, entries: Mapping[str, tuple[str, str]]) -> str:
        """Add a folder of entries, each with its mode and id."""
        return self.put(
            "tree",
            b"".join(
                f"{mode} {name}\0".encode() + bytes.fromhex(named) for name, (mode, named) in sorted(entries.items())
            ),
        )

    def pack(self, ids: Iterable[str]) -> bytes:
        """A pack of these objects."""
        return packed(self.objects[named] for named in ids)

    def sent(self, body: bytes) -> list[str]:
        """The objects that an honest server sends: what is wanted, and what it leads to, if not filtered."""
        wants = [found.decode() for found in re.findall(rb"want ([0-9a-f]{40})", body)]
        filtered = re.search(rb"filter (\S+)", body)
        kept = {b"tree:0": ("commit",), b"blob:none": ("commit", "tree")}.get(
            filtered[1] if filtered else b"", tuple(_KINDS)
        )
        found, ahead = list(wants), list(wants)
        while ahead:
            for each in self._below(ahead.pop()):
                if each not in found and self.objects[each][0] in kept:
                    found.append(each)
                    ahead.append(each)
        return found

    def _below(self, named: str) -> Iterator[str]:
        kind, content = self.objects[named]
        if kind == "commit":
            yield content[5:45].decode()
        elif kind == "tree":
            yield from (found.hex() for found in re.findall(rb"[0-7]+ [^\0]+\0(.{20})", content, re.DOTALL))


def packed(objects: Iterable[tuple[str, bytes]], count: int | None = None) -> bytes:
    """A pack of objects, which says that there are so many."""
    each = [entry(kind, content) for kind, content in objects]
    whole = (
        b"PACK" + (2).to_bytes(4, "big") + (len(each) if count is None else count).to_bytes(4, "big") + b"".join(each)
    )
    return whole + hashlib.sha1(whole).digest()


def entry(kind: str, content: bytes) -> bytes:
    """An object as it stands in a pack."""
    size = len(content)
    head = [_KINDS[kind] << 4 | size & 15]
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 127)
        size >>= 7
    return bytes(head) + zlib.compress(content)


def skill() -> Shelf:
    """One commit with one skill, `skills/x`, of two files."""
    shelf = Shelf()
    document = shelf.put("blob", b"---\nname: x\ndescription: Use when x is wanted.\n---\n\nDo x.\n")
    script = shelf.put("blob", b"#!/bin/sh\necho x\n")
    x = shelf.tree({"SKILL.md": ("100644", document), "run.sh": ("100755", script)})
    top = shelf.tree({"skills": ("40000", shelf.tree({"x": ("40000", x)}))})
    shelf.head = shelf.put("commit", f"tree {top}\nauthor A <a@example.org> 0 +0000\n\none\n".encode())
    return shelf


def banded(pack: bytes, band: int = 1) -> Iterator[bytes]:
    """Bytes in a side band."""
    for at in range(0, len(pack), 65_515):
        yield packet(bytes([band]) + pack[at : at + 65_515])


def fetched(asked: Asked, pack: Iterable[bytes]) -> Iterator[bytes]:
    """What is said around the packets of a pack."""
    if b"deepen 1" in asked.body:
        yield packet(b"shallow-info\n") + DELIMITER
    yield packet(b"packfile\n")
    yield from pack
    yield FLUSH


Lie = Callable[[Asked], object]


def script(shelf: Shelf, *, greets: Lie | None = None, lists: Lie | None = None, sends: Lie | None = None) -> Script:
    """An honest server, but for what it says when it greets, lists refs, or sends objects."""

    def greet(asked: Asked) -> None:
        asked.answer(ADVERTISEMENT, [GREETING])

    def tell(asked: Asked) -> None:
        names = (b"HEAD", b"refs/heads/main", b"refs/heads/maintenance")
        asked.answer(RESULT, [*(packet(b"%b %b\n" % (shelf.head.encode(), name)) for name in names), FLUSH])

    def send(asked: Asked) -> None:
        asked.answer(RESULT, fetched(asked, banded(shelf.pack(shelf.sent(asked.body)))))

    def answer(asked: Asked) -> None:
        if asked.method == "GET":
            (greets or greet)(asked)
        elif b"command=ls-refs" in asked.body:
            (lists or tell)(asked)
        else:
            (sends or send)(asked)

    return answer
