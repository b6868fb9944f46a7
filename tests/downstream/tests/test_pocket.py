"""What the public names are for, one after the other: resolve, spend, approve."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pocket_skills import pocket

from kestrel_skills_adapters.memory.files import Entry, MemorySkillFiles
from kestrel_skills_adapters.memory.markdown import InlineLinks
from kestrel_skills_adapters.memory.states import MemoryStates
from kestrel_skills_adapters.memory.store import MemorySkillStore
from kestrel_skills_adapters.memory.world import CountedChance
from kestrel_skills_adapters.world import inline
from kestrel_skills_core import (
    Budget,
    Content,
    Create,
    Delete,
    Rejection,
    Resolver,
    SetState,
    SkillLibrary,
    SkillRecord,
    SkillState,
    SourceId,
    StaleRevision,
    StateKey,
    Subject,
    parse_address,
    render_clause,
    skill_name,
)


def document(name: str, description: str) -> bytes:
    """A `SKILL.md`."""
    return f'---\nname: "{name}"\ndescription: "{description}"\n---\n\nTie it.\n'.encode()


def folder(name: str, description: str) -> dict[str, Entry]:
    """The folder of a skill."""
    return {"SKILL.md": Content(document(name, description))}


def test_an_own_skill_comes_before_a_shared_one() -> None:
    """The core resolves what readers saw; no disk, no loop, no clock."""
    own = MemorySkillFiles(SourceId.AGENT_LOCAL, {"knots": folder("knots", "Use when a rope must hold.")})
    others = MemorySkillFiles(
        SourceId.HOST_SHARED,
        {"knots": folder("knots", "Use for any knot."), "splices": {"SKILL.md": Content(b"no frontmatter")}},
        root="5e" * 32,
    )
    catalog = Resolver().resolve([own.survey(), others.survey()])

    (record,) = catalog.records
    assert (record.name, record.source, record.description) == (
        "knots",
        SourceId.AGENT_LOCAL,
        "Use when a rope must hold.",
    )
    assert [shadowed.source for shadowed in record.shadowed] == [SourceId.HOST_SHARED]
    (rejection,) = catalog.rejected
    assert isinstance(rejection, Rejection)
    assert [finding.code for finding in rejection.findings] == ["KS101"]


def test_the_first_in_order_are_in_the_prompt() -> None:
    """What does not fit is left out, and named."""
    files = MemorySkillFiles(
        SourceId.HOST_SHARED,
        {name: folder(name, f"Use when {name} are wanted.") for name in ("knots", "splices")},
        root="5e" * 32,
    )
    states = {
        StateKey(skill_name(name), shared=True): SkillState(
            enabled=True, priority=priority, subject=Subject(root="5e" * 32)
        )
        for name, priority in (("splices", 1), ("knots", 2))
    }
    records = Resolver().resolve([files.survey()], states).records

    everything = render_clause(records)
    assert everything.included == ("splices", "knots")
    less = render_clause(records, Budget(everything.receipt.bytes - 1))
    assert (less.included, less.omitted) == (("splices",), ("knots",))
    assert less.receipt.bytes <= less.receipt.budget


def test_what_was_approved_is_deleted_and_nothing_else() -> None:
    """The token of a deletion is of exactly what was seen."""
    store = MemorySkillStore({"knots": folder("knots", "Use when a rope must hold.")}, chance=CountedChance())
    library = SkillLibrary(
        agent="did:example:ada",
        sources=[store],
        store=store,
        states=MemoryStates(),
        offload=inline,
        markdown=InlineLinks(),
    )
    knots = parse_address("knots")

    approved = asyncio.run(library.deletion(knots)).delete_revision
    store.folders["knots"] = folder("knots", "Use when a rope must not hold.")
    with pytest.raises(StaleRevision):
        asyncio.run(library.delete(Delete(address=knots, delete_revision=approved)))

    approved = asyncio.run(library.deletion(knots)).delete_revision
    assert asyncio.run(library.delete(Delete(address=knots, delete_revision=approved))).problem is None
    assert asyncio.run(library.catalog()).catalog.is_empty


def test_a_pocket_keeps_what_is_on(tmp_path: Path) -> None:
    """The whole of it, on a disk, by the adapter of this package."""
    (tmp_path / "skills").mkdir()
    library = pocket(tmp_path, "did:example:ada")
    assert asyncio.run(library.start()).problems == ()
    asyncio.run(library.create(Create(name=skill_name("knots"), document=document("knots", "Use it."))))
    switched = asyncio.run(library.set_state(SetState(address=parse_address("knots"), enabled=True)))
    assert isinstance(switched, SkillRecord)
    assert switched.enabled

    again = pocket(tmp_path, "did:example:ada")
    observed = asyncio.run(again.catalog())
    assert observed.clause(again.budget).included == ("knots",)
    assert asyncio.run(pocket(tmp_path, "did:example:bob").catalog()).catalog.enabled == ()
