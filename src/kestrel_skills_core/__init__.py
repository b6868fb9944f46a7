"""Procedural skills for Kestrel Sovereign agents: the pure core, and its public names.

Knows nothing of disks, clocks, event loops, databases, HTTP or Kestrel. A name's home is imported when the name is
first asked for, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .domain.approval import ApprovalBinding
    from .domain.budget import Budget, Receipt
    from .domain.clause import Clause, render_clause
    from .domain.commands import Create, Delete, Edit, RemoveFile, SetState
    from .domain.document import Head, SkillDocument
    from .domain.edit import Append, Change, Replace, Whole
    from .domain.errors import (
        BadDocument,
        BadName,
        BadPath,
        BadSource,
        Busy,
        Failed,
        InDoubt,
        KeptAbsent,
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
        SwitchedOff,
        TooLarge,
        Unapproved,
        Unconditional,
        Unmatched,
        Withheld,
    )
    from .domain.fence import Fence
    from .domain.findings import Finding, Rule, Severity
    from .domain.kept import KeptEntry, KeptListing
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
    from .ports.store import Kept, SkillStore, Swept
    from .ports.world import Cancelled, Chance, Clock, Offload, Watcher
    from .service.library import Deletion, FileReading, Outcome, Reading, SkillLibrary
    from .service.observed import Observed
    from .service.upkeep import Started

__all__ = [
    "LIMITS",
    "RULES",
    "Adapted",
    "Address",
    "Append",
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
    "Change",
    "Clause",
    "Clock",
    "Content",
    "Create",
    "Delete",
    "Deletion",
    "Edit",
    "Failed",
    "Fence",
    "FileReading",
    "Finding",
    "Generation",
    "Head",
    "InDoubt",
    "Inventory",
    "Item",
    "Kept",
    "KeptAbsent",
    "KeptEntry",
    "KeptListing",
    "Limits",
    "Markdown",
    "Moved",
    "NotEditable",
    "Observed",
    "Offload",
    "Outcome",
    "Provenance",
    "Published",
    "Reading",
    "Receipt",
    "Refused",
    "Rejection",
    "RemoveFile",
    "Replace",
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
    "SkillStore",
    "SkillTree",
    "SourceId",
    "SourceUnavailable",
    "StaleRevision",
    "Started",
    "StateKey",
    "StateTable",
    "StateUnavailable",
    "StoreFailed",
    "Subject",
    "Survey",
    "Swept",
    "SwitchedOff",
    "TooLarge",
    "Unapproved",
    "Unconditional",
    "Unlisted",
    "Unmatched",
    "Watcher",
    "Whole",
    "Withheld",
    "parse_address",
    "render_clause",
    "resource_path",
    "revision_of",
    "search",
    "skill_name",
]


def __getattr__(name: str) -> object:
    """Import a public name from its home when it is first asked for."""
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)


_HOMES = {
    ".domain.approval": ("ApprovalBinding",),
    ".domain.budget": ("Budget", "Receipt"),
    ".domain.clause": ("Clause", "render_clause"),
    ".domain.commands": ("Create", "Delete", "Edit", "RemoveFile", "SetState"),
    ".domain.document": ("Head", "SkillDocument"),
    ".domain.edit": ("Append", "Change", "Replace", "Whole"),
    ".domain.errors": (
        "BadDocument",
        "BadName",
        "BadPath",
        "BadSource",
        "Busy",
        "Failed",
        "InDoubt",
        "KeptAbsent",
        "Moved",
        "NotEditable",
        "Refused",
        "SkillAbsent",
        "SkillError",
        "SkillExists",
        "SourceUnavailable",
        "StaleRevision",
        "StateUnavailable",
        "StoreFailed",
        "SwitchedOff",
        "TooLarge",
        "Unapproved",
        "Unconditional",
        "Unmatched",
        "Withheld",
    ),
    ".domain.fence": ("Fence",),
    ".domain.findings": ("Finding", "Rule", "Severity"),
    ".domain.kept": ("KeptEntry", "KeptListing"),
    ".domain.limits": ("LIMITS", "Limits"),
    ".domain.names": (
        "Address",
        "Generation",
        "ResourcePath",
        "Revision",
        "SkillName",
        "SourceId",
        "parse_address",
        "resource_path",
        "skill_name",
    ),
    ".domain.provenance": ("Adapted", "Provenance"),
    ".domain.record": ("Rejection", "Sighting", "SkillRecord", "SkillState", "Subject"),
    ".domain.resolver": ("Catalog", "Resolver", "Survey"),
    ".domain.rules": ("RULES",),
    ".domain.search": ("search",),
    ".domain.state_row": ("Row", "StateKey"),
    ".domain.tree": ("Content", "Inventory", "Item", "SkillTree", "Unlisted", "revision_of"),
    ".ports.files": ("Published", "SkillFiles"),
    ".ports.markdown": ("Markdown",),
    ".ports.states": ("StateTable",),
    ".ports.store": ("Kept", "SkillStore", "Swept"),
    ".ports.world": ("Cancelled", "Chance", "Clock", "Offload", "Watcher"),
    ".service.library": ("Deletion", "FileReading", "Outcome", "Reading", "SkillLibrary"),
    ".service.observed": ("Observed",),
    ".service.upkeep": ("Started",),
}
