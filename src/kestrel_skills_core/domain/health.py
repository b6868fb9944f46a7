"""How well the things are that skills stand on, and what to do where one is not: what `doctor` says.

Rule 1: all is judged by what was observed, as a listing shows it, so that what a listing refuses is not well here.
Rule 2: only what keeps skills out of sight, or a switch from working, fails; the rest is a warning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from attrs import asdict, frozen

from .census import Census
from .errors import SkillError, StateUnavailable
from .limits import LIMITS
from .names import SourceId
from .owner import Elsewhere, Owner
from .record import SkillRecord, SkillState, Subject
from .resolver import Catalog
from .state_row import StateKey
from .text import counted

__all__ = [
    "Health",
    "Status",
    "adoption_health",
    "kept_health",
    "mark_health",
    "marker_health",
    "owner_health",
    "recovery_health",
    "root_health",
    "skill_health",
    "state_health",
    "watch_health",
]

Status = Literal["ok", "warn", "fail"]

_CROWDED: Final = 0.9
"""Part of the cap on entries from which on a person is warned."""

_NAMED: Final = 5
"""Names in one line."""


_FILED: Final = ("state file", "let yourself write it and its folder")
_SERVED: Final = ("table of states", "let yourself read and write the table bootstrap_config, or make it")
"""What a table is called, and what lets it be written."""


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


def watch_health(unwatched: Sequence[str] | None) -> Health:
    """Whether the roots that are to be watched can be, all but those; nothing where what watches is not installed.

    A look at a root that is not watched is right all the same, and takes longer.
    """
    about, unset = "watch", "unset KESTREL_SKILLS_WATCH, which asks for it"
    if unwatched is None:
        message = "what watches is not installed, so that each look asks the disk for every file"
        return Health(about, "warn", message, f"run `pip install 'kestrel-feature-skills[watch]'`, or {unset}")
    if unwatched:
        message = f"{_names(unwatched)}: not watched, so that each look asks the disk for every file"
        fix = "have it on a disk of this machine alone, under Linux, with as many inotify watches as folders"
        return Health(about, "warn", message, f"{fix}; or {unset}")
    return Health(about, "ok", "what changes is heard of")


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


def recovery_health(
    problem: SkillError | None = None,
    *,
    purged: int = 0,
    restored: Sequence[str] = (),
    left: Sequence[str] = (),
    why: Mapping[str, str] | None = None,
) -> Health:
    """What became of the leftovers of interrupted changes: so many are gone, those are back, those stay.

    What stays is not ours, or could not be removed: `why` says why, by what is left.
    """
    about = "recovery"
    if problem is not None:
        return Health(about, "warn", str(problem), problem.fix)
    done = [f"{counted(purged, 'leftover')} removed"] if purged else []
    done += [f"{_names(restored)} put back"] if restored else []
    if left:
        stay = counted(len(left), "entry of `.kestrel-internal` stays", "entries of `.kestrel-internal` stay")
        refused = why or {}
        done.append(f"{stay}: {_names([f'{each} ({refused[each]})' if each in refused else each for each in left])}")
        fix = "look at them, since they may hold what somebody wrote, and remove by hand what nobody needs"
        if refused:
            fix += "; what could not be removed is ended by itself once it can be, as after `chmod -R u+rwX` where"
            fix += " permission is denied"
        return Health(about, "warn", ", ".join(done), fix)
    return Health(about, "ok", ", ".join(done) or "nothing was left by interrupted changes")


def kept_health(found: Sequence[object] | SkillError, command: str) -> Health:
    """Whether anything of a person's waits to be looked at, which a command shows; or why that cannot be known."""
    if isinstance(found, SkillError):
        return Health("kept", "warn", str(found), found.fix)
    if found:
        return Health("kept", "warn", f"{len(found):,} of a person's files or folders", f"run `{command}`")
    return Health("kept", "ok", "nothing of a person's met a change")


def owner_health(owner: Owner, elsewhere: Elsewhere | None, fix: str) -> Health:
    """Whether what was asked is what the host of the root's owner sees; `fix` asks it, else."""
    if elsewhere is None:
        return Health("owner", "ok", f"{owner.agent}, whose host sees what is said here")
    return Health("owner", "warn", f"{elsewhere}; that is not what is said here", fix)


def state_health(  # noqa: PLR0913 - each is one thing that was observed
    where: str,
    found: Census | StateUnavailable,
    *,
    lapsed: Sequence[str] = (),
    astray: Sequence[str] = (),
    writable: bool,
    missed: bool = False,
    served: bool = False,
) -> Health:
    """Whether the table of states answers and can be written, and what it holds.

    `where` says which it is, `lapsed` names what was switched on and is not what is there now, and `astray` what was
    switched on and is no skill now. `missed` is whether there is none though there are skills: nobody can tell whether
    none was ever on, or the table is somewhere else. `served` is whether it is on a server, and not in a file.
    """
    about = "states"
    what, let = _SERVED if served else _FILED
    if isinstance(found, StateUnavailable):
        return Health(about, "fail", f"{where}: {found.why}", found.fix)
    message = f"{where}: {', '.join(f'{count:,} {kind}' for kind, count in asdict(found).items())}"
    if not writable:
        return Health(about, "fail", f"{message}; it cannot be written", let)
    fixes = []
    if missed:
        message = f"{where}: there is no {what}, so that every skill is off"
        fixes.append(f"enable what should be on; if there was a {what}, bring it back, or name it with --state")
    if found.inert:
        fix = "enable again what should still be on, since it is not what was switched on"
        fixes.append(f"{fix}: {_names(lapsed)}" if lapsed else fix)
    if astray:
        fixes.append(f"mend or bring back what is on and is no skill now, or disable it: {_names(astray)}")
    if fixes:
        return Health(about, "warn", message, "; ".join(fixes))
    return Health(about, "ok", message)


def adoption_health(found: Mapping[StateKey, SkillState] | SkillError) -> Health:
    """What became of rows of the 0.1.0 release, as they were written."""
    about = "adoption"
    if isinstance(found, SkillError):
        return Health(about, "fail", str(found), found.fix)
    on = sorted({key.name for key, state in found.items() if state.subject != Subject()})
    off = sorted({key.name for key in found}.difference(on))
    message = f"of the rows of 0.1.0, on: {_names(on)}; off: {_names(off)}"
    if off:
        return Health(about, "warn", message, "enable what should be on")
    return Health(about, "ok", message)


def mark_health(found: Sequence[str] | None) -> Health:
    """Whether any name is off, whatever the table says; nothing where nobody knows which are, so that all are."""
    about = "marks"
    if found is None:
        message = "those in `.kestrel-internal` cannot be read, so that every skill is off"
        return Health(about, "fail", message, "see that it is a folder, and let yourself read it")
    if found:
        return Health(about, "warn", f"kept off by a mark: {_names(found)}", "enable or disable each, as it should be")
    return Health(about, "ok", "no skill is kept off by a mark")


def skill_health(catalog: Catalog, command: str) -> Health:
    """Whether all that is there are skills; a command shows why something is not."""
    counts = f"{len(catalog.records):,} resolve, {len(catalog.rejected):,} rejected"
    if catalog.rejected:
        return Health("skills", "warn", counts, f"run `{command}` to see why")
    return Health("skills", "ok", counts)


def _names(names: Sequence[str]) -> str:
    """The first few of some names."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return (", ".join(names[:_NAMED]) or "none") + more
