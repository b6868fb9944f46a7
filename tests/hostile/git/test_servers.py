"""Servers that lie, flood, drip, hang or lead elsewhere: each is refused by its name, in time, and in 64 MiB."""

from __future__ import annotations

import gzip
import os
import re
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import chain, count, islice, repeat
from typing import Any, Final

import pytest
from attrs import evolve

from kestrel_skills_adapters.git.source import DulwichGitSource
from kestrel_skills_core.domain.errors import BadSource, GitFailed, SkillError, TooLarge
from kestrel_skills_core.domain.git_address import CommitId, git_ref
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.tree import Content
from tests.git.leaks import nothing_left
from tests.git.lies import (
    DELIMITER,
    FLUSH,
    GREETING,
    Lie,
    Shelf,
    banded,
    entry,
    fetched,
    packed,
    packet,
    script,
    skill,
)
from tests.git.servers import ADVERTISEMENT, RESULT, Asked, Script, Served, serving

pytestmark = pytest.mark.timeout(30)

HASTE: Final = evolve(LIMITS, git_idle_seconds=0.5, git_seconds=1.5)
"""The patience of whoever tests what waits; whatever else is refused, is refused at once, and has the time it needs."""
SILENT: Final = r"nothing came for 0\.5 seconds"
LONG: Final = r"not done after 1\.5 seconds"
MOST: Final = 64 << 20
SKILL: Final = ResourcePath("skills/x")


def here() -> bool:
    """Nobody went away."""
    return False


def use(served: Served, shelf: Shelf, limits: Limits) -> object:
    """What a preview does: look a ref up, and fetch a folder."""
    source = DulwichGitSource(served.transport(), limits)
    commit = source.resolve(served.url(), git_ref("main"), cancelled=here)
    assert commit == shelf.head
    return source.fetch(served.url(), commit, SKILL, cancelled=here).files


def use_by_list(served: Served, shelf: Shelf, limits: Limits) -> object:
    """What a list of skills does."""
    return DulwichGitSource(served.transport(), limits).list(served.url(), CommitId(shelf.head), cancelled=here)


def refused(
    answers: Script,
    shelf: Shelf,
    limits: Limits = LIMITS,
    by: Callable[[Served, Shelf, Limits], object] = use,
    most: int = MOST,
) -> SkillError:
    """The error that a server's answers end in; it cost no more than it may, and nothing is left of it."""
    with nothing_left(), serving(answers) as served:
        tracemalloc.start()
        try:
            with pytest.raises(SkillError) as raised:
                by(served, shelf, limits)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < most
    assert len(str(raised.value)) < 300
    assert str(raised.value).isprintable()
    assert raised.value.fix
    return raised.value


def test_an_honest_server() -> None:
    """The server that all these begin as is read as it should be."""
    shelf = skill()
    with nothing_left(), serving(script(shelf)) as served:
        assert use(served, shelf, LIMITS) == {
            "SKILL.md": Content(b"---\nname: x\ndescription: Use when x is wanted.\n---\n\nDo x.\n"),
            "run.sh": Content(b"#!/bin/sh\necho x\n", executable=True),
        }


def says(kind: str, *pieces: bytes, **more: Any) -> Lie:
    """Answers just that."""
    return lambda asked: asked.answer(kind, pieces, **more)


def forever(kind: str, piece: bytes, *first: bytes) -> Lie:
    """Answers the same without end."""
    return lambda asked: asked.answer(kind, chain(first, repeat(piece)))


def drips(kind: str, piece: bytes, *first: bytes) -> Lie:
    """Answers a little now and then, without end."""

    def drip(asked: Asked) -> None:
        def pieces() -> Iterator[bytes]:
            yield from first
            while True:
                asked.handler.wfile.flush()
                asked.wait(0.05)
                yield piece

        asked.answer(kind, pieces())

    return drip


def drips_raw(piece: bytes, first: bytes = b"") -> Lie:
    """Sends a little now and then, without end, before any answer has begun."""

    def drip(asked: Asked) -> None:
        asked.send(first)
        while True:
            asked.send(piece)
            asked.handler.wfile.flush()
            asked.wait(0.05)

    return drip


def hangs(asked: Asked) -> None:
    """Says nothing."""
    asked.wait(60)


def hangs_in_the_middle(kind: str, *first: bytes) -> Lie:
    """Says nothing more."""

    def hang(asked: Asked) -> None:
        def pieces() -> Iterator[bytes]:
            yield from first
            asked.handler.wfile.flush()
            asked.wait(60)

        asked.answer(kind, pieces())

    return hang


def breaks_off(kind: str, *first: bytes) -> Lie:
    """Closes the connection in the middle."""

    def close(asked: Asked) -> None:
        asked.begin(kind, headers=[("Transfer-Encoding", "chunked")])
        for piece in first:
            asked.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        asked.hang_up()

    return close


def sends_raw(sent: bytes, times: int = 1) -> Lie:
    """Sends what may be no HTTP at all, and hangs up."""

    def send(asked: Asked) -> None:
        for _ in range(times):
            asked.send(sent)
        asked.hang_up()

    return send


PACK: Final = packet(b"packfile\n")
OLD: Final = packet(b"# service=git-upload-pack\n") + FLUSH
COMMANDS: Final = (b"version 2\n", b"ls-refs\n", b"fetch=shallow filter\n")

GREETS: dict[str, tuple[Lie, str]] = {
    "wants a password": (says("text/plain", status=401), "it wants to know who asks"),
    "forbids": (says("text/plain", status=403), "it does not let everybody read"),
    "knows no such repository": (says("text/plain", status=404), "there is no such repository"),
    "fails": (says("text/plain", status=500), r"it cannot answer \(500\)"),
    "has nothing": (says(ADVERTISEMENT, status=204), r"it cannot answer \(204\)"),
    "compresses a bomb": (
        says(ADVERTISEMENT, gzip.compress(bytes(1 << 24)), headers=[("Content-Encoding", "gzip")]),
        "its answer is encoded",
    ),
    "encodes twice": (
        says(ADVERTISEMENT, b"x", headers=[("Content-Encoding", "identity, br")]),
        "its answer is encoded",
    ),
    "is a web site": (says("text/html", b"<html>"), "does not speak the smart protocol"),
    "speaks the dumb protocol without end": (
        forever("text/plain", b"%040x\trefs/heads/main\n" % 7 * 1000),
        "does not speak the smart protocol",
    ),
    "says no content type": (sends_raw(b"HTTP/1.1 200 OK\r\n\r\n"), "does not speak the smart protocol"),
    "speaks version 0": (
        says(ADVERTISEMENT, OLD, packet(b"1" * 40 + b" HEAD\0multi_ack side-band-64k\n"), FLUSH),
        "older versions",
    ),
    "speaks version 1": (says(ADVERTISEMENT, OLD, packet(b"version 1\n"), FLUSH), "older versions"),
    "speaks version 3": (says(ADVERTISEMENT, OLD, packet(b"version 3\n"), FLUSH), "does not speak git's protocol"),
    "says nothing at all": (says(ADVERTISEMENT), "cut short"),
    "sends noise": (says(ADVERTISEMENT, os.urandom(1000).replace(b"0", b"x")), "not in the packets of git"),
    "sends a packet of negative length": (says(ADVERTISEMENT, b"-001"), "not in the packets of git"),
    "sends a packet that is cut": (says(ADVERTISEMENT, b"ffffx"), "cut short"),
    "offers without end": (
        forever(ADVERTISEMENT, packet(b"agent=x" * 5000), packet(b"version 2\n")),
        "what it offers never ends",
    ),
    "has ids of SHA-256": (
        says(ADVERTISEMENT, *map(packet, (*COMMANDS, b"object-format=sha256\n")), FLUSH),
        "SHA-256",
    ),
    "lets nobody fetch": (
        says(ADVERTISEMENT, *map(packet, (b"version 2\n", b"ls-refs\n")), FLUSH),
        "does not offer to read",
    ),
    "refuses": (says(ADVERTISEMENT, packet(b"ERR go \x1b[31maway\n")), r"it says: go \\x1b\[31maway"),
    "is told to be no HTTP": (sends_raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "does not speak HTTP"),
    "sends a status line without end": (sends_raw(b"HTTP/1.1 200 " + b"x" * 70_000), "does not speak HTTP"),
    "sends headers without end": (
        sends_raw(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(1000))),
        "does not speak HTTP",
    ),
    "closes": (sends_raw(b""), "it broke off"),
    "closes in the middle": (breaks_off(ADVERTISEMENT, GREETING[:30]), "it broke off"),
    "says less than it announced": (
        sends_raw(
            f"HTTP/1.1 200 OK\r\nContent-Type: {ADVERTISEMENT}\r\nContent-Length: 5000\r\n\r\n".encode() + GREETING[:30]
        ),
        "it broke off",
    ),
    "sends chunks that are none": (
        sends_raw(
            f"HTTP/1.1 200 OK\r\nContent-Type: {ADVERTISEMENT}\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n".encode()
        ),
        "it broke off",
    ),
    "hangs": (hangs, SILENT),
    "hangs in the middle": (hangs_in_the_middle(ADVERTISEMENT, GREETING[:30]), SILENT),
    "drips": (drips(ADVERTISEMENT, b"x", b"fff0"), LONG),
    "drips headers": (drips_raw(b"X", b"HTTP/1.1 200 OK\r\nX: "), LONG),
    "says to go on, without end": (drips_raw(b"HTTP/1.1 100 Continue\r\n\r\n"), LONG),
}


def match(error: SkillError, kind: type[SkillError], stage: str, why: str) -> None:
    """The error is of that kind, at that stage, and says so."""
    assert isinstance(error, kind)
    if isinstance(error, GitFailed):
        assert error.stage == stage
        assert re.search(why, error.why), error.why
    else:
        assert re.search(why, str(error)), str(error)


def patience(why: str) -> Limits:
    """Little, where waiting is what is tried."""
    return HASTE if why in (SILENT, LONG) else LIMITS


@pytest.mark.parametrize(("greets", "why"), GREETS.values(), ids=GREETS)
def test_a_greeting(greets: Lie, why: str) -> None:
    """What does not greet as a server of git's protocol, version 2, is not talked to."""
    shelf = skill()
    match(refused(script(shelf, greets=greets), shelf, patience(why)), GitFailed, "refs", why)


CHUNKED: Final = f"HTTP/1.1 200 OK\r\nContent-Type: {ADVERTISEMENT}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
LINE: Final = b"X: " + b"y" * 60_000 + b"\r\n"
FLOODS: dict[str, Iterator[bytes]] = {
    "answers that say to go on": repeat(b"HTTP/1.1 100 Continue\r\n" + LINE * 90 + b"\r\n"),
    "trailers": chain([CHUNKED, b"%x\r\n%b\r\n0\r\n" % (len(GREETING), GREETING)], repeat(LINE)),
    "trailers of a greeting that is not done": chain([CHUNKED, b"4\r\n0012\r\n0\r\n"], repeat(LINE)),
    "extensions of chunks": chain([CHUNKED, b"4\r\nffff\r\n"], repeat(b"1;" + b"e" * 60_000 + b"\r\nx\r\n")),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_whatever_comes_is_counted(flood: str) -> None:
    """What the layers below git pass over too: where it goes on for ever, it ends at the cap, and is told to be it."""
    shelf, sent = skill(), 0

    def send(asked: Asked) -> None:
        nonlocal sent
        for piece in FLOODS[flood]:
            asked.send(piece)
            sent += len(piece)

    error = refused(script(shelf, greets=send), shelf, evolve(LIMITS, git_received_bytes=8 << 20))
    match(error, TooLarge, "", "bytes from a git server")
    assert sent < 32 << 20  # the cap, and what the system holds between the two


def test_a_handshake_is_counted() -> None:
    """Before anything is known of the server, it has sent a certificate."""
    shelf = skill()
    match(
        refused(script(shelf), shelf, evolve(LIMITS, git_received_bytes=500)), TooLarge, "", "bytes from a git server"
    )


REF: Final = packet(b"%040x refs/heads/main\n" % 7)
LISTS: dict[str, tuple[Lie, type[SkillError], str]] = {
    "lists refs without end": (forever(RESULT, REF * 1000), TooLarge, "bytes from a git server"),
    "lists what are no refs": (says(RESULT, packet(b"x refs/heads/main\n"), FLUSH), GitFailed, "no refs"),
    "lists ids that are cut short": (says(RESULT, packet(b"1234567 refs/heads/main\n"), FLUSH), GitFailed, "no refs"),
    "lists nothing": (says(RESULT, FLUSH), BadSource, "no such ref"),
    "lists others": (
        says(RESULT, packet(b"1" * 40 + b" refs/heads/mainline\n"), FLUSH),
        BadSource,
        "no such ref",
    ),
    "lists a branch that is not born": (says(RESULT, packet(b"unborn HEAD\n"), FLUSH), GitFailed, "no refs"),
    "never ends its list": (says(RESULT, REF), GitFailed, "cut short"),
    "refuses": (says(RESULT, packet(b"ERR no\nway" + b"!" * 5000)), GitFailed, r"it says: no\\x0away!{100,200}$"),
    "answers in another type": (says(ADVERTISEMENT, REF, FLUSH), GitFailed, "smart protocol"),
    "compresses": (
        says(RESULT, gzip.compress(bytes(1 << 24)), headers=[("Content-Encoding", "gzip")]),
        GitFailed,
        "encoded",
    ),
    "fails": (says(RESULT, status=503), GitFailed, r"it cannot answer \(503\)"),
    "hangs": (hangs, GitFailed, SILENT),
    "hangs in the middle": (hangs_in_the_middle(RESULT, REF), GitFailed, SILENT),
    "drips": (drips(RESULT, packet(b"1" * 40 + b" refs/heads/other\n")), GitFailed, LONG),
    "closes in the middle": (breaks_off(RESULT, REF), GitFailed, "broke off"),
}


@pytest.mark.parametrize(("lists", "kind", "why"), LISTS.values(), ids=LISTS)
def test_a_list_of_refs(lists: Lie, kind: type[SkillError], why: str) -> None:
    """Of what a server lists, only the ref that was asked for counts, and no list is read for ever."""
    shelf = skill()
    match(
        refused(script(shelf, lists=lists), shelf, evolve(patience(why), git_received_bytes=1 << 20)), kind, "refs", why
    )


def test_refs_that_were_not_asked_for_are_not_kept() -> None:
    """However many there are, each of another name, they cost nothing but the time to read them."""
    shelf = skill()

    def flood(asked: Asked) -> None:
        numbers = count()
        asked.answer(
            RESULT,
            (b"".join(packet(b"%040x refs/heads/main-%d\n" % (n, n)) for n in islice(numbers, 100)) for _ in repeat(0)),
        )

    limits = evolve(LIMITS, git_received_bytes=4 << 20)
    match(refused(script(shelf, lists=flood), shelf, limits, most=2 << 20), TooLarge, "", "bytes from a git server")


def pack_of(change: Callable[[bytes], bytes]) -> Lie:
    """Sends the right pack, but changed."""
    shelf = skill()
    return lambda asked: asked.answer(RESULT, fetched(asked, banded(change(shelf.pack(shelf.sent(asked.body))))))


def objects_of(*objects: tuple[str, bytes], count: int | None = None) -> Lie:
    """Sends a pack of other objects."""
    pack = packed(objects, count)
    return lambda asked: asked.answer(RESULT, fetched(asked, banded(pack)))


def noise(many: int) -> Iterator[bytes]:
    """So many blobs of 1 MiB that do not compress, as a pack, in a side band."""
    whole = b"PACK\0\0\0\2" + many.to_bytes(4, "big")
    yield from banded(whole)
    stored = entry("blob", os.urandom(1 << 20))
    for _ in range(many):
        yield from banded(stored)


LARGE: Final = b"PACK\0\0\0\2\0\0\0\1" + entry("blob", os.urandom(1 << 16))[:100]
"""The begin of a pack of one object, which does not compress, so that any bytes may follow."""

SENDS: dict[str, tuple[Lie, type[SkillError], str, str]] = {
    "tells of progress without end": (
        forever(RESULT, packet(b"\2" + b"p" * 60_000), PACK),
        TooLarge,
        "",
        "bytes from a git server",
    ),
    "keeps alive without end": (drips(RESULT, packet(b"\2"), PACK), GitFailed, "fetch", LONG),
    "drips the pack": (
        drips(RESULT, packet(b"\1x"), PACK, packet(b"\1" + LARGE)),
        GitFailed,
        "fetch",
        LONG,
    ),
    "hangs": (hangs, GitFailed, "fetch", SILENT),
    "hangs in the pack": (
        hangs_in_the_middle(RESULT, PACK, packet(b"\1PACK\0\0\0\2")),
        GitFailed,
        "fetch",
        SILENT,
    ),
    "closes in the pack": (breaks_off(RESULT, PACK, packet(b"\1PACK")), GitFailed, "fetch", "broke off"),
    "ends in the pack": (pack_of(lambda pack: pack[:40]), GitFailed, "pack", "cut short"),
    "ends before the pack": (says(RESULT, FLUSH), GitFailed, "fetch", "cut short"),
    "ends within a packet": (says(RESULT, PACK, b"00ff\1PACK"), GitFailed, "fetch", "cut short"),
    "sends no pack": (pack_of(lambda pack: b"JUNK" + pack[4:]), GitFailed, "pack", "something else"),
    "sends more than a pack": (pack_of(lambda pack: pack + b"more"), GitFailed, "pack", "after its end"),
    "sends a pack with a wrong sum": (
        pack_of(lambda pack: pack[:-1] + bytes([pack[-1] ^ 1])),
        GitFailed,
        "pack",
        "not those",
    ),
    "sends 4 thousand million objects": (
        objects_of(("blob", b"x"), count=0xFFFFFFFF),
        TooLarge,
        "",
        "objects in one transfer",
    ),
    "sends 200 MiB": (
        lambda asked: asked.answer(RESULT, fetched(asked, noise(200))),
        TooLarge,
        "",
        "bytes",
    ),
    "sends a bomb": (objects_of(("blob", bytes(1 << 26))), TooLarge, "", "bytes in one object"),
    "sends another object": (objects_of(("blob", b"evil")), GitFailed, "tree", "did not send a commit"),
    "sends another commit": (
        objects_of(("commit", b"tree " + b"1" * 40 + b"\n")),
        GitFailed,
        "tree",
        "did not send a commit",
    ),
    "sends nothing": (objects_of(), GitFailed, "tree", "did not send a commit"),
    "fails in the middle": (
        says(RESULT, PACK, packet(b"\1PACK"), packet(b"\3out of \x07memory\n")),
        GitFailed,
        "fetch",
        r"it says: out of \\x07memory$",
    ),
    "uses a band that nobody knows": (says(RESULT, PACK, packet(b"\4x"), FLUSH), GitFailed, "fetch", "not asked"),
    "says something else first": (says(RESULT, packet(b"wanted-refs\n"), DELIMITER), GitFailed, "fetch", "not asked"),
    "tells of its first commits without end": (
        forever(RESULT, packet(b"shallow " + b"1" * 60_000), packet(b"shallow-info\n")),
        TooLarge,
        "",
        "bytes from a git server",
    ),
    "fails to answer": (says(RESULT, status=500), GitFailed, "fetch", r"it cannot answer \(500\)"),
}


@pytest.mark.parametrize(("sends", "kind", "stage", "why"), SENDS.values(), ids=SENDS)
def test_what_is_sent(sends: Lie, kind: type[SkillError], stage: str, why: str) -> None:
    """What is no pack of what was asked for, or too much of it, is refused."""
    shelf = skill()
    match(refused(script(shelf, sends=sends), shelf, patience(why)), kind, stage, why)
    match(refused(script(shelf, sends=sends), shelf, patience(why), use_by_list), kind, stage, why)


def test_another_file_than_the_folder_names() -> None:
    """A file is known by the id of its bytes: another one in its place is none."""
    shelf = skill()

    def swap(asked: Asked) -> None:
        sent = [shelf.objects[named] for named in shelf.sent(asked.body)]
        lied = [("blob", b"evil") if kind == "blob" else (kind, content) for kind, content in sent]
        asked.answer(RESULT, fetched(asked, banded(packed(lied))))

    match(refused(script(shelf, sends=swap), shelf), GitFailed, "file", "did not send `SKILL.md`")
    match(refused(script(shelf, sends=swap), shelf, by=use_by_list), GitFailed, "file", "did not send a `SKILL.md`")


def test_a_text_that_is_a_folder() -> None:
    """What stands there as a file must be one."""
    shelf = skill()
    folder = shelf.tree({"a": ("100644", shelf.put("blob", b"a"))})
    top = shelf.tree({"x": ("40000", shelf.tree({"SKILL.md": ("100644", folder)}))})
    shelf.head = shelf.put("commit", f"tree {top}\n\none\n".encode())
    match(refused(script(shelf), shelf, by=use_by_list), GitFailed, "file", "did not send a `SKILL.md`")


@pytest.mark.parametrize("kind", ["blob", "tag", "tree"])
def test_a_ref_that_leads_to_no_commit(kind: str) -> None:
    """What a ref leads to must be a commit."""
    shelf = skill()
    shelf.head = shelf.put(kind, b"")
    match(refused(script(shelf), shelf), GitFailed, "tree", "what should be a commit is")


def test_a_pack_that_lies_elsewhere() -> None:
    """A server that says where else the pack lies, unasked, is refused, and nobody goes there."""
    shelf = skill()
    with serving(script(shelf)) as elsewhere:
        uri = packet(b"packfile-uris\n") + packet(b"1" * 40 + b" " + elsewhere.url().encode() + b"\n") + DELIMITER
        match(refused(script(shelf, sends=says(RESULT, uri, PACK)), shelf), GitFailed, "fetch", "not asked")
        assert elsewhere.connections == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("at", ["greets", "lists", "sends"])
def test_a_redirect_to_another_host(status: int, at: str) -> None:
    """It is refused, and its target is never contacted."""
    shelf = skill()
    with serving(script(shelf)) as elsewhere:
        lie = says("text/plain", status=status, headers=[("Location", elsewhere.url())])
        error = refused(script(shelf, **{at: lie}), shelf)
        match(error, GitFailed, "fetch" if at == "sends" else "refs", rf"it redirects \({status}\)")
        assert elsewhere.connections == 0


@pytest.mark.parametrize("at", ["greets", "lists", "sends"])
def test_a_redirect_to_the_same_host(at: str) -> None:
    """It is refused too, and not followed."""
    shelf = skill()
    lie = says("text/plain", status=302, headers=[("Location", "/other.git/info/refs")])
    with serving(script(shelf, **{at: lie})) as served:
        with pytest.raises(GitFailed, match="it redirects"):
            use(served, shelf, LIMITS)
        assert not any("other.git" in path for _, path in served.asked)


@pytest.mark.parametrize("at", ["greets", "lists", "sends"])
def test_nothing_is_asked_twice(at: str) -> None:
    """A request that fails is not sent again."""
    shelf = skill()
    with serving(script(shelf, **{at: sends_raw(b"")})) as served:
        with pytest.raises(GitFailed, match="broke off"):
            use(served, shelf, LIMITS)
        assert len(served.asked) == {"greets": 1, "lists": 2, "sends": 3}[at]
