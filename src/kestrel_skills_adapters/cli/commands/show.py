"""`show`: everything that is known about one skill, or about one folder that is none."""

from __future__ import annotations

from collections.abc import Iterator

import click

from kestrel_skills_core.domain.clause import token_cost
from kestrel_skills_core.domain.errors import SkillAbsent
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.names import Address
from kestrel_skills_core.domain.provenance import Provenance
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.text import counted
from kestrel_skills_core.service.observed import Observed

from ...records import Shown, finding_members, inventory_members
from ..catalog import note_problems, worst
from ..completion import addresses
from ..invocation import BUDGET, OUTPUT, WHERE, accepts, of
from ..owned import owned

__all__ = ["command"]

Line = tuple[str, str]


@click.command("show", short_help="Show everything about one skill.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.argument("name", metavar="NAME[@SOURCE]", shell_complete=addresses)
@click.pass_context
def command(context: click.Context, name: str) -> int:
    """Show everything about one skill or rejected folder: state, files, where it is from, what it shadows, findings."""
    invocation = of(context)
    screen = invocation.screen()
    session = invocation.session()
    address = session.address(name)
    observed = session.observe()
    whose = owned(invocation, session)
    found = _find(observed, address)
    findings = session.checks(address, found)
    if invocation.json:
        shown = Shown(session.library.agent, observed.clause(session.library.budget).included)
        members = {"inventory": inventory_members(found.inventory), "findings": [*map(finding_members, findings)]}
        screen.members(shown.found(found) | members | whose.members)
    else:
        lines = [*_lines(found), *_files(found), *_findings(findings, apart=screen.is_terminal)]
        width = max(len(label) for label, _ in lines) + 2
        for label, text in lines:
            screen.line(f"{label:{width}}{text}".rstrip())
    note_problems(screen, session, observed)
    whose.note(screen)
    return worst(observed)


def _find(observed: Observed, address: Address) -> SkillRecord | Rejection:
    """What an address means; where it means nothing, a source that could not be read is the better answer."""
    try:
        return observed.catalog.find(address)
    except SkillAbsent as absent:
        unread = next((problem for _, problem in observed.catalog.problems), absent)
        raise unread from None


def _lines(found: SkillRecord | Rejection) -> Iterator[Line]:
    if isinstance(found, Rejection):
        yield "name", found.label
        yield "state", f"rejected, {len(found.faults)} to mend"
        yield "source", found.source
        if found.holds_back is not None:
            yield "holds back", f"{found.holds_back.name}@{found.holds_back.source}"
        return
    yield "name", found.name
    yield "description", found.description
    yield "state", _state(found)
    yield "source", found.source
    yield "priority", str(found.priority)
    yield "tokens", str(token_cost(found))
    yield "revision", found.revision
    if found.provenance is not None:
        yield "provenance", _provenance(found.provenance, edited=found.edited)
    for loser in found.shadowed:
        yield "shadows", f"{loser.name}@{loser.source}"


def _state(record: SkillRecord) -> str:
    if record.enabled:
        return "on" if record.state.pin is None else "on, pinned to this revision"
    return "off: what was switched on is not what is here now; enable it again" if record.lapsed else "off"


def _provenance(provenance: Provenance, *, edited: bool | None) -> str:
    parts = [provenance.kind, provenance.url, provenance.commit, provenance.ref and f"({provenance.ref})"]
    parts += [] if edited is None else ["edited here" if edited else "as installed"]
    return " ".join(part for part in parts if part)


def _files(found: SkillRecord | Rejection) -> Iterator[Line]:
    for number, item in enumerate(found.inventory):
        executable = ", executable" if item.executable else ""
        yield "" if number else "files", f"{item.path} ({counted(item.size, 'byte')}{executable})"


def _findings(findings: tuple[Finding, ...], *, apart: bool) -> Iterator[Line]:
    """Each finding with its fix, which may stand apart, on a line of its own."""
    for number, finding in enumerate(findings):
        fix = f"fix: {finding.fix}"
        yield "" if number else "findings", str(finding) if apart else f"{finding}; {fix}"
        if apart:
            yield "", f"  {fix}"
