"""One life of the feature, from when its skills are first asked for until it is shut down.

Rule 1: whoever reads takes no lock of the host's, nor waits for whoever starts the skills: their start ends what
        interrupted changes left, and adopts what 0.1.0 left.
Rule 2: whoever first holds the privacy mode starts them, and holds it till that is done. So nothing is changed before
        the start was tried, nor beside it, and nobody waits for it longer than for the mode.
Rule 3: tools, and whoever looks because the host says so, try it where the mode can be held at once; else it waits for
        the next of them, or for the first change. A start that came to nothing is tried again then.
Rule 4: what was changed in a life that has ended is looked at again in the one that there is: that may have looked
        before the change was written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from attrs import define, evolve, field, frozen

from kestrel_skills_core.domain.errors import Busy, Hidden, SkillError, SourceUnavailable, StateUnavailable
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.resolver import Catalog
from kestrel_skills_core.ports.git import GitSource
from kestrel_skills_core.ports.mirror import Mirror
from kestrel_skills_core.ports.states import StateTable
from kestrel_skills_core.ports.world import Watcher

from ..wiring import BadSetting, desk_of, hosted_home, hosted_index, hosted_library
from .behind import PATIENCE, Behind
from .context import ContextClause
from .desk import Desk
from .host import Host, HostPrivacy
from .notes import About, Notes

if TYPE_CHECKING:
    from ..http.desk import Desk as HttpDesk

__all__ = ["Desks", "Life"]

_ANY = SkillName("any")
_GRAPH_WAITS = (
    f"the graph index of the skills is behind: the host's graph has kept it waiting for more than {PATIENCE} seconds; "
    "it follows as soon as the graph goes on"
)


@frozen(eq=False)
class _Noting(Watcher):
    """Notes whether the graph index says what the catalog does."""

    notes: Notes

    def index_failed(self, why: str) -> None:
        """It does not."""
        line = f"the graph index of the skills is not up to date: {why}; it is tried again with each list"
        self.notes.tell(About.GRAPH, line)

    def index_in_line(self) -> None:
        """It does."""
        self.notes.tell(About.GRAPH)


@frozen(eq=False)
class _Heard(Mirror):
    """Passes on which name, or that everything, is told of."""

    pass_on: Callable[[SkillName | None], Awaitable[None]]

    async def shown(self, catalog: Catalog, *, hidden: bool) -> None:  # noqa: ARG002 - see `Mirror`
        """Everything is."""
        await self.pass_on(None)

    async def changed(self, name: SkillName, found: SkillRecord | Rejection | None) -> None:  # noqa: ARG002 - the same
        """One name is."""
        await self.pass_on(name)

    async def lost(self, name: SkillName) -> None:
        """One name is."""
        await self.pass_on(name)

    async def lost_all(self, why: StateUnavailable) -> None:  # noqa: ARG002 - the same
        """Everything is."""
        await self.pass_on(None)


class Desks(NamedTuple):
    """One agent's skills, for each door that the feature has."""

    tools: Desk
    http: HttpDesk


@define(kw_only=True, eq=False)
class Life:
    """The skills of an agent, put together by whoever asks first, while others wait; and what follows them.

    What cannot be put together is tried again when the skills are asked for again. What follows them is there from the
    first, so that ended is ended, whatever is still on its way. `heard` is told what this life tells, ended or not.
    """

    host: Host
    clause: ContextClause
    notes: Notes
    git: Callable[[], GitSource]
    heard: Callable[[Life, SkillName | None], Awaitable[None]]
    did: str
    root: Path
    index: Behind
    _desks: Desks | None = field(default=None, init=False)
    _has_started: bool = field(default=False, init=False)
    _is_starting: bool = field(default=False, init=False)
    _turn: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    @classmethod
    def begin(
        cls,
        host: Host,
        clause: ContextClause,
        notes: Notes,
        git: Callable[[], GitSource],
        heard: Callable[[Life, SkillName | None], Awaitable[None]],
    ) -> Self:
        """A life of the agent that the host has now; nothing is opened yet.

        Raises:
            SourceUnavailable: The agent has no identity, or no data folder.
        """
        did, root = host.did, host.root
        if not did:
            raise SourceUnavailable(SourceId.AGENT_LOCAL, "the agent has no identity yet", "finish its inception")
        if root is None:
            raise SourceUnavailable(SourceId.AGENT_LOCAL, "the agent has no data folder", "give it one")
        index = hosted_index(did, host.graph, node_type=lambda: host.node_type, watcher=_Noting(notes))
        behind = Behind(index, waits=lambda waits: notes.tell(About.GRAPH_WAITS, *([_GRAPH_WAITS] if waits else [])))
        return cls(host=host, clause=clause, notes=notes, git=git, heard=heard, did=did, root=root, index=behind)

    async def desks(self) -> Desks:
        """What the tools work on, and what requests are answered from.

        Raises:
            SourceUnavailable: The root or the agent cannot be meant.
        """
        async with self._turn:
            self._desks = self._desks or await self._put_together()
        return self._desks

    async def start(self) -> None:
        """Start the skills, if that is not done, and the privacy mode can be held at once: see rule 2."""
        if not self._has_started:
            with suppress(Busy, Hidden):
                async with evolve(self._privacy, wait=0).held():
                    pass

    async def look(self, name: SkillName | None) -> None:
        """Look again at one name, or at all, and tell what follows; what cannot be seen is told when it can."""
        with suppress(SkillError):
            library = (await self.desks()).tools.library
            if name is None:
                await library.catalog()
            else:
                async with library.changing(name):
                    pass

    async def end(self) -> None:
        """Stop what follows, and what still runs for a request; nothing else is open."""
        if self._desks is not None:
            await self._desks.http.jobs.stop()
        await self.index.stop()

    async def _put_together(self) -> Desks:
        try:
            home = await hosted_home(self.root, self.did, self.host.database_file)
        except BadSetting as error:
            raise SourceUnavailable(SourceId.AGENT_LOCAL, str(error), error.fix) from None
        self.notes.tell(
            About.SETTINGS, *(f"{error}, so that it counts as unset; {error.fix}" for error in home.unmeant)
        )
        self.clause.budget = home.settings.budget
        library = hosted_library(
            home.settings,
            database=self.host.database,
            privacy=self._privacy,
            mirrors=(self.clause, self.notes, self.index, _Heard(partial(self.heard, self))),
        )
        tools = Desk(library=library, clause=self.clause, owner=home.owner, git=self.git, notes=self.notes.beside)
        http = desk_of(library, included=lambda: self.clause.clause.included, notes=self.notes.beside)
        return Desks(tools, http)

    @property
    def _privacy(self) -> HostPrivacy:
        return evolve(self.host.privacy, first=self._first)

    async def _first(self) -> None:
        """What whoever holds the privacy mode does first; to start takes the mode, too."""
        if self._desks is None or self._has_started or self._is_starting:
            return
        self._is_starting = True
        try:
            self._has_started = await self._start(self._desks.tools)
        finally:
            self._is_starting = False

    async def _start(self, desk: Desk) -> bool:
        """End what interrupted changes left, and adopt what 0.1.0 left; gives whether that is done."""
        started = await desk.library.start(desk.owner)
        ousted = () if started.ousted is None else (_ousted(self.did, started.ousted.agent),)
        self.notes.tell(About.START, *started.problems, *ousted)
        is_done = not any(isinstance(step, SkillError) for step in (started.swept, started.adopted))
        return is_done and await _answers(desk.library.states)


def _ousted(did: str, other: str) -> str:
    return f"the skills of {did} were those of {other} until now; see that no two agents have one folder"


async def _answers(states: StateTable) -> bool:
    """Whether the table of states answers: while it does not, nothing of it was adopted, and nobody was told."""
    try:
        await states.rows(_ANY)
    except StateUnavailable:
        return False
    return True
