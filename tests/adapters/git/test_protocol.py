"""What is said to a server, and what is understood of its answers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.git.objects import ObjectId
from kestrel_skills_adapters.git.protocol import Declined, Ref, UploadPack
from kestrel_skills_adapters.git.watching import Watch
from kestrel_skills_core.domain.errors import GitFailed, TooLarge
from kestrel_skills_core.domain.limits import LIMITS
from tests.examples import examples
from tests.git.lies import DELIMITER, FLUSH, GREETING, packet, script, skill
from tests.git.servers import ADVERTISEMENT, RESULT, Asked, Script, serving

pytestmark = pytest.mark.timeout(60)

HONEST = skill()
HEAD = ObjectId(HONEST.head)


@contextmanager
def talking(answers: Script) -> Iterator[UploadPack]:
    """A talk with a server, after the greeting."""
    watch = Watch()
    with serving(answers) as served, served.transport().server(served.url(), watch) as server:
        yield UploadPack(server, watch)


def greeting(*offers: bytes) -> Script:
    """An honest server that offers that; what it is asked is told by what is raised."""
    said = b"".join(packet(offer + b"\n") for offer in (b"version 2", *offers)) + FLUSH
    return script(HONEST, greets=lambda asked: asked.answer(ADVERTISEMENT, [said]))


def asked_of(answers: Script) -> tuple[list[bytes], Script]:
    """The bodies that a server is sent."""
    bodies: list[bytes] = []

    def noting(asked: Asked) -> None:
        if asked.method == "POST":
            bodies.append(asked.body)
        answers(asked)

    return bodies, noting


class TestRequests:
    def test_refs_are_asked_for_by_their_prefixes(self) -> None:
        """Peeled, and no others."""
        bodies, answers = asked_of(script(HONEST))
        with talking(answers) as server:
            assert next(server.refs(["refs/heads/main", "refs/tags/main"])) == Ref("HEAD", HONEST.head)
        assert bodies == [
            packet(b"command=ls-refs\n")
            + packet(b"object-format=sha1\n")
            + DELIMITER
            + packet(b"peel\n")
            + packet(b"ref-prefix refs/heads/main\n")
            + packet(b"ref-prefix refs/tags/main\n")
            + FLUSH
        ]

    def test_a_pack_is_asked_for_by_ids(self) -> None:
        """Of one commit alone, without its folders, and without telling anything that is here."""
        bodies, answers = asked_of(script(HONEST))
        with talking(answers) as server:
            assert b"".join(server.pack([HEAD], "tree:0", deepen=True))[:4] == b"PACK"
        assert bodies == [
            packet(b"command=fetch\n")
            + packet(b"object-format=sha1\n")
            + DELIMITER
            + packet(b"no-progress\n")
            + packet(b"ofs-delta\n")
            + packet(f"want {HEAD}\n".encode())
            + packet(b"deepen 1\n")
            + packet(b"filter tree:0\n")
            + packet(b"done\n")
            + FLUSH
        ]

    def test_nothing_is_asked_that_was_not_offered(self) -> None:
        """Neither a format of ids, nor a depth; whether it filters is told to whoever asks."""
        bodies, answers = asked_of(greeting(b"ls-refs", b"fetch"))
        with talking(answers) as server:
            assert not server.offers.filters
            list(server.pack([HEAD], deepen=True))
        assert bodies == [
            packet(b"command=fetch\n")
            + DELIMITER
            + packet(b"no-progress\n")
            + packet(b"ofs-delta\n")
            + packet(f"want {HEAD}\n".encode())
            + packet(b"done\n")
            + FLUSH
        ]

    def test_a_server_that_filters(self) -> None:
        """It says so among what it can do when it sends objects."""
        with talking(greeting(b"ls-refs=unborn", b"fetch=shallow wait-for-done filter")) as server:
            assert server.offers.filters


class TestAnswers:
    @pytest.mark.parametrize(
        "line",
        [
            b"%b refs/heads/a",
            b"%b refs/heads/a\n",
            b"%b refs/heads/a symref-target:refs/heads/b\n",
            b"1111111111111111111111111111111111111111 refs/heads/a peeled:%b\n",
            b"1111111111111111111111111111111111111111 refs/heads/a symref-target:x peeled:%b\n",
        ],
    )
    def test_a_ref(self, line: bytes) -> None:
        """A name and an id, with or without what it points to; an annotated tag means what it was put on."""
        answer = [packet(line % HEAD.encode()), FLUSH]
        with talking(script(HONEST, lists=lambda asked: asked.answer(RESULT, answer))) as server:
            assert list(server.refs(["refs/heads/a"])) == [Ref("refs/heads/a", HONEST.head)]

    def test_a_refusal(self) -> None:
        """What the server says is told escaped, and cut."""
        answer = packet(b"ERR not \xff\x1b our ref" + b"!" * 1000 + b"\n")
        with (
            talking(script(HONEST, sends=lambda asked: asked.answer(RESULT, [answer]))) as server,
            pytest.raises(Declined) as raised,
        ):
            server.pack([HEAD])
        assert raised.value.why.startswith("it says: not \ufffd\\x1b our ref!!!")
        assert len(raised.value.why) < 200

    @pytest.mark.parametrize("piece", [1, 7, 1000])
    def test_bytes_that_come_in_any_pieces(self, piece: int) -> None:
        """Where an answer is cut on its way does not matter."""

        def send(asked: Asked) -> None:
            pack = HONEST.pack([HEAD])
            whole = packet(b"packfile\n") + packet(b"\2well\n") + packet(b"\1" + pack[:9]) + packet(b"\1" + pack[9:])
            whole += FLUSH
            asked.answer(RESULT, (whole[at : at + piece] for at in range(0, len(whole), piece)))

        with talking(script(HONEST, sends=send)) as server:
            assert b"".join(server.pack([HEAD])) == HONEST.pack([HEAD])


class Canned:
    """A server that answers with bytes that were laid down: to the greeting, and then to everything."""

    def __init__(self, greeting: bytes, answer: bytes) -> None:
        self._greeting, self._answer = greeting, answer

    def get(self, target: str, kind: str) -> Said:
        """The greeting."""
        return Said(self._greeting)

    def post(self, target: str, kind: str, body: bytes, body_kind: str) -> Said:
        """The answer."""
        return Said(self._answer)


class Said(io.BytesIO):
    """What was said, to be read."""

    stage = "fetch"


PARTS = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        [FLUSH, DELIMITER, b"0002", *map(packet, (b"version 2\n", b"packfile\n", b"\1PACK", b"\2", b"\3no"))]
    ),
    st.sampled_from([packet(b"ls-refs\n"), packet(b"fetch=filter\n"), packet(b"1" * 40 + b" refs/heads/a\n")]),
    st.binary(max_size=60).map(packet),
)
ANSWERS = st.lists(PARTS, max_size=8).map(b"".join)


@settings(max_examples=examples(2000))
@given(ANSWERS, st.booleans())
def test_any_bytes(said: bytes, is_greeting: bool) -> None:
    """Whatever a server sends, what comes of it is an answer or `GitFailed`."""
    with suppress(GitFailed):
        server = UploadPack(Canned(said if is_greeting else GREETING, said), Watch())  # type: ignore[arg-type]
        with suppress(GitFailed):
            assert all(len(ref.commit) == 40 for ref in server.refs(["HEAD"]))
        assert len(b"".join(server.pack([HEAD]))) <= len(said)


def test_what_is_read_counts() -> None:
    """All that a server sends in one transfer counts, over all its answers."""
    watch = Watch(evolve(LIMITS, git_received_bytes=10_000))
    with (
        serving(script(HONEST)) as served,
        served.transport().server(served.url(), watch) as server,
        pytest.raises(TooLarge) as raised,
    ):
        list(map(list, map(UploadPack(server, watch).refs, [["HEAD"]] * 100)))
    assert raised.value.allowed == 10_000
    assert 10 < len(served.asked) < 60
