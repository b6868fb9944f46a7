"""What is broken degrades the feature, never the agent; and the feature says what is broken."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .conftest import HomeOf, HostOf
from .lab import FEATURE, Host, table_broken
from .model import Call, ScriptedModel
from .test_context import TAG, is_told
from .test_tools import create, found

pytestmark = pytest.mark.host

LIST = Call("skill_list")


@pytest.fixture(scope="module")
def host(model: ScriptedModel, home_of: HomeOf) -> Iterator[Host]:
    """A server that only the tests of this module break."""
    host = Host(home_of(), model)
    yield host
    host.stop()


def test_a_table_that_fails_turns_everything_off_and_says_so(host: Host) -> None:
    """In the middle of an agent's life: nothing is on any more, reading goes on, and all is back with the table."""
    host.play([create("trowel", enabled=True), create("spade")])
    assert is_told(host, "trowel")
    with table_broken(host.home.database):
        listed, read = host.play([LIST, Call("skill_read", {"name": "trowel"})])
        assert not any(each["enabled"] for each in listed["data"]["skills"])
        assert listed["data"]["notes"]
        assert read["data"]["content"]
        assert TAG not in host.prompt()
        (refused,) = host.play([Call("skill_enable", {"name": "spade"})])
        assert refused["data"]["reason_code"] == "state_unavailable"
    host.play([LIST])
    assert is_told(host, "trowel")
    assert not found(host, "spade")["enabled"]


def test_what_is_turned_off_without_a_table_stays_off(host: Host) -> None:
    """A mark on the disk holds it off when the table is back and still says on."""
    host.play([create("axe", enabled=True)])
    with table_broken(host.home.database):
        host.play([Call("skill_disable", {"name": "axe"})])
    host.play([LIST])
    assert not found(host, "axe")["enabled"]
    assert not is_told(host, "axe")
    host.play([Call("skill_enable", {"name": "axe"})])
    assert is_told(host, "axe")


def test_the_bundled_feature_beside_ours(home_of: HomeOf, host_of: HostOf) -> None:
    """The agent boots with both: the names that both claim are the host's own, the rest is ours, and that is said."""
    host = host_of(home_of(features=[FEATURE, "SkillsFeature"]))
    assert set(host.client.permissions(FEATURE)) >= {"skill_read", "skill_create", "skill_search"}
    assert not {"skill_list", "skill_delete"} & set(host.client.permissions(FEATURE))
    assert {"skill_list", "skill_delete"} <= set(host.client.permissions("SkillsFeature"))
    host.play([create("sow", enabled=True)])
    assert is_told(host, "sow")
    (answer,) = host.play([Call("skill_search", {"query": "sow"})])
    assert any("SkillsFeature" in note for note in answer["data"]["notes"])
    catalog = host.client.of_agent("GET", "/api/procedural-skills")
    assert any("SkillsFeature" in note for note in catalog["notes"])


def test_a_root_that_is_no_folder(home_of: HomeOf, host_of: HostOf) -> None:
    """The agent boots, lists what else there is, and says what is wrong with its own root."""
    home = home_of()
    home.skills.write_text("This is no folder.")
    (home.shared / "dig").mkdir(parents=True)
    (home.shared / "dig" / "SKILL.md").write_text("---\nname: dig\ndescription: Use to dig.\n---\nBegin.\n")
    host = host_of(home)
    listed, made = host.play([LIST, create("sow")])
    assert listed["data"]["notes"]
    assert made["status"] == "error"
    assert host.client.say("!help")
    assert home.skills.read_text() == "This is no folder."


def test_what_lies_among_skills_stops_nothing(host: Host) -> None:
    """A pipe, a link that leads to itself, a document that is none: each is told of, and everything else goes on."""
    host.play([create("good", enabled=True)])
    skills = host.home.skills
    os.mkfifo(skills / "pipe")
    (skills / "loop").symlink_to("loop")
    for name, text in (("hostile", "\x00"), ("open", "---\nname: open\n")):
        (skills / name).mkdir()
        (skills / name / "SKILL.md").write_text(text)
    (skills / "blocked").mkdir()
    os.mkfifo(skills / "blocked" / "SKILL.md")
    (listed,) = host.play([LIST])
    rejected = {each["name"] for each in listed["data"]["rejected"]}
    assert rejected >= {"hostile", "open", "blocked"}
    host.restart()
    assert is_told(host, "good")
    for name in ("pipe", "loop"):
        (skills / name).unlink()
