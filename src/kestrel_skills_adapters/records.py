"""What the core knows, as the mappings that every door shows: command line and HTTP alike.

A translation and nothing else: no rule is decided here. Optional members are there only where they say something. The
shapes are those of `docs/cli.md`; what one of them needs beside the record stands in `Shown`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from attrs import frozen

from kestrel_skills_core.domain.adapt import Adaptation
from kestrel_skills_core.domain.clause import Clause, token_cost
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.names import SkillName
from kestrel_skills_core.domain.owner import Elsewhere, Owner
from kestrel_skills_core.domain.provenance import Provenance
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.text import escaped
from kestrel_skills_core.domain.tree import Inventory
from kestrel_skills_core.domain.verify import Verification
from kestrel_skills_core.domain.whereabouts import spelt
from kestrel_skills_core.service.observed import Observed

if TYPE_CHECKING:
    from kestrel_skills_core.service.installer import Installation, Stock

__all__ = [
    "Members",
    "Shown",
    "adaptation_members",
    "context_members",
    "error_members",
    "finding_members",
    "inventory_members",
    "owner_members",
    "verification_members",
]

Members = dict[str, Any]
"""A JSON object."""


@frozen
class Shown:
    """For whom, and beside which clause, records are shown."""

    agent: str
    included: Collection[SkillName]

    def catalog(self, observed: Observed, clause: Clause) -> Members:
        """The whole catalog: skills in catalog order, rejected folders, problems of sources, and the clause."""
        catalog = observed.catalog
        hidden = {} if observed.hidden is None else {"hidden": error_members(observed.hidden)}
        return {
            "skills": [self.record(record) for record in catalog.records],
            "rejected": [self.rejection(rejection) for rejection in catalog.rejected],
            "count": len(catalog.records),
            "problems": [{"source": source.value, **error_members(problem)} for source, problem in catalog.problems],
            "enablement_available": observed.unavailable is None,
            "enablement_error": None if observed.unavailable is None else error_members(observed.unavailable),
            "context": context_members(clause),
            **hidden,
        }

    def found(self, found: SkillRecord | Rejection) -> Members:
        """A skill or a rejected folder."""
        return self.record(found) if isinstance(found, SkillRecord) else self.rejection(found)

    def record(self, record: SkillRecord, *, resolves: bool = True) -> Members:
        """One skill; `resolves` false for one that is shadowed or held back, which is never in the clause."""
        binding = record.delete_binding(self.agent)
        members: Members = {
            "name": record.name,
            "description": record.description,
            "enabled": record.enabled,
            "priority": record.priority,
            "token_cost": token_cost(record),
            "context_included": resolves and record.name in self.included,
            "source": record.source.value,
            "editable": record.editable,
            "deletable": binding is not None,
            "revision": record.revision,
            "etag": record.etag,
            "delete_revision": None if binding is None else binding.token,
            "shadowed": [self.record(loser, resolves=False) for loser in record.shadowed],
        }
        optional = {"source_root": record.root, "edited": record.edited, "pin": record.state.pin}
        members |= {key: value for key, value in optional.items() if value is not None}
        if record.provenance is not None:
            members["provenance"] = _provenance_members(record.provenance)
        return members

    def rejection(self, rejection: Rejection) -> Members:
        """One folder that is no skill yet; `name` is its label where its name is no skill name."""
        binding = rejection.delete_binding(self.agent)
        held = rejection.holds_back
        return {
            "name": rejection.label,
            "source": rejection.source.value,
            "faults": [finding_members(fault) for fault in rejection.faults],
            "delete_revision": None if binding is None else binding.token,
            "adaptable": rejection.adaptable,
            "holds_back": None if held is None else self.record(held, resolves=False),
        }


def finding_members(finding: Finding) -> Members:
    """One finding; line and column are 0 where the whole file or folder is meant."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "message": finding.message,
        "fix": finding.fix,
    }


def context_members(clause: Clause) -> Members:
    """The clause and its receipt: the names that are in and left out, in order."""
    return {
        "text": clause.text,
        "included": list(clause.included),
        "omitted": list(clause.omitted),
        "bytes": clause.receipt.bytes,
        "budget": clause.receipt.budget,
    }


def inventory_members(inventory: Inventory) -> list[Members]:
    """The files of one skill, in path order."""
    return [
        {"path": item.path, "bytes": item.size, "sha256": item.sha256.hex(), "executable": item.executable}
        for item in inventory
    ]


def adaptation_members(adaptation: Adaptation) -> Members:
    """What adapting changes, the weighty first, and which files it leaves out."""
    return {
        "changes": [{"text": change.text, "loses": change.loses} for change in adaptation.changes],
        "omitted": [{"path": omitted.path, "why": omitted.why} for omitted in adaptation.omitted],
    }


def verification_members(verification: Verification) -> Members:
    """How a folder compares with its record, and how its adaptation can be undone, if it was adapted."""
    members: Members = {"verdict": verification.verdict}
    if verification.unread is not None:
        members["unread"] = finding_members(verification.unread)
    if verification.provenance is not None:
        members["provenance"] = _provenance_members(verification.provenance)
    if verification.differences is not None:
        members["differences"] = [{"path": each.path, "what": each.what} for each in verification.differences]
    if verification.record is not None:
        record = verification.record
        members["adapted"] = {
            "state": verification.adaptation,
            "changes": list(record.changes),
            "omitted": list(record.omitted),
            "frontmatter": record.frontmatter,
        }
    return members


def stock_members(stock: Stock) -> Members:
    """The skills of a repository; the top's folder is `.`."""
    skills = [
        {"folder": spelt(each.folder), "name": each.name, "description": each.description, "needs": each.needs}
        for each in stock.skills
    ]
    repository = stock.repository
    return {"url": repository.url, "ref": repository.ref, "commit": stock.commit, "skills": skills}


def installation_members(installation: Installation, shown: Shown) -> Members:
    """A skill as it would land; where it is refused, there is no `digest`, and `adaptation` is what would be done."""
    offer, then = installation.offer, installation.then
    folder = {} if offer.origin.subpath is None else {"subpath": offer.origin.subpath}
    return {
        "name": offer.name,
        "description": offer.description,
        "provenance": _provenance_members(offer.origin) | folder,
        "digest": offer.digest,
        "files": inventory_members(offer.files),
        "left_out": list(offer.left_out),
        "pointers": list(offer.pointers),
        "findings": [finding_members(finding) for finding in offer.findings],
        "adaptation": None if offer.adaptation is None else adaptation_members(offer.adaptation),
        "taken": None if installation.taken is None else shown.found(installation.taken),
        "then": None if then is None else shown.found(then),
        "problems": [error_members(problem) for problem in installation.problems],
    }


def owner_members(owner: Owner, elsewhere: Elsewhere | None, fix: str) -> Members:
    """Whose a root is, and whether what was asked is what its host sees; if not, what is the case and what asks it."""
    members: Members = {"agent": owner.agent, "table": owner.table, "asked": elsewhere is None}
    if owner.file:
        members["file"] = owner.file
    return members if elsewhere is None else members | {"message": str(elsewhere), "fix": fix}


def error_members(error: SkillError) -> Members:
    """An error: a stable code, one line of text, and what to do."""
    return {"code": error.code, "message": str(error), "fix": error.fix}


def _provenance_members(provenance: Provenance) -> Members:
    members = {"kind": provenance.kind, "url": provenance.url, "commit": provenance.commit, "ref": provenance.ref}
    return {key: escaped(value) for key, value in members.items() if value is not None}
