"""The page `http-reference.md`, made of the OpenAPI document at each build: it cannot say what the routes do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fastapi import FastAPI, Request
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from kestrel_skills_adapters.http.desk import Desk
from kestrel_skills_adapters.wiring import hosted_router

Json = Mapping[str, Any]

PREFIX: Final = "/api/procedural-skills"
HEAD: Final = f"""# HTTP reference

Every route below `{PREFIX}`, as the OpenAPI document has it. What no schema can say, and how to call what changes
something, stands in [HTTP](http.md); each problem carries one of the [codes](errors.md#operations).
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put the page among the others."""
    files.append(File.generated(config, "http-reference.md", content=page(document())))
    return files


def document() -> Json:
    """The OpenAPI document of the routes that a host mounts."""

    async def ask(_: Request) -> Desk:
        raise NotImplementedError

    app = FastAPI()
    router = hosted_router(ask)
    assert router is not None, "FastAPI is here"
    app.include_router(router)
    return app.openapi()


def page(api: Json) -> str:
    """The page of an OpenAPI document: its routes, shortest path first, then its shapes by name."""
    routes = sorted(
        ((path, method, told) for path, methods in api["paths"].items() for method, told in methods.items()),
        key=lambda route: route[0],
    )
    parts = [HEAD, "## Routes\n", *(_route(*route) for route in routes), "## Shapes\n"]
    parts += [_shape(name, schema) for name, schema in sorted(api["components"]["schemas"].items())]
    return "\n".join(parts)


def _route(path: str, method: str, told: Json) -> str:
    shown = path.removeprefix(PREFIX) or "/"
    lines = [f"### {method.upper()} `{shown}`\n", f"{told['description']}\n"]
    if given := told.get("parameters"):
        rows = [(f"`{each['name']}`", each["in"], _kind(each["schema"]), each.get("description", "")) for each in given]
        lines += _table(("parameter", "in", "type", "is"), rows)
    if body := told.get("requestBody"):
        lines.append(f"It takes {_content(body)}.\n")
    rows = [
        (status, answer.get("description", ""), _content(answer))
        for status, answer in sorted(told["responses"].items())
    ]
    return "\n".join([*lines, *_table(("status", "when", "body"), rows)])


def _shape(name: str, schema: Json) -> str:
    required = schema.get("required", ())
    rows = [
        (f"`{member}`", "yes" if member in required else "no", _kind(told), told.get("description", ""))
        for member, told in schema.get("properties", {}).items()
    ]
    about = schema.get("description", "")
    return "\n".join([f"### {name}\n", f"{about}\n", *_table(("member", "always there", "type", "is"), rows)])


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """A table without the columns that have nothing to say."""
    kept = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    yield _row([heads[at] for at in kept])
    yield _row(["---"] * len(kept))
    yield from (_row([row[at].replace("\n", " ").replace("|", "\\|") for at in kept]) for row in rows)
    yield ""


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _content(told: Json) -> str:
    """What a body is, with its type where that is not plain JSON."""
    return ", ".join(
        _kind(each["schema"]) + ("" if kind == "application/json" else f", `{kind}`")
        for kind, each in told.get("content", {}).items()
    )


def _kind(schema: Json) -> str:
    """What a value may be, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    return " ".join([schema.get("type", "anything"), *_bounds(schema)])


def _bounds(schema: Json) -> Iterator[str]:
    least, most = (schema.get(f"{side}imum", schema.get(f"{side}Length")) for side in ("min", "max"))
    if least is not None or most is not None:
        yield f"({'' if least is None else f'{least:,}'} to {'' if most is None else f'{most:,}'})"
    if "default" in schema:
        yield f"= `{schema['default']}`"
