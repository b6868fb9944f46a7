"""Where skills are looked for in a repository, and which one is meant."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.errors import BadPath, BadSource
from kestrel_skills_core.domain.names import ResourcePath, resource_path
from kestrel_skills_core.domain.whereabouts import TOP, chosen, is_path, is_place, subpath, worth_a_look
from tests.examples import examples

ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)
NAMES = st.sampled_from(["skills", "plugins", ".claude", ".agents", ".github", "a", "b", "SKILL.md", ".git", "x\ny"])
TREES: st.SearchStrategy[Any] = st.recursive(
    st.just({}), lambda folders: st.dictionaries(NAMES, folders, max_size=5), max_leaves=25
)
PLACES = [
    "x",
    "skills/x",
    "skills/group/x",
    "group/skills/x",
    "plugins/p/skills/x",
    ".claude/skills/x",
    ".agents/skills/x",
]


def path(text: str) -> ResourcePath:
    """A path that is known to be legal."""
    return resource_path(text)


def looked_into(tree: dict[str, Any]) -> list[str]:
    """Every folder that a source looks into, level by level, as it would."""
    level: list[tuple[str | None, dict[str, Any]]] = [(TOP, tree)]
    looked = []
    while level:
        level = [
            (found, content[found.rpartition("/")[2]])
            for folder, content in level
            for found in worth_a_look(folder, content, is_skill=False)
        ]
        looked += [folder for folder, _ in level]
    return looked


FOUND = {TOP: "whole", path("skills/a"): "a", path("skills/b"): "another-name", path(".claude/skills/b"): "b"}


@pytest.mark.parametrize("place", PLACES)
def test_each_place_is_come_to_and_counts(place: str) -> None:
    """From the top down, each folder on the way is worth a look, and the last one may be a skill."""
    parts = place.split("/")
    for depth, name in enumerate(parts):
        above = path("/".join(parts[:depth])) if depth else TOP
        assert path("/".join(parts[: depth + 1])) in worth_a_look(above, [name], is_skill=False)
    assert is_place(path(place))


def test_the_top_may_be_a_skill() -> None:
    """And hold others all the same."""
    assert is_place(TOP)
    assert worth_a_look(TOP, ["skills", "docs"], is_skill=True) == ("docs", "skills")


@pytest.mark.parametrize(
    "place",
    [
        "a/x",
        "plugins/p",
        "plugins/p/x",
        "skills/a/b/x",
        ".claude/x",
        ".github/skills/x",
        "skills/.x",
        ".x",
        ".claude",
        "a/b/skills/x",
        ".claude/skills/a/x",
        "plugins/p/skills/a/x",
        "plugins/.p/skills/x",
        "Skills/.a/x",
        ".claude/skills",
    ],
)
def test_elsewhere_nothing_counts(place: str) -> None:
    """One level too deep, one too high, or below a name with a dot that is not one of the two."""
    assert not is_place(path(place))


def test_what_is_worth_a_look() -> None:
    """All at the top but what is hidden; below it only what leads on."""
    names = ["skills", "docs", ".claude", ".agents", ".github", "plugins", ".git", "__pycache__", "bad\nname", ""]
    assert worth_a_look(TOP, names, is_skill=False) == (".agents", ".claude", "docs", "plugins", "skills")
    assert worth_a_look(path("docs"), ["skills", "images"], is_skill=False) == ("docs/skills",)
    assert worth_a_look(path(".claude"), ["skills", "agents"], is_skill=False) == (".claude/skills",)
    assert worth_a_look(path("plugins"), ["b", "a"], is_skill=False) == ("plugins/a", "plugins/b")
    assert worth_a_look(path("plugins/a"), ["b", "skills"], is_skill=False) == ("plugins/a/skills",)
    assert worth_a_look(path("skills"), ["a"], is_skill=False) == ("skills/a",)
    assert worth_a_look(path("skills/a"), ["b", ".c"], is_skill=False) == ("skills/a/b",)
    assert worth_a_look(path("skills/a/b"), ["c"], is_skill=False) == ()


def test_nothing_is_looked_for_in_a_skill() -> None:
    """What a skill's folder holds is its own, however it is named."""
    assert worth_a_look(path("skills/a"), ["b"], is_skill=True) == ()
    assert worth_a_look(path("a"), ["skills"], is_skill=True) == ()


def test_a_procedure_that_is_out_of_place_hides_nothing() -> None:
    """A folder on the way is no skill, whatever it holds."""
    assert worth_a_look(path("plugins/p"), ["skills"], is_skill=True) == ("plugins/p/skills",)
    assert worth_a_look(path(".claude"), ["skills"], is_skill=True) == (".claude/skills",)


@settings(max_examples=examples(300))
@given(TREES)
def test_every_place_in_a_tree_is_looked_into_and_no_more(tree: dict[str, Any]) -> None:
    """Against the patterns of the contract, as globs, over every folder of the tree."""

    def folders(content: dict[str, Any], above: str = "") -> list[str]:
        return [each for name, below in content.items() for each in (above + name, *folders(below, f"{above}{name}/"))]

    def fits(folder: str, place: str) -> bool:
        parts, pattern = folder.split("/"), place.split("/")
        return len(parts) == len(pattern) and all(
            part == wanted or (wanted == "*" and not part.startswith(".") and part != "x\ny")
            for part, wanted in zip(parts, pattern, strict=True)
        )

    patterns = [
        "*",
        "skills/*",
        "skills/*/*",
        "*/skills/*",
        "plugins/*/skills/*",
        ".claude/skills/*",
        ".agents/skills/*",
    ]
    expected = {each for each in folders(tree) if any(fits(each, pattern) for pattern in patterns)}
    looked = looked_into(tree)
    assert len(looked) == len(set(looked))
    assert {each for each in looked if is_place(each)} == expected
    ways = {"/".join(pattern.split("/")[:depth]) for pattern in patterns for depth in range(1, 5)}
    assert all(any(fits(each, way) for way in ways) for each in looked)


class TestPaths:
    @pytest.mark.parametrize("asked", ["a/b", "./a", "a/", ".", "./", "/a", "../a"])
    def test_what_is_a_path(self, asked: str) -> None:
        """Whatever holds a slash, and the dot."""
        assert is_path(asked)

    @pytest.mark.parametrize("asked", ["a", "my skill", ".hidden", "", ".."])
    def test_what_is_a_name(self, asked: str) -> None:
        """Everything else is looked for."""
        assert not is_path(asked)

    @pytest.mark.parametrize(
        ("asked", "folder"),
        [
            ("a/b", "a/b"),
            ("./a", "a"),
            ("a/", "a"),
            ("./a/b/", "a/b"),
            (".", TOP),
            ("./", TOP),
            (".claude/x", ".claude/x"),
        ],
    )
    def test_what_it_picks(self, asked: str, folder: str | None) -> None:
        """One folder, wherever it is."""
        assert subpath(asked) == folder

    @pytest.mark.parametrize(
        "asked",
        ["/a", "../a", "a/../b", "a//b", "a/./b", "././a", "a//", "a\\b", "C:/a", "a/\n", ".git/hooks", "a/.kestrel-x"],
    )
    def test_what_is_refused(self, asked: str) -> None:
        """What leads upwards or away, or is no path that travels."""
        with pytest.raises(BadPath) as refused:
            subpath(asked)
        assert refused.value.fix

    @settings(max_examples=examples(2000))
    @given(ANYTHING | st.text(st.sampled_from("./\\aC:~ \n"), max_size=12))
    def test_any_text_is_a_folder_or_refused(self, asked: str) -> None:
        """What it picks never leads upwards."""
        try:
            folder = subpath(asked)
        except BadPath:
            return
        assert folder is TOP or not {"", ".", ".."} & set(folder.split("/"))


class TestNames:
    def test_a_folder_goes_by_its_own_name(self) -> None:
        """Whatever its text says; only the top goes by that."""
        assert chosen("a", FOUND) == "skills/a"
        assert chosen("whole", FOUND) is TOP

    def test_several_are_listed(self) -> None:
        """A person then picks one by its path."""
        with pytest.raises(BadSource) as refused:
            chosen("b", FOUND)
        assert refused.value.why == "several skills have that name: `.claude/skills/b`, `skills/b`"
        assert refused.value.fix == "give the path of one of them"

    def test_each_that_is_listed_can_be_asked_for(self) -> None:
        """The top and a folder right below it are spelt as paths, too."""
        found = {TOP: "x", path("x"): "x", path("skills/x"): ""}
        with pytest.raises(BadSource, match=r"`\.`, `\./x`, `skills/x`") as refused:
            chosen("x", found)
        listed = refused.value.why.split("`")[1::2]
        assert all(is_path(each) for each in listed)
        assert {subpath(each) for each in listed} == set(found)

    def test_many_are_cut(self) -> None:
        """Ten are listed, and the rest counted."""
        with pytest.raises(BadSource, match=r"`skills/09/x` and 1,990 more"):
            chosen("x", {path(f"skills/{each:02}/x"): "" for each in range(2000)})

    def test_a_name_that_is_not_there(self) -> None:
        """Near ones are named; else what is there; else what to do."""
        with pytest.raises(BadSource) as refused:
            chosen("whol", FOUND)
        assert refused.value.fix == "did you mean `whole`?"
        with pytest.raises(BadSource) as refused:
            chosen("zzzz", {path("skills/a"): "", TOP: ""})
        assert refused.value.fix == "it has `.`, `skills/a`; else give the folder's path"
        with pytest.raises(BadSource) as refused:
            chosen("a", {})
        assert refused.value.fix == "give the path of the skill's folder"

    def test_nothing_is_not_a_name(self) -> None:
        """A top whose text gives no name is not what an empty name means."""
        with pytest.raises(BadSource):
            chosen("", {TOP: "", path("skills/a"): ""})
