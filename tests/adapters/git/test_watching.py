"""Whatever a transfer waits for, whoever watches it can leave, and nothing of it stays."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import pytest
from attrs import evolve, frozen

from kestrel_skills_adapters.git.source import DulwichGitSource
from kestrel_skills_adapters.git.transport import Transport
from kestrel_skills_adapters.git.watching import Ended, Spent, Watch, watched
from kestrel_skills_core.domain.errors import Abandoned, GitFailed, SkillError, TooLarge
from kestrel_skills_core.domain.git_address import GitUrl, git_url
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import ResourcePath
from tests.git.leaks import nothing_left, transfers
from tests.git.lies import GREETING, Lie, packet, script, skill
from tests.git.servers import ADVERTISEMENT, HOST, LOOPBACK, RESULT, Asked, authority, serving

pytestmark = pytest.mark.timeout(30)

HONEST = skill()
ON_LOOPBACK = {"is_allowed": lambda address: address == LOOPBACK}


def here() -> bool:
    """Nobody went away."""
    return False


@frozen
class Stuck:
    """Where a transfer hangs, and what tells that it got there."""

    transport: Transport
    url: GitUrl
    is_there: threading.Event


@contextmanager
def in_a_name() -> Iterator[Stuck]:
    """The system does not say what a name means, until the test is over."""
    is_there, over = threading.Event(), threading.Event()

    def ponder(host: str, port: int) -> Sequence[str]:
        is_there.set()
        over.wait(30)
        return [LOOPBACK]

    yield Stuck(Transport(ponder, **ON_LOOPBACK, trust=authority().trust), git_url(f"https://{HOST}/a.git"), is_there)
    over.set()


@contextmanager
def in_a_connection() -> Iterator[Stuck]:
    """A machine that does not answer at all: it has more to do already than it takes."""
    with ExitStack() as stack, socket.create_server((LOOPBACK, 0), backlog=0) as listener:
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        is_there = threading.Event()

        def resolve(host: str, port: int) -> Sequence[str]:
            is_there.set()
            return [LOOPBACK]

        transport = Transport(resolve, **ON_LOOPBACK, trust=authority().trust)
        yield Stuck(transport, git_url(f"https://{HOST}:{listener.getsockname()[1]}/a.git"), is_there)


@contextmanager
def in_a_handshake() -> Iterator[Stuck]:
    """A server that takes the connection and says nothing."""
    is_there = threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        is_there.set()
        return [LOOPBACK]

    with socket.create_server((LOOPBACK, 0)) as listener:
        transport = Transport(resolve, **ON_LOOPBACK, trust=authority().trust)
        yield Stuck(transport, git_url(f"https://{HOST}:{listener.getsockname()[1]}/a.git"), is_there)


def in_an_answer(kind: str, *first: bytes, at: str) -> Callable[[], object]:
    """A server that says nothing more, before or in the middle of an answer."""

    @contextmanager
    def stuck() -> Iterator[Stuck]:
        is_there = threading.Event()

        def hang(asked: Asked) -> None:
            if first:
                asked.begin(kind, headers=[("Transfer-Encoding", "chunked")])
                for piece in first:
                    asked.send(b"%x\r\n%b\r\n" % (len(piece), piece))
                asked.handler.wfile.flush()
            is_there.set()
            asked.wait(30)

        lies: dict[str, Lie] = {at: hang}
        with serving(script(HONEST, **lies)) as served:
            yield Stuck(served.transport(), served.url(), is_there)

    return stuck


STAGES = {
    "a name": (in_a_name, "address"),
    "a connection": (in_a_connection, "connect"),
    "a handshake": (in_a_handshake, "connect"),
    "a greeting": (in_an_answer(ADVERTISEMENT, at="greets"), "refs"),
    "the middle of a greeting": (in_an_answer(ADVERTISEMENT, GREETING[:40], at="greets"), "refs"),
    "a pack": (in_an_answer(RESULT, at="sends"), "fetch"),
    "the middle of a pack": (in_an_answer(RESULT, packet(b"packfile\n"), packet(b"\1PACK"), at="sends"), "fetch"),
}
every_stage = pytest.mark.parametrize(("stuck", "stage"), STAGES.values(), ids=STAGES)


@every_stage
def test_whoever_went_away_is_let_go(stuck: Callable[..., object], stage: str) -> None:
    """At every stage: the caller at once, the thread and the connection in the next moment."""
    with nothing_left(), stuck() as place:
        source = DulwichGitSource(place.transport)
        with pytest.raises(Abandoned):
            source.fetch(place.url, HONEST.head, ResourcePath("skills/x"), cancelled=place.is_there.is_set)
        if stage != "address":  # a name that is being looked up cannot be cut short
            end_of_all()


@every_stage
def test_silence_is_ended(stuck: Callable[..., object], stage: str) -> None:
    """At every stage, when nothing came for as long as the limits say; the error says where."""
    with nothing_left(), stuck() as place:
        source = DulwichGitSource(place.transport, evolve(LIMITS, git_idle_seconds=0.5))
        with pytest.raises(GitFailed, match=r"nothing came for 0\.5 seconds|does not answer") as raised:
            source.fetch(place.url, HONEST.head, ResourcePath("skills/x"), cancelled=here)
        assert raised.value.stage == stage
        if stage != "address":
            end_of_all()


def end_of_all() -> None:
    """Wait until no transfer lives; a test that waits too long fails."""
    for thread in transfers():
        thread.join()


def test_a_result_and_an_error_come_back() -> None:
    """What the work gives or raises, its caller gets."""
    assert watched(lambda watch: 7, cancelled=here) == 7
    with pytest.raises(TooLarge):
        watched(lambda watch: watch.took(LIMITS.git_received_bytes + 1), cancelled=here)
    with pytest.raises(ZeroDivisionError):
        watched(lambda watch: 1 // 0, cancelled=here)


def test_an_interrupt_ends_the_transfer() -> None:
    """A person who presses the keys that interrupt a program is heard, and the transfer ends."""
    ended = threading.Event()

    def work(watch: Watch) -> None:
        try:
            while True:
                watch.took(0)
                time.sleep(0.001)
        except Ended:
            ended.set()

    def interrupt() -> bool:
        if transfers():
            raise KeyboardInterrupt
        return False

    with nothing_left(), pytest.raises(KeyboardInterrupt):
        watched(work, cancelled=interrupt)
    assert ended.wait(5)


def test_a_transfer_that_moves_is_ended_all_the_same() -> None:
    """Bytes that come keep a transfer from being silent, and not from being long."""

    def work(watch: Watch) -> None:
        while True:
            watch.took(1)
            time.sleep(0.001)

    limits = evolve(LIMITS, git_idle_seconds=0.2, git_seconds=0.5)
    with nothing_left(), pytest.raises(GitFailed, match=r"not done after 0\.5 seconds"):
        watched(work, cancelled=here, limits=limits)


def test_progress_is_told_to_the_caller() -> None:
    """In its own thread, and never less than before."""
    told: list[tuple[int, int, str]] = []
    over = threading.Event()

    def progress(received: int, entries: int) -> None:
        told.append((received, entries, threading.current_thread().name))
        if len(told) == 3:
            over.set()

    def work(watch: Watch) -> None:
        watch.entries = 5
        watch.took(100)
        over.wait(30)

    watched(work, cancelled=here, progress=progress)
    assert told == [(100, 5, threading.current_thread().name)] * 4  # thrice while it waits, and once at the end


def test_one_transfer_of_several_steps() -> None:
    """Bytes and seconds are those of all its steps together; progress goes on where it was, entries begin anew."""
    limits = evolve(LIMITS, git_received_bytes=10, git_seconds=0.3)
    spent, told = Spent(), []

    def take(watch: Watch) -> None:
        watch.took(5)
        watch.entries += 1

    for _ in range(2):
        watched(take, cancelled=here, limits=limits, spent=spent, progress=lambda *figures: told.append(figures))
    assert [told[0], told[-1]] == [(5, 1), (10, 1)]
    with pytest.raises(TooLarge):
        watched(take, cancelled=here, limits=limits, spent=spent)
    watched(take, cancelled=here, limits=limits)  # one of its own
    time.sleep(0.3)
    with pytest.raises(GitFailed, match=r"not done after 0\.3 seconds"):
        watched(take, cancelled=here, limits=limits, spent=spent)


class TestWatch:
    def test_nothing_goes_on_after_the_end(self) -> None:
        """No stage is entered, no byte taken, no connection held: and one that is held is shut."""
        watch = Watch()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            watch.hold(ours)
            watch.end()
            assert theirs.recv(1) == b""
            for go_on in (lambda: watch.at("refs"), lambda: watch.took(1), lambda: watch.hold(ours)):
                with pytest.raises(Ended):
                    go_on()
            watch.let_go(ours)
            assert ours.fileno() == -1

    def test_an_end_after_the_connection_is_gone(self) -> None:
        """There is nothing left to shut, whoever closed it."""
        watch = Watch()
        ours, theirs = socket.socketpair()
        with theirs:
            watch.hold(ours)
            ours.close()
            watch.end()
            watch.end()

    def test_bytes_up_to_the_cap(self) -> None:
        """The last byte that is allowed is taken; the next is not."""
        watch = Watch(evolve(LIMITS, git_received_bytes=10))
        watch.took(4)
        watch.took(6)
        with pytest.raises(TooLarge) as raised:
            watch.took(1)
        assert raised.value.allowed == 10
        assert isinstance(raised.value, SkillError)
