"""The feature that Kestrel Sovereign loads: when things happen, and what is contributed. Whatever fails degrades it.

The host lets any exception of a feature end the start of the whole agent: none leaves this module.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Final

from kestrel_sdk.features.base import Feature
from kestrel_sdk.features.contributions import ContextClauseRegistration, FeaturePermissionDefaults
from kestrel_sdk.features.ui import UIContributions

from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.ports.git import GitSource

from ..console import MODULES, STATIC, STYLES
from ..wiring import git_of, hosted_router
from .answers import REASONS
from .asking import Asking
from .changing import Changing
from .context import ContextClause
from .desk import Desk
from .host import BUNDLED, CLAUSE, Host
from .installing import Installing
from .life import Desks, Life
from .notes import About, Notes
from .noticing import Noticing
from .permissions import CLAIMED, LEVELS, defaults

if TYPE_CHECKING:
    from fastapi import APIRouter

    from ..http.desk import Desk as HttpDesk

__all__ = ["ProceduralSkillsFeature"]

_log = logging.getLogger(__name__)
_PRIORITY: Final = 100
"""Of the clause among those of other features; they are left out highest first where the prompt is too long."""
_NAMES: Final = " and ".join(sorted(CLAIMED))
_BESIDE: Final = {
    True: f"the host's own {BUNDLED} is loaded too and claims the tools {_NAMES}, which are left out here; disable "
    f"{BUNDLED} to have them",
    None: f"nobody can tell whether the host's own {BUNDLED} is loaded too, which claims the tools {_NAMES}, so that "
    f"they are left out here; start again when the agent's database answers, or disable {BUNDLED}",
    False: "",
}
"""Why tools are left out, by whether the host's own feature is loaded."""

_LEFT_OUT: Final = (
    "the host leaves the clause of the skills out of the prompt, for which the model's context limit is too small; "
    "raise that limit, or enable fewer skills"
)

_UNSERVED: Final = "the skills are not served over HTTP, so that the Console cannot show them"


class ProceduralSkillsFeature(Asking, Changing, Installing, Feature):
    """Procedural skills of one agent: ten tools, and one clause in its prompt."""

    promote_tools_on_startup = True
    tool_reason_codes = dict.fromkeys(LEVELS, REASONS)

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)  # type: ignore[no-untyped-call] # the SDK's has no types
        self._host = Host(agent)
        self._clause = ContextClause(self._host, self)
        self._notes = Notes(self._seen)
        self._life: Life | None = None
        self._left_out: str | None = None
        """Why tools are left out; empty where none is, and nothing before that was decided."""
        self._clauses: tuple[ContextClauseRegistration, ...] = ()
        self._hooks = [Noticing(self._notice)]
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
        """End the life that there is, and the clause of it; asked again, the skills begin another one."""
        life, self._life = self._life, None
        clause, self._clause = self._clause, ContextClause(self._host, self)
        await clause.stop()
        if life is not None:
            await life.end()

    async def on_agent_ready(self, agent: Any) -> None:  # noqa: ARG002 - the host's signature
        """Let what follows behind begin, and say in the log what this host does not offer."""
        if self._life is not None:
            self._life.index.begin()
        self._notes.lines()

    async def prepare_context_clause_refresh(self) -> None:
        """Look again, as the host is about to ask for the clause: a privacy mode has begun or ended, say."""
        with self._clause.unpublished():
            await self._look()

    def get_tools(self) -> list[Any]:
        """The tools, without those whose names the host's own feature claims, where that is loaded.

        A host begins with them to collect what a feature has. So that is decided here, and kept for whatever else it
        collects, and for as long as it has the feature at work.
        """
        tools: list[Any] = super().get_tools()  # type: ignore[no-untyped-call,unused-ignore] # see above
        left_out = self._leave_out(afresh=not self._host.is_active(self))
        return [each for each in tools if each.name not in left_out]

    def get_feature_permission_defaults(self) -> FeaturePermissionDefaults:
        """What asks, and what does not, of the tools that were given last."""
        left_out = self._leave_out(afresh=False)
        return defaults([name for name in LEVELS if name not in left_out])

    def get_context_clause_registrations(self) -> tuple[ContextClauseRegistration, ...]:
        """The clause of what is enabled; the same one each time."""
        self._clauses = self._clauses or (
            ContextClauseRegistration(
                owner=self.contribution_owner, name=CLAUSE, priority=_PRIORITY, renderer=self._render
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
            except Exception as error:  # noqa: BLE001 - it would end the agent's start
                _log.debug("why the skills are not served", exc_info=True)
                self._notes.tell(About.HTTP, f"{_UNSERVED}: {type(error).__name__}")
        return self._router

    def get_ui_contributions(self) -> UIContributions:
        """The panel of the skills, for the host's Console."""
        return UIContributions(static_dir=str(STATIC), modules=list(MODULES), css=list(STYLES))

    async def desk(self) -> Desk:
        """The agent's skills, put together and in order when they are first asked for.

        Raises:
            SourceUnavailable: The agent has no identity, or no data folder.
        """
        life, desks = await self._living()
        await life.start()
        life.index.begin()
        return desks.tools

    def allowed(self) -> int:
        """How many characters of JSON an answer may have."""
        return self._host.room

    def git(self) -> GitSource:
        """Where repositories are read from: the net."""
        return git_of(lambda _bytes, _entries: None)

    async def _asked_over_http(self, _: object) -> HttpDesk:
        """What a request is answered from: the host has found the agent that it is about."""
        life, desks = await self._living()
        life.index.begin()
        return desks.http

    async def _living(self) -> tuple[Life, Desks]:
        self._heed()
        try:
            if self._life is None:
                self._life = Life.begin(self._host, self._clause, self._notes, self.git, self._look_again)
            life = self._life
            desks = await life.desks()
        except SkillError as error:
            self._notes.tell(About.WAY, error)
            raise
        self._notes.tell(About.WAY)
        return life, desks

    def _render(self) -> str:
        """The bytes of the clause that is followed now."""
        return self._clause.render()

    async def _look(self) -> None:
        """Have the clause follow."""
        try:
            life, desks = await self._living()
            await life.start()
            self._notes.observe(await desks.tools.library.catalog())
        except SkillError:
            await self._clause.clear()
        except Exception:  # noqa: BLE001 - it would end the agent's start
            _log.exception("the skills cannot be looked at")
            await self._clause.clear()

    async def _look_again(self, life: Life, name: SkillName | None) -> None:
        """Have what there is now look at a name, or at all, that was seen or changed in a life; in another, if any."""
        if self._life is not None and self._life is not life:
            await self._life.look(name)

    def _heed(self) -> None:
        """Note whether the last prompt had room for the clause; of an empty one, nothing is left out."""
        leaves_clause_out = self._host.leaves_clause_out if self._clause.render() else False
        if leaves_clause_out is not None:
            self._notes.tell(About.ROOM, *([_LEFT_OUT] if leaves_clause_out else []))

    def _notice(self) -> None:
        """Have whatever is wrong now in the log, as a turn ends."""
        self._heed()
        self._notes.lines()

    def _seen(self) -> Iterator[str]:
        """What is wrong, as far as that can be seen at any time."""
        if self._clause.problem:
            yield self._clause.problem
        if self._left_out:
            yield self._left_out
        yield from self._host.lacks

    def _leave_out(self, *, afresh: bool) -> Collection[str]:
        """Which tools are left out as the host's own feature is loaded too, or may be: as was decided, or afresh."""
        if afresh or self._left_out is None:
            try:
                self._left_out = _BESIDE[self._host.has_bundled]
            except Exception:  # noqa: BLE001 - it would end the agent's start
                _log.exception("whether %s is loaded cannot be told", BUNDLED)
                self._left_out = _BESIDE[None]
        return CLAIMED if self._left_out else ()
