"""The laboratory itself, on the least feature: it sees what is there, and sees it go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import HomeOf
from .inside import booted
from .lab import Host
from .model import Call, ScriptedModel

pytestmark = pytest.mark.host

CLAUSE = "<plain-clause>"
ADD = Call("plain_add", {"one": 2, "other": 3})
FORGET = Call("plain_forget")


@pytest.fixture(scope="module")
def host(model: ScriptedModel, home_of: HomeOf, plain: Path) -> Iterator[Host]:
    """A server with the least feature."""
    host = Host(home_of(features=["PlainFeature"], packages=[plain]), model)
    yield host
    host.stop()


def test_a_command_and_both_ways_of_the_model(host: Host) -> None:
    """A tool answers a command, the model, and the feature's own sub-agent."""
    assert host.client.say("!plain add 2 3") == "It is 5."
    for delegate in (None, "plain_feature"):
        (answer,) = host.play([ADD], delegate=delegate)
        assert answer["data"] == {"sum": 5}


def test_a_script_goes_on_from_what_came_back(host: Host) -> None:
    """The model's next call may be made of what the ones before gave."""

    def doubling(results: list[str]) -> Call | None:
        return Call("plain_add", {"one": len(results), "other": 1}) if len(results) < 3 else None

    assert [answer["data"]["sum"] for answer in host.play(doubling)] == [1, 2, 3]


def test_an_approval_is_waited_for(host: Host) -> None:
    """What asks each time is queued; it runs if that is granted, and only then."""
    turn = host.client.begin("!plain forget")
    waiting = host.client.next_pending()
    assert (waiting["feature"], waiting["tool"]) == ("PlainFeature", "plain_forget")
    assert not turn.done()
    host.client.decide(waiting, approved=True)
    assert turn.result(30) == "It is forgotten."
    asked = []
    assert "denied" in host.client.say("!plain forget", decide=lambda request: bool(asked.append(request)))
    assert len(asked) == 1
    assert host.play([FORGET])[0]["status"] == "ok"
    assert "denied" in str(host.play([FORGET], decide=lambda _: False)[0])
    assert host.client.permissions("PlainFeature")["plain_forget"] == "always_ask"


def test_the_clause_is_seen_to_come_and_go(host: Host) -> None:
    """With the feature."""
    assert CLAUSE in host.prompt()
    host.client.switch_feature("PlainFeature", on=False)
    assert CLAUSE not in host.prompt()
    host.client.switch_feature("PlainFeature", on=True)
    assert CLAUSE in host.prompt()


def test_nothing_of_a_server_stays(host: Host) -> None:
    """After a stop nobody answers; after the next start, the agent does."""
    before = host.client
    host.restart()
    assert not before.is_ready()
    assert host.client.say("!plain add 1 1") == "It is 2."


def test_an_agent_in_this_process(home_of: HomeOf, plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers commands, changes its privacy mode, and loses and regains the feature."""
    monkeypatch.syspath_prepend(plain)
    with booted(home_of(features=["PlainFeature"]), "PlainFeature") as inside:
        assert inside.say("!plain add 2 3") == "It is 5."
        assert inside.use("plain_add", one=2, other=3)["data"] == {"sum": 5}
        assert inside.clauses()["plain"].startswith(CLAUSE)
        inside.privacy("ephemeral")
        inside.privacy("normal")
        inside.switch(on=False)
        assert "plain" not in inside.clauses()
        inside.switch(on=True)
        assert "plain" in inside.clauses()
