"""The feature that Kestrel Sovereign loads: when things happen, and what is contributed. Whatever fails degrades it.

The host lets any exception of a feature end the start of the whole agent: none leaves this module.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from kestrel_sdk.features.base import Feature
from kestrel_sdk.features.contributions import ContextClauseRegistration, FeaturePermissionDefaults
from kestrel_sdk.features.ui import UIContributions

from kestrel_skills_core.domain.errors import SkillError, SourceUnavailable, StateUnavailable
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.ports.git import GitSource
from kestrel_skills_core.ports.states import StateTable
from kestrel_skills_core.ports.world import Watcher

from ..console import MODULES, STATIC, STYLES
from ..wiring import (
    BadSetting,
    desk_of,
    git_of,
    hosted_index,
    hosted_library,
    hosted_owner,
    hosted_router,
    hosted_settings,
)
from .answers import REASONS
from .asking import Asking
from .behind import Behind
from .changing import Changing
from .context import ContextClause, Following
from .desk import Desk
from .host import BUNDLED, CLAUSE, Host
from .installing import Installing
from .noticing import Noticing
from .permissions import CLAIMED, LEVELS, defaults

if TYPE_CHECKING:
    from fastapi import APIRouter

    from ..http.desk import Desk as HttpDesk

__all__ = ["ProceduralSkillsFeature"]

_log = logging.getLogger(__name__)
_PRIORITY: Final = 100
"""Of the clause among those of other features; they are left out highest first where the prompt is too long."""
_ANY: Final = SkillName("any")
_BESIDE: Final = (
    f"the host's own {BUNDLED} is loaded too and claims the tools {' and '.join(sorted(CLAIMED))}, which are left out "
    f"here; disable {BUNDLED} to have them"
)

_LEFT_OUT: Final = (
    "the host leaves the clause of the skills out of the prompt, for which the model's context limit is too small; "
    "raise that limit, or enable fewer skills"
)


class _Logged(Watcher):
    """Says in the log what an operator may want to know."""

    def index_failed(self, why: str) -> None:
        """The graph could not be brought in line."""
        _log.warning("the graph index of the skills is not up to date: %s", why)


async def _answers(states: StateTable) -> bool:
    """Whether the table of states answers: while it does not, nothing of it was adopted, and nobody was told."""
    try:
        await states.rows(_ANY)
    except StateUnavailable:
        return False
    return True


class ProceduralSkillsFeature(Asking, Changing, Installing, Feature):
    """Procedural skills of one agent: ten tools, and one clause in its prompt."""

    promote_tools_on_startup = True
    tool_reason_codes = dict.fromkeys(LEVELS, REASONS)

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)  # type: ignore[no-untyped-call] # the SDK's has no types
        self._host = Host(agent)
        self._clause = ContextClause(self._host, self)
        self._desk: Desk | None = None
        self._index: Behind | None = None
        self._following: Following | None = None
        self._has_started = False
        self._starting = asyncio.Lock()
        self._beside: bool | None = None
        self._is_left_out = False
        self._clauses: tuple[ContextClauseRegistration, ...] = ()
        self._hooks = [Noticing(self._heed)]
        self._http: HttpDesk | None = None
        self._router: APIRouter | None = None

    @property
    def tool_description(self) -> str:
        """What the host says of the feature to a model."""
        return (
            "Procedural skills: authored procedures for tasks. Find the one that fits with skill_search, read it with "
            "skill_read before following it; create, edit, enable, disable, delete and install skills."
        )

    async def initialize(self) -> None:
        """Put everything together, and look at the skills; what fails is tried again when it is needed."""
        await self.shutdown()
        await self._look()

    async def shutdown(self) -> None:
        """Stop what follows behind; nothing else is open."""
        self._desk, index, self._index = None, self._index, None
        self._has_started = False
        http, self._http = self._http, None
        if http is not None:
            await http.jobs.stop()
        if self._following is not None:
            self._following.stop()
        await self._clause.stop()
        if index is not None:
            await index.stop()

    async def on_disable(self) -> None:
        """Decide anew what to leave out, should the agent get its skills back beside other features."""
        self._beside = None

    async def on_agent_ready(self, agent: Any) -> None:  # noqa: ARG002 - the host's signature
        """Say in the log what this host does not offer."""
        for note in self._notes():
            _log.warning("procedural skills: %s", note)

    async def prepare_context_clause_refresh(self) -> None:
        """Look again, as the host is about to ask for the clause: a privacy mode has begun or ended, say."""
        await self._look()

    def get_tools(self) -> list[Any]:
        """The tools, without those whose names the host's own feature claims, where that is loaded."""
        tools: list[Any] = super().get_tools()  # type: ignore[no-untyped-call,unused-ignore] # see above
        return [each for each in tools if each.name not in CLAIMED] if self._is_beside else tools

    def get_feature_permission_defaults(self) -> FeaturePermissionDefaults:
        """What asks, and what does not."""
        return defaults([name for name in LEVELS if not (self._is_beside and name in CLAIMED)])

    def get_context_clause_registrations(self) -> tuple[ContextClauseRegistration, ...]:
        """The clause of what is enabled; the same one each time."""
        self._clauses = self._clauses or (
            ContextClauseRegistration(
                owner=self.contribution_owner, name=CLAUSE, priority=_PRIORITY, renderer=self._clause.render
            ),
        )
        return self._clauses

    def get_hooks(self) -> list[Any]:
        """What looks at each turn as it ends; the same one each time."""
        return self._hooks

    def get_router(self) -> APIRouter | None:
        """The routes below `/api/procedural-skills`, the same each time; none where the host has no FastAPI."""
        if self._router is None:
            try:
                self._router = hosted_router(self._asked_over_http, self._host.guard)
            except Exception:  # noqa: BLE001 - it would end the agent's start
                _log.exception("the skills are not served over HTTP")
        return self._router

    def get_ui_contributions(self) -> UIContributions:
        """The panel of the skills, for the host's Console."""
        return UIContributions(static_dir=str(STATIC), modules=list(MODULES), css=list(STYLES))

    async def desk(self) -> Desk:
        """The agent's skills, put together and in order when they are first asked for.

        Raises:
            SourceUnavailable: The agent has no identity, or no data folder.
        """
        self._heed()
        if self._desk is None:
            self._desk = self._put_together()
        desk = self._desk
        if not self._has_started:
            await self._start(desk)
        return desk

    def allowed(self) -> int:
        """How many characters of JSON an answer may have."""
        return self._host.room

    def git(self) -> GitSource:
        """Where repositories are read from: the net."""
        return git_of(lambda _bytes, _entries: None)

    def _put_together(self) -> Desk:
        host = self._host
        if not host.did:
            raise SourceUnavailable(SourceId.AGENT_LOCAL, "the agent has no identity yet", "finish its inception")
        if host.root is None:
            raise SourceUnavailable(SourceId.AGENT_LOCAL, "the agent has no data folder", "give it one")
        try:
            settings = hosted_settings(host.root, host.did)
        except BadSetting as error:
            raise SourceUnavailable(SourceId.HOST_SHARED, f"a setting cannot be meant: {error}", error.fix) from None
        self._clause.budget = settings.budget
        self._following = Following(self._clause)
        self._index = Behind(hosted_index(settings, host.graph, node_type=lambda: host.node_type, watcher=_Logged()))
        library = hosted_library(
            settings, database=host.database, privacy=host.privacy, mirrors=(self._following, self._index)
        )
        owner = hosted_owner(settings, host.database_file)
        return Desk(library=library, clause=self._clause, owner=owner, git=self.git, notes=self._notes)

    async def _asked_over_http(self, _: object) -> HttpDesk:
        """What a request is answered from: the host has found the agent that it is about."""
        desk = await self.desk()
        if self._http is None:
            self._http = desk_of(desk.library, included=lambda: self._clause.clause.included)
        return self._http

    async def _look(self) -> None:
        """Have the clause follow, without having the host take it: it is about to."""
        with self._clause.unpublished():
            try:
                desk = await self.desk()
                await desk.library.catalog()
            except SkillError as error:
                _log.warning("the skills cannot be looked at: %s; %s", error, error.fix)
                self._clause.clear()
            except Exception:  # noqa: BLE001 - it would end the agent's start
                _log.exception("the skills cannot be looked at")
                self._clause.clear()

    async def _start(self, desk: Desk) -> None:
        """End what interrupted changes left, and adopt what 0.1.0 left; while all is hidden, that waits.

        Whoever comes meanwhile waits for it. What could not be done is done when the skills are asked for again.
        """
        async with self._starting:
            if self._has_started or desk.library.privacy.hidden() is not None:
                return
            started = await desk.library.start(desk.owner)
            is_done = not any(isinstance(step, SkillError) for step in (started.swept, started.adopted))
            self._has_started = is_done and await _answers(desk.library.states)
        for problem in started.problems:
            _log.warning("the skills of %s: %s; %s", desk.library.agent, problem, problem.fix)
        if started.ousted is not None:
            _log.warning("the skills of %s were those of %s until now", desk.library.agent, started.ousted.agent)

    def _heed(self) -> None:
        """Remember whether the last prompt had room for the clause, and say so in the log when it no longer has."""
        leaves_clause_out = self._host.leaves_clause_out
        if leaves_clause_out and not self._is_left_out:
            _log.warning("procedural skills: %s", _LEFT_OUT)
        self._is_left_out = self._is_left_out if leaves_clause_out is None else leaves_clause_out

    def _notes(self) -> Sequence[str]:
        """What whoever runs the agent should know."""
        notes = {
            self._clause.problem: bool(self._clause.problem),
            _LEFT_OUT: self._is_left_out,
            _BESIDE: self._is_beside,
        }
        return [*(note for note, holds in notes.items() if holds), *self._host.lacks]

    @property
    def _is_beside(self) -> bool:
        """Whether the host's own feature is loaded too: decided before anything is collected, and kept while active."""
        if self._beside is None or not self._host.is_active(self):
            try:
                self._beside = self._host.has_bundled
            except Exception:  # noqa: BLE001 - it would end the agent's start
                _log.exception("whether %s is loaded cannot be told", BUNDLED)
                self._beside = True
        return self._beside
