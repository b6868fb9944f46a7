"""Where requests go, whom they trust, and what has no say in it."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kestrel_skills_adapters.git.source import DulwichGitSource
from kestrel_skills_adapters.git.transport import Transport, system_addresses, system_trust
from kestrel_skills_adapters.git.watching import Ended, Watch
from kestrel_skills_core.domain.errors import BadSource, GitFailed
from kestrel_skills_core.domain.git_address import git_ref, git_url
from tests.git.lies import FLUSH, GREETING, packet, script, skill
from tests.git.servers import ADVERTISEMENT, HOST, LOOPBACK, RESULT, Asked, Authority, Served, authority, serving

pytestmark = pytest.mark.timeout(30)

HONEST = skill()


def here() -> bool:
    """Nobody went away."""
    return False


def ask(served: Served, transport: Transport) -> str:
    """Look `main` up."""
    return DulwichGitSource(transport).resolve(served.url(), git_ref("main"), cancelled=here)


def reaching(*addresses: str) -> Callable[[str, int], Sequence[str]]:
    """A resolver that says that a host has these addresses."""
    return lambda host, port: addresses


def on_loopback(address: str) -> bool:
    """Whether the address is one of this machine."""
    return address == "::1" or address.startswith("127.")


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        [
            "127.0.0.1",
            "::1",
            "10.1.2.3",
            "169.254.169.254",
            "192.168.1.1",
            "168.63.129.16",
            "192.0.0.8",
            "224.0.0.1",
            "2002:7f00:1::",
            "64:ff9b::7f00:1",
            "::ffff:127.0.0.1",
            "fe80::1%lo",
            "fc00::1",
            "0.0.0.0",
            "::",
            "",
            "git.example",
        ],
    )
    def test_a_place_that_is_not_public(self, address: str) -> None:
        """Nobody connects to it, whatever name leads there."""
        with serving(script(HONEST)) as served:
            with pytest.raises(BadSource, match="not public") as raised:
                ask(served, Transport(reaching(address), trust=authority().trust))
            assert raised.value.given == HOST
            assert served.connections == 0

    @pytest.mark.parametrize("addresses", [("127.0.0.1", "10.0.0.1"), ("10.0.0.1", "127.0.0.1")])
    def test_one_good_and_one_bad_address(self, addresses: Sequence[str]) -> None:
        """A name with both is refused, in any order."""
        with serving(script(HONEST)) as served:
            with pytest.raises(BadSource, match="not public"):
                ask(served, Transport(reaching(*addresses), on_loopback, authority().trust))
            assert served.connections == 0

    def test_a_name_of_this_machine(self) -> None:
        """What the system itself says of `localhost` is not public: nothing injected, nothing connected."""
        with pytest.raises(BadSource, match="not public"):
            DulwichGitSource().resolve(git_url("https://localhost/some.git"), git_ref("main"), cancelled=here)

    @pytest.mark.parametrize("error", [socket.gaierror(-2, "unknown"), UnicodeError("label too long"), OSError()])
    def test_a_name_that_nobody_knows(self, error: Exception) -> None:
        """What the system says of it is not passed on."""

        def fail(host: str, port: int) -> Sequence[str]:
            raise error

        with serving(script(HONEST)) as served, pytest.raises(GitFailed, match="nobody knows") as raised:
            ask(served, Transport(fail))
        assert raised.value.stage == "address"

    def test_no_network(self) -> None:
        """That nobody answers who knows names says nothing of this one."""

        def fail(host: str, port: int) -> Sequence[str]:
            raise socket.gaierror(socket.EAI_AGAIN, "try again")

        with (
            serving(script(HONEST)) as served,
            pytest.raises(GitFailed, match="there is no network") as raised,
        ):
            ask(served, Transport(fail))
        assert raised.value.stage == "address"

    def test_a_name_without_an_address(self) -> None:
        """There is nowhere to go."""
        with serving(script(HONEST)) as served, pytest.raises(GitFailed, match="nobody knows"):
            ask(served, Transport(reaching()))

    def test_a_name_that_changes_between_check_and_connect(self) -> None:
        """It is looked up once for a transfer, even where a server makes us connect again for each request."""
        answers = iter([["127.0.0.1"], ["10.0.0.1"]])
        honest = script(HONEST)

        def once(asked: Asked) -> None:
            honest(asked)
            asked.hang_up()

        def greet(asked: Asked) -> None:
            asked.answer(ADVERTISEMENT, [GREETING], headers=[("Connection", "close")])
            asked.hang_up()

        with serving(script(HONEST, greets=greet)) as served:
            transport = Transport(lambda host, port: next(answers), on_loopback, authority().trust)
            assert ask(served, transport) == HONEST.head
            assert served.connections == 2
        assert next(answers) == ["10.0.0.1"]

    def test_the_next_address_where_one_is_dead(self) -> None:
        """A host with several addresses is reached by the first that answers."""
        with serving(script(HONEST)) as served:
            transport = Transport(reaching("::1", LOOPBACK), on_loopback, authority().trust)
            assert ask(served, transport) == HONEST.head

    def test_no_address_that_answers(self) -> None:
        """The connection is refused by all of them."""
        with serving(script(HONEST)) as served:
            url = served
        with pytest.raises(GitFailed, match="cannot be reached") as raised:
            ask(url, Transport(reaching(LOOPBACK, "::1"), on_loopback, authority().trust))
        assert raised.value.stage == "connect"

    def test_what_the_system_says(self) -> None:
        """The addresses of a name, each once; those of the name that every system knows are its own."""
        found = system_addresses("localhost", 443)
        assert found
        assert set(found) <= {"127.0.0.1", "::1"}
        assert len(set(found)) == len(found)


class TestTrust:
    def test_a_certificate_for_another_name(self) -> None:
        """It does not count, though its authority is trusted."""
        with serving(script(HONEST), "other.example") as served:
            with pytest.raises(GitFailed, match="not one to trust") as raised:
                ask(served, served.transport())
            assert raised.value.stage == "connect"
            assert served.asked == []

    def test_a_certificate_for_the_address(self) -> None:
        """The name is what counts, not the address that it leads to."""
        with serving(script(HONEST), LOOPBACK) as served, pytest.raises(GitFailed, match="not one to trust"):
            ask(served, served.transport())

    def test_a_certificate_of_a_stranger(self) -> None:
        """Nobody vouches for who signed it."""
        with serving(script(HONEST), by=Authority()) as served, pytest.raises(GitFailed, match="not one to trust"):
            ask(served, served.transport())

    def test_a_certificate_of_yesterday(self) -> None:
        """It has run out."""
        stranger = Authority()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        past = [datetime(year, 1, 1, tzinfo=UTC) for year in (2020, 2021)]
        stranger.ca.issue_cert(HOST, not_before=past[0], not_after=past[1]).configure_cert(context)
        with serving(script(HONEST), context=context) as served, pytest.raises(GitFailed, match="not one to trust"):
            ask(served, Transport(reaching(LOOPBACK), on_loopback, stranger.trust))

    def test_the_trust_of_the_system_does_not_know_ours(self) -> None:
        """Unless told otherwise, the system says whom to trust."""
        with serving(script(HONEST)) as served, pytest.raises(GitFailed, match="not one to trust"):
            ask(served, Transport(reaching(LOOPBACK), on_loopback))

    def test_a_server_without_tls(self) -> None:
        """Plain HTTP is not spoken."""
        with serving(script(HONEST), plain=True) as served, pytest.raises(GitFailed, match="does not speak TLS"):
            ask(served, served.transport())

    @pytest.mark.parametrize("read", [1, 65_536])
    def test_a_server_that_hangs_up_in_the_handshake(self, read: int) -> None:
        """It cannot be reached, for now; be it rude about it or not."""
        with socket.create_server((LOOPBACK, 0)) as listener:

            def hang_up() -> None:
                taken, _ = listener.accept()
                with taken:
                    taken.recv(read)  # and what is left unread makes a reset of it

            thread = threading.Thread(target=hang_up)
            thread.start()
            with pytest.raises(GitFailed, match="cannot be reached"):
                ask(Served(authority(), listener.getsockname()[1]), Served(authority()).transport())
            thread.join()

    def test_a_server_of_old(self) -> None:
        """TLS 1.1 is not spoken."""
        context = authority().context(HOST)
        context.set_ciphers("ALL:@SECLEVEL=0")
        with pytest.warns(DeprecationWarning, match="TLSv1_1"):
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        with serving(script(HONEST), context=context) as served, pytest.raises(GitFailed, match="does not speak TLS"):
            ask(served, served.transport())

    def test_the_system_is_trusted_for_names(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """Certificate and name are checked, TLS is 1.2 or later, and no keys are written where the environment says."""
        monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
        trust = system_trust()
        assert trust.verify_mode is ssl.CERT_REQUIRED
        assert trust.check_hostname
        assert trust.minimum_version >= ssl.TLSVersion.TLSv1_2
        assert trust.keylog_filename is None


class TestRequests:
    def test_what_a_server_is_told(self) -> None:
        """The name, the protocol, and what is taken: nothing of who asks, and nothing that could be a proxy's."""
        told: list[dict[str, str]] = []

        def greet(asked: Asked) -> None:
            told.append(asked.headers)
            asked.answer(ADVERTISEMENT, [GREETING])

        with serving(script(HONEST, greets=greet)) as served:
            ask(served, served.transport())
            assert told == [
                {
                    "Host": f"{HOST}:{served.port}",
                    "Accept": ADVERTISEMENT,
                    "Accept-Encoding": "identity",
                    "Git-Protocol": "version=2",
                    "User-Agent": "git/2 (kestrel-feature-skills)",
                }
            ]

    def test_one_connection_for_all_requests(self) -> None:
        """It is kept as long as the server keeps it."""
        with serving(script(HONEST)) as served:
            commit = DulwichGitSource(served.transport()).fetch(served.url(), HONEST.head, "skills/x", cancelled=here)
            assert set(commit.files) == {"SKILL.md", "run.sh"}
            assert [method for method, _ in served.asked] == ["GET", *["POST"] * 5]
            assert served.connections == 1

    def test_an_answer_of_known_length(self) -> None:
        """An answer need not come in chunks."""

        def greet(asked: Asked) -> None:
            asked.begin(ADVERTISEMENT, headers=[("Content-Length", str(len(GREETING)))])
            asked.send(GREETING)

        with serving(script(HONEST, greets=greet)) as served:
            assert ask(served, served.transport()) == HONEST.head
            assert served.connections == 1

    def test_an_answer_that_ends_with_the_connection(self) -> None:
        """Nor need it say how long it is: the next request gets a connection of its own."""

        def greet(asked: Asked) -> None:
            asked.begin(ADVERTISEMENT)
            asked.send(GREETING)
            asked.hang_up()

        with serving(script(HONEST, greets=greet)) as served:
            assert ask(served, served.transport()) == HONEST.head
            assert served.connections == 2

    def test_what_is_left_of_an_answer(self) -> None:
        """It is not taken for the next one."""
        ref = packet(b"%b refs/heads/main\n" % HONEST.head.encode())

        def greet(asked: Asked) -> None:
            asked.answer(ADVERTISEMENT, [GREETING, packet(b"1" * 40 + b" refs/heads/main\n"), FLUSH])

        def tell(asked: Asked) -> None:
            asked.answer(RESULT, [ref, FLUSH])

        with serving(script(HONEST, greets=greet, lists=tell)) as served:
            assert ask(served, served.transport()) == HONEST.head
            assert served.connections == 2

    def test_an_address_with_a_slash_at_its_end(self) -> None:
        """It is the same repository."""
        with serving(script(HONEST)) as served:
            url = git_url(f"{served.url()}/")
            assert DulwichGitSource(served.transport()).resolve(url, git_ref("main"), cancelled=here) == HONEST.head
            assert {path.partition("?")[0] for _, path in served.asked} == {
                "/some.git/info/refs",
                "/some.git/git-upload-pack",
            }


def test_nothing_of_the_user_has_a_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither proxies, nor `.netrc`, nor git's configuration, nor programs that ask for passwords."""
    touched = tmp_path / "touched"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {touched}\necho secret\n")
    program.chmod(0o755)
    told: list[dict[str, str]] = []

    def greet(asked: Asked) -> None:
        told.append(asked.headers)
        asked.answer(ADVERTISEMENT, [GREETING])

    trap = threading.Event()

    def trapped(asked: Asked) -> None:
        trap.set()

    with serving(trapped, plain=True) as proxy, serving(script(HONEST, greets=greet)) as served:
        there = f"http://{LOOPBACK}:{proxy.port}"
        (tmp_path / ".netrc").write_text(f"machine {HOST} login me password secret\n")
        (tmp_path / ".netrc").chmod(0o600)
        (tmp_path / ".gitconfig").write_text(
            f'[http]\n\tproxy = {there}\n\textraHeader = "Authorization: Basic c2VjcmV0"\n\tsslVerify = false\n'
            f'[url "{there}/"]\n\tinsteadOf = https://{HOST}:{served.port}/\n'
            f"[core]\n\taskPass = {program}\n\tsshCommand = {program}\n[credential]\n\thelper = {program}\n"
        )
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, there)
        for name in ("GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND"):
            monkeypatch.setenv(name, str(program))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
        monkeypatch.setenv("SSLKEYLOGFILE", str(touched))
        assert ask(served, served.transport()) == HONEST.head
        assert proxy.connections == 0
    assert not trap.is_set()
    assert not touched.exists()
    assert [headers.keys() & {"Authorization", "Cookie", "Proxy-Authorization"} for headers in told] == [set()]


def test_a_transfer_that_was_ended_makes_no_connection() -> None:
    """Whoever comes back from looking a name up, and finds that nobody waits, connects to nobody."""
    with serving(script(HONEST)) as served:
        watch = Watch()
        watch.end()
        with pytest.raises(Ended), served.transport().server(served.url(), watch):
            pass
        assert served.connections == 0
