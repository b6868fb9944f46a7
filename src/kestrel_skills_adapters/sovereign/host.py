"""Everything that is asked of the host's agent: the one module that knows what a Kestrel Sovereign agent looks like.

The SDK promises none of it, so that each thing is looked for by its name, and may be missing: what is lost then stands
in `Host.lacks`. Names and behaviour are those of kestrel-sovereign 0.53 to 0.55.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from attrs import field, frozen

from kestrel_skills_core.domain.errors import Busy, Hidden
from kestrel_skills_core.ports.privacy import Held, Privacy

from ..wiring import hosted_enablement

__all__ = ["BUNDLED", "CLAUSE", "Host", "HostPrivacy", "Unpublished"]

BUNDLED: Final = "SkillsFeature"
"""The feature that the host bundles, and that claims some of our names."""

CLAUSE: Final = "procedural-skills"
"""The name of our context clause, unique in an agent."""

_ROOM: Final = 8_000
_LEAST: Final = 7_000
"""Below this an answer of ours may not fit; an operator who allows less sees it cut in two, and `lacks` says so."""
_LOCK: Final = "_get_privacy_transition_lock"
_ISOLATION: Final = "kestrel_sovereign.security.demo_isolation"
_RUNTIME: Final = "feature_contribution_runtime"
_REFRESH: Final = "refresh_feature_context_clauses"
_VOLATILE: Final = ("is_ephemeral", "uses_temp_storage", "requires_deidentification")
"""What a privacy configuration is asked: any of them hides what is kept."""


class Unpublished(Exception):
    """The host did not take a new context clause; the agent's prompt has the old one, or none."""


@frozen(eq=False)
class HostPrivacy(Privacy):
    """The privacy mode of an agent, and the lock that a change of it holds; see `tests/contracts/test_privacy.py`.

    A turn holds the lock from its first to its last step, and what runs in it enters again at once. Whatever else asks
    waits `wait` seconds at most. Where nobody can say the mode, all is hidden.
    """

    agent: object
    wait: float = 5.0

    def hidden(self) -> Hidden | None:
        """Why nothing kept may be seen; see the port."""
        try:
            config = _config(self.agent)
            if config is None:
                return Hidden()
            told = [getattr(config, name, None) for name in _VOLATILE]
            if any(callable(ask) and ask() for ask in told):
                return Hidden(_mode(self.agent))
            return None if any(callable(ask) for ask in told) else Hidden()
        except Exception:  # noqa: BLE001 - whatever it is, nobody could say the mode
            return Hidden()

    def held(self) -> Held:
        """Hold the mode; see the port. Entered in the caller's own task, as the lock knows its holder by it."""
        return _HeldMode(self)

    @asynccontextmanager
    async def unchanged(self, wait: float | None) -> AsyncIterator[None]:
        """Hold whatever mode there is, be it one that hides; no number of seconds waits for ever.

        Raises:
            Busy: It could not be held in time; or not at all, as the host's lock cannot be had.
        """
        lock = self._lock()
        if lock is None:
            yield
            return
        try:
            async with asyncio.timeout(wait):
                await lock.__aenter__()
        except TimeoutError:
            raise Busy("the agent", by="a turn of its own") from None
        try:
            yield
        finally:
            await lock.__aexit__(None, None, None)

    @property
    def has_lock(self) -> bool:
        """Whether the host lets its mode be held."""
        try:
            return self._lock() is not None
        except Busy:
            return False

    def _lock(self) -> Any | None:
        getter = _asked(self.agent, _LOCK)
        try:
            return getter() if callable(getter) else None
        except Exception as error:
            raise Busy("the agent", by="a privacy mode that cannot be held") from error


@frozen(eq=False)
class _HeldMode(Held):
    privacy: HostPrivacy
    _holding: AsyncExitStack = field(factory=AsyncExitStack, init=False)

    async def __aenter__(self) -> None:
        async with AsyncExitStack() as holding:
            await holding.enter_async_context(self.privacy.unchanged(self.privacy.wait))
            hidden = self.privacy.hidden()
            if hidden is not None:
                raise hidden
            self._holding.push_async_exit(holding.pop_all())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        await self._holding.__aexit__(kind, error, trace)


@frozen(eq=False)
class Host:
    """One agent of the host."""

    agent: Any

    @property
    def did(self) -> str:
        """Whose skills they are; empty where the agent has no identity yet."""
        for name in ("did", "agent_id"):
            value = _asked(self.agent, name)
            if isinstance(value, str) and value:
                return value
        return ""

    @property
    def root(self) -> Path | None:
        """The folder of the agent's own skills, in its data folder; none where the agent has no data folder.

        The places where the 0.1.0 release looked, in its order.
        """
        named = _asked(self.agent, "procedural_skills_root")
        if isinstance(named, str | os.PathLike) and os.fspath(named):
            return Path(os.path.abspath(named))  # noqa: PTH100 - without following links
        for holder in ("bootstrap_service", "context_builder"):
            data = _asked(_asked(self.agent, holder), "agent_data_path")
            if isinstance(data, str | os.PathLike) and os.fspath(data):
                return Path(os.path.abspath(data)) / "skills"  # noqa: PTH100 - the same
        database = _asked(self.agent, "storage_path")
        if isinstance(database, str | os.PathLike) and os.fspath(database) not in ("", ":memory:"):
            return Path(os.path.abspath(database)).parent / "skills"  # noqa: PTH100 - the same
        return None

    def database(self) -> Any | None:
        """The agent's database handle, as it is now; none where it has none."""
        if (database := _asked(_asked(self.agent, "_raw_storage"), "db")) is not None:
            return database
        storage = _asked(self.agent, "storage")
        # Of a storage, what it holds itself: a wrapper's own properties of these names only warn.
        held = vars(storage) if hasattr(storage, "__dict__") else {}
        if (database := _asked(held.get("_storage"), "db")) is not None:
            return database
        return next((held[name] for name in ("database", "db", "_db") if held.get(name) is not None), None)

    @property
    def database_file(self) -> str | None:
        """The file of the agent's SQLite database; nothing where it has a server, and empty where nobody can tell."""
        database = self.database()
        if _asked(database, "backend_type") == "postgres":
            return None
        path = _asked(_asked(database, "backend"), "db_path")
        return os.fspath(path) if isinstance(path, str | os.PathLike) else ""

    def graph(self) -> Any | None:
        """The agent's graph, through the storage that guards its privacy; none where it has none."""
        storage = _asked(self.agent, "storage")
        return storage if callable(_asked(storage, "compare_and_swap_node")) else None

    @property
    def node_type(self) -> Callable[..., Any] | None:
        """The host's own class of graph nodes."""
        return getattr(sys.modules.get("kestrel_sovereign.storage.async_graph_store"), "GraphNode", None)

    @property
    def privacy(self) -> HostPrivacy:
        """The agent's privacy mode."""
        return HostPrivacy(self.agent)

    @property
    def publishes(self) -> bool:
        """Whether the host takes a new context clause while an agent runs, and says which one it has."""
        told = (_asked(_asked(self.agent, _RUNTIME), name) for name in ("is_active", "active_context_clauses"))
        return all(map(callable, (*told, _asked(self.agent, _REFRESH))))

    def published(self, feature: Any) -> str | None:
        """Our context clause as the agent's prompt has it; nothing while we are not active, or that cannot be told."""
        if not self.publishes:
            return None
        runtime = _asked(self.agent, _RUNTIME)
        try:
            if runtime.is_active(feature):
                for clause in runtime.active_context_clauses():
                    if (clause.owner, clause.name) == (feature.contribution_owner, CLAUSE):
                        return str(clause.body)
        except Exception:  # noqa: BLE001 - a host that tells otherwise tells nothing
            return None
        return None

    def is_active(self, feature: object) -> bool:
        """Whether the host has the feature at work, so that what was collected from it holds."""
        ask = _asked(_asked(self.agent, _RUNTIME), "is_active")
        try:
            return bool(callable(ask) and ask(feature))
        except Exception:  # noqa: BLE001 - a host that cannot say has it not
            return False

    def publish(self, feature: object) -> None:
        """Have the host render our context clause again, while it is held that its privacy mode does not change.

        Raises:
            Unpublished: It refused.
        """
        try:
            _asked(self.agent, _REFRESH)(feature)
        except Exception as error:
            raise Unpublished(type(error).__name__) from error

    @property
    def guard(self) -> Callable[[Any], Awaitable[None]] | None:
        """What the host demands of a request that destroys; none where there is no host.

        Raises:
            ImportError, AttributeError: There is a host, and nobody knows what it demands.
        """
        if "kestrel_sovereign" not in sys.modules:
            return None
        demanded: Callable[[Any], Awaitable[None]] = import_module(_ISOLATION).enforce_destructive_op
        return demanded

    @property
    def room(self) -> int:
        """How many characters of JSON a tool's result may have; the host cuts what is longer in two."""
        return max(self._cap, _LEAST)

    @property
    def _cap(self) -> int:
        told = getattr(sys.modules.get("kestrel_sovereign.kestrel_agent"), "MAX_TOOL_RESULT_CHARS", _ROOM)
        return told if type(told) is int else _ROOM

    @property
    def leaves_clause_out(self) -> bool | None:
        """Whether the prompt of the turn that asks had no room for our clause; nothing where no turn asks."""
        module = sys.modules.get("kestrel_sovereign.agent.context_manager")
        try:
            told = getattr(module, "get_current_injection_tracking", lambda: None)()
            if told is None:
                return None
            put_in, left_out = (tuple(names or ()) for names in told)
        except Exception:  # noqa: BLE001 - a host that tells otherwise tells nothing
            return None
        return CLAUSE in left_out if CLAUSE in (*put_in, *left_out) else None

    @property
    def lacks(self) -> tuple[str, ...]:
        """What this host does not offer, and what that means, where nothing fails by it that would say so."""
        hidden = self.privacy.hidden()
        found = {
            "it cannot say a privacy mode, so that everything is hidden": hidden is None or hidden.mode != "",
            "its privacy mode cannot be held, so that a change of it may overtake a write": self.privacy.has_lock,
            "it cannot refresh a context clause, so that the prompt follows at the next start only": self.publishes,
            f"it shows a model less than {_LEAST:,} characters of an answer, and long ones in part": self._cap
            >= _LEAST,
        }
        return tuple(lack for lack, is_there in found.items() if not is_there)

    @property
    def has_bundled(self) -> bool:
        """Whether the host's own `SkillsFeature` is, or will be, loaded beside us; true where nobody can tell.

        What the host itself goes by when it starts an agent: its configuration, the agent's profile, and what the agent
        switched on and off since. To be asked before anything is collected from features.
        """
        features = sys.modules.get("kestrel_sovereign.features")
        if features is None or find_spec("kestrel_sovereign.features.skills") is None:
            return False
        loaded = _asked(self.agent, "features")
        if isinstance(loaded, Mapping) and BUNDLED in loaded:
            return _asked(loaded[BUNDLED], "enabled") is not False
        if BUNDLED in features.get_disabled_features():
            return False
        profile = _asked(self.agent, "_allowed_features")
        backend = _asked(self.database(), "backend")
        changes = hosted_enablement(_asked(backend, "db_path"), _asked(backend, "_dsn"), self.did)
        if changes is None:
            return True
        is_in_profile = profile is None or BUNDLED in profile
        return changes.get(BUNDLED, "enabled" if is_in_profile else "disabled") == "enabled"


def _asked(holder: object, name: str) -> Any:
    """What something of the host has under a name; nothing where it has none, or raises instead."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - a property of the host may raise what it likes
        return None


def _config(agent: object) -> Any | None:
    """The privacy configuration, where any of the agent and its storages knows it."""
    for holder in (agent, _asked(agent, "storage"), _asked(agent, "_raw_storage")):
        config = _asked(holder, "privacy_config")
        if config is not None:
            return config
    return None


def _mode(agent: object) -> str:
    mode = _asked(agent, "privacy_mode")
    value = _asked(mode, "value") or mode
    return value if isinstance(value, str) and value else "one that hides"
