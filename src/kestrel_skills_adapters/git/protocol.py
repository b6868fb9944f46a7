"""What is said to a server: version 2 of git's protocol, and of it only reading.

Format: git's documentation, `gitprotocol-v2`, `gitprotocol-http`, `gitprotocol-common` (packets, which dulwich reads).
What a server did not offer is not asked of it, and what it was not asked for is refused, packs that lie elsewhere
(`packfile-uris`) above all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

from dulwich.errors import GitProtocolError
from dulwich.protocol import (
    SIDE_BAND_CHANNEL_DATA,
    SIDE_BAND_CHANNEL_FATAL,
    SIDE_BAND_CHANNEL_PROGRESS,
    Protocol,
    pkt_line,
)

from kestrel_skills_core.domain.errors import GitFailed
from kestrel_skills_core.domain.git_address import CommitId
from kestrel_skills_core.domain.text import escaped

from .objects import ObjectId
from .transport import Reply, Server
from .watching import Watch

__all__ = ["Declined", "Filter", "Offers", "Ref", "UploadPack"]

Filter = Literal["tree:0", "blob:none"]
"""Leave out every folder and file, or every file, but for those that are asked for by their ids.

These two are what large hosts allow; others, and deeper ones, they refuse.
"""


class Offers(NamedTuple):
    """What a server can do besides the least: name the format of ids, filter, and leave out what came before."""

    format: bool
    filters: bool
    depth: bool


class Ref(NamedTuple):
    """The full name of a ref, and the commit it leads to; of an annotated tag, the one that it was put on."""

    name: str
    commit: CommitId


_SERVICE: Final = "git-upload-pack"
_ADVERTISEMENT: Final = f"application/x-{_SERVICE}-advertisement"
_REQUEST: Final = f"application/x-{_SERVICE}-request"
_RESULT: Final = f"application/x-{_SERVICE}-result"
_DELIMITER: Final = b"0001"
_OFFERS: Final = 256
"""Capabilities that are read; servers have some eight."""
_SAID: Final = 160
"""Characters of what a server said that are told."""
_REF: Final = re.compile(
    rb"(?P<id>[0-9a-f]{40}) (?P<name>[^ \n]+)(?: (?!peeled:)[^ \n]+)*(?: peeled:(?P<peeled>[0-9a-f]{40}))?\n?"
)
_OLD: Final = re.compile(rb"version 1\n?|[0-9a-f]{40,64} .*", re.DOTALL)
_RIGHT: Final = "see that the address is right"
_ASKED: Final = "see that the address, and what is asked for, are right"
_ODD: Final = "try again; if it stays so, tell whoever runs the server"
_PACK, _PROGRESS, _FATAL = (
    bytes([band]) for band in (SIDE_BAND_CHANNEL_DATA, SIDE_BAND_CHANNEL_PROGRESS, SIDE_BAND_CHANNEL_FATAL)
)


class Declined(GitFailed):
    """The server answered, and does not want to send that."""


class UploadPack:
    """A repository on a server, by what its `git-upload-pack` answers.

    Raises, every method, and iterating over what it gives:
        GitFailed: The server does not answer as it should.
        TooLarge: It has sent more than a transfer may have.
    """

    def __init__(self, server: Server, watch: Watch, offers: Offers | None = None) -> None:
        """Ask what is offered, unless that is known: one request."""
        self._server, self._watch = server, watch
        self.offers = offers or self._greeted()

    def _greeted(self) -> Offers:
        self._watch.at("refs")
        reply = self._server.get(f"info/refs?service={_SERVICE}", _ADVERTISEMENT)
        offered = _offered(islice(_packets(reply), _OFFERS))
        of_fetch = offered[b"fetch"].split()
        return Offers(b"object-format" in offered, b"filter" in of_fetch, b"shallow" in of_fetch)

    def met(self, entries: int) -> None:
        """So many files and folders more were met; for whoever watches."""
        self._watch.entries += entries

    def refs(self, prefixes: Iterable[str]) -> Iterator[Ref]:
        """The refs whose full names begin so: one request, read no further than one iterates."""
        self._watch.at("refs")
        asked = [b"peel", *(b"ref-prefix " + prefix.encode() for prefix in prefixes)]
        for packet in _part(self._said(b"ls-refs", asked)):
            found = _REF.fullmatch(packet)
            if found is None:
                raise GitFailed("refs", "what it lists are no refs", _ODD)
            commit = (found["peeled"] or found["id"]).decode()
            yield Ref(found["name"].decode("utf-8", "surrogateescape"), CommitId(commit))

    def pack(
        self, wants: Sequence[ObjectId], without: Filter | None = None, *, deepen: bool = False
    ) -> Iterator[bytes]:
        """A pack of what is wanted and what it leads to, piece by piece: one request.

        `without` may be given where the server offers filters. `deepen` leaves out what came before a commit, where the
        server can.

        Raises:
            Declined: The server does not send that, and says why.
        """
        self._watch.at("fetch")
        asked = [b"no-progress", b"ofs-delta", *(b"want " + want.encode() for want in wants)]
        if deepen and self.offers.depth:
            asked.append(b"deepen 1")
        if without is not None:
            asked.append(b"filter " + without.encode())
        packets = self._said(b"fetch", [*asked, b"done"])
        _skip_to_pack(packets)
        return _unbanded(_part(packets))

    def _said(self, command: bytes, asked: Iterable[bytes]) -> Iterator[bytes | None]:
        """What is answered to a command."""
        stated = [b"object-format=sha1\n"] if self.offers.format else []
        body = b"".join(
            (
                *map(pkt_line, [b"command=" + command + b"\n", *stated]),
                _DELIMITER,
                *(pkt_line(line + b"\n") for line in asked),
                pkt_line(None),
            )
        )
        return _packets(self._server.post(_SERVICE, _RESULT, body, _REQUEST))


def _packets(reply: Reply) -> Iterator[bytes | None]:
    """The packets of an answer, and nothing for one that ends a part of it; it goes on for as long as one asks."""
    read_packet = Protocol(reply.read, _write_nothing).read_pkt_line
    while True:
        yield _read(read_packet, reply.stage)


def _read(read_packet: Callable[[], bytes | None], stage: str) -> bytes | None:
    try:
        packet = read_packet()
    except GitProtocolError:
        raise GitFailed(stage, "its answer is cut short, or is not in the packets of git", _ODD) from None
    if packet is not None and packet.startswith(b"ERR "):
        raise Declined(stage, _quoted(packet[4:]), _ASKED)
    return packet


def _write_nothing(_: bytes) -> None:
    """Requests are sent whole."""


def _part(packets: Iterator[bytes | None]) -> Iterator[bytes]:
    """The packets up to the end of this part."""
    while (packet := next(packets)) is not None:
        yield packet


def _offered(packets: Iterator[bytes | None]) -> dict[bytes, bytes]:
    """What a server can do, by name: the first answer of all.

    Raises:
        GitFailed: It speaks another version, does not speak at all, or has what is not read here.
    """
    first = next(packets)
    if first is not None and first.startswith(b"# service="):  # the head of the old answer, which some give still
        next(packets)
        first = next(packets)
    if first is None or first.rstrip(b"\n") != b"version 2":
        old = first is not None and _OLD.fullmatch(first)
        why = "it speaks only older versions of git's protocol than 2" if old else "it does not speak git's protocol"
        raise GitFailed(
            "refs", why, "use a server with git 2.18 or later that lets version 2 through" if old else _RIGHT
        )
    offered = {}
    for packet in packets:
        if packet is None:
            break
        name, _, value = packet.rstrip(b"\n").partition(b"=")
        offered[name] = value
    else:
        raise GitFailed("refs", "what it offers never ends", _ODD)
    if offered.get(b"object-format", b"sha1") != b"sha1":
        raise GitFailed("refs", "its ids are of SHA-256, which are not read", "use a repository with ids of SHA-1")
    if not {b"ls-refs", b"fetch"} <= offered.keys():
        raise GitFailed("refs", "it does not offer to read from it", _RIGHT)
    return offered


def _skip_to_pack(packets: Iterator[bytes | None]) -> None:
    """Pass over what a fetch may tell before the pack: which commits are the first that it has."""
    for packet in packets:
        if packet == b"packfile\n":
            return
        if packet is not None and not packet.startswith((b"shallow-info\n", b"shallow ", b"unshallow ")):
            raise GitFailed("fetch", "it answers what was not asked", _ODD)


def _unbanded(packets: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes of a pack, out of the side bands: progress is for people, and passed over."""
    for packet in packets:
        band = packet[:1]
        if band == _PACK:
            yield packet[1:]
        elif band == _FATAL:
            raise Declined("fetch", _quoted(packet[1:]), _ASKED)
        elif band != _PROGRESS:
            raise GitFailed("fetch", "it answers what was not asked", _ODD)


def _quoted(said: bytes) -> str:
    """What a server says, on one line, with nothing hidden in it, and not for ever."""
    text = said[: 4 * _SAID].decode("utf-8", "replace").strip()
    return f"it says: {escaped(text)[:_SAID]}"
