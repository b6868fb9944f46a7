"""What a model of this machine does on the live path is no evidence, however well it does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.places import Console, Pages
from tests.host.lab import Host
from tests.host.model import Call, ScriptedModel

from .conftest import HomeOf
from .evidence import MODEL, PROVIDER, NoEvidence, Pinned, pinned, vouch
from .walk import DELEGATE, SKILL, TOLD, walk

pytestmark = pytest.mark.e2e

LOCAL = Pinned("stub:local", "scripted", "none")
HAIKU = Pinned("anthropic:api", "claude-haiku-4-5", "none")


@pytest.fixture(scope="module")
def console(home_of: HomeOf, model: ScriptedModel) -> Iterator[Console]:
    """A host whose only model is scripted."""
    host = Host(home_of(), model)
    yield Console(host)
    host.stop()


def test_a_local_model_goes_all_the_way_and_cannot_be_pinned(
    console: Console, model: ScriptedModel, pages: Pages
) -> None:
    """The path itself is good: the skill is read, and the answer is the pinned model's. But none may pin that one."""
    console.clear()
    reads = model.script([Call("skill_read", {"name": SKILL})])
    delegates = model.script([Call(DELEGATE, {"task": reads.words})])
    walk(console.desktop(pages), LOCAL, delegates.words)
    assert TOLD in reads.results[0]
    with pytest.raises(NoEvidence, match=r"'stub:local' is no hosted route that counts"):
        pinned({PROVIDER: LOCAL.provider, MODEL: LOCAL.model})


def test_a_host_that_cannot_reach_the_pinned_model_proves_nothing(console: Console) -> None:
    """It refuses the turn, and does not let another model take it."""
    with pytest.raises(NoEvidence, match=r"answered 500 where anthropic:api claude-haiku-4-5 is pinned"):
        vouch(HAIKU, *said(console, input="What is there?", provider=HAIKU.provider, model=HAIKU.model))


@pytest.mark.parametrize(("words", "who"), [("What is there?", "stub:local scripted"), ("!skill list", "None None")])
def test_whoever_stands_in_for_it_is_found(console: Console, words: str, who: str) -> None:
    """Asked for none, the host takes the model that it has, and says so; a command is answered by none."""
    with pytest.raises(NoEvidence, match=f"^{who} answered where anthropic:api claude-haiku-4-5 is pinned"):
        vouch(HAIKU, *said(console, input=words))


def said(console: Console, **request: str) -> tuple[int, Any]:
    """The status and the body of a turn."""
    answer = console.host.client.of_agent("POST", "/api/agent/invoke", request, timeout=120)
    return answer.status, answer.body
