"""What an agent is shown to see is what it sees: every dialogue of the page runs on the feature itself."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from sybil import Document
from sybil.parsers.markdown import CodeBlockParser

from kestrel_skills_adapters.sovereign.answers import REASONS
from kestrel_skills_adapters.sovereign.permissions import LEVELS
from tests.docs.dialogue import Dialogue, missing, turns
from tests.sovereign.agent import Agent, host_modules
from tests.sovereign.booted import Feature

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
ASKS = {"no": "allow", "yes": "ask", "always": "always_ask"}


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    """An agent that is not booted yet, with the skills of the tour."""
    agent = Agent(tmp_path / "kite")
    with as_file(files("kestrel_skills_adapters.cli.tour") / "home") as home:
        shutil.copytree(home / "skills", agent.skills)
        shutil.copytree(home / "shared", tmp_path / "shared")
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_SHARED_SKILLS_DIR", str(tmp_path / "shared"))
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")
    yield agent
    agent.close()


def test_every_dialogue_runs(agent: Agent) -> None:
    """From the first call to the last, what is shown is answered; and every tool is shown."""
    with asyncio.Runner() as runner:
        feature = runner.run(agent.boot(Feature(agent)))
        long = f"{'A line of a hundred':.<99}\n" * 99
        dialogue = Dialogue(agent.use, lambda: agent.prompt, runner.run, {"long": long})
        for example in Document.parse(str(PAGE), CodeBlockParser("tool", dialogue)):
            example.evaluate()
        runner.run(feature.shutdown())
    assert dialogue.called == set(LEVELS)


def test_the_page_says_what_asks() -> None:
    """The table of tools has each one, with the permission that it has."""
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`skill_.+?) \| .+ \| (no|yes|always).* \|$", text, re.MULTILINE)
    told = {tool: ASKS[asks] for tools, asks in rows for tool in re.findall(r"`(\w+)`", tools)}
    assert told == {tool: level.value for tool, level in LEVELS.items()}


def test_every_reason_has_an_advice() -> None:
    """Each reason that a tool may give is told once, and no other."""
    _, _, table = PAGE.read_text(encoding="utf-8").partition("| reason | what an agent does |")
    told = [code for cell in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for code in re.findall(r"`(\w+)`", cell)]
    assert sorted([*told, "kept_absent"]) == sorted(REASONS)


class TestDialogue:
    """The machinery that runs dialogues."""

    def test_what_is_shown_must_be_there(self) -> None:
        """Members that are not shown may be there; what is shown is compared, lists to their ends."""
        given = {"a": 1, "b": [{"c": "long text", "d": None}]}
        assert list(missing({"b": [{"c": "long…", "d": None}]}, given)) == []
        assert list(missing({"b": [{"c": "⟨token⟩"}]}, given)) == []
        for wrong in ({"a": 2}, {"a": True}, {"b": []}, {"b": [{"c": "long"}]}, {"b": [{"c": "short…"}]}, {"e": None}):
            assert list(missing(wrong, given))

    def test_a_call_may_go_on(self) -> None:
        """Lines that begin with two spaces below a call belong to it."""
        block = '> a {"b":\n   1}\n{"c": 2}\n> prompt\n<x>\n'
        assert list(turns(block)) == [('a {"b":1}', '{"c": 2}'), ("prompt", "<x>")]

    def test_a_dialogue_begins_with_a_call(self) -> None:
        """An answer without a call is a mistake in the document."""
        with pytest.raises(ValueError, match="begins with"):
            list(turns("{}\n"))
