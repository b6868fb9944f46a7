"""Where everything is: what was asked for, else what the environment says, else the defaults."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from attrs import frozen

from kestrel_skills_core.domain.budget import Budget

from .sql.address import ServerUrl, is_url, server_url
from .sql.failures import MISSING

__all__ = [
    "BUDGET",
    "HOME",
    "ROOT",
    "SHARED",
    "WATCH",
    "BadSetting",
    "PathLike",
    "Settings",
    "is_same",
    "is_server",
    "settings_of",
    "shown_state",
]

BUDGET: Final = "KESTREL_SKILLS_BUDGET_BYTES"
HOME: Final = "KESTREL_HOME"
ROOT: Final = "KESTREL_SKILLS_ROOT"
SHARED: Final = "KESTREL_SHARED_SKILLS_DIR"
WATCH: Final = "KESTREL_SKILLS_WATCH"


PathLike = str | os.PathLike[str]


class BadSetting(ValueError):
    """A setting that cannot be meant: a mistake in how the program was called, and not in any skill.

    `setting` is the name of the parameter or environment variable.
    """

    code = "bad_setting"

    def __init__(self, setting: str, why: str, fix: str) -> None:
        super().__init__(setting, why, fix)
        self.setting, self.why, self.fix = setting, why, fix

    def __str__(self) -> str:
        return f"{self.setting}: {self.why}"


@frozen(kw_only=True)
class Settings:
    """Where everything is, absolute, with the defaults filled in.

    `named` is whether somebody named the root. One that nobody named, and that is not there, is not a fault: there are
    no skills yet. `shared` is nothing where there is none, or where it is the root itself. `state` is a SQLite file, or
    a PostgreSQL server, whose URL is printed without its password. `watch` is whether the roots are watched, where they
    can be.
    """

    root: Path
    named: bool
    shared: Path | None
    state: Path | ServerUrl
    agent: str
    budget: Budget
    watch: bool = False

    @property
    def is_new(self) -> bool:
        """Whether nobody named the root, and nothing is in the usual place yet."""
        return not self.named and not _is_there(self.root)


def settings_of(
    environ: Mapping[str, str],
    *,
    root: PathLike | None = None,
    shared: PathLike | None = None,
    state: PathLike | None = None,
    agent: str = "local",
    budget: int | None = None,
) -> Settings:
    """What was asked for, else what the environment says, else the defaults; an empty variable says nothing.

    The root is `$KESTREL_SKILLS_ROOT`, else `kestrel-skills/skills` in the user's data folder. The shared root is
    `$KESTREL_SHARED_SKILLS_DIR`, else `$KESTREL_HOME/skills` if it is there. The state is a SQLite file, by default
    beside the root and named after it, or a server, `postgresql://USER@HOST:PORT/DATABASE`. The budget is
    `$KESTREL_SKILLS_BUDGET_BYTES`, else 8,192 bytes. The roots are watched where `$KESTREL_SKILLS_WATCH` is `on`.

    Raises:
        BadSetting: One of them cannot be meant.
    """
    named = _path("root", root) or _path(ROOT, environ.get(ROOT) or None)
    own = named or _user_data(environ) / "kestrel-skills" / "skills"
    others = _path("shared", shared) or _path(SHARED, environ.get(SHARED) or None) or _host_skills(environ)
    return Settings(
        root=own,
        named=named is not None,
        shared=None if others is None or is_same(own, others) else others,
        state=_state("state", state) or _beside(own),
        agent=_agent("agent", agent),
        budget=_budget(environ, budget),
        watch=_watch(environ),
    )


def is_server(state: PathLike) -> bool:
    """Whether what was given as the state means a server, and not a file."""
    return is_url(os.fspath(state))


def shown_state(state: str) -> str:
    """What was given as the state, as it may be printed: a URL without what is secret in it."""
    if not is_server(state):
        return state
    try:
        return str(server_url(state))
    except ValueError:
        return "postgresql://"


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one folder, be it there or not."""
    try:
        return one.samefile(other)
    except OSError:
        return one == other


def _path(setting: str, given: PathLike | None) -> Path | None:
    if given is None:
        return None
    spelt = os.fspath(given)
    if not spelt or "\0" in spelt:
        raise BadSetting(setting, "it is empty, or holds a NUL", "name a folder or file, or leave the setting out")
    # Without `..`, so that it has a name, and without following links, so that it is still what was named.
    return Path(os.path.abspath(spelt))  # noqa: PTH100 - see above


def _state(setting: str, given: PathLike | None) -> Path | ServerUrl | None:
    if given is None or not is_server(given):
        return _path(setting, given)
    try:
        url = server_url(os.fspath(given))
    except ValueError:
        why = "it is a URL, and not that of a PostgreSQL server"
        raise BadSetting(setting, why, "name a SQLite file, or postgresql://USER@HOST:PORT/DATABASE") from None
    if find_spec("psycopg") is None:
        raise BadSetting(setting, *MISSING)
    return url


def _beside(root: Path) -> Path:
    """The state file of a root, beside it and named after it."""
    if not root.name:
        fix = "name a folder in it, or also name a state file with --state"
        raise BadSetting("root", "it has no name that a state file could be named after", fix)
    return root.with_name(f"{root.name}.state.sqlite3")


def _agent(setting: str, given: str) -> str:
    if not given.strip() or not given.isprintable():
        raise BadSetting(setting, "it is blank, or holds what cannot be printed", "give the agent's DID")
    return given


def _budget(environ: Mapping[str, str], given: int | None) -> Budget:
    if given is not None:
        if given < 0:
            raise BadSetting("budget", "it is negative", "give a number of bytes, 0 or more")
        return Budget(given)
    text = environ.get(BUDGET, "").strip()
    if not text:
        return Budget()
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise BadSetting(BUDGET, "it is not a number of bytes", "set it to a whole number, as 8192, or unset it")
    return Budget(int(text))


def _watch(environ: Mapping[str, str]) -> bool:
    text = environ.get(WATCH, "").strip()
    if text not in ("", "on", "off"):
        raise BadSetting(WATCH, "it is neither on nor off", "set it to on or off, or unset it")
    return text == "on"


_DIGITS: Final = 18
"""More bytes than any memory has; Python refuses to read numbers that are much longer."""


def _user_data(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """The folder for a user's data: Apple's on macOS, else that of the XDG base directory specification."""
    try:
        home = Path(environ.get("HOME") or Path.home())
    except RuntimeError:
        raise BadSetting(ROOT, "it is not set, and this user has no home", "set it to a folder of skills") from None
    if platform == "darwin":
        return home / "Library" / "Application Support"
    given = Path(environ.get("XDG_DATA_HOME", ""))
    return given if given.is_absolute() else home / ".local" / "share"


def _host_skills(environ: Mapping[str, str]) -> Path | None:
    """The host's own folder of skills, if it has one."""
    home = _path(HOME, environ.get(HOME) or None)
    return home / "skills" if home is not None and _is_there(home / "skills") else None


def _is_there(path: Path) -> bool:
    """Whether anything is at a path, be it a link to nothing, or hidden behind a folder that may not be entered."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
