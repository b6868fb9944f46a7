"""What becomes of the rows of the 0.1.0 release, which turned a name on and not a folder. Pure.

Each is looked at once, at the first start that sees it, and is then a row like any other. It turns on what resolves
under its name if that is the shared root's, or a folder whose marker the 0.1.0 release wrote; else it stays as it is,
and says that it speaks of nothing. A folder that appeared since, or got its marker since, is not what was turned on.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from ..domain.errors import SkillAbsent
from ..domain.names import Address, SourceId, is_of_this_line
from ..domain.record import SkillRecord, SkillState, Subject
from ..domain.resolver import Catalog
from ..domain.state_row import StateKey
from .observed import States

__all__ = ["adopted", "awaits_adoption"]


def awaits_adoption(key: StateKey, state: SkillState) -> bool:
    """Whether a row is one that the 0.1.0 release left on; it had none of the shared root's own."""
    return state.enabled and state.subject is None and not key.shared


def adopted(rows: States, catalog: Catalog) -> Mapping[StateKey, SkillState]:
    """The rows to write, in this order; `catalog` is what resolves, of roots that could all be read.

    A shared skill's new row comes before the old one that it was made of, so that what is cut short is done again; it
    is not written over one that is there, which somebody decided.
    """
    written: dict[StateKey, SkillState] = {}
    for key, state in rows.items():
        if not awaits_adoption(key, state):
            continue
        found = _resolved(catalog, key)
        if found is not None and found.source is SourceId.HOST_SHARED:
            shared = StateKey(key.name, shared=True)
            if shared not in rows:
                written[shared] = evolve(state, subject=found.subject)
        elif found is not None and found.generation is not None and not is_of_this_line(found.generation):
            written[key] = evolve(state, subject=found.subject)
            continue
        written[key] = evolve(state, subject=Subject())
    return written


def _resolved(catalog: Catalog, key: StateKey) -> SkillRecord | None:
    try:
        found = catalog.find(Address(key.name))
    except SkillAbsent:
        return None
    return found if isinstance(found, SkillRecord) else None
