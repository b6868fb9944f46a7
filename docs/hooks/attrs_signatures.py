"""What the classes of attrs are built with: attrs writes that at import, and the reference imports nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from griffe import Attribute, Class, Extension, Function, Module, Parameter, ParameterKind, Parameters

MAKERS = frozenset({"define", "frozen"})


class AttrsSignatures(Extension):
    """Gives every class of attrs the `__init__` that attrs will write for it."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """As the bases of all classes are known."""
        for found in _classes(pkg):
            if _decorator(found) is not None and "__init__" not in found.members:
                init = Function("__init__", parameters=Parameters(*_parameters(found)), parent=found)
                found.set_member("__init__", init)


def _classes(where: Module | Class) -> Iterator[Class]:
    for member in where.members.values():
        if isinstance(member, Module | Class):  # what is imported from elsewhere is an alias
            if isinstance(member, Class):
                yield member
            yield from _classes(member)


def _decorator(found: Class) -> ast.expr | None:
    """The decorator that makes a class one of attrs."""
    for each in found.decorators:
        tree = ast.parse(str(each.value), mode="eval").body
        name = tree.func if isinstance(tree, ast.Call) else tree
        if ast.unparse(name).rpartition(".")[2] in MAKERS:
            return tree
    return None


def _parameters(found: Class) -> Iterator[Parameter]:
    """`self`, then the fields, those of the bases first; what is given by name alone comes last."""
    fields: dict[str, Parameter] = {}
    for each in (*reversed(found.mro()), found):
        if (decorator := _decorator(each)) is not None:
            by_name = any(key.arg == "kw_only" and ast.unparse(key.value) == "True" for key in _keywords(decorator))
            fields |= {
                made.name: made for member in each.attributes.values() for made in _field(member, by_name=by_name)
            }
    yield Parameter("self", kind=ParameterKind.positional_or_keyword)
    yield from sorted(fields.values(), key=lambda made: made.kind is ParameterKind.keyword_only)


def _field(member: Attribute, *, by_name: bool) -> Iterator[Parameter]:
    """The parameter for a field, if the field has one."""
    if member.annotation is None or str(member.annotation).startswith("ClassVar") or "property" in member.labels:
        return
    default = None if member.value is None else str(member.value)
    value = None if default is None else ast.parse(default, mode="eval").body
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        given = {key.arg: ast.unparse(key.value) for key in value.keywords}
        if given.get("init") == "False":
            return
        by_name = by_name or given.get("kw_only") == "True"
        default = given.get("default", "..." if "factory" in given else None)
    kind = ParameterKind.keyword_only if by_name else ParameterKind.positional_or_keyword
    yield Parameter(member.name.lstrip("_"), annotation=member.annotation, kind=kind, default=default)


def _keywords(decorator: ast.expr) -> list[ast.keyword]:
    return decorator.keywords if isinstance(decorator, ast.Call) else []
