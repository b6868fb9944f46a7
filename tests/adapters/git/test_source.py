"""The source that reaches servers: what it asks of them, and what it does where they can less than git's own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path

import pytest
from attrs import evolve

from kestrel_skills_adapters.contracts.git import Drawn, text
from kestrel_skills_adapters.git.source import DulwichGitSource
from kestrel_skills_adapters.wiring import installer_of, library_of, settings_of
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Install
from kestrel_skills_core.domain.errors import BadSource, GitFailed, TooLarge
from kestrel_skills_core.domain.git_address import CommitId, git_ref, git_url
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.offer import Repository
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.service.installer import Installer
from tests.git.leaks import nothing_left
from tests.git.lies import packet, script, skill
from tests.git.repositories import git, made, offers
from tests.git.servers import LOOPBACK, RESULT, Asked, Script, Served, authority, backend, dulwich, files, serving

pytestmark = pytest.mark.timeout(60)

KNOTS = ResourcePath("skills/knots")
DRAWN: Drawn = {
    "skills/knots/SKILL.md": text("knots"),
    "skills/knots/scripts/tie.sh": Content(b"tie\n", executable=True),
    "skills/ropes/SKILL.md": text("ropes"),
    **{f"large/{number}": Content(os.urandom(100_000)) for number in range(5)},
}


def here() -> bool:
    """Nobody went away."""
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one repository."""
    made(tmp_path / "some.git", {"main": DRAWN, "release/1.0": DRAWN, "release/1.1": DRAWN}, [("v1", "main")])
    return tmp_path


def commit_of(folder: Path) -> CommitId:
    """The commit of the main branch."""
    return CommitId(git(folder / "some.git", "rev-parse", "main"))


def knots(served: Served, folder: Path, limits: Limits = LIMITS) -> dict[str, Content]:
    """The files of one skill."""
    source = DulwichGitSource(served.transport(), limits)
    return dict(source.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here).files)


WANTED = {"SKILL.md": text("knots"), "scripts/tie.sh": Content(b"tie\n", executable=True)}


class TestCost:
    def test_a_ref(self, folder: Path) -> None:
        """Two requests; a full id takes none."""
        with serving(backend(folder)) as served:
            source = DulwichGitSource(served.transport())
            source.resolve(served.url(), git_ref("main"), cancelled=here)
            assert served.asked == [
                ("GET", "/some.git/info/refs?service=git-upload-pack"),
                ("POST", "/some.git/git-upload-pack"),
            ]
            source.resolve(served.url(), git_ref("1" * 40), cancelled=here)
            assert len(served.asked) == 2

    def test_a_folder(self, folder: Path) -> None:
        """One connection; a request for the greeting, the commit, each folder above, the folders below, the files."""
        received: list[int] = []
        with serving(backend(folder)) as served:
            source = DulwichGitSource(served.transport(), progress=lambda count, entries: received.append(count))
            assert source.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here).files == WANTED
            assert [method for method, _ in served.asked] == ["GET", *["POST"] * 5]
            assert served.connections == 1
        assert max(received, default=0) < 10_000

    def test_a_list(self, folder: Path) -> None:
        """A request for each level of folders where skills are looked for, and one for all texts."""
        with serving(backend(folder)) as served:
            found = DulwichGitSource(served.transport()).list(served.url(), commit_of(folder), cancelled=here)
            assert [each.folder for each in found] == ["skills/knots", "skills/ropes"]
            assert [method for method, _ in served.asked] == ["GET", *["POST"] * 5]

    def test_a_list_of_more_folders_than_a_transfer_may_have(self, folder: Path) -> None:
        """They are counted before they are asked for: the top, two folders in it, and what is in `skills`."""
        with serving(backend(folder)) as served:
            assert DulwichGitSource(served.transport(), evolve(LIMITS, git_entries=5)).list(
                served.url(), commit_of(folder), cancelled=here
            )
            served.asked.clear()
            source = DulwichGitSource(served.transport(), evolve(LIMITS, git_entries=4))
            with pytest.raises(TooLarge, match="folders where skills are looked for"):
                source.list(served.url(), commit_of(folder), cancelled=here)
            assert [method for method, _ in served.asked] == ["GET", *["POST"] * 3]

    def test_what_is_known_is_not_asked_again(self, folder: Path) -> None:
        """After a list, a folder takes one request for what is below it, and one for the files: nothing on the way."""
        with serving(backend(folder)) as served:
            source = DulwichGitSource(served.transport())
            commit = source.resolve(served.url(), git_ref("main"), cancelled=here)
            source.list(served.url(), commit, cancelled=here)
            served.asked.clear()
            assert source.fetch(served.url(), commit, KNOTS, cancelled=here).files == WANTED
            assert [method for method, _ in served.asked] == ["POST", "POST"]

    def test_what_is_known_is_of_one_repository(self, folder: Path) -> None:
        """Another one is asked everything; and so is one after anything went wrong."""
        made(folder / "other.git", {"main": {"skills/knots/SKILL.md": text("knots")}})
        with serving(backend(folder)) as served:
            source = DulwichGitSource(served.transport())
            source.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here)
            served.asked.clear()
            with pytest.raises(GitFailed, match="not our ref"):
                source.fetch(served.url("other.git"), commit_of(folder), KNOTS, cancelled=here)
            assert [method for method, _ in served.asked] == ["GET", "POST", "POST"]  # the commit, and then the whole
            served.asked.clear()
            source.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here)
            assert [method for method, _ in served.asked] == ["GET", *["POST"] * 5]

    def test_no_more_is_kept_than_is_small(self, tmp_path: Path) -> None:
        """Folders that are large are asked for each time."""
        many: Drawn = {f"{'x' * 200}{number}": Content(b"") for number in range(6_000)}
        made(tmp_path / "some.git", {"main": {**many, "k/SKILL.md": text("k")}})
        with serving(backend(tmp_path)) as served:
            source = DulwichGitSource(served.transport())
            for requests in (5, 3):  # the greeting and the commit are known the second time
                served.asked.clear()
                source.fetch(served.url(), commit_of(tmp_path), ResourcePath("k"), cancelled=here)
                assert len(served.asked) == requests

    def test_litter_is_not_asked_for(self, tmp_path: Path) -> None:
        """What no skill carries does not even come, however large."""
        litter = {f"k/__pycache__/{number}.pyc": Content(os.urandom(100_000)) for number in range(5)}
        made(tmp_path / "some.git", {"main": {"k/SKILL.md": text("k"), **litter}})
        limits = evolve(LIMITS, git_received_bytes=10_000)
        with serving(backend(tmp_path)) as served:
            source = DulwichGitSource(served.transport(), limits)
            parcel = source.fetch(served.url(), commit_of(tmp_path), ResourcePath("k"), cancelled=here)
        assert set(parcel.files) == {"SKILL.md"}
        assert parcel.left_out == ("__pycache__",)


class TestLesserServers:
    def test_one_that_does_not_filter(self, folder: Path) -> None:
        """It sends the commit with all that is in it, in one answer."""
        offers(folder / "some.git", filters=False)
        with serving(backend(folder)) as served:
            assert knots(served, folder) == WANTED
            assert [method for method, _ in served.asked] == ["GET", "POST"]

    def test_one_that_does_not_filter_a_large_repository(self, folder: Path) -> None:
        """Where that is more than the cap, the error names the cap, and says why it is met."""
        offers(folder / "some.git", filters=False)
        with serving(backend(folder)) as served, pytest.raises(TooLarge, match="300,000 are allowed") as raised:
            knots(served, folder, evolve(LIMITS, git_received_bytes=300_000))
        assert "whole repositories" in raised.value.fix

    @pytest.mark.parametrize("declined", [b"filter tree:0", b"filter blob:none", b"want %b"])
    def test_one_that_declines_a_part(self, folder: Path, declined: bytes) -> None:
        """It is asked for the whole, once: that of a commit it must send."""
        tree = git(folder / "some.git", "rev-parse", "main:skills/knots").encode()
        reason = declined % tree if b"%" in declined else declined
        serve = backend(folder)
        bodies: list[bytes] = []

        def answer(asked: Asked) -> None:
            bodies.append(asked.body)
            if reason in asked.body:
                asked.answer(RESULT, [packet(b"ERR upload-pack: not our ref")])
            else:
                serve(asked)

        with serving(answer) as served:
            assert knots(served, folder) == WANTED
        assert reason in bodies[-2]
        assert b"filter" not in bodies[-1]

    def test_one_that_declines_everything(self, folder: Path) -> None:
        """What it says is told."""

        def decline(asked: Asked) -> None:
            asked.answer(RESULT, [packet(b"ERR quota exceeded")])

        shelf = skill()
        with serving(script(shelf, sends=decline)) as served, pytest.raises(GitFailed, match="says: quota exceeded"):
            knots(served, folder)

    def test_one_that_speaks_only_version_0(self, folder: Path) -> None:
        """Dulwich's own server: it is named as too old."""
        with (
            serving(dulwich(folder / "some.git")) as served,
            pytest.raises(GitFailed, match="older versions") as raised,
        ):
            knots(served, folder)
        assert "version 2" in raised.value.fix

    def test_one_that_does_not_hear_of_version_2(self, folder: Path) -> None:
        """Git's own, behind a server that does not pass the header on."""
        serve = backend(folder)

        def answer(asked: Asked) -> None:
            serve(
                evolve(asked, headers={name: value for name, value in asked.headers.items() if name != "Git-Protocol"})
            )

        with serving(answer) as served, pytest.raises(GitFailed, match="older versions"):
            knots(served, folder)

    def test_one_that_serves_plain_files(self, folder: Path) -> None:
        """The dumb protocol is not spoken."""
        git(folder / "some.git", "update-server-info")
        with serving(files(folder)) as served, pytest.raises(GitFailed, match="does not speak the smart protocol"):
            knots(served, folder)


class TestRefs:
    def test_near_names_are_told(self, folder: Path) -> None:
        """Of branches and tags."""
        with (
            serving(backend(folder)) as served,
            pytest.raises(BadSource, match="no such ref") as raised,
        ):
            DulwichGitSource(served.transport()).resolve(served.url(), git_ref("release/1.2"), cancelled=here)
        assert raised.value.fix == "did you mean release/1.0, release/1.1?"

    def test_a_name_like_no_other(self, folder: Path) -> None:
        """There is nothing to suggest."""
        with serving(backend(folder)) as served, pytest.raises(BadSource, match="no such ref") as raised:
            DulwichGitSource(served.transport()).resolve(served.url(), git_ref("xyz"), cancelled=here)
        assert raised.value.fix == "look up which branches and tags it has"

    def test_no_name_is_told_that_nobody_could_read(self) -> None:
        """Whatever a server lists, what is told of it is a line."""
        shelf = skill()
        refs = [packet(b"1" * 40 + b" refs/heads/" + b"mainx" * times) for times in (2, 41, 10_000)]
        answers = iter([[b"0000"], [*refs, b"0000"]])
        lie = script(shelf, lists=lambda asked: asked.answer(RESULT, next(answers)))
        with serving(lie) as served, pytest.raises(BadSource) as raised:
            DulwichGitSource(served.transport()).resolve(served.url(), git_ref("mainx"), cancelled=here)
        assert raised.value.fix == "did you mean mainxmainx?"

    def test_a_server_that_then_breaks_off(self) -> None:
        """That there is no such ref is known already, and is what is told."""
        shelf = skill()
        lists = iter([b"0000", b"00"])
        lie = script(shelf, lists=lambda asked: asked.answer(RESULT, [next(lists)]))
        with serving(lie) as served, pytest.raises(BadSource, match="no such ref") as raised:
            DulwichGitSource(served.transport()).resolve(served.url(), git_ref("main"), cancelled=here)
        assert raised.value.fix == "look up which branches and tags it has"
        assert list(lists) == []

    def test_a_tag_of_a_tag(self, folder: Path) -> None:
        """It means the commit below all of them."""
        repository = folder / "some.git"
        git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "tag", "-a", "v2", "-m", "x", "v1")
        with serving(backend(folder)) as served:
            found = DulwichGitSource(served.transport()).resolve(served.url(), git_ref("v2"), cancelled=here)
        assert found == commit_of(folder)

    def test_a_tag_of_no_commit(self, folder: Path) -> None:
        """What it leads to is refused when it is read."""
        git(folder / "some.git", "tag", "t", "main^{tree}")
        with serving(backend(folder)) as served:
            source = DulwichGitSource(served.transport())
            found = source.resolve(served.url(), git_ref("t"), cancelled=here)
            with pytest.raises(GitFailed, match="what should be a commit is a folder"):
                source.fetch(served.url(), found, KNOTS, cancelled=here)

    def test_a_repository_without_commits(self, tmp_path: Path) -> None:
        """It has no HEAD."""
        made(tmp_path / "some.git", {})
        with serving(backend(tmp_path)) as served, pytest.raises(BadSource, match="no such ref"):
            DulwichGitSource(served.transport()).resolve(served.url(), git_ref("HEAD"), cancelled=here)


class TestTransfer:
    """Several calls that are one transfer."""

    def test_bytes_are_those_of_all_its_calls(self, folder: Path) -> None:
        """What each may have alone, all together may not."""
        limits = evolve(LIMITS, git_received_bytes=6_000)
        with serving(backend(folder)) as served:
            source, one = DulwichGitSource(served.transport(), limits), git_ref("main")
            for _ in range(6):
                source.resolve(served.url(), one, cancelled=here)
            transfer = source.transfer()
            with pytest.raises(TooLarge):
                [transfer.resolve(served.url(), one, cancelled=here) for _ in range(6)]

    def test_seconds_are_those_of_all_its_calls(self, folder: Path) -> None:
        """It begins when it is asked for."""
        with serving(backend(folder)) as served:
            source = DulwichGitSource(served.transport(), evolve(LIMITS, git_seconds=0.0)).transfer()
            with pytest.raises(GitFailed, match="not done after 0 seconds"):
                source.resolve(served.url(), git_ref("main"), cancelled=here)

    def test_what_is_known_is_not_asked_again(self, folder: Path) -> None:
        """After a list, a folder takes one request for what is below it, and one for the files."""
        with serving(backend(folder)) as served:
            transfer = DulwichGitSource(served.transport()).transfer()
            transfer.list(served.url(), commit_of(folder), cancelled=here)
            served.asked.clear()
            assert transfer.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here).files == WANTED
            assert [method for method, _ in served.asked] == ["POST", "POST"]

    def test_a_whole_repository_comes_once(self, folder: Path) -> None:
        """A server that sends nothing less is asked once; another commit, or another transfer, is asked for again."""
        offers(folder / "some.git", filters=False)
        with serving(backend(folder)) as served:
            source = DulwichGitSource(served.transport())
            transfer = source.transfer()
            transfer.list(served.url(), commit_of(folder), cancelled=here)
            served.asked.clear()
            assert transfer.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here).files == WANTED
            assert served.asked == []
            other = CommitId(git(folder / "some.git", "rev-parse", "release/1.0"))
            transfer.fetch(served.url(), other, KNOTS, cancelled=here)
            assert (other == commit_of(folder)) or len(served.asked) == 1
            for _ in range(2):
                served.asked.clear()
                source.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here)
                assert "POST" in [method for method, _ in served.asked]


class TestProgress:
    """What whoever watches is told."""

    def test_files_and_folders_are_counted_as_they_are_met(self, folder: Path) -> None:
        """Of a list, the folders looked into and the texts; of a folder, all that is in it."""
        told: list[int] = []
        with serving(backend(folder)) as served:
            source = DulwichGitSource(served.transport(), progress=lambda _, entries: told.append(entries))
            source.list(served.url(), commit_of(folder), cancelled=here)
            assert told[-1] == 7  # the top, `large`, `skills`, the two in it, and two texts
            told.clear()
            source.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here)
            assert told[-1] == 3  # `SKILL.md`, `scripts`, and what is in it
        assert told == sorted(told)

    def test_bytes_are_those_on_the_wire(self, folder: Path) -> None:
        """What is told in the end is what a relay between the two has passed on, to the byte."""
        told: list[int] = []
        with serving(backend(folder)) as served, relayed(served) as passed:
            source = DulwichGitSource(served.transport(), progress=lambda received, _: told.append(received))
            source.fetch(served.url(), commit_of(folder), KNOTS, cancelled=here)
        assert told[-1] == sum(passed)


@contextmanager
def relayed(served: Served) -> Iterator[list[int]]:
    """A relay before the server, which notes how many bytes it passes on to whoever asks; for one connection."""
    passed: list[int] = []
    with socket.create_server((LOOPBACK, 0)) as listener:
        there, served.port = served.port, listener.getsockname()[1]

        def relay() -> None:
            asking, _ = listener.accept()
            with asking, socket.create_connection((LOOPBACK, there)) as answering:
                onward = threading.Thread(target=pass_on, args=(asking, answering, []))
                onward.start()
                pass_on(answering, asking, passed)
                onward.join()

        thread = threading.Thread(target=relay)
        thread.start()
        yield passed
        thread.join()


def pass_on(one: socket.socket, other: socket.socket, passed: list[int]) -> None:
    """Pass bytes on until one of the two has closed."""
    with suppress(OSError):
        while piece := one.recv(65_536):
            other.sendall(piece)
            passed.append(len(piece))
    for each in (one, other):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextmanager
def cut(answers: Script, after: int) -> Iterator[Script]:
    """The same server, which closes the connection after so many bytes."""
    left = after

    def answer(asked: Asked) -> None:
        send = asked.handler.wfile.write

        def write(sent: bytes) -> int:
            nonlocal left
            now, left = min(left, len(sent)), left - len(sent)
            send(sent[: max(now, 0)])
            if left < 0:
                asked.handler.wfile.flush()
                raise ConnectionAbortedError
            return len(sent)

        asked.handler.wfile.write = write
        try:
            answers(asked)
        finally:
            del asked.handler.wfile.write

    yield answer


def sent_by(answers: Script) -> tuple[list[int], Script]:
    """The same server, and the lengths of what it sends."""
    lengths: list[int] = []

    def answer(asked: Asked) -> None:
        send = asked.handler.wfile.write

        def write(sent: bytes) -> int:
            lengths.append(len(sent))
            return send(sent)

        asked.handler.wfile.write = write
        try:
            answers(asked)
        finally:
            del asked.handler.wfile.write

    return lengths, answer


INSTALLED = {
    "x/SKILL.md": b"---\nname: x\ndescription: Use when x is wanted.\n---\n\nDo x.\n",
    "x/run.sh": b"#!/bin/sh\necho x\n",
}


def landed(root: Path) -> dict[str, bytes]:
    """All that is in a root, byte for byte, but for what this library keeps for itself."""
    return {
        path: file.read_bytes()
        for file in root.rglob("*")
        if file.is_file() and "/.kestrel-" not in (path := file.relative_to(root).as_posix())
        if not path.startswith(".kestrel-")
    }


def test_a_connection_that_is_cut_anywhere(tmp_path: Path) -> None:
    """Before the last byte of git: `GitFailed`, nothing is on the disk, and neither thread nor descriptor is left."""
    shelf = skill()
    lengths, whole = sent_by(script(shelf))
    command = Install(source=Repository(git_url("https://git.example/x")), name="skills/x")
    with serving(whole) as served:
        finish(bring(served, tmp_path / "whole").install(evolve(command, source=Repository(served.url()))))
    assert landed(tmp_path / "whole") == INSTALLED
    total = sum(lengths) - len(b"\r\n0\r\n\r\n")  # what HTTP says behind the last byte of git
    root, edges = tmp_path / "cut", list(accumulate(lengths))
    for after in sorted(each for each in {*range(0, total, 37), *edges, *(edge - 1 for edge in edges)} if each < total):
        with nothing_left(), cut(script(shelf), after) as answers, serving(answers) as served:
            with pytest.raises(GitFailed) as raised:
                finish(bring(served, root).install(evolve(command, source=Repository(served.url()))))
            assert raised.value.stage in ("refs", "fetch", "pack"), after
            assert landed(root) == {}, after
    with cut(script(shelf), total) as answers, serving(answers) as served:
        finish(bring(served, root).install(evolve(command, source=Repository(served.url()))))
    assert landed(root) == INSTALLED


def bring(served: Served, root: Path) -> Installer:
    """What installs on a real disk, from a server that is given up after five seconds of silence."""
    root.mkdir(exist_ok=True)
    source = DulwichGitSource(served.transport(), evolve(LIMITS, git_idle_seconds=5))
    return installer_of(library_of(settings_of({}, root=root)), source)


def test_nothing_is_run_and_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    """No program is started, no file is opened to be written, and none of git's is read."""
    trusted = authority().write(tmp_path / "authority.pem")
    with serving(backend(folder)) as served:
        program = (
            "import os, ssl, sys\n"
            "from kestrel_skills_adapters.git.source import DulwichGitSource\n"
            "from kestrel_skills_adapters.git.transport import Transport\n"
            "from kestrel_skills_core.domain.git_address import git_ref, git_url\n"
            "seen = []\n"
            "def hook(event, arguments):\n"
            "    if event.split('.')[0] in ('subprocess', 'pty') or event in ('os.system', 'os.fork', 'os.exec',\n"
            "        'os.posix_spawn', 'os.mkdir', 'os.rename', 'os.remove', 'os.symlink', 'os.putenv'):\n"
            "        seen.append((event, arguments))\n"
            "    if event == 'open':\n"
            "        path, _, flags = arguments\n"
            "        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or any(\n"
            "            name in str(path) for name in ('gitconfig', '.git/', 'netrc')):\n"
            "            seen.append((event, arguments))\n"
            "sys.addaudithook(hook)\n"
            f"trust = ssl.create_default_context(cafile={str(trusted)!r})\n"
            "source = DulwichGitSource(Transport(lambda *_: ['127.0.0.1'], lambda _: True, trust))\n"
            f"url, here = git_url({served.url()!r}), lambda: False\n"
            "commit = source.resolve(url, git_ref('main'), cancelled=here)\n"
            "source.list(url, commit, cancelled=here)\n"
            "assert len(source.fetch(url, commit, 'skills/knots', cancelled=here).files) == 2\n"
            "assert seen == [], seen\n"
        )
        subprocess.run([sys.executable, "-B", "-c", program], check=True)


def test_who_asks_for_nothing_pays_for_nothing() -> None:
    """What it takes to reach servers is not imported before the first transfer."""
    program = (
        "import sys\n"
        "from kestrel_skills_adapters.git.source import DulwichGitSource\n"
        "DulwichGitSource()\n"
        "assert not {'dulwich', 'urllib3', 'ssl', 'http.client'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
