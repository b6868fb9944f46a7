"""A stand-in of the host's agent, where no host is installed: what of it a feature may notice, and nothing else.

It stands for `KestrelAgent` of kestrel-sovereign 0.53 to 0.55:

- who it is, its data folder, and its SQLite database behind `_raw_storage.db`; its graph behind `storage`;
- a privacy mode whose change holds a lock that a turn holds, too, and that its own task enters again;
- the runtime of what features contribute: their getters are asked before `initialize`, their clauses are rendered as
  they become active, and rendered again when a feature says so or the privacy mode has changed. Between asking every
  feature to prepare and rendering, nothing may have been published: else the clauses of all are emptied;
- the order of a feature's life: booted, disabled, and enabled again as the same instance;
- the doors of its tools: a model's arguments, and a command, by the rule of the SDK that is installed.

`tests/host` runs the same feature in the real host.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
import tomllib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final, Self

import pytest
from attrs import define, evolve, field, frozen
from kestrel_sdk.features.contributions import ContextClauseRegistration, validate_feature_contributions

from tests.contracts.host_store import GraphNode, HostDatabase
from tests.contracts.host_store import StandIn as GraphStore
from tests.servers.hosts import StandIn

__all__ = [
    "CAP",
    "DID",
    "HIDING",
    "Agent",
    "Clause",
    "PrivacyConfig",
    "Runtime",
    "TransitionLock",
    "asked",
    "host_modules",
]

DID: Final = "did:test:kite"
CAP: Final = 8_000
"""Characters of JSON, above which the host shows a model the head and the tail of a result."""
HIDING: Final = ("ephemeral", "isolated", "deidentified")
"""The modes that hide what is kept; `anonymous`, `normal` and `public` do not."""


@frozen
class PrivacyConfig:
    """What a privacy mode means, as far as it is asked."""

    mode: str

    def is_ephemeral(self) -> bool:
        """Nothing is kept."""
        return self.mode == "ephemeral"

    def uses_temp_storage(self) -> bool:
        """What is kept is thrown away."""
        return self.mode == "isolated"

    def requires_deidentification(self) -> bool:
        """What is kept must not tell whose it is."""
        return self.mode == "deidentified"


_RIGHT: ContextVar[object | None] = ContextVar("right", default=None)


class TransitionLock:
    """As `ReentrantTransitionLock`: of one task at a time, which may enter again; and so may who has its right.

    A host gives the right of a turn to the tasks in which it runs the turn's tools, by their context, which whatever
    task they make inherits. They enter one at a time, and whoever holds the lock does not let it go before they left.
    """

    def __init__(self) -> None:
        self._lock, self._others = asyncio.Lock(), asyncio.Lock()
        self.owner: asyncio.Task[Any] | None = None
        self._guest: asyncio.Task[Any] | None = None
        self._right: object | None = None
        self._depth = self._guest_depth = 0
        self.entered = 0
        """How often it was entered."""
        self.lent = 0
        """How often by another task than that which holds it."""

    @contextmanager
    def right(self) -> Iterator[None]:
        """Have the right of whoever holds it, in this context."""
        token = _RIGHT.set(self._right)
        try:
            yield
        finally:
            _RIGHT.reset(token)

    def locked(self) -> bool:
        """Whether anybody holds it."""
        return self._depth > 0

    async def __aenter__(self) -> Self:
        task = asyncio.current_task()
        self.entered += 1
        if task is self._guest or (task is not self.owner and await self._lends()):
            self._guest, self._guest_depth, self.lent = task, self._guest_depth + 1, self.lent + 1
            return self
        if self.owner is not task:
            await self._lock.acquire()
            self.owner, self._right = task, object()
        self._depth += 1
        return self

    async def _lends(self) -> bool:
        if not self._has_right:
            return False
        await self._others.acquire()
        if self._has_right:
            return True
        self._others.release()
        return False

    @property
    def _has_right(self) -> bool:
        return _RIGHT.get() is not None and _RIGHT.get() is self._right

    async def __aexit__(self, *_: object) -> None:
        task = asyncio.current_task()
        if task is self._guest:
            self._guest_depth -= 1
            if not self._guest_depth:
                self._guest = None
                self._others.release()
            return
        assert self.owner is task, "it is left by the task that entered"
        self._depth -= 1
        if not self._depth:
            self.owner = self._right = None
            async with self._others:
                self._lock.release()


@frozen
class Clause:
    """As `ResolvedContextClause`."""

    owner: str
    name: str
    priority: int
    body: str
    registration: ContextClauseRegistration


@frozen
class _Active:
    feature: Any
    clauses: tuple[Clause, ...]


class ContributionError(Exception):
    """What the host's runtime raises."""


class Runtime:
    """As `FeatureContributionRuntime`, as far as clauses go."""

    def __init__(self) -> None:
        self._active: dict[int, _Active] = {}
        self.rendered: list[str] = []
        """What every rendering gave, in order."""
        self.refuses = False
        """Whether it commits nothing."""

    def activate(self, feature: Any, clauses: Iterable[ContextClauseRegistration]) -> None:
        """Render what a feature contributes; an exception of a renderer ends the boot."""
        self._active[id(feature)] = _Active(feature, tuple(map(self._rendered, clauses)))

    def deactivate(self, feature: Any) -> None:
        """Take back what a feature contributed."""
        self._active.pop(id(feature), None)

    def is_active(self, feature: Any) -> bool:
        """Whether it contributes now."""
        return id(feature) in self._active

    def active_context_clauses(self) -> tuple[Clause, ...]:
        """What is in the prompt, empty clauses included."""
        return tuple(clause for active in self._active.values() for clause in active.clauses)

    def refresh_context_clauses(self, feature: Any) -> None:
        """Render the clauses of one feature again."""
        active = self._active.get(id(feature))
        if active is None:
            raise ContributionError("context-clause refresh requires an active owning feature")
        clauses = tuple(self._rendered(clause.registration) for clause in active.clauses)
        if self.refuses:
            raise ContributionError("/srv/kite: not now")
        self._active[id(feature)] = evolve(active, clauses=clauses)

    async def prepare_and_refresh_all(self) -> None:
        """Let every feature prepare, then render all; anything that goes wrong empties them."""
        before = dict(self._active)
        try:
            for active in before.values():
                if active.clauses:
                    await active.feature.prepare_context_clause_refresh()
            self._refuse_changed(before)
            for key, active in before.items():
                clauses = tuple(self._rendered(clause.registration) for clause in active.clauses)
                self._active[key] = evolve(active, clauses=clauses)
        except Exception:  # noqa: BLE001 - as the host
            for key, active in self._active.items():
                emptied = tuple(evolve(clause, body="") for clause in active.clauses)
                self._active[key] = evolve(active, clauses=emptied)

    def _refuse_changed(self, before: Mapping[int, _Active]) -> None:
        if any(self._active.get(key) is not active for key, active in before.items()):
            raise ContributionError("active features changed during context-clause preparation")

    def _rendered(self, registration: ContextClauseRegistration) -> Clause:
        body = registration.renderer()
        assert isinstance(body, str)
        self.rendered.append(body)
        return Clause(registration.owner, registration.name, registration.priority, body, registration)


class AgentDatabase(StandIn):
    """The handle of an agent's database, with the backend that knows where it is; `answers` may keep it waiting."""

    def __init__(self, path: Path) -> None:
        def connect() -> sqlite3.Connection:
            connection = sqlite3.connect(path, isolation_level=None, timeout=30)
            connection.execute("PRAGMA journal_mode = WAL")
            return connection

        super().__init__("sqlite", connect)
        self.backend = SimpleNamespace(db_path=str(path))
        self.answers: Callable[[], Any] | None = None

    async def fetchall(self, sql: str, params: tuple[Any, ...] = ()) -> Any:
        """Ask something."""
        if self.answers is not None:
            await self.answers()
        return await super().fetchall(sql, params)


@define(eq=False, slots=False)
class Agent:
    """One agent; see the module. `home` is its data folder. Close it."""

    home: Path
    did: Any = DID
    _allowed_features: frozenset[str] | None = None
    """Its profile; nothing where it may have all."""
    graph: HostDatabase = field(factory=HostDatabase)
    features: dict[str, Any] = field(factory=dict)
    feature_contribution_runtime: Any = field(factory=Runtime)
    privacy_config: PrivacyConfig | None = PrivacyConfig("normal")
    lock: TransitionLock = field(factory=TransitionLock)
    database: AgentDatabase = field(init=False)
    storage_path: str | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.home.mkdir(exist_ok=True, parents=True)
        self.storage_path = str(self.home / "kestrel_prime.db")
        self.database = AgentDatabase(Path(self.storage_path))
        self._raw_storage = SimpleNamespace(db=self.database)

    @property
    def storage(self) -> GraphStore:
        """The storage that guards its privacy."""
        mode = self.privacy_config
        return GraphStore(self.graph, self.did, volatile=mode is None or mode.mode in HIDING)

    @property
    def privacy_mode(self) -> SimpleNamespace:
        """The mode, as the host's enumeration has it."""
        return SimpleNamespace(value=None if self.privacy_config is None else self.privacy_config.mode)

    @property
    def skills(self) -> Path:
        """The root of its own skills."""
        return self.home / "skills"

    def _get_privacy_transition_lock(self) -> TransitionLock:
        return self.lock

    def refresh_feature_context_clauses(self, feature: Any) -> None:
        """Render one feature's clauses again; not awaited, and no feature is asked to prepare."""
        self.feature_contribution_runtime.refresh_context_clauses(feature)

    async def set_privacy_mode(self, mode: str) -> None:
        """Change the mode, with no turn under way, and render every clause in it."""
        async with self.lock:
            self.privacy_config = PrivacyConfig(mode)
            await self.feature_contribution_runtime.prepare_and_refresh_all()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """One turn: the mode cannot change while it goes on."""
        async with self.lock:
            yield

    async def boot(self, feature: Any) -> Any:
        """Start with a feature, in the host's order. Whatever is raised ends the boot of the agent."""
        await self.enable(feature)
        await feature.post_all_features_loaded(self)
        await feature.on_agent_ready(self)
        return feature

    async def enable(self, feature: Any) -> None:
        """Let a feature begin, be it for the first time or again."""
        tools = [tool.name for tool in feature.get_tools()]
        assert len(set(tools)) == len(tools)
        contributed = validate_feature_contributions(
            feature.contribution_owner,
            tool_names=tuple(tools),
            services=tuple(feature.get_service_registrations()),
            wait_providers=tuple(feature.get_wait_provider_registrations()),
            workflows=tuple(feature.get_workflow_registrations()),
            permission_defaults=feature.get_feature_permission_defaults(),
            setup_steps=tuple(feature.get_setup_step_registrations()),
            context_clauses=tuple(feature.get_context_clause_registrations()),
        )
        await feature.initialize()
        self.features[feature.name] = feature
        self.feature_contribution_runtime.activate(feature, contributed.context_clauses)
        await feature.on_enable()
        feature.enabled = True

    async def disable(self, feature: Any) -> None:
        """Let a feature end; it is kept, and may be enabled again."""
        self.feature_contribution_runtime.deactivate(feature)
        await feature.on_disable()
        await feature.shutdown()
        feature.enabled = False

    async def use(self, tool: str, **args: Any) -> dict[str, Any]:
        """What a tool gives a model, in a turn of its own, as the host shows it: whole, or the test fails."""
        async with self.turn():
            return await asked(self.features["ProceduralSkillsFeature"], tool, **args)

    @property
    def prompt(self) -> str:
        """What the features say in the prompt of the next turn."""
        return "\n".join(each.body for each in self.feature_contribution_runtime.active_context_clauses() if each.body)

    def close(self) -> None:
        """Close what is open."""
        self.database.close()


async def asked(feature: Any, tool: str, *, cap: int = CAP, **args: Any) -> dict[str, Any]:
    """What a tool of a feature gives a model, as the host measures it: never more than it shows whole."""
    found = {each.name: each for each in feature.get_tools()}
    result = {**await found[tool].execute(**args), "tool": tool, "success": True}
    assert len(json.dumps(result)) <= cap
    assert result["status"] in {"ok", "partial", "error"}
    return result


def host_modules(patch: pytest.MonkeyPatch, home: Path, *, cap: int = CAP, tracking: Any = None) -> None:
    """Let the modules of the host that a feature looks for be there, as if it were running in one.

    They tell: which features an operator disabled, by `KESTREL_DISABLED_FEATURES` and `home/kestrel.toml`; that there
    is a bundled `SkillsFeature`; how long a result may be; the class of graph nodes; and which clauses the last prompt
    had, and had no room for.
    """

    def disabled() -> set[str]:
        names = {name.strip() for name in os.environ.get("KESTREL_DISABLED_FEATURES", "").split(",") if name.strip()}
        if (home / "kestrel.toml").exists():
            told = tomllib.loads((home / "kestrel.toml").read_text())
            names.update(told.get("features", {}).get("disabled", []))
        return names

    modules: Mapping[str, Mapping[str, Any]] = {
        "kestrel_sovereign": {"__path__": []},
        "kestrel_sovereign.features": {"__path__": [], "get_disabled_features": disabled},
        "kestrel_sovereign.features.skills": {},
        "kestrel_sovereign.kestrel_agent": {"MAX_TOOL_RESULT_CHARS": cap},
        "kestrel_sovereign.storage.async_graph_store": {"GraphNode": GraphNode},
        "kestrel_sovereign.agent.context_manager": {"get_current_injection_tracking": tracking or (lambda: None)},
    }
    for name, members in modules.items():
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        module.__dict__.update(members)
        patch.setitem(sys.modules, name, module)
