"""What `doctor` looks at, in the order in which one thing stands on another. What that amounts to, the core judges."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from kestrel_skills_core.domain.census import Census, astray, census_of
from kestrel_skills_core.domain.errors import SkillError, StateUnavailable
from kestrel_skills_core.domain.health import (
    Health,
    adoption_health,
    kept_health,
    mark_health,
    marker_health,
    recovery_health,
    root_health,
    skill_health,
    state_health,
    watch_health,
)
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.record import SkillRecord, SkillState
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.ports.store import Swept
from kestrel_skills_core.service.observed import Observed

from ..settings import BUDGET, HOME, ROOT, SHARED, WATCH
from ..wiring import Standing, is_server, is_writable, standing_of, unwatched
from .owned import Owned
from .session import Session
from .version import installed_version

__all__ = ["examined"]

_VARIABLES: Final = (ROOT, SHARED, HOME, BUDGET, WATCH)

Rows = Mapping[StateKey, SkillState] | StateUnavailable


def examined(session: Session, command: Callable[[str], str], owned: Owned) -> Iterator[Health]:
    """Do what the start of an agent does, then look at everything once, and say how each thing is.

    `command` spells a command that means the same skills; `owned` is whose they are.
    """
    settings = session.settings
    started = session.start()
    recovery, adoption = _recovery(started.swept), _adoption(started.adopted)
    observed = session.observe()
    yield _versions()
    yield _environment(session.environ)
    if settings.is_new:
        fix = "make the folder, or take `kestrel-skills tour`"
        root = Health("root", "warn", f"{settings.root} is not there yet", fix)
        yield root
    else:
        root = root_health("root", SourceId.AGENT_LOCAL, str(settings.root), observed.catalog)
        yield root
        if root.status != "fail":
            yield marker_health(observed.catalog, writable=is_writable(settings.root))
            yield recovery
            yield _kept(session, command("kept"))
    if settings.shared is None:
        yield Health("shared root", "ok", "there is none")
    else:
        yield root_health("shared root", SourceId.HOST_SHARED, str(settings.shared), observed.catalog)
    if settings.watch:
        yield watch_health(unwatched(settings))
    yield from owned.health
    yield _states(session, observed, missing=not owned.is_elsewhere("table"))
    yield from adoption
    if root.status != "fail":
        yield mark_health(None if observed.fences is None else sorted(observed.fences))
    yield skill_health(observed.catalog, command("list"))


def _versions() -> Health:
    package = f"kestrel-feature-skills {installed_version()}"
    machine = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
    return Health("versions", "ok", f"{package}, {machine}")


def _environment(environ: Mapping[str, str]) -> Health:
    said = [f"{name}={environ[name]}" for name in _VARIABLES if environ.get(name)]
    return Health("environment", "ok", ", ".join(said) or "none of our variables is set")


def _recovery(swept: Swept | SkillError) -> Health:
    if isinstance(swept, SkillError):
        return recovery_health(swept)
    if swept.skipped:
        return Health("recovery", "ok", "somebody is changing skills right now; nothing was looked at")
    return recovery_health(purged=swept.purged, restored=swept.restored, left=swept.left, why=swept.why)


def _kept(session: Session, command: str) -> Health:
    try:
        return kept_health(session.kept(), command)
    except SkillError as error:
        return kept_health(error, command)


def _adoption(adopted: Mapping[StateKey, SkillState] | SkillError) -> Sequence[Health]:
    """What became of the rows of the 0.1.0 release that were looked at just now, if there were any."""
    return [adoption_health(adopted)] if isinstance(adopted, SkillError) or adopted else []


def _rows(session: Session) -> tuple[Rows, Standing]:
    try:
        return session.states(), standing_of(session.settings)
    except StateUnavailable as error:
        return error, Standing(there=True, writable=True)


def _states(session: Session, observed: Observed, *, missing: bool) -> Health:
    """The table that was asked; `missing` is whether it would be missed, were it not there."""
    rows, standing = _rows(session)
    found: Census | StateUnavailable
    gone: Sequence[str] = ()
    if isinstance(rows, StateUnavailable):
        found = rows
    else:
        found, gone = census_of(rows, observed.catalog), astray(rows, observed.catalog)
    state = session.settings.state
    records = (each for each in observed.catalog.everything if isinstance(each, SkillRecord))
    return state_health(
        f"{state} for {session.settings.agent}",
        found,
        lapsed=sorted({record.name for record in records if record.lapsed}),
        astray=gone,
        writable=standing.writable,
        missed=missing and bool(observed.catalog.records) and not standing.there,
        served=is_server(str(state)),
    )
