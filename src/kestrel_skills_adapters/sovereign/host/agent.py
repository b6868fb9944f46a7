"""What is asked of the host's agent: who it is, what it has, and what its prompt has of us."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from ...wiring import hosted_enablement
from .asked import asked
from .privacy import HostPrivacy

__all__ = ["BUNDLED", "CLAUSE", "Host", "Unpublished"]

BUNDLED: Final = "SkillsFeature"
"""The feature that the host bundles, and that claims some of our names."""

CLAUSE: Final = "procedural-skills"
"""The name of our context clause, unique in an agent."""

_ROOM: Final = 8_000
_LEAST: Final = 7_000
"""Below this an answer of ours may not fit; an operator who allows less sees it cut in two, and `lacks` says so."""
_ISOLATION: Final = "kestrel_sovereign.security.demo_isolation"
_RUNTIME: Final = "feature_contribution_runtime"
_REFRESH: Final = "refresh_feature_context_clauses"
_CHANGES: Final = "_feature_enablement_store"


class Unpublished(Exception):
    """The host did not take a new context clause; the agent's prompt has the old one, or none."""


@frozen(eq=False)
class Host:
    """One agent of the host."""

    agent: Any

    @property
    def did(self) -> str:
        """Whose skills they are; empty where the agent has no identity yet."""
        for name in ("did", "agent_id"):
            value = asked(self.agent, name)
            if isinstance(value, str) and value:
                return value
        return ""

    @property
    def root(self) -> Path | None:
        """The folder of the agent's own skills, in its data folder; none where the agent has no data folder.

        The places where the 0.1.0 release looked, in its order.
        """
        named = asked(self.agent, "procedural_skills_root")
        if isinstance(named, str | os.PathLike) and os.fspath(named):
            return Path(os.path.abspath(named))  # noqa: PTH100 - without following links
        for holder in ("bootstrap_service", "context_builder"):
            data = asked(asked(self.agent, holder), "agent_data_path")
            if isinstance(data, str | os.PathLike) and os.fspath(data):
                return Path(os.path.abspath(data)) / "skills"  # noqa: PTH100 - the same
        database = asked(self.agent, "storage_path")
        if isinstance(database, str | os.PathLike) and os.fspath(database) not in ("", ":memory:"):
            return Path(os.path.abspath(database)).parent / "skills"  # noqa: PTH100 - the same
        return None

    def database(self) -> Any | None:
        """The agent's database handle, as it is now; none where it has none."""
        if (database := asked(asked(self.agent, "_raw_storage"), "db")) is not None:
            return database
        storage = asked(self.agent, "storage")
        # Of a storage, what it holds itself: a wrapper's own properties of these names only warn.
        held = vars(storage) if hasattr(storage, "__dict__") else {}
        if (database := asked(held.get("_storage"), "db")) is not None:
            return database
        return next((held[name] for name in ("database", "db", "_db") if held.get(name) is not None), None)

    @property
    def database_file(self) -> str | None:
        """The file of the agent's SQLite database; nothing where it has a server, and empty where nobody can tell."""
        database = self.database()
        if asked(database, "backend_type") == "postgres":
            return None
        path = asked(asked(database, "backend"), "db_path")
        return os.fspath(path) if isinstance(path, str | os.PathLike) else ""

    def graph(self) -> Any | None:
        """The agent's graph, through the storage that guards its privacy; none where it has none."""
        storage = asked(self.agent, "storage")
        return storage if callable(asked(storage, "compare_and_swap_node")) else None

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
        told = (asked(asked(self.agent, _RUNTIME), name) for name in ("is_active", "active_context_clauses"))
        return all(map(callable, (*told, asked(self.agent, _REFRESH))))

    def published(self, feature: Any) -> str | None:
        """Our context clause as the agent's prompt has it; nothing while we are not active, or that cannot be told."""
        if not self.publishes:
            return None
        runtime = asked(self.agent, _RUNTIME)
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
        ask = asked(asked(self.agent, _RUNTIME), "is_active")
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
            asked(self.agent, _REFRESH)(feature)
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
    def has_bundled(self) -> bool | None:
        """Whether the host's own `SkillsFeature` is, or will be, loaded beside us; nothing where nobody can tell.

        What the host itself goes by when it starts an agent: its configuration, the agent's profile, and what the agent
        switched on and off since. To be asked before anything is collected from features.
        """
        features = sys.modules.get("kestrel_sovereign.features")
        if features is None or find_spec("kestrel_sovereign.features.skills") is None:
            return False
        loaded = asked(self.agent, "features")
        if isinstance(loaded, Mapping) and BUNDLED in loaded:
            return asked(loaded[BUNDLED], "enabled") is not False
        if BUNDLED in features.get_disabled_features():
            return False
        profile = asked(self.agent, "_allowed_features")
        changes: Mapping[str, str] | None = {}  # which the host goes by, too, where it could not open what it keeps
        if getattr(self.agent, _CHANGES, self) is not None:
            backend = asked(self.database(), "backend")
            changes = hosted_enablement(asked(backend, "db_path"), asked(backend, "_dsn"), self.did)
        if changes is None:
            return None
        is_in_profile = profile is None or BUNDLED in profile
        return changes.get(BUNDLED, "enabled" if is_in_profile else "disabled") == "enabled"
