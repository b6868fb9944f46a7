"""The public surface of the packages, and what of it a change breaks: as griffe reads it, without importing it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import griffe

__all__ = ["PUBLIC", "allows", "broken", "last_release"]

PUBLIC: Final = (
    "kestrel_skills_core",
    "kestrel_skills_core.domain.folder",
    "kestrel_skills_core.domain.index_entry",
    "kestrel_skills_core.domain.root",
    "kestrel_skills_core.domain.state_row",
    "kestrel_skills_adapters.contracts",
    "kestrel_skills_adapters.memory",
    "kestrel_skills_adapters.posix.store",
    "kestrel_skills_adapters.sovereign",
    "kestrel_skills_adapters.sql.states",
    "kestrel_skills_adapters.wiring",
    "kestrel_skills_adapters.world",
)
"""Where what others may rely on is imported from, as `docs/compatibility.md` promises it."""

_RELEASE: Final = re.compile(r"v\d+\.\d+\.\d+", re.ASCII)
_CALLED: Final = {"async", "classmethod", "staticmethod"}
"""The labels of a function that say how it is called."""
_COLOUR: Final = re.compile(r"\x1b\[[\d;]*m")


class Attrs(griffe.Extension):
    """Gives the classes of attrs the `__init__` that attrs will, so that a field which must be given is seen."""

    def on_class_members(self, *, cls: griffe.Class, **_: object) -> None:
        """Write it, of the class's own fields."""
        made = next((each.value for each in cls.decorators if re.match(r"(define|frozen)\b", str(each.value))), None)
        if made is None or "__init__" in cls.members:
            return
        kind = griffe.ParameterKind.positional_or_keyword
        if "kw_only=True" in str(made):
            kind = griffe.ParameterKind.keyword_only
        parameters = griffe.Parameters(griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword))
        for name, part in cls.attributes.items():
            given = str(part.value or "")
            if part.annotation is None or "ClassVar" in str(part.annotation) or "init=False" in given:
                continue
            if "property" in part.labels:
                continue
            own = griffe.ParameterKind.keyword_only if "kw_only=True" in given else kind
            has_none = part.value is None or (given.startswith("field(") and not re.search(r"default=|factory=", given))
            default = None if has_none else given
            parameters.add(griffe.Parameter(name.lstrip("_"), kind=own, default=default))
        cls.set_member("__init__", griffe.Function("__init__", parameters=parameters))


def last_release(repository: Path, version: str) -> str | None:
    """The tag of the newest release that led to the present commit, if there is one; not that of the version itself."""
    found = subprocess.run(
        ["git", "tag", "--merged", "HEAD", "--sort", "-version:refname"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    return next((tag for tag in found.stdout.split() if _RELEASE.fullmatch(tag) and tag != f"v{version}"), None)


def allows(release: str, version: str) -> bool:
    """Whether a version may break what a release promised: before 1.0.0 a new minor one may, from then a major one."""
    old, new = ([int(part) for part in re.findall(r"\d+", text)[:2]] for text in (release, version))
    return new[:1] > old[:1] if old[0] else new > old


def broken(repository: Path, release: str) -> Iterator[str]:
    """What of the public surface at a tag is not there any more, or is there in another form; a line for each.

    `ModuleNotFoundError` where the packages are not there at that tag.
    """
    before, after = griffe.ModulesCollection(), griffe.ModulesCollection()
    extensions = griffe.load_extensions(Attrs)
    for package in dict.fromkeys(module.partition(".")[0] for module in PUBLIC):
        search = {"search_paths": ["src"], "extensions": extensions, "allow_inspection": False}
        griffe.load_git(package, ref=release, repo=repository, modules_collection=before, **search)
        search["search_paths"] = [repository / "src"]
        griffe.load(package, modules_collection=after, **search)
    for module in PUBLIC:
        try:
            old = before[module]
        except KeyError:
            continue  # it was not promised yet
        try:
            new = after[module]
        except KeyError:
            yield f"{module}: it is gone"
            continue
        for inner in old.modules.values() if old.exports else ():
            inner.public = False  # what it defines is public by the names of the module above alone
        withdrawn = set(map(str, old.exports or ())) - set(map(str, new.exports or ()))
        yield from (f"{module}.{name}: it is public no more" for name in sorted(withdrawn))
        yield from _unlike(old, new)
        for breakage in griffe.find_breaking_changes(old, new):
            if breakage.kind is griffe.BreakageKind.CLASS_REMOVED_BASE:
                continue  # told above
            yield _COLOUR.sub("", breakage.explain(griffe.ExplanationStyle.ONE_LINE))


def _unlike(old: griffe.Module | griffe.Class, new: griffe.Module | griffe.Class) -> Iterator[str]:
    """What is there in another form that griffe does not tell: classes that are no more what they were, and calls."""
    for name, member in old.all_members.items():
        if name not in new.all_members or not (member.is_public or name in (old.exports or ())):
            continue
        before, after = (_itself(each) for each in (member, new.all_members[name]))
        if isinstance(before, griffe.Class) and isinstance(after, griffe.Class):
            lost = sorted(_ancestors(before) - _ancestors(after))
            yield from (f"{old.path}.{name}: it is no {base} any more" for base in lost)
            yield from _unlike(before, after)
        elif isinstance(before, griffe.Function) and isinstance(after, griffe.Function):
            for label in sorted((before.labels ^ after.labels) & _CALLED):
                yield f"{old.path}.{name}: it is {label} {'no more' if label in before.labels else 'now'}"


def _itself(member: griffe.Object | griffe.Alias) -> griffe.Object | None:
    """What a name stands for; nothing where that is of another package."""
    try:
        return member.final_target if isinstance(member, griffe.Alias) else member
    except (griffe.AliasResolutionError, griffe.CyclicAliasError):
        return None


def _ancestors(cls: griffe.Class) -> set[str]:
    """The names of the classes that a class is, but for private ones."""
    found = {str(base).partition("[")[0].rpartition(".")[2] for base in cls.bases}
    bases = (_itself(each) for each in cls.resolved_bases)
    found = found.union(*(_ancestors(base) for base in bases if isinstance(base, griffe.Class)))
    return {name for name in found if not name.startswith("_")}
