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


def last_release(repository: Path) -> str | None:
    """The tag of the release that the present commit comes after, if there is one."""
    found = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout.strip() or None


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
        for breakage in griffe.find_breaking_changes(old, new):
            yield _COLOUR.sub("", breakage.explain(griffe.ExplanationStyle.ONE_LINE))
