"""Where skills are looked for in a repository that nobody described.

A name `n` is looked for in `n`, `skills/n`, `skills/*/n`, `*/skills/n`, `plugins/*/skills/n`, `.claude/skills/n` and
`.agents/skills/n`, and the repository's top may be a skill by itself. As in a shell, `*` and `n` stand for no name that
begins with a dot. A path, which is what holds a slash, picks one folder exactly, wherever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from .errors import BadPath, BadSource
from .names import ResourcePath, resource_path
from .nearest import nearest
from .text import escaped

__all__ = ["TOP", "chosen", "exactly", "is_path", "is_place", "spelt", "subpath", "worth_a_look"]

TOP: Final = None
"""The repository's own top, as a folder."""

Folder = ResourcePath | None

_TOP_PATH: Final = "."
_ANY: Final = "*"
_PLACES: Final = tuple(
    tuple(place.split("/"))
    for place in (
        "*",
        "skills/*",
        "skills/*/*",
        "*/skills/*",
        "plugins/*/skills/*",
        ".claude/skills/*",
        ".agents/skills/*",
    )
)
_TOLD: Final = 10


def is_path(asked: str) -> bool:
    """Whether what is asked for is the path of one folder (`a/b`, `./a`, `a/`, `.`), not a name to look for."""
    return "/" in asked or asked == _TOP_PATH


def spelt(folder: Folder) -> str:
    """The path of a folder in its repository."""
    return _TOP_PATH if folder is TOP else folder


def exactly(path: str) -> str:
    """A way to ask for just the folder of that path, and for no name."""
    return path if is_path(path) else f"./{path}"


def subpath(asked: str) -> Folder:
    """The one folder that a path picks, the top for `.`; one `./` before it and one slash after it say nothing.

    Raises:
        BadPath: It is absolute, leads upwards, or is else not a path that a skill's folder may have.
    """
    if asked in (_TOP_PATH, "./"):
        return TOP
    return resource_path(asked.removeprefix("./").removesuffix("/"))


def worth_a_look(folder: Folder, names: Iterable[str], *, is_skill: bool) -> tuple[ResourcePath, ...]:
    """Of the folders in one folder, by name, those that are skills or lead to some, in order.

    `is_skill` says whether the one folder holds a `SKILL.md`. What lies in a skill is its own, so that nothing more is
    looked for below one; the top alone may be a skill and hold others. A name that no path of ours may hold is passed
    over: nobody could ask for it.
    """
    if is_skill and folder is not TOP and is_place(folder):
        return ()
    above = _parts(folder)
    return tuple(sorted(path for name in names if _leads_on((*above, name)) and (path := _legal(folder, name))))


def is_place(folder: Folder) -> bool:
    """Whether a folder with a `SKILL.md` counts as a skill there, and does not just lie on the way to one."""
    parts = _parts(folder)
    return folder is TOP or any(len(parts) == len(place) and _fits(parts, place) for place in _PLACES)


def chosen(asked: str, found: Mapping[Folder, str]) -> Folder:
    """The skill that a name means, of those found: each by its folder, with the name that its own text gives, if any.

    A folder goes by its own name; the top has none here, and goes by its text's.

    Raises:
        BadSource: No skill has that name, or several do; they are listed.
    """
    matches = [folder for folder, stated in found.items() if asked and _name_of(folder, stated) == asked]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise BadSource(asked, f"several skills have that name: {_told(matches)}", "give the path of one of them")
    names = {name for folder, stated in found.items() if (name := _name_of(folder, stated))}
    near = ", ".join(f"`{escaped(name)}`" for name in nearest(asked, names))
    fix = f"did you mean {near}?" if near else _advice(found)
    raise BadSource(asked, "no skill of that name is where skills are looked for", fix)


def _advice(found: Mapping[Folder, str]) -> str:
    return f"it has {_told(found)}; else give the folder's path" if found else "give the path of the skill's folder"


def _told(folders: Iterable[Folder]) -> str:
    paths = sorted(exactly(spelt(folder)) for folder in folders)
    more = f" and {len(paths) - _TOLD:,} more" if len(paths) > _TOLD else ""
    return ", ".join(f"`{escaped(path)}`" for path in paths[:_TOLD]) + more


def _name_of(folder: Folder, stated: str) -> str:
    return stated if folder is TOP else folder.rpartition("/")[2]


def _parts(folder: Folder) -> tuple[str, ...]:
    return () if folder is TOP else tuple(folder.split("/"))


def _legal(folder: Folder, name: str) -> ResourcePath | None:
    try:
        return resource_path(name if folder is TOP else f"{folder}/{name}")
    except BadPath:
        return None


def _leads_on(parts: tuple[str, ...]) -> bool:
    return any(len(parts) <= len(place) and _fits(parts, place) for place in _PLACES)


def _fits(parts: tuple[str, ...], place: tuple[str, ...]) -> bool:
    """Whether the parts are what the place begins with."""
    return all(
        not part.startswith(".") if pattern == _ANY else part == pattern
        for part, pattern in zip(parts, place, strict=False)
    )
