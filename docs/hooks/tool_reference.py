"""The page `tool-reference.md`, made at each build of what a model is told of the tools: it is that, word for word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from kestrel_skills_adapters.sovereign import ProceduralSkillsFeature

HEAD: Final = """# The tools

What a model is told of each tool, and of each argument, word for word.
[What an agent sees](agents.md) shows them at work, and says who is asked before which.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put the page among the others."""
    tools = ProceduralSkillsFeature(SimpleNamespace()).get_tools()
    files.append(File.generated(config, "tool-reference.md", content=page(tools)))
    return files


def page(tools: list[Any]) -> str:
    """The page of these tools."""
    return "\n".join([HEAD, *(line for tool in tools for line in _tool(tool.schema))])


def _tool(schema: Any) -> Iterator[str]:
    told = schema.to_openai_format()["function"]
    yield f"## {told['name']}\n"
    yield f"{told['description']}\n"
    yield f"Typed by a person: `{schema.command_prefix}`\n"
    for name, argument in told["parameters"]["properties"].items():
        default = argument.get("default")
        otherwise = "needed" if name in told["parameters"]["required"] else "optional"
        otherwise = otherwise if default in (None, "") else f"`{json.dumps(default)}` unless given"
        yield f"- `{name}` ({argument['type']}, {otherwise}): {argument['description']}"
    yield ""
