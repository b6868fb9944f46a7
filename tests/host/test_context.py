"""The clause in the real prompt: it is there when it should be, and gone when it should be gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import HomeOf, HostOf
from .lab import FEATURE, Host
from .model import Call
from .test_tools import create, found

pytestmark = pytest.mark.host

TAG = "<procedural-skills"


def is_told(host: Host, name: str) -> bool:
    """Whether the system messages of a turn that begins now name a skill, in the clause."""
    return f"Use to {name}." in host.prompt()


def test_enabling_puts_a_skill_into_the_prompt(host: Host) -> None:
    """Its name and description; not its procedure; and disabling takes it out again."""
    host.play([create("sow", body="# The secret of sowing\n")])
    assert not is_told(host, "sow")
    host.play([Call("skill_enable", {"name": "sow"})])
    prompt = host.prompt()
    assert TAG in prompt
    assert "Use to sow." in prompt
    assert "secret of sowing" not in prompt
    host.play([Call("skill_disable", {"name": "sow"})])
    assert not is_told(host, "sow")


def test_an_edit_reaches_the_prompt(host: Host) -> None:
    """A new description is there on the next turn; a deleted skill is not."""
    host.play([create("mow", enabled=True)])
    assert is_told(host, "mow")
    change = {"name": "mow", "old_text": "Use to mow.", "new_text": "Use to mow with care."}
    host.play([Call("skill_edit", change)])
    assert "Use to mow with care." in host.prompt()
    token = found(host, "mow")["delete_revision"]
    host.play([Call("skill_delete", {"name": "mow", "delete_revision": token})])
    assert "Use to mow" not in host.prompt()


def test_a_privacy_mode_hides_and_gives_back(host: Host) -> None:
    """In ephemeral mode there are no skills, and none can be made; after it, all is as before."""
    host.play([create("rake", enabled=True)])
    assert is_told(host, "rake")
    host.client.privacy("ephemeral")
    try:
        assert TAG not in host.prompt()
        listed, made = host.play([Call("skill_list"), create("made-in-secret")])
        assert listed["data"]["skills"] == []
        assert (made["status"], made["data"]["reason_code"]) == ("error", "hidden")
    finally:
        host.client.privacy("normal")
    assert is_told(host, "rake")
    assert not (host.home.skills / "made-in-secret").exists()


def test_a_feature_that_is_switched_off_and_on(host: Host) -> None:
    """Its clause and tools go with it, and come back with what was on."""
    host.play([create("dig", enabled=True)])
    host.client.switch_feature(FEATURE, on=False)
    prompt = host.prompt()
    assert TAG not in prompt
    assert not any(name.startswith("skill_") for name in host.model.asked[-1].tools)
    host.client.switch_feature(FEATURE, on=True)
    assert is_told(host, "dig")
    assert found(host, "dig")["enabled"]


def test_a_restart_changes_nothing(host: Host) -> None:
    """To the byte: the clause before is the clause after, and what is on is on."""
    host.play([create("prune", enabled=True, priority=3), create("weed")])
    before = clause(host.prompt())
    assert "Use to prune." in before
    host.restart()
    assert clause(host.prompt()) == before
    assert (found(host, "prune")["enabled"], found(host, "weed")["enabled"]) == (True, False)


def test_a_person_who_edits_by_hand_is_followed(host: Host) -> None:
    """What changes on the disk is in the prompt as soon as the skills were looked at again."""
    host.play([create("hoe", enabled=True)])
    document = host.home.skills / "hoe" / "SKILL.md"
    document.write_text(document.read_text().replace("Use to hoe.", "Use to hoe by hand."))
    host.play([Call("skill_list")])
    assert "Use to hoe by hand." in host.prompt()


@pytest.mark.parametrize("tool", ["skill_read", "skill_edit"])
def test_what_the_command_line_switches_off_is_gone_with_the_next_look(host: Host, tool: str) -> None:
    """At that skill, be it a change that is refused: nobody has to ask for the list."""
    name = tool.replace("_", "-")
    host.play([create(name, enabled=True)])
    assert is_told(host, name)
    by_hand(host, "disable", name)
    more = {"skill_read": {}, "skill_edit": {"old_text": "no such text", "new_text": ""}}[tool]
    (answer,) = host.play([Call(tool, {"name": name, **more})])
    assert answer["status"] == ("ok" if tool == "skill_read" else "error")
    assert not is_told(host, name)
    by_hand(host, "enable", name)
    host.play([Call("skill_read", {"name": name})])
    assert is_told(host, name)


def by_hand(host: Host, *words: str) -> None:
    """Run the command line on the skills of the agent, and its table, beside the server."""
    home = host.home
    whose = ["--root", home.skills, "--agent", home.did, "--state", home.data / "kestrel_prime.db"]
    program = Path(sys.executable).with_name("kestrel-skills")
    subprocess.run([program, *words, *whose], env=home.environ, check=True, capture_output=True, text=True)


def test_a_clause_that_the_host_leaves_out_is_told_of(home_of: HomeOf, host_of: HostOf) -> None:
    """With so small a context the host drops the clause, and says nothing; the feature says so to the operator."""
    host = host_of(home_of(context=32_768))
    host.play([create("sow", enabled=True)])
    assert TAG not in host.prompt()
    (answer,) = host.play([Call("skill_list")])
    assert found(host, "sow")["enabled"]
    assert any("prompt" in note for note in answer["data"]["notes"])


def test_a_turn_that_calls_no_tool_tells_it_too(home_of: HomeOf, host_of: HostOf) -> None:
    """A model that sees no skills calls none of their tools: it is noticed as the turn ends."""
    host = host_of(home_of(context=32_768))
    host.play([create("sow", enabled=True)])
    host.client.say("Good morning.")
    assert TAG not in host.prompt()
    assert "leaves the clause of the skills out" in host.client.say("!skill list")


def clause(prompt: str) -> str:
    """The clause in a prompt."""
    return prompt[prompt.index(TAG) : prompt.index("</procedural-skills>")]
