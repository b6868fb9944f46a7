"""How well the things are that skills stand on, and what to do where one is not: what `doctor` says.

Rule 1: all is judged by what was observed, as a listing shows it, so that what a listing refuses is not well here.
Rule 2: only what keeps skills out of sight, or a switch from working, fails; the rest is a warning.
"""

from __future__ import annotations

from typing import Final, Literal

from attrs import asdict, frozen

from .census import Census
from .errors import StateUnavailable
from .limits import LIMITS
from .names import SourceId
from .record import SkillRecord
from .resolver import Catalog

__all__ = ["Health", "Status", "marker_health", "root_health", "skill_health", "state_health"]

Status = Literal["ok", "warn", "fail"]

_CROWDED: Final = 0.9
"""Part of the cap on entries from which on a person is warned."""


@frozen
class Health:
    """One thing that was looked at: how it is, and what to do if it is not well."""

    about: str
    status: Status
    message: str
    fix: str = ""


def root_health(about: str, source: SourceId, path: str, catalog: Catalog) -> Health:
    """Whether a root that was surveyed could be read, and how full it is; `path` says where it is."""
    problem = dict(catalog.problems).get(source)
    if problem is not None:
        return Health(about, "fail", f"{path}: {problem}", problem.fix)
    count = dict(catalog.entries)[source]
    message = f"{path}, {count:,} of {LIMITS.root_entries:,} entries"
    if count > _CROWDED * LIMITS.root_entries:
        return Health(about, "warn", message, "move what is no skill elsewhere")
    return Health(about, "ok", message)


def marker_health(catalog: Catalog, *, writable: bool) -> Health:
    """Whether each skill of the agent's own has the marker that switching it on takes, and new ones will have it."""
    about = "markers"
    bare = sum(isinstance(found, SkillRecord) and found.subject is None for found in catalog.everything)
    if not writable:
        message = "the root cannot be written, so no new skill in it can be switched on"
        return Health(about, "warn", message, "let yourself write the root")
    if bare:
        message = f"{bare:,} without a marker, which cannot be switched on"
        return Health(about, "warn", message, "let yourself write their folders, on a file system with hard links")
    return Health(about, "ok", "every skill has one, and the root can be written")


def state_health(where: str, found: Census | StateUnavailable, *, writable: bool) -> Health:
    """Whether the table of states answers and can be written, and what it holds; `where` says which it is."""
    about = "states"
    if isinstance(found, StateUnavailable):
        return Health(about, "fail", f"{where}: {found.why}", found.fix)
    message = f"{where}: {', '.join(f'{count:,} {kind}' for kind, count in asdict(found).items())}"
    if not writable:
        return Health(about, "fail", f"{message}; it cannot be written", "let yourself write it and its folder")
    if found.inert:
        fix = "enable again what should still be on: it changed since it was switched on"
        return Health(about, "warn", message, fix)
    return Health(about, "ok", message)


def skill_health(catalog: Catalog) -> Health:
    """Whether all that is there are skills."""
    counts = f"{len(catalog.records):,} resolve, {len(catalog.rejected):,} rejected"
    if catalog.rejected:
        return Health("skills", "warn", counts, "run `kestrel-skills list` to see why")
    return Health("skills", "ok", counts)
