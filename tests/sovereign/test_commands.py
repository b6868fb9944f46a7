"""The commands, as a person types them: of single words, they mean the same by the rule of each SDK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kestrel_sdk.tools.base import AgentTool

from tests.sovereign.agent import Agent
from tests.sovereign.booted import COMMIT, URL, Feature, booted, reach

Rule = Callable[[AgentTool, str], dict[str, Any]]


def by_the_sdk(tool: AgentTool, line: str) -> dict[str, Any]:
    """As the SDK that is installed has it."""
    return dict(tool.parse_command_args(line))


def by_0_38(tool: AgentTool, line: str) -> dict[str, Any]:
    """As SDK 0.38 had it: words at spaces, quotes and all; the last parameter takes the rest; no figure is refused."""
    words = line.split()[len((tool.schema.command_prefix or "").split()) :]
    args: dict[str, Any] = {}
    for at, parameter in enumerate(tool.schema.parameters):
        if at >= len(words):
            if parameter.default is not None:
                args[parameter.name] = parameter.default
            continue
        is_last = parameter is tool.schema.parameters[-1]
        value = " ".join(words[at:]) if is_last else words[at]
        args[parameter.name] = _coerced(value, parameter.type)
    return args


def _coerced(value: str, kind: str) -> Any:
    flags = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if kind == "integer" and value.lstrip("-").isdigit():
        return int(value)
    return flags.get(value.lower(), value) if kind == "boolean" else value


RULES = [pytest.param(by_the_sdk, id="installed"), pytest.param(by_0_38, id="0.38")]


async def say(feature: Feature, rule: Rule, line: str) -> dict[str, Any]:
    """What a line does: it goes to the first tool whose command it begins with, as a host looks for it."""
    tool = next(each for each in feature.get_tools() if line.startswith(f"{each.schema.command_prefix} "))
    return dict(await tool.execute(**rule(tool, line)))


@pytest.mark.parametrize("rule", RULES)
def test_every_tool_is_a_command(agent: Agent, rule: Rule) -> None:
    """Of single words; each does what the tool does."""

    async def test(feature: Feature) -> None:
        async def said(line: str) -> dict[str, Any]:
            result = await say(feature, rule, f"!skill {line}")
            assert result["status"] == "ok", result
            return result

        assert (await said("create sow Useful Begin. yes 7"))["data"]["priority"] == 7
        assert "sow" in agent.prompt
        assert (await said("list false 0 10"))["data"]["total"] == 1
        assert (await said("list true "))["data"]["total"] == 1
        assert (await said("search sow 0 5"))["data"]["total"] == 1
        assert (await said("read sow"))["data"]["content"].strip() == "Begin."
        await said("edit sow notes.md Words")
        assert (await said("read 'sow' notes.md"))["data"]["content"] == "Words"
        assert (await said("read sow notes.md 2"))["data"]["content"] == "rds"
        await said("disable sow")
        assert agent.prompt == ""
        await said("enable sow 3")
        assert (await reach(agent, "sow"))["priority"] == 3
        assert (await said(f"preview {URL}"))["data"]["total"] == 2
        digest = (await said(f"preview {URL} knots {COMMIT}"))["data"]["digest"]
        await said(f"install {URL} knots {COMMIT} {digest}")
        await said(f'delete "sow" {(await reach(agent, "sow"))["delete_revision"]}')
        assert [path.name for path in agent.skills.glob("[!.]*")] == ["knots"]

    booted(agent, test)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "line", ["read", "read ../x", "enable nowhere", "delete sow 00", "create No D. B.", "list perhaps"]
)
def test_a_command_that_cannot_be_done_is_refused(agent: Agent, rule: Rule, line: str) -> None:
    """By the tool, or before it; nothing is made or lost."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", name="sow", description="Use to sow.", body="Begin.")
        result = await say(feature, rule, f"!skill {line} ")
        assert result.get("status") == "error" or result.get("success") is False
        assert [path.name for path in agent.skills.glob("[!.]*")] == ["sow"]

    booted(agent, test)


def test_no_command_begins_with_another() -> None:
    """A host of before 0.54 looks for the first that fits."""
    prefixes = [tool.schema.command_prefix for tool in Feature(object()).get_tools()]
    assert len(prefixes) == 10
    assert not [(one, other) for one in prefixes for other in prefixes if one != other and one.startswith(other)]


def test_words_that_an_older_host_does_not_keep_together_are_refused(agent: Agent) -> None:
    """Rather than looked for by the first of them: the fix says which argument may be several words."""

    async def test(feature: Feature) -> None:
        (tool,) = [each for each in feature.get_tools() if each.name == "skill_search"]
        result = await feature.skill_search(**by_0_38(tool, "!skill search review a diff"))
        assert result.data is not None
        assert result.data["reason_code"] == "bad_argument"
        assert "only the last argument" in result.data["fix"]

    booted(agent, test)


@pytest.mark.parametrize("line", ['enable sow "3"', "list 'true'", 'read sow SKILL.md "2"'])
def test_a_figure_or_flag_in_quotes_is_refused_by_an_older_host(agent: Agent, line: str) -> None:
    """By its SDK, or by the tool; a text of one word may be quoted, which is looked at above."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", name="sow", description="Use to sow.", body="Begin.", priority=7)
        result = await say(feature, by_0_38, f"!skill {line}")
        assert result["status"] == "error"
        (tool,) = [each for each in feature.get_tools() if line.startswith(each.schema.command_prefix.split()[1] + " ")]
        told = await getattr(feature, tool.name)(**by_0_38(tool, f"!skill {line}"))
        assert told.data["reason_code"] == "bad_argument"
        assert (await reach(agent, "sow"))["priority"] == 7

    booted(agent, test)
