"""What the rows of the table of states amount to, held against the folders that are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from .names import SourceId
from .record import SkillRecord, SkillState
from .resolver import Catalog
from .state_row import StateKey

__all__ = ["Census", "astray", "census_of"]


@frozen(kw_only=True)
class Census:
    """How many rows there are of each kind; every row is of one.

    `on` switch on what is there. `off` say off. `inert` say on, but of another birth, root or revision than is there,
    or of nothing in particular. `astray` say on for a folder that is not there, or is no skill at present.
    """

    on: int = 0
    off: int = 0
    inert: int = 0
    astray: int = 0


def census_of(rows: Mapping[StateKey, SkillState], catalog: Catalog) -> Census:
    """Count the rows of one agent; `catalog` is what was resolved with them, shadowed and held-back skills included."""
    there = _there(catalog)
    counts = dict.fromkeys(("on", "off", "inert", "astray"), 0)
    for key, state in rows.items():
        counts[_kind(state, there.get(key))] += 1
    return Census(**counts)


def astray(rows: Mapping[StateKey, SkillState], catalog: Catalog) -> Sequence[str]:
    """The addresses by which the rows that are astray can be turned off, in order.

    A name alone may mean another copy, unless it is a rejected folder that has it.
    """
    there = _there(catalog)
    rejected = {found.name for found in catalog.rejected if found.source is not SourceId.HOST_SHARED}
    gone = [key for key, state in rows.items() if _kind(state, there.get(key)) == "astray"]
    return sorted(
        key.name
        if key.name in rejected and not key.shared
        else f"{key.name}@{SourceId.HOST_SHARED if key.shared else SourceId.AGENT_LOCAL}"
        for key in gone
    )


def _there(catalog: Catalog) -> Mapping[StateKey, SkillRecord]:
    return {StateKey(record.name, record.source is SourceId.HOST_SHARED): record for record in _records(catalog)}


def _kind(state: SkillState, record: SkillRecord | None) -> str:
    if not state.enabled:
        return "off"
    if record is None:
        return "astray"
    return "on" if record.is_on_by(state) else "inert"


def _records(catalog: Catalog) -> Iterator[SkillRecord]:
    held = (rejection.holds_back for rejection in catalog.rejected)
    for record in (*catalog.records, *filter(None, held)):
        yield record
        yield from record.shadowed
