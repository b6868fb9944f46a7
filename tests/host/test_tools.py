"""The ten tools, through a command, through the model, and through the feature's own sub-agent."""

from __future__ import annotations

from typing import Any

import pytest

from .lab import FEATURE, Host
from .model import Call

pytestmark = pytest.mark.host

DELEGATE = "procedural_skills_feature"
DOORS = [pytest.param(None, id="direct"), pytest.param(DELEGATE, id="delegate")]
LEVELS = {
    DELEGATE: "ask",
    "skill_list": "allow",
    "skill_search": "allow",
    "skill_read": "allow",
    "skill_create": "ask",
    "skill_edit": "ask",
    "skill_enable": "ask",
    "skill_disable": "ask",
    "skill_preview_install": "ask",
    "skill_install": "always_ask",
    "skill_delete": "always_ask",
}
AWAY = "https://localhost/skills.git"
"""No public place, so that nothing is asked of a network."""


def create(name: str, **more: object) -> Call:
    """Make a skill."""
    return Call("skill_create", {"name": name, "description": f"Use to {name}.", "body": f"# {name}\n", **more})


def found(host: Host, name: str) -> Any:
    """What a search shows under a name, or nothing."""
    (answer,) = host.play([Call("skill_search", {"query": name})])
    return next((each for each in answer["data"]["skills"] if each["name"] == name), None)


def test_the_same_skills_over_http(host: Host) -> None:
    """The host mounts the routes for the agent; what changes something must be marked."""
    host.play([create("mow", enabled=True)])
    answer = host.client.of_agent("GET", "/api/procedural-skills")
    skill = next(each for each in answer["skills"] if each["name"] == "mow")
    assert skill["context_included"]
    refused = host.client.of_agent("DELETE", "/api/procedural-skills/mow")
    assert (refused.status, refused["code"]) == (403, "unmarked_request")


def test_the_permissions_are_those_of_the_contract(host: Host) -> None:
    """As an operator sees them in the Console."""
    assert host.client.permissions(FEATURE) == LEVELS


def test_the_model_is_offered_all_ten_at_once(host: Host) -> None:
    """On the first turn of a conversation, each with a description of itself and of each of its parameters."""
    host.play([])
    offered = {name: tool for name, tool in host.model.asked[-1].tools.items() if name.startswith("skill_")}
    assert set(offered) == set(LEVELS) - {DELEGATE}
    for name, tool in offered.items():
        assert tool["description"], name
        for parameter, said in tool["parameters"]["properties"].items():
            assert said["description"] != f"The {parameter} parameter", name  # what the SDK says of one without


def test_every_tool_is_a_command(host: Host) -> None:
    """All ten, as a person types them; of single words, which mean the same to every host."""
    say = host.client.say
    for command, answer in (
        ("create typed It-is-typed. Begin.", "typed"),
        ("list", "typed"),
        ("search typed", "It-is-typed."),
        ("read typed", "Begin."),
        ("enable typed", "typed"),
        ("disable typed", "typed"),
        ("edit typed notes.md Words", "notes.md"),
        ("read typed notes.md", "Words"),
        (f"preview {AWAY}", "not public"),
        (f"install {AWAY} typed", "not public"),
        ("delete typed 00", "changed"),
    ):
        assert answer in say(f"!skill {command}"), command
    assert "typed" in say(f"!skill delete typed {found(host, 'typed')['delete_revision']}")
    assert found(host, "typed") is None


@pytest.mark.parametrize("delegate", DOORS)
def test_every_tool_is_the_models(host: Host, delegate: str | None) -> None:
    """All ten, with each one's effect seen by the next."""
    name = f"played-{delegate or 'direct'}".replace("_", "-")

    def one(tool: str, **args: object) -> Any:
        (answer,) = host.play([Call(f"skill_{tool}", args)], delegate=delegate)
        return answer

    made = host.play([create(name)], delegate=delegate)[0]
    assert made["status"] == "ok"
    assert one("list")["data"]["total"] >= 1
    (shown,) = (each for each in one("search", query=name)["data"]["skills"] if each["name"] == name)
    assert (shown["enabled"], shown["context_included"]) == (False, False)
    assert one("read", name=name)["data"]["content"].strip() == f"# {name}"
    one("edit", name=name, append="\nTake care.\n")
    assert "Take care." in one("read", name=name)["data"]["content"]
    one("enable", name=name, priority=7)
    on = found(host, name)
    assert (on["enabled"], on["priority"], on["context_included"]) == (True, 7, True)
    one("disable", name=name)
    assert not found(host, name)["enabled"]
    for tool in ("preview_install", "install"):
        refused = one(tool, source_url=AWAY, skill_name=name)
        assert (refused["status"], refused["data"]["reason_code"]) == ("error", "bad_source")
    stale = one("delete", name=name, delete_revision=shown["delete_revision"])
    assert (stale["status"], stale["data"]["reason_code"]) == ("error", "stale")
    assert one("delete", name=name, delete_revision=found(host, name)["delete_revision"])["status"] == "ok"
    assert found(host, name) is None


def test_an_approval_is_queued_released_and_denied(host: Host) -> None:
    """A change waits for an operator, who sees its arguments; denied, nothing is there."""
    for approved in (False, True):
        name = f"asked-{approved}".lower()
        script = host.model.script([create(name)])
        turn = host.client.begin(script.words)
        waiting = host.client.next_pending()
        assert (waiting["feature"], waiting["tool"]) == (FEATURE, "skill_create")
        assert waiting["args"]["name"] == name
        assert not (host.home.skills / name).exists()
        host.client.decide(waiting, approved=approved)
        turn.result(60)
        assert (host.home.skills / name).exists() is approved


def test_always_sticks_and_the_digest_holds_all_the_same(host: Host) -> None:
    """An operator who says "always" is not asked again; but what changed since it was looked at is not deleted."""
    host.play([create("sticky"), create("other-sticky")])
    first, second = found(host, "sticky"), found(host, "other-sticky")
    asked: list[dict[str, Any]] = []

    def always(request: dict[str, Any]) -> bool:
        asked.append(request)
        host.client.decide(request, approved=True, scope="always")
        return True

    turn = host.client.begin(host.model.script([_delete(first)]).words)
    always(host.client.next_pending())
    turn.result(60)
    host.play([Call("skill_edit", {"name": "other-sticky", "append": "More.\n"})])
    before = len(asked)
    (answer,) = host.play([_delete(second)], decide=lambda request: bool(asked.append(request)))
    assert len(asked) == before
    assert answer["data"]["reason_code"] == "stale"
    assert found(host, "other-sticky") is not None
    host.client.permit(FEATURE, "skill_delete", "always_ask")


def test_reading_asks_nobody(host: Host) -> None:
    """Neither a list nor a search nor a read waits for an operator."""
    host.play([create("quiet")])
    calls = [Call("skill_list"), Call("skill_search", {"query": "quiet"}), Call("skill_read", {"name": "quiet"})]
    answers = host.play(calls, decide=lambda request: pytest.fail(str(request)))
    assert [answer["status"] for answer in answers] == ["ok", "ok", "ok"]


def test_a_failure_says_why_and_holds_no_path(host: Host) -> None:
    """A stable reason, a fix, and nothing of the machine."""
    calls = [
        Call("skill_read", {"name": "nowhere"}),
        Call("skill_read", {"name": "../nowhere"}),
        create("Not A Name"),
        create("wrong", description="\x00"),
        Call("skill_edit", {"name": "nowhere", "content": "x", "relative_path": "../x"}),
        Call("skill_enable", {"name": "nowhere"}),
    ]
    for answer in host.play(calls):
        assert answer["status"] == "error", answer
        assert answer["data"]["reason_code"], answer
        assert str(host.home.folder) not in str(answer)
        assert "Traceback" not in str(answer)


def _delete(shown: dict[str, Any]) -> Call:
    return Call("skill_delete", {"name": shown["name"], "delete_revision": shown["delete_revision"]})
