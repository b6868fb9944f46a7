"""Procedural skills for Kestrel Sovereign agents: the pure core, and its public names.

Knows nothing of disks, clocks, event loops, databases, HTTP or Kestrel. A name's home is imported when the name is
first asked for, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .domain.adapt import Adaptation
    from .domain.approval import ApprovalBinding
    from .domain.budget import Budget, Receipt
    from .domain.carry import Omitted
    from .domain.clause import Clause, render_clause
    from .domain.commands import (
        KEEP,
        Adapt,
        Create,
        Delete,
        Edit,
        Install,
        Keep,
        Preview,
        RemoveFile,
        SetState,
        Unadapt,
    )
    from .domain.document import Head, SkillDocument, examine
    from .domain.edit import Append, Change, Replace, Whole
    from .domain.errors import (
        Abandoned,
        BadDocument,
        BadName,
        BadPath,
        BadSource,
        Busy,
        Failed,
        GitFailed,
        Hidden,
        InDoubt,
        KeptAbsent,
        Moved,
        NotEditable,
        OtherDigest,
        OutOfRange,
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
        Unconditional,
        Unmatched,
        Withheld,
    )
    from .domain.fence import Fence
    from .domain.findings import Finding, Rule, Severity
    from .domain.git_address import CommitId, GitRef, GitUrl, git_ref, git_url
    from .domain.index_entry import IndexEntry
    from .domain.kept import KeptEntry, KeptListing
    from .domain.limits import LIMITS, Limits
    from .domain.names import (
        MARKER,
        Address,
        Generation,
        ResourcePath,
        Revision,
        SkillName,
        SourceId,
        new_generation,
        parse_address,
        resource_path,
        skill_name,
    )
    from .domain.offer import Glimpse, Offer, Package, Repository
    from .domain.owner import Owner
    from .domain.parcel import Parcel, packed
    from .domain.proposal import Judged, Proposal, judged
    from .domain.provenance import Adapted, Installed, Provenance
    from .domain.record import Rejection, Sighting, SkillRecord, SkillState, Subject
    from .domain.resolver import Catalog, Resolver, Survey
    from .domain.rewrite import Alteration
    from .domain.rules import RULES
    from .domain.search import search
    from .domain.state_row import Row, StateKey
    from .domain.tree import Content, Inventory, Item, SkillTree, Unlisted, folders_of, revision_of
    from .domain.verify import Difference, Verification
    from .ports.files import Published, SkillFiles
    from .ports.git import FoundSkill, GitSource
    from .ports.graph import EntryBarred, GraphIndex, IndexUnavailable
    from .ports.markdown import Markdown
    from .ports.mirror import Mirror
    from .ports.privacy import Held, Privacy
    from .ports.states import StateTable
    from .ports.store import Kept, SkillStore, Swept
    from .ports.world import Cancelled, Chance, Clock, Offload, Watcher
    from .service.adapting import Adapting
    from .service.indexing import Indexed
    from .service.installer import Arrival, Installation, Installer, Stock
    from .service.library import Deletion, Outcome, SkillLibrary
    from .service.observed import Observed
    from .service.queries import FileReading, Reading, Searched
    from .service.upkeep import Started

__all__ = [
    "KEEP",
    "LIMITS",
    "MARKER",
    "RULES",
    "Abandoned",
    "Adapt",
    "Adaptation",
    "Adapted",
    "Adapting",
    "Address",
    "Alteration",
    "Append",
    "ApprovalBinding",
    "Arrival",
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
    "CommitId",
    "Content",
    "Create",
    "Delete",
    "Deletion",
    "Difference",
    "Edit",
    "EntryBarred",
    "Failed",
    "Fence",
    "FileReading",
    "Finding",
    "FoundSkill",
    "Generation",
    "GitFailed",
    "GitRef",
    "GitSource",
    "GitUrl",
    "Glimpse",
    "GraphIndex",
    "Head",
    "Held",
    "Hidden",
    "InDoubt",
    "IndexEntry",
    "IndexUnavailable",
    "Indexed",
    "Install",
    "Installation",
    "Installed",
    "Installer",
    "Inventory",
    "Item",
    "Judged",
    "Keep",
    "Kept",
    "KeptAbsent",
    "KeptEntry",
    "KeptListing",
    "Limits",
    "Markdown",
    "Mirror",
    "Moved",
    "NotEditable",
    "Observed",
    "Offer",
    "Offload",
    "Omitted",
    "OtherDigest",
    "OutOfRange",
    "Outcome",
    "Owner",
    "Package",
    "Parcel",
    "Preview",
    "Privacy",
    "Proposal",
    "Provenance",
    "Published",
    "Reading",
    "Receipt",
    "Refused",
    "Rejection",
    "RemoveFile",
    "Replace",
    "Repository",
    "Resolver",
    "ResourcePath",
    "Revision",
    "Row",
    "Rule",
    "Searched",
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
    "Stock",
    "StoreFailed",
    "Subject",
    "Survey",
    "Swept",
    "SwitchedOff",
    "TooLarge",
    "Unadapt",
    "Unconditional",
    "Unlisted",
    "Unmatched",
    "Verification",
    "Watcher",
    "Whole",
    "Withheld",
    "examine",
    "folders_of",
    "git_ref",
    "git_url",
    "judged",
    "new_generation",
    "packed",
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
    ".domain.adapt": ("Adaptation",),
    ".domain.approval": ("ApprovalBinding",),
    ".domain.budget": ("Budget", "Receipt"),
    ".domain.carry": ("Omitted",),
    ".domain.clause": ("Clause", "render_clause"),
    ".domain.commands": (
        "KEEP",
        "Adapt",
        "Create",
        "Delete",
        "Edit",
        "Install",
        "Keep",
        "Preview",
        "RemoveFile",
        "SetState",
        "Unadapt",
    ),
    ".domain.document": ("Head", "SkillDocument", "examine"),
    ".domain.edit": ("Append", "Change", "Replace", "Whole"),
    ".domain.errors": (
        "Abandoned",
        "BadDocument",
        "BadName",
        "BadPath",
        "BadSource",
        "Busy",
        "Failed",
        "GitFailed",
        "Hidden",
        "InDoubt",
        "KeptAbsent",
        "Moved",
        "NotEditable",
        "OtherDigest",
        "OutOfRange",
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
        "Unconditional",
        "Unmatched",
        "Withheld",
    ),
    ".domain.fence": ("Fence",),
    ".domain.findings": ("Finding", "Rule", "Severity"),
    ".domain.git_address": ("CommitId", "GitRef", "GitUrl", "git_ref", "git_url"),
    ".domain.index_entry": ("IndexEntry",),
    ".domain.kept": ("KeptEntry", "KeptListing"),
    ".domain.limits": ("LIMITS", "Limits"),
    ".domain.names": (
        "MARKER",
        "Address",
        "Generation",
        "ResourcePath",
        "Revision",
        "SkillName",
        "SourceId",
        "new_generation",
        "parse_address",
        "resource_path",
        "skill_name",
    ),
    ".domain.offer": ("Glimpse", "Offer", "Package", "Repository"),
    ".domain.owner": ("Owner",),
    ".domain.parcel": ("Parcel", "packed"),
    ".domain.proposal": ("Judged", "Proposal", "judged"),
    ".domain.provenance": ("Adapted", "Installed", "Provenance"),
    ".domain.record": ("Rejection", "Sighting", "SkillRecord", "SkillState", "Subject"),
    ".domain.resolver": ("Catalog", "Resolver", "Survey"),
    ".domain.rewrite": ("Alteration",),
    ".domain.rules": ("RULES",),
    ".domain.search": ("search",),
    ".domain.state_row": ("Row", "StateKey"),
    ".domain.tree": ("Content", "Inventory", "Item", "SkillTree", "Unlisted", "folders_of", "revision_of"),
    ".domain.verify": ("Difference", "Verification"),
    ".ports.files": ("Published", "SkillFiles"),
    ".ports.git": ("FoundSkill", "GitSource"),
    ".ports.graph": ("EntryBarred", "GraphIndex", "IndexUnavailable"),
    ".ports.markdown": ("Markdown",),
    ".ports.mirror": ("Mirror",),
    ".ports.privacy": ("Held", "Privacy"),
    ".ports.states": ("StateTable",),
    ".ports.store": ("Kept", "SkillStore", "Swept"),
    ".ports.world": ("Cancelled", "Chance", "Clock", "Offload", "Watcher"),
    ".service.adapting": ("Adapting",),
    ".service.indexing": ("Indexed",),
    ".service.installer": ("Arrival", "Installation", "Installer", "Stock"),
    ".service.library": ("Deletion", "Outcome", "SkillLibrary"),
    ".service.observed": ("Observed",),
    ".service.queries": ("FileReading", "Reading", "Searched"),
    ".service.upkeep": ("Started",),
}
