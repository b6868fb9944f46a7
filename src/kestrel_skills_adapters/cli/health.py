"""What `doctor` looks at, in the order in which one thing stands on another. What that amounts to, the core judges."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Final

from kestrel_skills_core.domain.census import Census, census_of
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.health import Health, marker_health, root_health, skill_health, state_health
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.service.observed import Observed

from ..wiring import BUDGET, HOME, ROOT, SHARED, is_writable
from .session import Session
from .version import installed_version

__all__ = ["examined"]

_VARIABLES: Final = (ROOT, SHARED, HOME, BUDGET)


def examined(session: Session) -> Iterator[Health]:
    """Look at everything once, and say how each thing is."""
    settings = session.settings
    observed = session.observe()
    yield _versions()
    yield _environment(session.environ)
    if settings.is_new:
        fix = "make the folder, or take `kestrel-skills tour`"
        yield Health("root", "warn", f"{settings.root} is not there yet", fix)
    else:
        root = root_health("root", SourceId.AGENT_LOCAL, str(settings.root), observed.catalog)
        yield root
        if root.status != "fail":
            yield marker_health(observed.catalog, writable=is_writable(settings.root))
    if settings.shared is None:
        yield Health("shared root", "ok", "there is none")
    else:
        yield root_health("shared root", SourceId.HOST_SHARED, str(settings.shared), observed.catalog)
    yield _states(session, observed)
    yield skill_health(observed.catalog)


def _versions() -> Health:
    package = f"kestrel-feature-skills {installed_version()}"
    machine = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
    return Health("versions", "ok", f"{package}, {machine}")


def _environment(environ: Mapping[str, str]) -> Health:
    said = [f"{name}={environ[name]}" for name in _VARIABLES if environ.get(name)]
    return Health("environment", "ok", ", ".join(said) or "none of our variables is set")


def _states(session: Session, observed: Observed) -> Health:
    found: Census | StateUnavailable
    try:
        found = census_of(session.states(), observed.catalog)
    except StateUnavailable as error:
        found = error
    path = session.settings.state
    # Beside the file lies the journal of whatever is written to it.
    writable = is_writable(path) and is_writable(path.parent)
    return state_health(f"{path} for {session.settings.agent}", found, writable=writable)
