"""The contract of the git port, on the fake and on the source that reaches servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import pytest
from attrs import frozen

from kestrel_skills_core.domain.errors import Abandoned, BadPath, BadSource, GitFailed, TooLarge
from kestrel_skills_core.domain.git_address import CommitId, GitUrl, git_ref
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.git import FoundSkill, GitSource

__all__ = ["Bed", "Drawn", "GitSourceContract", "Make", "text"]

Drawn = Mapping[str, Content | str]
"""The files of a commit by their paths; `-> target` is a link, and `@ id` another repository."""


@frozen
class Bed:
    """A source, the address of a repository that it reaches, and the commits there by their branches."""

    git: GitSource
    url: GitUrl
    commits: Mapping[str, CommitId]

    @property
    def main(self) -> CommitId:
        """The commit of the main branch."""
        return self.commits["main"]


def text(name: str) -> Content:
    """A small `SKILL.md`."""
    return Content(f"---\nname: {name}\ndescription: Use when {name} is wanted.\n---\n\nDo it.\n".encode())


class Make(Protocol):
    """Makes a repository in which each branch has one commit, and each tag stands on a branch's; `main` is HEAD.

    Its address ends in `some.git`, and the source reaches no other repository.
    """

    def __call__(self, branches: Mapping[str, Drawn], tags: Iterable[tuple[str, str]] = ()) -> Bed:
        """Make it, and the source."""
        ...


ONE: Drawn = {"skills/knots/SKILL.md": text("knots"), "README.md": Content(b"Read me.\n")}


def here() -> bool:
    """Nobody went away."""
    return False


def resolved(bed: Bed, ref: str) -> CommitId:
    """The commit that a ref means."""
    return bed.git.resolve(bed.url, git_ref(ref), cancelled=here)


def listed(bed: Bed) -> list[str | None]:
    """The folders of the skills that are found on the main branch."""
    return [found.folder for found in bed.git.list(bed.url, bed.main, cancelled=here)]


def fetched(bed: Bed, folder: str | None) -> Mapping[ResourcePath, Content]:
    """The files of a folder of the main branch."""
    parcel = bed.git.fetch(bed.url, bed.main, None if folder is None else ResourcePath(folder), cancelled=here)
    return parcel.files


class GitSourceContract:
    """Every git source. The fixture `make` makes a repository of branches and tags, and the source that reads it."""

    @pytest.mark.parametrize("ref", ["HEAD", "main", "refs/heads/main", "v1", "refs/tags/v1"])
    def test_every_way_to_name_a_commit(self, make: Make, ref: str) -> None:
        """HEAD, a branch, and an annotated tag, short and in full, mean the commit that they lead to."""
        bed = make({"main": ONE, "other": {"x": Content(b"x")}}, [("v1", "main")])
        assert resolved(bed, ref) == bed.main

    def test_a_branch_with_slashes(self, make: Make) -> None:
        """A slash is part of a branch's name."""
        bed = make({"main": ONE, "feature/deep/knots": {"x": Content(b"x")}})
        assert resolved(bed, "feature/deep/knots") == bed.commits["feature/deep/knots"]

    def test_a_full_id_means_itself(self, make: Make) -> None:
        """It is not looked up: reading it will tell whether it is there."""
        assert resolved(make({"main": ONE}), "0123456789" * 4) == "0123456789" * 4

    @pytest.mark.parametrize("ref", ["mai", "main2", "knots", "refs/tags/main", "refs/heads/mai"])
    def test_a_ref_that_is_not_there(self, make: Make, ref: str) -> None:
        """It is named; what only begins so, or is another kind of ref, is not taken for it."""
        with pytest.raises(BadSource, match=ref) as raised:
            resolved(make({"main": ONE, "feature/knots": ONE}), ref)
        assert raised.value.fix

    def test_a_branch_and_a_tag_of_one_name(self, make: Make) -> None:
        """Where they mean different commits, neither is guessed; in full, each can be had."""
        bed = make({"main": ONE, "v1": {"x": Content(b"x")}}, [("v1", "main")])
        with pytest.raises(BadSource, match="a branch and a tag"):
            resolved(bed, "v1")
        assert resolved(bed, "refs/heads/v1") == bed.commits["v1"]
        assert resolved(bed, "refs/tags/v1") == bed.main

    def test_a_repository_that_is_not_there(self, make: Make) -> None:
        """Nothing is found at another address of the server."""
        bed = make({"main": ONE})
        with pytest.raises(GitFailed, match="no such repository"):
            bed.git.resolve(GitUrl(bed.url.replace("some.git", "none.git")), git_ref("main"), cancelled=here)

    def test_every_place_where_skills_are_looked_for(self, make: Make) -> None:
        """And none but those, in order of the folders, the top first."""
        places = [
            ".agents/skills/a",
            ".claude/skills/b",
            "c",
            "plugins/p/skills/d",
            "some/skills/e",
            "skills/f",
            "skills/group/g",
        ]
        elsewhere = ["deep/er/a", ".hidden/skills/a", "plugins/p/q/skills/a", "docs/.x/a"]
        drawn = {f"{place}/SKILL.md": text(place[-1]) for place in [*places, *elsewhere]}
        bed = make({"main": {"SKILL.md": text("top"), **drawn}})
        assert listed(bed) == [None, *sorted(places)]

    def test_the_text_comes_along(self, make: Make) -> None:
        """Byte for byte, so that its description can be told."""
        bed = make({"main": ONE})
        found = bed.git.list(bed.url, bed.main, cancelled=here)
        assert found == (FoundSkill(ResourcePath("skills/knots"), text("knots").data),)

    def test_one_text_in_two_places(self, make: Make) -> None:
        """Each is found, though a server sends it once."""
        bed = make({"main": {"skills/a/SKILL.md": text("a"), "skills/b/SKILL.md": text("a")}})
        assert [found.document for found in bed.git.list(bed.url, bed.main, cancelled=here)] == [text("a").data] * 2

    def test_a_text_that_is_too_large(self, make: Make) -> None:
        """The skill is told of, and its text is not."""
        bed = make({"main": {"a/SKILL.md": Content(b"x" * 262_145), "b/SKILL.md": Content(b"x" * 262_144)}})
        found = bed.git.list(bed.url, bed.main, cancelled=here)
        assert [each.document and len(each.document) for each in found] == [None, 262_144]

    def test_what_is_no_skill(self, make: Make) -> None:
        """A link in place of the text, a folder of that name, another repository, a text in other letters."""
        bed = make(
            {
                "main": {
                    "a/SKILL.md": "-> ../x",
                    "b/SKILL.md/x": Content(b""),
                    "c": "@ " + "1" * 40,
                    "d/skill.md": text("d"),
                    "x": Content(b"x"),
                }
            }
        )
        assert listed(bed) == []

    def test_nothing_is_looked_for_in_a_skill(self, make: Make) -> None:
        """What lies in a skill is its own."""
        bed = make({"main": {"a/SKILL.md": text("a"), "a/skills/b/SKILL.md": text("b")}})
        assert listed(bed) == ["a"]

    def test_a_commit_that_is_not_there_has_no_skills(self, make: Make) -> None:
        """A full id that the repository does not have."""
        bed = make({"main": ONE})
        with pytest.raises(GitFailed) as raised:
            bed.git.list(bed.url, CommitId("1" * 40), cancelled=here)
        assert raised.value.stage == "fetch"

    def test_a_folder(self, make: Make) -> None:
        """Every file in it, with its bytes and whether it is executable, and nothing from beside it."""
        inside: Drawn = {
            "SKILL.md": text("knots"),
            "empty": Content(b""),
            "scripts/run.sh": Content(b"#!/bin/sh\n", executable=True),
            "références/à.bin": Content(bytes(range(256))),
        }
        beside: Drawn = {
            "skills/knots2/SKILL.md": text("knots2"),
            "skills/a.md": Content(b"a"),
            "link": "-> /etc/passwd",
        }
        bed = make({"main": {**{f"skills/knots/{path}": each for path, each in inside.items()}, **beside}})
        assert fetched(bed, "skills/knots") == inside

    def test_the_top(self, make: Make) -> None:
        """Where no folder is named, everything."""
        assert fetched(make({"main": ONE}), None) == ONE

    def test_one_content_in_two_files(self, make: Make) -> None:
        """Both have it."""
        bed = make({"main": {"k/a": Content(b"x"), "k/b": Content(b"x", executable=True)}})
        assert fetched(bed, "k") == {"a": Content(b"x"), "b": Content(b"x", executable=True)}

    def test_another_commit(self, make: Make) -> None:
        """What is asked for is the commit's, not the branch's of today."""
        bed = make({"main": {"k/a": Content(b"new")}, "old": {"k/a": Content(b"old")}})
        assert bed.git.fetch(bed.url, bed.commits["old"], ResourcePath("k"), cancelled=here).files == {
            "a": Content(b"old")
        }

    def test_litter_is_left_out_by_name(self, make: Make) -> None:
        """What no skill carries does not come along, and is told."""
        litter = ["k/.DS_Store", "k/__pycache__/a.pyc", "k/__pycache__/con.pyc", "k/x/Thumbs.db"]
        drawn: Drawn = {"k/a": Content(b"a"), "k/__pycache__/b": "-> x", **dict.fromkeys(litter, Content(b"x"))}
        bed = make({"main": drawn})
        parcel = bed.git.fetch(bed.url, bed.main, ResourcePath("k"), cancelled=here)
        assert parcel.files == {"a": Content(b"a")}
        assert parcel.left_out == (".DS_Store", "__pycache__", "x/Thumbs.db")

    @pytest.mark.parametrize(
        ("path", "stranger", "what"),
        [("link", "-> ../../etc/passwd", "a link"), ("deep/sub", "@ " + "1" * 40, "another repository")],
    )
    def test_what_is_neither_file_nor_folder(self, make: Make, path: str, stranger: str, what: str) -> None:
        """A link or another repository is refused by name."""
        with pytest.raises(BadSource, match=f"'{path}' cannot be used as a source: it is {what}"):
            fetched(make({"main": {"k/SKILL.md": text("k"), f"k/{path}": stranger}}), "k")

    @pytest.mark.parametrize(
        "path",
        [
            ".kestrel-provenance.json",
            "x/.Kestrel-Generation",
            "a\\b",
            "a\nb",
            "C:x",
            "/".join("é" * 120 for _ in range(5)),
            "con.md",
            "aux/n.md",
            "x/end.",
            ".gi\u200ct/x",
            "git~1",
            "é" * 127 + ".md",
        ],
    )
    def test_a_name_that_does_not_travel(self, make: Make, path: str) -> None:
        """Or that is kept for this library: somebody else would speak through it."""
        with pytest.raises(BadPath):
            fetched(make({"main": {"k/SKILL.md": text("k"), f"k/{path}": Content(b"x")}}), "k")

    @pytest.mark.parametrize(("one", "other"), [("a.md", "A.md"), ("caf\u00e9", "cafe\u0301"), ("d/x", "D/y")])
    def test_two_names_that_are_one_elsewhere(self, make: Make, one: str, other: str) -> None:
        """By letter case, or by composition."""
        with pytest.raises(BadSource):
            fetched(make({"main": {f"k/{one}": Content(b"x"), f"k/{other}": Content(b"y")}}), "k")

    @pytest.mark.parametrize("folder", ["none", "k/none", "k/SKILL.md", "K", "k/SKILL.md/x", "link"])
    def test_a_folder_that_is_not_there(self, make: Make, folder: str) -> None:
        """Or is a file, or a link, or spelt otherwise."""
        with pytest.raises(BadSource):
            fetched(make({"main": {"k/SKILL.md": text("k"), "link": "-> k"}}), folder)

    def test_a_commit_that_is_not_there(self, make: Make) -> None:
        """A full id that the repository does not have."""
        bed = make({"main": ONE})
        with pytest.raises(GitFailed) as raised:
            bed.git.fetch(bed.url, CommitId("1" * 40), ResourcePath("skills/knots"), cancelled=here)
        assert raised.value.stage == "fetch"

    def test_more_entries_than_a_transfer_may_have(self, make: Make) -> None:
        """4,096 files and folders come; with one more, nothing does."""
        many: Drawn = {f"k/d/{number}": Content(b"") for number in range(4095)}
        bed = make({"main": many, "more": {**many, "k/e": Content(b"")}})
        assert len(fetched(bed, "k")) == 4095
        with pytest.raises(TooLarge):
            bed.git.fetch(bed.url, bed.commits["more"], ResourcePath("k"), cancelled=here)

    def test_whoever_went_away_gets_nothing(self, make: Make) -> None:
        """Every method ends at once."""
        bed = make({"main": ONE})
        with pytest.raises(Abandoned):
            bed.git.resolve(bed.url, git_ref("main"), cancelled=lambda: True)
        with pytest.raises(Abandoned):
            bed.git.list(bed.url, bed.main, cancelled=lambda: True)
        with pytest.raises(Abandoned):
            bed.git.fetch(bed.url, bed.main, ResourcePath("skills/knots"), cancelled=lambda: True)

    def test_one_transfer_of_several_calls(self, make: Make) -> None:
        """It answers as the source itself does, call after call."""
        bed = make({"main": ONE})
        transfer = bed.git.transfer()
        commit = transfer.resolve(bed.url, git_ref("main"), cancelled=here)
        assert commit == bed.main
        assert transfer.list(bed.url, commit, cancelled=here) == bed.git.list(bed.url, commit, cancelled=here)
        assert transfer.fetch(bed.url, commit, None, cancelled=here).files == ONE
