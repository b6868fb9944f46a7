"""Seeing what would be installed, and installing it."""

from __future__ import annotations

import io
import json
import shlex
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

from kestrel_skills_adapters.cli.session import Connect
from kestrel_skills_adapters.contracts.git import Drawn
from kestrel_skills_adapters.git.source import DulwichGitSource
from kestrel_skills_adapters.memory.git import MemoryGitSource, MemoryRepository
from kestrel_skills_core.domain.git_address import git_url
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.git import GitSource
from tests.cli.running import Ran, run, skill
from tests.git.repositories import Made, made
from tests.git.servers import backend, serving

URL = "https://git.example/tools"
COMMIT = "1" * 40
TEXT = b"---\nname: knots\ndescription: Use when it is loose.\n---\nTie it.\n"
FOREIGN = b"---\nname: bends\ndescription: Use when two ropes meet.\nallowed-tools: Bash\nlicense: MIT\n---\nBend it.\n"
FILES = {
    "skills/knots/SKILL.md": Content(TEXT),
    "skills/knots/run.sh": Content(b"#!/bin/sh\n", executable=True),
    "skills/bends/SKILL.md": Content(FOREIGN),
}
DIGEST = "d3" * 32


def memory(_: Callable[[int, int], None]) -> GitSource:
    """A repository in memory."""
    repository = MemoryRepository({"HEAD": COMMIT, "refs/heads/main": COMMIT}, {COMMIT: FILES})
    return MemoryGitSource({git_url(URL): repository})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root without skills."""
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def ks(root: Path, *arguments: str | Path, terminal: bool = False, connect: Connect = memory) -> Ran:
    """Run a command on a root, with a repository in memory."""
    return run(*arguments, environ={"KESTREL_SKILLS_ROOT": str(root)}, terminal=terminal, connect=connect)


def value(ran: Ran, label: str) -> str:
    """What stands beside a label."""
    return next(line for line in ran.lines if line.startswith(f"{label} ")).partition(" ")[2].strip()


class TestPreview:
    """What a person decides on."""

    def test_of_a_repository(self, root: Path) -> None:
        """The commit in full, the digest, every file with its size, the description, the checks, and what it meets."""
        ran = ks(root, "preview", URL, "knots")
        digest = value(ran, "digest")
        assert ran.code == 0
        assert ran.lines == [
            "name         knots",
            "description  Use when it is loose.",
            f"from         {URL}",
            "ref          HEAD",
            f"commit       {COMMIT}",
            "folder       skills/knots",
            f"digest       {digest}",
            "files        2, 73 bytes",
            "             SKILL.md (63 bytes)",
            "             run.sh (10 bytes, executable)",
            "checks       nothing found",
            "here         nothing has the name",
            f"install      kestrel-skills install {URL} skills/knots --ref {COMMIT} --digest {digest}",
        ]
        assert len(digest) == 64
        assert ran.said == ""
        assert list(root.iterdir()) == []

    def test_the_last_line_installs_just_that(self, root: Path) -> None:
        """As it stands."""
        shown = ks(root, "preview", URL, "bends", "--adapt")
        command = shlex.split(value(shown, "install"))
        assert command[0] == "kestrel-skills"
        assert ks(root, *command[1:]).code == 0
        assert ks(root, "show", "bends", "--json").json["revision"] == value(shown, "digest")

    def test_without_a_name_the_skills_are_listed(self, root: Path) -> None:
        """Each with its folder, whether it is in the form, and its description."""
        ran = ks(root, "preview", URL)
        assert ran.code == 0
        assert ran.lines == [
            "skills/bends  --adapt  Use when two ropes meet.",
            "skills/knots  ready    Use when it is loose.",
        ]
        assert ran.said == f"2 skills at commit {COMMIT}; `kestrel-skills preview {URL} NAME` shows one\n"
        members = ks(root, "preview", URL, "--json").json
        assert (members["url"], members["ref"], members["commit"]) == (URL, "HEAD", COMMIT)
        assert members["skills"][1] == {
            "folder": "skills/knots",
            "name": "knots",
            "description": "Use when it is loose.",
            "needs": "nothing",
        }

    def test_a_repository_without_skills(self, root: Path) -> None:
        """It is said that there are none."""

        def empty(_: Callable[[int, int], None]) -> GitSource:
            return MemoryGitSource({git_url(URL): MemoryRepository({"HEAD": COMMIT}, {COMMIT: {}})})

        ran = ks(root, "preview", URL, connect=empty)
        assert (ran.out, ran.said) == ("", f"0 skills at commit {COMMIT}\n")

    def test_what_restricts_is_told_first(self, root: Path) -> None:
        """What would be refused: no digest, what adapting would do, the restriction marked, each fault with its fix."""
        ran = ks(root, "preview", URL, "bends")
        assert ran.code == 1
        assert ran.lines[6:10] == [
            "digest       none: it is refused as it is",
            "adapted      no; --adapt would install it as bends, and do this:",
            "             ! the restriction `allowed-tools: Bash` is lifted out: nothing here enforces it",
            "             - the field `license` is lifted out",
        ]
        assert any(line.startswith("checks       error SKILL.md:4:1: KS108 ") for line in ran.lines)
        assert not any(line.startswith("install") for line in ran.lines)

    def test_json(self, root: Path) -> None:
        """The same in one object, with the command; nothing lands where it is refused."""
        members = ks(root, "preview", URL, "bends", "--adapt", "--json").json
        assert members["provenance"] == {
            "kind": "git",
            "url": URL,
            "commit": COMMIT,
            "ref": "HEAD",
            "subpath": "skills/bends",
        }
        assert members["adaptation"]["changes"][0]["loses"]
        assert members["install"].endswith(f"--digest {members['digest']} --adapt")
        assert [file["path"] for file in members["files"]] == ["SKILL.md"]
        assert (members["taken"], members["then"]["source"]) == (None, "git")
        refused = ks(root, "preview", URL, "bends", "--json")
        assert (refused.code, refused.json["digest"], refused.json["install"]) == (1, None, None)

    def test_a_name_that_is_taken(self, root: Path) -> None:
        """It is said, the exit code is that of installing it, and there is no command to do so."""
        skill(root, "knots")
        ran = ks(root, "preview", URL, "knots")
        assert ran.code == ks(root, "install", URL, "knots").code == 3
        assert value(ran, "here") == "! the name is taken by knots@agent-local, off: it will not be written over"
        assert not any(line.startswith("install") for line in ran.lines)
        (root / "knots" / "SKILL.md").unlink()
        assert "a rejected folder, knots@agent-local" in value(ks(root, "preview", URL, "knots"), "here")

    def test_the_host_has_one_of_that_name(self, root: Path, tmp_path: Path) -> None:
        """What is from git comes after it, a folder of one's own before it; the command names the same places."""
        skill(tmp_path / "shared", "knots")
        brought = skill(tmp_path / "mine", "knots")
        ran = ks(root, "preview", URL, "knots", "--shared", tmp_path / "shared")
        assert value(ran, "here") == "! it comes after knots@host-shared, off, and is not what the name means"
        assert ran.lines[-1].endswith(f" --shared {tmp_path / 'shared'}")
        ran = ks(root, "preview", brought, "--shared", tmp_path / "shared")
        assert value(ran, "here") == "it shadows knots@host-shared, off"

    def test_a_problem_is_told(self, root: Path, tmp_path: Path) -> None:
        """Where a root cannot be read, nobody claims to know what the name means."""
        ran = ks(root, "preview", URL, "knots", "--shared", tmp_path / "nowhere")
        assert ran.said == "note: the host-shared skills cannot be read: it does not exist\n"

    def test_a_pointer_and_litter_are_named(self, root: Path, tmp_path: Path) -> None:
        """What is not what it seems, and what stays behind."""
        folder = skill(tmp_path, "knots")
        (folder / "model.bin").write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{DIGEST}\nsize 9\n")
        (folder / ".DS_Store").touch()
        (folder / "a.pyc").touch()
        ran = ks(root, "preview", folder)
        assert "             ! model.bin is a git LFS pointer, and not the file itself" in ran.lines
        assert ran.lines[ran.lines.index("left out     .DS_Store") + 1] == "             a.pyc"

    def test_colours_are_for_terminals(self, root: Path) -> None:
        """What restricts stands out."""
        ran = ks(root, "preview", URL, "bends", terminal=True)
        assert "\x1b[33m!\x1b[0m the restriction" in ran.out
        assert "\x1b[31merror\x1b[0m SKILL.md:4:1" in ran.out


class TestInstall:
    """What lands."""

    def test_from_a_repository(self, root: Path) -> None:
        """It is off, its commit is told in full, and its record says where it is from."""
        ran = ks(root, "install", URL, "knots", "--ref", "main")
        shown = ks(root, "show", "knots", "--json").json
        assert (ran.code, ran.said) == (0, "")
        assert ran.lines == [f"knots is installed, off; revision {shown['revision'][:12]} of commit {COMMIT}"]
        assert (shown["source"], shown["enabled"], shown["edited"]) == ("git", False, False)
        assert shown["provenance"]["ref"] == "main"
        assert (root / "knots" / "SKILL.md").read_bytes() == TEXT
        assert (root / "knots" / "run.sh").stat().st_mode & 0o111
        assert ks(root, "verify", "knots").lines == ["knots: as installed"]

    def test_from_a_folder_and_an_archive(self, root: Path, tmp_path: Path) -> None:
        """A path is enough; an archive goes by the name that its skill gives itself."""
        assert ks(root, "install", skill(tmp_path, "tea")).lines[0].startswith("tea is installed, off; revision ")
        with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
            archive.writestr("knots-1.2/SKILL.md", TEXT)
        assert ks(root, "install", tmp_path / "some.zip").code == 0
        with tarfile.open(tmp_path / "some.tar.xz", "w:xz") as packed:
            header = tarfile.TarInfo("./SKILL.md")
            header.size = len(FOREIGN)
            packed.addfile(header, io.BytesIO(FOREIGN))
        assert ks(root, "install", tmp_path / "some.tar.xz", "hitches", "--adapt").code == 0
        listed = {each["name"]: each for each in ks(root, "list", "--json").json["skills"]}
        kinds = {name: each["provenance"]["kind"] for name, each in listed.items()}
        assert kinds == {"tea": "folder", "knots": "archive", "hitches": "archive"}
        assert {each["source"] for each in listed.values()} == {"agent-local"}

    def test_what_is_changed_is_told(self, root: Path) -> None:
        """Unasked it is refused with what would be done; asked for, it is done, and what restricted comes first."""
        refused = ks(root, "install", URL, "bends")
        assert refused.code == 1
        assert "adapted: the restriction `allowed-tools: Bash` is lifted out: nothing here enforces it" in refused.said
        assert list(root.glob("bends")) == []
        ran = ks(root, "install", URL, "bends", "--adapt")
        assert ran.code == 0
        assert ran.lines[1:] == [
            "  ! the restriction `allowed-tools: Bash` is lifted out: nothing here enforces it",
            "  - the field `license` is lifted out",
        ]
        assert ks(root, "adapt", "bends", "--undo").code == 0
        assert (root / "bends" / "SKILL.md").read_bytes() == FOREIGN

    def test_another_digest(self, root: Path) -> None:
        """It is moved, not wrong: exit code 3, both digests told, and nothing lands."""
        ran = ks(root, "install", URL, "knots", "--digest", DIGEST, "--json")
        assert ran.code == 3
        assert ran.json["error"]["code"] == "other_digest"
        assert DIGEST in ran.said
        assert list(root.glob("knots")) == []

    def test_a_name_that_is_taken(self, root: Path) -> None:
        """Exit code 3, and what is there stays."""
        folder = skill(root, "knots")
        before = (folder / "SKILL.md").read_bytes()
        ran = ks(root, "install", URL, "knots")
        assert (ran.code, ran.out) == (3, "")
        assert "there is already a skill 'knots'" in ran.said
        assert (folder / "SKILL.md").read_bytes() == before

    def test_what_comes_before_it_is_told(self, root: Path, tmp_path: Path) -> None:
        """A person who installs what the host shares already is told that it is not what they will get."""
        skill(tmp_path / "shared", "knots")
        ran = ks(root, "install", URL, "knots", "--shared", tmp_path / "shared")
        assert ran.code == 0
        assert ran.said == "note: knots is the one of host-shared, off, and comes first\n"

    def test_a_name_of_ones_own(self, root: Path) -> None:
        """The command that a preview prints says it too, and digits may come in capitals."""
        ran = ks(root, "preview", URL, "knots", "--as", "bowline", "--adapt")
        assert "- the name `knots` becomes `bowline`" in ran.out
        words = shlex.split(ran.lines[-1].removeprefix("install").strip())[1:]
        assert words[words.index("--as") + 1] == "bowline"
        at = words.index("--digest") + 1
        ran = ks(root, *words[:at], words[at].upper(), *words[at + 1 :])
        assert (ran.code, ran.lines[0].split()[0]) == (0, "bowline")

    def test_json_is_the_skill(self, root: Path) -> None:
        """As a listing shows it."""
        found = ks(root, "install", URL, "knots", "--json").json
        assert found in ks(root, "list", "--json").json["skills"]

    @pytest.mark.parametrize("form", [[], ["--json"]])
    @pytest.mark.parametrize(
        ("arguments", "code", "said"),
        [
            (["install", URL], 2, "no skill is named"),
            (["install", URL, "knots", "--digest", "d3"], 2, "a digest is 64 hex digits; `preview` prints it"),
            (["install", URL, "knots", "--as", "!", "--adapt"], 1, "none can be made of it"),
            (["install", URL, "knot"], 1, "did you mean `knots`"),
            (["install", URL, "knots", "--ref", "12345678"], 1, "give the whole id"),
            (["install", URL, "knots", "--ref", "other"], 1, "the repository has no such ref"),
            (["install", f"{URL}/more", "knots"], 4, "there is no such repository"),
            (["install", "http://git.example/tools", "knots"], 1, "only `https` is spoken here"),
            (["install", "ada:secret@git.example:tools", "knots"], 1, "only `https` is spoken here"),
            (["install", "nowhere", "knots"], 1, "neither a URL nor there as a file or folder"),
            (["preview", ".", "--ref", "main"], 2, "a folder or archive has no refs"),
            (["preview", URL, "../knots"], 1, "a part of it is empty, `.` or `..`"),
        ],
    )
    def test_what_cannot_be(self, root: Path, arguments: list[str], code: int, said: str, form: list[str]) -> None:
        """One line with the fix, the exit code of its kind, no password, and nothing lands."""
        ran = ks(root, *arguments, *form)
        assert ran.code == code
        assert said in ran.said
        assert "secret" not in ran.said
        assert "; fix: " in ran.said
        assert not any(path.name != ".kestrel-internal" for path in root.iterdir())
        if form:
            assert ran.json["error"]["fix"]


def test_a_link_to_a_folder(root: Path, tmp_path: Path) -> None:
    """It is not followed, and told for what it is, with what to do."""
    skill(tmp_path / "theirs", "knots")
    (tmp_path / "link").symlink_to(tmp_path / "theirs" / "knots")
    ran = ks(root, "install", tmp_path / "link")
    assert ran.code == 1
    assert ran.said == (
        "error: 'link' cannot be used as a source: it is a symbolic link; "
        "fix: name the folder that the link points to\n"
    )


@frozen
class Bed:
    """A real server with a repository, and how to reach it."""

    url: str
    refs: Made
    connect: Connect


DRAWN: Drawn = {
    **FILES,
    "SKILL.md": Content(TEXT.replace(b"knots", b"tools")),
    "skills/cat/b/SKILL.md": Content(TEXT.replace(b"knots", b"b")),
    "skills/cat/b/references/README.md": Content(b"Read on.\n"),
    "plugins/p/skills/c/SKILL.md": Content(TEXT.replace(b"knots", b"c")),
    ".claude/skills/d/SKILL.md": Content(TEXT.replace(b"knots", b"d")),
    "_shared/notes.md": Content(b"shared\n"),
    "vendor/library": f"@ {COMMIT}",
    "skills/heavy/SKILL.md": Content(TEXT.replace(b"knots", b"heavy")),
    "skills/heavy/model.bin": Content(
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{DIGEST}\nsize 9\n".encode()
    ),
}


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    """T14: a repository of many skills, with a branch that has a slash, and an annotated tag."""
    folder = tmp_path_factory.mktemp("served")
    refs = made(folder / "some.git", {"main": DRAWN, "some/branch": FILES}, [("v1", "main")])
    with serving(backend(folder)) as served:
        transport = served.transport()
        yield Bed(served.url(), refs, lambda progress: DulwichGitSource(transport, progress=progress))


class TestServer:
    """T14: the whole way, from git's own server to a root on a disk."""

    @pytest.mark.parametrize("ref", ["HEAD", "v1", "refs/tags/v1", "main"])
    @pytest.mark.parametrize("folder", ["skills/knots", "skills/cat/b", "plugins/p/skills/c", ".claude/skills/d"])
    def test_each_skill_by_its_folder(self, root: Path, bed: Bed, folder: str, ref: str) -> None:
        """T14: at a branch or a tag; what lands is what the repository holds, and the record has the commit."""
        name = folder.rpartition("/")[2]
        ran = ks(root, "install", bed.url, folder, "--ref", ref, "--json", connect=bed.connect)
        assert ran.code == 0
        assert ran.json["provenance"] == {
            "kind": "git",
            "url": bed.url,
            "commit": bed.refs["refs/heads/main"],
            "ref": ref,
        }
        record = json.loads((root / name / ".kestrel-provenance.json").read_bytes())
        assert (record["schema"], record["subpath"], record["ref"]) == (2, folder, ref)
        landed = {path.relative_to(root / name).as_posix(): path.read_bytes() for path in (root / name).rglob("*.*")}
        drawn = {path: entry.data for path, entry in DRAWN.items() if isinstance(entry, Content)}
        held = {path.removeprefix(f"{folder}/"): data for path, data in drawn.items() if path.startswith(f"{folder}/")}
        assert {path: data for path, data in landed.items() if not path.startswith(".kestrel-")} == held

    def test_all_are_listed(self, root: Path, bed: Bed) -> None:
        """T14: those in the places where skills are looked for, the top among them."""
        listed = ks(root, "preview", bed.url, "--ref", "v1", "--json", connect=bed.connect).json
        assert [each["folder"] for each in listed["skills"]] == [
            ".",
            ".claude/skills/d",
            "plugins/p/skills/c",
            "skills/bends",
            "skills/cat/b",
            "skills/heavy",
            "skills/knots",
        ]

    def test_what_was_seen_at_a_branch_lands(self, root: Path, bed: Bed) -> None:
        """The command that a preview prints, of a branch with a slash."""
        shown = ks(root, "preview", bed.url, "knots", "--ref", "some/branch", connect=bed.connect)
        assert value(shown, "commit") == bed.refs["refs/heads/some/branch"]
        assert ks(root, *shlex.split(value(shown, "install"))[1:], connect=bed.connect).code == 0

    def test_a_file_that_lfs_keeps_is_named(self, root: Path, bed: Bed) -> None:
        """T14: what came is its pointer; a preview says so, and with adaptation it is left out by name."""
        shown = ks(root, "preview", bed.url, "heavy", connect=bed.connect)
        assert "             ! model.bin is a git LFS pointer, and not the file itself" in shown.lines
        assert ks(root, "install", bed.url, "heavy", "--adapt", connect=bed.connect).code == 0
        assert sorted(path.name for path in (root / "heavy").iterdir() if path.name[0] != ".") == ["SKILL.md"]

    def test_what_is_not_carried(self, root: Path, bed: Bed) -> None:
        """T14: a submodule refuses the folder that it is in, by name."""
        ran = ks(root, "install", bed.url, ".", connect=bed.connect)
        assert ran.code == 1
        assert "is another repository" in ran.said
        assert not any(path.name != ".kestrel-internal" for path in root.iterdir())
