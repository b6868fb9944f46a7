"""Procedural skills for Kestrel Sovereign agents: the pure core, and its public names.

Knows nothing of disks, clocks, event loops, databases, HTTP or Kestrel. The modules behind the names are imported
when the first name is asked for, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .domain.approval import ApprovalBinding
    from .domain.budget import Budget, Receipt
    from .domain.clause import Clause, render_clause
    from .domain.commands import SetState
    from .domain.document import Head, SkillDocument
    from .domain.errors import (
        BadDocument,
        BadName,
        BadPath,
        BadSource,
        Busy,
        Failed,
        InDoubt,
        Moved,
        NotEditable,
        Refused,
        SkillAbsent,
        SkillError,
        SkillExists,
        SourceUnavailable,
        StaleRevision,
        StateUnavailable,
        StoreFailed,
        TooLarge,
        Unapproved,
        Withheld,
    )
    from .domain.findings import Finding, Rule, Severity
    from .domain.limits import LIMITS, Limits
    from .domain.names import (
        Address,
        Generation,
        ResourcePath,
        Revision,
        SkillName,
        SourceId,
        parse_address,
        resource_path,
        skill_name,
    )
    from .domain.provenance import Adapted, Provenance
    from .domain.record import Rejection, Sighting, SkillRecord, SkillState, Subject
    from .domain.resolver import Catalog, Resolver, Survey
    from .domain.rules import RULES
    from .domain.search import search
    from .domain.state_row import Row, StateKey
    from .domain.tree import Content, Inventory, Item, SkillTree, Unlisted, revision_of
    from .ports.files import Published, SkillFiles
    from .ports.markdown import Markdown
    from .ports.states import StateTable
    from .ports.world import Cancelled, Chance, Clock, Offload, Watcher
    from .service.library import Reading, SkillLibrary
    from .service.observed import Observed

__all__ = [
    "LIMITS",
    "RULES",
    "Adapted",
    "Address",
    "ApprovalBinding",
    "BadDocument",
    "BadName",
    "BadPath",
    "BadSource",
    "Budget",
    "Busy",
    "Cancelled",
    "Catalog",
    "Chance",
    "Clause",
    "Clock",
    "Content",
    "Failed",
    "Finding",
    "Generation",
    "Head",
    "InDoubt",
    "Inventory",
    "Item",
    "Limits",
    "Markdown",
    "Moved",
    "NotEditable",
    "Observed",
    "Offload",
    "Provenance",
    "Published",
    "Reading",
    "Receipt",
    "Refused",
    "Rejection",
    "Resolver",
    "ResourcePath",
    "Revision",
    "Row",
    "Rule",
    "SetState",
    "Severity",
    "Sighting",
    "SkillAbsent",
    "SkillDocument",
    "SkillError",
    "SkillExists",
    "SkillFiles",
    "SkillLibrary",
    "SkillName",
    "SkillRecord",
    "SkillState",
    "SkillTree",
    "SourceId",
    "SourceUnavailable",
    "StaleRevision",
    "StateKey",
    "StateTable",
    "StateUnavailable",
    "StoreFailed",
    "Subject",
    "Survey",
    "TooLarge",
    "Unapproved",
    "Unlisted",
    "Watcher",
    "Withheld",
    "parse_address",
    "render_clause",
    "resource_path",
    "revision_of",
    "search",
    "skill_name",
]


def __getattr__(name: str) -> object:
    """Import the public names when the first of them is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for home in _HOMES:
        module = import_module(home, __name__)
        globals().update((public, getattr(module, public)) for public in module.__all__ if public in __all__)
    return globals()[name]


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)


_HOMES = (
    ".domain.approval",
    ".domain.budget",
    ".domain.clause",
    ".domain.commands",
    ".domain.document",
    ".domain.errors",
    ".domain.findings",
    ".domain.limits",
    ".domain.names",
    ".domain.provenance",
    ".domain.record",
    ".domain.resolver",
    ".domain.rules",
    ".domain.search",
    ".domain.state_row",
    ".domain.tree",
    ".ports.files",
    ".ports.markdown",
    ".ports.states",
    ".ports.world",
    ".service.library",
    ".service.observed",
)
