"""What `doctor` looks at: this machine, the folders, the table of states, and what is in them."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

from attrs import asdict, frozen

from kestrel_skills_core.domain.census import census_of
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.text import escaped
from kestrel_skills_core.service.observed import Observed

from ..wiring import BUDGET, HOME, ROOT, SHARED
from .session import Session
from .version import installed_version

__all__ = ["Diagnosis", "examined"]

_VARIABLES: Final = (ROOT, SHARED, HOME, BUDGET)
_CROWDED: Final = 0.9
"""Part of the cap on entries from which on a person is warned."""

_PROBE: Final = ".kestrel-doctor-"

Status = Literal["ok", "warn", "fail"]


@frozen
class Diagnosis:
    """One thing that was looked at: how it is, and what to do if it is not well."""

    about: str
    status: Status
    message: str
    fix: str = ""


def examined(session: Session) -> Iterator[Diagnosis]:
    """Look at everything, in the order in which one thing stands on another."""
    yield _versions()
    yield _environment(session.environ)
    if session.is_new:
        fix = "make the folder, or take `kestrel-skills tour`"
        yield Diagnosis("root", "warn", f"{session.settings.root} is not there yet", fix)
    else:
        root = _source("root", session.settings.root)
        yield root
        if root.status != "fail":
            yield _markers(session.settings.root)
    shared = session.settings.shared
    yield Diagnosis("shared root", "ok", "there is none") if shared is None else _source("shared root", shared)
    observed = session.observe()
    yield _states(session, observed)
    yield _skills(observed)


def _versions() -> Diagnosis:
    package = f"kestrel-feature-skills {installed_version()}"
    machine = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
    return Diagnosis("versions", "ok", f"{package}, {machine}")


def _environment(environ: Mapping[str, str]) -> Diagnosis:
    said = [f"{name}={environ[name]}" for name in _VARIABLES if environ.get(name)]
    return Diagnosis("environment", "ok", escaped(", ".join(said)) or "none of our variables is set")


def _source(about: str, path: Path) -> Diagnosis:
    """A root: whether it can be read, and how full it is."""
    shown = escaped(str(path))
    try:
        with os.scandir(path) as entries:
            count = sum(1 for _ in islice(entries, LIMITS.root_entries + 1))
    except OSError as error:
        fix = "make it a folder that you can read, or name another"
        return Diagnosis(about, "fail", f"{shown} cannot be read: {_why(error)}", fix)
    room = f"{count:,} of {LIMITS.root_entries:,} entries"
    fix = "move what is no skill elsewhere"
    if count > LIMITS.root_entries:
        return Diagnosis(about, "fail", f"{shown} holds more than {LIMITS.root_entries:,} entries", fix)
    if count > _CROWDED * LIMITS.root_entries:
        return Diagnosis(about, "warn", f"{shown}, {room}", fix)
    return Diagnosis(about, "ok", f"{shown}, {room}")


def _markers(root: Path) -> Diagnosis:
    """Whether skills can be given the marker without which none of them can be switched on."""
    about = "markers"
    try:
        with TemporaryDirectory(prefix=_PROBE, dir=root) as folder:
            first = Path(folder, "first")
            first.touch()
            Path(folder, "second").hardlink_to(first)
    except OSError as error:
        message = f"no file can be made and linked in the root, so no new skill can be switched on: {_why(error)}"
        return Diagnosis(about, "warn", message, "let yourself write the root, on a file system with hard links")
    return Diagnosis(about, "ok", "the root can be written, and its file system has links")


def _states(session: Session, observed: Observed) -> Diagnosis:
    """Whether the table of states answers, and what it holds."""
    about, path = "states", session.settings.state
    try:
        rows = session.states()
    except StateUnavailable as error:
        return Diagnosis(about, "fail", f"{escaped(str(path))}: {error.why}", error.fix)
    census = census_of(rows, observed.catalog)
    counts = ", ".join(f"{count:,} {kind}" for kind, count in asdict(census).items())
    message = f"{escaped(str(path))} for {escaped(session.settings.agent)}: {counts}"
    if path.exists() and not os.access(path, os.W_OK):
        return Diagnosis(about, "fail", f"{message}; it cannot be written", "let yourself write it and its folder")
    if census.inert:
        fix = "enable again what should still be on: it changed since it was switched on"
        return Diagnosis(about, "warn", message, fix)
    return Diagnosis(about, "ok", message)


def _why(error: OSError) -> str:
    return (error.strerror or "unknown").lower()


def _skills(observed: Observed) -> Diagnosis:
    catalog = observed.catalog
    counts = f"{len(catalog.records):,} resolve, {len(catalog.rejected):,} rejected"
    if catalog.rejected:
        return Diagnosis("skills", "warn", counts, "run `kestrel-skills list` to see why")
    return Diagnosis("skills", "ok", counts)
