"""Puts a library together from plain settings: the one module that knows every adapter."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve, frozen

from kestrel_skills_core.domain.errors import BadSource, SourceUnavailable, StoreFailed
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.owner import Aim, Owner, Part, Table
from kestrel_skills_core.domain.root import unopened
from kestrel_skills_core.domain.tree import SkillTree
from kestrel_skills_core.ports.files import SkillFiles
from kestrel_skills_core.ports.mirror import Mirror, Mirrors
from kestrel_skills_core.ports.privacy import Privacy
from kestrel_skills_core.ports.states import StateTable
from kestrel_skills_core.ports.world import Cancelled, Offload, Watcher
from kestrel_skills_core.service.advice import with_advice
from kestrel_skills_core.service.library import SkillLibrary

from .markdown.cmark import CmarkMarkdown
from .posix.reading import PosixSkillFiles
from .posix.store import PosixSkillStore
from .settings import BadSetting, PathLike, Settings, is_same, is_server, settings_of, shown_state
from .sql.address import ServerUrl
from .sql.states import SqliteStates
from .together import LookersWatcher, together
from .world import SystemChance, SystemClock, finish, inline, never, threads

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from fastapi import APIRouter, Request

    from kestrel_skills_core.domain.names import SkillName
    from kestrel_skills_core.domain.offer import Package
    from kestrel_skills_core.ports.git import GitSource
    from kestrel_skills_core.service.installer import Installer
    from kestrel_skills_core.service.observed import Observed

    from .http.desk import Desk
    from .sql.postgres import PostgresStates

__all__ = [
    "BadSetting",
    "Home",
    "Settings",
    "Standing",
    "aim_of",
    "desk_of",
    "found_root",
    "git_of",
    "hosted_enablement",
    "hosted_home",
    "hosted_index",
    "hosted_library",
    "hosted_owner",
    "hosted_router",
    "installer_of",
    "is_server",
    "is_writable",
    "judged",
    "library_of",
    "package",
    "serve",
    "served_desk",
    "settings_of",
    "shown_state",
    "standing_of",
    "state_of",
    "unwatched",
]


@frozen
class Standing:
    """How a table of states stands: whether it is there, and whether it may be written, or made."""

    there: bool
    writable: bool


@frozen(kw_only=True)
class Home:
    """Where everything is for an agent of a host.

    `owner` is what it is to leave in its root. `unmeant` is what the environment holds that cannot be meant, and that
    counts as unset.
    """

    settings: Settings
    owner: Owner | None
    unmeant: Sequence[BadSetting]


def library_of(settings: Settings, *, offload: Offload = inline, watcher: Watcher | None = None) -> SkillLibrary:
    """The library of one agent. Opens nothing yet."""
    watcher = watcher or Watcher()
    store = None
    if not settings.is_new:
        store = PosixSkillStore(settings.root, chance=SystemChance(), watcher=watcher)
    return SkillLibrary(
        agent=settings.agent,
        sources=_sources(settings, store, watcher),
        states=_states(settings, offload),
        offload=offload,
        markdown=CmarkMarkdown(),
        store=store,
        budget=settings.budget,
    )


async def hosted_home(
    root: Path, agent: str, database: PathLike | None, environ: Mapping[str, str] = os.environ
) -> Home:
    """Where everything is for an agent of a host; its own folder is made, if the folder it lies in is there.

    The disk is asked in a thread, as it may be slow to answer. `database` is as in `hosted_owner`.

    Raises:
        BadSetting: The root or the agent cannot be meant.
    """
    return await threads(lambda _: _hosted_home(root, agent, database, environ))


def _hosted_home(root: Path, agent: str, database: PathLike | None, environ: Mapping[str, str]) -> Home:
    with suppress(OSError):
        root.mkdir(exist_ok=True)
    left, unmeant = dict(environ), list[BadSetting]()
    while True:
        try:
            settings = settings_of(left, root=root, agent=agent)
        except BadSetting as error:
            if left.pop(error.setting, None) is None:
                raise
            unmeant.append(error)
        else:
            return Home(settings=settings, owner=hosted_owner(settings, database), unmeant=unmeant)


def hosted_library(
    settings: Settings,
    *,
    database: Callable[[], Any | None],
    privacy: Privacy,
    mirrors: Sequence[Mirror],
) -> SkillLibrary:
    """The library of an agent of a host, on the host's own database, with what follows it. Opens nothing yet."""
    from .sql.hosted import HostedStates  # noqa: PLC0415 - only a host has a loop

    store = PosixSkillStore(settings.root, chance=SystemChance(), watcher=Watcher())
    return SkillLibrary(
        agent=settings.agent,
        sources=_sources(settings, store, Watcher()),
        states=HostedStates(database, settings.agent),
        offload=threads,
        markdown=CmarkMarkdown(),
        store=store,
        budget=settings.budget,
        privacy=privacy,
        mirror=Mirrors(mirrors),
    )


def hosted_index(
    agent: str,
    store: Callable[[], Any | None],
    *,
    node_type: Callable[[], Callable[..., Any] | None],
    watcher: Watcher,
) -> Mirror:
    """The index of an agent's skills in the graph of its host; what it cannot do, the watcher is told."""
    from kestrel_skills_core.service.indexing import Indexed  # noqa: PLC0415 - only a host has a graph

    from .graph.index import HostGraph  # noqa: PLC0415 - the same

    index = HostGraph(store, agent, node_type=node_type)
    return Indexed(index=index, clock=SystemClock(), watcher=watcher)


def hosted_enablement(path: object, dsn: object, did: str) -> Mapping[str, str] | None:
    """Which features an agent switched on or off since it was made, from its host's database; nothing if unreadable."""
    from .sql.enablement import enablement  # noqa: PLC0415 - asked once, as an agent starts

    return enablement(path, dsn, did)


def hosted_owner(settings: Settings, database: PathLike | None) -> Owner | None:
    """What a host is to leave in the root of its agent; `database` is its SQLite file, nothing where it has a server.

    Nothing where it cannot be said: nobody else can look into a database in memory.
    """
    file = None if database is None else os.fspath(database)
    if file in ("", ":memory:"):
        return None
    try:
        if file is None:
            return Owner(agent=settings.agent, table="postgres")
        above, name = os.path.split(os.path.abspath(file))  # noqa: PTH100 - its name is as spelt, were it a link
        beside = is_same(Path(above), settings.root.parent) and name.isprintable()
        return Owner(agent=settings.agent, table="sqlite", file=name if beside else "")
    except ValueError:
        return None


def aim_of(settings: Settings, owner: Owner, chosen: Collection[Part]) -> Aim:
    """Where these settings look for what is on, beside where the owner of the root does; `chosen` is what was named."""
    told = state_of(settings, owner)
    table, is_file = _table(settings.state), None
    if told is not None and isinstance(settings.state, Path):
        is_file = is_same(told, settings.state)
    elif "table" not in chosen:
        is_file = False  # our own file beside the root, which no host has
    return Aim(agent=settings.agent, table=table, is_file=is_file, chosen=chosen)


def state_of(settings: Settings, owner: Owner) -> Path | None:
    """The SQLite file in which the owner of the root keeps what is on, where that is told."""
    return settings.root.parent / owner.file if owner.file else None


def standing_of(settings: Settings) -> Standing:
    """How the table of states stands. Asks, and changes nothing.

    Raises:
        StateUnavailable: A server does not answer.
    """
    if isinstance(settings.state, ServerUrl):
        return Standing(*finish(_on_server(settings.state, settings.agent, inline).standing()))
    # Beside the file lies the journal of whatever is written to it.
    writable = is_writable(settings.state) and is_writable(settings.state.parent)
    return Standing(os.path.lexists(settings.state), writable)


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


def desk_of(
    library: SkillLibrary,
    *,
    connect: Callable[[Callable[[int, int], None]], GitSource] | None = None,
    included: Callable[[], Collection[SkillName] | None] = lambda: None,
    notes: Callable[[Observed], Sequence[str]] = lambda _: (),
) -> Desk:
    """What is asked over HTTP of one agent's skills; kept as long as the library is.

    `connect` is how git is reached, if not as usual. `included` says which names the agent's prompt has, where that is
    known without looking; `notes`, what is wrong beside what was observed, in lines.
    """
    from .http.desk import Desk  # noqa: PLC0415 - only who speaks HTTP pays for it
    from .markdown.html import html_of  # noqa: PLC0415 - the same

    return Desk(
        library=library,
        installer=lambda progress: installer_of(library, (connect or git_of)(progress)),
        html=html_of,
        included=included,
        notes=notes,
    )


def served_desk(settings: Settings, *, connect: Callable[[Callable[[int, int], None]], GitSource] | None) -> Desk:
    """What is asked over HTTP of skills that are in no prompt: the names of the clause are known from what changes."""
    from .http.included import Included  # noqa: PLC0415 - only who speaks HTTP pays for it

    included = Included(settings.budget)
    library = evolve(library_of(settings, offload=threads), mirror=included)
    return desk_of(library, connect=connect, included=included.names)


def hosted_router(
    ask: Callable[[Request], Awaitable[Desk]], guard: Callable[[Request], Awaitable[None]] | None = None
) -> APIRouter | None:
    """The router for a host, which mounts it and keeps it; none where there is no FastAPI.

    `ask` gives the skills of the agent that a request is about; `guard` is what the host demands of what destroys.
    """
    try:
        from .http.router import router_of  # noqa: PLC0415 - a host brings FastAPI, the SDK alone does not
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_HTTP:
            raise
        return None
    return router_of(ask, guard=guard)


def serve(desk: Desk, port: int, listening: Callable[[str], None]) -> bool:
    """Serve one agent's skills on a port of this machine, 0 for any that is free, until SIGINT or SIGTERM.

    `listening` is told the address to open once the server answers. Gives whether all has ended: if not, a thread still
    works, for which the interpreter would wait at its end.

    Raises:
        BadSetting: The extra `http` is not installed, or nobody may listen at that port.
        Busy: Another listens there.
    """
    try:
        from .http.serving import Forbidden  # noqa: PLC0415 - only who serves pays for it
        from .http.serving import serve as served  # noqa: PLC0415 - the same
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_HTTP:
            raise
        fix = "install kestrel-feature-skills[http]"
        raise BadSetting("serve", "what it takes, the extra `http`, is not installed", fix) from None
    try:
        return served(desk, port, listening)
    except Forbidden as error:
        raise BadSetting("port", str(error), "name another, or none") from None


_OF_HTTP: Final = frozenset({"fastapi", "starlette", "uvicorn"})
"""What the extra `http` brings."""


def package(path: PathLike, *, cancelled: Cancelled = never) -> Package:
    """A folder or archive of this machine, read whole. Links to it are followed, but for one to a folder; in it none.

    `cancelled` is asked at each piece of an archive, so that a caller with an event loop can read it in a thread.

    Raises:
        BadPath, BadSource, TooLarge: It is neither, or holds what is not taken.
        Abandoned: Whoever asked has gone away.
    """
    from kestrel_skills_core.domain.offer import Package  # noqa: PLC0415 - only who installs pays for it

    spelt = Path(os.path.abspath(path))  # noqa: PTH100 - its name is as spelt, were it a link
    if spelt.is_symlink() and spelt.is_dir():
        raise BadSource(spelt.name, "it is a symbolic link", "name the folder that the link points to")
    if not spelt.is_dir():
        from .archive.reading import archived  # noqa: PLC0415 - the same

        return Package(kind="archive", parcel=archived(spelt, cancelled=cancelled))
    try:
        parcel = PosixSkillFiles(os.path.realpath(spelt.parent), SourceId.AGENT_LOCAL).parcel(spelt.name)
    except SourceUnavailable as error:
        raise BadSource(spelt.name, error.why, error.fix) from None
    return Package(kind="folder", parcel=parcel, name=spelt.name)


def is_writable(path: Path) -> bool:
    """Whether this user may write a file or folder, or make it where it is not there. Asks, and changes nothing."""
    nearest = next(place for place in (path, *path.parents) if os.path.lexists(place))
    return (nearest == path or nearest.is_dir()) and os.access(nearest, os.W_OK)


def unwatched(settings: Settings) -> Sequence[str] | None:
    """The roots that cannot be watched, of those that are there; nothing where what watches is not installed.

    Each is watched, and let go of again.
    """
    from .watching.notified import is_installed, place  # noqa: PLC0415 - only who watches pays for it

    if not is_installed():
        return None
    roots = [str(root) for root in (settings.root, settings.shared) if root is not None and root.is_dir()]
    watches = {root: place(root) for root in roots}
    for watch in watches.values():
        if watch is not None:
            watch.close()
    return [root for root, watch in watches.items() if watch is None]


def _sources(settings: Settings, store: PosixSkillStore | None, watcher: Watcher) -> Sequence[SkillFiles]:
    """What an agent reads: a root of its own and a shared one, where it has them.

    All that a process has of one shared root look at it together and watch it once; each is told of its own looks.
    """
    sources = [] if store is None else [_watched(store, settings)]
    if settings.shared is not None:
        shared = PosixSkillFiles(settings.shared, SourceId.HOST_SHARED, watcher=LookersWatcher())
        sources.append(together(_watched(shared, settings), stamps=shared.root_stamps, watcher=watcher))
    return sources


def _watched(files: PosixSkillFiles, settings: Settings) -> SkillFiles:
    """These files, watched where that was asked for."""
    if not settings.watch:
        return files
    from .watching.notified import watched  # noqa: PLC0415 - only who watches pays for it

    return watched(files, files.path)


def _table(state: object) -> Table:
    return "sqlite" if isinstance(state, Path) else "postgres"


def _states(settings: Settings, offload: Offload) -> StateTable:
    if isinstance(settings.state, ServerUrl):
        return _on_server(settings.state, settings.agent, offload)
    return SqliteStates(settings.state, settings.agent, offload=offload)


def _on_server(url: ServerUrl, agent: str, offload: Offload) -> PostgresStates:
    from .sql.postgres import PostgresStates  # noqa: PLC0415 - only who has a server pays for it

    return PostgresStates(url, agent, offload=offload)
