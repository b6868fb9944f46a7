"""The source that reaches servers: what it asks of them, and what it does where they can less than git's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import evolve

from kestrel_skills_adapters.git.protocol import Declined
from kestrel_skills_adapters.git.source import DulwichGitSource
from kestrel_skills_core.domain.errors import GitFailed, SkillError, TooLarge
from kestrel_skills_core.domain.git_address import CommitId, git_ref
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.tree import Content
from tests.contracts.git import text
from tests.git.leaks import nothing_left
from tests.git.lies import packet, script, skill
from tests.git.repositories import Drawn, git, made, offers
from tests.git.servers import RESULT, Asked, Script, Served, authority, backend, dulwich, files, serving

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
        assert len(parcel.left_out) == 5


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
        with serving(backend(folder)) as served, pytest.raises(GitFailed, match=r"no `release/1\.2`") as raised:
            DulwichGitSource(served.transport()).resolve(served.url(), git_ref("release/1.2"), cancelled=here)
        assert raised.value.fix == "did you mean release/1.0, release/1.1?"

    def test_a_name_like_no_other(self, folder: Path) -> None:
        """There is nothing to suggest."""
        with serving(backend(folder)) as served, pytest.raises(GitFailed, match="no `xyz`") as raised:
            DulwichGitSource(served.transport()).resolve(served.url(), git_ref("xyz"), cancelled=here)
        assert raised.value.fix == "look up which branches and tags it has"

    def test_a_server_that_then_breaks_off(self) -> None:
        """That there is no such ref is known already, and is what is told."""
        shelf = skill()
        lists = iter([b"0000", b"00"])
        lie = script(shelf, lists=lambda asked: asked.answer(RESULT, [next(lists)]))
        with serving(lie) as served, pytest.raises(GitFailed, match="no `main`") as raised:
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
        with serving(backend(tmp_path)) as served, pytest.raises(GitFailed, match="no `HEAD`"):
            DulwichGitSource(served.transport()).resolve(served.url(), git_ref("HEAD"), cancelled=here)


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


def test_a_connection_that_is_cut_anywhere() -> None:
    """After any number of bytes but the last: `GitFailed`, and neither a thread nor a descriptor is left."""
    shelf = skill()
    ends: list[object] = []
    for after in range(0, 4000, 37):
        with nothing_left(), cut(script(shelf), after) as answers, serving(answers) as served:
            source = DulwichGitSource(served.transport(), evolve(LIMITS, git_idle_seconds=5))
            try:
                commit = source.resolve(served.url(), git_ref("main"), cancelled=here)
                ends.append(source.fetch(served.url(), commit, ResourcePath("skills/x"), cancelled=here).left_out)
            except SkillError as error:
                ends.append(type(error))
    assert set(ends[:40]) <= {GitFailed, Declined}
    assert ends[-1] == ()


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
