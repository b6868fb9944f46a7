"""Puts a library together from plain settings: the one module that knows every adapter."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import frozen

from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.errors import BadSource, SourceUnavailable, StoreFailed
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.root import unopened
from kestrel_skills_core.domain.tree import SkillTree
from kestrel_skills_core.ports.files import SkillFiles
from kestrel_skills_core.ports.world import Offload, Watcher
from kestrel_skills_core.service.advice import with_advice
from kestrel_skills_core.service.library import SkillLibrary

from .markdown.cmark import CmarkMarkdown
from .posix.reading import PosixSkillFiles
from .posix.store import PosixSkillStore
from .sql.states import SqliteStates
from .world import SystemChance, SystemClock, inline

if TYPE_CHECKING:
    from kestrel_skills_core.domain.offer import Package
    from kestrel_skills_core.ports.git import GitSource
    from kestrel_skills_core.service.installer import Installer

__all__ = [
    "BadSetting",
    "Settings",
    "found_root",
    "git_of",
    "installer_of",
    "is_writable",
    "judged",
    "library_of",
    "package",
    "settings_of",
]

BUDGET: Final = "KESTREL_SKILLS_BUDGET_BYTES"
HOME: Final = "KESTREL_HOME"
ROOT: Final = "KESTREL_SKILLS_ROOT"
SHARED: Final = "KESTREL_SHARED_SKILLS_DIR"

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
    no skills yet. `shared` is nothing where there is none, or where it is the root itself.
    """

    root: Path
    named: bool
    shared: Path | None
    state: Path
    agent: str
    budget: Budget

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
    `$KESTREL_SHARED_SKILLS_DIR`, else `$KESTREL_HOME/skills` if it is there. The state file lies beside the root and is
    named after it. The budget is `$KESTREL_SKILLS_BUDGET_BYTES`, else 8,192 bytes.

    Raises:
        BadSetting: One of them cannot be meant.
    """
    named = _path("root", root) or _path(ROOT, environ.get(ROOT) or None)
    own = named or _user_data(environ) / "kestrel-skills" / "skills"
    others = _path("shared", shared) or _path(SHARED, environ.get(SHARED) or None) or _host_skills(environ)
    return Settings(
        root=own,
        named=named is not None,
        shared=None if others is None or _is_same(own, others) else others,
        state=_state("state", state) or _beside(own),
        agent=_agent("agent", agent),
        budget=_budget(environ, budget),
    )


def library_of(settings: Settings, *, offload: Offload = inline, watcher: Watcher | None = None) -> SkillLibrary:
    """The library of one agent. Opens nothing yet."""
    watcher = watcher or Watcher()
    store = None
    if not settings.is_new:
        store = PosixSkillStore(settings.root, chance=SystemChance(), watcher=watcher)
    sources: list[SkillFiles] = [] if store is None else [store]
    if settings.shared is not None:
        sources.append(PosixSkillFiles(settings.shared, SourceId.HOST_SHARED, watcher=watcher))
    return SkillLibrary(
        agent=settings.agent,
        sources=sources,
        states=SqliteStates(settings.state, settings.agent, offload=offload),
        offload=offload,
        markdown=CmarkMarkdown(),
        store=store,
        budget=settings.budget,
    )


def found_root(settings: Settings) -> None:
    """Make the usual root, where nobody named one and it is not there yet: the first skill is to be made.

    Raises:
        StoreFailed: It cannot be made.
    """
    if not settings.named:
        try:
            settings.root.mkdir(parents=True, exist_ok=True)
        except OSError:
            raise StoreFailed("found", "the folder for skills cannot be made", "name another with --root") from None


def judged(folder: PathLike) -> tuple[Finding, ...]:
    """All findings on one folder anywhere, by the reader and the rules of a shared root, in which nothing is written.

    Links above it are followed, in it none. A root does not open a folder whose name is no skill name; here it is
    opened, so that all is told at once.

    Raises:
        SkillAbsent: It is not there any more.
        SourceUnavailable: The folder above it cannot be opened.
    """
    above, name = os.path.split(os.path.abspath(folder))  # noqa: PTH100 - its name is as spelt, were it a link
    sighting, kept = PosixSkillFiles(os.path.realpath(above), SourceId.HOST_SHARED).look(name)
    closed = unopened(name, "folder")
    findings = (*(() if closed is None else closed.findings), *sighting.findings)
    tree = SkillTree({item.path: kept[item.path] for item in sighting.inventory})
    return with_advice(findings, name, tree, CmarkMarkdown())


def git_of(progress: Callable[[int, int], None]) -> GitSource:
    """Git repositories on the net. `progress` is told how many bytes came in, and of how many files and folders."""
    from .git.source import DulwichGitSource  # noqa: PLC0415 - only who installs pays for it

    return DulwichGitSource(progress=progress)


def installer_of(library: SkillLibrary, git: GitSource) -> Installer:
    """What brings skills into a library."""
    from kestrel_skills_core.service.installer import Installer  # noqa: PLC0415 - only who installs pays for it

    return Installer(library=library, git=git, clock=SystemClock())


def package(path: PathLike) -> Package:
    """A folder or archive of this machine, read whole. Links above it are followed; a folder may hold none.

    Raises:
        BadPath, BadSource, TooLarge: It is neither, or holds what is not taken.
    """
    from kestrel_skills_core.domain.offer import Package  # noqa: PLC0415 - only who installs pays for it

    spelt = Path(os.path.abspath(path))  # noqa: PTH100 - its name is as spelt, were it a link
    if not spelt.is_dir():
        from .archive.reading import archived  # noqa: PLC0415 - the same

        return Package(kind="archive", parcel=archived(spelt))
    try:
        parcel = PosixSkillFiles(os.path.realpath(spelt.parent), SourceId.AGENT_LOCAL).parcel(spelt.name)
    except SourceUnavailable as error:
        raise BadSource(spelt.name, error.why, error.fix) from None
    return Package(kind="folder", parcel=parcel, name=spelt.name)


def is_writable(path: Path) -> bool:
    """Whether this user may write a file or folder, or make it where it is not there. Asks, and changes nothing."""
    nearest = next(place for place in (path, *path.parents) if os.path.lexists(place))
    return (nearest == path or nearest.is_dir()) and os.access(nearest, os.W_OK)


def _path(setting: str, given: PathLike | None) -> Path | None:
    if given is None:
        return None
    spelt = os.fspath(given)
    if not spelt or "\0" in spelt:
        raise BadSetting(setting, "it is empty, or holds a NUL", "name a folder or file, or leave the setting out")
    # Without `..`, so that it has a name, and without following links, so that it is still what was named.
    return Path(os.path.abspath(spelt))  # noqa: PTH100 - see above


def _state(setting: str, given: PathLike | None) -> Path | None:
    if given is not None and "://" in os.fspath(given):
        raise BadSetting(setting, "it is a URL, and only SQLite files are read", "name a SQLite file")
    return _path(setting, given)


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


def _is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one folder, be it there or not."""
    try:
        return one.samefile(other)
    except OSError:
        return one == other
