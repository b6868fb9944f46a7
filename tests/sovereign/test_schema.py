"""What a model is told of the tools: each with what it is for, what comes back, what to do next; each parameter too."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kestrel_skills_adapters.sovereign import ProceduralSkillsFeature

KEPT = Path(__file__).with_name("tools.json")
TYPES = {"string", "integer", "boolean"}


def told() -> dict[str, Any]:
    """What a model is told, by the name of the tool."""
    feature = ProceduralSkillsFeature(SimpleNamespace())
    return {tool.name: tool.schema.to_openai_format()["function"] for tool in feature.get_tools()}


def test_a_model_is_told_what_is_kept_here() -> None:
    """To the letter: `tools.json` is to be read, and written anew on purpose."""
    assert told() == json.loads(KEPT.read_text())


@pytest.mark.parametrize("name", sorted(json.loads(KEPT.read_text())))
def test_every_parameter_is_described(name: str) -> None:
    """By more than its name, which the SDK says of one without, in types that every host checks."""
    tool = told()[name]
    assert 60 < len(tool["description"]) < 700
    for parameter, said in tool["parameters"]["properties"].items():
        assert said["type"] in TYPES
        assert said["description"] != f"The {parameter.replace('_', ' ')} parameter"
        assert 10 < len(said["description"]) < 300
        assert "  " not in said["description"]
    assert json.dumps(tool)


def test_what_is_needed_is_that_of_the_contract() -> None:
    """All else has a default, or may be left out."""
    assert {name: tool["parameters"]["required"] for name, tool in told().items()} == {
        "skill_list": [],
        "skill_search": ["query"],
        "skill_read": ["name"],
        "skill_create": ["name", "description", "body"],
        "skill_edit": ["name"],
        "skill_enable": ["name"],
        "skill_disable": ["name"],
        "skill_delete": ["name", "delete_revision"],
        "skill_preview_install": ["source_url"],
        "skill_install": ["source_url", "skill_name"],
    }
    defaults = {
        (name, parameter): said["default"]
        for name, tool in told().items()
        for parameter, said in tool["parameters"]["properties"].items()
        if "default" in said
    }
    assert defaults == {
        ("skill_list", "enabled_only"): False,
        ("skill_list", "offset"): 0,
        ("skill_list", "limit"): 50,
        ("skill_search", "offset"): 0,
        ("skill_search", "limit"): 20,
        ("skill_read", "path"): "",
        ("skill_read", "offset"): 0,
        ("skill_create", "enabled"): False,
        ("skill_create", "priority"): 100,
        ("skill_edit", "relative_path"): "SKILL.md",
        ("skill_preview_install", "skill_name"): "",
        ("skill_preview_install", "ref"): "HEAD",
        ("skill_preview_install", "adapt"): False,
        ("skill_preview_install", "offset"): 0,
        ("skill_install", "ref"): "HEAD",
        ("skill_install", "adapt"): False,
    }
